package render

import (
	"cmp"
	"html/template"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// The number of listings in each list of the home page, and of suggested jobs.
const (
	rowsOnHome = 6
	jobsOnHome = 12
)

type homeView struct {
	Count           int
	Jobs            []string
	Groups          []groupView
	Newest, Updated template.HTML
	// The same listings for the Markdown version.
	NewestLines, UpdatedLines markdown
}

type groupView struct {
	Name       string
	Categories []categoryView
}

type categoryView struct {
	api.Category
	Count int
}

func (r *renderer) home() error {
	view := homeView{Count: len(r.Listings), Jobs: r.Settings.Jobs, Groups: r.categoryGroups()}
	if len(view.Jobs) == 0 {
		view.Jobs = r.jobs()
	}
	updated := slices.Clone(r.updated())
	updated = slices.DeleteFunc(updated, func(l *content.Listing) bool { return l.UpdatedAt == nil })
	var err error
	if view.Newest, view.NewestLines, err = r.rendered(r.newest()[:min(rowsOnHome, len(r.Listings))]); err != nil {
		return err
	}
	if view.Updated, view.UpdatedLines, err = r.rendered(updated[:min(rowsOnHome, len(updated))]); err != nil {
		return err
	}
	return r.page("home", pageView{minified: []template.HTML{view.Newest, view.Updated}, Title: r.Settings.Title, Description: r.Settings.Description, Path: "/", Data: view})
}

// categoryGroups returns the categories by heading, in the order of the taxonomy.
func (r *renderer) categoryGroups() []groupView {
	var groups []groupView
	for _, c := range r.Content.Taxonomy.Categories {
		i := slices.IndexFunc(groups, func(g groupView) bool { return g.Name == c.Group })
		if i < 0 {
			i = len(groups)
			groups = append(groups, groupView{Name: c.Group})
		}
		groups[i].Categories = append(groups[i].Categories, categoryView{c, r.counts[c.Slug]})
	}
	return groups
}

// jobs returns suggested jobs: those that most listings do, one a category. Ties go to the
// job of the listing with more stars.
func (r *renderer) jobs() []string {
	type job struct {
		text, category string
		count, first   int
	}
	found := map[string]*job{}
	for i, l := range r.Listings {
		for _, text := range l.Jobs {
			key := strings.ToLower(text)
			if found[key] == nil {
				found[key] = &job{text: text, category: l.Category, first: i}
			}
			found[key].count++
		}
	}
	list := make([]*job, 0, len(found))
	for _, j := range found {
		list = append(list, j)
	}
	slices.SortFunc(list, func(a, b *job) int {
		return cmp.Or(b.count-a.count, a.first-b.first, strings.Compare(a.text, b.text))
	})
	taken := map[string]bool{}
	var jobs []string
	for _, j := range list {
		if !taken[j.category] && len(jobs) < jobsOnHome {
			taken[j.category] = true
			jobs = append(jobs, j.text)
		}
	}
	return jobs
}

// searchView is the view of the search page before its script runs: all filters with their
// counts over the catalogue, and the listings with most stars.
type searchView struct {
	Total     int
	Shown     int // how many of them Rows has
	Groups    []groupView
	Platforms []linkView
	Filters   *filtersView
	Rows      template.HTML
	Lines     markdown // what Rows renders, for the Markdown version
	// Parameters are those of the API, for the Markdown version, which has no form.
	Parameters []parameterView
}

// rowsOnSearch is the number of listings on the search page before a search.
const rowsOnSearch = 20

// pageParameters returns the parameters of the API, or without a server those of the search
// page, which sets the others itself.
func (r *renderer) pageParameters() []api.Parameter {
	return slices.DeleteFunc(r.searchParameters(), func(p api.Parameter) bool {
		return !r.Settings.HasServer() && slices.Contains([]string{"limit", "offset", "facets"}, p.Name)
	})
}

func (r *renderer) search() error {
	view := searchView{
		Total: len(r.Listings), Shown: min(rowsOnSearch, len(r.Listings)), Groups: r.categoryGroups(), Parameters: parameters(r.labels, r.pageParameters()),
		Filters: r.filtersOf(r.Listings, append([]linkView{{Title: r.t("Best match")}}, r.searchSorts()...)...),
	}
	if r.view.HasPlatforms() {
		for i, c := range r.platformCollections() {
			p := r.Content.Taxonomy.Platforms[i]
			view.Platforms = append(view.Platforms, linkView{Slug: p.Slug, Title: p.Name, Path: c.path, Count: c.total()})
		}
	}
	var err error
	if view.Rows, view.Lines, err = r.rendered(r.Listings[:view.Shown]); err != nil {
		return err
	}
	return r.page("search", pageView{
		minified: []template.HTML{view.Rows}, Title: r.t("Search"), Description: r.searchDescription(), Path: "/search/",
		Crumbs: []crumbView{{r.t("Search"), ""}}, Data: view,
	})
}

// maxCompared is the number of listings that the compare page shows side by side, and
// preloaded how many of them the link on a listing's page chooses.
const (
	maxCompared = 5
	preloaded   = 3
)

// compare writes the compare page. Its script fills it from the JSON of single projects.
// Its content depends on its query, so search engines must not index it.
func (r *renderer) compare() error {
	return r.page("compare", pageView{
		Title: r.t("Compare"), Description: r.t("Listings side by side, with the differences that matter marked."), Path: "/compare/", NoIndex: true,
		Crumbs: []crumbView{{r.t("Compare"), ""}}, Data: maxCompared,
	})
}

func (r *renderer) searchDescription() string {
	if r.view.Has("replaces") {
		return r.t("Search the catalogue by job, name or product to replace.")
	}
	return r.t("Search the catalogue by job or name.")
}
