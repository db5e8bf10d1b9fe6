package render

import (
	"encoding/xml"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/generator/content"
)

func TestMonogram(t *testing.T) {
	for name, want := range map[string]string{
		"Ollama": "O", "Open WebUI": "OW", "llama.cpp": "lc", "n8n": "n", "AI_NovelGenerator": "AN", "9Router": "9",
		"three more words": "tm", "": "", "…": "", "e\u0301t e\u0301te\u0301": "ee", "日本 語": "日語", "C++ Builder": "CB",
		"𝒜lpha (beta)": "𝒜b", "مثال": "م",
	} {
		if got := monogram(name); got != want {
			t.Errorf("the monogram of %q is %q, want %q", name, got, want)
		}
	}
}

// A logo is found by the slug of a listing, its former slugs, or that of a product. What has none has a
// monogram, the same wherever it is shown.
func TestLogo(t *testing.T) {
	const svg = content.SVGRoot + `><path d="M1 1h2"/></svg>` + "\n"
	ant, bee := &content.Listing{}, &content.Listing{}
	ant.Slug, ant.Name, ant.Formerly = "ant", "Ant Hill", []string{"emmet"}
	bee.Slug, bee.Name = "bumble-bee", "Bumble Bee"
	s := &Shared{Site: &Site{Content: &content.Content{Logos: content.Logos{List: []content.Logo{
		{Name: "hill", Listings: []string{"emmet"}, Products: []string{"paid"}, SVG: []byte(svg)},
		{Name: "eye", Categories: []string{"vision"}, SVG: []byte(strings.Replace(svg, `24">`, `24" fill="none">`, 1))},
	}}}, Listings: []*content.Listing{ant, bee}}, Assets: map[string][]byte{}}
	s.View.Base = "/base"
	s.prepareLogos()
	file := s.ListingLogo(&ant.Project).File
	if text := s.Assets[strings.TrimPrefix(file, "/base/")]; string(text) != svg {
		t.Errorf("the file %s of the logo has %q", file, text)
	}
	if got := s.ProductLogo(&api.Product{Slug: "paid", Name: "Paid"}).File; got != file {
		t.Errorf("the logo of the product is %s, want %s", got, file)
	}
	if got, want := s.ListingLogo(&bee.Project), (Logo{Letters: "BB", Tint: 2}); got != want {
		t.Errorf("the monogram is %+v, want %+v", got, want)
	}
	if got := s.LogosOf(s.Listings); got != "ant:hill" {
		t.Errorf("page code is told %q", got)
	}
	icon := s.Icon("/categories/vision/")
	sprite := s.Assets[strings.TrimSuffix(strings.TrimPrefix(icon, "/base/"), "#vision")]
	if want := `<svg xmlns="http://www.w3.org/2000/svg"><symbol id="vision" viewBox="0 0 24 24" fill="none"><path d="M1 1h2"/></symbol></svg>` + "\n"; string(sprite) != want {
		t.Errorf("the sprite %s is\n%s, want\n%s", icon, sprite, want)
	}
	if err := xml.Unmarshal(sprite, new(struct{})); err != nil {
		t.Error(err)
	}
	if got := s.Icon("/platforms/vision/"); got != "" {
		t.Errorf("a platform has the icon %s of a category", got)
	}
}
