//go:build linux

package build

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"catalog.example/cmd/bench/command"
)

func TestGroupOf(t *testing.T) {
	for name, want := range map[string]struct {
		kind group
		of   string
	}{
		"projects/aider/index.html":            {listingPage, "aider"},
		"projects/aider/index.html.md":         {listingMarkdown, "aider"},
		"projects/aider/index.json":            {listingJSON, "aider"},
		"api/v1/projects/aider.json":           {listingJSON, "aider"},
		"api/v1/projects/index.json":           {listJSON, ""},
		"api/v1/lists/popular/1.json":          {listJSON, ""},
		"categories/video/index.html":          {listPage, "categories/video/index.html"},
		"categories/video/2/index.html":        {listPage, "categories/video/2/index.html"},
		"categories/video/p/2/index.html":      {listPage, "categories/video/2/index.html"},
		"newest/p/2/index.html.md":             {listMarkdown, "newest/2/index.html.md"},
		"categories/video/table.json":          {filterTable, ""},
		"categories/index.html":                {otherPage, ""},
		"index.html.md":                        {otherMarkdown, ""},
		"projects/aider/further/index.html":    {otherPage, ""},
		"api/v1/search.idx":                    {searchIndex, ""},
		"llms-full.txt":                        {agentGuide, ""},
		"sitemap.xml":                          {theRest, ""},
		"assets/style-0123456789ab.css":        {theRest, ""},
		"api/v1/projects/further/aider.json":   {theRest, ""},
		"elsewhere/api/v1/projects/ant.json":   {theRest, ""},
		"projects/aider/projects/index.ndjson": {theRest, ""},
	} {
		if kind, of := groupOf(name); kind != want.kind || of != want.of {
			t.Errorf("%s: %q of %q; want %q of %q", name, groupNames[kind], of, groupNames[want.kind], want.of)
		}
	}
}

// The files of a site of one listing.
const (
	shownPage = `<!doctype html><html lang="en"><head><title>Aider</title><link rel="stylesheet" href="/assets/style-0123456789ab.css"><script type="application/ld+json">{"name":"Aider","url":"/"}</script></head>` +
		`<body><header>ours</header><main id="main"><h1 class="big">Aider</h1> <p>Edits &amp; commits <a href="/projects/ant/">Ant</a></p><dl><dt>fitNotes.gpu</dt><dd>README</dd></dl></main></body></html>`
	shownJSON     = `{"slug":"aider","stars":null,"sources":{"fitNotes.gpu":"README"}}`
	shownMarkdown = "# Aider\n\n> Edits\n\n## Where each fact comes from\n\n- fitNotes.gpu: README\n\n- Docker: yes\n"
	shownList     = `<html><head></head><body><table id="table"><tr><td>Aider</td></tr></table><table><tr><td>others</td></tr></table></body></html>`
	listMarkdowns = "# Video\n\n- [Aider](/projects/aider/): edits\n\n## Also useful here\n\n- [Ant](/projects/ant/): carries\n"
)

