// Package render turns a checked catalogue into the files of the build output: pages, JSON,
// llms.txt, the sitemap, the OpenAPI document.
//
// Tasks takes a Site and returns tasks, which pass files to a write function, in any order
// and from many goroutines. Each file depends only on the Site, so the output does not
// depend on the number of workers.
//
// The files, besides those named after a page:
//
//   - render.go: tasks, templates, minification. view.go: what every template is given.
//   - listing.go, collections.go, overviews.go, rows.go, table.go: pages of listings, lists,
//     and lists of lists. facts.go: tables of facts. license.go: what licences allow.
//     structured.go, pictures.go: other parts of them.
//   - pages.go: pages of content/pages, problems and 404.html.
//   - markdown.go: the Markdown version of each page. llms.go: llms.txt.
//   - keys.go: what files depend on.
//   - assets.go: style, script and icon. hosts.go: files for static hosts.
//   - discovery.go: what programs find the site by: OpenAPI, linkset, OpenSearch, web
//     manifest. sitemap.go: sitemap.xml and robots.txt. feeds.go: Atom feeds.
//   - style.go: the stylesheet, and its mistakes.
package render

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/api/search"
	"catalog.example/api/site"
	"catalog.example/generator/commonmark"
	"catalog.example/generator/content"
	"catalog.example/generator/labels"
	"catalog.example/generator/memo"
	"github.com/tdewolff/minify/v2"
)

// Site is the input of a build.
type Site struct {
	Settings site.Settings
	Content  *content.Content
	// Listings are the listings of Content in the order of sort=popular, with Similar.
	Listings []*content.Listing
	// Templates are the files of package templates, or the owner's files in their place.
	Templates fs.FS
	// Pictures says whether to draw a picture of each listing, for link previews.
	Pictures bool
	// PictureCache is a folder for pictures of earlier builds; "" for none.
	PictureCache string
	// Memo keeps parts of files between builds; nil for none.
	Memo *memo.Store
	// Engine is the search engine for browsers; nil unless Settings.SearchesInBrowser.
	Engine *Engine
	// Now is the time of the build. It decides which cached pictures are too old, and does
	// not affect the output.
	Now time.Time
	// Warn gets warnings, one sentence each, from several goroutines; it may be nil.
	Warn func(string)
}

// Write writes a file: its path below the output folder, and its content, which Write must
// not keep.
type Write func(name string, content []byte) error

// Task writes some files. Tasks may run in any order and in parallel.
type Task struct {
	// Names are the paths of the files. Above 50,000 addresses, the sitemap has more.
	Names []string
	// Key returns the hash of all that the files depend on. It is nil if that is most of the
	// catalogue.
	Key func() memo.Key
	Run func() error
}

// Tasks prepares a site and returns the tasks that write its files.
func Tasks(site *Site, write Write) ([]Task, error) {
	r, err := newRenderer(site, write)
	if err != nil {
		return nil, err
	}
	tasks := []Task{{Names: []string{"llms.txt", "llms-full.txt"}, Run: r.llms}} // first, because it takes longest
	for _, l := range site.Listings {
		tasks = append(tasks, Task{append(pageFiles("/projects/"+l.Slug+"/"), "api/v1/projects/"+l.Slug+".json"), func() memo.Key { return r.listingKey(l) }, func() error { return r.listing(l) }})
	}
	for _, c := range r.collections() {
		if c.filters != nil {
			tasks = append(tasks, Task{[]string{strings.TrimPrefix(c.path, "/") + tableFile}, func() memo.Key { return r.tableKey(c) }, func() error { return r.table(c) }})
		}
		for page := 1; page <= c.pages(); page++ {
			tasks = append(tasks, Task{pageFiles(c.pagePath(page)), func() memo.Key { return r.collectionKey(c, page) }, func() error { return r.collection(c, page) }})
		}
	}
	for _, move := range r.Content.Moves() {
		tasks = append(tasks, Task{Names: []string{move.From + "/index.html"}, Run: func() error { return r.moved(move) }})
	}
	for i := range r.Content.Retired {
		x := &r.Content.Retired[i]
		for _, slug := range x.Slugs() {
			tasks = append(tasks, Task{Names: pageFiles("/" + api.FolderProjects + "/" + slug + "/"), Run: func() error { return r.retired(x, slug) }})
		}
	}
	tasks = append(tasks, r.pictureTasks()...)
	tasks = append(tasks, r.jsonLists()...)
	return append(tasks, r.singleTasks()...), nil
}

