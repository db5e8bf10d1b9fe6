package search

import (
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
)

func TestWordCounter(t *testing.T) {
	c := newWordCounter([]string{"whisper", "blender", "unheard"})
	for _, text := range []string{
		"Whisper, and whisper.", // once, however often
		"whispered whisperings", // only near
		"Blenders blend.",       // the stem
		"A blender 3D",
	} {
		c.take(api.ProjectDetail{Project: api.Project{Name: "X"}, Prose: text}, &api.Taxonomy{})
	}
	c.take(api.ProjectDetail{Project: api.Project{Name: "Y", Jobs: []string{"use whisper"}}}, &api.Taxonomy{})
	for w, want := range map[string]bounds{"whisper": {2, 3}, "blender": {1, 2}, "unheard": {0, 0}} {
		if got := c.counts[w]; got != want {
			t.Errorf("%s: %+v, want %+v", w, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	counts := wordCounts{}
	words := strings.Split("abcdefghij", "")
	for _, w := range words {
		counts[w] = bounds{2, 4}
	}
	counts["none"] = bounds{}
	right := []int{2, 3, 4, 2, 2, 2, 2, 2, 2, 2}
	with := func(totals ...int) []int { return append(totals, right[len(totals):]...) }
	tests := []struct {
		name   string
		words  []string
		totals []int
		right  int
		wrong  string // part of the error; "": none
	}{
		{"all right", words, right, 10, ""},
		{"one too few", words, with(1), 9, ""},
		{"two wrong", words, with(1, 5), 8, `2 of 10 words`},
		{"empty index", words, make([]int, 10), 0, `"a": 0, not 2 to 4`},
		{"no words", nil, nil, 0, "no words"},
		{"a word that nothing holds", []string{"none"}, []int{0}, 0, "1 of 1"},
	}
	for _, test := range tests {
		n, err := counts.check(test.words, test.totals)
		if n != test.right || (err != nil) != (test.wrong != "") || err != nil && !strings.Contains(err.Error(), test.wrong) {
			t.Errorf("%s: %d, %v, want %d, %q", test.name, n, err, test.right, test.wrong)
		}
	}
}

func TestCheckedWords(t *testing.T) {
	for _, size := range []string{realSize, "2000"} {
		c := testCorpus(t, size)
		p := testPool(t, size)
		words := p.checkedWords()
		if len(words) != checkWords || len(slices.Compact(slices.Sorted(slices.Values(words)))) != checkWords {
			t.Errorf("%s: %d words to check, want %d different ones", size, len(words), checkWords)
		}
		counts := countWords(c, words)
		for _, w := range words {
			if b := counts[w]; b.Least == 0 || b.Most > c.count/2 {
				t.Errorf("%s: %q is in %+v of %d listings", size, w, b, c.count)
			}
			for _, product := range c.taxonomy.Products {
				if strings.EqualFold(product.Name, w) {
					t.Errorf("%s: %q is a product, which has other names", size, w)
				}
			}
		}
	}
}
