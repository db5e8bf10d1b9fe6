package search

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/spdx"
)

// facet is a filter whose values are counted: one of these, or facetOfFact plus the index
// of a fact in facetFacts.
type facet int

const (
	facetCategory facet = iota
	facetPlatform
	facetLicense
	facetOfFact
)

// facetNames are the names of the facets that are not facts: those of their parameters.
var facetNames = [facetOfFact]string{"category", "platform", "license"}

// noFacet is the facet of a filter whose values are not counted.
const noFacet facet = -1

// facetFit is the facet of the machine of a query (api.FitFacet).
const facetFit facet = -2

// column returns the column of facts in which a facet is counted.
func (f facet) column() int { return int(min(f, facetOfFact)) }

// factName returns the name for a fact in terms: its parameter, or its key if it has none.
func factName(f *api.Fact) string {
	if f.Filter != nil {
		return f.Filter.Parameter
	}
	return f.Key
}

// valueTerm returns the term for the listings that match a value of a filter, or have a
// value of another fact.
func valueTerm(name, value string) string { return termValue + name + "=" + value }

// factArchived is the fact that upstream is archived or abandoned.
const factArchived = "archived"

// factReplaces is the fact that a listing replaces the product with a slug.
const factReplaces = "replaces"

// licenseTerm returns the term for the listings that match the parameter license.
func licenseTerm(license string) string { return termLicense + strings.ToLower(license) }

// sufficientLicenses returns the licences each of which is sufficient under an SPDX
// expression. If no single licence is, it returns the whole expression.
func sufficientLicenses(expression string) []spdx.License {
	e, _ := spdx.Parse(expression)
	if list := e.Sufficient(); len(list) > 0 {
		return list
	}
	return []spdx.License{{ID: expression}}
}

// licenseKeys returns the folded parameters that a licence matches: itself, itself
// without an exception (which only adds permissions), and its family.
func licenseKeys(l spdx.License) []string {
	return []string{strings.ToLower(l.String()), strings.ToLower(l.ID), l.Family()}
}

// facetValues are the values that facets count.
type facetValues struct {
	names  []string // of the facets
	values [][]facetValue
	// sets are, for each facet and each number in its column of facts, the indexes of
	// the facet's values.
	sets     [][][]int
	lists    int  // number of values of all facets
	overflow bool // there are more sets than numbers in facts
}

// facetValue is a value of a facet.
type facetValue struct {
	value string
	term  int // number of its valueTerm
	total int // number of listings that have it
}

func newFacetValues(ix *Index, t *facetTables) facetValues {
	var v facetValues
	add := func(facetName string, sets [][]string) {
		var values []facetValue
		for _, name := range distinct(slices.Concat(sets...)) {
			if term, ok := ix.terms.find(valueTerm(facetName, name)); ok {
				values = append(values, facetValue{name, term, ix.postings.frequency(term)})
			}
		}
		v.lists += len(values)
		v.overflow = v.overflow || len(sets) > maxNumbered
		numbered := make([][]int, len(sets))
		for i, names := range sets {
			for _, name := range names {
				value, ok := slices.BinarySearchFunc(values, name, func(a facetValue, b string) int { return strings.Compare(a.value, b) })
				if ok {
					numbered[i] = append(numbered[i], value)
				}
			}
		}
		v.names, v.values, v.sets = append(v.names, facetName), append(v.values, values), append(v.sets, numbered)
	}
	categories := make([][]string, len(t.Categories))
	for i, c := range t.Categories {
		categories[i] = []string{c}
	}
	add(facetNames[facetCategory], categories)
	add(facetNames[facetPlatform], t.Platforms)
	add(facetNames[facetLicense], t.Licenses)
	for i, f := range ix.facetFacts {
		values := make([][]string, len(t.Facts))
		for k, combination := range t.Facts {
			if i < len(combination) { // always, unless the file is damaged
				values[k] = combination[i]
			}
		}
		add(factName(f), values)
	}
	return v
}

