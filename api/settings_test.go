package api_test

import (
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
)

func TestDefaultSettingsAreGood(t *testing.T) {
	s := api.DefaultSettings()
	if p := s.Check(); len(p) > 0 {
		t.Error(p)
	}
}

func TestSettingsCheckNamesEverything(t *testing.T) {
	for _, test := range []struct {
		change func(*api.Settings)
		key    string // "" for none wrong
	}{
		{func(s *api.Settings) { s.BaseURL = "https://x.example/a/b///" }, ""},
		{func(s *api.Settings) { s.SandboxKey = "" }, ""},
		{func(s *api.Settings) { s.Contact = "mailto:a@b.example" }, ""},
		{func(s *api.Settings) { s.BaseURL = "x.example" }, "base_url"},
		{func(s *api.Settings) { s.BaseURL = "ftp://x.example" }, "base_url"},
		{func(s *api.Settings) { s.BaseURL = "https://x.example/?a" }, "base_url"},
		{func(s *api.Settings) { s.BaseURL = "https://:443" }, "base_url"},
		{func(s *api.Settings) { s.BaseURL = "https://x.example/a b" }, "base_url"},
		{func(s *api.Settings) { s.BaseURL = "https://x.example/ä" }, "base_url"},
		{func(s *api.Settings) { s.BaseURL = "https://x.example/../a" }, "base_url"},
		{func(s *api.Settings) { s.BaseURL = "https://x.example/a//b" }, "base_url"},
		{func(s *api.Settings) { s.SearchURL = "search" }, "search_url"},
		{func(s *api.Settings) { s.Contact = "javascript:alert(1)" }, "contact"},
		{func(s *api.Settings) { s.AnonymousPerMinute = 0 }, "anonymous_per_minute"},
		{func(s *api.Settings) { s.SandboxPerMinute = -1 }, "sandbox_per_minute"},
		{func(s *api.Settings) { s.SandboxKey = "two words" }, "sandbox_key"},
		{func(s *api.Settings) { s.Title = " " }, "title"},
		{func(s *api.Settings) { s.Title = "a\n# b" }, "title"},
		{func(s *api.Settings) { s.Description = "a folded text of YAML\n" }, ""},
		{func(s *api.Settings) { s.Description = "a\nb" }, "description"},
		{func(s *api.Settings) { s.Include = nil }, "include"},
		{func(s *api.Settings) { s.Keep = []string{".git/", "a b/c"} }, ""},
		{func(s *api.Settings) { s.Keep = nil }, ""},
		{func(s *api.Settings) { s.Keep = []string{".git", "/"} }, "keep"},
		{func(s *api.Settings) { s.Keep = []string{"."} }, "keep"},
		{func(s *api.Settings) { s.Keep = []string{"a\nb"} }, "keep"},
		{func(s *api.Settings) { s.Jobs = []string{" cook "} }, ""},
		{func(s *api.Settings) { s.Jobs = []string{"cook", " "} }, "jobs"},
		{func(s *api.Settings) { s.Jobs = []string{"a\nb"} }, "jobs"},
		{func(s *api.Settings) { s.Jobs = []string{strings.Repeat("a", api.MaxQueryLength+1)} }, "jobs"},
	} {
		s := api.DefaultSettings()
		test.change(&s)
		problems := s.Check()
		switch {
		case test.key == "" && len(problems) > 0:
			t.Errorf("%+v: %v", s, problems)
		case test.key != "" && (len(problems) != 1 || problems[0].Key != test.key):
			t.Errorf("want one problem with %s, got %v", test.key, problems)
		}
	}
	s := api.Settings{BaseURL: "https://x.example/a/"}
	s.Check()
	if s.BaseURL != "https://x.example/a" || s.BasePath() != "/a" || s.URL("/p/") != "https://x.example/a/p/" {
		t.Errorf("base address not tidied: %q %q", s.BaseURL, s.BasePath())
	}
}

func TestSettingsOverride(t *testing.T) {
	env := map[string]string{
		"CATALOG_TITLE": "T", "CATALOG_ANONYMOUS_PER_MINUTE": "7", "CATALOG_INCLUDE": "a/*.md, b/*.md",
		"CATALOG_DESCRIPTION": api.DefaultSettings().Description, "CATALOG_NONSENSE": "x",
	}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	s := api.DefaultSettings()
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
	env["CATALOG_SANDBOX_PER_MINUTE"] = "many"
	if _, err := s.Override(lookup); err == nil || !strings.Contains(err.Error(), "CATALOG_SANDBOX_PER_MINUTE") {
		t.Errorf("want an error that names the variable, got %v", err)
	}
}

func TestParseDate(t *testing.T) {
	for text, good := range map[string]bool{
		"2026-02-28": true, "2024-02-29": true, "2026-02-29": false, "2026-2-1": false, "26-02-01": false,
		"2026-13-01": false, "": false, "2026-02-28T00:00:00Z": false, "0000-01-01": false,
	} {
		if _, err := api.ParseDate(text); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestNearest(t *testing.T) {
	slugs := []string{"ollama", "open-webui", "localai", "llama-cpp", "whisper"}
	for _, test := range []struct {
		given string
		want  []string
	}{
		{"olama", []string{"ollama"}},
		{"openwebui", []string{"open-webui"}},
		{"wihsper", []string{"whisper"}},
		{"webui", []string{"open-webui"}},
		{"zzzzzzzz", nil},
		{"", nil},
		{strings.Repeat("a", 1000), nil},
	} {
		if got := api.Nearest(test.given, slugs, 2); !slices.Equal(got, test.want) {
			t.Errorf("%q: got %v, want %v", test.given, got, test.want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"kitten", "sitting", 3},
		{"ollama", "olalma", 1}, {"größe", "grösse", 2}, {"ca", "abc", 3},
	} {
		if got := api.EditDistance(test.a, test.b); got != test.want {
			t.Errorf("%q, %q: got %d, want %d", test.a, test.b, got, test.want)
		}
		if got := api.EditDistance(test.b, test.a); got != test.want {
			t.Errorf("%q, %q: got %d, want %d", test.b, test.a, got, test.want)
		}
	}
}
