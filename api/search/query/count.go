package query

import (
	"math"
	"slices"

	"catalog.example/api/search/index"
)

// facetCounts holds the facet counts of an answer.
type facetCounts struct {
	values   [][]valueCount    // of each facet
	verdicts [verdictCount]int // how many matches have each verdict
}

// valueCount combines the index of a value in its facet with its count. In sorted order, the
// highest count comes first, then the lowest index.
type valueCount uint64

func newValueCount(value, count int) valueCount {
	return (math.MaxUint32-valueCount(count))<<32 | valueCount(value) // both fit in 32 bits
}

func (c valueCount) value() int { return int(c & math.MaxUint32) }

func (c valueCount) count() int { return int(math.MaxUint32 - c>>32) }

// count counts the values of each facet over the matches that pass all filters except the facet's
// own.
func (f *filters) count(all, passing *index.Set, m *machine) (c facetCounts) {
	s := f.s
	unfiltered := make([]index.Facet, 0, len(s.facets))
	for i := range s.facets {
		if facet := index.Facet(i); !slices.Contains(f.facets, facet) {
			unfiltered = append(unfiltered, facet)
		}
	}
	s.countValues(passing, unfiltered)
	for i, facet := range f.facets {
		switch facet {
		case noFacet:
		case facetFit:
			c.verdicts = m.count(f.applyExcept(all, i))
		default:
			s.countValues(f.applyExcept(all, i), []index.Facet{facet})
		}
	}
	c.values = s.facets
	return c
}

// facetNumberCounts holds, for each column of the facets' numbers, how many listings have each
// number.
type facetNumberCounts [index.FacetColumns][]int

func newFacetNumberCounts(v *index.FacetValues) (c facetNumberCounts) {
	for i := range min(len(v.Sets), index.FacetColumns) {
		c[i] = make([]int, v.Sets[i].Len())
	}
	return c
}

// The costs of counting, relative to comparing 64 bits of a bit map with a set.
const (
	memberCost = 4 // to count one member by its number
	numberCost = 4 // to add the count of one number of a column to its values
	entryCost  = 3 // to look up one listing of an array in a set
)

// isCountedByLists reports whether the lists of a facet's values are the fastest way to count it.
// words is the size of the set, and members how many listings the other way visits.
func (s *scratch) isCountedByLists(f index.Facet, words, members int) bool {
	l := &s.Facets.Lists[f]
	lists := l.Bitmaps*words + l.Entries*entryCost
	return l.Overflow || lists < members*memberCost+s.Facets.Sets[f].Len()*numberCost
}

// countValues counts the values of facets in a set. For each facet it compares the set with the
// lists of the values, or goes through the members, or subtracts the non-members from the totals,
// whichever is least work.
func (s *scratch) countValues(set *index.Set, facets []index.Facet) {
	members := set.Count()
	ofMembers := members <= s.Len()-members
	visited := min(members, s.Len()-members)
	words := set.Words()
	s.columns = s.columns[:0]
	for _, f := range facets {
		if s.isCountedByLists(f, words, visited) {
			s.sums = s.sums[:0]
			values := s.Facets.Values[f]
			for i := range values {
				s.sums = append(s.sums, values[i].List.CountIn(set, s.Len()))
			}
			s.orderValues(f)
		} else if !slices.Contains(s.columns, f.Column()) {
			s.columns = append(s.columns, f.Column())
		}
	}
	if len(s.columns) == 0 {
		return
	}
	if !ofMembers {
		rest := s.allListings()
		rest.Subtract(set)
		set = rest
	}
	for _, column := range s.columns {
		counts := s.counts[column]
		clear(counts)
		s.CountFacetNumbers(counts, column, set)
	}
	for _, f := range facets {
		if !s.isCountedByLists(f, words, visited) {
			s.addNumbers(f, ofMembers)
		}
	}
}

// addNumbers sums up the counts of the numbers of a facet's column. They are of the members of a
// set, or else of the other listings.
func (s *scratch) addNumbers(f index.Facet, ofMembers bool) {
	values := s.Facets.Values[f]
	s.sums = slices.Grow(s.sums[:0], len(values))[:len(values)]
	clear(s.sums)
	sets := &s.Facets.Sets[f]
	for number, n := range s.counts[f.Column()] {
		if n > 0 {
			for _, value := range sets.Values(number) {
				s.sums[value] += n
			}
		}
	}
	if !ofMembers {
		for i := range values {
			s.sums[i] = values[i].Total - s.sums[i]
		}
	}
	s.orderValues(f)
}

// orderValues stores the sums of a facet that are not 0, highest first, then by index.
func (s *scratch) orderValues(f index.Facet) {
	list := s.facets[f][:0]
	for i, n := range s.sums {
		if n > 0 {
			list = append(list, newValueCount(i, n))
		}
	}
	slices.Sort(list)
	s.facets[f] = list
}
