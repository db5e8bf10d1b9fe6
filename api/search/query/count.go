package query

import (
	"math"
	"math/bits"
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

// facetNumberCounts holds, for each column of index.FacetNumbers, how many listings have each
// number.
type facetNumberCounts [index.FacetColumns][]int

func newFacetNumberCounts(v *index.FacetValues) (c facetNumberCounts) {
	for i := range min(len(v.Sets), index.FacetColumns) {
		c[i] = make([]int, len(v.Sets[i]))
	}
	return c
}

// count counts the members of a set.
func (c *facetNumberCounts) count(ix *index.Index, set *index.Set) {
	for _, column := range c {
		clear(column)
	}
	set.EachBlock(func(b int) {
		for i, members := range set.Block(b) {
			for ; members != 0; members &= members - 1 {
				numbers := ix.FacetNumbers((b*index.BlockWords+i)*64 + bits.TrailingZeros64(members))
				for k := range c {
					if n := numbers.Number(k); n < len(c[k]) { // always, unless the file is damaged
						c[k][n]++
					}
				}
			}
		}
	})
}

// wordsPerMember is how many 64-bit words of a list can be compared with a set in the time that it
// takes to count one member by its FacetNumbers.
const wordsPerMember = 6

// countValues counts the values of facets in a set. It goes through the members, or subtracts the
// non-members from the totals, or, if both are many, uses the lists of the values.
func (s *scratch) countValues(set *index.Set, facets []index.Facet) {
	members := set.Count()
	others := s.Len() - members
	byLists := s.Facets.Lists * (s.Len() / 64) / wordsPerMember
	if s.Facets.Overflow {
		byLists = -1
	}
	ofMembers := members <= min(others, byLists)
	if !ofMembers && others > byLists {
		for _, f := range facets {
			s.sums = s.sums[:0]
			for _, v := range s.Facets.Values[f] {
				s.sums = append(s.sums, s.countList(set, v.Term))
			}
			s.orderValues(f)
		}
		return
	}
	if !ofMembers {
		rest := s.allListings()
		rest.Subtract(set)
		set = rest
	}
	s.counts.count(s.Index, set)
	for _, f := range facets {
		values := s.Facets.Values[f]
		s.sums = slices.Grow(s.sums[:0], len(values))[:len(values)]
		clear(s.sums)
		for number, n := range s.counts[f.Column()] {
			if n > 0 {
				for _, value := range s.Facets.Sets[f][number] {
					s.sums[value] += n
				}
			}
		}
		if !ofMembers {
			for i, v := range values {
				s.sums[i] = v.Total - s.sums[i]
			}
		}
		s.orderValues(f)
	}
}

// countList returns how many members of a set are in the list of a term.
func (s *scratch) countList(set *index.Set, term int) (n int) {
	s.Postings.Each(term, func(_ index.Class, l index.List) { n = l.CountIn(set, s.Len()) })
	return n
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
