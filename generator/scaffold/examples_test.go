package scaffold_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/api/soak"
	"catalog.example/generator"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
	"catalog.example/generator/scaffold"
)

// TestLanguage checks that an empty catalogue may be in any language, and that only an empty one may.
func TestLanguage(t *testing.T) {
	t.Parallel()
	empty, err := scaffold.ExampleNamed("empty")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		example                 *scaffold.Example
		lang, want, description string
	}{
		{empty, "", "en", "Orte, with the facts to choose by."},
		{empty, "pt-br", "pt-BR", "Orte"},
		{empty, "deutsch!", `language "deutsch!" is not a language tag (BCP 47): write one such as en, de or pt-BR`, ""},
		{nil, "en-GB", "", ""},
		{nil, "de", `language "de": the example board-games is in English: choose the example empty`, ""},
	} {
		dir := filepath.Join(t.TempDir(), "new")
		_, err := scaffold.Write(t.Context(), dir, scaffold.Options{Example: test.example, Title: "Orte", Lang: test.lang, Today: today})
		switch {
		case err != nil:
			if err.Error() != test.want {
				t.Errorf("%q: the error is %v, want %s", test.lang, err, test.want)
			}
		case test.example == nil && test.want != "":
			t.Errorf("%q is accepted", test.lang)
		case test.example != nil:
			if settings, _, _ := load(t, dir); settings.Lang != test.want || settings.Description != test.description {
				t.Errorf("%q: the language is %q, and the description is %q", test.lang, settings.Lang, settings.Description)
			}
		}
	}
}

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
			if e.Name == "bird-watching" {
				checkGerman(t, filepath.Join(dir, "public", "de"))
			}
		})
	}
	if _, err := scaffold.ExampleNamed("board-game"); err == nil || !strings.Contains(err.Error(), `"bird-watching"`) {
		t.Errorf("an unknown example: %v", err)
	}
}

// checkGerman checks the site of bird-watching in German: its pages, and its search with stems, synonyms and facts of
// the wording.
func checkGerman(t *testing.T, public string) {
	t.Helper()
	for name, want := range map[string][]string{
		"projects/crane-bay/index.html": {"<bdi>Kranichbucht</bdi>", "8\u00a0€", "Eintritt", "Auch einen Besuch wert", "Reiherwiese", "Blässgans", "Pendelbus"},
		"projects/long-spit/index.html": {"Diese Seite ist nicht vollständig übersetzt.", `<p class="lead" lang="en">`, `: <span lang="en">end of the dyke</span>, <a`, `<tspan lang="en">end of the dyke</tspan></text>`},
		"index.html":                    {"Wo sind die Vögel gerade?", "Feuchtgebiete", `<a href="http://localhost:8080/" lang="en" hreflang="en">English</a>`},
		"about/index.html":              {"Über uns", "Die Orte sind erfunden"},
	} {
		text := read(t, filepath.Join(public, filepath.FromSlash(name)))
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s has no %q", name, part)
			}
		}
	}
	index, err := search.Open([]byte(read(t, filepath.Join(public, filepath.FromSlash(search.FileName)))))
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"Wo kann ich Kraniche sehen?": "crane-bay", "Specht": "stone-wood", "Eulen": "owl-quarry", "viele Enten im Winter": "mirror-lake",
		"Hütte": "alder-marsh", "lapwing": "", "vögel vom rollstuhl": "alder-marsh",
	} {
		var answer api.BriefSearchResponse
		if err := json.Unmarshal(index.AppendSearch(nil, api.SearchQuery{Q: query, Limit: 3, Brief: true}), &answer); err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(answer.Hits) > 0 {
			got = answer.Hits[0].Slug
		}
		if got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
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
