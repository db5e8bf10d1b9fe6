package page

import (
	"slices"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/render"
)

const setsPath = "/sets/"

// sets makes the lists of the sets.
type sets struct{ *catalog }

// lists returns a list for each set, by category.
func (s sets) lists() (all []*list) {
	parent := render.Crumb{Title: s.T("Sets"), Path: setsPath}
	for i := range s.Content.Sets {
		set := &s.Content.Sets[i]
		chosen := by(s.chosenBy(&set.Filters), categoryOf)
		var groups []listGroup
		for _, c := range s.Content.Taxonomy.Categories {
			if len(chosen[c.Slug]) > 0 {
				groups = append(groups, listGroup{title: c.Name, listings: chosen[c.Slug]})
			}
		}
		l := s.newList(set.Slug, groups, parent)
		l.title, l.intro = set.Name, set.Description
		if s.Settings.HasSearch() {
			l.search = "/search/?" + set.Search
		}
		all = append(all, l)
	}
	return all
}

// chosenBy returns the listings that pass filters and run, or likely run, on the computer that they
// name. It leaves out listings that are archived or dormant.
func (s sets) chosenBy(f *api.Filters) []*content.Listing {
	t := &s.Content.Taxonomy
	reader := t.Hardware.SizeReader()
	machine := t.WithSystems(reader.Read(f.Machine))
	return slices.DeleteFunc(slices.Clone(s.Listings), func(l *content.Listing) bool {
		return !s.passes(&l.Project, f) || !runs(s.catalog, l, &machine)
	})
}

// passes reports whether a listing passes all filters, as in a search.
func (s sets) passes(p *api.Project, f *api.Filters) bool {
	finds := func(parameter string, values []string) bool {
		asked := f.Values[parameter]
		return len(asked) == 0 || slices.ContainsFunc(values, func(v string) bool { return slices.Contains(asked, v) })
	}
	if !finds("category", []string{p.Category}) || !finds("platform", p.Platforms) {
		return false
	}
	for _, fact := range s.Content.Taxonomy.SearchFacts(&s.Settings) {
		if fact.Filter == nil {
			continue
		}
		value := p.SearchFact(fact)
		if !finds(fact.Filter.Parameter, fact.MatchingFilterValues(value)) {
			return false
		}
		bound, bounded := f.Numbers[fact.Filter.Parameter]
		number, known := value.(float64)
		atLeast := fact.Filter.Match == api.MatchAtLeast
		if bounded && (!known || atLeast && number < bound || !atLeast && number > bound) {
			return false
		}
	}
	return true
}
