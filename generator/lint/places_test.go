package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"catalog.example/generator/content"
	"catalog.example/generator/lint"
	"catalog.example/generator/rule"
)

func TestFarPlaces(t *testing.T) {
	for about, test := range map[string]struct {
		count int
		place string // of the last listing
		want  string
	}{
		"near":       {12, "latitude: 52.9, longitude: 14", ""},
		"swapped":    {12, "latitude: 13, longitude: 52.5", `projects/x11.md:7:10: warning: where: is 5582 km from the middle of the others, of which half lie within 20 km: the latitude and the longitude are probably swapped; if it is right, write far-place: "off" below rules in catalog.yml`},
		"far":        {12, "latitude: -33.9, longitude: 151.2", `projects/x11.md:7:10: warning: where: is 16084 km from the middle of the others, of which half lie within 20 km: if it is right, write far-place: "off" below rules in catalog.yml`},
		"few places": {9, "latitude: 13, longitude: 52.5", ""},
	} {
		files := map[string]string{"taxonomy/facts.yml": "- {key: where, kind: place, label: Where, meaning: Where it is.}\n"}
		for i := range test.count {
			slug, place := fmt.Sprintf("x%02d", i), fmt.Sprintf("latitude: 52.5, longitude: %g", 13+float64(i)/10)
			if i == test.count-1 {
				place = test.place
			}
			files["projects/"+slug+".md"] = strings.Replace(listing(slug), "topics:", "fitNotes:\n  where: {name: Here, "+place+"}\ntopics:", 1)
		}
		if got := strings.Join(findingsOf(t, files, rule.FarPlace), "\n"); got != test.want {
			t.Errorf("%s: %s, want %s", about, got, test.want)
		}
	}
}

// Lint advises once to describe categories, and says if a page is as catalog init left it. Meanings of facts are
// missed only if the owner wants them.
func TestUnwrittenTexts(t *testing.T) {
	category := func(slug, description string) string {
		return "- {slug: " + slug + ", name: " + slug + description + ", group: All}\n"
	}
	files := map[string]string{"projects/one.md": strings.Replace(listing("one"), "category: chat", "category: a", 1),
		"taxonomy/categories.yml": category("a", "") + category("b", ", description: For the night.") + category("c", ""),
		"taxonomy/facts.yml":      "- {key: size, kind: number, label: Size}\n",
		"pages/about.md":          "---\ntitle: About\ndescription: What it is.\n---\nThis page. Write it for your readers.\n"}
	want := []string{
		"pages/about.md:5:12: warning: this is still what catalog init wrote: write the page for your readers, in the language of the catalogue",
		"taxonomy/categories.yml:1:3: warning: no description: pages show the names of the first listings instead. Where a name does not say enough, write a sentence that a beginner understands: a, c",
	}
	if got := findingsOf(t, files, rule.Unwritten); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := findingsOf(t, files, rule.Meanings); len(got) > 0 {
		t.Errorf("nobody asked for meanings: %q", got)
	}
	s := strict()
	s.Rules[rule.Meanings.Name], s.Rules[rule.Unwritten.Name] = "error", "error"
	_, found, err := lint.Load(t.Context(), content.Options{Dir: write(t, files), Settings: s, Jobs: 1, Today: "2026-11-21"}, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"taxonomy/facts.yml:1:3: meaning: the fact size has none", "taxonomy/categories.yml:1:3: no description"} {
		if !slices.ContainsFunc(found, func(f content.Finding) bool { return strings.HasPrefix(f.String(), part) }) {
			t.Errorf("%s is no error: %v", part, found)
		}
	}
}
