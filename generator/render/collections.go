package render

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"
	"time"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/generator/content"
)

// pageSize is the number of listings on a page of a collection.
const pageSize = 100

// collection is a list of listings on one or several pages.
type collection struct {
	path     string // with slashes at both ends
	title    string
	intro    string
	misses   string    // what people who leave the product of the page would miss; "" if not known
	crumb    crumbView // the overview that it belongs to; empty for none
	listings []*content.Listing
	also     []*content.Listing // listings of other categories, shown last
	byDay    bool               // sorted and grouped by the day of joining

	choices func() filterChoices // computed on the first call
}

// filterChoices are the filters of a table. Every choice finds a listing.
type filterChoices struct {
	Platforms []api.Platform
	Facts     []filterView
	Licenses  []linkView   // Slug is the expression, Title its name; most frequent first
	Since     []recentView // latest commit or release, the shortest time first
}

// recentView is a period up to the catalog's latest day, and its first day.
type recentView struct {
	Title string
	Day   api.Date
}

// choose returns the choices of a collection's filters.
func (r *renderer) choose(c *collection) filterChoices {
	var f filterChoices
	platforms, licenses, newest := map[string]bool{}, map[string]int{}, api.Date("")
	for _, list := range [][]*content.Listing{c.listings, c.also} {
		for _, l := range list {
			for _, p := range l.Platforms {
				platforms[p] = true
			}
			if l.License != nil {
				licenses[*l.License]++
			}
			if l.UpdatedAt != nil {
				newest = max(newest, *l.UpdatedAt)
			}
		}
	}
	for _, p := range r.Content.Taxonomy.Platforms {
		if platforms[p.Slug] {
			f.Platforms = append(f.Platforms, p)
		}
	}
	f.Facts = r.tableFilters(c.listings, c.also)
	for expression, n := range licenses {
		f.Licenses = append(f.Licenses, linkView{Slug: expression, Title: licenseName(expression), Count: n})
	}
	slices.SortFunc(f.Licenses, func(a, b linkView) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Slug, b.Slug)) })
	if latest, err := time.Parse(time.DateOnly, string(r.latest)); err == nil {
		for _, s := range []recentView{{Title: "6 months", Day: api.DateOf(latest.AddDate(0, -6, 0))}, {Title: "a year", Day: api.DateOf(latest.AddDate(-1, 0, 0))}} {
			if newest >= s.Day {
				f.Since = append(f.Since, s)
			}
		}
	}
	return f
}

func (c *collection) pages() int { return max(1, (len(c.listings)+pageSize-1)/pageSize) }

// pagePath returns the path of a page of the collection. Pages count from 1.
func (c *collection) pagePath(page int) string {
	if page == 1 {
		return c.path
	}
	return fmt.Sprintf("%s%d/", c.path, page)
}

// collections returns all collections of the site. Listings are in the order of
// sort=popular, except on the page of the newest.
func (r *renderer) collections() []*collection {
	var list []*collection
	list = append(list, r.categoryCollections()...)
	if r.view.HasPlatforms() {
		list = append(list, r.platformCollections()...)
	}
	list = append(list, r.licenseCollections()...)
	list = append(list, r.productCollections()...)
	list = append(list, &collection{
		path: "/newest/", title: "Newest listings", listings: r.sorted(search.CompareNewest), byDay: true,
		intro: "Every listing, those that joined the catalogue last first.",
	})
	for _, c := range list {
		c.choices = sync.OnceValue(func() filterChoices { return r.choose(c) })
	}
	return list
}

func (r *renderer) sorted(compare func(a, b *api.Project) int) []*content.Listing {
	list := slices.Clone(r.Listings)
	slices.SortFunc(list, func(a, b *content.Listing) int { return compare(&a.Project, &b.Project) })
	return list
}

func (r *renderer) categoryCollections() []*collection {
	home, also := map[string][]*content.Listing{}, map[string][]*content.Listing{}
	for _, l := range r.Listings {
		home[l.Category] = append(home[l.Category], l)
		for _, c := range l.AlsoIn {
			also[c] = append(also[c], l)
		}
	}
	var list []*collection
	for _, c := range r.Content.Taxonomy.Categories {
		list = append(list, &collection{
			path: "/categories/" + c.Slug + "/", title: c.Name, intro: c.Description,
			crumb: crumbView{"Categories", "/categories/"}, listings: home[c.Slug], also: also[c.Slug],
		})
	}
	return list
}

// forPlatform begins the title of a platform's page.
const forPlatform = "Listings for "

