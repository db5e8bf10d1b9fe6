package page

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"catalog.example/generator/content"
	"catalog.example/generator/memo"
	"catalog.example/generator/render"
)

const (
	newestPath       = "/newest/"
	categoriesPath   = "/categories/"
	platformsPath    = "/platforms/"
	licensesPath     = "/licenses/"
	alternativesPath = "/alternatives/"
)

// allLists returns all lists of the site. Listings are in the order of
// sort=popular, except on the page of the newest.
func (s *catalog) allLists() []*list {
	var lists []*list
	lists = append(lists, s.categoryLists()...)
	if s.View.HasPlatforms() {
		lists = append(lists, s.platformLists()...)
	}
	lists = append(lists, s.licenseLists()...)
	lists = append(lists, s.productLists()...)
	newest := &list{catalog: s, path: newestPath, title: s.T("Newest listings"), intro: s.T("All listings, newest first.")}
	for _, l := range s.newest() {
		title := s.T("Added on {day}", "day", l.AddedAt)
		if n := len(newest.groups); n == 0 || newest.groups[n-1].title != title {
			newest.groups = append(newest.groups, listGroup{title: title})
		}
		g := &newest.groups[len(newest.groups)-1]
		g.listings = append(g.listings, l)
	}
	lists = append(lists, newest)
	for _, c := range lists {
		if c.total() < render.MinFiltered {
			continue
		}
		c.filters = sync.OnceValue(func() *filtersView { return s.filtersOf(c.listings(), c.sorts()...) })
		c.filtersKey = sync.OnceValue(func() memo.Key { return s.keyOf("filters", c.filters()) })
	}
	return lists
}

func (s *catalog) categoryLists() []*list {
	home, also := map[string][]*content.Listing{}, map[string][]*content.Listing{}
	for _, l := range s.Listings {
		home[l.Category] = append(home[l.Category], l)
		for _, c := range l.AlsoIn {
			also[c] = append(also[c], l)
		}
	}
	var lists []*list
	for _, c := range s.Content.Taxonomy.Categories {
		groups := ungrouped(home[c.Slug])
		if len(also[c.Slug]) > 0 {
			groups = append(groups, listGroup{title: s.T("From other categories"), listings: also[c.Slug], isFromElsewhere: true})
		}
		lists = append(lists, &list{
			catalog: s, path: categoriesPath + c.Slug + "/", title: c.Name, intro: c.Description,
			parent: render.Crumb{Title: s.T("Categories"), Path: categoriesPath}, groups: groups,
		})
	}
	return lists
}

func (s *catalog) platformLists() []*list {
	on := map[string][]*content.Listing{}
	for _, l := range s.Listings {
		for _, p := range l.Platforms {
			on[p] = append(on[p], l)
		}
	}
	var lists []*list
	for _, p := range s.Content.Taxonomy.Platforms {
		intro := s.T("What runs on {platform}.", "platform", p.Name)
		if s.View.Has("stars") {
			intro = s.T("What runs on {platform}, most starred first.", "platform", p.Name)
		}
		lists = append(lists, &list{
			catalog: s, path: platformsPath + p.Slug + "/", title: s.T("Listings for {platform}", "platform", p.Name), name: p.Name,
			intro: intro, parent: render.Crumb{Title: s.T("Platforms"), Path: platformsPath}, groups: ungrouped(on[p.Slug]),
		})
	}
	return lists
}

func (s *catalog) licenseLists() []*list {
	under := map[string]*list{} // by slug, for expressions that differ only in parentheses
	var lists []*list
	for _, l := range s.Listings {
		if l.License == nil {
			continue
		}
		slug := render.LicenseSlug(*l.License)
		c := under[slug]
		if c == nil {
			name := s.LicenseName(*l.License)
			intro := s.T("Listings under {licence}.", "licence", name)
			if s.View.Has("stars") {
				intro = s.T("Listings under {licence}, most starred first.", "licence", name)
			}
			c = &list{
				catalog: s, path: licensesPath + slug + "/", title: name, intro: intro + " " + s.LicenseSentence(&l.Project),
				parent: render.Crumb{Title: s.T("Licences"), Path: licensesPath}, groups: make([]listGroup, 1),
			}
			under[slug] = c
			lists = append(lists, c)
		}
		c.groups[0].listings = append(c.groups[0].listings, l)
	}
	slices.SortFunc(lists, func(a, b *list) int {
		return cmp.Or(b.total()-a.total(), strings.Compare(a.title, b.title))
	})
	return lists
}

// productLists returns the alternatives to each product that a listing replaces.
func (s *catalog) productLists() []*list {
	instead := map[string][]*content.Listing{}
	for _, l := range s.Listings {
		for _, name := range l.Replaces {
			instead[name] = append(instead[name], l)
		}
	}
	var lists []*list
	for _, p := range s.Content.Taxonomy.Products {
		if len(instead[p.Name]) == 0 {
			continue
		}
		product := p.Name
		if p.Maker != p.Name {
			product = s.T("{product} by {maker}", "product", p.Name, "maker", p.Maker)
		}
		groups, title := s.byOpenness(p.Name, instead[p.Name])
		intro := s.T("What there is instead of {product}.", "product", product)
		if s.View.IsSoftware() {
			intro = s.T("What you can run yourself instead of {product}.", "product", product)
		}
		if len(groups) > 1 { // the title does not say it
			intro += " " + s.T("Open source: {open} of {all}.", "open", len(groups[0].listings), "all", len(instead[p.Name]))
		}
		lists = append(lists, &list{
			catalog: s, path: alternativesPath + p.Slug + "/", title: title, name: p.Name, intro: intro, misses: p.Misses,
			words:  strings.Join(append([]string{p.Maker}, p.Aliases...), " "),
			parent: render.Crumb{Title: s.T("Alternatives"), Path: alternativesPath}, groups: groups,
		})
	}
	return lists
}

// byOpenness groups the alternatives to a product by whether they are open source, and
// returns the title of its page.
func (s *catalog) byOpenness(product string, listings []*content.Listing) (groups []listGroup, title string) {
	if !s.View.Has("license") {
		return ungrouped(listings), s.T("Alternatives to {product}", "product", product)
	}
	open, closed := listGroup{title: s.T("Open source")}, listGroup{title: s.T("Not open source")}
	unknown := listGroup{title: s.T("Licence unknown")}
	for _, l := range listings {
		g := &unknown
		switch {
		case render.Is(l.OSIApproved, true):
			g = &open
		case render.Is(l.OSIApproved, false):
			g = &closed
		}
		g.listings = append(g.listings, l)
	}
	if s.View.IsSoftware() {
		closed.title = s.T("Not open source: the source can be read, under limits")
	}
	switch len(listings) {
	case len(open.listings):
		return ungrouped(listings), s.T("Open-source alternatives to {product}", "product", product)
	case len(closed.listings):
		return []listGroup{closed}, s.T("Source-available alternatives to {product}", "product", product)
	}
	for _, g := range []listGroup{open, closed, unknown} {
		if len(g.listings) > 0 {
			groups = append(groups, g)
		}
	}
	return groups, s.T("Alternatives to {product}", "product", product)
}
