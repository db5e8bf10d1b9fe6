package render

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/api/openapi"
	"catalog.example/api/site"
	"catalog.example/generator/content"
)

// prepareAssets minifies the assets and names them by a hash. Pages need these names.
func (r *renderer) prepareAssets() error {
	for _, a := range []struct {
		file string
		name *string
	}{
		{"assets/style.css", &r.view.Style}, {"assets/icon.svg", &r.view.Icon}, {"assets/app.js", &r.view.Script},
	} {
		text, err := fs.ReadFile(r.Templates, a.file)
		if err != nil {
			return fmt.Errorf("templates: %w", err)
		}
		if a.file == "assets/app.js" {
			constants, err := r.scriptConstants()
			if err != nil {
				return err
			}
			text = append(constants, text...)
		}
		var minified bytes.Buffer
		if err := r.minify(&minified, a.file, text); err != nil {
			return err
		}
		*a.name = headers.HashedName(a.file, minified.Bytes())
		r.asset[*a.name] = minified.Bytes()
	}
	return nil
}

// scriptConstants returns the constants of the page scripts.
func (r *renderer) scriptConstants() ([]byte, error) {
	searchURL := r.Settings.SearchURL
	if searchURL == "" {
		searchURL = r.view.Base
	}
	platforms := map[string]string{}
	for _, p := range r.Content.Taxonomy.Platforms {
		platforms[p.Slug] = p.Name
	}
	has := map[string]bool{}
	for _, field := range site.OptionalFields() {
		has[field] = r.Settings.Has(field)
	}
	has["platforms"] = r.view.HasPlatforms()
	facts := []scriptFact{}
	for i := range r.Content.Taxonomy.Facts {
		facts = append(facts, newScriptFact(&r.Content.Taxonomy.Facts[i]))
	}
	value, err := json.Marshal(map[string]any{
		"platforms": platforms, "has": has, "facts": facts,
		"base": r.view.Base, "searchUrl": searchURL, "key": r.Settings.SandboxKey,
		"webmcp": map[string]any{"name": api.ToolSearch, "description": api.SearchToolDescription(&r.Settings), "inputSchema": openapi.SearchInputSchema(r.searchParameters())},
	})
	if err != nil {
		return nil, fmt.Errorf("page code: %w", err)
	}
	return fmt.Appendf(nil, "const CATALOG = %s;\n", value), nil
}

// scriptFact is the definition of a fact for page scripts, without the parts that only
// builds and searches need.
type scriptFact struct {
	Key    string              `json:"key"`
	Kind   api.FactKind        `json:"kind"`
	Label  string              `json:"label"`
	Unit   string              `json:"unit,omitempty"`
	Values map[string]string   `json:"values,omitempty"` // labels by slug
	Chip   map[string]string   `json:"chip,omitempty"`
	Match  string              `json:"match,omitempty"` // of a number with a filter
	Finds  map[string][]string `json:"finds,omitempty"` // the values that 0 and 1 find, of a choice
	// Decides says whether people choose by it. Other facts are shown only if known.
	Decides bool `json:"decides,omitempty"`
}

func newScriptFact(f *api.Fact) scriptFact {
	s := scriptFact{Key: f.Key, Kind: f.Kind, Label: f.Label, Unit: f.Unit, Chip: f.Chip, Decides: f.IsCriterion(), Values: map[string]string{}}
	for _, o := range f.Values {
		s.Values[o.Slug] = o.Label
	}
	if f.Filter != nil {
		s.Match = f.Filter.Match
		if f.IsOptionFlag() {
			s.Finds = map[string][]string{"0": f.Filter.Zero, "1": f.Filter.One}
		}
	}
	return s
}

func (r *renderer) assets() error {
	for name, content := range r.asset {
		if err := r.write(name, content); err != nil {
			return err
		}
	}
	return nil
}

// overviewView is the view of a page with links to collections.
type overviewView struct {
	Heading, Intro string
	Groups         []overviewGroup
}

type overviewGroup struct {
	Name  string
	Links []linkView
}

// Noted reports whether a link has a note.
func (g overviewGroup) Noted() bool {
	return slices.ContainsFunc(g.Links, func(l linkView) bool { return l.Note != "" })
}

