package lint_test

import (
	"slices"
	"testing"
	"time"

	"catalog.example/api/search/index"
	"catalog.example/api/site"
	"catalog.example/generator"
	"catalog.example/generator/content"
)

// shippedContent checks the shipped content by the settings of this repository.
func shippedContent(t *testing.T) (*content.Content, []content.Finding, site.Settings) {
	t.Helper()
	settings, err := generator.LoadSettings("../../catalog.yml", func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	c, findings, err := generator.Check(t.Context(), content.Options{
		Dir: "../../content", Settings: settings, Jobs: 2, Today: content.LatestDay(time.Now()),
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	return c, findings, settings
}

// The shipped content has no findings, as `make check-content` checks it.
func TestShippedContent(t *testing.T) {
	c, findings, settings := shippedContent(t)
	for _, f := range findings {
		t.Error(f)
	}
	if len(c.Listings) < 300 || len(c.Pages) == 0 || len(c.Taxonomy.Synonyms) == 0 {
		t.Errorf("%d listings, %d pages, %d synonyms: the content is not all there", len(c.Listings), len(c.Pages), len(c.Taxonomy.Synonyms))
	}
	if len(settings.Rules) == 0 || len(settings.Shares) == 0 {
		t.Error("catalog.yml sets no rules or shares")
	}
}

// Of the facts by which people choose, most have a source in the 200 listings with most stars.
func TestTheBestKnownHaveSources(t *testing.T) {
	c, _, _ := shippedContent(t)
	list := slices.Clone(c.Listings)
	slices.SortFunc(list, func(a, b *content.Listing) int { return index.ComparePopular(&a.Project, &b.Project) })
	list = list[:200]
	for _, key := range []string{"gpu", "worksOffline", "apiKey", "openness"} {
		sourced := 0
		for _, l := range list {
			if l.Sources["fitNotes."+key] != "" {
				sourced++
			}
		}
		if sourced < 140 {
			t.Errorf("%s has a source in %d of the %d listings with most stars, want 140", key, sourced, len(list))
		}
	}
}

// Many listings and products have a logo, and all categories and platforms an icon.
func TestShippedLogos(t *testing.T) {
	c, _, _ := shippedContent(t)
	listings, products, categories, platforms := 0, 0, 0, 0
	for _, logo := range c.Logos.List {
		listings, products = listings+len(logo.Listings), products+len(logo.Products)
		categories, platforms = categories+len(logo.Categories), platforms+len(logo.Platforms)
	}
	if listings < 130 || products < 150 {
		t.Errorf("%d listings and %d products have a logo", listings, products)
	}
	if categories != len(c.Taxonomy.Categories) || platforms != len(c.Taxonomy.Platforms) {
		t.Errorf("%d categories and %d platforms have an icon", categories, platforms)
	}
}
