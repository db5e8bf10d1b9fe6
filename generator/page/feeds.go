package page

import (
	"encoding/xml"
	"fmt"
	"strings"

	"catalog.example/generator/content"
)

// feedSize is the number of listings in a feed. Feed readers poll every few hours, and no catalogue
// gains more listings in a week.
const feedSize = 50

// atomFeed is a feed in the format of RFC 4287.
type atomFeed struct {
	XMLName  xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Lang     string      `xml:"xml:lang,attr"`
	ID       string      `xml:"id"`
	Title    string      `xml:"title"`
	Subtitle string      `xml:"subtitle,omitempty"`
	Updated  string      `xml:"updated"`
	Links    []atomLink  `xml:"link"`
	Author   atomAuthor  `xml:"author"`
	Entries  []atomEntry `xml:"entry"`
}

type atomAuthor struct {
	Name string `xml:"name"`
	URI  string `xml:"uri,omitempty"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID         string         `xml:"id"`
	Title      string         `xml:"title"`
	Updated    string         `xml:"updated"`
	Published  string         `xml:"published"`
	Link       atomLink       `xml:"link"`
	Categories []atomCategory `xml:"category"`
	Summary    string         `xml:"summary"`
}

type atomCategory struct {
	Term  string `xml:"term,attr"`
	Label string `xml:"label,attr,omitempty"`
}

// feeds are the Atom feeds of the site.
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
		page := "/categories/" + c.Slug + "/"
		if err := s.feed(page, page+"feed.xml", s.Settings.Title+": "+c.Name, c.Description, home[c.Slug]); err != nil {
			return err
		}
	}
	return nil
}

// feed writes the feed of a page from listings in the order of sort=newest.
func (s feeds) feed(page, path, title, subtitle string, newest []*content.Listing) error {
	feed := atomFeed{
		Lang: s.Settings.Lang, ID: s.Settings.URL(path), Title: title, Subtitle: subtitle,
		Author: atomAuthor{s.Settings.Title, s.Settings.URL("/")},
		Links: []atomLink{
			{"self", "application/atom+xml", s.Settings.URL(path)}, {"alternate", "text/html", s.Settings.URL(page)},
		},
	}
	latest := "1970-01-01" // empty feeds must have a date, too
	for _, l := range newest[:min(feedSize, len(newest))] {
		day := changed(l)
		latest = max(latest, day)
		e := atomEntry{
			ID: l.PageURL, Title: l.Name, Updated: startOfDay(day), Published: startOfDay(string(l.AddedAt)),
			Link: atomLink{"alternate", "text/html", l.PageURL}, Summary: l.Purpose,
		}
		if c, ok := s.Content.Taxonomy.Category(l.Category); ok {
			e.Categories = append(e.Categories, atomCategory{c.Slug, c.Name})
		}
		feed.Entries = append(feed.Entries, e)
	}
	feed.Updated = startOfDay(latest)
	return s.marshalXML(path, feed)
}

// startOfDay returns the beginning of a day in the format of RFC 3339.
func startOfDay(day string) string { return day + "T00:00:00Z" }

func (s *catalog) marshalXML(path string, value any) error {
	text, err := xml.Marshal(value)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	// It is not minified, because white space is content in a feed.
	return s.write(strings.TrimPrefix(path, "/"), append([]byte(xml.Header), text...))
}