// singleTasks returns the tasks for files of which a site has one.
func (r *renderer) singleTasks() (tasks []Task) {
	add := func(run func() error, names ...string) { tasks = append(tasks, Task{Names: names, Run: run}) }
	page := func(path string, run func() error) { add(run, pageFiles(path)...) }
	page("/", r.home)
	for _, o := range r.overviews() {
		page(o.path, func() error { return r.overview(o) })
	}
	if r.Settings.HasSearch() {
		page("/search/", r.search)
		add(r.openSearch, strings.TrimPrefix(openSearchPath, "/"))
	}
	page("/compare/", r.compare)
	page("/numbers/", r.numbers)
	page("/docs/", r.docs)
	for _, k := range r.problemKinds() {
		page("/problems/"+k.Code+"/", func() error { return r.problem(k) })
	}
	for _, p := range r.Content.Pages {
		page("/"+p.Slug+"/", func() error { return r.editorial(p) })
	}
	add(r.notFound, "404.html")
	add(r.openAPI, "api/v1/openapi.json")
	add(r.apiIndex, "api/v1/index.json")
	add(r.taxonomy, "api/v1/taxonomy.json")
	add(r.wholeCatalog, "api/v1/catalog.json", "api/v1/catalog.jsonl")
	if r.hasSecurityText() {
		add(r.securityText, securityTextPath)
	}
	add(r.favicon, "favicon.ico")
	add(r.apiCatalog, strings.TrimPrefix(headers.PathAPICatalog, "/"))
	add(r.sitemap, "sitemap.xml")
	add(r.robots, "robots.txt")
	add(r.assets, slices.Collect(maps.Keys(r.asset))...)
	feeds := []string{"feed.xml"}
	for _, c := range r.Content.Taxonomy.Categories {
		feeds = append(feeds, "categories/"+c.Slug+"/feed.xml")
	}
	add(r.feeds, feeds...)
	add(r.manifest, strings.TrimPrefix(manifestPath, "/"))
	add(r.hostHeaders, "_headers")
	add(r.hostRedirects, "_redirects")
	add(r.movedPaths, "_moved.conf", "_moved.caddy")
	return tasks
}

// pageFiles returns the names of the files of a page and its Markdown version.
func pageFiles(path string) []string {
	return []string{strings.TrimPrefix(path, "/") + "index.html", strings.TrimPrefix(path, "/") + markdownFile}
}

// renderer has what the files of a build share.
type renderer struct {
	*Site
	labels    *labels.Labels
	key       memo.Key // of what all files depend on; see setKey
	write     Write
	minifier  *minify.M
	pages     map[string]*template.Template // by name: "home", "project", …
	partials  *template.Template
	markdown  markdownTemplates
	view      siteView
	fragments map[string]fragments // by slug
	bySlug    map[string]*content.Listing
	counts    map[string]int  // listings on the page of each category
	isChip    map[string]bool // texts of chips
	filters   []api.Parameter // of a search: those of facts
	latest    api.Date        // the latest date of any fact; ages are relative to it
	asset     map[string][]byte
	buffers   sync.Pool       // of *bytes.Buffer
	minified  map[string]bool // parts of all pages
	pictures  *pictures       // nil if none are drawn

	// Listings in the order of sort=newest and of sort=recently-updated.
	newest, updated func() []*content.Listing
	collections     func() []*collection // see listCollections
}

// fragments are the parts of a listing that many files contain. Each is rendered once.
type fragments struct {
	row     func() (template.HTML, error) // the row of tables, minified
	related func() (template.HTML, error) // the entry on pages of similar listings
	line    func() (markdown, error)      // the line of Markdown lists
	brief   func() markdown               // link and purpose
	facets  func() ([]byte, error)        // the data that filters of tables read
	json    func() ([]byte, error)        // an api.Project
	values  func() [][]string             // the values of the filters that find it, by fact
}