// hasFacet reports whether listings of the catalogue have what a facet counts.
func (ix *Index) hasFacet(f facet) bool {
	return (f != facetPlatform || ix.settings.Has("platforms")) && (f != facetLicense || ix.settings.Has("license"))
}

// counts are numbers of listings for each number in the columns of facts.
type counts [factColumns][]int

func newCounts(v *facetValues) *counts {
	var c counts
	for i := range min(len(v.sets), factColumns) {
		c[i] = make([]int, len(v.sets[i]))
	}
	return &c
}

func (c *counts) reset() {
	for _, column := range c {
		clear(column)
	}
}

// count counts the members of a set.
func (c *counts) count(s *set, column []byte) {
	for i, blocks := range s.blocks {
		for ; blocks != 0; blocks &= blocks - 1 {
			first := (i*64 + bits.TrailingZeros64(blocks)) * blockWords
			for w := first; w < first+blockWords; w++ {
				for word := s.words[w]; word != 0; word &= word - 1 {
					c.add(factsOf(column, w*64+bits.TrailingZeros64(word)))
				}
			}
		}
	}
}

func (c *counts) add(f facts) {
	for i := range c {
		if n := f.number(i); n < len(c[i]) { // always, unless the file is damaged
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
func (w *workspace) countValues(s *set, facets []facet) {
	members := s.count()
	others := w.ix.n - members
	byLists := w.ix.facets.lists * (w.ix.n / 64) / wordsPerMember
	if w.ix.facets.overflow {
		byLists = -1
	}
	w.counts.reset()
	switch {
	case members <= min(others, byLists):
		w.counts.count(s, w.ix.facts)
	case others <= byLists:
		rest := w.emptySet()
		rest.addAll(w.ix.n)
		rest.subtract(s)
		w.counts.count(rest, w.ix.facts)
	default:
		for _, f := range facets {
			w.sums = w.sums[:0]
			for _, v := range w.ix.facets.values[f] {
				w.sums = append(w.sums, w.countList(s, v.term))
			}
			w.orderValues(f)
		}
		return
	}
	for _, f := range facets {
		w.sums = slices.Grow(w.sums[:0], len(w.ix.facets.values[f]))[:len(w.ix.facets.values[f])]
		clear(w.sums)
		for set, n := range w.counts[f.column()] {
			if n > 0 {
				for _, value := range w.ix.facets.sets[f][set] {
					w.sums[value] += n
				}
			}
		}
		if members > min(others, byLists) {
			for i, v := range w.ix.facets.values[f] {
				w.sums[i] = v.total - w.sums[i]
			}
		}
		w.orderValues(f)
	}
}

// countList returns how many members of s the list of a term has.
func (w *workspace) countList(s *set, term int) (n int) {
	w.ix.postings.each(term, func(_ class, l list) {
		if l.bitmap != nil {
			n = s.countBits(l.bitmap)
		} else {
			n = s.countArray(l.array, w.ix.n)
		}
	})
	return n
}

// orderValues stores the sums of a facet that are not 0, highest first, then by value.
func (w *workspace) orderValues(f facet) {
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

// filter is a filter of a query.
type filter struct {
	facet facet
	terms []string // a listing must have one of them
	bound *numberBound
}

// filtersOf returns the filters of a query.
func (ix *Index) filtersOf(q *api.SearchQuery) (list []filter) {
	add := func(f facet, name string) {
		values := q.Filters.Values[name]
		if len(values) == 0 {
			return
		}
		terms := make([]string, len(values))
		for i, v := range values {
			if terms[i] = valueTerm(name, v); f == facetLicense {
				terms[i] = licenseTerm(v)
			}
		}
		list = append(list, filter{facet: f, terms: terms})
	}
	for i, name := range ix.facets.names {
		add(facet(i), name)
	}
	for i, f := range ix.numberFacts {
		if n, ok := q.Filters.Numbers[factName(f)]; f.Filter != nil && ok {
			list = append(list, filter{facet: noFacet, bound: &numberBound{column: i, bound: n, atLeast: f.Filter.Match == api.MatchAtLeast}})
		}
	}
	return list
}
