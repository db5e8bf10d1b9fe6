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

// node is an object of structured data: a schema.org type with properties, in JSON-LD 1.1.
type node map[string]any

// structured returns a page's structured data for its script element: its breadcrumbs and
// its subject. It is "" if the page has neither.
//
// Browsers do not run scripts of this type, so the Content-Security-Policy allows it without
// unsafe-inline.
func (r *renderer) structured(view *pageView, shown node) (template.JS, error) {
	var graph []node
	if shown != nil {
		graph = append(graph, shown)
	}
	if len(view.Crumbs) > 0 {
		graph = append(graph, r.breadcrumbList(view))
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

// breadcrumbList returns the BreadcrumbList of a page, beginning with the home page.
func (r *renderer) breadcrumbList(view *pageView) node {
	items := make([]itemNode, 1, len(view.Crumbs)+1)
	items[0] = listItem(1, r.t("Home"), r.Settings.URL("/"))
	for i, c := range view.Crumbs {
		path := c.Path
		if path == "" {
			path = view.Path
		}
		items = append(items, listItem(i+2, c.Title, r.Settings.URL(path)))
	}
	return node{"@type": "BreadcrumbList", "itemListElement": items}
}

// itemNode is a ListItem. It is a struct because most nodes are items and encoding a map is
// several times slower. Its fields are in the order in which a map is encoded.
type itemNode struct {
	Type     string `json:"@type"`
	Item     string `json:"item,omitempty"` // the address of a breadcrumb
	Name     string `json:"name"`
	Position int    `json:"position"`
	URL      string `json:"url,omitempty"` // the address of an entry of a list
}

func listItem(position int, name, address string) itemNode {
	return itemNode{Type: "ListItem", Item: address, Name: name, Position: position}
}

// itemList returns the ItemList of a page of a collection. Its numbers continue from page to
// page.
func (r *renderer) itemList(c *collection, first int, shown []*content.Listing) node {
	items := make([]itemNode, len(shown))
	for i, l := range shown {
		items[i] = itemNode{Type: "ListItem", Name: l.Name, Position: first + i + 1, URL: l.PageURL}
	}
	return node{"@type": "ItemList", "name": c.title, "numberOfItems": c.total(), "itemListElement": items}
}

// subject returns the node of a listing: a SoftwareApplication, or a Product in a catalogue
// without repositories. It has only known facts. It has no rating, because stars are not
// ratings. Open source has the price 0; other prices are unknown. The catalogue's categories
// are its own, so they are subcategories.
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
	n["@type"], n["@id"], n["applicationSubCategory"] = "SoftwareApplication", l.PageURL+"#software", category.Name
	n["dateModified"] = changed(l)
	if l.CreatedAt != nil {
		n["datePublished"] = *l.CreatedAt
	}
	if l.Release != nil {
		n["softwareVersion"] = l.Release.Version
	}
	if is(l.OSIApproved, true) {
		n["offers"] = node{"@type": "Offer", "price": 0, "priceCurrency": "USD"}
	}
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
	switch {
	case l.RepositoryURL == "":
	case l.HomepageURL != nil:
		n["sameAs"] = []string{l.RepositoryURL}
	default:
		n["url"] = l.RepositoryURL
	}
	return n
}

// properties returns the known facts of a listing, each as a PropertyValue.
func (r *renderer) properties(p *api.Project) (list []node) {
	for i := range r.Content.Taxonomy.Facts {
		f := &r.Content.Taxonomy.Facts[i]
		v := p.FitNotes.Get(f.Key)
		if !api.Known(v) {
			continue
		}
		n := node{"@type": "PropertyValue", "propertyID": f.Key, "name": f.Label, "value": r.factText(f, v)}
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

// licenseAddress returns the address of the page of a single SPDX licence, and other
// expressions as they are. schema.org allows both.
func licenseAddress(expression string) string {
	e, _ := spdx.Parse(expression)
	if id, ok := e.SingleID(); ok && !strings.HasSuffix(id, "+") {
		return "https://spdx.org/licenses/" + id + ".html"
	}
	return expression
}

// feedOf returns the address of the feed of a page: that of its category, or of the site.
func (r *renderer) feedOf(path string) (address, title string) {
	if rest, ok := strings.CutPrefix(path, "/categories/"); ok && rest != "" {
		slug, _, _ := strings.Cut(rest, "/")
		if c, ok := r.Content.Taxonomy.Category(slug); ok {
			return r.view.Base + "/categories/" + c.Slug + "/feed.xml", c.Name
		}
	}
	return r.view.Base + "/feed.xml", r.t("Newest listings")
}

// metaView is the view of the meta elements of a page, without title, description and
// canonical link.
type metaView struct {
	Kind             string        // an Open Graph type (ogp.me)
	Picture          string        // absolute; "" for none
	PictureText      string        // alternative text
	Width, Height    int           // of the picture, in pixels
	Links            template.HTML // see linksView
	StructuredScript template.JS
}

// linksView has the link elements of a page.
type linksView struct {
	Title                string // of the site
	Feed, FeedTitle      string
	OpenSearch, Manifest string
}

// meta sets a page's meta elements.
func (r *renderer) meta(view *pageView) error {
	m := metaView{Kind: "website", Width: pictureWidth, Height: pictureHeight}
	links := linksView{Title: r.Settings.Title, Manifest: r.view.Base + manifestPath}
	if r.Settings.HasSearch() {
		links.OpenSearch = r.view.Base + openSearchPath
	}
	links.Feed, links.FeedTitle = r.feedOf(view.Path)
	var err error
	if m.Links, err = r.partial("links", links); err != nil {
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
