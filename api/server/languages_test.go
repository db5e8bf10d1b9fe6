package server

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/api/site"
)

// writeGerman adds a site in German to the folder of a build, whose settings are given.
func writeGerman(t *testing.T, public string, s site.Settings) {
	t.Helper()
	s.Languages = []string{"de"}
	german := catalog(s.In("de"))
	german.Settings.Title = "Katalog"
	for i := range german.Projects {
		german.Projects[i].Name = strings.Replace(german.Projects[i].Name, "Paper Lantern", "Papierlaterne", 1)
		german.Projects[i].Purpose = "Spricht mit Unterlagen."
	}
	index, err := search.Encode(german)
	if err != nil {
		t.Fatal(err)
	}
	languages := `{"languages":[{"language":"en","name":"English","baseUrl":"x"},{"language":"de","name":"Deutsch","baseUrl":"x"}]}`
	files := maps.Clone(publicFiles)
	maps.Copy(files, map[string]string{"index.html": "<p>Anfang", "404.html": "<p>gibt es nicht", "api/v1/languages.json": languages, search.FileName: string(index)})
	writeFiles(t, filepath.Join(public, "de"), files)
	writeFiles(t, public, map[string]string{"api/v1/languages.json": languages})
}

// What is below the path of a language is answered in it, and so is a request with the parameter in.
func TestLanguages(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "/tools"} {
		f := newFixture(t, func(o *options) {
			o.Settings.BaseURL = "https://catalog.example" + base
			writeGerman(t, o.Build.Folder, o.Settings)
		})
		const german, english = `"name":"Papierlaterne 1"`, `"name":"Paper Lantern 1"`
		for target, want := range map[string]struct {
			status int
			part   string
		}{
			"/":                                     {200, "<p>home"},
			"/de/":                                  {200, "<p>Anfang"},
			"/de":                                   {308, "Moved to " + base + "/de/"},
			"/de/a%20b/":                            {200, "<p>space"},
			"/de/projects/paper-lantern-1":          {308, base + "/de/projects/paper-lantern-1/"},
			"/de/nothing":                           {404, "<p>gibt es nicht"},
			"/de/_headers":                          {404, "<p>gibt es nicht"},
			"/de/api/v1/search.idx":                 {404, `"code":"unknown-endpoint"`},
			"/en/":                                  {404, "<p>no such page"},
			"/de/de/":                               {404, "<p>gibt es nicht"},
			"/api/v1/search?q=lantern":              {200, english},
			"/api/v1/search?q=laterne&in=de":        {200, `"total":0`},
			"/api/v1/search?q=Papierlaternen&in=de": {200, german},
			"/de/api/v1/search?q=Unterlage":         {200, german},
			"/de/api/v1/search?q=notes&in=en":       {200, english},
			"/api/v1/search?q=notes&in=":            {200, english},
			"/api/v1/projects?in=de&limit=1":        {200, german},
			"/api/v1/projects/paper-lantern-1?in=de&view=brief": {200, german},
			"/api/v1/projects/paper-lantern-1?in=de":            {200, german},
			"/api/v1/projects/paper-lantern-1":                  {200, english},
			"/api/v1/projects/paper-lantern-1.json?in=de":       {200, `{"slug":"paper-lantern-1"}`},
			"/api/v1/search?in=fr&limit=0&q=a":                  {400, "2 parameters are not valid: in, limit."},
			"/api/v1/projects?in=fr":                            {400, `"allowed":["en","de"]`},
			"/api/v1/projects?in=de&in=en":                      {400, "is given more than once"},
			"/api/v1/projects/nothing?in=de":                    {404, `"code":"unknown-project"`},
			"/de/api/v1/openapi":                                {200, "Katalog"},
			"/api/v1/openapi":                                   {200, `"name":"in"`},
			"/api/v1/openapi?in=fr":                             {200, `"name":"in"`},
			"/api/v1/nothing?in=fr":                             {404, `"code":"unknown-endpoint"`},
			"/api/v1/search/?q=Unterlage&in=de":                 {308, base + "/api/v1/search?q=Unterlage&in=de"},
			"/de/api/v1/projects/?in=en":                        {308, base + "/de/api/v1/projects?in=en"},
		} {
			r := f.do("GET", base+target)
			if r.status != want.status || !strings.Contains(r.body+r.header.Get("Location"), want.part) {
				t.Errorf("%s%s is answered by %d: %s", base, target, r.status, r.body[:min(400, len(r.body))])
			}
		}
		link := f.get(base + "/api/v1/search?q=Unterlage&in=de&limit=1").header.Get("Link")
		if !strings.Contains(link, "<https://catalog.example"+base+"/de/api/v1/search?q=Unterlage&limit=1&offset=1>") {
			t.Errorf("the next page is at %s", link)
		}
		if one, other := f.get(base+"/api/v1/search?q=a").header.Get("ETag"), f.get(base+"/api/v1/search?q=a&in=de").header.Get("ETag"); one == other || other == "" {
			t.Errorf("answers in two languages have the ETags %s and %s", one, other)
		}
	}
}

