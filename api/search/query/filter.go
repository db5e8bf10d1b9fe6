package query

import (
	"slices"

	"catalog.example/api"
	"catalog.example/api/search/index"
)

// noFacet marks a filter whose values are not counted. facetFit is the facet that counts how
// listings fit the machine of a query (api.FitFacet).
const (
	noFacet  index.Facet = -1
	facetFit index.Facet = -2
)

// filters holds the filters of a query, each with the listings that pass it.
type filters struct {
	s      *scratch
	facets []index.Facet
	sets   []*index.Set
}

// filters returns the filters of a query.
func (s *scratch) filters(q *api.SearchQuery, m *machine) filters {
	f := filters{s: s}
	add := func(facet index.Facet) *index.Set {
		set := s.emptySet()
		f.facets, f.sets = append(f.facets, facet), append(f.sets, set)
		return set
	}
	for i, name := range s.Facets.Names {
		values := q.Filters.Values[name]
		if len(values) == 0 {
			continue
		}
		facet := index.Facet(i)
		set := add(facet)
		for _, value := range values {
			term := index.ValueTerm(name, value)
			if facet == index.FacetLicense {
				license, _ := s.readLicense(value)
				term = index.LicenseTerm(license)
			}
			s.addTerm(set, term)
		}
	}
	for _, fact := range s.Measured {
		if b, ok := fact.Bound(&q.Filters); ok {
			s.addWithin(add(noFacet), figureBound{fact: fact, Bound: b})
		}
	}
	if m.named {
		f.facets, f.sets = append(f.facets, facetFit), append(f.sets, m.passing)
	}
	return f
}

// apply returns the members of a set that pass every filter. It returns the set itself if
// there is no filter.
func (f *filters) apply(set *index.Set) *index.Set { return f.applyExcept(set, -1) }

// applyAnyFit is apply without the filter by the user's computer.
func (f *filters) applyAnyFit(set *index.Set) *index.Set {
	return f.applyExcept(set, slices.Index(f.facets, facetFit))
}

// applyExcept is apply without the i-th filter.
func (f *filters) applyExcept(set *index.Set, i int) *index.Set {
	result := set
	for k, passing := range f.sets {
		if k == i {
			continue
		}
		if result == set {
			result = f.s.copySet(set)
		}
		result.Intersect(passing)
	}
	return result
}

// figureBound bounds the figures of a fact.
type figureBound struct {
	fact index.MeasuredFact
	api.Bound
	fromQuery bool // the bound is a number in the query
}

// addWithin adds the listings within a bound to a set.
func (s *scratch) addWithin(set *index.Set, b figureBound) {
	most, least, isMost, isLeast := b.Only()
	for doc := range s.Len() {
		var passes bool
		switch {
		case isMost:
			passes = s.Figure(b.fact.High, doc) <= most
		case isLeast:
			passes = s.Figure(b.fact.Low, doc) >= least
		default:
			passes = b.Allows(s.Figure(b.fact.Low, doc), s.Figure(b.fact.High, doc))
		}
		if passes {
			set.Add(doc)
		}
	}
}
