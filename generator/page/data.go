package page

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"catalog.example/api"
)

// schemaVersion is the version of the format of catalog.json, catalog.jsonl and taxonomy.json.
// Within a version, fields are only added.
const schemaVersion = 1

// catalogHead is the beginning of catalog.json, and the first line of catalog.jsonl.
type catalogHead struct {
	SchemaVersion int     `json:"schemaVersion"`
	Version       string  `json:"version"` // hash of the listings: 32 hexadecimal digits
	Title         string  `json:"title"`
	License       *string `json:"license"` // SPDX expression; null if the owner names none
	Total         int     `json:"total"`
}

// dataFiles writes the API's files about the whole catalogue.
type dataFiles struct{ *catalog }

// languages writes the languages of the site.
func (s dataFiles) languages() error {
	var list api.Languages
	for _, l := range s.Languages {
		list.Languages = append(list.Languages, api.SiteLanguage{Language: l.Tag, Name: l.Name, BaseURL: l.Base})
	}
	return s.writeJSON(api.PathLanguages[1:], list)
}

// wholeCatalog writes all listings in one file, as one JSON object and as lines of JSON, in
// the order of sort=popular.
func (s dataFiles) wholeCatalog() error {
	texts, lines := make([][]byte, len(s.Listings)), [][]byte{nil}
	hash, newline := sha256.New(), []byte{'\n'}
	for i, l := range s.Listings {
		text, err := l.JSON(&s.Settings, s.Memo)
		if err != nil {
			return err
		}
		texts[i] = text
		lines = append(lines, text, newline)
		hash.Write(text)
		hash.Write(newline)
	}
	head := catalogHead{
		SchemaVersion: schemaVersion, Version: hex.EncodeToString(hash.Sum(nil)[:16]),
		Title: s.Settings.Title, Total: len(s.Listings),
	}
	if s.Settings.DataLicense != "" {
		head.License = &s.Settings.DataLicense
	}
	first, err := api.JSON(head)
	if err != nil {
		return fmt.Errorf("the whole catalogue: %w", err)
	}
	lines[0] = append(first, '\n')
	if err := s.write("api/v1/catalog.jsonl", lines...); err != nil {
		return err
	}
	return s.writeLists("api/v1/catalog.json", struct {
		catalogHead
		Projects []json.RawMessage `json:"projects"`
	}{head, []json.RawMessage{}}, "projects", "", texts)
}

// apiLink is a link of the index of the API.
type apiLink struct {
	Name  string `json:"name"`
	URL   string `json:"url"` // parts in braces are placeholders
	About string `json:"about"`
}

// index writes the response to /api/v1/: links to everything below it.
func (s dataFiles) index() error {
	set := &s.Settings
	links := []apiLink{
		{"projects", api.Address(set, api.PathProjects), "The first 50 listings."},
		{"project", api.Address(set, api.PathProject), "One listing."},
		{"taxonomy", api.Address(set, api.PathTaxonomy),
			"The values of categories, facts and other filters, with their counts."},
		{"catalog", set.URL(api.PathCatalog), "The whole catalogue as one JSON object."},
		{"catalog-lines", set.URL(api.PathCatalogLines),
			"The whole catalogue as lines of JSON: first the catalogue itself, then one listing per line."},
		{"list", set.URL(api.PathList),
			"Pre-sorted pages of 50 listings: order is " + anyOf(s.Content.Taxonomy.ListOrders()) +
				"; the first page is 1."},
		{"category-list", set.URL(api.PathCategoryList), "The same for the listings of a category."},
		{"openapi", api.Address(set, api.PathOpenAPI), "OpenAPI 3.1 description."},
		{"docs", set.URL("/docs/"), "Documentation of the API."},
		{"llms", set.URL("/llms.txt"), "Guide for agents."},
	}
	if set.HasServer() {
		links[0].About = "All listings, in pages. Use slugs=a,b to get only some of them."
		about := "Search and filter the listings, with q and the parameters in the OpenAPI description."
		links = slices.Insert(links, 0, apiLink{"search", set.SearchBase() + api.PathSearch, about})
	}
	return s.writeJSON("api/v1/index.json", struct {
		Title   string    `json:"title"`
		Version string    `json:"version"`
		Links   []apiLink `json:"links"`
	}{set.Title, api.InterfaceVersion, links})
}

// anyOf lists values: "a, b or c".
func anyOf(values []string) string {
	last := len(values) - 1
	return strings.Join(values[:last], ", ") + " or " + values[last]
}

// The parts of taxonomy.json. Counts are numbers of listings.
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
		Count       int    `json:"count"` // listings whose home category this is
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
		Currency  *string        `json:"currency"`  // of the amounts that filters compare
		Sort      *api.Direction `json:"sort"`      // null unless there is an order by the fact: sort=KEY
		Parameter *string        `json:"parameter"` // the search parameter; null if the fact is not a filter
		Known     int            `json:"known"`     // number of listings in which the fact is known
		Values    []countedValue `json:"values"`    // for a yes-no fact (true, false) or a choice
	}
	countedValue struct {
		Value string `json:"value"`
		Label string `json:"label"`
		Count int    `json:"count"`
	}
)

// taxonomy writes the response to /api/v1/taxonomy.
func (s dataFiles) taxonomy() error {
	t := &s.Content.Taxonomy
	file := taxonomyFile{
		SchemaVersion: schemaVersion, Categories: []countedCategory{}, Platforms: []countedPlatform{},
		Products: []countedProduct{}, Facts: []countedFact{},
	}
	home, on, instead := by(s.Listings, categoryOf), by(s.Listings, platformsOf), by(s.Listings, replacedBy)
	for _, c := range t.Categories {
		counted := countedCategory{c.Slug, c.Name, c.Description, c.Group, len(home[c.Slug])}
		file.Categories = append(file.Categories, counted)
	}
	for _, p := range t.Platforms {
		file.Platforms = append(file.Platforms, countedPlatform{p.Slug, p.Name, p.System, len(on[p.Slug])})
	}
	for _, p := range t.Products {
		counted := countedProduct{p.Slug, p.Name, p.Aliases, p.Maker, orNull(p.Misses), len(instead[p.Name])}
		file.Products = append(file.Products, counted)
	}
	for i := range t.Facts {
		file.Facts = append(file.Facts, s.countedFact(&t.Facts[i]))
	}
	return s.writeJSON("api/v1/taxonomy.json", file)
}

// orNull returns nil for an empty text.
func orNull[T ~string](text T) *T {
	if text == "" {
		return nil
	}
	return &text
}

// countedFact counts the values of a fact.
func (s dataFiles) countedFact(f *api.Fact) countedFact {
	c := countedFact{Key: f.Key, Kind: f.Kind, Label: f.Label, Meaning: api.MeaningOf(f), Unit: orNull(f.Unit),
		Currency: orNull(f.Currency), Sort: orNull(f.Sort), Values: []countedValue{}}
	if f.Filter != nil {
		c.Parameter = &f.Filter.Parameter
	}
	counts := map[string]int{}
	for _, l := range s.Listings {
		value := l.FitNotes.Get(f.Key)
		if api.Known(value) {
			c.Known++
		}
		for _, slug := range f.Slugs(value) {
			counts[slug]++
		}
	}
	if f.Kind == api.FactYesNo {
		c.Values = []countedValue{{"true", f.Text(true), counts["1"]}, {"false", f.Text(false), counts["0"]}}
	}
	for _, o := range f.Values {
		c.Values = append(c.Values, countedValue{o.Slug, o.Label, counts[o.Slug]})
	}
	return c
}
