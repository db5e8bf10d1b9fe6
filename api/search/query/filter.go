package query

import (
	"catalog.example/api"
	"catalog.example/api/search/index"
)

// noFacet is the facet of a filter whose values are not counted.
const noFacet index.Facet = -1

// facetFit is the facet of the machine of a query (api.FitFacet).
const facetFit index.Facet = -2

// hasFacet reports whether listings of the catalogue have what a facet counts.
func (ix *Engine) hasFacet(f index.Facet) bool {
	return (f != index.FacetPlatform || ix.settings.Has("platforms")) && (f != index.FacetLicense || ix.settings.Has("license"))
}

// filter is a filter of a query.
type filter struct {
	facet index.Facet
	terms []string // a listing must have one of them
	bound *numberBound
}

// filtersOf returns the filters of a query.
func (ix *Engine) filtersOf(q *api.SearchQuery) (list []filter) {
	add := func(f index.Facet, name string) {
		values := q.Filters.Values[name]
		if len(values) == 0 {
			return
		}
		terms := make([]string, len(values))
		for i, v := range values {
			if terms[i] = index.ValueTerm(name, v); f == index.FacetLicense {
				terms[i] = index.LicenseTerm(v)
			}
		}
		list = append(list, filter{facet: f, terms: terms})
	}
	for i, name := range ix.Facets.Names {
		add(index.Facet(i), name)
	}
	for i, f := range ix.NumberFacts {
		if n, ok := q.Filters.Numbers[index.FactName(f)]; f.Filter != nil && ok {
			list = append(list, filter{facet: noFacet, bound: &numberBound{column: i, bound: n, atLeast: f.Filter.Match == api.MatchAtLeast}})
		}
	}
	return list
}

// numberBound is an upper or lower bound for the number of a fact.
type numberBound struct {
	column    int // index of the fact in numberFacts
	bound     float64
	atLeast   bool
	fromQuery bool // the bound is a number in the query
}

// allows reports whether n is within the bound; NaN is not.
func (b numberBound) allows(n float64) bool {
	if b.atLeast {
		return n >= b.bound
	}
	return n <= b.bound
}

// addWithin adds the listings within a bound to s.
func (w *scratch) addWithin(s *index.Set, b numberBound) {
	for doc := range w.ix.Len() {
		if b.allows(w.ix.FactNumber(b.column, doc)) {
			s.Add(doc)
		}
	}
}
