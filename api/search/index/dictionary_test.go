package index

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/spelling"
)

func dictionaryOf(t *testing.T, texts []string) Dictionary {
	t.Helper()
	var d Dictionary
	ok := d.open(encodeDictionary(texts))
	if !ok || d.N != len(texts) {
		t.Fatalf("%v, %d texts of %d", ok, d.N, len(texts))
	}
	return d
}

// randomTexts returns texts of few letters: many share a prefix, and some are longer
// than a sort key.
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
		if string(d.Text(i)) != text {
			t.Fatalf("text %d is %q, want %q", i, d.Text(i), text)
		}
		if found, ok := d.Find(text); !ok || found != i {
			t.Fatalf("%q is found at %d, %v, want %d", text, found, ok, i)
		}
	}
	for _, other := range append(randomTexts(r, 500), "", "a", "\xff\xff", "zzz") {
		want, known := slices.BinarySearch(texts, other)
		if got, ok := d.Find(other); got != want || ok != known {
			t.Errorf("find(%q): %d, %v, want %d, %v", other, got, ok, want, known)
		}
		from, to := d.PrefixRange(other)
		n := 0
		for _, text := range texts {
			if strings.HasPrefix(text, other) {
				n++
			}
		}
		if to-from != n || n > 0 && !strings.HasPrefix(string(d.Text(from)), other) {
			t.Errorf("prefixRange(%q): %d to %d, want %d texts", other, from, to, n)
		}
	}
	empty := dictionaryOf(t, nil)
	if _, ok := empty.Find("a"); ok {
		t.Error("an empty dictionary has a")
	}
}

// In a large dictionary, nearest compares texts with the same first letters.
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
	if d.N <= maxCompared {
		t.Fatalf("%d texts are not many", d.N)
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

// Suggestions for mistyped slugs of the shipped catalogue are the same as when all slugs
// are compared.
func TestNearestOfShippedSlugs(t *testing.T) {
	files, err := os.ReadDir("../../../content/projects")
	if err != nil {
		t.Fatal(err)
	}
	var slugs []string
	for _, f := range files {
		slugs = append(slugs, strings.TrimSuffix(f.Name(), ".md"))
	}
	slices.Sort(slugs)
	d := dictionaryOf(t, slugs)
	r := rand.New(rand.NewPCG(15, 16))
	found := 0
	for range 1000 {
		typo := []byte(slugs[r.IntN(len(slugs))])
		for range 1 + r.IntN(2) {
			i := r.IntN(len(typo))
			switch letter := byte('a' + r.IntN(26)); r.IntN(5) {
			case 0:
				typo[i] = letter
			case 1:
				typo = slices.Insert(typo, i, letter)
			case 2:
				typo[i], typo[len(typo)-1-i] = typo[len(typo)-1-i], typo[i]
			case 3:
				typo = append(typo, letter)
			default:
				if len(typo) > 1 {
					typo = slices.Delete(typo, i, i+1)
				}
			}
		}
		want := nearestByDefinition(string(typo), slugs, 3)
		if got := d.nearest(string(typo), 3); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", typo, got, want)
		}
		if len(want) > 0 {
			found++
		}
	}
	if found < 800 {
		t.Errorf("only %d of 1000 mistakes have suggestions", found)
	}
}

// nearestByDefinition implements the definition of spelling.Nearest directly.
func nearestByDefinition(s string, candidates []string, n int) (names []string) {
	distance := map[string]int{}
	for _, c := range candidates {
		allowed := max(1, max(len(s), len(c))/3)
		switch d := spelling.Distance(s, c); {
		case d <= allowed:
			distance[c] = d
		case len(s) >= 3 && strings.Contains(c, s) || len(c) >= 3 && len(s) >= 3 && strings.Contains(s, c):
			distance[c] = allowed + 1
		default:
			continue
		}
		names = append(names, c)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(distance[a]-distance[b], strings.Compare(a, b)) })
	return names[:min(n, len(names))]
}

// slugsLike returns n sorted slugs of usual length, or of 64 letters if long.
func slugsLike(n int, long bool) []string {
	parts := strings.Fields("open chat llm studio whisper stable diffusion web ui code agent vector db flow doc ai local voice image server hub kit lab mini turbo graph")
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%s-%s-%d", parts[i%len(parts)], parts[i/len(parts)%len(parts)], i)
		if long {
			list[i] = (list[i] + strings.Repeat("-abcdefgh", 8))[:64]
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// An unknown slug takes less than 1 ms in a catalogue of any size, or 2 ms on a slow machine.
// The fastest of many runs counts, because other programs slow some down.
func TestNearestIsBounded(t *testing.T) {
	most := 2 * time.Millisecond
	if HasRaceDetector() {
		most *= 20
	}
	for _, n := range []int{389, 4000, 100_000} {
		d := dictionaryOf(t, slugsLike(n, true))
		for _, slug := range []string{"stable-diffusion-" + strings.Repeat("abcdefgh", 8)[:47], strings.Repeat("e-", 32)} {
			fastest := time.Hour
			for range 50 {
				began := time.Now()
				d.nearest(slug, api.MaxSuggestions)
				fastest = min(fastest, time.Since(began))
			}
			if fastest > most {
				t.Errorf("%q among %d slugs takes %v, more than %v", slug, n, fastest, most)
			}
		}
	}
}
