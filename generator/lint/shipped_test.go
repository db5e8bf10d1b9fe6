package lint_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/lint"
	"catalog.example/generator/rule"
)

// The shipped content has no findings, and knows at least the share of each fact below, so
// that new listings are as complete as those before them. Readers can look through every
// category, and the page of each product says what they would miss.
func TestShippedContent(t *testing.T) {
	shipped, findings, err := lint.Load(t.Context(), content.Options{
		Dir: "../../content", Settings: site.Defaults(), Jobs: 2, Today: api.DateOf(time.Now()),
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		t.Error(f)
	}
	known := func(key string) func(*content.Listing) bool {
		return func(l *content.Listing) bool { return api.Known(l.FitNotes.Get(key)) }
	}
	all := func(*content.Listing) bool { return true }
	runsAtHome := func(l *content.Listing) bool { return l.FitNotes.Get("selfHosted") != false }
	usesGPU := func(l *content.Listing) bool { return runsAtHome(l) && l.FitNotes.Get("gpu") != "none" }
	for _, share := range []struct {
		what  string
		of    func(*content.Listing) bool
		is    func(*content.Listing) bool
		least float64
	}{
		{"worksOffline", all, known("worksOffline"), 0.7},
		{"arch", runsAtHome, known("arch"), 0.6},
		{"gpuVendors", usesGPU, known("gpuVendors"), 0.6},
		{"openness", all, known("openness"), 1},
		{"modelRuns", all, known("modelRuns"), 1},
		{"install links beyond docs and source", all, func(l *content.Listing) bool {
			return slices.ContainsFunc(l.InstallLinks, func(i api.InstallLink) bool { return i.Kind != "docs" && i.Kind != "source" })
		}, 0.9},
		{"asks", all, func(l *content.Listing) bool { return len(l.Asks) >= rule.MinAsks }, 1},
		{"purposes that begin with a verb", all, func(l *content.Listing) bool {
			verb := strings.TrimRight(strings.Fields(l.Purpose)[0], ",")
			return strings.HasSuffix(verb, "s")
		}, 1},
	} {
		of, is, without := 0, 0, []string{}
		for _, l := range shipped.Listings {
			if share.of(l) {
				of++
				if share.is(l) {
					is++
				} else {
					without = append(without, l.Slug)
				}
			}
		}
		if of == 0 || float64(is) < share.least*float64(of) {
			t.Errorf("%s: %d of %d listings, fewer than %.0f %%; without: %s", share.what, is, of, 100*share.least, strings.Join(without, " "))
		}
	}
	sizes := map[string]int{}
	for _, l := range shipped.Listings {
		sizes[l.Category]++
	}
	for _, c := range shipped.Taxonomy.Categories {
		if n := sizes[c.Slug]; n < 6 || n > 30 {
			t.Errorf("%s has %d listings; 6 to 30 are easy to look through", c.Slug, n)
		}
		if len(c.Asks) < 30 {
			t.Errorf("%s has %d asks, fewer than 30", c.Slug, len(c.Asks))
		}
	}
	for _, p := range shipped.Taxonomy.Products {
		if p.Misses == "" {
			t.Errorf("%s has no misses", p.Slug)
		}
	}
}
