package index

import (
	"slices"
	"testing"

	"catalog.example/api/search/english"
)

func TestWordFilter(t *testing.T) {
	var in, out []string
	for word := range english.Words() {
		if len(in) <= len(out) {
			in = append(in, word)
		} else {
			out = append(out, word)
		}
	}
	if len(in) < 10000 || !slices.IsSorted(in) {
		t.Fatalf("%d words, sorted: %t", len(in), slices.IsSorted(in))
	}
	f := newWordFilter(in)
	for _, word := range in {
		if !f.Has(word) {
			t.Fatalf("%q was put in and is not there", word)
		}
	}
	wrong := 0
	for _, word := range out {
		if f.Has(word) {
			wrong++
		}
	}
	if wrong*50 > len(out) {
		t.Errorf("%d of %d other words seem to be there", wrong, len(out))
	}
	if WordFilter(nil).Has("word") {
		t.Error("an empty filter has a word")
	}
}
