package render

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"

	"catalog.example/api"
)

// schemaVersion is that of catalog.json, catalog.jsonl and taxonomy.json. Within it, fields
// are only added (contract 11).
const schemaVersion = 1

// catalogHead is the beginning of catalog.json, and the first line of catalog.jsonl.
type catalogHead struct {
	SchemaVersion int     `json:"schemaVersion"`
	Version       string  `json:"version"` // hash of the listings: 32 hexadecimal digits
	Title         string  `json:"title"`
	License       *string `json:"license"` // SPDX expression; null if the owner names none
	Total         int     `json:"total"`
}

// wholeCatalog writes all listings in one file, as one JSON object and as lines of JSON, in
// the order of sort=popular.
func (r *renderer) wholeCatalog() error {
	texts, size := make([][]byte, len(r.Listings)), 0
	for i, l := range r.Listings {
		text, err := l.JSON(&r.Settings)
		if err != nil {
			return err
		}
		texts[i], size = text, size+len(text)+1
	}
	lines := bytes.NewBuffer(make([]byte, 0, size))
	for _, text := range texts {
		lines.Write(text)
		lines.WriteByte('\n')
	}
	hash := sha256.Sum256(lines.Bytes())
	head := catalogHead{SchemaVersion: schemaVersion, Version: hex.EncodeToString(hash[:16]), Title: r.Settings.Title, Total: len(r.Listings)}
	if r.Settings.DataLicense != "" {
		head.License = &r.Settings.DataLicense
	}
	first, err := api.JSON(head)
	if err != nil {
		return fmt.Errorf("the whole catalogue: %w", err)
	}
	out := bytes.NewBuffer(make([]byte, 0, size+len(first)+len(`,"projects":[]}`)))
	out.Write(first)
	out.WriteByte('\n')
	out.Write(lines.Bytes())
	if err := r.write("api/v1/catalog.jsonl", out.Bytes()); err != nil {
		return err
	}
	out.Reset()
	out.Write(bytes.TrimSuffix(first, []byte("}")))
	out.WriteString(`,"projects":[`)
	for i, text := range texts {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(text)
	}
	out.WriteString("]}")
	return r.write("api/v1/catalog.json", out.Bytes())
}

// apiLink is a link of the index of the API.
type apiLink struct {
	Name  string `json:"name"`
	URL   string `json:"url"` // a part in braces is to be replaced
	About string `json:"about"`
}

// apiIndex writes the answer of /api/v1/: links to everything below it.
func (r *renderer) apiIndex() error {
	s := &r.Settings
	links := []apiLink{
		{"projects", api.Address(s, api.PathProjects), "The first 50 listings."},
		{"project", api.Address(s, api.PathProject), "One listing."},
		{"taxonomy", api.Address(s, api.PathTaxonomy), "The values of categories, facts and other filters, with their counts."},
		{"catalog", s.URL(api.PathCatalog), "The whole catalogue as one JSON object."},
		{"catalog-lines", s.URL(api.PathCatalogLines), "The whole catalogue as lines of JSON: the catalogue first, then one listing a line."},
		{"list", s.URL(api.PathList), "Pre-sorted pages of 50: order is popular, newest or recently-updated; pages count from 1."},
		{"category-list", s.URL(api.PathCategoryList), "The same for the listings of a category."},
		{"openapi", api.Address(s, api.PathOpenAPI), "OpenAPI 3.1 description."},
		{"docs", s.URL("/docs/"), "Documentation of the API."},
		{"llms", s.URL("/llms.txt"), "Guide for agents."},
	}
	if s.HasServer() {
		links[0].About = "All listings, in pages; slugs=a,b for some of them."
		links = slices.Insert(links, 0, apiLink{"search", s.SearchBase() + api.PathSearch, "Search and filter the listings: q and the parameters that the description names."})
	}
	text, err := api.JSON(struct {
		Title   string    `json:"title"`
		Version string    `json:"version"`
		Links   []apiLink `json:"links"`
	}{s.Title, api.InterfaceVersion, links})
	if err != nil {
		return fmt.Errorf("index of the API: %w", err)
	}
	return r.write("api/v1/index.json", text)
}

