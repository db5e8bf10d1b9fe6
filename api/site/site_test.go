package site_test

import (
	"slices"
	"strings"
	"testing"

	"catalog.example/api/site"
)

func TestBasePath(t *testing.T) {
	for address, want := range map[string]string{
		"https://x.example": "", "https://x.example/": "", "https://x.example/a/b": "/a/b", "http://[::1]:8080/a%20b/": "/a%20b",
	} {
		if s := (site.Settings{BaseURL: address}); s.BasePath() != want {
			t.Errorf("%s: %q, want %q", address, s.BasePath(), want)
		}
	}
}

func TestSettingsOverride(t *testing.T) {
	env := map[string]string{
		"CATALOG_TITLE": "T", "CATALOG_ANONYMOUS_PER_MINUTE": "7", "CATALOG_INCLUDE": "a/*.md, b/*.md",
		"CATALOG_DESCRIPTION": site.Defaults().Description, "CATALOG_NONSENSE": "x",
	}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	s := site.Defaults()
	changed, err := s.Override(lookup)
	if err != nil {
		t.Fatal(err)
	}
	if s.Title != "T" || s.AnonymousPerMinute != 7 || !slices.Equal(s.Include, []string{"a/*.md", "b/*.md"}) {
		t.Errorf("not overridden: %+v", s)
	}
	if !slices.Equal(changed, []string{"title", "anonymous_per_minute", "include"}) {
		t.Errorf("changed: %v", changed)
	}
	// Two lists may look alike when they are printed.
	s.Jobs = []string{"chat notes"}
	env["CATALOG_JOBS"] = "chat,notes"
	if changed, err = s.Override(lookup); err != nil || !slices.Equal(changed, []string{"jobs"}) {
		t.Errorf("changed: %v, %v", changed, err)
	}
	env["CATALOG_KEEP"] = ".git,uploads"
	if changed, err = s.Override(lookup); err != nil || !slices.Equal(changed, []string{"keep"}) || !slices.Equal(s.Keep, []string{".git", "uploads"}) {
		t.Errorf("changed: %v, %v; kept: %q", changed, err, s.Keep)
	}
	env["CATALOG_EXCLUDE"] = "drafts/*.{md,txt}, {a,b}/**"
	if _, err = s.Override(lookup); err != nil || !slices.Equal(s.Exclude, []string{"drafts/*.{md,txt}", "{a,b}/**"}) {
		t.Errorf("%v; excluded: %q", err, s.Exclude)
	}
	env["CATALOG_SANDBOX_PER_MINUTE"] = "many"
	if _, err := s.Override(lookup); err == nil || !strings.Contains(err.Error(), "CATALOG_SANDBOX_PER_MINUTE") {
		t.Errorf("want an error that names the variable, got %v", err)
	}
}
