package search

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"catalog.example/api"
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
func (f flagFacet) values(of *facts) []string {
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

// flagTerm is the term that lists what a flag parameter finds.
func flagTerm(f facet, value string) string { return termFlag + facetNames[f] + "=" + value }

// flagValues are a flag parameter's texts.
var flagValues = map[bool]string{false: "0", true: "1"}

// facetValues are the values that facets count.
type facetValues struct {
	values [facetCount][]string
	// sets tells for the number of a category, set of platforms, set of licences
	// or combination of flags in the facts which values of the facet it has.
	sets [facetCount][][]int
	// platforms tells which sets of platforms have a platform.
	platforms map[string][]bool
}

func newFacetValues(t *facetTables) facetValues {
	var v facetValues
	set := func(f facet, sets [][]string) {
		v.values[f] = distinct(slices.Concat(sets...))
		v.sets[f] = make([][]int, len(sets))
		for i, names := range sets {
			for _, name := range names {
				at, _ := slices.BinarySearch(v.values[f], name)
				v.sets[f][i] = append(v.sets[f][i], at)
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
			combinations[flags] = f.values(&facts{flags: uint32(flags)}) // #nosec G115 -- below facetFlags
		}
		set(f.facet, combinations)
	}
	v.platforms = map[string][]bool{}
	for i, names := range t.Platforms {
		for _, name := range names {
			if v.platforms[name] == nil {
				v.platforms[name] = make([]bool, len(t.Platforms))
			}
			v.platforms[name][i] = true
		}
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
	if n := int(f.category); n < len(c.categories) {
		c.categories[n]++
	}
	if n := int(f.platforms); n < len(c.platforms) {
		c.platforms[n]++
	}
	if n := int(f.licenses); n < len(c.licenses) {
		c.licenses[n]++
	}
	c.flags[f.flags%facetFlags]++
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

// values returns the values of a facet with their counts, highest first, then by
// value, in dst.
func (v *facetValues) counted(dst []api.FacetValue, f facet, c *counts) []api.FacetValue {
	var few [64]int
	sums := few[:]
	if len(v.values[f]) > len(few) {
		sums = make([]int, len(v.values[f]))
	}
	for set, n := range c.of(f) {
		if n > 0 {
			for _, value := range v.sets[f][set] {
				sums[value] += n
			}
		}
	}
	dst = dst[:0]
	for i, value := range v.values[f] {
		if sums[i] > 0 {
			dst = append(dst, api.FacetValue{Value: value, Count: sums[i]})
		}
	}
	slices.SortFunc(dst, func(a, b api.FacetValue) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Value, b.Value))
	})
	return dst
}

// filter is a filter of a query: the listings that it lets through.
type filter struct {
	facet facet
	terms []string // any of which a listing has
}

// filtersOf returns the filters of a query.
func filtersOf(q *api.SearchQuery) (list []filter) {
	add := func(f facet, prefix string, values []string, fold bool) {
		if values == nil {
			return
		}
		terms := make([]string, len(values))
		for i, v := range values {
			if fold {
				v = strings.ToLower(v)
			}
			terms[i] = prefix + v
		}
		list = append(list, filter{f, terms})
	}
	add(facetCategory, termCategory, q.Category, false)
	add(facetPlatform, termPlatform, q.Platform, false)
	add(facetLicense, termLicense, q.License, true)
	for _, flag := range []struct {
		facet facet
		want  *bool
	}{{facetDocker, q.Docker}, {facetBeginner, q.Beginner}, {facetGPU, q.GPU}, {facetSelfHosted, q.SelfHosted}} {
		if flag.want != nil {
			list = append(list, filter{flag.facet, []string{flagTerm(flag.facet, flagValues[*flag.want])}})
		}
	}
	return list
}
