package page

import (
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/render"
)

// feedSize is the number of listings in a feed. Feed readers poll every few hours, and no catalogue
// gains this many listings in a week.
const feedSize = 50

// feedView is the view of an Atom feed (RFC 4287).
type feedView struct {
	Site            *render.SiteView
	Page, Path      string // the paths of the page and of its feed
	Title, Subtitle string
	Changed         string // the latest day on which an entry changed
	Entries         []feedEntry
}

type feedEntry struct {
	*content.Listing
	Home    api.Category
	Changed string // a day
}

// feeds writes the Atom feeds of the site.
type feeds struct{ *catalog }

// files writes a feed of the newest listings of the site, and one for each category.
func (s feeds) files() error {
	newest := s.newest()
	title := s.T("{title}: newest listings", "title", s.Settings.Title)
	if err := s.feed(newestPath, "/feed.xml", title, s.Settings.Description, newest); err != nil {
		return err
	}
	home := by(newest, categoryOf)
	for _, c := range s.Content.Taxonomy.Categories {
		page := categoriesPath + c.Slug + "/"
		if err := s.feed(page, page+"feed.xml", s.Settings.Title+": "+c.Name, c.Description, home[c.Slug]); err != nil {
			return err
		}
	}
	return nil
}

// feed writes the feed of a page from listings in the order of sort=newest.
func (s feeds) feed(page, path, title, subtitle string, newest []*content.Listing) error {
	// Atom requires a date even in an empty feed.
	view := feedView{Site: &s.View, Page: page, Path: path, Title: title, Subtitle: subtitle, Changed: "1970-01-01"}
	for _, l := range newest[:min(feedSize, len(newest))] {
		category, _ := s.Content.Taxonomy.Category(l.Category)
		view.Entries = append(view.Entries, feedEntry{l, category, changed(l)})
		view.Changed = max(view.Changed, changed(l))
	}
	return s.writeXML(path, "feed.xml", view)
}

// writeXML renders an XML template into a file.
func (s *catalog) writeXML(path, template string, view any) error {
	text, err := s.XML(template, view)
	if err != nil {
		return err
	}
	return s.write(strings.TrimPrefix(path, "/"), text)
}
