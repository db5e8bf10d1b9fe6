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

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/memo"
)

// pageSize is the number of listings on a page of a collection.
const pageSize = 100

// collection is a list of listings on one or several pages.
type collection struct {
	path   string // with slashes at both ends
	title  string
	name   string // in the overview and in breadcrumbs; "" for the title
	words  string // other words that find it there
	intro  string
	misses string    // what people who leave the product of the page would miss; "" if not known
	crumb  crumbView // the overview that it belongs to; empty for none
	groups []listGroup

	filters    func() *filtersView // computed on the first call; nil for none
	filtersKey func() memo.Key     // hash of the filters
}

// listGroup is a part of a list, under a heading of its own.
type listGroup struct {
	title    string // "" for none
	listings []*content.Listing
	// isFromElsewhere is set for listings of a category's page with another home category.
	isFromElsewhere bool
}

// listings returns the listings of all groups.
func (c *collection) listings() (list []*content.Listing) {
	for _, g := range c.groups {
		list = append(list, g.listings...)
	}
	return list
}

func (c *collection) total() (n int) {
	for _, g := range c.groups {
		n += len(g.listings)
	}
	return n
}

// ungrouped returns a list as one group without a heading.
func ungrouped(listings []*content.Listing) []listGroup {
	if len(listings) == 0 {
		return nil
	}
	return []listGroup{{listings: listings}}
}

// minFiltered is the number of listings from which on a list has filters. A shorter one is
// read faster than it is filtered.
const minFiltered = 6

// moreShown is the number of listings in a moreView.
const moreShown = 6

// othersOf returns the category that most listings of a short list have, and other listings
// of it.
func (r *renderer) othersOf(listings []*content.Listing) (home string, others []*content.Listing) {
	counts := map[string]int{}
	for _, l := range listings {
		if counts[l.Category]++; counts[l.Category] > counts[home] {
			home = l.Category
		}
	}
	for _, l := range r.Listings {
		if len(others) == moreShown {
			break
		}
		if l.Category == home && !slices.Contains(listings, l) {
			others = append(others, l)
		}
	}
	return home, others
}

// moreOf returns what else there is in the category that most listings of a short list have;
// nil for none.
func (r *renderer) moreOf(listings []*content.Listing) (*moreView, error) {
	home, others := r.othersOf(listings)
	category, ok := r.Content.Taxonomy.Category(home)
	if !ok || len(others) == 0 {
		return nil, nil
	}
	m := &moreView{Title: category.Name, Path: "/categories/" + category.Slug + "/", Count: r.counts[home]}
	var err error
	m.Rows, m.Lines, err = r.rendered(others)
	return m, err
}

func (c *collection) pages() int { return max(1, (c.total()+pageSize-1)/pageSize) }

// pagePath returns the path of a page of the collection. Pages count from 1.
func (c *collection) pagePath(page int) string {
	if page == 1 {
		return c.path
	}
	return fmt.Sprintf("%s%d/", c.path, page)
}

const (
	newestPath     = "/newest/"
	categoriesPath = "/categories/"
)

