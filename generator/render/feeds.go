package render

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"

	"catalog.example/api/search"
	"catalog.example/generator/content"
)

// feedSize is the number of listings in a feed. Feed readers ask every few hours, and no
// catalog gains more in a week.
const feedSize = 50

// atomFeed is a feed in the format of RFC 4287.
type atomFeed struct {
	XMLName  xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
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
	newest := r.sorted(search.CompareNewest)
	if err := r.feed("/newest/", "/feed.xml", r.Settings.Title+": newest listings", r.Settings.Description, newest); err != nil {
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
		ID: r.Settings.URL(path), Title: title, Subtitle: subtitle, Author: atomAuthor{r.Settings.Title, r.Settings.URL("/")},
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

// openSearchDescription is a description in OpenSearch 1.1, with which browsers add a site
// to their search engines.
type openSearchDescription struct {
	XMLName       xml.Name            `xml:"http://a9.com/-/spec/opensearch/1.1/ OpenSearchDescription"`
	ShortName     string              `xml:"ShortName"`
	Description   string              `xml:"Description"`
	InputEncoding string              `xml:"InputEncoding"`
	Image         openSearchImage     `xml:"Image"`
	URLs          []openSearchAddress `xml:"Url"`
}

type openSearchImage struct {
	Type string `xml:"type,attr"`
	Href string `xml:",chardata"`
}

type openSearchAddress struct {
	Type     string `xml:"type,attr"`
	Method   string `xml:"method,attr,omitempty"`
	Rel      string `xml:"rel,attr"`
	Template string `xml:"template,attr"`
}

// The longest texts that OpenSearch 1.1 allows, in characters.
const (
	maxShortName              = 16
	maxOpenSearchDescription  = 1024
	openSearchPath            = "/opensearch.xml"
	manifestPath              = "/site.webmanifest"
	openSearchDescriptionType = "application/opensearchdescription+xml"
)

func (r *renderer) openSearch() error {
	return r.marshalXML(openSearchPath, openSearchDescription{
		ShortName: shortened(r.Settings.Title, maxShortName), Description: shortened(r.Settings.Description, maxOpenSearchDescription), InputEncoding: "UTF-8",
		Image: openSearchImage{"image/svg+xml", r.Settings.URL("/" + r.view.Icon)},
		URLs: []openSearchAddress{
			{"text/html", "get", "results", r.Settings.URL("/search/?q={searchTerms}")},
			{openSearchDescriptionType, "", "self", r.Settings.URL(openSearchPath)},
		},
	})
}

// shortened returns the first words of a text that fit into maxLength characters, or the
// beginning of the first word if it is longer.
func shortened(text string, maxLength int) string {
	characters := []rune(text)
	if len(characters) <= maxLength {
		return text
	}
	cut := string(characters[:maxLength+1])
	if i := strings.LastIndexByte(cut, ' '); i > 0 {
		return strings.TrimRight(cut[:i], " ,;:-–")
	}
	return string(characters[:maxLength])
}

// webManifest is a web application manifest (W3C).
type webManifest struct {
	Name        string         `json:"name"`
	ShortName   string         `json:"short_name"`
	Description string         `json:"description,omitempty"`
	ID          string         `json:"id"`
	StartURL    string         `json:"start_url"`
	Scope       string         `json:"scope"`
	Display     string         `json:"display"`
	Icons       []manifestIcon `json:"icons"`
}

type manifestIcon struct {
	Src   string `json:"src"`
	Sizes string `json:"sizes"`
	Type  string `json:"type"`
}

func (r *renderer) manifest() error {
	home := r.view.Base + "/"
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	// Pages need the browser's address line and back button.
	err := enc.Encode(webManifest{
		Name: r.Settings.Title, ShortName: shortened(r.Settings.Title, maxShortName), Description: r.Settings.Description,
		ID: home, StartURL: home, Scope: home, Display: "browser", Icons: []manifestIcon{{home + r.view.Icon, "any", "image/svg+xml"}},
	})
	if err != nil {
		return fmt.Errorf("%s: %w", manifestPath, err)
	}
	return r.write(strings.TrimPrefix(manifestPath, "/"), bytes.TrimSuffix(out.Bytes(), []byte("\n")))
}
