package content

import (
	"slices"
	"strings"
	"testing"

	"catalog.example/api/site"
)

// A set is chosen by the filters of a search, and each mistake in them is told.
func TestSets(t *testing.T) {
	for _, c := range []struct {
		sets string
		want []string
	}{
		{"- {slug: linux, name: Linux, description: All of Linux., search: platform=linux}\n", []string{}},
		{"- {slug: Linux, name: Linux, description: '', search: platform=beos&q=chat&view=brief}\n- {slug: two, name: Linux, description: Two., search: ''}\n", []string{
			`taxonomy/sets.yml:1:10: "Linux" is not a slug: use lower-case letters and digits, in groups joined by single hyphens`,
			"taxonomy/sets.yml:1:43: description: is missing, but required",
			`taxonomy/sets.yml:1:55: search: platform: "beos": no such platform; allowed: linux, docker`,
			`taxonomy/sets.yml:1:55: search: sets have no filter "q"`,
			`taxonomy/sets.yml:1:55: search: sets have no filter "view"`,
			`taxonomy/sets.yml:2:21: name: "Linux" is in this file twice: change one of them`,
			"taxonomy/sets.yml:2:55: search: is missing, but required",
		}},
	} {
		loaded, findings := baseFolder().with("taxonomy/sets.yml", c.sets).load(t, nil)
		got := []string{}
		for _, f := range findings {
			if f.File == "taxonomy/sets.yml" {
				got = append(got, f.String())
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
		if len(c.want) == 0 && (len(loaded.Sets) != 1 || !slices.Equal(loaded.Sets[0].Filters.Values["platform"], []string{"linux"})) {
			t.Errorf("the set is %+v", loaded.Sets)
		}
	}
}

// A set has the listings whose figures pass its filter, whatever their kind.
func TestSetsByFigures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ definition, value, finds, misses string }{
		{"kind: number, filter: {parameter: by, match: at-most}", "5", "5", "4"},
		{"kind: money, currency: EUR, filter: {parameter: by, match: at-most}", "5", "5", "4"},
		{"kind: date, filter: {parameter: by, match: after}", "2026-04", "2026", "2027"},
		{"kind: range, filter: {parameter: by, match: within}", "{from: 2, to: 4}", "3", "5"},
		{"kind: dates, filter: {parameter: by, match: within}", "{from: 2026-04, to: 2026-09}", "2026-05", "2026-10"},
		{"kind: place, filter: {parameter: by}", "{name: Dublin, latitude: 53.35, longitude: -6.26}", "53.4,-6.3", "52.5,13.4"},
	} {
		loaded, findings := baseFolder().
			with("taxonomy/facts.yml", "- {key: x, label: X, meaning: An x., "+c.definition+"}\n").
			with("projects/ant.md", strings.Replace(listingNamed("Ant", "https://code.example.org/ant"), "addedAt", "fitNotes: {x: "+c.value+"}\naddedAt", 1)).
			with("taxonomy/sets.yml", "- {slug: a, name: A, description: A., search: \"by="+c.finds+"\"}\n- {slug: b, name: B, description: B., search: \"by="+c.misses+"\"}\n").load(t, nil)
		if len(findings) > 0 || len(loaded.Sets) != 2 {
			t.Fatalf("%s: %v", c.definition, findings)
		}
		for i, want := range []int{1, 0} {
			settings := site.Defaults()
			if got := loaded.Sets[i].Of(&loaded.Taxonomy, &settings, loaded.Listings); len(got) != want {
				t.Errorf("%s: %s has %d listings, want %d", c.definition, loaded.Sets[i].Search, len(got), want)
			}
		}
	}
}
