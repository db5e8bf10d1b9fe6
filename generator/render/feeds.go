package render

import (
	"encoding/xml"
	"fmt"
	"strings"

	"catalog.example/generator/content"
)

// feedSize is the number of listings in a feed. Feed readers ask every few hours, and no
// catalogue gains more in a week.
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

// feeds writes a feed of the newest listings of the site, and one for each category.
func (r *renderer) feeds() error {
	newest := r.newest()
	if err := r.feed("/newest/", "/feed.xml", r.t("{title}: newest listings", "title", r.Settings.Title), r.Settings.Description, newest); err != nil {
		return err
	}
	home := map[string][]*content.Listing{}
	for _, l := range newest {
		home[l.Category] = append(home[l.Category], l)
	}
	for _, c := range r.Content.Taxonomy.Categories {
		page := "/categories/" + c.Slug + "/"
		if err := r.feed(page, page+"feed.xml", r.Settings.Title+": "+c.Name, c.Description, home[c.Slug]); err != nil {
			return err
		}
	}
	return nil
}

// feed writes the feed of a page from listings in the order of sort=newest.
func (r *renderer) feed(page, path, title, subtitle string, newest []*content.Listing) error {
	feed := atomFeed{
		Lang: r.Settings.Lang, ID: r.Settings.URL(path), Title: title, Subtitle: subtitle, Author: atomAuthor{r.Settings.Title, r.Settings.URL("/")},
		Links: []atomLink{{"self", "application/atom+xml", r.Settings.URL(path)}, {"alternate", "text/html", r.Settings.URL(page)}},
	}
	latest := "1970-01-01" // for empty feeds, which must have a date, too
	for _, l := range newest[:min(feedSize, len(newest))] {
		day := changed(l)
		latest = max(latest, day)
		e := atomEntry{
			ID: l.PageURL, Title: l.Name, Updated: startOfDay(day), Published: startOfDay(string(l.AddedAt)),
			Link: atomLink{"alternate", "text/html", l.PageURL}, Summary: l.Purpose,
		}
		if c, ok := r.Content.Taxonomy.Category(l.Category); ok {
			e.Categories = append(e.Categories, atomCategory{c.Slug, c.Name})
		}
		feed.Entries = append(feed.Entries, e)
	}
	feed.Updated = startOfDay(latest)
	return r.marshalXML(path, feed)
}

// startOfDay returns the beginning of a day in the format of RFC 3339.
func startOfDay(day string) string { return day + "T00:00:00Z" }

func (r *renderer) marshalXML(path string, value any) error {
	text, err := xml.Marshal(value)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	// It is not minified, because white space is content in a feed.
	return r.write(strings.TrimPrefix(path, "/"), append([]byte(xml.Header), text...))
}
