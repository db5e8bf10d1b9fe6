package query

import (
	"catalog.example/api/search/index"
)

// workspace is the memory for answering one query. A pool reuses it. Its size is
// bounded by the number of listings: a set takes one bit for each.
type scratch struct {
	ix *Engine

	sets []*index.Set // all sets allocated so far
	used int          // number of sets in use

	query              parsed
	machine            machineFilter
	limit              int  // of hits, with those before the offset
	withoutFacets      bool // facets are not counted
	expansions         []expansion
	table              termTable
	words              []wordState
	weight             float64      // of all words
	weightWithoutHints float64      // of words that are not hints
	requiredWords      uint32       // bit i: word i is required
	partialNames       bool         // a listing may be named by part of its name
	hintSets           []*index.Set // the listings that have each hint
	required           []*index.Set // the listings that have each required fact
	archived           *index.Set   // the listings that are archived
	unwanted           *index.Set   // the listings that somebody wants to leave
	suited             *index.Set   // the listings that suit who asks
	products           []productMatch
	named              []int       // the products that the query names: positions in the taxonomy
	productPosition    map[int]int // index into products by product number

	productScratch  []int // see productsOf
	scan            textScan
	match           textMatch
	read            textsMatch // of the listing being graded
	ranked          []ranked
	graded          []graded
	categoryMatches []categoryMatch // by the numbers of categories
	categories      []voters        // see bestOfCategories
	prefetched      byte            // see texts.prefetch
	hits            []hit
	lists           []index.List
	listKeys        []uint64 // see findLists
	gradedCount     int      // number of listings whose texts were read, for tests

	counts *counts
	sums   []int // one for each value of a facet
	facets [][]valueCount
}

func newScratch(ix *Engine) *scratch {
	return &scratch{ix: ix, productPosition: map[int]int{}, counts: newCounts(&ix.Facets), facets: make([][]valueCount, len(ix.Facets.Values))}
}

// acquire takes a workspace from the pool; release returns it.
func (ix *Engine) acquire() *scratch {
	w, _ := ix.pool.Get().(*scratch)
	return w
}

func (w *scratch) release() {
	for _, s := range w.sets[:w.used] {
		s.Clear()
	}
	w.used = 0
	w.expansions, w.words, w.products = w.expansions[:0], w.words[:0], w.products[:0]
	w.categoryMatches = w.categoryMatches[:0]
	w.hintSets, w.required = w.hintSets[:0], w.required[:0]
	w.hits, w.named, w.gradedCount = w.hits[:0], w.named[:0], 0
	clear(w.productPosition)
	w.ix.pool.Put(w)
}

// emptySet returns an empty set, valid until release.
func (w *scratch) emptySet() *index.Set {
	if w.used == len(w.sets) {
		w.sets = append(w.sets, index.NewSet(w.ix.Len()))
	}
	w.used++
	return w.sets[w.used-1]
}

// copySet returns a copy of s, valid until release.
func (w *scratch) copySet(s *index.Set) *index.Set {
	c := w.emptySet()
	c.CopyOf(s)
	return c
}

// addList adds the listings of l to s.
func (w *scratch) addList(s *index.Set, l *index.List) {
	l.AddTo(s, w.ix.Len())
}

// addTerm adds the listings of a fact or a whole name.
func (w *scratch) addTerm(s *index.Set, term string) {
	if t, ok := w.ix.Terms.Find(term); ok {
		w.addTermNumber(s, t)
	}
}

// addTermNumber does the same for the number of a term.
func (w *scratch) addTermNumber(s *index.Set, term int) {
	w.ix.Postings.Each(term, func(c index.Class, l index.List) {
		if c == index.ClassExact {
			w.addList(s, &l)
		}
	})
}
