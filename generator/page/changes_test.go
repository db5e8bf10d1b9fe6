package page

import (
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/render"
)

func TestChangesPage(t *testing.T) {
	s := smallSite(t)
	add(s, "ant", nil)
	add(s, "bee", nil)
	if files := built(t, s); files["changes/index.html"] != "" || strings.Contains(files["index.html"], "/changes/") {
		t.Error("there is a page of changes, but nothing changed")
	}
	s.Content.Changes = []content.Change{
		{Day: "2026-02-03", Slug: "ant", Name: "Ant & Co", Listing: s.Listings[0], Field: "fitNotes.gpu", From: nil, To: "required",
			Source: "https://a.example/gpu (2026-02-01)"},
		{Day: "2026-02-03", Slug: "ant", Name: "Ant & Co", Listing: s.Listings[0], Field: "fitNotes.languages",
			From: []any{"de"}, To: []any{"de", "en"}, Source: "README"},
		{Day: "2026-02-03", Slug: "ant", Name: "Ant & Co", Listing: s.Listings[0], Field: "fitNotes.gpu", From: "none", To: nil, Source: "README", Earlier: 1},
		{Day: "2026-01-02", Slug: "gone", Name: "Gone", Field: "archived", From: false, To: true, Source: "https://b.example/"},
	}
	files := built(t, s)
	for file, parts := range map[string][]string{
		"index.html": {`href="/changes/"`},
		"changes/index.html": {`title="What changed" href="/changes/feed.xml"`, "2026-02-03", "2026-01-02", `<a href="/projects/ant/"><bdi>Ant &amp; Co</bdi></a>: GPU: now required (was unknown)`,
			`href="https://a.example/gpu"`, "Languages: now German, English (was German)", "README", "<bdi>Gone</bdi>: Archived: now yes (was no)"},
		"changes/index.html.md": {"## 2026-02-03", "GPU: now required (was unknown) ([source](https://a.example/gpu), 2026-02-01)", "(README)",
			"Gone: Archived: now yes (was no)"},
		"changes/feed.xml": {"<title>Ant &amp; Co: GPU</title>", "<updated>2026-02-03T00:00:00Z</updated>", "#on-2026-02-03-ant-fitNotes-gpu</id>", "#on-2026-02-03-ant-fitNotes-gpu-2</id>",
			`href="https://catalog.example/projects/ant/"`, "GPU: now required (was unknown)", "Gone: Archived", "#on-2026-01-02-gone-archived\""},
		// The feeds of lists have the changes of their listings, too, with the same ids.
		"categories/chat/feed.xml":   {"<updated>2026-02-03T00:00:00Z</updated>", "<id>https://catalog.example/projects/ant/</id>", "/changes/#on-2026-02-03-ant-fitNotes-gpu-2</id>"},
		"projects/ant/index.html":    {"What changed here", "2026-02-03: GPU: now required (was unknown)", `href="https://a.example/gpu"`},
		"projects/ant/index.html.md": {"## What changed here", "- 2026-02-03: Languages: now German, English (was German) (README)"},
		"sitemap.xml":                {"https://catalog.example/changes/</loc><lastmod>2026-02-03"},
	} {
		for _, part := range parts {
			if !strings.Contains(files[file], part) {
				t.Errorf("%s lacks %s:\n%s", file, part, files[file])
			}
		}
	}
	if strings.Contains(files["projects/bee/index.html"], "What changed here") {
		t.Error("nothing of bee changed")
	}
	before := listingPage{catalog: ready(t, s), l: s.Listings[0]}.pageKey()
	s.Content.Changes = s.Content.Changes[1:]
	if before == (listingPage{catalog: ready(t, s), l: s.Listings[0]}.pageKey()) {
		t.Error("the key of a page does not depend on the changes that it shows")
	}
	before = listingPage{catalog: ready(t, s), l: s.Listings[0]}.pageKey()
	s.Languages = []render.Language{{Tag: "de", Name: "Deutsch"}}
	if before == (listingPage{catalog: ready(t, s), l: s.Listings[0]}.pageKey()) {
		t.Error("the key of a page does not depend on the languages that it links to")
	}
}

// The page of a listing says what is known of its cost, and nothing where nothing is.
func TestCost(t *testing.T) {
	s := smallSite(t)
	for i := range s.Content.Taxonomy.Facts {
		switch f := &s.Content.Taxonomy.Facts[i]; f.Key {
		case "gpu":
			f.Cost = map[string]string{"required": "You pay for a card."}
		case "docker":
			f.Cost = map[string]string{"1": "The image is free."}
		}
	}
	add(s, "known", func(p *api.ProjectDetail) {
		p.FitNotes.Set("gpu", "required")
		p.FitNotes.Set("docker", true)
	})
	add(s, "unknown", func(p *api.ProjectDetail) { p.FitNotes.Set("docker", false) })
	files := built(t, s)
	for file, want := range map[string]bool{
		"projects/known/index.html": true, "projects/known/index.html.md": true, "projects/unknown/index.html": false,
		"projects/unknown/index.html.md": false,
	} {
		text := files[file]
		if strings.Contains(text, "Cost") != want || strings.Contains(text, "You pay for a card. The image is free.") != want {
			t.Errorf("%s: the cost is wrong:\n%s", file, text)
		}
	}
}

// New projects are in the order of their first commits, and those without one are left out.
func TestNewProjects(t *testing.T) {
	s := smallSite(t)
	isShown := func() bool {
		files := built(t, s)
		return files["new-projects/index.html"] != "" || strings.Contains(files["index.html"], "/new-projects/")
	}
	if isShown() {
		t.Error("there is a page of new projects, but no listing has a first commit")
	}
	for slug, day := range map[string]api.Date{"ant": "2026-01-05", "bee": "2026-02-01", "cat": "2026-01-20", "dog": ""} {
		add(s, slug, func(p *api.ProjectDetail) {
			if day != "" {
				p.CreatedAt = &day
			}
		})
	}
	page := built(t, s)["new-projects/index.html.md"]
	at := -1
	for _, part := range []string{"The 3 projects", "## Started in 2026-02", "[bee]", "## Started in 2026-01", "[cat]", "[ant]"} {
		next := strings.Index(page, part)
		if next <= at {
			t.Errorf("%s is missing or in the wrong place:\n%s", part, page)
		}
		at = next
	}
	if strings.Contains(page, "[dog]") {
		t.Error("dog has no first commit")
	}
	s.Settings.Without = []string{"createdAt"}
	if isShown() {
		t.Error("a catalogue without days of first commits has the page")
	}
}
