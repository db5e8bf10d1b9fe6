package render

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/spdx"
	"catalog.example/generator/content"
)

// filtersView has the filters of a list or of the search page. They have the names and
// values of the API's parameters, so that one script reads both.
type filtersView struct {
	Total int
	Facts []filterView // each takes one value
	Boxes []filterView // each takes several values
	// Sorts are the orders, Slug the value. The first needs no value; it is that of Default.
	Sorts   []linkView
	Default string
}

// filterView is a control that filters listings.
type filterView struct {
	Name     string // of the API's parameter
	Label    string
	IsNumber bool       // else there are Choices
	Bound    string     // of a number: "at most" or "at least"
	Least    string     // of a number; "" for no bound
	Most     string     // of a number; "" for no bound
	Choices  []linkView // Slug is the value, Title says what it finds
	isYesNo  bool
	known    int // how many listings have the number
}

// filtersOf returns the filters that tell some listings apart, with counts. A choice that
// finds nothing is left out, and so is a filter by which nearly all listings are the same.
func (r *renderer) filtersOf(listings []*content.Listing, sorts ...linkView) *filtersView {
	v := &filtersView{Total: len(listings), Sorts: sorts, Default: sorts[0].Slug}
	v.Sorts[0].Slug = ""
	if r.view.HasPlatforms() {
		platforms := filterView{Name: "platform", Label: r.t("Platform")}
		counts := countEach(listings, func(l *content.Listing) []string { return l.Platforms })
		for _, p := range r.Content.Taxonomy.Platforms {
			platforms.Choices = append(platforms.Choices, linkView{Slug: p.Slug, Title: p.Name, Count: counts[p.Slug]})
		}
		v.add(platforms, true)
	}
	categories := filterView{Name: "category", Label: r.t("Category")}
	counts := countEach(listings, func(l *content.Listing) []string { return []string{l.Category} })
	for _, c := range r.Content.Taxonomy.Categories {
		categories.Choices = append(categories.Choices, linkView{Slug: c.Slug, Title: c.Name, Count: counts[c.Slug]})
	}
	v.add(categories, true)
	if r.view.Has("license") {
		licenses := filterView{Name: "license", Label: r.t("Licence")}
		for license, n := range countEach(listings, func(l *content.Listing) []string { return sufficientLicenses(&l.Project) }) {
			licenses.Choices = append(licenses.Choices, linkView{Slug: license, Title: r.licenseName(license), Count: n})
		}
		slices.SortFunc(licenses.Choices, func(a, b linkView) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Slug, b.Slug)) })
		v.add(licenses, true)
	}
	known, found := make([]int, len(r.filters)), make([]map[string]int, len(r.filters))
	for i := range found {
		found[i] = map[string]int{}
	}
	for _, l := range listings {
		for i, values := range r.fragments[l.Slug].values() {
			if values != nil {
				known[i]++
			}
			for _, value := range values {
				found[i][value]++
			}
		}
	}
	for i, p := range r.filters {
		v.add(r.factFilter(p.Fact, p.Name, known[i], found[i]), p.Kind == api.KindChoices)
	}
	return v
}

// filterValues returns the values of each of r.filters that find a listing. Those of a number
// are an empty list if it is known, and nil if not.
func (r *renderer) filterValues(p *api.Project) [][]string {
	list := make([][]string, len(r.filters))
	for i := range r.filters {
		f := r.filters[i].Fact
		value := p.SearchFact(f)
		switch {
		case f.Kind != api.FactNumber:
			list[i] = f.MatchingFilterValues(value)
		case api.Known(value):
			list[i] = []string{}
		}
	}
	return list
}

// countEach counts listings by slugs.
func countEach(listings []*content.Listing, slugs func(*content.Listing) []string) map[string]int {
	counts := map[string]int{}
	for _, l := range listings {
		for _, slug := range slugs(l) {
			counts[slug]++
		}
	}
	return counts
}

// sufficientLicenses returns the values of the filter license that find a listing.
func sufficientLicenses(p *api.Project) (list []string) {
	if p.License == nil {
		return nil
	}
	e, _ := spdx.Parse(*p.License)
	for _, l := range e.Sufficient() {
		list = append(list, l.String())
	}
	return list
}

// sameForAll is the share of listings in percent from which on a choice does not tell them
// apart.
const sameForAll = 97

// add adds a filter without the choices that find nothing, if it tells listings apart. The
// choice "no" alone does not justify a filter.
func (v *filtersView) add(f filterView, several bool) {
	apart := slices.ContainsFunc(f.Choices, func(c linkView) bool {
		return c.Count > 0 && c.Count*100 <= v.Total*sameForAll && !(f.isYesNo && c.Slug == "0")
	})
	f.Choices = slices.DeleteFunc(f.Choices, func(c linkView) bool { return c.Count == 0 })
	switch {
	case !f.IsNumber && !apart || f.IsNumber && f.known == 0:
	case several:
		v.Boxes = append(v.Boxes, f)
	default:
		v.Facts = append(v.Facts, f)
	}
}

// factFilter returns the filter for a fact. known is the number of listings with a known
// number, and counts those that each other value finds.
func (r *renderer) factFilter(f *api.Fact, name string, known int, counts map[string]int) filterView {
	v := filterView{Name: name, Label: r.factLabel(f), IsNumber: f.Kind == api.FactNumber, isYesNo: f.Kind == api.FactYesNo}
	if v.IsNumber {
		v.Bound = r.t("at most")
		if f.Filter != nil && f.Filter.Match == api.MatchAtLeast {
			v.Bound = r.t("at least")
		}
		if f.Unit != "" {
			v.Label += " (" + f.Unit + ")"
		}
		v.Least, v.Most, v.known = boundText(f.Least), boundText(f.Most), known
		return v
	}
	for _, value := range f.FilterValues() {
		v.Choices = append(v.Choices, linkView{Slug: value, Title: r.filterLabel(f, value), Count: counts[value]})
	}
	if f.IsOptionFlag() { // the modest value comes first, as in the options of a choice
		slices.Reverse(v.Choices)
	}
	return v
}

