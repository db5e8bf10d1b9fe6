package importer_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWrongPaths checks that a path that no entry has is an error with its place, and that nothing is written.
func TestWrongPaths(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t, map[string]string{"a.json": `[{"Name": "A", "Ticket price": "5", "tags": [], "by": null}, {"Name": "B"}]`})
	before := c.files()
	_, err := c.prepare(t.Context(), filepath.Join(c.source, "a.json"), `key: [nmae, id]
skip:
  - from: gone
fields:
  name: Nmae
  purpose: Name
  category: {from: Tikcet price, value: Others}
  fitNotes.price: Ticket prize
  fitNotes.school: {from: tags.name}
  topics: "tags[0].name"
  language: by.name
  docsUrl: [docs, Name]
  homepageUrl: "@section"
facts:
  - {key: price, kind: text, label: Price, meaning: Its price.}
  - {key: school, kind: text, label: School, meaning: Its school.}
`)
	if err == nil {
		t.Fatal("the map is accepted")
	}
	var got []string
	for line := range strings.Lines(err.Error()) {
		got = append(got, strings.TrimPrefix(strings.TrimSpace(line), c.dir+"/"))
	}
	wanted := []string{`map.yml:1:7: no entry of the source has "nmae"; did you mean Name?`,
		`map.yml:1:13: no entry of the source has "id": the source has Name, Ticket price, tags, by, @file, @folder, @path, @key, @body, @section`,
		`map.yml:3:11: no entry of the source has "gone": the source has Name, Ticket price, tags, by, @file, @folder, @path, @key, @body, @section`,
		`map.yml:5:9: no entry of the source has "Nmae"; did you mean Name?`,
		`map.yml:7:20: no entry of the source has "Tikcet price"; did you mean Ticket price?`,
		`map.yml:8:19: no entry of the source has "Ticket prize"; did you mean Ticket price?`}
	if !slices.Equal(got, wanted) {
		t.Errorf("the error is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(wanted, "\n"))
	}
	if after := c.files(); !slices.Equal(before, after) {
		t.Errorf("the import has written: %q", after)
	}
}
