package search

import (
	"catalog.example/api"
	"catalog.example/api/spdx"
	"catalog.example/cmd/bench/peer"
)

// facet is a search parameter that filters by a list of values, and whose values are counted in an
// answer. Queries use only these filters, because the peers do not have the others.
type facet struct{ *api.Parameter }

// facetsOf returns the facets among the parameters of a search.
func facetsOf(parameters []api.Parameter) (list []facet) {
	for i := range parameters {
		p := &parameters[i]
		if p.Kind == api.KindChoices || p.Kind == api.KindFlag && p.Fact != nil {
			list = append(list, facet{p})
		}
	}
	return list
}

// takesSeveral reports whether a query may filter by several values.
func (f facet) takesSeveral() bool { return f.Kind == api.KindChoices }

// forPeer describes the facet for a peer.
func (f facet) forPeer() peer.Facet {
	single := f.Name == "category"
	if f.Fact != nil { // a choice that is a flag may match both 0 and 1
		single = f.Fact.Kind == api.FactYesNo || f.Fact.Kind == api.FactChoice && !f.Fact.IsFlag()
	}
	return peer.Facet{Name: f.Name, Single: single}
}

// values returns the values by which a listing is found and counted.
func (f facet) values(p *api.Project) []string {
	switch {
	case f.Fact != nil:
		return f.Fact.MatchingFilterValues(p.SearchFact(f.Fact))
	case f.Name == "category":
		return []string{p.Category}
	case f.Name == "platform":
		return p.Platforms
	case p.License == nil:
		return nil
	}
	e, _ := spdx.Parse(*p.License)
	var licenses []string
	for _, l := range e.Sufficient() {
		licenses = append(licenses, l.String())
	}
	return licenses
}