func (r *renderer) platformCollections() []*collection {
	on := map[string][]*content.Listing{}
	for _, l := range r.Listings {
		for _, p := range l.Platforms {
			on[p] = append(on[p], l)
		}
	}
	var list []*collection
	for _, p := range r.Content.Taxonomy.Platforms {
		list = append(list, &collection{
			path: "/platforms/" + p.Slug + "/", title: forPlatform + p.Name, intro: "What runs on " + p.Name + r.view.ByStars() + ".",
			crumb: crumbView{"Platforms", "/platforms/"}, listings: on[p.Slug],
		})
	}
	return list
}

func (r *renderer) licenseCollections() []*collection {
	under := map[string]*collection{} // by slug, for expressions that differ only in parentheses
	var list []*collection
	for _, l := range r.Listings {
		if l.License == nil {
			continue
		}
		slug := licenseSlug(*l.License)
		c := under[slug]
		if c == nil {
			c = &collection{
				path: "/licenses/" + slug + "/", title: *l.License, intro: "Listings under " + *l.License + r.view.ByStars() + ".",
				crumb: crumbView{"Licences", "/licenses/"},
			}
			under[slug] = c
			list = append(list, c)
		}
		c.listings = append(c.listings, l)
	}
	slices.SortFunc(list, func(a, b *collection) int {
		return cmp.Or(len(b.listings)-len(a.listings), strings.Compare(a.title, b.title))
	})
	return list
}

// productCollections returns the alternatives to each product that a listing replaces.
func (r *renderer) productCollections() []*collection {
	instead := map[string][]*content.Listing{}
	for _, l := range r.Listings {
		for _, name := range l.Replaces {
			instead[name] = append(instead[name], l)
		}
	}
	var list []*collection
	for _, p := range r.Content.Taxonomy.Products {
		if len(instead[p.Name]) == 0 {
			continue
		}
		product := p.Name
		if p.Maker != p.Name {
			product += " by " + p.Maker
		}
		list = append(list, &collection{
			path: "/alternatives/" + p.Slug + "/", title: r.alternatives() + p.Name,
			intro: fmt.Sprintf("%s instead of %s.", r.instead(), product),
			crumb: crumbView{"Alternatives", "/alternatives/"}, listings: instead[p.Name], misses: p.Misses,
		})
	}
	return list
}

// alternatives begins the title of a product's page, instead its description.
func (r *renderer) alternatives() string {
	if r.view.IsSoftware() {
		return "Open-source alternatives to "
	}
	return "Alternatives to "
}

func (r *renderer) instead() string {
	if r.view.IsSoftware() {
		return "What you can run yourself"
	}
	return "What there is"
}

// collectionView is the view of a page of a collection.
type collectionView struct {
	Heading, Intro string
	Misses         string // what people who leave the product would miss
	Groups         []rowGroup
	Also           template.HTML
	AlsoLines      markdown
	Table          string // path of the facts that filters read
	Total          int
	AlsoTotal      int // listings that filters search beside those
	Filters        filterChoices
	Page, Pages    int
	Links          []pageLink
	Prev, Next     string // paths with the base; "" for none
	Before, After  string // the same paths without the base
}

// rowGroup has the listings of a table that joined on a day, or all of them if the table
// does not show days.
type rowGroup struct {
	Day   api.Date // "" if it is not shown
	Rows  template.HTML
	Lines markdown // what Rows renders, for the Markdown version
}

// rowGroups returns the listings of a page of a collection.
func (r *renderer) rowGroups(c *collection, shown []*content.Listing) ([]rowGroup, error) {
	var groups []rowGroup
	for len(shown) > 0 {
		n, g := len(shown), rowGroup{}
		if c.byDay {
			g.Day = shown[0].AddedAt
			if i := slices.IndexFunc(shown, func(l *content.Listing) bool { return l.AddedAt != g.Day }); i >= 0 {
				n = i
			}
		}
		var err error
		if g.Rows, err = r.rowTexts(shown[:n]); err != nil {
			return nil, err
		}
		if g.Lines, err = r.lines(shown[:n]); err != nil {
			return nil, err
		}
		groups, shown = append(groups, g), shown[n:]
	}
	return groups, nil
}

// pageLink is a link to a page of a collection; Path is "" for the current page.
type pageLink struct {
	Number int
	Path   string
	Gap    bool // whether pages before this one are left out
}

// pageLinks returns the links to the first and last pages of a collection and to those
// around a page.
func (r *renderer) pageLinks(c *collection, page int) []pageLink {
	var links []pageLink
	last := 0
	for n := 1; n <= c.pages(); n++ {
		if n > 2 && n <= c.pages()-2 && (n < page-2 || n > page+2) {
			continue
		}
		l := pageLink{Number: n, Gap: n != last+1}
		if n != page {
			l.Path = r.view.Base + c.pagePath(n)
		}
		links = append(links, l)
		last = n
	}
	return links
}

