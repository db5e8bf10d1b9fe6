package page

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/generator/render"
)

// TestPlaces checks the maps of pages, and that a catalogue without places has nothing of them.
func TestPlaces(t *testing.T) {
	s := smallSite(t)
	s.Settings.BaseURL = "https://catalog.example/birds"
	s.Content.Taxonomy.Facts = append(s.Content.Taxonomy.Facts,
		api.Fact{Key: "shop", Kind: api.FactPlace, Label: "Shop", Filter: &api.FactFilter{Parameter: "near", Match: api.MatchNear}},
		api.Fact{Key: "works", Kind: api.FactPlace, Label: "Works"})
	place := func(slug string, latitude, longitude float64) {
		add(s, slug, func(p *api.ProjectDetail) {
			p.FitNotes.Set("shop", api.Place{Latitude: latitude, Longitude: longitude, Name: "Shop & Co " + slug})
		})
	}
	place("ant", 52.5, 13.4)
	place("bee", 52.6, 13.4)
	place("cow", 40, -3)
	add(s, "dog", func(p *api.ProjectDetail) {
		p.FitNotes.Set("works", api.Place{Latitude: 1, Longitude: 2, Name: "works"})
	})
	files := built(t, s)
	land := ""
	for name := range files {
		if strings.HasPrefix(name, "assets/land-") {
			land = name
		}
	}
	use := `<use href="/birds/` + land + `#land" x="0"/>`
	const few = `<a href="/birds/categories/chat/#search-hits" aria-label="2 listings around Shop &amp; Co ant" data-of="ant bee">`
	for name, want := range map[string][]string{
		"categories/chat/index.html": {use, few, `>2 listings around Shop &amp; Co…</text>`,
			`<a href="/birds/projects/cow/" aria-label="cow" data-of="cow">`, "On the map: 3 of 4"},
		"index.html":                 {use, `<a href="/birds/newest/#search-hits" aria-label=`},
		"projects/cow/index.html":    {use, `<a href="geo:40,-3">40, -3</a>`, `aria-label="Map: Shop &amp; Co cow"`},
		"projects/dog/index.html":    {use, `Works: works, <a href="geo:1,2">1, 2</a>`},
		"projects/cow/index.html.md": {"Shop: Shop & Co cow (40, -3)"},
		"notices.txt":                {"Maps\n\n", "Natural Earth"},
	} {
		for _, part := range want {
			if !strings.Contains(files[name], part) {
				t.Errorf("%s has no %s", name, part)
			}
		}
	}
	// A longer list has filters, which its points use.
	for i := range 200 {
		place(fmt.Sprint("more-", i), 52.5, 13.4)
	}
	files = built(t, s)
	if want := `<a href="/birds/categories/chat/?near=52.5,13.4,12#search-hits" aria-label="202 listings around Shop &amp; Co ant" data-of="ant bee more-`; !strings.Contains(files["categories/chat/index.html"], want) {
		t.Errorf("a long list has no %s", want)
	}
	if strings.Contains(files["categories/chat/2/index.html"], "<circle") {
		t.Error("the second page of a list has a map")
	}

	// The name of a place that is not translated says its language.
	s.Languages = []render.Language{{Tag: "en", Base: s.Settings.BaseURL}, {Tag: "de", Base: s.Settings.BaseURL + "/de"}}
	for _, l := range s.Listings {
		l.Document.Untranslated = []string{"fitNotes.shop.name"}
	}
	files = built(t, s)
	for name, want := range map[string]string{
		"categories/chat/index.html": `>202 listings around <tspan lang="en">Shop &amp;</tspan>…</text>`,
		"projects/cow/index.html":    `><tspan lang="en">Shop &amp; Co cow</tspan></text>`,
	} {
		if !strings.Contains(files[name], want) {
			t.Errorf("%s has no %s: %s", name, want, regexp.MustCompile(`<text.*?</text>`).FindAllString(files[name], -1))
		}
	}

	plain := smallSite(t)
	add(plain, "ant", nil)
	for name, text := range built(t, plain) {
		if strings.Contains(name, "land") || strings.Contains(text, `class="map`) || strings.Contains(text, ".map ") || strings.Contains(text, "data-of") || name == "notices.txt" {
			t.Errorf("without places, %s has something of maps", name)
		}
	}
}
