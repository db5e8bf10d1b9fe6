package main

import (
	"html"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"catalog.example/api"
	"catalog.example/api/soak"
)

// walkthroughBlock matches a block of code, and a file name that the paragraph before it
// ends with.
var walkthroughBlock = regexp.MustCompile("(?s)(?:`([^`\n]+)`[^`\n]*:)?\n\n```(\\w+)\n(.*?)\n```")

// TestWalkthrough runs the commands and writes the files of WALKTHROUGH.md in their order.
// Then it looks at the site as a static host serves it.
func TestWalkthrough(t *testing.T) {
	t.Parallel()
	soak.Long(t)
	// Lint warns of facts that were read long ago.
	document := strings.ReplaceAll(readText(t, "../../WALKTHROUGH.md"), "2026-11-20", string(api.DateOf(time.Now().AddDate(0, 0, -1))))
	work := t.TempDir()
	trails := filepath.Join(work, "trails")
	base := startGithubPages(t, filepath.Join(trails, "public"))
	environment := append(os.Environ(), "PATH="+buildProgram(t)+":"+os.Getenv("PATH"))
	folder, files, results := work, 0, map[string]string{} // the output of each block of commands
	for _, block := range walkthroughBlock.FindAllStringSubmatch(document, -1) {
		name, language, text := block[1], block[2], block[3]+"\n"
		switch {
		case language == "sh":
			command := exec.CommandContext(t.Context(), "bash", "-e", "-c", strings.ReplaceAll(text, "https://trails.example", base))
			command.Dir, command.Env = folder, environment
			out, err := command.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", text, err, out)
			}
			results[text] = string(out)
			folder = trails // the first block enters it
		case name == "":
			t.Errorf("no file is named for the block %.60q", text)
		default:
			files++
			writeText(t, filepath.Join(folder, filepath.FromSlash(name)), text)
		}
	}
	if files != 12 || len(results) != 6 {
		t.Errorf("%d files, and results of %d commands", files, len(results))
	}
	for text, out := range results {
		if strings.Contains(text, "catalog lint") && !strings.HasSuffix(out, "2 listings, 0 errors, 0 warnings\n") ||
			strings.Contains(text, "catalog search") && (!strings.Contains(out, "Beacon Hill") || strings.Contains(out, "Gull Cliffs")) {
			t.Errorf("%s: %s", text, out)
		}
	}
	checkTrails(t, base, filepath.Join(trails, "public"))
}

// checkTrails checks the site of WALKTHROUGH.md.
func checkTrails(t *testing.T, base, public string) {
	t.Helper()
	checked, foreign := 0, regexp.MustCompile(`(?i)\b(repositor\w*|licen[cs]e\w*|stars?|software|games?)\b`)
	err := filepath.WalkDir(public, func(file string, e os.DirEntry, err error) error {
		if extension := path.Ext(file); err != nil || extension != ".html" && extension != ".md" && extension != ".txt" {
			return err
		}
		checked++
		// The licence of the catalogue itself is no word of software.
		text := strings.ReplaceAll(html.UnescapeString(readText(t, file)), `"license": null`, "")
		for _, match := range foreign.FindAllString(text, -1) {
			t.Errorf("%s has the word %q", file, match)
		}
		return nil
	})
	if err != nil || checked < 20 {
		t.Errorf("%d pages were checked, %v", checked, err)
	}
	for _, c := range []struct{ path, contains string }{
		{"/", `src="/tools/assets/icon-`}, {"/projects/gull-cliffs/", "Northhaven, ten minutes from the start"}, {"/projects/gull-cliffs/index.html.md", "Gull Cliffs"},
		{"/categories/coast/", "Gull Cliffs"}, {"/api/v1/projects/beacon-hill.json", `"dogs":"free"`}, {"/tracks/gull-cliffs.gpx", `creator="us"`},
		{"/about/", "/tools/tracks/gull-cliffs.gpx"}, {"/", "2 trails, walked and checked."}, {"/", "Where do you want to walk?"},
		{"/search/", `name="maxKm"`}, {"/search/", `name="loop"`}, {"/search/", `name="dogs"`},
	} {
		if r := fetchFrom(t, base+c.path); r.status != 200 || !strings.Contains(r.body, c.contains) {
			t.Errorf("%s: %d, without %q", c.path, r.status, c.contains)
		}
	}
	followLinks(t, base)
	b := newBrowser(t)
	if got := searchesFor(t, b, base, "cliffs by train"); got != "Gull Cliffs" {
		t.Errorf("the search finds %q", got)
	}
	if got := evaluate[string](t, b, `getComputedStyle(document.documentElement).getPropertyValue("--accent")`); got != "#7a4b1f" && got != "#f0c08a" {
		t.Errorf("the colour is %q", got)
	}
	b.do(t, chromedp.WaitVisible(".brand img"))
	if !evaluate[bool](t, b, `document.querySelector(".brand img").naturalWidth > 0`) {
		t.Error("the logo is not shown")
	}
	b.report(t)
}

// buildProgram builds the program with the engine for browsers, and returns its folder.
func buildProgram(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	command := exec.CommandContext(t.Context(), "go", "build", "-tags", "engine", "-overlay", overlay(t), "-o", filepath.Join(folder, "catalog"), "./cmd/catalog")
	command.Dir = moduleFolder(t)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return folder
}