// overviews writes the pages with links to categories, platforms, licences and products.
func (r *renderer) overviews() error {
	categories := overviewView{Heading: "Categories", Intro: "Where every listing has its home."}
	for _, c := range r.Content.Taxonomy.Categories {
		i := slices.IndexFunc(categories.Groups, func(g overviewGroup) bool { return g.Name == c.Group })
		if i < 0 {
			i = len(categories.Groups)
			categories.Groups = append(categories.Groups, overviewGroup{Name: c.Group})
		}
		categories.Groups[i].Links = append(categories.Groups[i].Links,
			linkView{Title: c.Name, Path: "/categories/" + c.Slug + "/", Note: c.Description, Count: r.counts[c.Slug]})
	}
	flat := func(heading, intro string, collections []*collection, title func(string) string) overviewView {
		var links []linkView
		for _, c := range collections {
			links = append(links, linkView{Title: title(c.title), Path: c.path, Count: len(c.listings)})
		}
		return overviewView{heading, intro, []overviewGroup{{Links: links}}}
	}
	same := func(s string) string { return s }
	after := func(prefix string) func(string) string {
		return func(s string) string { return strings.TrimPrefix(s, prefix) }
	}
	for _, o := range []struct {
		path  string
		shown bool
		view  overviewView
	}{
		{"/categories/", true, categories},
		{"/platforms/", r.view.HasPlatforms(), flat("Platforms", "What the listings run on.", r.platformCollections(), after(forPlatform))},
		{"/licenses/", r.view.Has("license"), flat("Licences", "The terms of the listings, most frequent first.", r.licenseCollections(), same)},
		{"/alternatives/", r.view.Has("replaces"), flat("Alternatives to proprietary products",
			"Pick what you use today; the page behind it lists "+lowerFirst(r.instead())+".", r.productCollections(), after(r.alternatives()))},
	} {
		if !o.shown {
			continue
		}
		err := r.page("overview", pageView{Title: o.view.Heading, Description: o.view.Intro, Path: o.path, Crumbs: []crumbView{{o.view.Heading, ""}}, Data: o.view})
		if err != nil {
			return err
		}
	}
	return nil
}

// parameterView is a parameter in words.
type parameterView struct{ Name, Description, Allowed, Default string }

// exampleSearch returns the path of a search with hits in this catalog: the first job of
// the most popular listing with jobs. If filtered is set, it has a filter that matches it.
func (r *renderer) exampleSearch(filtered bool) string {
	for _, l := range r.Listings {
		if len(l.Jobs) == 0 {
			continue
		}
		query := "q=" + url.QueryEscape(l.Jobs[0])
		if filtered && len(l.Platforms) > 0 {
			query += "&platform=" + l.Platforms[0]
		}
		return api.PathSearch + "?" + query + "&limit=5"
	}
	return api.PathSearch + "?limit=5"
}

// searchParameters returns the parameters of a search in this catalog.
func (r *renderer) searchParameters() []api.Parameter {
	return api.SearchParameters(&r.Settings, &r.Content.Taxonomy)
}

// parameters returns parameters in words.
func (r *renderer) parameters(list []api.Parameter) []parameterView {
	var views []parameterView
	for _, p := range list {
		v := parameterView{Name: p.Name, Description: p.Description}
		switch {
		case p.Kind == api.KindFlag:
			v.Allowed = "0, 1"
		case p.Kind == api.KindInteger && p.HasMax:
			v.Allowed = fmt.Sprintf("%d to %d", p.Min, p.Max)
		case p.Kind == api.KindInteger:
			v.Allowed = fmt.Sprintf("at least %d", p.Min)
		case p.Kind == api.KindNumber:
			v.Allowed = api.NumberBounds(p.Least, p.Most)
		default:
			v.Allowed = strings.Join(p.Allowed, ", ")
		}
		if p.Default != nil {
			v.Default = fmt.Sprint(p.Default)
		}
		views = append(views, v)
	}
	return views
}

// problemView is the view of the page of an error code.
type problemView struct {
	api.ProblemKind
	Example string // indented JSON
}

