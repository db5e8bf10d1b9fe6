package page

import (
	"cmp"
	"slices"
	"strings"

	"catalog.example/generator/render"
)

// overviewView is the view of a page with links to lists.
type overviewView struct {
	Heading, Intro string
	Find           string // label of the box that finds a link; "" for none
	Groups         []overviewGroup
}

type overviewGroup struct {
	Name  string
	Links []render.Link
}

// Noted reports whether a link has a note.
func (g overviewGroup) Noted() bool {
	return slices.ContainsFunc(g.Links, func(l render.Link) bool { return l.Note != "" })
}

// minFound is the number of links from which on an overview has a box to find one.
const minFound = 40

// overview is a page with links to lists.
type overview struct {
	*catalog
	path, heading, find, intro string
	groups                     func() []overviewGroup
}

// overviews returns the pages with links to categories, platforms, licences and products.
func (s *catalog) overviews() (pages []overview) {
	add := func(path, heading, find, intro string, groups func() []overviewGroup) {
		pages = append(pages, overview{s, path, heading, find, intro, groups})
	}
	intro := s.T("All listings, by what they do.")
	add(categoriesPath, s.T("Categories"), s.T("Find a category"), intro, s.categoryOverview)
	if s.View.HasPlatforms() {
		intro = s.T("What the listings run on.")
		add(platformsPath, s.T("Platforms"), s.T("Find a platform"), intro, flat(s.platformLists))
	}
	if s.View.Has("license") {
		intro = s.T("The terms of the listings, most frequent first.")
		add(licensesPath, s.T("Licences"), s.T("Find a licence"), intro, flat(s.licenseLists))
	}
	if s.View.Has("replaces") {
		intro = s.T("Choose a product that you use. Its page lists what there is instead.")
		if s.View.IsSoftware() {
			intro = s.T("Choose a product that you use. Its page lists what you can run yourself instead.")
		}
		title := s.T("Alternatives to proprietary products")
		add(alternativesPath, title, s.T("Find a product"), intro, s.productOverview)
	}
	return pages
}

func (o overview) show() (*render.Page, error) {
	view, links := overviewView{Heading: o.heading, Intro: o.intro, Groups: o.groups()}, 0
	for _, g := range view.Groups {
		links += len(g.Links)
	}
	if links >= minFound {
		view.Find = o.find
	}
	return &render.Page{
		Kind: "overview", Title: o.heading, Description: o.intro, Path: o.path,
		Crumbs: render.Crumbs(o.heading), Data: view,
	}, nil
}

// overviewLink returns the link to a list.
func overviewLink(c *list) render.Link {
	return render.Link{Title: cmp.Or(c.name, c.title), Path: c.path, Words: c.words, Count: c.total()}
}

// flat returns a function that returns links to lists in one group.
func flat(lists func() []*list) func() []overviewGroup {
	return func() (groups []overviewGroup) {
		var g overviewGroup
		for _, l := range lists() {
			g.Links = append(g.Links, overviewLink(l))
		}
		if len(g.Links) > 0 {
			groups = append(groups, g)
		}
		return groups
	}
}

// categoryOverview returns links to the categories by their groups.
func (s *catalog) categoryOverview() (groups []overviewGroup) {
	for _, g := range s.categoryGroups() {
		group := overviewGroup{Name: g.Name}
		for _, c := range g.Categories {
			link := render.Link{Title: c.Name, Path: categoriesPath + c.Slug + "/", Note: c.Description, Count: c.Count}
			group.Links = append(group.Links, link)
		}
		groups = append(groups, group)
	}
	return groups
}

// productOverview returns links to the products, in the group of the category that most of
// their alternatives have, by name.
func (s *catalog) productOverview() (groups []overviewGroup) {
	groupOf := map[string]int{} // by category
	for i, g := range s.categoryGroups() {
		groups = append(groups, overviewGroup{Name: g.Name})
		for _, c := range g.Categories {
			groupOf[c.Slug] = i
		}
	}
	for _, c := range s.productLists() {
		counts, most := make([]int, len(groups)), 0
		for _, l := range c.listings() {
			counts[groupOf[l.Category]]++
		}
		for i, n := range counts {
			if n > counts[most] {
				most = i
			}
		}
		groups[most].Links = append(groups[most].Links, overviewLink(c))
	}
	groups = slices.DeleteFunc(groups, func(g overviewGroup) bool { return len(g.Links) == 0 })
	for _, g := range groups {
		slices.SortFunc(g.Links, func(a, b render.Link) int {
			return strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title))
		})
	}
	return groups
}
