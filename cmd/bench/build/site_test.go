//go:build linux

package build

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/hardware"
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
		"newest/p/2/index.html.md":             {listMarkdown, "newest/2/index.html"},
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
	pageFile, markdownFile, jsonFile = "projects/aider/index.html", "projects/aider/index.html.md", "api/v1/projects/aider.json"
	listFile, listMarkdownFile       = "newest/index.html", "newest/index.html.md"
	shownPage                        = `<title>Aider</title><main id="main"><h1>Aider</h1><p>Edits &amp; commits</p><li>fix bugs</li><a href="https://aider.example/?a&amp;b">x</a><dd>https://aider.example/gpu</dd><th>GPU</th></main>`
	shownMarkdown                    = "# Aider\n\n> Edits & commits\n\n- fix bugs\n- [x](https://aider.example/?a&b)\n- GPU ([source](https://aider.example/gpu))\n"
	shownJSON                        = `{"slug":"aider","stars":null,"sources":{"fitNotes.gpu":"https://aider.example/gpu"}}`
	shownList                        = `<main><table><tr><td><a href="/projects/aider/">Aider</a><tr><td><a href="/projects/ant/">Ant</a></table><table><a href="/projects/bee/">Bee</a></table></main>`
	listMarkdowns                    = "- [Aider](http://localhost:8080/projects/aider/): edits\n- [Ant](/projects/ant/index.html.md)\n\n## Related\n\n- [Bee](/projects/bee/)\n"
)

// siteFiles returns the files of a site by name.
func siteFiles() map[string]string {
	return map[string]string{pageFile: shownPage, markdownFile: shownMarkdown, jsonFile: shownJSON, listFile: shownList, listMarkdownFile: listMarkdowns}
}

// The comparison must see every kind of difference, or the benchmark says nothing.
func TestSitesThatDiffer(t *testing.T) {
	for _, c := range []struct{ name, file, old, new, want string }{
		{"nothing", "", "", "", ""},
		{"another element", pageFile, "<h1>Aider</h1>", "<h2>Aider</h2><p>New</p>", ""},
		{"case of a source's name in the JSON", jsonFile, "fitNotes", "fitnotes", ""},
		{"an absolute link", listFile, `"/projects/ant/"`, `"http://localhost:8080/projects/ant/"`, ""},
		{"two links of a row", listFile, `<a href="/projects/ant/">`, `<a href="/projects/ant/"></a><a href="/projects/ant/">`, ""},
		{"related listings of a list", listFile, "bee", "cat", ""},
		{"related listings of its Markdown version", listMarkdownFile, "bee", "cat", ""},
		{"the name only in the head", pageFile, "<h1>Aider</h1>", "", "lacks the name: Aider"},
		{"a page without the purpose", pageFile, "Edits", "Changes", "lacks the purpose"},
		{"a page without a job", pageFile, "<li>fix bugs</li>", "", "lacks the job: fix bugs"},
		{"a page without an install link", pageFile, "?a", "?", "lacks the install link"},
		{"a page without a source", pageFile, "/gpu", "", "lacks the source of fitNotes.gpu"},
		{"a page without a label", pageFile, "GPU", "VRAM", "lacks the label of gpu: GPU"},
		{"a Markdown version without a job", markdownFile, "fix bugs", "", "lacks the job: fix bugs"},
		{"a value of the JSON", jsonFile, "null", "1", "the JSON of aider"},
		{"a key less in the JSON", jsonFile, `"stars":null,`, "", "the JSON of aider"},
		{"a list in another order", listFile, "aider/\">Aider</a><tr><td><a href=\"/projects/ant", "ant/\">Ant</a><tr><td><a href=\"/projects/aider", "the list newest/index.html names"},
		{"a list with a listing less", listFile, "/projects/ant/", "/", "the list newest/index.html names"},
		{"a Markdown version of a list with a listing less", listMarkdownFile, "/projects/ant/", "/", "and its Markdown version"},
		{"lists without listings", listFile, "/projects/", "/", "1 pages of lists name 0 listings"},
		{"a list less", listFile, shownList, "", "0 pages of lists"},
		{"a listing less", jsonFile, shownJSON, "", "1 pages, 1 Markdown and 0 JSON files of 1 listings"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := siteFiles()
			if !strings.Contains(files[c.file], c.old) {
				t.Fatalf("%s has no %q", c.file, c.old)
			}
			if files[c.file] = strings.ReplaceAll(files[c.file], c.old, c.new); files[c.file] == "" {
				delete(files, c.file)
			}
			ours, err := readSite(t, siteFiles())
			if err != nil {
				t.Fatal(err)
			}
			theirs, err := readSite(t, files)
			if err == nil {
				err = ours.equal(&theirs)
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// readSite reads a site of one listing.
func readSite(t *testing.T, files map[string]string) (s site, err error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := writeFile(dir, name, text); err != nil {
			t.Fatal(err)
		}
	}
	aider := api.ProjectDetail{
		Project: api.Project{
			Name: "Aider", Purpose: "Edits & commits", Jobs: []string{"fix bugs"}, InstallLinks: []api.InstallLink{{URL: "https://aider.example/?a&b"}},
			FitNotes: api.FactValues{{Key: "gpu", Value: "none"}, {Key: "arch"}, {Key: "minRamGb", Value: 2.0}},
		},
		Sources: map[string]string{"fitNotes.gpu": "https://aider.example/gpu (2026-01-02)", "license": "README"},
	}
	facts := []api.Fact{{Key: "gpu", Label: "GPU"}, {Key: "arch", Label: "Processors"}, {Key: "minRamGb", Label: "Minimum RAM", Derived: &hardware.Derivation{}}}
	return s, s.read(dir, 1, map[string][]wanted{"aider": wantedOf(&aider, facts)})
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
