package search

import (
	"fmt"
	"slices"
	"strings"

	"catalog.example/api"
)

// Search answers a query (spec 4.3, contract 4).
func (ix *Index) Search(q api.SearchQuery) api.SearchResponse {
	asked := understand(q.Q)
	if asked.empty() {
		asked.words = ix.nameIn(&asked)
	}
	searching := !asked.empty()
	usedQ := q.Q
	if !searching {
		usedQ = ""
	}
	sort, sortWarnings := appliedSort(q.Sort, searching)
	answer := api.SearchResponse{
		Query:    q.Echo(usedQ),
		Sort:     api.SortInfo{Applied: sort, Deprecated: q.Sort == api.SortTrending, Order: api.SortOrders[sort]},
		Hits:     []api.Hit{},
		Warnings: append([]api.Warning{}, asked.warnings...),
	}
	if q.Sort != "" {
		answer.Sort.Requested = &q.Sort
	}
	if q.Q != "" && !searching {
		answer.Warnings = append(answer.Warnings, api.Warning{Code: api.WarnOnlyFiller, Parameter: "q",
			Message: "Nothing in q can be searched for; it was ignored."})
	}
	answer.Warnings = append(answer.Warnings, sortWarnings...)
	answer.Warnings = append(answer.Warnings, ix.licenseWarnings(q.License)...)

	full, partial := ix.everything(asked.hints), []match(nil)
	if searching {
		covers, corrected := ix.covers(asked.words)
		full, partial = ix.matches(ix.find(asked, covers))
		if corrected != "" {
			answer.DidYouMean = &corrected
		}
	}
	f := newFilters(q)
	matched := ix.choose(f, full, partial, sort)
	answer.Facets = ix.facets(f, matched.all)
	answer.Total = len(matched.passing)

	compare := compareMatches
	if sort != api.SortRelevance {
		compare = ix.compareBy(sort)
	}
	slices.SortFunc(matched.passing, compare)
	for _, m := range matched.passing[:min(q.Limit, len(matched.passing))] {
		answer.Hits = append(answer.Hits, ix.hit(m, searching))
	}
	if slices.ContainsFunc(answer.Hits, func(h api.Hit) bool { return h.Match.Partial }) {
		answer.Warnings = append(answer.Warnings, api.Warning{Code: api.WarnPartialMatches, Parameter: "q",
			Message: "Few listings match every word; hits with partial true match only some of them."})
	}
	return answer
}

// appliedSort decides the order of an answer (spec 4.3, sort rules 1 to 4).
func appliedSort(requested string, searching bool) (string, []api.Warning) {
	switch {
	case requested == api.SortTrending:
		return api.SortPopular, []api.Warning{{Code: api.WarnDeprecatedSort, Parameter: "sort",
			Message: "trending is deprecated and served as popular."}}
	case requested == api.SortRelevance && !searching:
		return api.SortPopular, []api.Warning{{Code: api.WarnRelevanceNoQuery, Parameter: "sort",
			Message: "relevance needs a q; served as popular."}}
	case requested != "":
		return requested, nil
	case searching:
		return api.SortRelevance, nil
	default:
		return api.SortPopular, nil
	}
}

func (ix *Index) licenseWarnings(licenses []string) []api.Warning {
	var unknown []string
	for _, l := range licenses {
		if !slices.ContainsFunc(ix.docs, func(d doc) bool { _, ok := d.asked[strings.ToLower(l)]; return ok }) {
			unknown = append(unknown, l)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return []api.Warning{{Code: api.WarnUnknownLicense, Parameter: "license",
		Message: fmt.Sprintf("No listing has the licence %s.", strings.Join(unknown, ", "))}}
}

// everything returns all listings as full matches of no words.
func (ix *Index) everything(hints []hint) []match {
	all := make([]match, len(ix.docs))
	for d := range all {
		all[d] = match{doc: d, tier: tierNone, hints: ix.hintsOf(d, hints)}
	}
	return all
}

// chosen are the matches that an answer is made of: all of them, for facets,
// and those that pass every filter.
type chosen struct{ all, passing []match }

// choose decides whether partial matches belong to the answer: by relevance
// where fewer than enoughMatches listings match in full, in another order only
// where none does (contract 4).
func (ix *Index) choose(f filters, full, partial []match, sort string) chosen {
	c := chosen{all: full, passing: ix.passing(f, full)}
	enough := enoughMatches
	if sort != api.SortRelevance {
		enough = 1
	}
	if len(c.passing) < enough {
		c.all = append(slices.Clip(full), partial...)
		c.passing = append(c.passing, ix.passing(f, partial)...)
	}
	return c
}

func (ix *Index) passing(f filters, list []match) []match {
	var pass []match
	for _, m := range list {
		if f.pass(&ix.docs[m.doc], noFacet) {
			pass = append(pass, m)
		}
	}
	return pass
}

func (ix *Index) hit(m match, searching bool) api.Hit {
	h := api.Hit{HitProject: ix.docs[m.doc].project.HitProject(), Match: api.Match{Partial: m.partial}}
	if searching {
		h.Match.Tier = &api.Tiers[m.tier]
	}
	return h
}