// The comparison must see every kind of difference, or its table says nothing.
func TestSitesThatDiffer(t *testing.T) {
	const page, json, markdown, list, listMarkdown = "projects/aider/index.html", "api/v1/projects/aider.json", "projects/aider/index.html.md", "categories/video/index.html", "categories/video/index.html.md"
	for _, c := range []struct{ name, file, old, new, want string }{
		{"nothing", "", "", "", ""},
		{"white space", page, "Edits &amp; commits", "Edits\n &#38;commits", ""},
		{"an absolute link", page, `href="/projects/ant/"`, `href="http://localhost:8080/projects/ant/"`, ""},
		{"quotes and the order of attributes", page, `<html lang="en">`, `<html lang=en>`, ""},
		{"case of a source's name on the page", page, "fitNotes", "fitnotes", ""},
		{"case of a source's name in the JSON", json, "fitNotes", "fitnotes", ""},
		{"case of a source's name in the markdown", markdown, "fitNotes", "fitnotes", ""},
		{"an asset's hash", page, "0123456789ab", "ba9876543210", ""},
		{"the order of structured data", page, `"name":"Aider","url":"/"`, `"url": "/", "name": "Aider"`, ""},
		{"empty lines of the markdown", markdown, "\n\n>", "\n\n\n>", ""},
		{"what else a list shows", list, "others", "another", ""},
		{"what else a list's markdown shows", listMarkdown, "carries", "bears", ""},
		{"text", page, "Edits", "Changes", "the page of aider"},
		{"text of the header", page, "ours", "theirs", "the page of aider"},
		{"a title", page, "<title>Aider", "<title>Aide", "the page of aider"},
		{"an attribute", page, ` class="big"`, "", "the page of aider"},
		{"a link", page, "/projects/ant/", "/projects/bee/", "the page of aider"},
		{"an element", page, "<h1 class=\"big\">Aider</h1>", "<h2 class=\"big\">Aider</h2>", "the page of aider"},
		{"structured data", page, `"url":"/"`, `"url":"/x"`, "the page of aider"},
		{"a value", json, "null", "1", "the JSON of aider"},
		{"a key less", json, `"stars":null,`, "", "the JSON of aider"},
		{"text of the markdown", markdown, "Edits", "Changes", "the Markdown version of aider"},
		{"case elsewhere in the markdown", markdown, "Docker: yes", "docker: yes", "the Markdown version of aider"},
		{"a row", list, "Aider", "Ant", "the list"},
		{"a line of a list's markdown", listMarkdown, "edits", "changes", "the list"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{page: shownPage, json: shownJSON, markdown: shownMarkdown, list: shownList, listMarkdown: listMarkdowns}
			ours := readSite(t, files)
			if !strings.Contains(files[c.file], c.old) {
				t.Fatalf("%s has no %q", c.file, c.old)
			}
			if c.file != "" {
				files[c.file] = strings.Replace(files[c.file], c.old, c.new, 1)
			}
			other := readSite(t, files)
			err := ours.equal(&other)
			if c.want == "" && err != nil {
				t.Error(err)
			}
			if c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

// A list that only one tool writes is a difference.
func TestListMissing(t *testing.T) {
	files := map[string]string{"projects/aider/index.html": shownPage, "projects/aider/index.json": shownJSON, "projects/aider/index.html.md": shownMarkdown}
	less := readSite(t, files)
	files["newest/index.html"] = shownList
	more := readSite(t, files)
	if less.equal(&more) == nil || more.equal(&less) == nil {
		t.Error("a list that is missing is not noticed")
	}
}

func readSite(t *testing.T, files map[string]string) site {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := writeFile(dir, name, text); err != nil {
			t.Fatal(err)
		}
	}
	var s site
	if err := s.read(dir, 1); err != nil {
		t.Fatal(err)
	}
	if err := new(site).read(dir, 2); err == nil {
		t.Error("a missing listing is not noticed")
	}
	return s
}

func TestMeasure(t *testing.T) {
	// The child holds 64 MiB; this process is told of the child's memory alone.
	const held = 64 << 20
	script := filepath.Join(t.TempDir(), "hold")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexec head -c 67108864 /dev/zero | tail -c 67108864 > /dev/null\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	u, err := Measure(t.Context(), []string{script})
	if err != nil {
		t.Fatal(err)
	}
	if u.Peak < held || u.Peak > 2*held || u.Wall <= 0 || u.Wall > time.Minute {
		t.Errorf("measured %+v for a program that holds %d bytes", u, held)
	}
	if _, err := Measure(t.Context(), []string{"false"}); err == nil {
		t.Error("a program that fails is taken for one that ran")
	}
}

// TestMain lets measure start this test binary as it starts the program.
func TestMain(m *testing.M) {
	command.RunPart(map[string]command.Part{PartUsage: Usage})
	os.Exit(m.Run())
}
