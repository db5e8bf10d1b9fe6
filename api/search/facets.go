package search

import (
	"cmp"
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
	noFacet facet = -1
)

// filters decides which listings a query lets through.
type filters [facetCount]func(*doc) bool // nil lets everything through

func newFilters(q api.SearchQuery) filters {
	var f filters
	if q.Category != nil {
		f[facetCategory] = func(d *doc) bool { return slices.Contains(q.Category, d.project.Category) }
	}
	if q.Platform != nil {
		f[facetPlatform] = func(d *doc) bool {
			return slices.ContainsFunc(q.Platform, func(p string) bool { return slices.Contains(d.project.Platforms, p) })
		}
	}
	if q.License != nil {
		keys := make([]string, len(q.License))
		for i, l := range q.License {
			keys[i] = strings.ToLower(l)
		}
		f[facetLicense] = func(d *doc) bool {
			return slices.ContainsFunc(keys, func(k string) bool { _, ok := d.asked[k]; return ok })
		}
	}
	for facet, want := range map[facet]*bool{
		facetDocker: q.Docker, facetBeginner: q.Beginner, facetGPU: q.GPU, facetSelfHosted: q.SelfHosted,
	} {
		if want != nil {
			value := flagValues[*want]
			f[facet] = func(d *doc) bool { return slices.Contains(facetValues(d, facet), value) }
		}
	}
	return f
}

// pass tells whether a listing passes every filter but one.
func (f *filters) pass(d *doc, but facet) bool {
	for i, keep := range f {
		if keep != nil && facet(i) != but && !keep(d) {
			return false
		}
	}
	return true
}

// flagValues are a flag parameter's texts.
var flagValues = map[bool]string{false: "0", true: "1"}

// facetValues returns the values of a facet that a listing is found under.
func facetValues(d *doc, f facet) []string {
	notes := &d.project.FitNotes
	flag := func(b *bool) []string {
		if b == nil {
			return nil
		}
		return []string{flagValues[*b]}
	}
	switch f {
	case facetCategory:
		return []string{d.project.Category}
	case facetPlatform:
		return d.project.Platforms
	case facetLicense:
		return d.licenses
	case facetDocker:
		return flag(notes.Docker)
	case facetBeginner:
		return flag(notes.Beginner)
	case facetSelfHosted:
		return flag(notes.SelfHosted)
	case facetGPU:
		if notes.GPU == nil {
			return nil
		}
		switch *notes.GPU {
		case api.GPUNone:
			return []string{"0"}
		case api.GPUOptional:
			return []string{"0", "1"}
		default:
			return []string{"1"}
		}
	}
	return nil
}

// facets counts each facet over the matches with every filter but its own.
func (ix *Index) facets(f filters, matched []match) api.Facets {
	count := func(facet facet) []api.FacetValue {
		counts := map[string]int{}
		for _, m := range matched {
			d := &ix.docs[m.doc]
			if f.pass(d, facet) {
				for _, v := range facetValues(d, facet) {
					counts[v]++
				}
			}
		}
		values := make([]api.FacetValue, 0, len(counts))
		for v, n := range counts {
			values = append(values, api.FacetValue{Value: v, Count: n})
		}
		slices.SortFunc(values, func(a, b api.FacetValue) int {
			return cmp.Or(b.Count-a.Count, strings.Compare(a.Value, b.Value))
		})
		return values
	}
	return api.Facets{
		Category: count(facetCategory), Platform: count(facetPlatform), License: count(facetLicense),
		Docker: count(facetDocker), Beginner: count(facetBeginner), GPU: count(facetGPU), SelfHosted: count(facetSelfHosted),
	}
}
