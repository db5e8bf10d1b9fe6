package scaffold_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"catalog.example/api/soak"
	"catalog.example/generator"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
	"catalog.example/generator/scaffold"
)

// TestExamples checks that each example but the empty one has listings and no findings, can be built, has the
// files that all examples have, and mentions no other subject.
func TestExamples(t *testing.T) {
	t.Parallel()
	for i := range scaffold.Examples {
		e := &scaffold.Examples[i]
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			if e.Name == "instruments" { // it has 3,000 listings
				soak.Long(t)
			}
			dir := filepath.Join(t.TempDir(), "new")
			count, err := scaffold.Write(t.Context(), dir, scaffold.Options{Example: e, Today: today})
			if err != nil {
				t.Fatal(err)
			}
			settings, _, _ := load(t, dir)
			loaded, findings, err := generator.Check(t.Context(), content.Options{Dir: filepath.Join(dir, "content"), Settings: settings, Jobs: 1, Today: today}, "")
			if err != nil {
				t.Fatal(err)
			}
			got := files(t, dir)
			if count != len(got) || settings.Title != e.Title {
				t.Errorf("Write says %d files, and there are %d; the title is %q", count, len(got), settings.Title)
			}
			for _, name := range []string{"catalog.yml", "README.md", ".github/workflows/catalog.yml", ".vscode/tasks.json",
				"content/listing.schema.json", "content/pages/about.md", "content/taxonomy/categories.yml", "content/taxonomy/facts.yml"} {
				if !slices.Contains(got, name) {
					t.Errorf("there is no %s", name)
				}
			}
			checkSubject(t, dir, e, got)
			if e.IsEmpty() {
				if len(findings) != 1 || findings[0].Rule.Name != rule.NoListings.Name || len(loaded.Listings) > 0 {
					t.Errorf("the findings are %v", findings)
				}
				return
			}
			if least := map[string]int{"instruments": 3000, "bird-watching": 8}[e.Name]; len(findings) > 0 || len(loaded.Listings) < max(least, 4) {
				t.Fatalf("%d listings; findings: %v", len(loaded.Listings), findings[:min(5, len(findings))])
			}
			report, err := generator.Build(t.Context(), generator.Options{Content: filepath.Join(dir, "content"), Out: filepath.Join(dir, "public"),
				Settings: settings, Now: today.Time(), Pictures: generator.PicturesOff})
			if err != nil || report.Listings != len(loaded.Listings) || len(report.Warnings) > 0 {
				t.Errorf("%+v: %v", report, err)
			}
			hasMaps := strings.Contains(read(t, filepath.Join(dir, "public", "newest", "index.html")), `<svg class="map"`)
			if hasMaps != (e.Name == "bird-watching") { // the others have no places
				t.Errorf("the list has a map: %t", hasMaps)
			}
			for _, l := range loaded.Listings[:4] { // nothing in the examples is for sale
				if strings.Contains(read(t, filepath.Join(dir, "public", "projects", l.Slug, "index.html")), `"offers"`) {
					t.Errorf("the page of %s offers it", l.Slug)
				}
			}
		})
	}
	if _, err := scaffold.ExampleNamed("board-game"); err == nil || !strings.Contains(err.Error(), `"bird-watching"`) {
		t.Errorf("an unknown example: %v", err)
	}
}

// checkSubject checks the words in the files of an example.
func checkSubject(t *testing.T, dir string, e *scaffold.Example, names []string) {
	t.Helper()
	for _, name := range names {
		if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "content/projects/") || strings.HasSuffix(name, ".png") { // the same in every catalogue; tested by their words
			continue
		}
		text := strings.ToLower(read(t, filepath.Join(dir, name)))
		if e.Name != "board-games" && strings.Contains(text, " game") || strings.Contains(text, " tool") || strings.Contains(text, "<%") {
			t.Errorf("%s mentions games or tools, or has markup left in it", name)
		}
	}
}
