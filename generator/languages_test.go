package generator

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
)

// alternate matches the address of a page in a language.
var alternate = regexp.MustCompile(`hreflang="?([a-zA-Z-]+)"? href="?https://catalog.example/tools/([^">]*)`)

// germanOptions returns options for the small site with a folder of content to be changed, and German words.
func germanOptions(t *testing.T) func(o *Options) {
	t.Helper()
	dir, overrides, static := copyFolder(t, small), t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		filepath.Join(dir, "projects", "amber-chat.de.md"):  "---\nname: Bernstein\npurpose: Plaudert mit Dokumenten.\n---\nEs plaudert.\n",
		filepath.Join(dir, "taxonomy", "categories.de.yml"): "- {slug: chat, name: Plaudern}\n",
		filepath.Join(overrides, "labels.de.yml"):           "Small Catalogue: Kleiner Katalog\nCategories: Kategorien\n",
		filepath.Join(static, "CNAME"):                      "catalog.example\n",
		filepath.Join(static, "logo.txt"):                   "logo",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func(o *Options) {
		o.Content, o.Settings.Overrides, o.Settings.Static, o.Settings.Languages = dir, overrides, static, []string{"de"}
	}
}

// A further language has all pages, below its path, with the words of the owner. Each page names the same page in all
// languages.
func TestLanguages(t *testing.T) {
	out, report := build(t, germanOptions(t))
	tree := readTree(t, out)
	if len(report.Warnings) != 1 || !strings.Contains(report.Warnings[0], ` have no translation into de, and are English: ["A few tools & what is known of them."]; translate them in labels.de.yml in`) {
		t.Errorf("the warnings are %q", report.Warnings)
	}
	pages := 0
	for name, text := range tree {
		main, isGerman := strings.CutPrefix(name, "de/")
		if !isGerman && !slices.Contains([]string{"_headers", "_redirects", "_moved.conf", "_moved.caddy", "robots.txt", "CNAME"}, name) && !strings.HasPrefix(name, "assets/") && !strings.HasPrefix(name, ".well-known/agent-skills/") {
			if _, ok := tree["de/"+name]; !ok {
				t.Errorf("there is no de/%s", name)
			}
		}
		if filepath.Ext(name) != ".html" || strings.Contains(text, "http-equiv=") || strings.HasPrefix(main, "embed/") {
			continue
		}
		pages++
		path := strings.TrimSuffix(main, "index.html")
		got := map[string]string{}
		for _, m := range alternate.FindAllStringSubmatch(text, -1) {
			got[m[1]] = m[2]
		}
		want := map[string]string{"en": path, "de": "de/" + path, "x-default": path}
		if strings.Contains(text, `name="robots" content="noindex"`) {
			want = nil
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s has the alternates %v, want %v", name, got, want)
		}
		if lang := map[bool]string{true: "de", false: "en"}[isGerman]; !strings.Contains(text, `<html lang="`+lang+`"`) {
			t.Errorf("%s is not in %s", name, lang)
		}
	}
	if pages < 40 {
		t.Errorf("%d pages were looked at", pages)
	}
	for name, want := range map[string][]string{
		"de/projects/amber-chat/index.html":      {"<bdi>Bernstein</bdi>", `<p class="lead">Plaudert`, "Es plaudert.", ">Plaudern</a>", ">Kategorien</a>", "Kleiner Katalog", `<b lang="de" aria-current="true">Deutsch</b>`},
		"de/projects/cold-storage/index.html":    {"Diese Seite ist nicht vollständig übersetzt.", "in einer anderen Sprache: English.", `<p class="lead" lang="en">`},
		"de/projects/cold-storage/index.html.md": {"Diese Seite ist nicht vollständig übersetzt."},
		"404.html":                               {`href="https://catalog.example/tools/de/" lang="de"`},
		"projects/amber-chat/index.html":         {"<bdi>Amber Chat</bdi>", `href="https://catalog.example/tools/de/projects/amber-chat/" lang="de" hreflang="de">Deutsch</a>`},
		"sitemap.xml":                            {`<loc>https://catalog.example/tools/projects/amber-chat/</loc>`, `<xhtml:link rel="alternate" hreflang="de" href="https://catalog.example/tools/de/projects/amber-chat/"/>`},
		"robots.txt":                             {"Sitemap: https://catalog.example/tools/de/sitemap.xml\n"},
		"_headers":                               {"\n/tools/de/api/*\n", "\n/tools/de/:list/:slug/feed.xml\n"},
		"_redirects":                             {"\n/tools/de/api/v1/projects /tools/de/api/v1/projects/index.json 200\n"},
		"llms.txt":                               {"`in=de`, pages and API below https://catalog.example/tools/de/;"},
		"api/v1/languages.json":                  {`{"language":"de","name":"Deutsch","baseUrl":"https://catalog.example/tools/de"}`},
		"de/api/v1/projects/amber-chat.json":     {`"pageUrl":"https://catalog.example/tools/de/projects/amber-chat/"`, `"name":"Bernstein"`},
		"de/logo.txt":                            {"logo"},
	} {
		for _, part := range want {
			if !strings.Contains(tree[name], part) {
				t.Errorf("%s has no %q", name, part)
			}
		}
	}
	if strings.Contains(tree["projects/cold-storage/index.html"], "nicht vollständig übersetzt") || strings.Count(tree["_headers"], "/*.md\n") != 1 {
		t.Error("a page in the main language is not translated, or a rule is there twice")
	}
	index, err := search.Open([]byte(tree["de/"+search.FileName]))
	if err != nil || index.Settings().Lang != "de" || index.Settings().Title != "Kleiner Katalog" {
		t.Errorf("the German index is of %+v: %v", index.Settings(), err)
	}
}

