package page

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/api/soak"
	"catalog.example/generator/content"
	"catalog.example/generator/render"
	"catalog.example/templates"
)

// captured keeps what is written.
type captured struct {
	mu    sync.Mutex
	files map[string]string
}

func (c *captured) write(name string, parts ...[]byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, twice := c.files[name]; twice {
		return fmt.Errorf("%s is written twice", name)
	}
	c.files[name] = string(slices.Concat(parts...))
	return nil
}

func smallSite(t *testing.T) *render.Site {
	t.Helper()
	files, err := templates.Files(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &render.Site{Settings: site.Defaults(), Content: &content.Content{Taxonomy: api.Taxonomy{
		Categories: []api.Category{{Slug: "chat", Name: "Chat", Description: "To chat.", Group: "Text"}},
		Platforms:  []api.Platform{{Slug: "linux", Name: "Linux"}},
		Products:   []api.Product{{Slug: "paid", Name: "Paid", Maker: "Paid & Sons"}},
		Facts:      facts(),
	}}, Templates: files}
	s.Settings.BaseURL = "https://catalog.example"
	return s
}

// facts are one of each kind, and more.
func facts() []api.Fact {
	return []api.Fact{
		{Key: "gpu", Kind: api.FactChoice, Label: "GPU", Group: "Will it fit?",
			Values: []api.FactOption{{Slug: "none", Label: "no use for one"}, {Slug: "required", Label: "required"}},
			Chip:   map[string]string{"none": "No GPU", "required": "GPU required"}},
		{Key: "minRamGb", Kind: api.FactNumber, Label: "RAM from", Group: "Will it fit?", Unit: "GB",
			Chip: map[string]string{api.FactKnown: "RAM from"}},
		{Key: "recommendedRamGb", Kind: api.FactNumber, Label: "RAM recommended", Group: "Will it fit?", Unit: "GB"},
		{Key: "memoryFor", Kind: api.FactText, Label: "Memory stated for"}, // without a group
		{Key: "docker", Kind: api.FactYesNo, Label: "Docker", Group: "Where it runs",
			Chip: map[string]string{"1": "Docker"}, Filter: &api.FactFilter{Parameter: "docker"}},
		{Key: "beginner", Kind: api.FactYesNo, Label: "For beginners", Group: "Will it fit?",
			Chip: map[string]string{"1": "For beginners"}},
		{Key: "languages", Kind: api.FactChoices, Label: "Languages", Group: "Where it runs",
			Values: []api.FactOption{{Slug: "de", Label: "German"}, {Slug: "en", Label: "English"}}},
		{Key: "caveats", Kind: api.FactTexts, Label: "Know before"},
	}
}

// add adds a listing to a site.
func add(s *render.Site, slug string, change func(*api.ProjectDetail)) {
	p := api.ProjectDetail{Project: api.Project{Slug: slug, Name: slug, Category: "chat",
		PageURL: s.Settings.URL("/projects/" + slug + "/"), AddedAt: "2026-01-02",
		FitNotes: api.UnknownFacts(s.Content.Taxonomy.Facts)}}
	if change != nil {
		change(&p)
	}
	l := &content.Listing{ProjectDetail: p.Normalized()}
	s.Listings = append(s.Listings, l)
	s.Content.Listings = append(s.Content.Listings, l)
}

// built writes a whole site.
func built(t *testing.T, s *render.Site) map[string]string {
	t.Helper()
	c := &captured{files: map[string]string{}}
	tasks, err := Tasks(s, c.write)
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		if err := task.Run(); err != nil {
			t.Fatal(err)
		}
	}
	return c.files
}

// A catalogue of nothing is a catalogue.
func TestSiteWithoutListings(t *testing.T) {
	files := built(t, smallSite(t))
	for _, want := range []string{"index.html", "newest/index.html", "categories/chat/index.html", "docs/index.html",
		"llms.txt", "sitemap.xml", "api/v1/projects/index.json", "api/v1/lists/popular/1.json"} {
		if files[want] == "" {
			t.Errorf("%s is missing", want)
		}
	}
	const list = `{"projects":[],"total":0,"limit":50,"offset":0,"warnings":[],"page":1,"pages":1,"next":null}`
	if got := files["api/v1/lists/popular/1.json"]; got != list {
		t.Errorf("got %s, want %s", got, list)
	}
}

