package lint_test

import (
	"testing"
	"time"

	"catalog.example/generator"
	"catalog.example/generator/content"
)

// The shipped content has no findings by the settings of this repository, as `make
// check-content` checks it.
func TestShippedContent(t *testing.T) {
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
