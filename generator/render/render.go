// Package render turns a checked catalog into the files of the build output:
// pages, JSON, llms.txt, the sitemap, the OpenAPI document.
//
// In goes a Site; out come files, handed to a write function in no particular
// order and from many goroutines. Each file depends on nothing but the Site, so
// that the output is the same whatever the number of workers.
package render

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/commonmark"
	"catalog.example/generator/content"
	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/html"
	"github.com/tdewolff/minify/v2/js"
	jsonminify "github.com/tdewolff/minify/v2/json"
	"github.com/tdewolff/minify/v2/svg"
	"github.com/tdewolff/minify/v2/xml"
)

// Site is everything that the files are made from.
type Site struct {
	Settings site.Settings
	Content  *content.Content
	// Listings are the content's listings in the order of sort=popular, with
	// Similar filled in.
	Listings []*content.Listing
	// Templates are the files of package templates, with the owner's in front.
	Templates fs.FS
	// Pictures tells whether a picture of each listing is drawn, for previews of
	// links to its page.
	Pictures bool
	// PictureCache is a folder that keeps drawn pictures from build to build; ""
	// for none.
	PictureCache string
	// Now is when the site is built: it decides how old a cached picture is, and
	// nothing that is written.
	Now time.Time
	// Warn is told of what does not stop a build, in a sentence, from several
	// goroutines; it may be nil.
	Warn func(string)
}

// Write is given each file: its path below the output folder, and its content,
// which it may not keep.
type Write func(name string, content []byte) error

// Task writes one or a few files. Tasks may run in any order and at once.
type Task func() error

// Tasks prepares a site and returns the work of writing its files.
func Tasks(site *Site, write Write) ([]Task, error) {
	r, err := newRenderer(site, write)
	if err != nil {
		return nil, err
	}
	tasks := []Task{r.llms} // of every listing: it would be the last to end
	for _, l := range site.Listings {
		tasks = append(tasks, func() error { return r.listing(l) })
	}
	for _, c := range r.collections() {
		tasks = append(tasks, func() error { return r.table(c) })
		for page := 1; page <= c.pages(); page++ {
			tasks = append(tasks, func() error { return r.collection(c, page) })
		}
	}
	tasks = append(tasks, r.pictureTasks()...)
	tasks = append(tasks, r.jsonLists()...)
	tasks = append(tasks, r.home, r.overviews, r.search, r.compare, r.numbers, r.docs, r.problems, r.editorial, r.notFound,
		r.openAPI, r.apiCatalog, r.sitemap, r.robots, r.assets, r.feeds, r.openSearch, r.manifest, r.hostHeaders, r.hostRedirects)
	return tasks, nil
}

// renderer holds what is shared between the files of one build.
type renderer struct {
	*Site
	write    Write
	minifier *minify.M
	pages    map[string]*template.Template // by name: "home", "project", …
	partials *template.Template
	twins    twins
	view     siteView
	once     map[string]once // by slug
	bySlug   map[string]*content.Listing
	facts    sync.Map        // rows of facts, rendered: string → factTexts
	parts    sync.Map        // partial templates that many pages share, rendered: string → template.HTML
	tags     sync.Map        // ways in which listings differ, rendered: string → string
	counts   map[string]int  // listings by home category
	isChip   map[string]bool // what chips of facts say
	latest   api.Date        // of all facts: what ages are told against
	asset    map[string][]byte
	buffers  sync.Pool // of *bytes.Buffer
	pictures *pictures // nil where none are drawn
}

// once are the forms of a listing that many files hold, each made once.
type once struct {
	row    func() ([]byte, error)        // as tables show it, minified
	kin    func() (template.HTML, error) // as pages of similar listings show it, ready
	line   func() (markdown, error)      // as lists of twins show it
	brief  func() markdown               // its link and purpose
	facets func() ([]byte, error)        // as the filters of tables read it
	json   func() ([]byte, error)        // an api.Project
}

