package page

import (
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/memo"
	"catalog.example/generator/render"
)

// feedSize is the number of entries in a feed. Feed readers poll every few hours, and no catalogue
// gains this many listings in a week. A feed has the same bound whatever the size of the catalogue.
const feedSize = 50

// feedView is the view of an Atom feed (RFC 4287).
type feedView struct {
	Site            *render.SiteView
	Page, Path      string // the paths of the page and of its feed
	Title, Subtitle string
	Changed         string // the latest day on which an entry changed
	Entries         []feedEntry
}

// feedEntry is an entry of a feed. Changed and Published are days.
type feedEntry struct {
	ID, Link, Title    string // ID and Link are addresses
	Changed, Published string
	Home               api.Category
	Summary            string
}

// noDay is the day of an empty feed: Atom requires one.
const noDay = "1970-01-01"

// news is what the feed of a list has.
type news struct {
	listings []*content.Listing // the newest first
	changes  []*content.Change  // of facts of these listings, the latest first
}

// newsBy groups all listings and changes by the slugs that a function returns for a listing. It returns
// a function from a slug to its group, with at most feedSize listings and as many changes.
func newsBy(s *catalog, slugs func(*content.Listing) []string) func(slug string) *news {
	groups := map[string]*news{}
	of := func(slug string) *news {
		if groups[slug] == nil {
			groups[slug] = &news{}
		}
		return groups[slug]
	}
	for _, l := range s.newest() {
		for _, slug := range slugs(l) {
			if n := of(slug); len(n.listings) < feedSize {
				n.listings = append(n.listings, l)
			}
		}
	}
	for i := range s.Content.Changes {
		c := &s.Content.Changes[i]
		if c.Listing == nil {
			continue
		}
		for _, slug := range slugs(c.Listing) {
			if n := of(slug); len(n.changes) < feedSize {
				n.changes = append(n.changes, c)
			}
		}
	}
	return of
}

// feeds writes Atom feeds.
type feeds struct{ *catalog }

// site writes the feed of the newest listings of the site.
func (s feeds) site() error {
	title := s.T("{title}: newest listings", "title", s.Settings.Title)
	view := feedView{Page: newestPath, Path: "/" + render.FeedFile, Title: title, Subtitle: s.Settings.Description}
	for _, l := range s.newest()[:min(feedSize, len(s.Listings))] {
		view.Entries = append(view.Entries, s.entry(l))
	}
	return s.feed(view)
}

// entry returns a listing as an entry.
func (s feeds) entry(l *content.Listing) feedEntry {
	category, _ := s.Content.Taxonomy.Category(l.Category)
	return feedEntry{
		ID: l.PageURL, Link: l.PageURL, Title: l.Name, Changed: changed(l), Published: string(l.AddedAt),
		Home: category, Summary: l.Purpose,
	}
}

// feed writes a feed, once its other fields are set.
func (s feeds) feed(view feedView) error {
	view.Site, view.Changed = &s.View, noDay
	for _, e := range view.Entries {
		view.Changed = max(view.Changed, e.Changed)
	}
	return s.writeXML(view.Path, "feed.xml", view)
}

// feedPath returns the path of the feed of a list; "" for none.
func (l *list) feedPath() string {
	if l.news == nil {
		return ""
	}
	return l.path + render.FeedFile
}

// feedKey returns the key of the feed of a list.
func (l *list) feedKey() memo.Key {
	changed := make([]*content.Listing, len(l.news.changes))
	for i, c := range l.news.changes {
		changed[i] = c.Listing
	}
	return l.keyOf("feed", []any{l.path, l.title, l.intro, l.news.changes}, l.news.listings, changed)
}

// writeFeed writes the feed of a list: its newest listings, and the facts of its listings that changed,
// the latest first.
func (l *list) writeFeed() error {
	s, changes := feeds{l.catalog}, changesPage{l.catalog}
	view := feedView{Page: l.path, Path: l.feedPath(), Title: l.Settings.Title + ": " + l.title, Subtitle: l.intro}
	for _, one := range l.news.listings {
		view.Entries = append(view.Entries, s.entry(one))
	}
	for _, c := range l.news.changes {
		view.Entries = append(view.Entries, changes.feedEntry(c))
	}
	slices.SortStableFunc(view.Entries, func(a, b feedEntry) int { return strings.Compare(b.Published, a.Published) })
	view.Entries = view.Entries[:min(feedSize, len(view.Entries))]
	return s.feed(view)
}

// writeXML renders an XML template into a file.
func (s *catalog) writeXML(path, template string, view any) error {
	text, err := s.XML(template, view)
	if err != nil {
		return err
	}
	return s.write(strings.TrimPrefix(path, "/"), text)
}
