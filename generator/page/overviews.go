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

// minFound is the lowest number of links at which an overview has a box to find one.
const minFound = 40

// overview is a page with links to lists.
type overview struct {
	*catalog
	path, heading, find, intro string
}

// overviews returns the pages with links to lists and to computers.
func (s *catalog) overviews() []overview {
	pages := []overview{
		{s, categoriesPath, s.T("Categories"), s.T("Find a category"), s.T("All listings, by what they do.")},
	}
	if s.View.HasPlatforms() {
		intro := s.T("What the listings run on.")
		pages = append(pages, overview{s, platformsPath, s.T("Platforms"), s.T("Find a platform"), intro})
	}
	if s.View.Has("license") {
		intro := s.T("The terms of the listings, most frequent first.")
		pages = append(pages, overview{s, licensesPath, s.T("Licences"), s.T("Find a licence"), intro})
	}
	if s.View.Has("replaces") {
		heading := s.T("Alternatives to proprietary products")
		intro := s.T("Choose a product that you use. Its page lists what there is instead.")
		if s.View.IsSoftware() {
			intro = s.T("Choose a product that you use. Its page lists what you can run yourself instead.")
		}
		pages = append(pages, overview{s, alternativesPath, heading, s.T("Find a product"), intro})
	}
	if len(s.Content.Sets) > 0 {
		intro := s.T("Listings chosen by their facts, for a computer or a purpose, in the order of our editors. " +
			"Within a set, listings are by category.")
		pages = append(pages, overview{s, setsPath, s.T("Sets"), s.T("Find a set"), intro})
	}
	if hasComputers(&s.Content.Taxonomy) {
		intro := s.T("Which sizes of language models run on a computer like yours, and which tools.")
		heading := s.T("What runs on my computer?")
		pages = append(pages, overview{s, computersPath, heading, s.T("Find a computer"), intro})
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

// groups returns the links to the lists below the overview.
func (o overview) groups() []overviewGroup {
	switch o.path {
	case categoriesPath:
		return o.categories()
	case alternativesPath:
		return o.products()
	case computersPath:
		return o.computerLinks()
	}
	lists := o.below(o.path)
	if len(lists) == 0 {
		return nil
	}
	var g overviewGroup
	for _, l := range lists {
		g.Links = append(g.Links, overviewLink(l))
	}
	return []overviewGroup{g}
}

// below returns the lists below an overview.
func (s *catalog) below(path string) []*list {
	return slices.DeleteFunc(slices.Clone(s.lists()), func(l *list) bool { return l.parent.Path != path })
}

// overviewLink returns the link to a list.
func overviewLink(c *list) render.Link {
	link := render.Link{Title: cmp.Or(c.name, c.title), Path: c.path, Words: c.words, Count: c.total()}
	link.Icon = c.Icon(c.path)
	if c.parent.Path == setsPath {
		link.Note = c.intro
	}
	return link
}

// categories returns links to the categories by their groups.
func (s overview) categories() (groups []overviewGroup) {
	for _, g := range s.categoryGroups() {
		group := overviewGroup{Name: g.Name}
		for _, c := range g.Categories {
			link := render.Link{Title: c.Name, Path: categoriesPath + c.Slug + "/", Note: c.Description, Count: c.Count}
			link.Icon = c.Icon
			group.Links = append(group.Links, link)
		}
		groups = append(groups, group)
	}
	return groups
}

// products returns links to the products, sorted by name. Each is in the group of the category that
// most of its alternatives have.
func (s overview) products() (groups []overviewGroup) {
	groupOf := map[string]int{} // by category
	for i, g := range s.categoryGroups() {
		groups = append(groups, overviewGroup{Name: g.Name})
		for _, c := range g.Categories {
			groupOf[c.Slug] = i
		}
	}
	for _, c := range s.below(alternativesPath) {
		counts, most := make([]int, len(groups)), 0
		for _, l := range c.listings {
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
