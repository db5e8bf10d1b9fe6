package refresh

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"catalog.example/api/soak"
	"catalog.example/generator/refresh/forgetest"
)

// TestShippedListings refreshes this repository's own listings with facts that all
// differ, and compares them line by line.
func TestShippedListings(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	files, err := filepath.Glob("../../content/projects/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	w := newWorkspace(t, nil)
	repository := regexp.MustCompile(`(?m)^repositoryUrl: (https://github\.com/([^/\s]+/[^/\s]+))$`)
	var repositories []forgetest.Repository
	before := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		slug := strings.TrimSuffix(filepath.Base(file), ".md")
		m := repository.FindStringSubmatch(string(text))
		if m == nil {
			continue // of another forge
		}
		w.write(t, slug, string(text))
		before[slug] = string(text)
		w.targets = append(w.targets, Target{Slug: slug, File: slug + ".md", RepositoryURL: m[1]})
		repositories = append(repositories, forgetest.Repository{Name: "x/" + m[2][strings.Index(m[2], "/")+1:] + "-" + slug, FormerNames: []string{m[2]}, Stars: 1, Archived: true, License: "0BSD", Commit: today + "T01:00:00Z"})
	}
	w.forge.Set(repositories...)
	report := w.run(t)
	if len(report.Changed) != len(w.targets) || len(report.Failed) > 0 {
		t.Errorf("%d of %d listings changed; failed: %v", len(report.Changed), len(w.targets), report.Failed)
	}
	// The allowed changed or added lines, with any comment.
	line := regexp.MustCompile(`^(stars: 1|starsAsOf: ` + today + `|archived: true|license: "0BSD"|updatedAt: ` + today + `|repositoryUrl: https://github\.com/x/\S+|  (stars|license|archived|updatedAt): GitHub API \(` + today + `\))( #.*)?$`)
	for slug, text := range before {
		old, fresh := strings.Split(text, "\n"), strings.Split(w.read(t, slug), "\n")
		i := 0
		for _, l := range fresh {
			switch {
			case i < len(old) && l == old[i]:
				i++
			case !line.MatchString(l):
				t.Errorf("%s: the line %q is not expected", slug, l)
			case i < len(old) && key(old[i]) == key(l):
				i++
			}
		}
		if rest := old[min(i, len(old)):]; len(rest) > 0 && !slices.Equal(rest, []string{""}) {
			t.Errorf("%s: lost from %q on", slug, rest[0])
		}
	}
}

// key returns the part of a line before the first colon.
func key(line string) string {
	k, _, _ := strings.Cut(line, ":")
	return k
}
