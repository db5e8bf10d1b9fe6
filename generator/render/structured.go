package render

import (
	"encoding/json"
	"fmt"
	"html/template"
	"strings"

	"catalog.example/api"
	"catalog.example/api/spdx"
	"catalog.example/generator/content"
)

// node is an object of structured data: a schema.org type with its properties,
// written as JSON-LD 1.1.
type node map[string]any

// structured returns a page's structured data for its script element: the way to
// the page, and what it shows. It is "" where there is neither.
//
// The browser executes no script of this type, so that a Content-Security-Policy
// without unsafe-inline lets it stand in the page.
func (r *renderer) structured(view *pageView, shown node) (template.JS, error) {
	var graph []node
	if shown != nil {
		graph = append(graph, shown)
	}
	if len(view.Crumbs) > 0 {
		graph = append(graph, r.breadcrumbs(view))
	}
	if len(graph) == 0 {
		return "", nil
	}
	text, err := json.Marshal(node{"@context": "https://schema.org", "@graph": graph})
	if err != nil {
		return "", fmt.Errorf("structured data of %s: %w", view.Path, err)
	}
	return template.JS(text), nil // #nosec G203 -- json.Marshal escapes <, > and &, so that nothing ends the element
}

// breadcrumbs is the BreadcrumbList of a page, from the home page on.
func (r *renderer) breadcrumbs(view *pageView) node {
	items := make([]itemNode, 1, len(view.Crumbs)+1)
	items[0] = listItem(1, "Home", r.Settings.URL("/"))
	for i, c := range view.Crumbs {
		path := c.Path
		if path == "" {
			path = view.Path
		}
		items = append(items, listItem(i+2, c.Title, r.Settings.URL(path)))
	}
	return node{"@type": "BreadcrumbList", "itemListElement": items}
}

// itemNode is a ListItem: a struct, because they are most of all nodes, and
// encoding a map takes several times as long. Its keys are in the order of a map's.
type itemNode struct {
	Type     string `json:"@type"`
	Item     string `json:"item,omitempty"` // the address of a step of a way
	Name     string `json:"name"`
	Position int    `json:"position"`
	URL      string `json:"url,omitempty"` // the address of an entry of a list
}

func listItem(position int, name, address string) itemNode {
	return itemNode{Type: "ListItem", Item: address, Name: name, Position: position}
}

// itemList is the ItemList of a page of a collection: its listings, numbered
// through all pages of the collection.
func (r *renderer) itemList(c *collection, first int, shown []*content.Listing) node {
	items := make([]itemNode, len(shown))
	for i, l := range shown {
		items[i] = itemNode{Type: "ListItem", Name: l.Name, Position: first + i + 1, URL: l.PageURL}
	}
	return node{"@type": "ItemList", "name": c.title, "numberOfItems": len(c.listings), "itemListElement": items}
}

// subject is what a listing is of: a SoftwareApplication, or in a catalog whose
// listings have no repository a Product. Only what is known is said: there is neither
// a rating, because stars are none, nor a price.
func (r *renderer) subject(l *content.Listing) node {
	n := node{"name": l.Name, "description": l.Purpose, "mainEntityOfPage": l.PageURL, "url": l.PageURL}
	put := func(key string, values []string) {
		if len(values) > 0 {
			n[key] = values
		}
	}
	put("alternateName", l.Aliases)
	if len(l.Topics) > 0 {
		n["keywords"] = strings.Join(l.Topics, ", ")
	}
	if l.HomepageURL != nil {
		n["url"] = *l.HomepageURL
	}
	if picture := r.picturePath(l); picture != "" {
		n["image"] = r.Settings.URL(picture)
	}
	category, _ := r.Content.Taxonomy.Category(l.Category)
	if !r.view.Has("repositoryUrl") {
		n["@type"], n["@id"], n["category"] = "Product", l.PageURL+"#product", category.Name
		if properties := r.properties(&l.Project); len(properties) > 0 {
			n["additionalProperty"] = properties
		}
		return n
	}
	n["@type"], n["@id"], n["applicationCategory"] = "SoftwareApplication", l.PageURL+"#software", category.Name
	n["dateModified"] = changed(l)
	if names := r.platformNames(l.Platforms); len(names) > 0 {
		n["operatingSystem"] = strings.Join(names, ", ")
	}
	if l.License != nil {
		n["license"] = licenseAddress(*l.License)
	}
	put("featureList", r.Content.Taxonomy.Chips(l.FitNotes))
	if l.DocsURL != nil {
		n["softwareHelp"] = node{"@type": "CreativeWork", "url": *l.DocsURL}
	}
	if l.HomepageURL != nil {
		n["sameAs"] = []string{l.RepositoryURL}
	} else {
		n["url"] = l.RepositoryURL
	}
	return n
}