// Above 50,000 addresses a sitemap becomes an index of several.
func TestSitemapOfManyAddresses(t *testing.T) {
	soak.Long(t)
	type entry struct {
		Loc string `xml:"loc"`
	}
	for _, c := range []struct{ more, files int }{{0, 1}, {1, 2}} {
		s := smallSite(t)
		// As many pages as fill one file, and then some: pages cost the least.
		files := &captured{files: map[string]string{}}
		r, err := newCatalog(s, files.write)
		if err != nil {
			t.Fatal(err)
		}
		if err := (sitemap{r}).files(); err != nil {
			t.Fatal(err)
		}
		others := strings.Count(files.files["sitemap.xml"], "<loc>")
		for i := range maxSitemap - others + c.more {
			s.Content.Pages = append(s.Content.Pages, &content.Page{Slug: fmt.Sprintf("p%d", i)})
		}
		files.files = map[string]string{}
		if err := (sitemap{r}).files(); err != nil {
			t.Fatal(err)
		}

		var locs []string
		parts := []string{"sitemap.xml"}
		if c.files > 1 {
			var index struct {
				XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 sitemapindex"`
				Maps    []entry  `xml:"sitemap"`
			}
			if err := xml.Unmarshal([]byte(files.files["sitemap.xml"]), &index); err != nil {
				t.Fatal(err)
			}
			parts = nil
			for _, m := range index.Maps {
				parts = append(parts, strings.TrimPrefix(m.Loc, "https://catalog.example/"))
			}
		}
		for _, part := range parts {
			var set struct {
				XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
				URLs    []entry  `xml:"url"`
			}
			if err := xml.Unmarshal([]byte(files.files[part]), &set); err != nil {
				t.Fatalf("%s: %v", part, err)
			}
			if n := len(set.URLs); n == 0 || n > maxSitemap {
				t.Errorf("%s holds %d addresses", part, n)
			}
			for _, u := range set.URLs {
				locs = append(locs, u.Loc)
			}
		}
		slices.Sort(locs)
		if total := len(slices.Compact(slices.Clone(locs))); total != maxSitemap+c.more || len(locs) != total ||
			len(parts) != c.files {
			t.Errorf("%d more than fit into one: %d addresses, %d of them different, in %d files", c.more, len(locs),
				total, len(parts))
		}
	}
}