// A catalogue in one language does not have the parameter.
func TestOneLanguage(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	if r := f.get("/api/v1/search?q=lantern&in=de"); r.status != 200 || !strings.Contains(r.body, `"code":"unknown-parameter","parameter":"in"`) {
		t.Errorf("the parameter is answered by %d: %s", r.status, r.body)
	}
	if strings.Contains(string(f.server.current().OpenAPI), `"name":"in"`) {
		t.Error("the parameter is described")
	}
}

// A build whose folder of a language is missing or wrong is refused as a whole. The next one is served in all languages.
func TestLanguagesAreReloaded(t *testing.T) {
	t.Parallel()
	var index []byte
	f := newFixture(t, func(o *options) {
		writeGerman(t, o.Build.Folder, o.Settings)
		var err error
		if index, err = search.Encode(catalog(o.Settings)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(o.Build.Folder, search.FileName), index, 0o600); err != nil {
			t.Fatal(err)
		}
		o.Override = func(s site.Settings) (site.Settings, error) { s.BaseURL = "https://other.example"; return s, nil }
	})
	german := filepath.Join(f.public, "de", search.FileName)
	good, err := os.ReadFile(german)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(german, good[:len(good)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.source.Reload(); err == nil || !strings.Contains(err.Error(), "language de: ") {
		t.Errorf("a damaged index of a language: %v", err)
	}
	if r := f.get("/api/v1/search?q=Unterlage&in=de"); !strings.Contains(r.body, "Papierlaterne") {
		t.Errorf("after that, a search answers %s", r.body)
	}
	if err := os.WriteFile(german, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.source.Reload(); err != nil {
		t.Fatal(err)
	}
	settings := f.server.current().Languages["de"].Settings
	if settings.BaseURL != "https://other.example/de" || settings.Title != "Katalog" || !slices.Equal(settings.Languages, []string{"de"}) {
		t.Errorf("the settings in German are %+v", settings)
	}
}

// Only the own parameter is cut from a query string.
func TestCutLanguage(t *testing.T) {
	t.Parallel()
	in := api.LanguageParameter([]string{"en", "de"})
	for query, want := range map[string][2]string{
		"": {"", ""}, "q=a": {"", "q=a"}, "in=de": {"de", ""}, "q=a&in=de&min=1": {"de", "q=a&min=1"}, "in=fr&q=%zz": {"", "q=%zz"}, "q=in&in": {"", "q=in"}, "q=a&%69n=de": {"de", "q=a"},
	} {
		lang, rest, _ := api.CutLanguage(query, in)
		if lang != want[0] || rest != want[1] {
			t.Errorf("of %q remains %q, in %q", query, rest, lang)
		}
	}
}