// properties are the known facts of a listing, each a PropertyValue.
func (r *renderer) properties(p *api.Project) (list []node) {
	for i := range r.Content.Taxonomy.Facts {
		f := &r.Content.Taxonomy.Facts[i]
		v := p.FitNotes.Get(f.Key)
		if !api.Known(v) {
			continue
		}
		n := node{"@type": "PropertyValue", "propertyID": f.Key, "name": f.Label, "value": f.Text(v)}
		if f.Kind == api.FactNumber || f.Kind == api.FactYesNo {
			n["value"] = v
		}
		if f.Unit != "" {
			n["unitText"] = f.Unit
		}
		list = append(list, n)
	}
	return list
}

// licenseAddress returns the page of a single SPDX licence, and any other
// expression as it is: schema.org takes both.
func licenseAddress(expression string) string {
	e, _ := spdx.Parse(expression)
	if id, ok := e.SingleID(); ok && !strings.HasSuffix(id, "+") {
		return "https://spdx.org/licenses/" + id + ".html"
	}
	return expression
}

// feedOf returns the address of the feed that belongs to a page: that of the
// category, or of the whole site.
func (r *renderer) feedOf(path string) (address, title string) {
	if rest, ok := strings.CutPrefix(path, "/categories/"); ok && rest != "" {
		slug, _, _ := strings.Cut(rest, "/")
		if c, ok := r.Content.Taxonomy.Category(slug); ok {
			return r.view.Base + "/categories/" + c.Slug + "/feed.xml", c.Name
		}
	}
	return r.view.Base + "/feed.xml", "Newest listings"
}

// metaView is what the meta elements of a page say, beside its title,
// description and canonical link.
type metaView struct {
	Kind             string        // an Open Graph type (ogp.me)
	Picture          string        // absolute; "" where there is none
	PictureText      string        // what the picture shows, for those who do not see it
	Width, Height    int           // of the picture, in pixels
	Links            template.HTML // to what belongs to the page: see linksView
	StructuredScript template.JS
}

// linksView is what pages link to for machines. It is the same for many pages.
type linksView struct {
	Title                string // of the site
	Feed, FeedTitle      string
	OpenSearch, Manifest string
}

// meta fills in a page's meta elements.
func (r *renderer) meta(view *pageView) error {
	m := metaView{Kind: "website", Width: pictureWidth, Height: pictureHeight}
	links := linksView{Title: r.Settings.Title, OpenSearch: r.view.Base + openSearchPath, Manifest: r.view.Base + manifestPath}
	links.Feed, links.FeedTitle = r.feedOf(view.Path)
	var err error
	if m.Links, err = r.shared("links", links.Feed, links); err != nil {
		return err
	}
	if r.pictures != nil {
		m.Picture, m.PictureText = r.Settings.URL(sitePicturePath), r.Settings.Title
	}
	var shown node
	switch {
	case view.listing != nil:
		m.Kind = "article"
		shown = r.subject(view.listing)
		if picture := r.picturePath(view.listing); picture != "" {
			m.Picture, m.PictureText = r.Settings.URL(picture), view.listing.Name+": "+view.listing.Purpose
		}
	case view.list != nil:
		shown = view.list
	case view.Path == "/":
		shown = node{"@type": "WebSite", "name": r.Settings.Title, "description": r.Settings.Description, "url": r.Settings.URL("/")}
	}
	if m.StructuredScript, err = r.structured(view, shown); err != nil {
		return err
	}
	view.Meta = m
	return nil
}
