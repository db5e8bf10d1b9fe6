package index

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
)

// What a compact index lacks is made on opening as it is in an index, byte for byte.
func TestCompactIndexHasTheSameSections(t *testing.T) {
	for name, listings := range map[string][]api.ProjectDetail{"none": nil, "some": OddListings()} {
		fullFile, compactFile := EncodeListings(t, listings)
		full, _, err := readSections(fullFile)
		if err != nil {
			t.Fatal(err)
		}
		compact, _, err := readSections(compactFile)
		if err != nil {
			t.Fatal(err)
		}
		var words compactWords
		if !decode(compact[sectionWords], &words) {
			t.Fatal("the words do not decode")
		}
		c, err := words.content(compact)
		if err != nil {
			t.Fatal(err)
		}
		made, err := do(c.tasks())
		if err != nil {
			t.Fatal(err)
		}
		for section, content := range made {
			if compact[section] != nil {
				t.Errorf("%s: %s is there and is made", name, section)
			}
			compact[section] = content
		}
		changed := []string{sectionDocuments, sectionBounds, sectionParts, sectionSettings, sectionTaxonomy}
		for section, want := range full {
			if _, ok := compact[section]; !ok {
				t.Errorf("%s: there is no section %s", name, section)
			} else if !slices.Contains(changed, section) && !bytes.Equal(compact[section], want) {
				t.Errorf("%s: the section %s differs: %d bytes, want %d", name, section, len(compact[section]), len(want))
			}
		}
	}
}

// Numbers of a forged file are not believed: the checksums are right, and it is refused in
// little memory.
func TestForgedCompactWords(t *testing.T) {
	_, compact := SmallFiles(t)
	for name, change := range map[string]func(w *compactWords){
		"more categories than numbers":            func(w *compactWords) { w.categoryCount = 1 << 31 },
		"a count that is higher than all words":   func(w *compactWords) { w.counts[0] = 1 << 31 },
		"a term that shares more than there is":   func(w *compactWords) { w.shared[0] = 7 },
		"terms that share all of each other":      func(w *compactWords) { *w = endlessTerms(1 << 16) },
		"a stem that cuts more than its term has": func(w *compactWords) { w.cuts[0] = 1 << 30 },
		"a text that is longer than the numbers":  func(w *compactWords) { w.docs.heads[2] = 1 << 30 },
		"a field that there is not":               func(w *compactWords) { w.docs.heads[1] = 1 << 9 },
		"a word that there is not":                func(w *compactWords) { w.docs.words[0] = 1 << 30 },
		"texts after the last listing":            func(w *compactWords) { w.docs.heads = append(w.docs.heads, 0) },
		"words after the last text":               func(w *compactWords) { w.docs.words = append(w.docs.words, 0) },
		"places after the last listing":           func(w *compactWords) { w.docs.terms = append(w.docs.terms, 0) },
		"classes after the last place":            func(w *compactWords) { w.docs.classes = append(w.docs.classes, 0) },
		"fewer texts than listings":               func(w *compactWords) { w.docs.heads = w.docs.heads[:3] },
		"fewer words than texts":                  func(w *compactWords) { w.docs.words = w.docs.words[:1] },
		"fewer classes than places":               func(w *compactWords) { w.docs.classes = nil },
		"a place of a term that there is not":     func(w *compactWords) { w.docs.terms[0] = 1 << 30 },
		"a class that there is not":               func(w *compactWords) { w.docs.classes[0] = 1 << 9 },
		"fewer counts than terms":                 func(w *compactWords) { w.counts = w.counts[1:] },
		"fewer stems than terms":                  func(w *compactWords) { w.cuts = w.cuts[1:] },
		"endings that are longer than there are":  func(w *compactWords) { w.endingLengths[0] = 1 << 30 },
		"terms that are longer than there are":    func(w *compactWords) { w.lengths[0] = 1 << 30 },
	} {
		s, _, err := readSections(compact)
		if err != nil {
			t.Fatal(err)
		}
		var words compactWords
		if !decode(s[sectionWords], &words) {
			t.Fatal("the words do not decode")
		}
		change(&words)
		file := withSection(t, compact, sectionWords, encode(&words))
		before := AllocatedBytes()
		if _, err := OpenCompact(file); !errors.Is(err, ErrUnusable) {
			t.Errorf("%s: %v", name, err)
		}
		if taken := AllocatedBytes() - before; taken > 64<<20 {
			t.Errorf("%s: %d bytes are taken", name, taken)
		}
	}
}

// endlessTerms returns n terms, each of which is the one before it and a letter.
func endlessTerms(n int) (w compactWords) {
	for i := range n {
		w.shared, w.lengths, w.counts = append(w.shared, uint32(i)), append(w.lengths, 1), append(w.counts, 0)
		w.cuts, w.endingLengths = append(w.cuts, 0), append(w.endingLengths, 0)
	}
	w.rest = strings.Repeat("a", n)
	return w
}
