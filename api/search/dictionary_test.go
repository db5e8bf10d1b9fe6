package search

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func dictionaryOf(t *testing.T, texts []string) dictionary {
	t.Helper()
	d, ok := openDictionary(slices.Concat(encodeDictionary(texts)...))
	if !ok || d.n != len(texts) {
		t.Fatalf("%v, %d texts of %d", ok, d.n, len(texts))
	}
	return d
}

// randomTexts are texts of few letters, so that many begin alike and some are
// longer than a sort key.
func randomTexts(r *rand.Rand, n int) []string {
	texts := make([]string, n)
	for i := range texts {
		for range r.IntN(14) {
			texts[i] += string([]rune("abé\xff")[r.IntN(4)])
		}
	}
	return distinct(texts)
}

func TestDictionary(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	texts := randomTexts(r, 3000)
	d := dictionaryOf(t, texts)
	for i, text := range texts {
		if string(d.text(i)) != text {
			t.Fatalf("text %d is %q, want %q", i, d.text(i), text)
		}
		if found, ok := d.find(text); !ok || found != i {
			t.Fatalf("%q is found at %d, %v, want %d", text, found, ok, i)
		}
	}
	for _, other := range append(randomTexts(r, 500), "", "a", "\xff\xff", "zzz") {
		want, known := slices.BinarySearch(texts, other)
		if got, ok := d.find(other); got != want || ok != known {
			t.Errorf("find(%q): %d, %v, want %d, %v", other, got, ok, want, known)
		}
		from, to := d.beginning(other)
		n := 0
		for _, text := range texts {
			if strings.HasPrefix(text, other) {
				n++
			}
		}
		if to-from != n || n > 0 && !strings.HasPrefix(string(d.text(from)), other) {
			t.Errorf("beginning(%q): %d to %d, want %d texts", other, from, to, n)
		}
	}
	empty := dictionaryOf(t, nil)
	if _, ok := empty.find("a"); ok {
		t.Error("an empty dictionary has a")
	}
}

// In a large dictionary near texts are looked for among those that begin alike.
func TestNearestInLargeDictionary(t *testing.T) {
	var texts []string
	for a := range 26 {
		for b := range 26 {
			for c := range 26 {
				texts = append(texts, "tool-"+string([]byte{'a' + byte(a), 'a' + byte(b), 'a' + byte(c)}))
			}
		}
	}
	texts = append(texts, "whisper")
	d := dictionaryOf(t, distinct(texts))
	if d.n <= comparedWhole {
		t.Fatalf("%d texts are not many", d.n)
	}
	if got := d.nearest("whispr", 3); !slices.Equal(got, []string{"whisper"}) {
		t.Errorf("got %v", got)
	}
	if got := d.nearest("tool-xyzz", 3); len(got) != 3 || got[0] != "tool-xyz" {
		t.Errorf("got %v", got)
	}
	if got := d.nearest("", 3); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}