// buffer returns an empty buffer. The caller puts it back into r.buffers.
func (r *renderer) buffer() *bytes.Buffer {
	b, ok := r.buffers.Get().(*bytes.Buffer)
	if !ok {
		return new(bytes.Buffer)
	}
	b.Reset()
	return b
}

func newRenderer(site *Site, write Write) (*renderer, error) {
	r := &renderer{
		Site: site, write: write, minifier: newMinifier(), pages: map[string]*template.Template{},
		fragments: make(map[string]fragments, len(site.Listings)), bySlug: make(map[string]*content.Listing, len(site.Listings)), counts: map[string]int{}, minified: map[string]bool{}, isChip: map[string]bool{}, asset: map[string][]byte{},
	}
	if err := r.loadLabels(); err != nil {
		return nil, err
	}
	if err := r.parseTemplates(); err != nil {
		return nil, err
	}
	r.newest = sync.OnceValue(func() []*content.Listing { return r.sorted(search.CompareNewest) })
	r.updated = sync.OnceValue(func() []*content.Listing { return r.sorted(search.CompareRecentlyUpdated) })
	r.collections = sync.OnceValue(r.listCollections)
	for _, f := range site.Content.Taxonomy.Facts {
		for _, chip := range f.Chip {
			r.isChip[chip] = true
		}
	}
	for _, l := range site.Listings {
		for _, category := range append([]string{l.Category}, l.AlsoIn...) {
			r.counts[category]++
		}
		r.bySlug[l.Slug] = l
		r.latest = max(r.latest, l.AddedAt)
		for _, day := range []*api.Date{l.StarsAsOf, l.UpdatedAt} {
			if day != nil {
				r.latest = max(r.latest, *day)
			}
		}
	}
	r.view = siteView{
		Title: site.Settings.Title, Description: site.Settings.Description, Contact: ownerLink(site.Settings.Contact),
		Base: site.Settings.BasePath(), OriginTrial: site.Settings.WebMCPOriginTrial,
		Lang: site.Settings.Lang, Dir: direction(site.Settings.Lang), settings: &site.Settings, labels: r.labels, platforms: len(site.Content.Taxonomy.Platforms),
	}
	r.filters = slices.DeleteFunc(r.searchParameters(), func(p api.Parameter) bool { return p.Fact == nil })
	r.view.Suggest = ownerLink(site.Settings.Suggest(r.view.SuggestText()))
	for _, p := range site.Content.Pages {
		r.view.Pages = append(r.view.Pages, linkView{Slug: p.Slug, Title: p.Title})
	}
	var err error
	if r.pictures, err = newPictures(site); err != nil {
		return nil, err
	}
	if err := r.prepareAssets(); err != nil {
		return nil, err
	}
	if err := r.computer(); err != nil {
		return nil, err
	}
	for _, p := range []struct {
		name string
		text *template.HTML
	}{{"head", &r.view.Head}, {"header", &r.view.Header}, {"footer", &r.view.Footer}} {
		if *p.text, err = r.minifiedPartial(p.name, &r.view); err != nil {
			return nil, err
		}
	}
	for _, text := range []template.HTML{r.view.Head, r.view.Header, r.view.Footer, r.view.Computer} {
		r.minified[string(text)] = true
	}
	if r.view.Note, err = r.markdownPartial("note", &r.view); err != nil {
		return nil, err
	}
	if err := r.setKey(); err != nil {
		return nil, err
	}
	for _, l := range site.Listings {
		r.fragments[l.Slug] = fragments{
			row: sync.OnceValues(func() (template.HTML, error) { return r.minifiedPartial("row", r.row(&l.Project)) }),
			related: sync.OnceValues(func() (template.HTML, error) {
				return r.partial("related", relatedView{r.view.Base, l.Slug, l.Name, l.Purpose, r.stopped(&l.Project)})
			}),
			brief: sync.OnceValue(func() markdown {
				stopped := ""
				if s := r.stopped(&l.Project); s != "" {
					stopped = " (" + commonmark.Text(s) + ")"
				}
				return markdown(commonmark.Link(l.Name, l.PageURL) + stopped + ": " + commonmark.Text(l.Purpose))
			}),
			line:   sync.OnceValues(func() (markdown, error) { return r.markdownPartial("row", r.row(&l.Project)) }),
			values: sync.OnceValue(func() [][]string { return r.filterValues(&l.Project) }),
			facets: sync.OnceValues(func() ([]byte, error) { return r.facetRow(&l.Project) }),
			json: sync.OnceValues(func() ([]byte, error) {
				detail, err := l.JSON(&site.Settings)
				if err != nil {
					return nil, err
				}
				return api.ListItem(detail)
			}),
		}
	}
	return r, nil
}