// listCollections returns all collections of the site. Listings are in the order of
// sort=popular, except on the page of the newest.
func (r *renderer) listCollections() []*collection {
	var list []*collection
	list = append(list, r.categoryCollections()...)
	if r.view.HasPlatforms() {
		list = append(list, r.platformCollections()...)
	}
	list = append(list, r.licenseCollections()...)
	list = append(list, r.productCollections()...)
	newest := &collection{path: newestPath, title: r.t("Newest listings"), intro: r.t("All listings, newest first.")}
	for _, l := range r.newest() {
		title := r.t("Added on {day}", "day", l.AddedAt)
		if n := len(newest.groups); n == 0 || newest.groups[n-1].title != title {
			newest.groups = append(newest.groups, listGroup{title: title})
		}
		g := &newest.groups[len(newest.groups)-1]
		g.listings = append(g.listings, l)
	}
	list = append(list, newest)
	for _, c := range list {
		if c.total() < minFiltered {
			continue
		}
		c.filters = sync.OnceValue(func() *filtersView { return r.filtersOf(c.listings(), r.listSorts(c)...) })
		c.filtersKey = sync.OnceValue(func() memo.Key { return r.keyOf("filters", c.filters()) })
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
		groups := ungrouped(home[c.Slug])
		if len(also[c.Slug]) > 0 {
			groups = append(groups, listGroup{title: r.t("From other categories"), listings: also[c.Slug], isFromElsewhere: true})
		}
		list = append(list, &collection{
			path: "/categories/" + c.Slug + "/", title: c.Name, intro: c.Description, crumb: crumbView{r.t("Categories"), categoriesPath}, groups: groups,
		})
	}
	return list
}

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
			path: "/platforms/" + p.Slug + "/", title: r.t("Listings for {platform}", "platform", p.Name), name: p.Name, intro: r.byStars(r.t("What runs on {platform}.", "platform", p.Name), r.t("What runs on {platform}, most starred first.", "platform", p.Name)),
			crumb: crumbView{r.t("Platforms"), "/platforms/"}, groups: ungrouped(on[p.Slug]),
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
				path: "/licenses/" + slug + "/", title: r.licenseName(*l.License), intro: r.byStars(r.t("Listings under {licence}.", "licence", r.licenseName(*l.License)), r.t("Listings under {licence}, most starred first.", "licence", r.licenseName(*l.License))) + " " + r.licenseSentence(&l.Project),
				crumb: crumbView{r.t("Licences"), "/licenses/"}, groups: make([]listGroup, 1),
			}
			under[slug] = c
			list = append(list, c)
		}
		c.groups[0].listings = append(c.groups[0].listings, l)
	}
	slices.SortFunc(list, func(a, b *collection) int {
		return cmp.Or(b.total()-a.total(), strings.Compare(a.title, b.title))
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
			product = r.t("{product} by {maker}", "product", p.Name, "maker", p.Maker)
		}
		groups, title := r.byOpenness(p.Name, instead[p.Name])
		intro := r.t("What there is instead of {product}.", "product", product)
		if r.view.IsSoftware() {
			intro = r.t("What you can run yourself instead of {product}.", "product", product)
		}
		if len(groups) > 1 { // the title does not say it
			intro += " " + r.t("Open source: {open} of {all}.", "open", len(groups[0].listings), "all", len(instead[p.Name]))
		}
		list = append(list, &collection{
			path: "/alternatives/" + p.Slug + "/", title: title, name: p.Name, words: strings.Join(append([]string{p.Maker}, p.Aliases...), " "), intro: intro,
			crumb: crumbView{r.t("Alternatives"), "/alternatives/"}, groups: groups, misses: p.Misses,
		})
	}
	return list
}

// byOpenness groups the alternatives to a product by whether they are open source, and
// returns the title of its page.
func (r *renderer) byOpenness(product string, listings []*content.Listing) (groups []listGroup, title string) {
	if !r.view.Has("license") {
		return ungrouped(listings), r.t("Alternatives to {product}", "product", product)
	}
	open, closed, unknown := listGroup{title: r.t("Open source")}, listGroup{title: r.t("Not open source")}, listGroup{title: r.t("Licence unknown")}
	for _, l := range listings {
		g := &unknown
		switch {
		case is(l.OSIApproved, true):
			g = &open
		case is(l.OSIApproved, false):
			g = &closed
		}
		g.listings = append(g.listings, l)
	}
	if r.view.IsSoftware() {
		closed.title = r.t("Not open source: the source can be read, under limits")
	}
	switch len(listings) {
	case len(open.listings):
		return ungrouped(listings), r.t("Open-source alternatives to {product}", "product", product)
	case len(closed.listings):
		return []listGroup{closed}, r.t("Source-available alternatives to {product}", "product", product)
	}
	for _, g := range []listGroup{open, closed, unknown} {
		if len(g.listings) > 0 {
			groups = append(groups, g)
		}
	}
	return groups, r.t("Alternatives to {product}", "product", product)
}

// byStars returns the sentence about a list that fits its order: sort=popular is by stars.
func (r *renderer) byStars(sentence, byStars string) string {
	if r.view.Has("stars") {
		return byStars
	}
	return sentence
}

// collectionView is the view of a page of a collection.
type collectionView struct {
	Heading, Intro string
	Misses         string // what people who leave the product would miss
	Groups         []rowGroup
	More           *moreView
	Table          string // path of the facts that filters read
	Total          int
	FromElsewhere  int          // how many of them have another home category
	Filters        *filtersView // nil for none
	Feed           string       // path of the page's own feed; "" for none
	Page, Pages    int
	Links          []pageLink
	Prev, Next     string // paths with the base; "" for none
	Before, After  string // the same paths without the base
}

// rowGroup is the part of a listGroup that a page shows.
type rowGroup struct {
	Title string // "" for none
	Rows  template.HTML
	Lines markdown // what Rows renders, for the Markdown version
}

// moreView has other listings of a category, for the page of a short list.
type moreView struct {
	Title, Path string // of the category
	Count       int    // its listings
	Rows        template.HTML
	Lines       markdown
}

// rendered returns listings as rows of a table and as lines of Markdown.
func (r *renderer) rendered(listings []*content.Listing) (rows template.HTML, lines markdown, err error) {
	if rows, err = r.rowTexts(listings); err != nil {
		return rows, lines, err
	}
	lines, err = r.lines(listings)
	return rows, lines, err
}