// buffer returns an empty buffer; whoever takes it puts it back into r.buffers.
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
		once: make(map[string]once, len(site.Listings)), bySlug: make(map[string]*content.Listing, len(site.Listings)), counts: map[string]int{}, isChip: map[string]bool{}, asset: map[string][]byte{},
	}
	if err := r.parseTemplates(); err != nil {
		return nil, err
	}
	for _, f := range site.Content.Taxonomy.Facts {
		for _, chip := range f.Chip {
			r.isChip[chip] = true
		}
	}
	for _, l := range site.Listings {
		r.counts[l.Category]++
		r.bySlug[l.Slug] = l
		r.latest = max(r.latest, l.AddedAt)
		for _, day := range []*api.Date{l.StarsAsOf, l.UpdatedAt} {
			if day != nil {
				r.latest = max(r.latest, *day)
			}
		}
	}
	r.view = siteView{
		Title: site.Settings.Title, Description: site.Settings.Description, Contact: contactLink(site.Settings.Contact),
		Base: site.Settings.BasePath(), OriginTrial: site.Settings.WebMCPOriginTrial,
		settings: &site.Settings, platforms: len(site.Content.Taxonomy.Platforms),
	}
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
	for _, p := range []struct {
		name string
		text *template.HTML
	}{{"head", &r.view.Head}, {"header", &r.view.Header}, {"footer", &r.view.Footer}} {
		if *p.text, err = r.readyPartial(p.name, &r.view); err != nil {
			return nil, err
		}
	}
	if r.view.Note, err = r.twinPartial("note", nil); err != nil {
		return nil, err
	}
	for _, l := range site.Listings {
		r.once[l.Slug] = once{
			row: sync.OnceValues(func() ([]byte, error) { return r.partial("row", r.row(&l.Project)) }),
			kin: sync.OnceValues(func() (template.HTML, error) {
				return r.readyPartial("kin", kinView{r.view.Base, l.Slug, l.Name, l.Purpose})
			}),
			brief: sync.OnceValue(func() markdown {
				return markdown(commonmark.Link(l.Name, l.PageURL) + ": " + commonmark.Text(l.Purpose))
			}),
			line:   sync.OnceValues(func() (markdown, error) { return r.twinPartial("row", r.row(&l.Project)) }),
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

// contactLink marks the owner's contact as a link that may be used as it is:
// settings are checked, and html/template would refuse mailto: otherwise.
func contactLink(contact string) template.URL { return template.URL(contact) } // #nosec G203 -- package validate allows http, https and mailto

func newMinifier() *minify.M {
	m := minify.New()
	m.Add("text/html", &html.Minifier{KeepDocumentTags: true, KeepEndTags: true, KeepQuotes: true})
	m.Add("text/css", &css.Minifier{})
	m.Add("application/javascript", &js.Minifier{})
	// Structured data is marshalled without white space.
	m.AddFunc("application/ld+json", func(_ *minify.M, w io.Writer, r io.Reader, _ map[string]string) error {
		_, err := io.Copy(w, r)
		return err
	})
	m.Add("application/json", &jsonminify.Minifier{KeepNumbers: true})
	m.Add("image/svg+xml", &svg.Minifier{})
	m.Add("text/xml", &xml.Minifier{})
	return m
}

// mediaTypes tells which files are minified, and how.
var mediaTypes = map[string]string{
	"html": "text/html", "css": "text/css", "js": "application/javascript",
	"json": "application/json", "svg": "image/svg+xml", "xml": "text/xml",
}

// file minifies a file by its extension and hands it over.
func (r *renderer) file(name string, content []byte) error {
	out := r.buffer()
	defer r.buffers.Put(out)
	if err := r.minify(out, name, content); err != nil {
		return err
	}
	return r.write(name, out.Bytes())
}

func (r *renderer) minify(out *bytes.Buffer, name string, content []byte) error {
	mediaType, ok := mediaTypes[name[strings.LastIndexByte(name, '.')+1:]]
	if !ok {
		out.Write(content)
		return nil
	}
	if err := r.minifier.Minify(mediaType, out, bytes.NewBuffer(content)); err != nil {
		return fmt.Errorf("minify %s: %w", name, err)
	}
	return nil
}

// pageNames are the templates below pages/, each rendered inside the layout.
var pageNames = []string{"home", "project", "collection", "overview", "search", "compare", "numbers", "docs", "problem", "page", "404"}

func (r *renderer) parseTemplates() error {
	shared, err := template.New("layout.html").ParseFS(r.Templates, "layout.html", "partials.html", "meta.html")
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
	r.partials = shared // not executed before it was cloned, as html/template demands
	return r.parseTwins()
}

// partial renders one of the partial templates and minifies it.
func (r *renderer) partial(name string, view any) ([]byte, error) {
	out := r.buffer()
	defer r.buffers.Put(out)
	if err := r.partials.ExecuteTemplate(out, name, view); err != nil {
		return nil, fmt.Errorf("templates: %w", err)
	}
	var minified bytes.Buffer
	if err := r.minify(&minified, name+".html", out.Bytes()); err != nil {
		return nil, err
	}
	return minified.Bytes(), nil
}

// readyMark stands before and behind a part of a page that is minified already:
// minifying takes as long as rendering, and most of a page is rows and partial
// templates that stand on others too. Nobody can write one into a page: HTML has
// no such character, and html/template, goldmark and encoding/json each write
// another in its place.
const readyMark = "\x00"

// minified returns minified HTML for templates to print between block elements, where
// minifying it by itself gives the same as minifying it with what is around.
func minified(text []byte) template.HTML {
	return template.HTML(readyMark + string(text) + readyMark) // #nosec G203 -- rendered by html/template
}

// readyPartial renders one of the partial templates, ready to be printed.
func (r *renderer) readyPartial(name string, view any) (template.HTML, error) {
	text, err := r.partial(name, view)
	return minified(text), err
}

// shared renders one of the partial templates once for all pages for which key is
// the same, ready to be printed. The view must follow from the key.
func (r *renderer) shared(name, key string, view any) (template.HTML, error) {
	key = name + "\x00" + key
	if text, ok := r.parts.Load(key); ok {
		return text.(template.HTML), nil
	}
	text, err := r.readyPartial(name, view)
	if err == nil {
		r.parts.Store(key, text)
	}
	return text, err
}

// way renders the crumbs that lead to a page.
func (r *renderer) way(crumbs []crumbView) (template.HTML, error) {
	key := ""
	for _, c := range crumbs {
		if c.Path != "" {
			key += c.Title + "\x00" + c.Path + "\x00"
		}
	}
	return r.shared("way", key, struct {
		Base   string
		Crumbs []crumbView
	}{r.view.Base, crumbs})
}

// minifyPage minifies the parts of a page that are not ready.
func (r *renderer) minifyPage(out *bytes.Buffer, name string, page []byte) error {
	for isReady := false; len(page) > 0; isReady = !isReady {
		part, rest, _ := bytes.Cut(page, []byte(readyMark))
		if isReady {
			out.Write(part)
		} else if err := r.minify(out, name, part); err != nil {
			return err
		}
		page = rest
	}
	return nil
}

// page renders a template into index.html of a path and its Markdown twin beside
// it, or into another file, which has no twin, where the path does not end in a
// slash.
func (r *renderer) page(name string, view pageView) error {
	view.Site = &r.view
	view.Kind = name
	view.Canonical = r.Settings.URL(view.Path)
	if strings.HasSuffix(view.Path, "/") {
		view.Twin = r.view.Base + view.Path + twinFile
		if err := r.twin(name, &view); err != nil {
			return err
		}
	}
	if err := r.meta(&view); err != nil {
		return err
	}
	var err error
	if view.Way, err = r.way(view.Crumbs); err != nil {
		return err
	}
	out := r.buffer()
	defer r.buffers.Put(out)
	if err := r.pages[name].ExecuteTemplate(out, "layout.html", view); err != nil {
		return fmt.Errorf("page %s: %w", view.Path, err)
	}
	file := strings.TrimPrefix(view.Path, "/")
	if file == "" || strings.HasSuffix(file, "/") {
		file += "index.html"
	}
	minified := r.buffer()
	defer r.buffers.Put(minified)
	if err := r.minifyPage(minified, file, out.Bytes()); err != nil {
		return err
	}
	return r.write(file, minified.Bytes())
}
