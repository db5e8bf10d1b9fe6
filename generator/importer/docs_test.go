package importer_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/generator/importer"
)

// TestDocumentedFields checks that the page for owners lists all fields of a map, and no others.
func TestDocumentedFields(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../content/pages/owners.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| field | what it is |\n| --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]*)` \\| .").FindAllStringSubmatch(table, -1) {
		listed = append(listed, row[1])
	}
	if !slices.Equal(listed[:min(len(listed), 3)], importer.Required()) {
		t.Errorf("the first fields are %q", listed)
	}
	want(t, "the table", table, "`"+strings.Join(api.InstallKinds[:len(api.InstallKinds)-1], "`, `")+"` and `"+
		api.InstallKinds[len(api.InstallKinds)-1]+"`")
	slices.Sort(listed)
	wanted := append(importer.Targets(), "fitNotes.KEY", "installLinks.KIND")
	if slices.Sort(wanted); !slices.Equal(listed, wanted) {
		t.Errorf("the table has %q, want %q", listed, wanted)
	}
}

// TestDocument checks the page for owners: its table of functions, and its example from the list to the listings.
func TestDocument(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../content/pages/owners.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "\n## From a list to a site\n")
	section, _, _ = strings.Cut(section, "\n## Say what people choose by\n")
	steps, _, hasReference := strings.Cut(section, "\n## What a map can say\n")
	if !found || !hasReference {
		t.Fatal("the page has no sections about imports")
	}
	if n := len(strings.Fields(steps)); n > 600 {
		t.Errorf("the way from a list to a site takes %d words", n)
	}
	_, table, _ := strings.Cut(section, "| function | what it does |\n| --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var names []string
	for row := range strings.SplitSeq(table, "\n") {
		cells := regexp.MustCompile("^\\| `([^`]+)` \\| .+ \\|$").FindStringSubmatch(row)
		if cells == nil {
			t.Fatalf("the table of functions has the row %q", row)
		}
		names = append(names, cells[1])
	}
	if !slices.Equal(names, importer.Functions()) {
		t.Errorf("the page explains the functions %q, and there are %q", names, importer.Functions())
	}

	blocks := regexp.MustCompile("(?s)```(csv|yaml)\n(.*?)```").FindAllStringSubmatch(section, -1)
	if len(blocks) != 2 {
		t.Fatalf("the section has %d examples", len(blocks))
	}
	c := newCatalogue(t, map[string]string{"instruments.csv": blocks[0][2]})
	source := filepath.Join(c.source, "instruments.csv")
	plan := c.run(source, blocks[1][2])
	want(t, "the lute", c.read(c.listing("lute")), "category: plucked-strings\n", "  strings: 15\n", "  madeOf: [wood, gut]\n")
	want(t, "the notes", c.notes(plan), `instruments.csv:3:66: left out: homepageUrl "http://fiddle.example"`)
	guessed, _, err := importer.Guess(t.Context(), source, newCatalogue(t, nil).options())
	if err != nil {
		t.Fatal(err)
	}
	again := newCatalogue(t, nil)
	again.run(source, string(guessed))
	want(t, "the lute of the guessed map", again.read(again.listing("lute")), "category: plucked-strings\n", "  strings: 15\n")
	for _, kind := range api.KindsWith(func(k api.FactKind) bool { return k.StatedType().Kind() == reflect.Struct }) {
		row := regexp.MustCompile("(?m)^\\| `" + string(kind) + "` \\| `fitNotes[^`]*`( with)?([^|]*)").FindStringSubmatch(section)
		if row == nil {
			t.Errorf("the table of values with parts lacks %s", kind)
			continue
		}
		var texts []string
		for _, code := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(row[2], -1) {
			texts = append(texts, code[1])
		}
		if row[1] == "" { // a picture needs a file
			continue
		}
		for i, got := range imported(t, "V", "kind: "+string(kind), texts...) {
			if got == "" || got[0] == '!' && texts[i] != "9" { // this fact has no currency
				t.Errorf("%s %q becomes %q", kind, texts[i], got)
			}
		}
	}
	for _, path := range []string{"@file", "@folder", "@path", "@key", "@body", "@section", "@chapter", "@parent", "@struck"} {
		want(t, "the section", section, "`"+path+"`")
	}
}
