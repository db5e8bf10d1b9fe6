package search

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/site"
)

// encodeBoth returns the index and the compact index of a catalog.
func encodeBoth(t testing.TB, c Catalog) (full, compact []byte) {
	t.Helper()
	b, err := BuilderOf(c)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := b.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	if compact, err = b.EncodeCompact(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), compact
}

// What a compact index lacks is made on opening as it is in an index, byte for byte.
func TestCompactIndexHasTheSameSections(t *testing.T) {
	projects := randomListings(300)
	projects = append(projects, listing("odd", func(p *api.ProjectDetail) {
		p.Name, p.Aliases, p.Replaces, p.Jobs = "Do It", []string{"it", "naïve büro"}, []string{"ChatGPT", "Otter.ai", "gpt4o"}, []string{"do it", "who spoke when"}
		p.Description = "A sentence. Another one with speech to text.\n\n- and a list"
	}))
	for name, listings := range map[string][]api.ProjectDetail{"none": nil, "some": projects} {
		fullFile, compactFile := encodeBoth(t, Catalog{Settings: site.Defaults(), Taxonomy: testTaxonomy(), Projects: listings})
		full, _, err := readSections(fullFile)
		if err != nil {
			t.Fatal(err)
		}
		compact, _, err := readSections(compactFile)
		if err != nil {
			t.Fatal(err)
		}
		var words compactWords
		if !decode(compact[sectionWords], &words, visitCompactWords) {
			t.Fatal("the words do not decode")
		}
		made, err := words.sections(compact)
		if err != nil {
			t.Fatal(err)
		}
		names := []string{}
		for _, s := range made {
			names = append(names, s.name)
			if compact[s.name] != nil {
				t.Errorf("%s: %s is there and is made", name, s.name)
			}
			compact[s.name] = slices.Concat(s.pieces...)
		}
		if slices.Sort(names); !slices.Equal(names, slices.Sorted(slices.Values(madeOnOpening))) {
			t.Errorf("made are %v, want %v", names, madeOnOpening)
		}
		changed := []string{sectionDocuments, sectionBounds, sectionParts, sectionTaxonomy}
		for section, want := range full {
			if !slices.Contains(changed, section) && !bytes.Equal(compact[section], want) {
				t.Errorf("%s: the section %s differs: %d bytes, want %d", name, section, len(compact[section]), len(want))
			}
		}
		a, err := Open(fullFile)
		if err != nil {
			t.Fatal(err)
		}
		b, err := OpenCompact(compactFile)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range []api.SearchQuery{
			{Limit: 50}, {Q: "chat image rtx 3060", Limit: 50}, {Q: "chatgpt alternative", Limit: 9}, {Q: "chta vidoe", Limit: 9}, everyFilter("chat", ""), everyFilter("", api.SortNewest),
			{Q: "someone to keep me company", Limit: 9}, {Q: "who spoke when", Limit: 9},
		} {
			if got, want := b.AppendSearch(nil, q), a.AppendSearch(nil, q); !bytes.Equal(got, want) {
				t.Errorf("%s: %+v: got %s, want %s", name, q, got, want)
			}
		}
	}
}

// An index and a compact index are not mistaken for each other.
func TestOpenCompactWantsACompactIndex(t *testing.T) {
	full, compact := originals(t)
	if _, err := OpenCompact(full.file); err == nil || !strings.Contains(err.Error(), "words") {
		t.Errorf("an index is opened as a compact one: %v", err)
	}
	if _, err := Open(compact.file); err == nil {
		t.Error("a compact index is opened as an index")
	}
}
