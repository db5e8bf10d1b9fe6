package page

import (
	"cmp"
	"html/template"
	"maps"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/render"
)

// The number of listings in each list of the home page, and of suggested jobs.
const (
	rowsOnHome = 6
	jobsOnHome = 12
)

type homeView struct {
	Headline, Lead  string // Lead may be ""
	Counted         string // how many listings there are
	Sets            []render.Link
	Computers       bool // whether there are pages of computers
	Jobs            []string
	Groups          []groupView
	Questions       string   // the link to them; "" for none
	Map             *mapView // of all listings; nil for none
	Newest, Updated template.HTML
	// The same listings for the Markdown version.
	NewestLines, UpdatedLines render.Markdown
}

type groupView struct {
	Name       string
	Categories []categoryView
}

type categoryView struct {
	api.Category
	Icon  string // see render.Shared.Icon
	Count int
}

// homePage is the first page of the site.
type homePage struct{ *catalog }

// counted says how many listings there are, and of their sources only if some have any.
func (s homePage) counted() string {
	n := len(s.Listings)
	if s.hasSources {
		return s.N(n, "{n} listing with facts and their sources.", "{n} listings with facts and their sources.")
	}
	return s.N(n, "{n} listing", "{n} listings")
}

func (s homePage) show() (*render.Page, error) {
	view := homeView{Counted: s.counted(), Jobs: s.Settings.Jobs, Groups: s.categoryGroups(),
		Computers: hasComputers(&s.Content.Taxonomy), Map: mapOfAll(s.catalog)}
	if view.Headline = s.Settings.Headline; view.Headline == "" {
		view.Headline = s.Settings.Description
	} else {
		view.Lead = s.Settings.Description
	}
	for _, l := range s.below(setsPath) {
		view.Sets = append(view.Sets, overviewLink(l))
	}
	_, view.Questions = questionsPage(s).title()
	if len(view.Jobs) == 0 {
		view.Jobs = s.jobs()
	}
	newest, err := s.Rows.List(s.newest()[:min(rowsOnHome, len(s.Listings))])
	if err != nil {
		return nil, err
	}
	updated := slices.DeleteFunc(slices.Clone(s.updated()), func(l *content.Listing) bool { return l.UpdatedAt == nil })
	latest, err := s.Rows.List(updated[:min(rowsOnHome, len(updated))])
	if err != nil {
		return nil, err
	}
	view.Newest, view.NewestLines = newest.Rows, newest.Lines
	view.Updated, view.UpdatedLines = latest.Rows, latest.Lines
	title, description := s.Settings.Title, s.Settings.Description
	return &render.Page{
		Kind: "home", Title: title, Description: description, Path: "/", Data: view,
		Subject: render.Node{
			"@type": "WebSite", "name": title, "description": description, "url": s.Settings.URL("/"),
		},
	}, nil
}

// categoryGroups returns the categories by heading, in the order of the taxonomy.
func (s *catalog) categoryGroups() []groupView {
	var groups []groupView
	for _, c := range s.Content.Taxonomy.Categories {
		i := slices.IndexFunc(groups, func(g groupView) bool { return g.Name == c.Group })
		if i < 0 {
			i = len(groups)
			groups = append(groups, groupView{Name: c.Group})
		}
		icon := s.Icon(categoriesPath + c.Slug + "/")
		groups[i].Categories = append(groups[i].Categories, categoryView{c, icon, s.counts[c.Slug]})
	}
	return groups
}

// jobs returns the jobs to suggest: the most common ones, at most one for each category. In a tie,
// the job of the listing with more stars comes first.
func (s homePage) jobs() []string {
	type job struct {
		text, category string
		count, first   int
	}
	found := map[string]*job{}
	for i, l := range s.Listings {
		for _, text := range l.Jobs {
			key := strings.ToLower(text)
			if found[key] == nil {
				found[key] = &job{text: text, category: l.Category, first: i}
			}
			found[key].count++
		}
	}
	list := slices.SortedFunc(maps.Values(found), func(a, b *job) int {
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