// Without a server, nothing tells programs to ask for in=de.
func TestLanguagesWithoutServer(t *testing.T) {
	german := germanOptions(t)
	out, _ := build(t, func(o *Options) { german(o); o.Settings.Search = site.SearchNone })
	text := string(mustRead(t, out, "llms.txt"))
	if strings.Contains(text, "`in`") || strings.Contains(text, "`in=") || !strings.Contains(text, "translated: `de` below https://catalog.example/tools/de/; all else is in English.") {
		t.Errorf("llms.txt is %s", text)
	}
}

// Each text says its language if that is not the one of the page.
func TestLanguagesOfTexts(t *testing.T) {
	o := Options{Settings: settings()}
	germanOptions(t)(&o)
	for name, text := range map[string]string{
		"projects/amber-chat.de.md":   "---\npurpose: Plaudert.\njobs: [Plaudern]\n---\n",
		"projects/cold-storage.de.md": "---\njobs: [Packen]\n---\nEs packt.\n",
		"projects/empty-hands.de.md":  "---\npurpose: Tut etwas.\n---\nSonst ist nichts bekannt.\n",
		"pages/about.md":              "---\ntitle: About\ndescription: What this is.\n---\nText.\n",
		"pages/about.de.md":           "---\ntitle: Über uns\n---\n",
		"pages/terms.md":              "---\ntitle: Terms\ndescription: What you agree to.\n---\nText.\n",
		"pages/terms.de.md":           "---\ndescription: Was gilt.\n---\nWorte.\n",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Join(o.Content, "pages"), 0o755), os.WriteFile(filepath.Join(o.Content, filepath.FromSlash(name)), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	out, _ := build(t, func(b *Options) { b.Content, b.Settings = o.Content, o.Settings })
	for name, want := range map[string]string{
		"de/api/v1/projects/cold-storage.json": `,"untranslated":["purpose"`,
		"de/api/v1/projects/amber-chat.json":   `"purpose":"Plaudert.","untranslated":["fitNotes.caveats","description"],`,
		"de/api/v1/projects/empty-hands.json":  `,"untranslated":[],"jobs"`,
	} {
		text := string(mustRead(t, out, name))
		if main := string(mustRead(t, out, strings.TrimPrefix(name, "de/"))); !strings.Contains(text, want) || strings.Contains(main, "untranslated") {
			t.Errorf("%s has no %s, or the file in the main language has", name, want)
		}
	}
	for _, name := range []string{"api/v1/openapi.json", "de/api/v1/openapi.json"} {
		if text := string(mustRead(t, out, name)); strings.Count(text, `"untranslated":{`) != 5 {
			t.Errorf("%s does not describe untranslated in five kinds of listings", name)
		}
	}
	index, err := search.Open(mustRead(t, out, "de/"+search.FileName))
	if err != nil {
		t.Fatal(err)
	}
	const says = `"purpose":"Plaudert.","untranslated":["fitNotes.caveats","description"],"`
	for brief, next := range map[bool]string{false: "category", true: "license"} {
		if answer := index.AppendSearch(nil, api.SearchQuery{Q: "plaudert", Limit: 1, Brief: brief}); !strings.Contains(string(answer), says+next) {
			t.Errorf("the answer is %s", answer)
		}
	}
	for name, want := range map[string][]string{
		"projects/amber-chat":   {`<p class="lead">Plaudert.`, `<section class="about" lang="en">`, "<ul><li>Plaudern</li>", `<ul lang="en"><li>Slow without`, "nicht vollständig übersetzt"},
		"projects/cold-storage": {`<p class="lead" lang="en">`, `<section class="about">`, "<ul><li>Packen</li>", "nicht vollständig übersetzt"},
		"about":                 {`<article lang="en"><h1 lang="de">Über uns</h1>`, "nicht vollständig übersetzt"},
		"terms":                 {`<article><h1 lang="en">Terms</h1>`, "Worte.", "nicht vollständig übersetzt"},
		"newest":                {`<p lang="en">`, "<p>Plaudert.</p>"},
		"embed/cold-storage":    {`<p lang="en">`},
		"embed/amber-chat":      {"<p>Plaudert.</p>"},
	} {
		text := string(mustRead(t, out, "de/"+name+"/index.html"))
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s has no %q: %s", name, part, text[strings.Index(text, "<main"):])
			}
		}
	}
}

