package render

import (
	"slices"
	"strings"
)

// overviewView is the view of a page with links to collections.
type overviewView struct {
	Heading, Intro string
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

// overviews writes the pages with links to categories, platforms, licences and products.
func (r *renderer) overviews() error {
	categories := overviewView{Heading: "Categories", Intro: "Where every listing has its home."}
	for _, c := range r.Content.Taxonomy.Categories {
		i := slices.IndexFunc(categories.Groups, func(g overviewGroup) bool { return g.Name == c.Group })
		if i < 0 {
			i = len(categories.Groups)
			categories.Groups = append(categories.Groups, overviewGroup{Name: c.Group})
		}
		categories.Groups[i].Links = append(categories.Groups[i].Links,
			linkView{Title: c.Name, Path: "/categories/" + c.Slug + "/", Note: c.Description, Count: r.counts[c.Slug]})
	}
	flat := func(heading, intro string, collections []*collection, title func(string) string) overviewView {
		var links []linkView
		for _, c := range collections {
			links = append(links, linkView{Title: title(c.title), Path: c.path, Count: len(c.listings)})
		}
		return overviewView{heading, intro, []overviewGroup{{Links: links}}}
	}
	same := func(s string) string { return s }
	after := func(prefix string) func(string) string {
		return func(s string) string { return strings.TrimPrefix(s, prefix) }
	}
	for _, o := range []struct {
		path  string
		shown bool
		view  overviewView
	}{
		{"/categories/", true, categories},
		{"/platforms/", r.view.HasPlatforms(), flat("Platforms", "What the listings run on.", r.platformCollections(), after(forPlatform))},
		{"/licenses/", r.view.Has("license"), flat("Licences", "The terms of the listings, most frequent first.", r.licenseCollections(), same)},
		{"/alternatives/", r.view.Has("replaces"), flat("Alternatives to proprietary products",
			"Pick what you use today; the page behind it lists "+lowerFirst(r.instead())+".", r.productCollections(), after(r.alternatives()))},
	} {
		if !o.shown {
			continue
		}
		err := r.page("overview", pageView{Title: o.view.Heading, Description: o.view.Intro, Path: o.path, Crumbs: []crumbView{{o.view.Heading, ""}}, Data: o.view})
		if err != nil {
			return err
		}
	}
	return nil
}
