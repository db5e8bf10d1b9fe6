package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/render"
)

// pageSize is the number of listings on a page of a list.
const pageSize = 100

// list is a list of listings on one or several pages.
type list struct {
	*catalog
	path   string // with slashes at both ends
	title  string
	name   string // in the overview and in breadcrumbs; "" for the title
	words  string // other words that find it there
	intro  string
	search string       // path of a search for the same; "" for none
	logo   *render.Logo // of the product that the page is about; nil for none
	misses string       // what people would miss without the page's product; "" if not known
	parent render.Crumb // the overview that it belongs to; empty for none
	groups []listGroup
	// listings are those of all groups.
	listings []*content.Listing

	filters func() *filtersView // computed on the first call; nil for none
	places  func() *mapView     // computed on the first call; it returns nil for no map
	news    *news               // what its feed has; nil for a list without a feed
}

// listGroup is a part of a list, under a heading of its own.
type listGroup struct {
	title    string // "" for none
	listings []*content.Listing
	// isFromElsewhere is set for listings of a category's page with another home category.
	isFromElsewhere bool
}

func (l *list) total() int { return len(l.listings) }

// ungrouped returns a list as one group without a heading.
func ungrouped(listings []*content.Listing) []listGroup {
	if len(listings) == 0 {
		return nil
	}
	return []listGroup{{listings: listings}}
}

func (l *list) isCategory() bool { return l.parent.Path == categoriesPath }

func (l *list) pages() int { return max(1, (l.total()+pageSize-1)/pageSize) }

// pagePath returns the path of a page of the list. Pages count from 1.
func (l *list) pagePath(number int) string {
	if number == 1 {
		return l.path
	}
	return fmt.Sprintf("%s%d/", l.path, number)
}

// moreShown is the number of listings in a moreView.
const moreShown = 6

// others returns the most common category of a short list, and some listings of that category that
// are not in the list.
func (l *list) others() (home string, others []*content.Listing) {
	listings, counts := l.listings, map[string]int{}
	for _, one := range listings {
		if counts[one.Category]++; counts[one.Category] > counts[home] {
			home = one.Category
		}
	}
	for _, one := range l.Listings {
		if len(others) == moreShown {
			break
		}
		if one.Category == home && !slices.Contains(listings, one) {
			others = append(others, one)
		}
	}
	return home, others
}

// hasMore reports whether the page of a short list has more listings of its most common category.
func (l *list) hasMore() bool { return l.parent.Path != "" && !l.isCategory() }

// more returns more listings of the most common category of a short list; nil for none.
func (l *list) more() (*moreView, error) {
	home, others := l.others()
	category, ok := l.Content.Taxonomy.Category(home)
	if !ok || len(others) == 0 {
		return nil, nil
	}
	rows, err := l.Rows.List(others)
	return &moreView{category.Name, categoriesPath + category.Slug + "/", l.counts[home], rows}, err
}

// listView is the view of a page of a list.
type listView struct {
	Heading, Intro string
	Logo           *render.Logo
	Misses         string // what people who leave the product would miss
	Search         string // path of a search for the same; "" for none
	Groups         []rowGroup
	More           *moreView
	Table          string // path of the facts that filters read
	Total          int
	FromElsewhere  int          // how many of them have another home category
	Filters        *filtersView // nil for none
	Map            *mapView     // of the whole list, on its first page; nil for none
	Page, Pages    int
	Links          []pageLink
	Prev, Next     string // paths with the base; "" for none
	Before, After  string // the same paths without the base
}

// rowGroup is the part of a listGroup that a page shows.
type rowGroup struct {
	Title string // "" for none
	render.List
}

// moreView has other listings of a category, for the page of a short list.
type moreView struct {
	Title, Path string // of the category
	Count       int    // its listings
	render.List
}

// rowGroups returns the listings from:to by group.
func (l *list) rowGroups(from, to int) (groups []rowGroup, err error) {
	for _, g := range l.groups {
		shown := g.listings[min(max(from, 0), len(g.listings)):min(max(to, 0), len(g.listings))]
		from, to = from-len(g.listings), to-len(g.listings)
		if len(shown) == 0 {
			continue
		}
		rows, err := l.Rows.List(shown)
		if err != nil {
			return nil, err
		}
		groups = append(groups, rowGroup{g.title, rows})
	}
	return groups, nil
}

// pageLink is a link to a page of a list; Path is "" for the current page.
type pageLink struct {
	Number int
	Path   string
	Gap    bool // whether pages before this one are left out
}

// pageLinks returns the links to the first and last pages of a list and to those around a page.
func (l *list) pageLinks(number int) []pageLink {
	var links []pageLink
	last := 0
	for n := 1; n <= l.pages(); n++ {
		if n > 2 && n <= l.pages()-2 && (n < number-2 || n > number+2) {
			continue
		}
		link := pageLink{Number: n, Gap: n != last+1}
		if n != number {
			link.Path = l.View.Base + l.pagePath(n)
		}
		links = append(links, link)
		last = n
	}
	return links
}

