package render

import (
	"testing"

	"catalog.example/api/site"
)

func TestTextWidth(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "i": 4, "m": 11, "Listed": 33, "runs on 8 GB": 73, "iiii": 13, "WWWW": 44,
		"\u00e9": 7, "e\u0301": 7, // composed or not
		"日本": 22, "ランプ": 33, "\u2068a\u2069": 7, "שלום": 29, "~": 9, "\u00a0": 8,
	} {
		if got := textWidth(text); got != want {
			t.Errorf("%q is %d pixels wide, want %d", text, got, want)
		}
	}
}

func TestShortened(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{{"", 4, ""}, {"four", 4, "four"}, {"fours", 4, "four"}, {"a name, of words", 9, "a name"}, {"a name of words",
		9, "a name of"}, {"日本語のカタログ", 3, "日本語"}} {
		if got := Shortened(c.text, c.most); got != c.want {
			t.Errorf("Shortened(%q, %d) = %q, want %q", c.text, c.most, got, c.want)
		}
	}
}

// The footer does not say the title twice.
func TestAbout(t *testing.T) {
	for description, want := range map[string]string{
		"Odd Museums, with the facts to choose by.": "Odd Museums, with the facts to choose by.", "odd museums of Europe.": "odd museums of Europe.",
		"Small houses.": "Odd Museums: Small houses.",
	} {
		view := SiteView{Settings: &site.Settings{Title: "Odd Museums", Description: description}}
		if got := view.About(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestBadgeLabel(t *testing.T) {
	for title, want := range map[string]string{
		"Games": "Listed: Games", "Open-source AI catalogue": "Listed: Open-source AI catalogue",
		"Open-source AI catalogues": "Listed: Open-source AI…", "Trails - and more in the Alps": "Listed: Trails - and more in the…",
	} {
		view := SiteView{Settings: &site.Settings{Title: title}, Words: &Words{}}
		if got := view.BadgeLabel(); got != want {
			t.Errorf("%q becomes %q, want %q", title, got, want)
		}
	}
}