// ownerLink marks an address of the settings as a safe link, because html/template refuses
// mailto: otherwise. Settings are checked, and what is filled in is escaped.
func ownerLink(address string) template.URL { return template.URL(address) } // #nosec G203 -- package validate allows http, https and mailto

// pageNames are the templates below pages/, each rendered inside the layout.
var pageNames = []string{"home", "project", "collection", "overview", "search", "compare", "numbers", "docs", "problem", "retired", "page", "404"}

func (r *renderer) parseTemplates() error {
	shared, err := template.New("layout.html").Funcs(r.htmlFunctions()).ParseFS(r.Templates, "layout.html", "partials.html", "meta.html")
	if err != nil {
		return fmt.Errorf("templates: %w", err)
	}
	for _, name := range pageNames {
		page, err := template.Must(shared.Clone()).ParseFS(r.Templates, "pages/"+name+".html")
		if err != nil {
			return fmt.Errorf("templates: %w", err)
		}
		r.pages[name] = page
	}
	placeProof(shared.Lookup("fact"))
	r.partials = shared // html/template forbids cloning it after it was executed
	return r.parseMarkdown()
}

// partial renders a template of partials.html, which is minified with the pages that it is in.
func (r *renderer) partial(name string, view any) (template.HTML, error) {
	var out strings.Builder
	if err := r.partials.ExecuteTemplate(&out, name, view); err != nil {
		return "", fmt.Errorf("templates: %w", err)
	}
	return template.HTML(out.String()), nil // #nosec G203 -- rendered by html/template
}

// minifiedPartial is partial for what many pages have. It is minified once.
func (r *renderer) minifiedPartial(name string, view any) (template.HTML, error) {
	text, err := r.partial(name, view)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = r.minify(&out, name+".html", []byte(text))
	return template.HTML(out.String()), err // #nosec G203 -- rendered by html/template
}

// breadcrumbs renders the crumbs above a page.
func (r *renderer) breadcrumbs(crumbs []crumbView) (template.HTML, error) {
	return r.partial("breadcrumbs", struct {
		Base   string
		Crumbs []crumbView
	}{r.view.Base, crumbs})
}

// page renders a template. For a path that ends in a slash, it writes index.html and the
// Markdown version, otherwise only the file of that path.
func (r *renderer) page(name string, view pageView) error {
	view.Site = &r.view
	view.Kind = name
	view.Canonical = r.Settings.URL(view.Path)
	if strings.HasSuffix(view.Path, "/") {
		view.MarkdownPath = r.view.Base + view.Path + markdownFile
		if err := r.markdownVersion(name, &view); err != nil {
			return err
		}
	}
	if err := r.meta(&view); err != nil {
		return err
	}
	var err error
	if view.Breadcrumbs, err = r.breadcrumbs(view.Crumbs); err != nil {
		return err
	}
	file := strings.TrimPrefix(view.Path, "/")
	if file == "" || strings.HasSuffix(file, "/") {
		file += "index.html"
	}
	out := pageWriter{minify: func(out *bytes.Buffer, text []byte) error { return r.minify(out, file, text) }, ofSite: r.minified, ofPage: view.minified}
	if err := r.pages[name].ExecuteTemplate(&out, "layout.html", view); err != nil {
		return fmt.Errorf("page %s: %w", view.Path, err)
	}
	text, err := out.finish()
	if err != nil {
		return err
	}
	return r.write(file, text)
}
