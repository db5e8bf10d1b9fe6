package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/strictyaml"
)

// TestShippedIsCanonical checks that catalog fmt changes nothing in this repository.
func TestShippedIsCanonical(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"../../content", "../../generator/scaffold/examples/board-games/content", "../../generator/testdata/small", "testdata/content"} {
		settings := site.Defaults()
		files, err := content.Files(folder, settings)
		if err != nil || len(files) == 0 {
			t.Fatal(folder, err)
		}
		frontMatter, err := content.LoadFrontMatter(folder, &settings)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			name := filepath.Join(folder, filepath.FromSlash(file))
			if before, after, err := frontMatter.FormatFile(name); err != nil || !bytes.Equal(before, after) {
				t.Errorf("%s is not canonical: run catalog fmt on it: %v", name, err)
			}
		}
	}
}

// TestOtherParserAgrees parses the shipped listings with another implementation, as YAML
// 1.1 and 1.2, and compares every value with the build's.
func TestOtherParserAgrees(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../content/projects/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	odd := filepath.Join(t.TempDir(), "odd.md")
	if err := os.WriteFile(odd, []byte("---\nname: A\nfitNotes:\n  apiKey: no\n---\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	readings := decodeJSON[[]map[string]json.RawMessage](t, string(runPagecheck(t, nil, "frontmatter.mjs", append([]string{odd}, files...)...)))
	if len(readings) != 1+len(files) {
		t.Fatalf("%d files of %d were read", len(readings), 1+len(files))
	}
	// Where front matter is not canonical, the versions differ.
	if string(readings[0]["1.1"]) == string(readings[0]["1.2"]) {
		t.Errorf("as YAML 1.1 and 1.2, apiKey: no is %s", readings[0]["1.1"])
	}
	loaded, _, err := content.Load(t.Context(), content.Options{Dir: "../../content", Settings: site.Defaults(), Jobs: 2, Today: api.DateOf(time.Now())})
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range files {
		_, want, err := loaded.FrontMatter.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, version := range []string{"1.1", "1.2"} {
			// JSON is YAML.
			if got := frontMatterOf(t, loaded.Taxonomy.Facts, readings[i+1][version]); !reflect.DeepEqual(&got, want) {
				t.Errorf("%s: as YAML %s it is\n%+v, want\n%+v", file, version, got, want)
			}
		}
	}
}

// frontMatterOf decodes front matter as a build does.
func frontMatterOf(t *testing.T, facts []api.Fact, text []byte) (f api.ProjectDetail) {
	t.Helper()
	f.FitNotes = api.UnknownFacts(facts)
	doc, problems := strictyaml.Parse(text, 1)
	if doc != nil {
		problems = doc.Decode(&f)
	}
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return f
}
