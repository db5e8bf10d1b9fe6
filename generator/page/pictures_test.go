package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/render"
)

// The picture of a listing shows tags first, then what needs its label, and what is long last.
func TestFactsOfCards(t *testing.T) {
	s := smallSite(t)
	s.Pictures = true
	license := "MIT"
	add(s, "lamp", func(p *api.ProjectDetail) {
		p.License = &license
		p.FitNotes.Set("languages", []string{"de", "en"})
		p.FitNotes.Set("docker", false)
		p.FitNotes.Set("beginner", true)
		p.FitNotes.Set("gpu", "none")
	})
	c := ready(t, s)
	want := []string{"MIT", "No GPU", "For beginners", "Docker: no", "Languages: German, English"}
	if got := c.cardOf(s.Listings[0]).Facts; !slices.Equal(got, want) {
		t.Errorf("the picture shows %q, want %q", got, want)
	}
}

// Categories, alternatives and sets have a picture that counts and names their listings. Other
// lists have the picture of the site.
func TestPicturesOfLists(t *testing.T) {
	s := smallSite(t)
	s.Pictures = true
	for i := range pageSize + 1 {
		add(s, fmt.Sprintf("t%d", i), func(p *api.ProjectDetail) {
			p.Platforms = []string{"linux"}
			if i == 0 {
				p.Name = "מנורה"
			}
			if i == 1 {
				p.Replaces = []string{"Paid"}
			}
		})
	}
	c, found := ready(t, s), 0
	for _, l := range c.lists() {
		var want render.Card
		switch l.path {
		case "/categories/chat/":
			want = render.Card{Title: "Chat", Text: "t1, t2, t3 …", Facts: []string{"101 listings"}}
		case "/alternatives/paid/":
			want = render.Card{Title: "Alternatives to Paid", Text: "t1", Facts: []string{"1 listing"}}
		default:
			if l.hasPicture() {
				t.Errorf("%s has a picture", l.path)
			}
			continue
		}
		found++
		want.Site = s.Settings.Title
		if got := l.card(); !l.hasPicture() || got.Title != want.Title || got.Text != want.Text ||
			!slices.Equal(got.Facts, want.Facts) || got.Site != want.Site {
			t.Errorf("the picture of %s is %+v, want %+v", l.path, got, want)
		}
	}
	if found != 2 {
		t.Errorf("%d of 2 lists are there", found)
	}
	files := built(t, s)
	for name, want := range map[string]string{
		"categories/chat/index.html":   "/categories/chat/picture.png",
		"categories/chat/2/index.html": "/categories/chat/picture.png",
		"alternatives/paid/index.html": "/alternatives/paid/picture.png",
		"platforms/linux/index.html":   "/picture.png",
		"newest/index.html":            "/picture.png",
	} {
		if !strings.Contains(files[name], `<meta property="og:image" content="https://catalog.example`+want+`">`) {
			t.Errorf("%s does not name the picture %s", name, want)
		}
		if files[strings.TrimPrefix(want, "/")] == "" {
			t.Errorf("%s is missing", want)
		}
	}
}

// The alternative text of a picture says its language if it is not translated, on its page and in cards.
func TestLanguageOfAlternativeTexts(t *testing.T) {
	s := smallSite(t)
	s.Settings.Layout = site.LayoutCards
	s.Languages = []render.Language{{Tag: "en", Base: s.Settings.BaseURL}, {Tag: "de", Base: s.Settings.BaseURL + "/de"}}
	s.Content.Taxonomy.Facts = append(s.Content.Taxonomy.Facts, api.Fact{Key: "view", Kind: api.FactPicture, Label: "View"})
	for _, slug := range []string{"ant", "bee"} {
		add(s, slug, func(p *api.ProjectDetail) {
			p.FitNotes.Set("view", api.Picture{URL: s.Settings.URL("/pictures/a.webp"), Alt: "On a leaf", Width: 2, Height: 1})
		})
	}
	bee := s.Listings[1]
	bee.Document.Untranslated = []string{"fitNotes.view.alt"}
	bee.Project.Untranslated = bee.Document.Untranslated
	files := built(t, s)
	const alt = `alt="On a leaf"`
	for name, want := range map[string]int{"projects/ant/index.html": 0, "projects/bee/index.html": 1, "newest/index.html": 1} {
		if text := files[name]; !strings.Contains(text, alt) || strings.Count(text, alt+` lang="en"`) != want {
			t.Errorf("%s says the language of %d alternative texts: %s", name, strings.Count(text, alt+` lang="en"`), text)
		}
	}
}
