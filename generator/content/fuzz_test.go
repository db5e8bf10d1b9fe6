package content

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"catalog.example/api"
)

// Every key of the single project, and of its fitNotes.
var (
	projectKeys = strings.Fields(`slug name aliases purpose jobs category alsoIn topics platforms language license osiApproved stars starsAsOf replaces
		fitNotes estimate runsWith installLinks pageUrl repositoryUrl homepageUrl docsUrl archived addedAt checkedAt createdAt updatedAt release upkeep upkeepAsOf description similar advisories sources`)
	fitNoteKeys = taxonomy.FactKeys()
	// neverNull are the keys whose value is known of every listing, or is a list.
	neverNull = strings.Fields(`slug name aliases purpose jobs category alsoIn topics platforms replaces fitNotes installLinks pageUrl repositoryUrl addedAt description similar sources`)
)

// FuzzFrontMatter looks for files that make the checker panic, and for files
// without errors that the API could not answer with.
func FuzzFrontMatter(f *testing.F) {
	f.Add(baseListing)
	f.Add(strings.ReplaceAll(baseListing, "\n", "\r\n"))
	f.Add("\ufeff" + listingNamed("Ant", "https://code.example.org/ant") + "\n[Bee](bee.md) <b>x</b> [x](javascript:x)\n")
	f.Add(strings.Replace(baseListing, "fitNotes:", "fitNotes: &f", 1))
	f.Add("---\nname: ~\ninstallLinks: [~, {}]\nsources: {a: ~, stars: ''}\naliases: [~, a, A]\n---\n")
	f.Add("---\n---")
	for _, body := range []string{strings.Repeat(">", 40), strings.Repeat("- ", 20), "|a|b|\n|-|-|\n|\n", "> a|b\n> -|-\n", "![x](y) <z> <!-- -->\n<div>\n", "[a]: b\n[a][b](c)*_~", "\r\r\n| - |\r"} {
		f.Add(baseListing + body)
	}
	for _, license := range []string{"MIT AND (BUSL-1.1 OR LicenseRef-X)", "GPL-3.0+", "Apache 2.0", "((((", "MIT WITH", "DocumentRef-a", strings.Repeat("(", 100)} {
		f.Add(strings.Replace(baseListing, "license: MIT", "license: "+license, 1))
	}
	f.Add(strings.Replace(baseListing, "jobs: [chat", "jobs:\n - a #1\n   - b\n# [", 1))
	f.Add("---\nname: [\n---\n")
	f.Fuzz(func(t *testing.T, text string) {
		l, findings := check("projects/ant.md", text)
		lines := 1 + strings.Count(text, "\n") + strings.Count(text, "\r") + strings.Count(text, "\u0085") + strings.Count(text, "\u2028") + strings.Count(text, "\u2029")
		for _, finding := range findings {
			if finding.Line < 1 || finding.Line > lines || finding.Column < 1 || finding.Message == "" || finding.Rule.Name == "" || finding.File != "projects/ant.md" {
				t.Errorf("finding %+v in a file of %d lines", finding, lines)
			}
		}
		if bad := unsafeIn(l.HTML()); bad != "" {
			t.Errorf("the page would hold %q", bad)
		}
		if HasErrors(findings) {
			return
		}
		wire, err := json.Marshal(l.ProjectDetail)
		if err != nil {
			t.Fatal(err)
		}
		project := keysOf(t, wire, projectKeys)
		keysOf(t, project["fitNotes"], fitNoteKeys)
		for _, key := range neverNull {
			if string(project[key]) == "null" {
				t.Errorf("%s is null", key)
			}
		}
		if (string(project["stars"]) == "null") != (string(project["starsAsOf"]) == "null") {
			t.Errorf("stars %s as of %s", project["stars"], project["starsAsOf"])
		}
		var read api.ProjectDetail
		if err := json.Unmarshal(wire, &read); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(read)
		if err != nil || string(again) != string(wire) {
			t.Errorf("read back it is\n%s, not\n%s (%v)", again, wire, err)
		}
		if n := utf8.RuneCountInString(l.Purpose); n == 0 || n > 160 || l.Name == "" {
			t.Errorf("name %q, purpose of %d characters", l.Name, n)
		}
	})
}

// keysOf reads a JSON object that has just these keys.
func keysOf(t *testing.T, object []byte, want []string) map[string]json.RawMessage {
	t.Helper()
	var values map[string]json.RawMessage
	if err := json.Unmarshal(object, &values); err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(values)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Fatalf("keys %q, want %q", got, want)
	}
	return values
}
