package render

import (
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
)

// Node is an object of structured data: a schema.org type with properties, in JSON-LD 1.1.
type Node map[string]any

// ListItem is an entry of a list in structured data. It is a struct because most nodes are items
// and encoding a map is several times slower. Its fields are in the order in which a map is
// encoded.
type ListItem struct {
	Type     string `json:"@type"`
	Item     string `json:"item,omitempty"` // the address of a breadcrumb
	Name     string `json:"name"`
	Position int    `json:"position"`
	URL      string `json:"url,omitempty"` // the address of an entry of a list
}

// structured returns a page's structured data for its script element: its subject and its
// breadcrumbs. It is "" if the page has neither.
//
// Browsers do not run scripts of this type, so the Content-Security-Policy allows it without
// unsafe-inline.
func (s *Shared) structured(p *Page) (template.JS, error) {
	var graph []Node
	if p.Subject != nil {
		graph = append(graph, p.Subject)
	}
	if len(p.Crumbs) > 0 {
		graph = append(graph, s.breadcrumbList(p))
	}
	if len(graph) == 0 {
		return "", nil
	}
	text, err := json.Marshal(Node{"@context": "https://schema.org", "@graph": graph})
	if err != nil {
		return "", fmt.Errorf("structured data of %s: %w", p.Path, err)
	}
	return template.JS(text), nil // #nosec G203 -- json.Marshal escapes <, > and &, so that nothing ends the element
}

// breadcrumbList returns the BreadcrumbList of a page, beginning with the home page.
func (s *Shared) breadcrumbList(p *Page) Node {
	items := []ListItem{{Type: "ListItem", Item: s.Settings.URL("/"), Name: s.T("Home"), Position: 1}}
	for i, c := range p.Crumbs {
		path := c.Path
		if path == "" {
			path = p.Path
		}
		items = append(items, ListItem{Type: "ListItem", Item: s.Settings.URL(path), Name: c.Title, Position: i + 2})
	}
	return Node{"@type": "BreadcrumbList", "itemListElement": items}
}

// Paths of files that the head of pages names.
const (
	OpenSearchPath = "/opensearch.xml"
	ManifestPath   = "/site.webmanifest"
)

// ChangesPath is the path of the page that says what changed.
const ChangesPath = "/changes/"

// FeedFile is the name of Atom feeds: one for the site, and one for each page that has news of its own.
const FeedFile = "feed.xml"

// links renders the link elements of the pages with a feed, by its path and title.
func (s *Shared) links(feed, title string) (template.HTML, error) {
	links := struct {
		Title                string // of the site
		Feed, FeedTitle      string
		OpenSearch, Manifest string
	}{Title: s.Settings.Title, Feed: s.View.Base + feed, FeedTitle: title, Manifest: s.View.Base + ManifestPath}
	if s.Settings.HasSearch() {
		links.OpenSearch = s.View.Base + OpenSearchPath
	}
	return s.Partial("links", links)
}

// metaView is the view of the meta elements of a page, without title, description and
// canonical link.
type metaView struct {
	Kind             string        // an Open Graph type (ogp.me)
	Picture          string        // absolute; "" for none
	PictureText      string        // alternative text
	Width, Height    int           // of the picture, in pixels
	Links            template.HTML // to its feed, and to the files that programs find the site by
	StructuredScript template.JS
}

// complete sets the fields that follow from what a page shows.
func (s *Shared) complete(p *Page) (err error) {
	if p.Site != nil {
		return nil
	}
	p.Site, p.Canonical, p.Alternates = &s.View, s.Settings.URL(p.Path), s.Alternates(p.Path)
	if p.Kind == "404" { // it stands for pages that no language may have
		p.Alternates = s.Alternates("/")
	}
	if strings.HasSuffix(p.Path, "/") {
		p.MarkdownPath = s.View.Base + p.Path + MarkdownFile
	}
	p.Meta = metaView{Kind: "website", Width: pictureWidth, Height: pictureHeight, Links: s.siteLinks}
	if p.Feed != "" {
		if p.Meta.Links, err = s.links(p.Feed, p.FeedTitle); err != nil {
			return err
		}
	}
	if p.IsArticle {
		p.Meta.Kind = "article"
	}
	switch {
	case p.Picture != "":
		p.Meta.Picture, p.Meta.PictureText = s.Settings.URL(p.Picture), p.Title+": "+p.Description
	case s.Drawing != nil:
		p.Meta.Picture, p.Meta.PictureText = s.Settings.URL(SitePicture), s.Settings.Title
	}
	if p.Meta.StructuredScript, err = s.structured(p); err != nil {
		return err
	}
	p.Breadcrumbs, err = s.Partial("breadcrumbs", struct {
		Base   string
		Crumbs []Crumb
	}{s.View.Base, p.Crumbs})
	return err
}
