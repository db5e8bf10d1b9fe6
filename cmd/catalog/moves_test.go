package main

import (
	"net/http"
	"strings"
	"testing"

	"catalog.example/api"
)

// Former addresses and values lead to the present ones.
func TestMoves(t *testing.T) {
	t.Parallel()
	s := newSite(t, smallContent(t))
	for from, to := range map[string]string{
		"/projects/paper-lamp/": "/projects/paper-lantern/", "/projects/paper-lamp": "/projects/paper-lantern/", "/projects/paper-lamp/picture.png?x=1": "/projects/paper-lantern/picture.png?x=1",
		"/categories/dictation/": "/categories/speech-to-text/", "/categories/dictation/feed.xml": "/categories/speech-to-text/feed.xml",
		"/api/v1/projects/paper-lamp": "/api/v1/projects/paper-lantern", "/api/v1/projects/paper-lamp.json": "/api/v1/projects/paper-lantern.json",
	} {
		r := s.do(t, http.MethodGet, from)
		if r.status != http.StatusMovedPermanently || r.header.Get("Location") != to {
			t.Errorf("%s: %d to %q, want %s", from, r.status, r.header.Get("Location"), to)
		}
		if strings.HasPrefix(from, "/api/") && r.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s may not be read by other origins", from)
		}
	}
	for _, path := range []string{"/projects/paper-lamps/", "/projects/", "/categories/paper-lamp/", "/paper-lamp/"} {
		if r := s.do(t, http.MethodGet, path); r.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, r.status)
		}
	}
	list := getJSON[struct {
		Projects []api.Project
		Total    int
		Warnings []api.Warning
	}](t, s, "/api/v1/projects?slugs=paper-lamp,willow-bridge,paper-lantern")
	if list.Total != 2 || len(list.Projects) != 2 || len(list.Warnings) != 1 || list.Warnings[0].Code != api.WarnFormerValue ||
		list.Warnings[0].Message != `"paper-lamp" is now "paper-lantern".` {
		t.Errorf("the list of a former slug and the present one: %d of %+v", list.Total, list.Warnings)
	}
	old, present := s.search(t, "category", "dictation"), s.search(t, "category", "speech-to-text")
	if old.Total != present.Total || old.Total == 0 || asJSON(old.Hits) != asJSON(present.Hits) {
		t.Errorf("%d hits in the former category, %d in the present one", old.Total, present.Total)
	}
	if len(old.Warnings) != 1 || old.Warnings[0].Code != api.WarnFormerValue || old.Warnings[0].Message != `"dictation" is now "speech-to-text".` {
		t.Errorf("warnings: %+v", old.Warnings)
	}
}

// What a whole catalogue, its taxonomy and the index of the API hold.
func TestWholeCatalog(t *testing.T) {
	t.Parallel()
	content := smallContent(t)
	editFile(t, content, "projects/copper-kettle.md", func(text string) string { // it does not count there
		return strings.Replace(text, "\ncategory: ", "\nalsoIn: [speech-to-text]\ncategory: ", 1)
	})
	s := newSite(t, content)
	type head struct {
		SchemaVersion  int
		Version, Title string
		License        *string
		Total          int
	}
	whole := getJSON[struct {
		head
		Projects []api.ProjectDetail
	}](t, s, "/api/v1/catalog.json")
	lines := strings.Split(strings.TrimSuffix(s.do(t, http.MethodGet, "/api/v1/catalog.jsonl").body, "\n"), "\n")
	first := decodeJSON[head](t, lines[0])
	if first != whole.head && asJSON(first) != asJSON(whole.head) || first.SchemaVersion != 1 || len(first.Version) != 32 || first.Total != len(s.content.Listings) || len(lines) != first.Total+1 || len(whole.Projects) != first.Total {
		t.Fatalf("%+v, %+v, %d lines", whole.head, first, len(lines))
	}
	for i, p := range whole.Projects {
		single := getJSON[api.ProjectDetail](t, s, api.PathProjects+"/"+p.Slug)
		if asJSON(single) != asJSON(p) || asJSON(decodeJSON[api.ProjectDetail](t, lines[i+1])) != asJSON(p) {
			t.Errorf("%s differs", p.Slug)
		}
	}
	taxonomy := getJSON[struct {
		Categories []struct {
			Slug  string
			Count int
		}
		Facts []struct {
			Key    string
			Known  int
			Values []struct {
				Value string
				Count int
			}
		}
	}](t, s, api.PathTaxonomy)
	if len(taxonomy.Categories) != len(s.content.Taxonomy.Categories) || len(taxonomy.Facts) != len(s.content.Taxonomy.Facts) {
		t.Errorf("%+v", taxonomy)
	}
	for _, c := range taxonomy.Categories {
		if want := s.search(t, "category", c.Slug).Total; c.Count != want {
			t.Errorf("%s counts %d listings, and has %d", c.Slug, c.Count, want)
		}
	}
	index := getJSON[struct{ Links []struct{ Name, URL string } }](t, s, "/api/v1/")
	for _, link := range index.Links {
		if strings.Contains(link.URL, "{") {
			continue
		}
		if r := s.do(t, http.MethodGet, strings.TrimPrefix(link.URL, s.settings.BaseURL)); r.status != http.StatusOK {
			t.Errorf("%s leads to %d", link.Name, r.status)
		}
	}
	if len(index.Links) < 10 {
		t.Errorf("%d links", len(index.Links))
	}
	security := s.do(t, http.MethodGet, "/.well-known/security.txt").body
	for _, want := range []string{"Contact: ", "\nExpires: 20", "\nCanonical: "} {
		if !strings.Contains(security, want) {
			t.Errorf("security.txt has no %q: %s", want, security)
		}
	}
}
