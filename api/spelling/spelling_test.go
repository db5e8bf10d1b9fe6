package spelling

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// tableDistance computes the optimal string alignment distance by its definition.
func tableDistance(a, b string) int {
	ra, rb := []rune(a), []rune(b)
	d := make([][]int, len(ra)+1)
	for i := range d {
		d[i] = make([]int, len(rb)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
			case ra[i-1] == rb[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = 1 + min(d[i-1][j], d[i][j-1], d[i-1][j-1])
			}
			if i > 1 && j > 1 && ra[i-1] == rb[j-2] && ra[i-2] == rb[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(ra)][len(rb)]
}

func TestDistanceEqualsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	randomWord := func(maxLength int) string {
		word := make([]rune, r.IntN(maxLength+1))
		for i := range word {
			word[i] = []rune("abcé字\u0301")[r.IntN(6)]
		}
		return string(word)
	}
	for range 20_000 {
		a, b := randomWord(10), randomWord(10)
		if r.IntN(8) == 0 {
			a, b = randomWord(64), randomWord(90)
		}
		want := tableDistance(a, b)
		if got := Distance(a, b); got != want {
			t.Fatalf("%q and %q: %d, want %d", a, b, got, want)
		}
		if got := Distance(b, a); got != want {
			t.Fatalf("%q and %q: %d, want %d", b, a, got, want)
		}
		p := NewPattern(a)
		maxDistance := r.IntN(8)
		if got := p.Distance(b, maxDistance); got != want && (want <= maxDistance || got <= maxDistance) {
			t.Fatalf("%q and %q within %d: %d, want %d", a, b, maxDistance, got, want)
		}
	}
	long := strings.Repeat("a", 70)
	if same, other := Distance(long, long), Distance(long, long+"b"); same != 0 || other != 71 {
		t.Errorf("texts of more than 64 runes: %d and %d", same, other)
	}
}

func TestNearest(t *testing.T) {
	slugs := []string{"ollama", "open-webui", "localai", "llama-cpp", "whisper"}
	for _, test := range []struct {
		text string
		want []string
	}{
		{"olama", []string{"ollama"}},
		{"openwebui", []string{"open-webui"}},
		{"wihsper", []string{"whisper"}},
		{"webui", []string{"open-webui"}},
		{"zzzzzzzz", nil},
		{"", nil},
		{strings.Repeat("a", 1000), nil},
	} {
		if got := Nearest(test.text, slugs, 2); !slices.Equal(got, test.want) {
			t.Errorf("%q: got %v, want %v", test.text, got, test.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"kitten", "sitting", 3},
		{"ollama", "olalma", 1}, {"größe", "grösse", 2}, {"ca", "abc", 3},
	} {
		if got := Distance(test.a, test.b); got != test.want {
			t.Errorf("%q, %q: got %d, want %d", test.a, test.b, got, test.want)
		}
		if got := Distance(test.b, test.a); got != test.want {
			t.Errorf("%q, %q: got %d, want %d", test.b, test.a, got, test.want)
		}
	}
}

func TestHint(t *testing.T) {
	for text, want := range map[string]string{"biuld": "; did you mean build?", "nothing": "", "": ""} {
		if got := Hint(text, []string{"build", "serve"}); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