// The main language links to others. They have the static files of the main one, except those of their own.
func TestLinksAndFilesOfLanguages(t *testing.T) {
	o := optionsFor(filepath.Join(t.TempDir(), "public"))
	germanOptions(t)(&o)
	file := filepath.Join(o.Content, "projects", "amber-chat.md")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	own := filepath.Join(o.Settings.Static, "de")
	put(filepath.Join(own, "logo.txt"), "Zeichen")
	put(file, strings.TrimRight(string(before), "\n")+"\n\n[Deutsch](/de/projects/cold-storage/) [Zeichen](/de/logo.txt)\n")
	check := func() (wrong []string) {
		_, findings, err := Check(t.Context(), content.Options{Dir: o.Content, Settings: o.Settings, Jobs: 1, Today: "2027-01-01"}, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findings {
			if f.Rule.Severity == rule.Error {
				wrong = append(wrong, f.String())
			}
		}
		return wrong
	}
	if wrong := check(); len(wrong) > 0 {
		t.Errorf("the findings are %q", wrong)
	}
	report, err := Build(t.Context(), o)
	if err != nil {
		t.Fatal(err, report.Findings)
	}
	if text := string(mustRead(t, o.Out, "de/logo.txt")); text != "Zeichen" {
		t.Errorf("the German file is %q", text)
	}
	if _, err := os.Stat(filepath.Join(o.Out, "de", "de")); err == nil {
		t.Error("the German files are in de/de/, too")
	}
	put(filepath.Join(own, "llms.txt"), "Werkzeuge")
	put(file, string(before)+"\n[Nichts](/de/projects/nothing/)\n")
	if wrong := strings.Join(check(), "\n"); !strings.Contains(wrong, "the build writes de/llms.txt itself") || !strings.Contains(wrong, `"/de/projects/nothing/" leads nowhere`) {
		t.Errorf("the findings are %s", wrong)
	}
}

// A build after a change of a translation, and one with a wrong one, are like those from nothing.
func TestChangedTranslation(t *testing.T) {
	german, cache := germanOptions(t), t.TempDir()
	cached := func(o *Options) { german(o); o.Cache = cache }
	build(t, cached)
	o := Options{}
	german(&o)
	file := filepath.Join(o.Content, "projects", "amber-chat.de.md")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("---\nname: Bernstein zwei\n---\n")
	again, _ := build(t, cached)
	anew, _ := build(t, german)
	tree := readTree(t, again)
	checkTree(t, "with a cache", tree, readTree(t, anew))
	if text := tree["de/projects/amber-chat/index.html"]; !strings.Contains(text, "<bdi>Bernstein zwei</bdi>") || !strings.Contains(text, "nicht vollständig übersetzt") {
		t.Error("the page shows another text")
	}
	write("---\nname: Bernstein\n---\n[zwei](/projects/cold-storage/#nowhere)\n")
	o = optionsFor(filepath.Join(t.TempDir(), "public"))
	german(&o)
	report, err := Build(t.Context(), o)
	if !slices.ContainsFunc(report.Findings, func(f content.Finding) bool { return f.File == "projects/amber-chat.de.md" && f.Line == 4 }) {
		t.Errorf("a dead link of a translation: %v, %v", err, report.Findings)
	}
}

// A preview shows all languages. While a translation is wrong, it says so and shows the main language. While a listing
// is wrong, it shows its last form in all of them.
func TestPreviewOfLanguages(t *testing.T) {
	german := Options{Settings: settings()}
	germanOptions(t)(&german)
	p := newPreview(german.Content, func(s *site.Settings) { *s = german.Settings })
	file, page := filepath.Join(german.Content, "projects", "amber-chat.de.md"), "de/projects/amber-chat/index.html"
	shows := func(text, want string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		d := draftOf(t, p)
		got, err := d.File(page)
		if d.Err != nil || (err == nil) != (want != "") || !strings.Contains(string(got), want) {
			t.Errorf("of %q the preview shows %.300s: %v, %v", text, got, err, d.Err)
		}
		main, err := d.File("projects/amber-chat/index.html")
		if isThere := strings.Contains(string(main), `hreflang=`); err != nil || isThere != (want != "") {
			t.Errorf("with %q the page names other languages: %v, %v", text, isThere, err)
		}
		isWrong := slices.ContainsFunc(d.Findings, func(f content.Finding) bool {
			return f.File == "projects/amber-chat.de.md" && f.Rule.Severity == rule.Error
		})
		if isWrong != (want == "") {
			t.Errorf("of %q the findings are %v", text, d.Findings)
		}
	}
	shows("---\nname: Bernstein\n---\n", "<bdi>Bernstein</bdi>")
	if got := draftOf(t, p).Source("/de/projects/amber-chat/"); got != "projects/amber-chat.de.md" {
		t.Errorf("the source of a translated page is %q", got)
	}
	shows("---\nstars: 3\n---\n", "")
	shows("---\nname: Amber\n---\n", "<bdi>Amber</bdi>")
	listing := filepath.Join(german.Content, "projects", "amber-chat.md")
	before, err := os.ReadFile(listing)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"---\nstars: many\n---\n", string(before)} {
		if err := os.WriteFile(listing, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if text, err := draftOf(t, p).File(page); !strings.Contains(string(text), "<bdi>Amber</bdi>") {
			t.Errorf("while the listing is wrong, or after that, the German page is %.300s: %v", text, err)
		}
	}
	other := filepath.Join(german.Content, "projects", "nothing.de.md")
	if err := os.WriteFile(other, []byte("---\nname: Nichts\n---\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if d := draftOf(t, p); d.tasks == nil || !d.Has("projects/amber-chat/index.html") || !d.Has(page) {
		t.Error("a translation of nothing takes the site away")
	}
}

// A language of the settings is a tag that can be the name of a folder, and no other language of the site.
func TestLanguageSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "catalog.yml")
	if err := os.WriteFile(file, []byte("lang: en\nlanguages: [de, en, de, api, Deutsch, x y]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := LoadSettings(file, func(string) (string, bool) { return "", false })
	if err == nil || strings.Count(err.Error(), "languages: ") != 5 || !strings.Contains(err.Error(), file+`:2:17: languages: "en" is the main language`) {
		t.Errorf("the error is %v", err)
	}
	s := site.Settings{Lang: "en", BaseURL: "https://a.example/b", SearchURL: "https://c.example"}
	if got := s.In("de"); got.BaseURL != "https://a.example/b/de" || got.SearchURL != "https://c.example/de" || got.Lang != "de" {
		t.Errorf("in German, the settings are %+v", got)
	}
}

// A preview shows what has changed in templates, labels, settings and the taxonomy, in each language, although it
// keeps templates that have not. Similar listings are the same in all languages.
func TestPreviewOfTemplates(t *testing.T) {
	german := Options{Settings: settings()}
	germanOptions(t)(&german)
	look := german.Settings.Overrides
	p := newPreview(german.Content, func(s *site.Settings) { *s = german.Settings })
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	categories := filepath.Join(german.Content, "taxonomy", "categories.de.yml")
	for _, step := range []struct {
		about       string
		change      func()
		main, other string // what the pages of a listing show
	}{
		{"at first", func() {}, ">Categories<", ">Kategorien<"},
		{"a label of one", func() { write(filepath.Join(look, "labels.de.yml"), "Categories: Gruppen\n") }, ">Categories<", ">Gruppen<"},
		{"a label of the other", func() { write(filepath.Join(look, "labels.yml"), "Categories: Groups\n") }, ">Groups<", ">Gruppen<"},
		{"a template", func() { write(filepath.Join(look, "layout.md"), "{{define \"layout.md\"}}New{{end}}") }, ">Groups<", ">Gruppen<"},
		{"the taxonomy", func() { write(categories, "- {slug: chat, name: Reden}\n") }, ">Chat", ">Reden<"},
		{"the settings", func() { german.Settings.Title = "Another Title" }, "Another Title", "Another Title"},
	} {
		step.change()
		d := draftOf(t, p)
		for name, want := range map[string]string{"": step.main, "de/": step.other} {
			text, err := d.File(name + "projects/amber-chat/index.html")
			if d.Err != nil || err != nil || !strings.Contains(string(text), want) {
				t.Errorf("%s: %s has no %s: %v, %v", step.about, name, want, d.Err, err)
			}
			if text, err := d.File(name + "projects/amber-chat/index.html.md"); err != nil || (string(text) == "New") != (step.about != "at first" && !strings.HasPrefix(step.about, "a label")) {
				t.Errorf("%s: the Markdown version is %s: %v", step.about, text, err)
			}
			similar := regexp.MustCompile(`"similar":\[[^\]]+\]`)
			main, _ := d.File("api/v1/projects/amber-chat.json")
			other, _ := d.File("de/api/v1/projects/amber-chat.json")
			if want := similar.FindString(string(main)); want == "" || similar.FindString(string(other)) != want {
				t.Errorf("similar are %s, and in German %s", want, similar.FindString(string(other)))
			}
		}
	}
}