// collection writes one page of a collection.
func (r *renderer) collection(c *collection, page int) error {
	first := (page - 1) * pageSize
	shown := c.listings[first:min(first+pageSize, len(c.listings))]
	view := collectionView{
		Heading: c.title, Intro: c.intro, Misses: c.misses, Page: page, Pages: c.pages(), Table: r.view.Base + c.path + tableFile,
		Total: len(c.listings), AlsoTotal: len(c.also), Filters: c.choices(), Links: r.pageLinks(c, page),
	}
	var err error
	if view.Groups, err = r.rowGroups(c, shown); err != nil {
		return err
	}
	if page > 1 {
		view.Before = c.pagePath(page - 1)
		view.Prev = r.view.Base + view.Before
	}
	if page < c.pages() {
		view.After = c.pagePath(page + 1)
		view.Next = r.view.Base + view.After
	} else {
		also := c.also[:min(pageSize, len(c.also))]
		if view.Also, err = r.rowTexts(also); err != nil {
			return err
		}
		if view.AlsoLines, err = r.lines(also); err != nil {
			return err
		}
	}
	title := c.title
	if page > 1 {
		title = fmt.Sprintf("%s, page %d", c.title, page)
	}
	var crumbs []crumbView
	if c.crumb.Title != "" {
		crumbs = append(crumbs, c.crumb)
	}
	return r.page("collection", pageView{
		Title: title, Description: c.intro, Path: c.pagePath(page), Crumbs: append(crumbs, crumbView{c.title, ""}), Data: view, list: r.itemList(c, first, shown),
	})
}

// rowTexts returns listings as rows of a table.
func (r *renderer) rowTexts(listings []*content.Listing) (template.HTML, error) {
	if len(listings) == 0 {
		return "", nil
	}
	out := r.buffer()
	defer r.buffers.Put(out)
	for _, l := range listings {
		row, err := r.fragments[l.Slug].row()
		if err != nil {
			return "", err
		}
		out.Write(row)
	}
	return minified(out.Bytes()), nil
}

// jsonLists returns the tasks for the default list and the pre-sorted JSON pages (contract 8).
func (r *renderer) jsonLists() []Task {
	tasks := []Task{func() error {
		limit := api.ListParameters[0].Default.(int)
		list := api.ProjectList{Projects: noProjects, Warnings: noWarnings, Total: len(r.Listings), Limit: limit}
		return r.jsonList("api/v1/projects/index.json", list, r.Listings[:min(limit, len(r.Listings))])
	}}
	add := func(name string, listings []*content.Listing) {
		pages := max(1, (len(listings)+api.ListPageSize-1)/api.ListPageSize)
		for page := 1; page <= pages; page++ {
			tasks = append(tasks, func() error {
				first := (page - 1) * api.ListPageSize
				list := api.ListPage{
					ProjectList: api.ProjectList{Projects: noProjects, Warnings: noWarnings, Total: len(listings), Limit: api.ListPageSize, Offset: first},
					Page:        page, Pages: pages,
				}
				if page < pages {
					next := r.Settings.URL(fmt.Sprintf("/api/v1/lists/%s/%d.json", name, page+1))
					list.Next = &next
				}
				return r.jsonList(fmt.Sprintf("api/v1/lists/%s/%d.json", name, page), list, listings[first:min(first+api.ListPageSize, len(listings))])
			})
		}
	}
	add(api.SortPopular, r.Listings)
	add(api.SortNewest, r.sorted(search.CompareNewest))
	add(api.SortRecentlyUpdated, r.sorted(search.CompareRecentlyUpdated))
	home := map[string][]*content.Listing{}
	for _, l := range r.Listings {
		home[l.Category] = append(home[l.Category], l)
	}
	for _, c := range r.Content.Taxonomy.Categories {
		add("category/"+c.Slug, home[c.Slug])
	}
	return tasks
}

// noProjects and noWarnings are the empty lists of a file that jsonList fills.
var (
	noProjects = []json.RawMessage{}
	noWarnings = []api.Warning{}
)

// jsonList writes a list as JSON with listings as its projects. Each listing is in several
// lists, so its JSON is made once and copied, not passed to the encoder, which would check
// it again for every list.
func (r *renderer) jsonList(name string, list any, listings []*content.Listing) error {
	envelope, err := api.JSON(list)
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	rest, ok := bytes.CutPrefix(envelope, []byte(`{"projects":[]`))
	if !ok {
		return fmt.Errorf("encode %s: the list does not begin with its projects", name)
	}
	out := r.buffer()
	defer r.buffers.Put(out)
	out.WriteString(`{"projects":[`)
	for i, l := range listings {
		if i > 0 {
			out.WriteByte(',')
		}
		project, err := r.fragments[l.Slug].json()
		if err != nil {
			return fmt.Errorf("encode %s: %w", name, err)
		}
		out.Write(project)
	}
	out.WriteByte(']')
	out.Write(rest)
	return r.write(name, out.Bytes())
}
