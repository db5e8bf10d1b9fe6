package page

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"catalog.example/generator/content"
	"catalog.example/generator/render"
)

const (
	newestPath       = "/newest/"
	newProjectsPath  = "/new-projects/"
	categoriesPath   = "/categories/"
	platformsPath    = "/platforms/"
	licensesPath     = "/licenses/"
	alternativesPath = "/alternatives/"
	projectsPath     = "/projects/"
)

// allLists returns all lists of the site. Within a group, listings are in the order of sort=popular,
// except on the pages of the newest listings and of new projects.
func (s *catalog) allLists() []*list {
	var lists []*list
	lists = append(lists, s.categoryLists()...)
	if s.View.HasPlatforms() {
		lists = append(lists, s.platformLists()...)
	}
	lists = append(lists, s.licenseLists()...)
	lists = append(lists, s.productLists()...)
	lists = append(lists, sets{s}.lists()...)
	newest := s.newList(newestPath, grouped(s.newest(), func(l *content.Listing) string {
		return s.T("Added on {day}", "day", l.AddedAt)
	}))
	newest.title, newest.intro = s.T("Newest listings"), s.T("All listings, newest first.")
	lists = append(lists, newest)
	if s.View.HasNewProjects {
		lists = append(lists, s.newProjects())
	}
	for _, c := range lists {
		c.places = sync.OnceValue(c.mapOf)
		if c.total() < render.MinFiltered {
			continue
		}
		c.filters = sync.OnceValue(func() *filtersView { return s.filtersOf(c.listings, c.sorts()...) })
	}
	return lists
}

// maxNewProjects is the number of listings on the page of new projects.
const maxNewProjects = 2 * pageSize

// newProjects returns the list of the listings whose first commit is latest, by month.
func (s *catalog) newProjects() *list {
	created := slices.DeleteFunc(slices.Clone(s.Listings), func(l *content.Listing) bool { return l.CreatedAt == nil })
	slices.SortFunc(created, func(a, b *content.Listing) int {
		return cmp.Or(cmp.Compare(*b.CreatedAt, *a.CreatedAt), cmp.Compare(a.Slug, b.Slug))
	})
	created = created[:min(maxNewProjects, len(created))]
	l := s.newList(newProjectsPath, grouped(created, func(l *content.Listing) string {
		return s.T("Started in {month}", "month", string(*l.CreatedAt)[:len("2026-11")])
	}))
	l.title = s.T("New projects")
	l.intro = s.N(len(created), "The {n} project with the most recent first commit.",
		"The {n} projects with the most recent first commits.")
	return l
}

// grouped groups listings, in their order, by the titles that a function returns.
func grouped(listings []*content.Listing, title func(*content.Listing) string) (groups []listGroup) {
	for _, l := range listings {
		if of := title(l); len(groups) == 0 || groups[len(groups)-1].title != of {
			groups = append(groups, listGroup{title: of})
		}
		g := &groups[len(groups)-1]
		g.listings = append(g.listings, l)
	}
	return groups
}

// newList returns a list at a path, which is below the path of parent if there is a parent.
func (s *catalog) newList(path string, groups []listGroup, parent ...render.Crumb) *list {
	l := &list{catalog: s, path: path, groups: groups}
	for _, g := range groups {
		l.listings = append(l.listings, g.listings...)
	}
	for _, p := range parent {
		l.parent, l.path = p, p.Path+path+"/"
	}
	return l
}

// by groups listings by the slugs that a function returns for each of them.
func by(listings []*content.Listing, slugs func(*content.Listing) []string) map[string][]*content.Listing {
	groups := map[string][]*content.Listing{}
	for _, l := range listings {
		for _, slug := range slugs(l) {
			groups[slug] = append(groups[slug], l)
		}
	}
	return groups
}

func categoryOf(l *content.Listing) []string  { return []string{l.Category} }
func platformsOf(l *content.Listing) []string { return l.Platforms }
func replacedBy(l *content.Listing) []string  { return l.Replaces }