// filterLabel says what a value of a filter finds.
func (r *renderer) filterLabel(f *api.Fact, value string) string {
	if label := f.FilterLabel(value); f.Kind != api.FactYesNo || f.Filter != nil && f.Filter.Labels[value] != "" {
		return r.optionLabel(f, label)
	}
	return r.factText(f, value == "1")
}

// listSorts returns the orders of a list; the first is its own.
func (r *renderer) listSorts(c *collection) []linkView {
	own := linkView{Title: r.t("As listed")}
	switch {
	case c.path == newestPath:
		own = linkView{Slug: api.SortNewest, Title: r.t("Newest here")}
	case r.view.Has("stars"):
		own = linkView{Slug: api.SortPopular, Title: r.t("Most stars")}
	}
	list := []linkView{own, {Slug: "name", Title: r.t("Name")}}
	if r.view.Has("license") {
		list = append(list, linkView{Slug: "license", Title: r.t("Licence")})
	}
	return append(list, slices.DeleteFunc(r.searchSorts(), func(l linkView) bool { return l.Slug == own.Slug })...)
}

// searchSorts returns the orders of a search besides the default. A list has the same.
func (r *renderer) searchSorts() (list []linkView) {
	for _, sort := range []struct {
		field string
		link  linkView
	}{
		{"stars", linkView{Slug: api.SortPopular, Title: r.t("Most stars")}}, {"addedAt", linkView{Slug: api.SortNewest, Title: r.t("Newest here")}},
		{"updatedAt", linkView{Slug: api.SortRecentlyUpdated, Title: r.t("Recently updated")}},
	} {
		if r.Settings.Has(sort.field) {
			list = append(list, sort.link)
		}
	}
	return list
}

func boundText(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

// tableFile is the file with the facts of a collection's listings. The page script loads it
// when the first filter is set, so that it can filter all pages of a table without the
// search server.
const tableFile = "table.json"

// tableRow is a listing for rows and filters of lists: what a hit has of it, and the words
// that the box of a list finds. Unknown facts are left out.
type tableRow struct {
	Slug        string             `json:"slug"`
	Name        string             `json:"name"`
	Purpose     string             `json:"purpose"`
	Words       []string           `json:"words,omitempty"` // other names, also of products; jobs and topics
	Replaces    []string           `json:"replaces,omitempty"`
	Category    string             `json:"category"`
	License     *string            `json:"license,omitempty"`
	Licenses    []string           `json:"licenses,omitempty"` // values of the filter that find it, if they are not License
	OSIApproved *bool              `json:"osiApproved,omitempty"`
	Platforms   []string           `json:"platforms,omitempty"`
	FitNotes    api.FactValues     `json:"fitNotes"`
	Estimate    *hardware.Estimate `json:"estimate,omitempty"`
	Archived    bool               `json:"archived,omitempty"`
	Upkeep      *string            `json:"upkeep,omitempty"`
	Stars       *int               `json:"stars,omitempty"`
	UpdatedAt   *api.Date          `json:"updatedAt,omitempty"`
	AddedAt     api.Date           `json:"addedAt"`
}

// facetRow returns the tableRow of a listing as JSON.
func (r *renderer) facetRow(p *api.Project) ([]byte, error) {
	facts := r.scriptFacts(p, func(f *api.Fact) bool { return f.IsCriterion() || r.isNeed(f) })
	words := slices.Concat(p.Aliases, p.Jobs, p.Topics)
	for _, name := range p.Replaces {
		if product, ok := r.Content.Taxonomy.Product(name); ok {
			words = append(words, product.Aliases...)
		}
	}
	row := tableRow{
		Slug: p.Slug, Name: p.Name, Purpose: p.Purpose, Words: words, Replaces: p.Replaces, Category: p.Category,
		License: p.License, OSIApproved: p.OSIApproved, Platforms: p.Platforms, FitNotes: facts, Estimate: p.Estimate, Archived: is(p.Archived, true), Upkeep: p.Upkeep,
		Stars: p.Stars, UpdatedAt: p.UpdatedAt, AddedAt: p.AddedAt,
	}
	if licenses := sufficientLicenses(p); p.License != nil && !slices.Equal(licenses, []string{*p.License}) {
		row.Licenses = licenses
	}
	text, err := api.JSON(row)
	if err != nil {
		return nil, fmt.Errorf("facts of %s: %w", p.Slug, err)
	}
	return text, nil
}

// table writes the tableFile of a collection: its groups, each with a title and rows.
func (r *renderer) table(c *collection) error {
	out := r.buffer()
	defer r.buffers.Put(out)
	for i, g := range c.groups {
		out.WriteString(separator(i))
		out.WriteString(`{"title":`)
		out.Write(api.AppendString(nil, g.title))
		out.WriteString(`,"rows":`)
		for k, l := range g.listings {
			row, err := r.fragments[l.Slug].facets()
			if err != nil {
				return err
			}
			out.WriteString(separator(k))
			out.Write(row)
		}
		out.WriteString("]}")
	}
	out.WriteByte(']')
	return r.write(strings.TrimPrefix(c.path, "/")+tableFile, out.Bytes())
}

// separator returns what stands before the i-th value of a JSON array.
func separator(i int) string {
	if i == 0 {
		return "["
	}
	return ","
}
