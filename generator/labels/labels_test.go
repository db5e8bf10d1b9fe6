package labels

import (
	"strings"
	"testing"
)

var known = map[string]bool{"Search": false, "Page {page}": false, "{n} listings": true, "{n} of {title}": true}

func parse(t *testing.T, lang, text string) *Labels {
	t.Helper()
	l, warnings, err := Parse([]byte(text), lang, known)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	return l
}

func TestTexts(t *testing.T) {
	l := parse(t, "de", "Search: Suchen\nPage {page}: Seite {page}\n")
	for _, l := range []*Labels{l, nil} {
		if got, want := l.Text("Search"), map[bool]string{true: "Search", false: "Suchen"}[l == nil]; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if got, want := l.Text("Page {page}", "page", 3), map[bool]string{true: "Page 3", false: "Seite 3"}[l == nil]; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := l.Text("Not translated {n}", "n", 1); got != "Not translated 1" {
		t.Error(got)
	}
	if got := l.Missing(known); strings.Join(got, "|") != "{n} listings|{n} of {title}" {
		t.Errorf("missing: %q", got)
	}
	// An owner may copy all texts and translate some.
	copied := parse(t, "de", "Search: Search\nPage {page}: Page {page}\n\"{n} listings\": \"{n} Einträge\"\n\"{n} of {title}\": \"{n} of {title}\"\n")
	if got := copied.Missing(known); strings.Join(got, "|") != "Page {page}|{n} of {title}" {
		t.Errorf("missing: %q", got)
	}
}

// The owner's texts go before those of the program's translation, but not those that an owner has copied and left in
// English.
func TestOver(t *testing.T) {
	below := parse(t, "de", "Search: Suchen\nPage {page}: Seite {page}\n\"{n} listings\": {one: \"{n} Eintrag\", other: \"{n} Einträge\"}\n")
	l := parse(t, "de", "Search: Finden\nPage {page}: Page {page}\n").Over(below)
	for text, want := range map[string]string{"Search": "Finden", "Page {page}": "Seite {page}", "{n} of {title}": "{n} of {title}"} {
		if got := l.Form(text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := l.Count(1, "{n} listing", "{n} listings"); got != "1 Eintrag" {
		t.Error(got)
	}
	if got := l.Missing(known); strings.Join(got, "|") != "{n} of {title}" {
		t.Errorf("missing: %q", got)
	}
}

func TestProse(t *testing.T) {
	known := map[string]bool{"A": false, "Bees. They hum.": false, "Cats.": false, "A. Bees. Dogs.": false}
	l, _, err := Parse([]byte("A: Ah\nBees. They hum.: Bienen.\nCats.: Katzen.\n"), "de", known)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"A": "Ah", "A. Cats.": "Ah. Katzen.", "Dogs bark. Bees. They hum. Cats.": "Dogs bark. Bienen. Katzen.", "Bees. Cats. ": "Bees. Katzen. ",
		"Dogs.": "Dogs.", "": "",
	} {
		if got := l.Prose(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := (*Labels)(nil).Prose("A. B."); got != "A. B." {
		t.Error(got)
	}
	if got := l.Missing(known); len(got) != 0 {
		t.Errorf("missing: %q", got)
	}
}

func TestPlurals(t *testing.T) {
	pl := parse(t, "pl", "\"{n} listings\": {one: \"{n} wpis\", few: \"{n} wpisy\", many: \"{n} wpisów\", other: \"{n} wpisu\"}\n")
	ja := parse(t, "ja", "\"{n} listings\": \"{n}件\"\n")
	de := parse(t, "de", "\"{n} listings\": {one: ein Eintrag, other: \"{n} Einträge\"}\n")
	for _, c := range []struct {
		l    *Labels
		n    int
		want string
	}{
		{pl, 1, "1 wpis"}, {pl, 3, "3 wpisy"}, {pl, 5, "5 wpisów"}, {pl, 22, "22 wpisy"}, {pl, 0, "0 wpisów"},
		{ja, 1, "1件"}, {ja, 7, "7件"}, {de, 1, "ein Eintrag"}, {de, 2, "2 Einträge"}, {nil, 1, "1 listing"}, {nil, 0, "0 listings"},
	} {
		if got := c.l.Count(c.n, "{n} listing", "{n} listings"); got != c.want {
			t.Errorf("%d: %q, want %q", c.n, got, c.want)
		}
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"[a]":                           "labels.yml:1:1: is not a mapping: write a text of a page, a colon and your text",
		"Search: [a]":                   `labels.yml:1:9: "Search" has no text: write one after the colon`,
		"Search:":                       `labels.yml:1:8: "Search" has no text: write one after the colon`,
		"Search: ''":                    `labels.yml:1:9: "Search" has no text: write one after the colon`,
		"Search: {other: a}":            `labels.yml:1:9: "Search" has no number, so it has only one form: write a text`,
		"Search: a\nSearch: b":          `labels.yml:2:1: "Search" is repeated; it is already on line 1: remove one of them`,
		"Page {page}: Seite":            `labels.yml:1:14: {page} of "Page {page}" is missing: write it where the value belongs`,
		"Page {page}: '{page} {seite}'": `labels.yml:1:14: {seite} is not a value of "Page {page}": write one of {page}`,
		`"{n} listings": {one: a}`:      `labels.yml:1:17: "{n} listings" has no form for all other numbers: add other`,
		`"{n} listings": {some: a, other: "{n}"}`: `labels.yml:1:18: "some" is not a plural category: write one of zero, one, two, few, many, other`,
		`"{n} listings": {other: all}`:            `labels.yml:1:25: {n} of "{n} listings" is missing: write it where the value belongs`,
		"Search: {":                               "labels.yml:1:10: a value is missing here, or a bracket above is not closed",
	} {
		_, _, err := Parse([]byte(text), "en", known)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	_, _, err := Parse([]byte("Search: ''\nPage {page}: x\n"), "en", known)
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("not all mistakes at once: %v", err)
	}
	_, warnings, err := Parse([]byte("Serch: Suchen\n"), "en", known)
	if err != nil || len(warnings) != 1 || At(warnings[0]) != `labels.yml:1:1: no page has the text "Serch", so its replacement has no effect; did you mean "Search"?` {
		t.Error(err, warnings)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("\"{n} listings\": {one: a, other: \"{n}\"}\nSearch: b\n")
	f.Fuzz(func(_ *testing.T, text string) {
		if l, _, err := Parse([]byte(text), "ar", known); err == nil {
			l.Count(2, "a", "{n} listings")
		}
	})
}