func (s *catalog) categoryLists() (lists []*list) {
	parent := render.Crumb{Title: s.T("Categories"), Path: categoriesPath}
	home, also := by(s.Listings, categoryOf), by(s.Listings, func(l *content.Listing) []string { return l.AlsoIn })
	newsOf := newsBy(s, categoryOf)
	for _, c := range s.Content.Taxonomy.Categories {
		groups := ungrouped(home[c.Slug])
		if len(also[c.Slug]) > 0 {
			groups = append(groups, listGroup{s.T("From other categories"), also[c.Slug], true})
		}
		l := s.newList(c.Slug, groups, parent)
		l.title, l.intro, l.news = c.Name, c.Description, newsOf(c.Slug)
		lists = append(lists, l)
	}
	return lists
}

func (s *catalog) platformLists() (lists []*list) {
	parent, on := render.Crumb{Title: s.T("Platforms"), Path: platformsPath}, by(s.Listings, platformsOf)
	newsOf := newsBy(s, platformsOf)
	for _, p := range s.Content.Taxonomy.Platforms {
		l := s.newList(p.Slug, ungrouped(on[p.Slug]), parent)
		l.title, l.name, l.news = s.T("Listings for {platform}", "platform", p.Name), p.Name, newsOf(p.Slug)
		l.intro = s.T("What runs on {platform}.", "platform", p.Name)
		if s.View.Has("stars") {
			l.intro = s.T("What runs on {platform}, most starred first.", "platform", p.Name)
		}
		lists = append(lists, l)
	}
	return lists
}

func (s *catalog) licenseLists() (lists []*list) {
	parent := render.Crumb{Title: s.T("Licences"), Path: licensesPath}
	// By slug, because expressions may differ only in parentheses.
	under := by(s.Listings, func(l *content.Listing) []string {
		if l.License == nil {
			return nil
		}
		return []string{render.LicenseSlug(*l.License)}
	})
	for slug, listings := range under {
		l, first := s.newList(slug, ungrouped(listings), parent), &listings[0].Project
		l.title = s.LicenseName(*first.License)
		l.intro = s.T("Listings under {licence}.", "licence", l.title)
		if s.View.Has("stars") {
			l.intro = s.T("Listings under {licence}, most starred first.", "licence", l.title)
		}
		l.intro += " " + s.LicenseSentence(first)
		lists = append(lists, l)
	}
	slices.SortFunc(lists, func(a, b *list) int {
		return cmp.Or(b.total()-a.total(), strings.Compare(a.title, b.title), strings.Compare(a.path, b.path))
	})
	return lists
}

// productLists returns the alternatives to each product that a listing replaces.
func (s *catalog) productLists() (lists []*list) {
	parent := render.Crumb{Title: s.T("Alternatives"), Path: alternativesPath}
	instead, newsOf := by(s.Listings, replacedBy), newsBy(s, replacedBy)
	for _, p := range s.Content.Taxonomy.Products {
		if len(instead[p.Name]) == 0 {
			continue
		}
		product := p.Name
		if p.Maker != p.Name {
			product = s.T("{product} by {maker}", "product", p.Name, "maker", p.Maker)
		}
		groups, title := s.byOpenness(p.Name, instead[p.Name])
		l := s.newList(p.Slug, groups, parent)
		l.title, l.name, l.misses, l.news = title, p.Name, p.Misses, newsOf(p.Name)
		logo := s.ProductLogo(&p)
		l.logo = &logo
		l.words = strings.Join(append([]string{p.Maker}, p.Aliases...), " ")
		l.intro = s.T("What there is instead of {product}.", "product", product)
		if s.View.IsSoftware() {
			l.intro = s.T("What you can run yourself instead of {product}.", "product", product)
		}
		if len(groups) > 1 { // the title does not say this
			l.intro += " " + s.T("Open source: {open} of {all}.", "open", len(groups[0].listings), "all", l.total())
		}
		lists = append(lists, l)
	}
	return lists
}

// byOpenness groups the alternatives to a product by whether they are open source, and
// returns the title of its page.
func (s *catalog) byOpenness(product string, listings []*content.Listing) (groups []listGroup, title string) {
	if !s.View.HasKey("osiApproved") {
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
