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

// feedEntry is an entry of a feed. Changed and Published are days.
type feedEntry struct {
	ID, Link, Title    string // ID and Link are addresses
	Changed, Published string
	Home               api.Category
	Summary            string
}

// noDay is the day of an empty feed: Atom requires one.
const noDay = "1970-01-01"

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
	view := feedView{Site: &s.View, Page: page, Path: path, Title: title, Subtitle: subtitle, Changed: noDay}
	for _, l := range newest[:min(feedSize, len(newest))] {
		category, _ := s.Content.Taxonomy.Category(l.Category)
		view.Entries = append(view.Entries, feedEntry{
			ID: l.PageURL, Link: l.PageURL, Title: l.Name, Changed: changed(l), Published: string(l.AddedAt),
			Home: category, Summary: l.Purpose,
		})
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