func (r *renderer) problems() error {
	for _, k := range api.ProblemKinds {
		var example bytes.Buffer
		if err := json.Indent(&example, openapi.ExampleProblem(&r.Settings, &r.Content.Taxonomy, k).JSON(), "", "  "); err != nil {
			return fmt.Errorf("page of problem %s: %w", k.Code, err)
		}
		err := r.page("problem", pageView{
			Title: k.Title, Description: k.Explanation, Path: "/problems/" + k.Code + "/",
			Crumbs: []crumbView{{"API", "/docs/"}, {k.Code, ""}}, Data: problemView{k, example.String()},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *renderer) editorial() error {
	for _, p := range r.Content.Pages {
		err := r.page("page", pageView{
			Title: p.Title, Description: p.Description, Path: "/" + p.Slug + "/", Crumbs: []crumbView{{p.Title, ""}},
			Data: struct {
				Title string
				Body  template.HTML
				Prose markdown // what Body renders, for the Markdown version
			}{p.Title, template.HTML(p.BodyHTML), markdown(p.BodyMarkdown)}, // #nosec G203 -- rendered by goldmark without raw HTML
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *renderer) notFound() error {
	return r.page("404", pageView{Title: "Not found", Description: "There is no such page.", Path: "/404.html", NoIndex: true})
}

func (r *renderer) openAPI() error {
	doc, err := openapi.Document(r.Settings, &r.Content.Taxonomy)
	if err != nil {
		return fmt.Errorf("OpenAPI document: %w", err)
	}
	return r.file("api/v1/openapi.json", doc)
}

// tokenBytes is about the number of bytes of English, Markdown or JSON in a token of a
// language model.
const tokenBytes = 4

// llms writes llms.txt, the guide for agents in the format of llmstxt.org, and
// llms-full.txt, with all listings, whose size llms.txt names.
func (r *renderer) llms() error {
	full := r.buffer()
	defer r.buffers.Put(full)
	// Fields are copied for speed: see rowView.
	projects := make([]*api.Project, len(r.Listings))
	for i, l := range r.Listings {
		projects[i] = &l.Project
	}
	err := r.markdown.full.Execute(full, struct {
		Site     *siteView
		Count    int
		Listings []*api.Project
	}{&r.view, len(r.Listings), projects})
	if err != nil {
		return fmt.Errorf("llms-full.txt: %w", err)
	}
	if err := r.write("llms-full.txt", full.Bytes()); err != nil {
		return err
	}
	var out bytes.Buffer
	err = r.markdown.guide.Execute(&out, struct {
		Site                              *siteView
		BaseURL, SearchBase, Key, Example string
		Fit                               []string // facts that people choose by
		Count, Anonymous, Sandbox         int
		Parameters                        []parameterView
		FullCount, FullTokens             int
		FullSize                          string
		Steps                             []string // how agents use the catalog (spec 1)
	}{
		&r.view, r.Settings.BaseURL, r.Settings.SearchBase(), r.Settings.SandboxKey, r.exampleSearch(false), r.decisive(), len(r.Listings), r.Settings.AnonymousPerMinute, r.Settings.SandboxPerMinute,
		r.parameters(r.searchParameters()),
		len(r.Listings), roundedUp(full.Len(), tokenBytes), fmt.Sprintf("%d KB", roundedUp(full.Len(), 1000)),
		r.Content.Taxonomy.Steps(r.Settings.SearchBase()+api.PathSearch, "Use "+r.Settings.URL(api.PathProject)+" for one listing."),
	})
	if err != nil {
		return fmt.Errorf("llms.txt: %w", err)
	}
	return r.write("llms.txt", out.Bytes())
}

// decisive returns the labels of facts that people choose by, as within a sentence.
func (r *renderer) decisive() (labels []string) {
	if r.view.Has("license") {
		labels = append(labels, "licence")
	}
	for i := range r.Content.Taxonomy.Facts {
		if f := &r.Content.Taxonomy.Facts[i]; f.IsCriterion() {
			labels = append(labels, withinSentence(f.Label))
		}
	}
	return labels
}

// withinSentence returns a label of several words with a lower-case first letter, unless
// its first word is an abbreviation. A label of one word may be a name.
func withinSentence(label string) string {
	first, _, several := strings.Cut(label, " ")
	if !several && !strings.Contains(label, "-") || first == strings.ToUpper(first) {
		return label
	}
	return lowerFirst(label)
}

func lowerFirst(text string) string {
	_, n := utf8.DecodeRuneInString(text)
	return strings.ToLower(text[:n]) + text[n:]
}

// roundedUp divides and rounds up.
func roundedUp(n, by int) int { return (n + by - 1) / by }

// maxSitemap is the number of addresses allowed in a sitemap file (sitemaps.org).
const maxSitemap = 50_000

// sitemapURL is an entry of a sitemap (sitemaps.org).
type sitemapURL struct {
	Loc     string `xml:"loc"`
	LastMod string `xml:"lastmod,omitempty"`
}

// sitemap writes the addresses of all pages, with the day of their last change if it is
// known. Above maxSitemap addresses, it is an index of several files.
func (r *renderer) sitemap() error {
	var urls []sitemapURL
	add := func(path, day string) { urls = append(urls, sitemapURL{r.Settings.URL(path), day}) }
	for _, p := range []struct {
		path  string
		shown bool
	}{
		{"/", true}, {"/categories/", true}, {"/platforms/", r.view.HasPlatforms()}, {"/licenses/", r.view.Has("license")}, {"/alternatives/", r.view.Has("replaces")},
		{"/numbers/", true}, {"/search/", true}, {"/docs/", true},
	} {
		if p.shown {
			add(p.path, "")
		}
	}
	for _, p := range r.Content.Pages {
		add("/"+p.Slug+"/", "")
	}
	for _, k := range api.ProblemKinds {
		add("/problems/"+k.Code+"/", "")
	}
	// Each listing is in many collections, so its day is computed once.
	days := make(map[*content.Listing]string, len(r.Listings))
	for _, l := range r.Listings {
		days[l] = changed(l)
	}
	for _, c := range r.collections() {
		latest := ""
		for _, l := range c.listings {
			latest = max(latest, days[l])
		}
		for page := 1; page <= c.pages(); page++ {
			add(c.pagePath(page), latest)
		}
	}
	for _, l := range r.Listings {
		add("/projects/"+l.Slug+"/", days[l])
	}
	if len(urls) <= maxSitemap {
		return r.xml("sitemap.xml", "urlset", urls, "url")
	}
	var files []sitemapURL
	for i := 0; i*maxSitemap < len(urls); i++ {
		name := fmt.Sprintf("sitemap-%d.xml", i+1)
		files = append(files, sitemapURL{Loc: r.Settings.URL("/" + name)})
		if err := r.xml(name, "urlset", urls[i*maxSitemap:min((i+1)*maxSitemap, len(urls))], "url"); err != nil {
			return err
		}
	}
	return r.xml("sitemap.xml", "sitemapindex", files, "sitemap")
}

// xml writes a sitemap or an index of sitemaps.
func (r *renderer) xml(name, root string, urls []sitemapURL, element string) error {
	out := bytes.NewBufferString(xml.Header)
	enc := xml.NewEncoder(out)
	start := xml.StartElement{Name: xml.Name{Local: root}, Attr: []xml.Attr{{Name: xml.Name{Local: "xmlns"}, Value: "http://www.sitemaps.org/schemas/sitemap/0.9"}}}
	err := enc.EncodeToken(start)
	for _, u := range urls {
		if err == nil {
			err = enc.EncodeElement(u, xml.StartElement{Name: xml.Name{Local: element}})
		}
	}
	if err == nil {
		err = enc.EncodeToken(start.End())
	}
	if err == nil {
		err = enc.Flush()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return r.file(name, out.Bytes())
}

// changed returns the day of the last known change of a listing's page: the latest of its
// dates.
func changed(l *content.Listing) string {
	day := l.AddedAt
	if l.StarsAsOf != nil {
		day = max(day, *l.StarsAsOf)
	}
	for _, source := range l.Sources {
		if d, ok, err := content.SourceDate(source); ok && err == nil {
			day = max(day, d)
		}
	}
	return string(day)
}

// robots writes robots.txt (RFC 9309), which allows everything.
func (r *renderer) robots() error {
	return r.write("robots.txt", fmt.Appendf(nil, `# People and their agents are welcome: this catalogue is public and read-only.
# Guide for agents: %s
# Description of the API: %s
User-agent: *
Allow: /

Sitemap: %s
`, r.Settings.URL("/llms.txt"), r.Settings.URL(api.PathOpenAPI), r.Settings.URL("/sitemap.xml")))
}
