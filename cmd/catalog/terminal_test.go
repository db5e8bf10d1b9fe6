package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/api/search"
	"catalog.example/api/site"
	"catalog.example/generator/refresh"
)

// hostile is a text with control characters and invisible characters.
const hostile = "a\x1b[31m\n\u202eb\u009b2J\a\u200b"

// runEscaped runs a command line and checks that its output is escaped.
func runEscaped(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	env := testEnv()
	var out, errs bytes.Buffer
	env.stdout, env.stderr = &out, &errs
	if status := run(args, env); status != want {
		t.Fatalf("%q: the exit status is %d, want %d: %s%s", args, status, want, out.String(), errs.String())
	}
	checkEscaped(t, strings.Join(args, " "), out.String()+errs.String())
	return out.String(), errs.String()
}

// checkEscaped checks that a printed text shows hostile in escaped form, and has no control
// characters but line breaks.
func checkEscaped(t *testing.T, what, printed string) {
	t.Helper()
	for i, r := range invisible.Find(printed) {
		t.Errorf("%q prints %U at %d of %q", what, r, i, printed)
		break
	}
	if i := strings.IndexAny(printed, "\r\v\f\u2028\u0085"); i >= 0 {
		t.Errorf("%q prints a control at %d of %q", what, i, printed)
	}
	if !strings.Contains(printed, `\x1b[31m`) {
		t.Errorf("%q does not show what it was given: %q", what, printed)
	}
}

// TestEscapedIndex checks that texts of an index are escaped.
func TestEscapedIndex(t *testing.T) {
	t.Parallel()
	text := hostile
	p := api.ProjectDetail{Description: "One\nline. " + hostile}
	p.Slug, p.Name, p.Purpose, p.Category, p.RepositoryURL, p.PageURL, p.AddedAt = "one", "One "+hostile, "Does "+hostile, "chat", "https://code.example.org/"+hostile, "https://x.example/"+hostile, "2026-01-01"
	p.License, p.FitNotes = &text, api.FactValues{{Key: "gpu", Value: hostile}, {Key: "memoryFor", Value: hostile}, {Key: "caveats", Value: []string{hostile}}}
	p.AlsoIn, p.Platforms, p.Replaces, p.Similar = []string{hostile}, []string{hostile}, []string{hostile}, []string{hostile}
	p.InstallLinks = []api.InstallLink{{Kind: hostile, Label: hostile, URL: hostile}}
	p = p.Normalized()
	index, err := search.Encode(search.Catalog{
		Settings: site.Defaults(), Projects: []api.ProjectDetail{p},
		Taxonomy: api.Taxonomy{
			Categories: []api.Category{{Slug: "chat", Name: hostile, Description: "Talk.", Group: "All"}}, Platforms: []api.Platform{{Slug: "linux", Name: "Linux"}},
			Facts: []api.Fact{
				{Key: "gpu", Kind: api.FactChoice, Label: hostile, Meaning: hostile, Values: []api.FactOption{{Slug: hostile, Label: hostile}}, Chip: map[string]string{hostile: hostile}, Filter: &api.FactFilter{Parameter: "gpu"}},
				{Key: "memoryFor", Kind: api.FactText, Label: hostile}, {Key: "caveats", Kind: api.FactTexts, Label: hostile},
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	public := t.TempDir()
	writeText(t, filepath.Join(public, filepath.FromSlash(search.FileName)), string(index))
	for _, args := range [][]string{{"show", "one"}, {"search", "does"}} {
		runEscaped(t, exitOK, append(args, "--public", public)...)
	}
	if stdout, _ := runEscaped(t, exitOK, "show", "one", "--public", public); !strings.Contains(stdout, "\n\nOne\nline. ") {
		t.Errorf("the description is not in lines: %q", stdout)
	}
	runEscaped(t, exitError, "show", hostile, "--public", public)
	runEscaped(t, exitUsage, "search", "--category", hostile, "--public", public)
	runEscaped(t, exitUsage, "search", "--"+hostile, "--public", public)
	runEscaped(t, exitOK, "search", "--help", "--public", public)
}

// TestEscapedFindings checks that file names and keys of front matter are escaped, and
// that a finding is one line.
func TestEscapedFindings(t *testing.T) {
	t.Parallel()
	const listing = "---\nname: X\npurpose: Does.\ncategory: nosuch\nrepositoryUrl: https://code.example.org/x\naddedAt: 2026-01-01\n\"a\\e[31m\\n\": 1\n---\nText.\n"
	dir := contentWith(t, "x"+hostile+".md", listing)
	stdout, _ := runEscaped(t, exitError, "lint", "--content", dir)
	_, stderr := runEscaped(t, exitError, "build", "--content", dir, "--out", filepath.Join(t.TempDir(), "public"))
	for line := range strings.Lines(stdout + strings.Replace(stderr, "catalog: the content", dir, 1)) {
		if !strings.HasPrefix(line, dir) && !strings.HasPrefix(line, "by rule: ") {
			t.Errorf("a line begins %q", line)
		}
	}
	runEscaped(t, exitError, "lint", "--content", hostile)
	created, _ := runEscaped(t, exitOK, "new", "Something", "--repo", "https://code.example.org/something", "--offline", "--content", filepath.Join(t.TempDir(), hostile))
	if strings.Count(created, "\n") != 1 {
		t.Errorf("catalog new prints %q", created)
	}
}

// TestEscapedRefresh checks that texts of a forge and a registry are escaped.
func TestEscapedRefresh(t *testing.T) {
	t.Parallel()
	about := []refresh.Note{{Slug: "one" + hostile, Message: hostile}}
	report := refresh.Report{
		Changed:  []refresh.Changed{{Slug: "one", Changes: []refresh.Change{{Field: "license", Old: hostile, New: hostile}}}},
		Licenses: about, Renamed: about, Vanished: about, Failed: about, NoForge: about, Notes: about, CacheProblem: hostile,
		Unread: about, Skipped: []refresh.Skipped{{Service: "npm", Reason: hostile, Packages: []string{hostile}}},
	}
	for _, quiet := range []bool{false, true} {
		var out, errs bytes.Buffer
		env := testEnv()
		env.stdout, env.stderr = &out, &errs
		_ = printReport(env, report, quiet, false, false) // errReported
		checkEscaped(t, "refresh", out.String()+errs.String())
	}
	var out bytes.Buffer
	newRefreshDisplay(&out, nil, 1).waiting(refresh.Wait{Service: "GitHub", Reason: hostile, Until: time.Unix(0, 0)})
	checkEscaped(t, "waiting", out.String())
}

// contentWith returns a copy of the small content folder with one more listing.
func contentWith(t *testing.T, name, listing string) string {
	t.Helper()
	dir := smallContent(t)
	writeText(t, filepath.Join(dir, "projects", name), listing)
	return dir
}
