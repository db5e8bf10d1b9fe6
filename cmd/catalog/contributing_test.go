package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/soak"
	"catalog.example/generator"
	"catalog.example/generator/content"
	"catalog.example/generator/lint"
)

// TestContributingExample adds the listing that CONTRIBUTING.md shows where it says, and
// checks that lint finds nothing new.
func TestContributingExample(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)In full, `content/(projects/[^`]+)` becomes:\n\n```markdown\n(.*?\n)```\n").FindSubmatch(text)
	if example == nil {
		t.Fatal("CONTRIBUTING.md shows no listing")
	}
	dir := filepath.Join(t.TempDir(), "content")
	if err := os.CopyFS(dir, os.DirFS("../../content")); err != nil {
		t.Fatal(err)
	}
	before := lintFindings(t, dir)
	file := string(example[1])
	if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(file))); err == nil {
		t.Errorf("the catalog has %s already: show another listing", file)
	}
	if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(file)), example[2], 0o644); err != nil {
		t.Fatal(err)
	}
	// A new listing may bring findings about others, too.
	for _, f := range lintFindings(t, dir) {
		if !slices.Contains(before, f) {
			t.Error(f)
		}
	}

	// The commands of CONTRIBUTING.md name the same listing.
	slug := strings.TrimSuffix(filepath.Base(file), ".md")
	name := regexp.MustCompile(`bin/catalog new "([^"]+)"`).FindSubmatch(text)
	if name == nil || content.Slug(string(name[1])) != slug {
		t.Errorf("CONTRIBUTING.md begins %q and shows %s", name, file)
	}
	for _, want := range []string{"http://localhost:8080/projects/" + slug + "/", "git add content/" + file} {
		if !strings.Contains(string(text), want) {
			t.Errorf("CONTRIBUTING.md does not say %s", want)
		}
	}
}

// lintFindings returns what catalog lint finds in a content folder.
func lintFindings(t *testing.T, dir string) []content.Finding {
	t.Helper()
	settings, err := generator.LoadSettings("../../catalog.yml", func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	_, findings, err := lint.Load(t.Context(), content.Options{Dir: dir, Settings: settings, Jobs: 2, Today: api.DateOf(time.Now())}, "")
	if err != nil {
		t.Fatal(err)
	}
	return findings
}
