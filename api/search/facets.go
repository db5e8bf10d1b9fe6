package search

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/spdx"
)

// facet is one filter of a search.
type facet int

const (
	facetCategory facet = iota
	facetPlatform
	facetLicense
	facetDocker
	facetBeginner
	facetGPU
	facetSelfHosted
	facetCount
)

// facetNames are the facets' names, which are those of their parameters.
var facetNames = [facetCount]string{"category", "platform", "license", "docker", "beginner", "gpu", "selfHosted"}

// flagFacets are the facets of the flags among the facts, with the values of the
// parameter that a listing is found under.
var flagFacets = []flagFacet{
	{facetDocker, flagDocker}, {facetBeginner, flagBeginner}, {facetGPU, flagGPU}, {facetSelfHosted, flagSelfHosted},
}

type flagFacet struct {
	facet facet
	at    int // in the flags
}

// values returns the values of the parameter that finds the listing.
func (f flagFacet) values(of facts) []string {
	value := of.flag(f.at)
	if f.facet == facetGPU {
		switch value {
		case gpuNone:
			return []string{"0"}
		case gpuOptional:
			return []string{"0", "1"}
		case gpuRequired:
			return []string{"1"}
		}
		return nil
	}
	switch value {
	case flagNo:
		return []string{"0"}
	case flagYes:
		return []string{"1"}
	}
	return nil
}

// valueTerm is the term that lists the listings which a facet counts under a
// value.
func valueTerm(f facet, value string) string { return factTerm(facetNames[f], value) }

// factTerm is the term that lists the listings of which a fact has a value.
func factTerm(name, value string) string { return termValue + name + "=" + value }

// factArchived is the fact that upstream is archived or abandoned.
const factArchived = "archived"

// licenseTerm is the term that lists what a license parameter finds.
func licenseTerm(license string) string { return termLicense + strings.ToLower(license) }

// sufficientLicenses returns the licences that alone suffice to use a work under an
// SPDX expression. Where no single one does, it is the whole expression.
func sufficientLicenses(expression string) []spdx.License {
	e, _ := spdx.Parse(expression)
	if list := e.Sufficient(); len(list) > 0 {
		return list
	}
	return []spdx.License{{ID: expression}}
}

// licenseKeys returns the folded texts by which a licence is asked for: itself,
// without an exception, which only ever adds permissions, and its family.
func licenseKeys(l spdx.License) []string {
	return []string{strings.ToLower(l.String()), strings.ToLower(l.ID), l.Family()}
}

// flagValues are a flag parameter's texts.
var flagValues = map[bool]string{false: "0", true: "1"}

// facetValues are the values that facets count.
type facetValues struct {
	values [facetCount][]facetValue
	// sets tells for the number of a category, set of platforms, set of licences
	// or combination of flags in the facts which values of the facet it has.
	sets  [facetCount][][]int
	lists int // values of all facets
	// unnumbered tells that there are more sets than numbers in facts.
	unnumbered bool
}

// facetValue is one of them.
type facetValue struct {
	value string
	term  int // that lists the listings under it
	total int // how many these are
}

func newFacetValues(ix *Index, t *facetTables) facetValues {
	var v facetValues
	set := func(f facet, sets [][]string) {
		names := distinct(slices.Concat(sets...))
		for _, name := range names {
			if term, ok := ix.terms.find(valueTerm(f, name)); ok {
				v.values[f] = append(v.values[f], facetValue{name, term, ix.postings.frequency(term)})
			}
		}
		v.lists += len(v.values[f])
		v.unnumbered = v.unnumbered || len(sets) > maxNumbered
		v.sets[f] = make([][]int, len(sets))
		for i, names := range sets {
			for _, name := range names {
				at, ok := slices.BinarySearchFunc(v.values[f], name, func(a facetValue, b string) int { return strings.Compare(a.value, b) })
				if ok {
					v.sets[f][i] = append(v.sets[f][i], at)
				}
			}
		}
	}
	categories := make([][]string, len(t.Categories))
	for i, c := range t.Categories {
		categories[i] = []string{c}
	}
	set(facetCategory, categories)
	set(facetPlatform, t.Platforms)
	set(facetLicense, t.Licenses)
	for _, f := range flagFacets {
		combinations := make([][]string, facetFlags)
		for flags := range combinations {
			combinations[flags] = f.values(newFacts(0, 0, 0, uint32(flags))) // #nosec G115 -- below facetFlags
		}
		set(f.facet, combinations)
	}
	return v
}

// counts are numbers of listings by the numbers in their facts.
type counts struct {
	categories, platforms, licenses []int
	flags                           [facetFlags]int
}