// listPage is one page of a list.
type listPage struct {
	*list
	number int // from 1
}

func (p listPage) path() string { return p.pagePath(p.number) }

// shown returns the index of the first listing of the page, and of the first after it.
func (p listPage) shown() (first, end int) {
	first = (p.number - 1) * pageSize
	return first, min(first+pageSize, p.total())
}

func (p listPage) show() (*render.Page, error) {
	first, end := p.shown()
	view := listView{
		Heading: p.list.title, Intro: p.intro, Logo: p.logo, Misses: p.misses, Search: p.search,
		Page: p.number, Pages: p.pages(), Total: p.total(), Links: p.pageLinks(p.number),
	}
	for _, g := range p.groups {
		if g.isFromElsewhere {
			view.FromElsewhere = len(g.listings)
		}
	}
	feed, feedTitle := p.feedPath(), p.list.title
	if p.list.path == newestPath {
		feed, feedTitle = "/"+render.FeedFile, p.T("Newest listings")
	}
	var err error
	if view.Groups, err = p.rowGroups(first, end); err != nil {
		return nil, err
	}
	switch {
	case p.filters != nil:
		view.Filters, view.Table = p.filters(), p.View.Base+p.list.path+render.TableFile
	case p.hasMore():
		if view.More, err = p.more(); err != nil {
			return nil, err
		}
	}
	if p.number == 1 {
		view.Map = p.places()
	} else {
		view.Before = p.pagePath(p.number - 1)
		view.Prev = p.View.Base + view.Before
	}
	if p.number < p.pages() {
		view.After = p.pagePath(p.number + 1)
		view.Next = p.View.Base + view.After
	}
	crumbs := render.Crumbs(cmp.Or(p.name, p.list.title))
	if p.parent.Title != "" {
		crumbs = append([]render.Crumb{p.parent}, crumbs...)
	}
	picture := ""
	if p.hasPicture() {
		picture = p.picturePath(p.list.path)
	}
	return &render.Page{
		Kind: "collection", Title: p.title(), Description: p.intro, Path: p.path(), Crumbs: crumbs, Data: view,
		Subject: p.itemList(first, p.listings[first:end]), Picture: picture, Feed: feed, FeedTitle: feedTitle,
	}, nil
}

// title returns the title of the list, with the page number after the first page, or with the
// number of listings of a category.
func (p listPage) title() string {
	title := p.list.title
	switch {
	case p.number > 1:
		return p.T("{title}, page {page}", "title", title, "page", p.number)
	case p.isCategory(): // the name alone says little in a browser's tab or a list of hits
		return p.N(p.total(), "{title}: {n} listing", "{title}: {n} listings", "title", title)
	}
	return title
}

func (l *list) tableFile() string { return strings.TrimPrefix(l.path, "/") + render.TableFile }

// refers reports whether the list's file for filters names its listings, whose facts are in the file of
// the list of all listings. Lists of more than half of all listings do, so that no reader loads more
// than twice as much for one list.
func (l *list) refers() bool { return l.path != newestPath && 2*l.total() > len(l.Listings) }

// writeTable writes the file that filters read: the groups of the list with all their rows.
func (l *list) writeTable() error {
	type group struct {
		Title string            `json:"title"`
		Rows  []json.RawMessage `json:"rows"`
	}
	table, rows := make([]group, len(l.groups)), make([][][]byte, len(l.groups))
	for i, g := range l.groups {
		table[i] = group{g.title, []json.RawMessage{}}
		if l.refers() {
			for _, one := range g.listings {
				rows[i] = append(rows[i], []byte(`"`+one.Slug+`"`))
			}
			continue
		}
		var err error
		if rows[i], err = l.eachRow(g.listings, func(r *render.Row) []byte { return r.Facts }); err != nil {
			return err
		}
	}
	return l.writeLists(l.tableFile(), table, "rows", "", rows...)
}

// sorts returns the orders of the list, beginning with its own.
func (l *list) sorts() []render.Link {
	own := render.Link{Title: l.T("As listed")}
	switch {
	case l.path == newestPath:
		own = render.Link{Slug: api.SortNewest, Title: l.T("Newest here")}
	case l.View.Has("stars"):
		own = render.Link{Slug: api.SortPopular, Title: l.T("Most stars")}
	}
	list := []render.Link{own, {Slug: "name", Title: l.T("Name")}}
	if l.View.Has("license") {
		list = append(list, render.Link{Slug: "license", Title: l.T("Licence")})
	}
	others := slices.DeleteFunc(l.searchSorts(), func(sort render.Link) bool { return sort.Slug == own.Slug })
	return append(list, others...)
}