// rowGroups returns the listings from:to of a collection by group.
func (r *renderer) rowGroups(c *collection, from, to int) (groups []rowGroup, err error) {
	for _, g := range c.groups {
		shown := g.listings[min(max(from, 0), len(g.listings)):min(max(to, 0), len(g.listings))]
		from, to = from-len(g.listings), to-len(g.listings)
		if len(shown) == 0 {
			continue
		}
		view := rowGroup{Title: g.title}
		if view.Rows, view.Lines, err = r.rendered(shown); err != nil {
			return nil, err
		}
		groups = append(groups, view)
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
	listings := c.listings()
	last := min(first+pageSize, len(listings))
	view := collectionView{
		Heading: c.title, Intro: c.intro, Misses: c.misses, Page: page, Pages: c.pages(),
		Total: len(listings), Links: r.pageLinks(c, page),
	}
	for _, g := range c.groups {
		if g.isFromElsewhere {
			view.FromElsewhere = len(g.listings)
		}
	}
	isCategory := c.crumb.Path == categoriesPath
	if isCategory || c.path == newestPath {
		view.Feed, _ = r.feedOf(c.path)
	}
	var err error
	if view.Groups, err = r.rowGroups(c, first, last); err != nil {
		return err
	}
	switch {
	case c.filters != nil:
		view.Filters, view.Table = c.filters(), r.view.Base+c.path+tableFile
	case !isCategory:
		if view.More, err = r.moreOf(listings); err != nil {
			return err
		}
	}
	if page > 1 {
		view.Before = c.pagePath(page - 1)
		view.Prev = r.view.Base + view.Before
	}
	if page < c.pages() {
		view.After = c.pagePath(page + 1)
		view.Next = r.view.Base + view.After
	}
	title := c.title
	switch {
	case page == 1 && c.crumb.Path == categoriesPath: // the name alone says little in a browser's tab or a list of hits
		title = r.n(c.total(), "{title}: {n} listing", "{title}: {n} listings", "title", c.title)
	case page > 1:
		title = r.t("{title}, page {page}", "title", c.title, "page", page)
	}
	var crumbs []crumbView
	if c.crumb.Title != "" {
		crumbs = append(crumbs, c.crumb)
	}
	var rows []template.HTML
	for _, g := range view.Groups {
		rows = append(rows, g.Rows)
	}
	if view.More != nil {
		rows = append(rows, view.More.Rows)
	}
	return r.page("collection", pageView{minified: rows,
		Title: title, Description: c.intro, Path: c.pagePath(page), Crumbs: append(crumbs, crumbView{cmp.Or(c.name, c.title), ""}), Data: view, list: r.itemList(c, first, listings[first:last]),
	})
}

// rowTexts returns listings as rows of a table.
func (r *renderer) rowTexts(listings []*content.Listing) (template.HTML, error) {
	var out strings.Builder
	for _, l := range listings {
		row, err := r.fragments[l.Slug].row()
		if err != nil {
			return "", err
		}
		out.WriteString(string(row))
	}
	return template.HTML(out.String()), nil // #nosec G203 -- rendered by html/template
}

// jsonLists returns the tasks for the default list and the pre-sorted JSON pages (contract 8).
func (r *renderer) jsonLists() []Task {
	var tasks []Task
	task := func(name string, list any, listings []*content.Listing) {
		tasks = append(tasks, Task{[]string{name}, func() memo.Key { return r.keyOf("list", list, listings) }, func() error { return r.jsonList(name, list, listings) }})
	}
	limit := api.ListParameters[0].Default.(int)
	all := api.ProjectList{Projects: noProjects, Warnings: noWarnings, Total: len(r.Listings), Limit: limit}
	task(strings.TrimPrefix(api.FilePath(api.PathProjects), "/"), all, r.Listings[:min(limit, len(r.Listings))])
	add := func(name string, listings []*content.Listing) {
		pages := max(1, (len(listings)+api.ListPageSize-1)/api.ListPageSize)
		for page := 1; page <= pages; page++ {
			first := (page - 1) * api.ListPageSize
			list := api.ListPage{
				ProjectList: api.ProjectList{Projects: noProjects, Warnings: noWarnings, Total: len(listings), Limit: api.ListPageSize, Offset: first},
				Page:        page, Pages: pages,
			}
			if page < pages {
				next := r.Settings.URL(fmt.Sprintf("/api/v1/lists/%s/%d.json", name, page+1))
				list.Next = &next
			}
			task(fmt.Sprintf("api/v1/lists/%s/%d.json", name, page), list, listings[first:min(first+api.ListPageSize, len(listings))])
		}
	}
	add(api.SortPopular, r.Listings)
	add(api.SortNewest, r.newest())
	add(api.SortRecentlyUpdated, r.updated())
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
