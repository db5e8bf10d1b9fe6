package page

import (
	"slices"

	"catalog.example/api"
	"catalog.example/generator/render"
)

// searchView is the view of the search page before its script runs: all filters with their
// counts over the catalogue, and the listings with most stars.
type searchView struct {
	Total     int
	Shown     int // how many of them Rows has
	Groups    []groupView
	Platforms []render.Link
	Filters   *filtersView
	Logos     string // of the listings that a search may find; see render.Shared.LogosOf
	Questions string // the title of the page with questions; "" for none
	render.List
	// Parameters are those of the API, for the Markdown version, which has no form.
	Parameters []parameterView
}

// rowsOnSearch is the number of listings on the search page before a search.
const rowsOnSearch = 20

// parameters returns the parameters of the API. Without a server it returns those of the search
// page, which sets the others itself.
func (s searchPage) parameters() []api.Parameter {
	return slices.DeleteFunc(s.SearchParameters(), func(p api.Parameter) bool {
		return !s.Settings.HasServer() && slices.Contains([]string{"limit", "offset", "facets"}, p.Name)
	})
}

// searchPage is the page that searches.
type searchPage struct{ *catalog }

func (s searchPage) show() (*render.Page, error) {
	view := searchView{
		Total: len(s.Listings), Shown: min(rowsOnSearch, len(s.Listings)), Groups: s.categoryGroups(),
		Parameters: parameters(s.Labels, s.parameters()), Logos: s.LogosOf(s.Listings),
		Filters: s.filtersOf(s.Listings, append([]render.Link{{Title: s.T("Best match")}}, s.searchSorts()...)...),
	}
	if s.View.HasPlatforms() {
		for i, l := range s.below(platformsPath) {
			p := s.Content.Taxonomy.Platforms[i]
			link := render.Link{Slug: p.Slug, Title: p.Name, Path: l.path, Count: l.total()}
			view.Platforms = append(view.Platforms, link)
		}
	}
	view.Questions, _ = questionsPage(s).title()
	var err error
	if view.List, err = s.Rows.List(s.Listings[:view.Shown]); err != nil {
		return nil, err
	}
	description := s.T("Search the catalogue for what you want, or for a name.")
	switch {
	case s.View.Has("replaces"):
		description = s.T("Search the catalogue by job, name or product to replace.")
	case s.View.IsSoftware():
		description = s.T("Search the catalogue by job or name.")
	}
	return &render.Page{
		Kind: "search", Title: s.T("Search"), Description: description, Path: "/search/",
		Crumbs: render.Crumbs(s.T("Search")), Data: view,
	}, nil
}

// preloaded is the number of listings that the link on a listing's page compares.
const preloaded = 3

// comparePage compares listings. Its script fills it from the JSON of single projects.
type comparePage struct{ *catalog }

func (s comparePage) show() (*render.Page, error) {
	return &render.Page{
		Kind: "compare", Title: s.T("Compare"), Path: "/compare/", Crumbs: render.Crumbs(s.T("Compare")),
		Description: s.T("Listings side by side, with the differences that matter marked."), Data: api.MaxCompared,
	}, nil
}

// savedPage shows the listings that the reader saved, or those that its address names. Its script
// fills it from the JSON of single projects.
type savedPage struct{ *catalog }

func (s savedPage) show() (*render.Page, error) {
	return &render.Page{
		Kind: "saved", Title: s.T("Saved listings"), Path: "/saved/", NoIndex: true,
		Crumbs: render.Crumbs(s.T("Saved listings")), Description: s.T("The listings that you saved in this browser."),
		Data: struct {
			Logos  string
			Groups []groupView
		}{s.LogosOf(s.Listings), s.categoryGroups()},
	}, nil
}
