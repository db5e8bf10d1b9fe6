package validate_test

import (
	"strings"
	"testing"

	"catalog.example/api/site"
	"catalog.example/api/site/validate"
)

func TestDefaultsAreGood(t *testing.T) {
	s := site.Defaults()
	if p := validate.Settings(&s); len(p) > 0 {
		t.Error(p)
	}
}

func TestSettingsNamesEverything(t *testing.T) {
	for _, test := range []struct {
		change func(*site.Settings)
		key    string // "" for none wrong
	}{
		{func(s *site.Settings) { s.BaseURL = "https://x.example/a/b///" }, ""},
		{func(s *site.Settings) { s.SandboxKey = "" }, ""},
		{func(s *site.Settings) { s.Contact = "mailto:a@b.example" }, ""},
		{func(s *site.Settings) { s.BaseURL = "x.example" }, "base_url"},
		{func(s *site.Settings) { s.BaseURL = "ftp://x.example" }, "base_url"},
		{func(s *site.Settings) { s.BaseURL = "https://x.example/?a" }, "base_url"},
		{func(s *site.Settings) { s.BaseURL = "https://x.example/a?" }, "base_url"},
		{func(s *site.Settings) { s.BaseURL = "https://x.example/a#" }, "base_url"},
		{func(s *site.Settings) { s.BaseURL = "https://:443" }, "base_url"},
		{func(s *site.Settings) { s.BaseURL = "https://x.example/a b" }, "base_url"},
		{func(s *site.Settings) { s.BaseURL = "https://x.example/ä" }, "base_url"},
		{func(s *site.Settings) { s.BaseURL = "https://x.example/../a" }, "base_url"},
		{func(s *site.Settings) { s.BaseURL = "https://x.example/a//b" }, "base_url"},
		{func(s *site.Settings) { s.SearchURL = "search" }, "search_url"},
		{func(s *site.Settings) { s.Search = site.SearchInBrowser }, ""},
		{func(s *site.Settings) { s.Search = site.SearchNone }, ""},
		{func(s *site.Settings) { s.Search = "wasm" }, "search"},
		{func(s *site.Settings) { s.Offline = "yes" }, "offline"},
		{func(s *site.Settings) { s.AccessLog = "yes" }, "access_log"},
		{func(s *site.Settings) { s.Search, s.SearchURL = site.SearchInBrowser, "https://s.example" }, "search_url"},
		{func(s *site.Settings) { s.Search, s.SearchURL = site.SearchNone, "https://s.example" }, "search_url"},
		{func(s *site.Settings) { s.Contact = "javascript:alert(1)" }, "contact"},
		{func(s *site.Settings) { s.AnonymousPerMinute = 0 }, "anonymous_per_minute"},
		{func(s *site.Settings) { s.SandboxPerMinute = -1 }, "sandbox_per_minute"},
		{func(s *site.Settings) { s.SandboxKey = "two words" }, "sandbox_key"},
		{func(s *site.Settings) { s.ContentSignal = "search" }, "content_signal"},
		{func(s *site.Settings) { s.Title = " " }, "title"},
		{func(s *site.Settings) { s.Title = "a\n# b" }, "title"},
		{func(s *site.Settings) { s.Description = "a folded text of YAML\n" }, ""},
		{func(s *site.Settings) { s.Description = "a\nb" }, "description"},
		{func(s *site.Settings) { s.Title = "a\u202eb" }, "title"},
		{func(s *site.Settings) { s.Optional = []string{"repositoryUrl"} }, ""},
		{func(s *site.Settings) { s.Optional = []string{"name"} }, "optional"},
		{func(s *site.Settings) { s.Include = nil }, "include"},
		{func(s *site.Settings) { s.Include = []string{"{a,b}{c,d}/**/*.{md,txt}"} }, ""},
		{func(s *site.Settings) { s.Include = []string{strings.Repeat("{a,b}", 7)} }, "include"},
		{func(s *site.Settings) { s.Exclude = []string{"{" + strings.Repeat("a,", 60) + "{b,c}}"} }, "exclude"},
		{func(s *site.Settings) { s.Exclude = []string{strings.Repeat("**/", 5)} }, "exclude"},
		{func(s *site.Settings) { s.Exclude = []string{strings.Repeat("a", 201)} }, "exclude"},
		{func(s *site.Settings) { s.Keep = []string{".git/", "a b/c"} }, ""},
		{func(s *site.Settings) { s.Keep = nil }, ""},
		{func(s *site.Settings) { s.Keep = []string{".git", "/"} }, "keep"},
		{func(s *site.Settings) { s.Keep = []string{"."} }, "keep"},
		{func(s *site.Settings) { s.Keep = []string{"a\nb"} }, "keep"},
		{func(s *site.Settings) { s.Lang, s.Languages = "EN", []string{"en"} }, "languages"},
		{func(s *site.Settings) { s.Languages = []string{"de-AT", "pt", "de-at"} }, "languages"},
		{func(s *site.Settings) { s.Jobs = []string{" cook "} }, ""},
		{func(s *site.Settings) { s.Jobs = []string{"cook", " "} }, "jobs"},
		{func(s *site.Settings) { s.Jobs = []string{"a\nb"} }, "jobs"},
		{func(s *site.Settings) { s.Jobs = []string{strings.Repeat("a", site.MaxJob+1)} }, "jobs"},
	} {
		s := site.Defaults()
		test.change(&s)
		problems := validate.Settings(&s)
		switch {
		case test.key == "" && len(problems) > 0:
			t.Errorf("%+v: %v", s, problems)
		case test.key != "" && (len(problems) != 1 || problems[0].Key != test.key):
			t.Errorf("want one problem with %s, got %v", test.key, problems)
		}
	}
	s := site.Settings{BaseURL: "https://x.example/a/"}
	validate.Settings(&s)
	if s.BaseURL != "https://x.example/a" || s.BasePath() != "/a" || s.URL("/p/") != "https://x.example/a/p/" {
		t.Errorf("base address not tidied: %q %q", s.BaseURL, s.BasePath())
	}
}
