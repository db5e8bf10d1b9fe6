package page

import (
	"strings"

	"catalog.example/api"
	"catalog.example/api/spdx"
	"catalog.example/generator/content"
	"catalog.example/generator/render"
)

// itemList returns the ItemList of a page of the list. Its numbers continue from page to page.
func (l *list) itemList(first int, shown []*content.Listing) render.Node {
	items := make([]render.ListItem, len(shown))
	for i, one := range shown {
		items[i] = render.ListItem{Type: "ListItem", Name: one.Name, Position: first + i + 1, URL: one.PageURL}
	}
	return render.Node{"@type": "ItemList", "name": l.title, "numberOfItems": l.total(), "itemListElement": items}
}

// subject returns the node of a listing: a SoftwareApplication, or a Product in a catalogue without
// repositories. It has only known facts. It has no rating, because stars are not ratings. Open
// source has the price 0, unless the fact priceKey says another; other prices are unknown. Categories are
// given as subcategories, because they are the catalogue's own.
func (s *catalog) subject(l *content.Listing) render.Node {
	n := render.Node{"name": l.Name, "description": l.Purpose, "mainEntityOfPage": l.PageURL, "url": l.PageURL}
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
	if picture := s.picturePath(listingPage{l: l}.path()); picture != "" {
		n["image"] = s.Settings.URL(picture)
	}
	category, _ := s.Content.Taxonomy.Category(l.Category)
	if price, ok := l.FitNotes.Get(priceKey).(api.Money); ok {
		n["offers"] = offer(price)
	}
	if !s.View.Has("repositoryUrl") {
		n["@type"], n["@id"], n["category"] = "Product", l.PageURL+"#product", category.Name
		if properties := s.properties(&l.Project); len(properties) > 0 {
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
	if render.Is(l.OSIApproved, true) && n["offers"] == nil {
		n["offers"] = offer(api.Money{Currency: "USD"})
	}
	if names := s.PlatformNames(l.Platforms); len(names) > 0 {
		n["operatingSystem"] = strings.Join(names, ", ")
	}
	if l.License != nil {
		n["license"] = licenseAddress(*l.License)
	}
	put("featureList", s.Content.Taxonomy.Chips(l.FitNotes))
	if l.DocsURL != nil {
		n["softwareHelp"] = render.Node{"@type": "CreativeWork", "url": *l.DocsURL}
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

// priceKey is the key of the fact, of the kind money, for which a listing is offered.
const priceKey = "price"

func offer(price api.Money) render.Node {
	return render.Node{"@type": "Offer", "price": price.Amount, "priceCurrency": price.Currency}
}

// withPictures adds pictures to the node of a listing. They say more of a product than the picture for
// link previews does, whose place they take.
func withPictures(n render.Node, pictures []api.Picture) render.Node {
	var list []render.Node
	for _, p := range pictures {
		list = append(list, render.Node{"@type": "ImageObject", "contentUrl": p.URL, "caption": p.Alt,
			"width": p.Width, "height": p.Height})
	}
	switch {
	case list == nil:
	case n["@type"] == "Product":
		n["image"] = list
	default:
		n["screenshot"] = list
	}
	return n
}

// properties returns the known facts of a listing but pictures, each as a PropertyValue.
func (s *catalog) properties(p *api.Project) (list []render.Node) {
	for i := range s.Content.Taxonomy.Facts {
		f := &s.Content.Taxonomy.Facts[i]
		v := p.FitNotes.Get(f.Key)
		if !api.Known(v) || f.Kind.IsApart() {
			continue
		}
		n := render.Node{"@type": "PropertyValue", "propertyID": f.Key, "name": f.Label, "value": s.FactText(f, v)}
		if f.Unit != "" {
			n["unitText"] = f.Unit
		}
		switch v := v.(type) {
		case bool, float64:
			n["value"] = v
		case api.Money:
			n["value"], n["unitText"] = v.Amount, v.Currency
		case api.Range:
			if n["maxValue"] = v.To; v.From != nil {
				n["minValue"] = *v.From
			}
		case api.Place:
			n["valueReference"] = render.Node{"@type": "GeoCoordinates", "latitude": v.Latitude,
				"longitude": v.Longitude}
		case api.Link:
			n["url"] = v.URL
		case []string:
			if f.Kind == api.FactRelation {
				n["value"] = strings.Join(namesOf(v, s.bySlug), ", ")
			}
		}
		list = append(list, n)
	}
	return list
}

// namesOf returns the names of listings.
func namesOf(slugs []string, bySlug map[string]*content.Listing) (names []string) {
	for _, slug := range slugs {
		if l := bySlug[slug]; l != nil {
			names = append(names, l.Name)
		}
	}
	return names
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
