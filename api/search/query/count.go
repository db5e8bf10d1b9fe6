package query

import (
	"math"
	"slices"

	"catalog.example/api/search/index"
)

// counts are numbers of listings for each number in the columns of facts.
type counts [index.FactColumns][]int

func newCounts(v *index.FacetValues) *counts {
	var c counts
	for i := range min(len(v.Sets), index.FactColumns) {
		c[i] = make([]int, len(v.Sets[i]))
	}
	return &c
}

func (c *counts) reset() {
	for _, column := range c {
		clear(column)
	}
}

// count counts the members of a set.
func (c *counts) count(ix *index.Index, s *index.Set) {
	s.Each(func(doc int) bool {
		c.add(ix.FacetNumbers(doc))
		return true
	})
}

func (c *counts) add(f index.FacetNumbers) {
	for i := range c {
		if n := f.Number(i); n < len(c[i]) { // always, unless the file is damaged
			c[i][n]++
		}
	}
}

// wordsPerMember is how many 64-bit words of a list can be compared with a set in the
// time in which one member is counted by its facts.
const wordsPerMember = 6

// countValues counts the values of facets in s, highest first, then by value. It counts
// the members, or subtracts the non-members from all, or, if both are many, uses the
// lists of the values.
func (w *scratch) countValues(s *index.Set, facets []index.Facet) {
	members := s.Count()
	others := w.ix.Len() - members
	byLists := w.ix.Facets.Lists * (w.ix.Len() / 64) / wordsPerMember
	if w.ix.Facets.Overflow {
		byLists = -1
	}
	w.counts.reset()
	switch {
	case members <= min(others, byLists):
		w.counts.count(w.ix.Index, s)
	case others <= byLists:
		rest := w.emptySet()
		rest.AddAll(w.ix.Len())
		rest.Subtract(s)
		w.counts.count(w.ix.Index, rest)
	default:
		for _, f := range facets {
			w.sums = w.sums[:0]
			for _, v := range w.ix.Facets.Values[f] {
				w.sums = append(w.sums, w.countList(s, v.Term))
			}
			w.orderValues(f)
		}
		return
	}
	for _, f := range facets {
		w.sums = slices.Grow(w.sums[:0], len(w.ix.Facets.Values[f]))[:len(w.ix.Facets.Values[f])]
		clear(w.sums)
		for set, n := range w.counts[f.Column()] {
			if n > 0 {
				for _, value := range w.ix.Facets.Sets[f][set] {
					w.sums[value] += n
				}
			}
		}
		if members > min(others, byLists) {
			for i, v := range w.ix.Facets.Values[f] {
				w.sums[i] = v.Total - w.sums[i]
			}
		}
		w.orderValues(f)
	}
}

// countList returns how many members of s the list of a term has.
func (w *scratch) countList(s *index.Set, term int) (n int) {
	w.ix.Postings.Each(term, func(_ index.Class, l index.List) {
		if l.Bitmap != nil {
			n = s.CountBits(l.Bitmap)
		} else {
			n = s.CountArray(l.Array, w.ix.Len())
		}
	})
	return n
}

// orderValues stores the sums of a facet that are not 0, highest first, then by value.
func (w *scratch) orderValues(f index.Facet) {
	list := w.facets[f][:0]
	for i, n := range w.sums {
		if n > 0 {
			list = append(list, newValueCount(i, n))
		}
	}
	slices.Sort(list)
	w.facets[f] = list
}

// valueCount is the index of a value in its facet, and its count. Sorted, the highest
// count comes first, then the first value.
type valueCount uint64

func newValueCount(value, count int) valueCount {
	return (math.MaxUint32-valueCount(count))<<32 | valueCount(value) // at most one a listing
}

func (c valueCount) value() int { return int(c & math.MaxUint32) }

func (c valueCount) count() int { return int(math.MaxUint32 - c>>32) }