func newCounts(v *facetValues) *counts {
	return &counts{
		categories: make([]int, len(v.sets[facetCategory])), platforms: make([]int, len(v.sets[facetPlatform])),
		licenses: make([]int, len(v.sets[facetLicense])),
	}
}

func (c *counts) reset() {
	clear(c.categories)
	clear(c.platforms)
	clear(c.licenses)
	c.flags = [facetFlags]int{}
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
	// The comparisons hold but in a damaged file.
	if n := f.category(); n < len(c.categories) {
		c.categories[n]++
	}
	if n := f.platforms(); n < len(c.platforms) {
		c.platforms[n]++
	}
	if n := f.licenses(); n < len(c.licenses) {
		c.licenses[n]++
	}
	c.flags[f.flags()]++
}

// of returns the counts by which a facet is counted.
func (c *counts) of(f facet) []int {
	switch f {
	case facetCategory:
		return c.categories
	case facetPlatform:
		return c.platforms
	case facetLicense:
		return c.licenses
	default:
		return c.flags[:]
	}
}

// A member of a set that is counted by its facts takes about as long as
// wordsCounted words of 64 bits of a list that are compared with the set.
const wordsCounted = 6

// countValues counts facets over a set, each as highest first, then by value. It
// goes over the members, or over the listings that are not members and takes
// these from all, or, where both are many, over the lists of the values.
func (w *work) countValues(s *set, which []facet) {
	members := s.count()
	others := w.ix.n - members
	byLists := w.ix.facets.lists * (w.ix.n / 64) / wordsCounted
	if w.ix.facets.unnumbered {
		byLists = -1
	}
	w.counts.reset()
	switch {
	case members <= min(others, byLists):
		w.counts.count(s, w.ix.facts)
		w.cost.Postings += members
	case others <= byLists:
		rest := w.set()
		rest.addAll(w.ix.n)
		rest.subtract(s)
		w.counts.count(rest, w.ix.facts)
		w.cost.Postings += others
	default:
		for _, f := range which {
			w.sums = w.sums[:0]
			for _, v := range w.ix.facets.values[f] {
				w.sums = append(w.sums, w.countList(s, v.term))
			}
			w.orderValues(f)
		}
		return
	}
	for _, f := range which {
		w.sums = slices.Grow(w.sums[:0], len(w.ix.facets.values[f]))[:len(w.ix.facets.values[f])]
		clear(w.sums)
		for set, n := range w.counts.of(f) {
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

// countList returns how many members of a set a term of facts lists.
func (w *work) countList(s *set, term int) (n int) {
	w.ix.postings.each(term, func(_ class, l list) {
		if l.bitmap != nil {
			n = s.countBits(l.bitmap)
		} else {
			n = s.countArray(l.array, w.ix.n)
		}
		w.cost.Postings += l.count
	})
	return n
}

// orderValues keeps the sums of a facet that are not 0, highest first, then by value.
func (w *work) orderValues(f facet) {
	values := w.ix.facets.values[f]
	list := w.facets[f][:0]
	for i, n := range w.sums {
		if n > 0 {
			list = append(list, valueCount{i, n})
		}
	}
	slices.SortFunc(list, func(a, b valueCount) int {
		return cmp.Or(b.count-a.count, strings.Compare(values[a.value].value, values[b.value].value))
	})
	w.facets[f] = list
}

// valueCount is the count of a value, by its place among the facet's.
type valueCount struct{ value, count int }

// filter is a filter of a query: the listings that it lets through.
type filter struct {
	facet facet
	terms []string // any of which a listing has
}

// filtersOf returns the filters of a query.
func filtersOf(q *api.SearchQuery) (list []filter) {
	add := func(f facet, values []string, term func(value string) string) {
		if values == nil {
			return
		}
		terms := make([]string, len(values))
		for i, v := range values {
			terms[i] = term(v)
		}
		list = append(list, filter{f, terms})
	}
	add(facetCategory, q.Category, func(v string) string { return valueTerm(facetCategory, v) })
	add(facetPlatform, q.Platform, func(v string) string { return valueTerm(facetPlatform, v) })
	add(facetLicense, q.License, licenseTerm)
	for _, flag := range []struct {
		facet facet
		want  *bool
	}{{facetDocker, q.Docker}, {facetBeginner, q.Beginner}, {facetGPU, q.GPU}, {facetSelfHosted, q.SelfHosted}} {
		if flag.want != nil {
			list = append(list, filter{flag.facet, []string{valueTerm(flag.facet, flagValues[*flag.want])}})
		}
	}
	return list
}
