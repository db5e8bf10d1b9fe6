package page

import (
	"strings"
	"testing"

	"catalog.example/generator/content"
)

// The notices name each logo with its licence, and have the terms of each set. Every page links them.
func TestNotices(t *testing.T) {
	s := smallSite(t)
	add(s, "ant", nil)
	shape := []byte(content.SVGRoot + `><path d="M1 1h2"/></svg>`)
	s.Content.Logos = content.Logos{
		Sets: []content.LogoSet{
			{Slug: "one", Name: "One", Version: "1.2", License: "MIT", Source: "https://one.example", Terms: "Terms of one.\n"},
			{Slug: "two", Name: "Two", Version: "3", License: "CC0-1.0", Source: "https://two.example", Terms: "Terms of two.\n"},
		},
		List: []content.Logo{
			{Name: "ant", Set: "two", Listings: []string{"ant"}, SVG: shape},
			{Name: "paid", Set: "one", Icon: "paid-co", Products: []string{"paid"}, SVG: shape},
			{Name: "bubble", Set: "one", Categories: []string{"chat"}, SVG: shape},
		},
	}
	files := built(t, s)
	want := `Logos and icons

A logo stands for the thing of its name only. Its maker may have rights in it that the licence of its set does not give.


One 1.2, MIT
https://one.example

- paid-co (MIT)
- bubble (MIT)

Terms of one.


Two 3, CC0-1.0
https://two.example

- ant (CC0-1.0)

Terms of two.
`
	if files["notices.txt"] != want {
		t.Errorf("the notices are\n%s, want\n%s", files["notices.txt"], want)
	}
	for name, parts := range map[string][]string{
		"index.html":              {`href="/notices.txt"`, `<use href="/assets/categories-`, `<img class="logo" loading="lazy" src="/assets/logo-ant-`},
		"projects/ant/index.html": {`<h1><img class="logo" loading="lazy" src="/assets/logo-ant-`},
		"embed/ant/index.html":    {`<img class="logo" loading="lazy" src="/assets/logo-ant-`},
		"search/index.html":       {`data-logos="ant"`},
		"categories/index.html":   {`<use href="/assets/categories-`},
	} {
		for _, part := range parts {
			if !strings.Contains(files[name], part) {
				t.Errorf("%s has no %s", name, part)
			}
		}
	}
	s.Content.PictureNotices = "Window: MIT, its makers."
	if got := built(t, s)["notices.txt"]; got != want+"\n\nPictures\n\nWindow: MIT, its makers.\n" {
		t.Errorf("with pictures, the notices are\n%s", got)
	}
	s.Content.Logos = content.Logos{}
	if files := built(t, s); files["notices.txt"] != "Pictures\n\nWindow: MIT, its makers.\n" || !strings.Contains(files["index.html"], "notices.txt") {
		t.Errorf("without logos, the notices are\n%s", files["notices.txt"])
	}
	s.Content.PictureNotices = ""
	for name, text := range built(t, s) {
		if name == "notices.txt" || strings.HasSuffix(name, ".html") && (strings.Contains(text, "notices.txt") || strings.Contains(text, "/logo-")) {
			t.Errorf("without logos, %s is or links a file of them", name)
		}
	}
}
