package query

import (
	"slices"

	"catalog.example/api/hardware"
	"catalog.example/api/search/index"
)

// scratch is the memory for answering one query, reused through a pool. The sets and lists that the
// phases return are part of it, and are valid until release. A set takes one bit per listing.
type scratch struct {
	*Engine

	sets []*index.Set // all that have been made so far
	used int          // how many of them are in use

	expansions []expansion
	table      termTable
	lookups    []lookup
	hintSets   []*index.Set
	products   []productMatch
	positions  map[int]int // see found.positions
	numbers    []int       // see productsOf
	named      []int

	scan       textScan
	match      textMatch
	read       int             // number of listings whose texts were read, for tests
	loaded     byte            // see index.Texts.Load
	categories []categoryMatch // by category number
	voters     []voters        // by category number
	graded     []graded
	// gradedBefore has what match has read the texts of, by listing.
	gradedBefore map[int]graded
	best         []ranked
	hits         []hit
	quotes       []Quote
	lists        []index.List
	listKeys     []uint64 // see findLists

	counts  facetNumberCounts
	columns []int // that countValues counts
	sums    []int // one per value of a facet
	facets  [][]valueCount
	met     []int    // for hardware.Machine.Judge
	uses    [][]byte // see index.Needs.Uses
	runners []hardware.Runner
}

func newScratch(e *Engine) *scratch {
	return &scratch{
		Engine: e, positions: map[int]int{}, gradedBefore: map[int]graded{}, counts: newFacetNumberCounts(&e.Facets),
		facets: make([][]valueCount, len(e.Facets.Values)),
	}
}

// acquire takes memory from the pool; release returns it.
func (e *Engine) acquire() *scratch {
	s, _ := e.pool.Get().(*scratch)
	return s
}

func (s *scratch) release() {
	s.reset()
	s.pool.Put(s)
}

// reset prepares for another query. It invalidates the sets and lists of the last one.
func (s *scratch) reset() {
	for _, set := range s.sets[:s.used] {
		set.Clear()
	}
	s.used, s.read = 0, 0
	s.categories, s.products, s.quotes = s.categories[:0], s.products[:0], s.quotes[:0]
	clear(s.positions)
	clear(s.gradedBefore)
}

// emptySet returns an empty set, valid until release.
func (s *scratch) emptySet() *index.Set {
	if s.used == len(s.sets) {
		s.sets = append(s.sets, index.NewSet(s.Len()))
	}
	s.used++
	return s.sets[s.used-1]
}

// allListings returns the set of all listings.
func (s *scratch) allListings() *index.Set {
	all := s.emptySet()
	all.AddAll(s.Len())
	return all
}

// copySet returns a copy of a set, valid until release.
func (s *scratch) copySet(set *index.Set) *index.Set {
	c := s.emptySet()
	c.CopyOf(set)
	return c
}

// addList adds the listings of l to a set.
func (s *scratch) addList(set *index.Set, l *index.List) { l.AddTo(set, s.Len()) }

// addTerm adds the listings that have a fact or a whole name.
func (s *scratch) addTerm(set *index.Set, term string) {
	if t, ok := s.Terms.Find(term); ok {
		s.addPlaces(set, t, index.ClassExact)
	}
}

// addNamed adds the listings that have text as a whole name.
func (s *scratch) addNamed(set *index.Set, text string) {
	name, alias := index.ClassOf(index.FieldName, true), index.ClassOf(index.FieldAlias, true)
	if t, ok := s.Terms.Find(text); ok {
		s.addPlaces(set, t, index.ClassExact, name, alias)
	}
}

// addPlaces adds the listings that have a term in any of the classes.
func (s *scratch) addPlaces(set *index.Set, term int, classes ...index.Class) {
	s.Postings.Each(term, func(c index.Class, l index.List) {
		if slices.Contains(classes, c) {
			s.addList(set, &l)
		}
	})
}
