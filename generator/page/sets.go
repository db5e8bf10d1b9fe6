package page

import "catalog.example/generator/render"

const setsPath = "/sets/"

// sets makes the lists of the sets.
type sets struct{ *catalog }

// lists returns a list for each set, by category.
func (s sets) lists() (all []*list) {
	parent := render.Crumb{Title: s.T("Sets"), Path: setsPath}
	for i := range s.Content.Sets {
		set := &s.Content.Sets[i]
		chosen := by(set.Of(&s.Content.Taxonomy, &s.Settings, s.Listings), categoryOf)
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