func TestErrorsNameTheFile(t *testing.T) {
	s := smallSite(t)
	add(s, "ant", nil)
	s.Content.Pages = []*content.Page{{Slug: "about", Title: "About"}}
	failed := errors.New("the disk is full")
	tasks, err := Tasks(s, func(string, ...[]byte) error { return failed })
	if err != nil {
		t.Fatal(err)
	}
	for i, task := range tasks {
		if err := task.Run(); !errors.Is(err, failed) {
			t.Errorf("task %d passes over an error of writing: %v", i, err)
		}
	}
	// Templates of the site's owner may be wrong.
	for name, text := range map[string]string{"pages/home.html": `{{define "main"}}{{.Nothing}}{{end}}`,
		"layout.html": "{{", "llms.txt": "{{.Nothing}}", "assets/style.css": "",
		"pages/home.md": `{{define "main"}}{{.Nothing}}{{end}}`, "layout.md": "{{",
		"partials.md": `{{define "row"}}{{end}}`, "llms-full.txt": "{{.Nothing}}"} {
		files := fstest.MapFS{}
		err := fs.WalkDir(smallSite(t).Templates, ".", func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			whole, err := fs.ReadFile(smallSite(t).Templates, name)
			files[name] = &fstest.MapFile{Data: whole}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if files[name].Data = []byte(text); text == "" {
			delete(files, name)
		}
		s := smallSite(t)
		s.Templates = files
		tasks, err := Tasks(s, (&captured{files: map[string]string{}}).write)
		for _, task := range tasks {
			err = errors.Join(err, task.Run())
		}
		if err == nil || !strings.Contains(err.Error(), strings.TrimSuffix(path.Base(name), ".html")) &&
			!strings.Contains(err.Error(), "page /") {
			t.Errorf("%s is wrong, and the error is %v", name, err)
		}
	}
}

// Unknown is neither yes nor no.
func TestFactsOnAPage(t *testing.T) {
	yes, no, license, stars, asOf := true, false, "LicenseRef-Own", 1234, api.Date("2026-08-22")
	s := smallSite(t)
	add(s, "known", func(p *api.ProjectDetail) {
		p.License, p.OSIApproved, p.Stars, p.StarsAsOf, p.Archived = &license, &no, &stars, &asOf, &yes
		p.FitNotes.Set("docker", false)
		p.FitNotes.Set("beginner", true)
		p.FitNotes.Set("gpu", "none")
		p.FitNotes.Set("recommendedRamGb", 8.0)
		p.FitNotes.Set("memoryFor", "a small model")
		p.FitNotes.Set("languages", []string{"de", "en"})
		p.FitNotes.Set("caveats", []string{"Slow"})
		p.Platforms, p.Replaces = []string{"linux"}, []string{"Paid"}
		p.Sources = map[string]string{"fitNotes.docker": "https://a.example/readme (2026-08-21)",
			"license": "https://a.example/licence", "homepageUrl": "A letter"}
	})
	add(s, "unknown", nil)
	for i := range render.MinFiltered { // so that lists have filters
		add(s, fmt.Sprintf("more-%d", i), nil)
	}
	const ownTerms, noLicense = "Its makers' own terms: read them before you build on it.",
		"Unknown. Without a licence nobody may copy or change it: ask its makers."
	const judged = `<span class="source" title="Judged by our editors, without a source">judged</span>`
	files := built(t, s)
	for page, rows := range map[string][]string{
		"projects/known/index.html": {
			`<th scope="row">Docker</th><td class="no">no <a class="source" href="https://a.example/readme" aria-label="source of Docker, read on 2026-08-21" title="Read on 2026-08-21">source</a></td>`,
			`<th scope="row">For beginners</th><td class="yes">yes ` + judged + `</td>`,
			`<th scope="row">GPU</th><td>no use for one ` + judged + `</td>`,
			`<th scope="row">RAM from</th><td class="unknown">unknown</td></tr><tr><th scope="row">RAM recommended</th><td>8 GB</td></tr>`,
			`<caption>Facts</caption><tbody><tr><th scope="row">Memory stated for</th><td>a small model</td>`,
			`<th scope="row">Languages</th><td>German, English ` + judged +
				`</td></tr></tbody></table><table class="facts-table"><caption>Licence and maintenance</caption>`,
			`<h2>Know before</h2><ul><li>Slow</li></ul>`,
			`<td><a href="/platforms/linux/">Linux</a></td></tr></tbody></table><table class="facts-table"><caption>Facts</caption>`,
			`<td><a href="/licenses/licenseref-own/">Own licence (custom)</a> <a class="source" href="https://a.example/licence" aria-label="source of Licence">source</a><p>Not approved by the Open Source Initiative. ` + ownTerms + `</p></td>`,
			`<td><a href="/platforms/linux/">Linux</a></td>`,
			`<em>Instead of</em> <a href="/alternatives/paid/">Paid</a></span>`,
			"<td>1\u00a0234 on 2026-08-22<p>Stars measure attention, not quality.</p></td>",
			`<th scope="row">Archived</th><td>yes</td>`,
			`<strong>Archived.</strong>`, `<strong>Not open source.</strong> ` + ownTerms +
				` <a href="https://a.example/licence">Read the licence</a>`, `More sources: Homepage: A letter.`},
		"projects/unknown/index.html": {
			`<th scope="row">Docker</th><td class="unknown">unknown</td>`,
			`<th scope="row">GPU</th><td class="unknown">unknown</td>`,
			`<th scope="row">Licence</th><td class="unknown">unknown<p>` + noLicense + `</p></td>`,
			`<th scope="row">Stars</th><td class="unknown">unknown`,
			`<th scope="row">Archived</th><td class="unknown">unknown</td>`,
			`<th scope="row">Platforms</th><td class="unknown">unknown</td>`,
			`<th scope="row">RAM from</th><td class="unknown">unknown</td>`,
			`<th scope="row">Languages</th><td class="unknown">unknown</td>`},
		"newest/index.html": {
			`<span class="tag over">archived</span>`,
			`<td class="fit"><span class="tag">No GPU</span> <span class="tag">For beginners</span> <span class="on">Linux</span></td><td class="terms"><span>Own licence (custom)</span> <span class="tag over">not open source</span></td><td class="number stars">1` + "\u00a0" + `234</td><td class="number updated none">–</td>`,
			`<td class="fit"><span class="unknown">unknown</span></td>`},
		"newest/table.json": {
			`{"slug":"known","name":"known","purpose":"","words":["a small model","German","English","Slow"],"replaces":["Paid"],"category":"chat","license":"LicenseRef-Own","osiApproved":false,"platforms":["linux"],"fitNotes":{"gpu":"none","docker":false,"beginner":true},"archived":true,"stars":1234,"addedAt":"2026-01-02"}`,
			`{"slug":"unknown","name":"unknown","purpose":"","category":"chat","fitNotes":{},"addedAt":"2026-01-02"}`},
	} {
		for _, row := range rows {
			if !strings.Contains(files[page], row) {
				t.Errorf("%s has no %s", page, row)
			}
		}
	}
	if strings.Contains(files["projects/unknown/index.html"], "Instead of") {
		t.Error("a listing that replaces nothing has a row for it")
	}
	for _, row := range []string{"RAM recommended", "Memory stated for", "Know before"} {
		if strings.Contains(files["projects/unknown/index.html"], row) {
			t.Errorf("a listing of which nothing is known has %q", row)
		}
	}
}

// Control characters in texts break no page.
func TestControlCharactersInTexts(t *testing.T) {
	s := smallSite(t)
	const text = "a\x00b  <i>  c\x00"
	add(s, "ant", func(p *api.ProjectDetail) {
		url := "https://ant.example/\x00\"x"
		p.Name, p.Purpose, p.Jobs, p.Topics, p.RepositoryURL, p.HomepageURL = text, text, []string{text},
			[]string{text}, url, &url
		p.Sources, p.Language = map[string]string{"stars": url, text: text}, &p.Name
		p.FitNotes.Set("caveats", []string{text})
		p.FitNotes.Set("memoryFor", text)
		p.InstallLinks, p.Replaces, p.License = []api.InstallLink{{Kind: "docs", Label: text, URL: url}},
			[]string{"Paid"}, &p.Name
	})
	add(s, "bee", func(p *api.ProjectDetail) { p.Similar = []string{"ant"} })
	for name, page := range built(t, s) {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		if strings.Contains(page, "\x00") {
			t.Errorf("%s has a control character", name)
		}
		if strings.HasPrefix(name, "embed/") {
			if !strings.Contains(page, "<main>") || !strings.HasSuffix(page, "</p></main></body></html>") {
				t.Errorf("%s is broken: %s", name, page)
			}
			continue
		}
		if !strings.Contains(page, "<main ") || !strings.HasSuffix(page, "</footer></body></html>") {
			t.Errorf("%s is broken: %s", name, page)
		}
	}
}

// Pages are made from minified templates, so minifying them gains little.
func TestPagesAreMinified(t *testing.T) {
	s := smallSite(t)
	for _, slug := range []string{"ant", "bee", "cat"} {
		add(s, slug, func(p *api.ProjectDetail) {
			p.Name, p.Purpose, p.Similar = "The "+slug+"'s  <tool>", `Does "C++"  & more.`, []string{"ant", "bee"}
		})
	}
	r, err := newCatalog(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	size, least := 0, 0
	for name, page := range built(t, s) {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		again, err := r.Minify(name, []byte(page))
		if err != nil {
			t.Fatal(err)
		}
		size, least = size+len(page), least+len(again)
	}
	if least < size*99/100 {
		t.Errorf("all pages have %d bytes, and %d when they are minified", size, least)
	}
}

// A listing says which is for whom if more than one of the compared has a reason, and these differ.
func TestWhichForWhom(t *testing.T) {
	for _, c := range []struct {
		suits map[string]string
		third string
		want  bool
	}{
		{map[string]string{"none": "without a GPU"}, "required", false},
		{map[string]string{"none": "without a GPU"}, "none", false},
		{map[string]string{"none": "without a GPU", "required": "with a GPU"}, "none", true},
	} {
		s := smallSite(t)
		s.Content.Taxonomy.Facts[0].Suits = c.suits
		for slug, gpu := range map[string]string{"one": "none", "two": "required", "zoo": c.third} {
			add(s, slug, func(p *api.ProjectDetail) { p.FitNotes.Set("gpu", gpu) })
		}
		for _, l := range s.Listings {
			for _, other := range s.Listings {
				if other != l {
					l.Similar = append(l.Similar, other.Slug)
				}
			}
		}
		files := built(t, s)
		for _, name := range []string{"projects/one/index.html", "projects/one/index.html.md", "projects/two/index.html"} {
			if got := strings.Contains(files[name], "Which for whom?"); got != c.want {
				t.Errorf("with %q, %s says which is for whom: %v", c.suits, name, got)
			}
		}
	}
}