// The parts of taxonomy.json. Counts are of listings.
type (
	taxonomyFile struct {
		SchemaVersion int               `json:"schemaVersion"`
		Categories    []countedCategory `json:"categories"`
		Platforms     []countedPlatform `json:"platforms,omitempty"` // left out if listings have none
		Products      []countedProduct  `json:"products"`
		Facts         []countedFact     `json:"facts"`
	}
	countedCategory struct {
		Slug        string `json:"slug"`
		Name        string `json:"name"`
		Description string `json:"description"`
		Group       string `json:"group"`
		Count       int    `json:"count"` // at home there
	}
	countedPlatform struct {
		Slug   string `json:"slug"`
		Name   string `json:"name"`
		System bool   `json:"system"` // the operating system of a computer or phone
		Count  int    `json:"count"`
	}
	countedProduct struct {
		Slug    string   `json:"slug"`
		Name    string   `json:"name"`
		Aliases []string `json:"aliases"`
		Maker   string   `json:"maker"`
		Misses  *string  `json:"misses"` // what people who leave it would miss
		Count   int      `json:"count"`
	}
	countedFact struct {
		Key       string         `json:"key"`
		Kind      api.FactKind   `json:"kind"`
		Label     string         `json:"label"`
		Meaning   string         `json:"meaning"`
		Unit      *string        `json:"unit"`
		Parameter *string        `json:"parameter"` // of a search; null if it is no filter
		Known     int            `json:"known"`     // listings in which it is known
		Values    []countedValue `json:"values"`    // of a yes-no (true, false) or a choice
	}
	countedValue struct {
		Value string `json:"value"`
		Label string `json:"label"`
		Count int    `json:"count"`
	}
)

// taxonomy writes the answer of /api/v1/taxonomy.
func (r *renderer) taxonomy() error {
	t := &r.Content.Taxonomy
	file := taxonomyFile{SchemaVersion: schemaVersion, Categories: []countedCategory{}, Platforms: []countedPlatform{}, Products: []countedProduct{}, Facts: []countedFact{}}
	platforms, products := map[string]int{}, map[string]int{}
	for _, l := range r.Listings {
		for _, slug := range l.Platforms {
			platforms[slug]++
		}
		for _, name := range l.Replaces {
			products[name]++
		}
	}
	for _, c := range t.Categories {
		file.Categories = append(file.Categories, countedCategory{c.Slug, c.Name, c.Description, c.Group, r.counts[c.Slug]})
	}
	for _, p := range t.Platforms {
		file.Platforms = append(file.Platforms, countedPlatform{p.Slug, p.Name, p.System, platforms[p.Slug]})
	}
	for _, p := range t.Products {
		counted := countedProduct{p.Slug, p.Name, p.Aliases, p.Maker, nil, products[p.Name]}
		if p.Misses != "" {
			counted.Misses = &p.Misses
		}
		file.Products = append(file.Products, counted)
	}
	for i := range t.Facts {
		file.Facts = append(file.Facts, r.countedFact(&t.Facts[i]))
	}
	text, err := api.JSON(file)
	if err != nil {
		return fmt.Errorf("taxonomy: %w", err)
	}
	return r.write("api/v1/taxonomy.json", text)
}

// countedFact counts the values of a fact.
func (r *renderer) countedFact(f *api.Fact) countedFact {
	c := countedFact{Key: f.Key, Kind: f.Kind, Label: f.Label, Meaning: f.Meaning, Values: []countedValue{}}
	if f.Unit != "" {
		c.Unit = &f.Unit
	}
	if f.Filter != nil {
		c.Parameter = &f.Filter.Parameter
	}
	counts := map[string]int{}
	for _, l := range r.Listings {
		value := l.FitNotes.Get(f.Key)
		if api.Known(value) {
			c.Known++
		}
		for _, slug := range f.Slugs(value) {
			counts[slug]++
		}
	}
	switch f.Kind {
	case api.FactYesNo:
		c.Values = []countedValue{{"true", f.Text(true), counts["1"]}, {"false", f.Text(false), counts["0"]}}
	case api.FactChoice, api.FactChoices:
		for _, o := range f.Values {
			c.Values = append(c.Values, countedValue{o.Slug, o.Label, counts[o.Slug]})
		}
	}
	return c
}

// faviconSize is the width and height of the shipped favicon.ico in pixels.
const faviconSize = 32

// favicon writes the icon that browsers ask for where a page names none.
func (r *renderer) favicon() error {
	icon, err := fs.ReadFile(r.Templates, "assets/favicon.ico")
	if err != nil {
		return fmt.Errorf("templates: %w", err)
	}
	return r.write("favicon.ico", icon)
}

const securityTextPath = ".well-known/security.txt"

// hasSecurityText reports whether there is a security.txt: the settings name a contact, and a
// listing has a day.
func (r *renderer) hasSecurityText() bool { return r.Settings.Contact != "" && r.latest != "" }

// securityText writes security.txt (RFC 9116). It expires a year after the latest day of any
// fact, because no file depends on the clock.
func (r *renderer) securityText() error {
	expires := api.DateOf(r.latest.Time().AddDate(1, 0, 0))
	text := fmt.Sprintf("Contact: %s\nExpires: %sT00:00:00Z\nPreferred-Languages: %s\nCanonical: %s\n", r.Settings.Contact, expires, r.Settings.Lang, r.Settings.URL("/"+securityTextPath))
	return r.write(securityTextPath, []byte(text))
}
