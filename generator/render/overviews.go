package render

import (
	"cmp"
	"slices"
	"strings"
)

// overviewView is the view of a page with links to collections.
type overviewView struct {
	Heading, Intro string
	Find           string // label of the box that finds a link; "" for none
	Groups         []overviewGroup
}

type overviewGroup struct {
	Name  string
	Links []linkView
}

// Noted reports whether a link has a note.
func (g overviewGroup) Noted() bool {
	return slices.ContainsFunc(g.Links, func(l linkView) bool { return l.Note != "" })
}

// minFound is the number of links from which on an overview has a box to find one.
const minFound = 40

// overview is a page with links to collections.
type overview struct {
	path, heading, find, intro string
	groups                     func() []overviewGroup
}

// overviews returns the pages with links to categories, platforms, licences and products.
func (r *renderer) overviews() []overview {
	list := []overview{{categoriesPath, r.t("Categories"), r.t("Find a category"), r.t("All listings, by what they do."), r.categoryOverview}}
	if r.view.HasPlatforms() {
		list = append(list, overview{"/platforms/", r.t("Platforms"), r.t("Find a platform"), r.t("What the listings run on."), func() []overviewGroup { return flat(r.platformCollections()) }})
	}
	if r.view.Has("license") {
		list = append(list, overview{"/licenses/", r.t("Licences"), r.t("Find a licence"), r.t("The terms of the listings, most frequent first."), func() []overviewGroup { return flat(r.licenseCollections()) }})
	}
	if r.view.Has("replaces") {
		intro := r.t("Choose a product that you use. Its page lists what there is instead.")
		if r.view.IsSoftware() {
			intro = r.t("Choose a product that you use. Its page lists what you can run yourself instead.")
		}
		list = append(list, overview{"/alternatives/", r.t("Alternatives to proprietary products"), r.t("Find a product"), intro, r.productOverview})
	}
	return list
}

func (r *renderer) overview(o overview) error {
	view, links := overviewView{Heading: o.heading, Intro: o.intro, Groups: o.groups()}, 0
	for _, g := range view.Groups {
		links += len(g.Links)
	}
	if links >= minFound {
		view.Find = o.find
	}
	return r.page("overview", pageView{Title: o.heading, Description: o.intro, Path: o.path, Crumbs: []crumbView{{o.heading, ""}}, Data: view})
}

// overviewLink returns the link to a collection.
func overviewLink(c *collection) linkView {
	return linkView{Title: cmp.Or(c.name, c.title), Path: c.path, Words: c.words, Count: c.total()}
}

// flat returns links to collections in one group.
func flat(collections []*collection) []overviewGroup {
	if len(collections) == 0 {
		return nil
	}
	var g overviewGroup
	for _, c := range collections {
		g.Links = append(g.Links, overviewLink(c))
	}
	return []overviewGroup{g}
}

// categoryOverview returns links to the categories by their groups.
func (r *renderer) categoryOverview() (groups []overviewGroup) {
	for _, g := range r.categoryGroups() {
		group := overviewGroup{Name: g.Name}
		for _, c := range g.Categories {
			group.Links = append(group.Links, linkView{Title: c.Name, Path: "/categories/" + c.Slug + "/", Note: c.Description, Count: c.Count})
		}
		groups = append(groups, group)
	}
	return groups
}

// productOverview returns links to the products, in the group of the category that most of
// their alternatives have, by name.
func (r *renderer) productOverview() (groups []overviewGroup) {
	groupOf := map[string]int{} // by category
	for i, g := range r.categoryGroups() {
		groups = append(groups, overviewGroup{Name: g.Name})
		for _, c := range g.Categories {
			groupOf[c.Slug] = i
		}
	}
	for _, c := range r.productCollections() {
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
		slices.SortFunc(g.Links, func(a, b linkView) int { return strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)) })
	}
	return groups
}
