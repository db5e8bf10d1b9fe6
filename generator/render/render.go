// Package render turns a checked catalog into the files of the build output:
// pages, JSON, llms.txt, the sitemap, the OpenAPI document.
//
// In goes a Site; out come files, handed to a write function in no particular
// order and from many goroutines. Each file depends on nothing but the Site, so
// that the output is the same whatever the number of workers.
package render

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"strings"
	texttemplate "text/template"

	"catalog.example/api"
	"catalog.example/generator/content"
	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/html"
	"github.com/tdewolff/minify/v2/js"
	"github.com/tdewolff/minify/v2/json"
	"github.com/tdewolff/minify/v2/svg"
	"github.com/tdewolff/minify/v2/xml"
)

// Site is everything that the files are made from.
type Site struct {
	Settings api.Settings
	Content  *content.Content
	// Listings are the content's listings in the order of sort=popular, with
	// Similar filled in.
	Listings []*content.Listing
	// Templates are the files of package templates, with the owner's in front.
	Templates fs.FS
}

// Write is given each file: its path below the output folder, and its content.
type Write func(name string, content []byte) error

// Task writes one or a few files. Tasks may run in any order and at once.
type Task func() error

// Tasks prepares a site and returns the work of writing its files.
func Tasks(site *Site, write Write) ([]Task, error) {
	r, err := newRenderer(site, write)
	if err != nil {
		return nil, err
	}
	var tasks []Task
	for _, l := range site.Listings {
		tasks = append(tasks, func() error { return r.listing(l) })
	}
	for _, c := range r.collections() {
		for page := 1; page <= c.pages(); page++ {
			tasks = append(tasks, func() error { return r.collection(c, page) })
		}
	}
	tasks = append(tasks, r.jsonLists()...)
	tasks = append(tasks, r.home, r.overviews, r.search, r.docs, r.problems, r.editorial, r.notFound,
		r.openAPI, r.llms, r.sitemap, r.robots, r.assets)
	return tasks, nil
}

// renderer holds what is shared between the files of one build.
type renderer struct {
	*Site
	write    Write
	minifier *minify.M
	pages    map[string]*template.Template // by name: "home", "project", …
	llmsText *texttemplate.Template
	view     siteView
	bySlug   map[string]*content.Listing
	// entries are the listings' short forms, by slug.
	entries map[string]entryView
	counts  map[string]int // listings by home category
	asset   map[string][]byte
}

func newRenderer(site *Site, write Write) (*renderer, error) {
	r := &renderer{
		Site: site, write: write, minifier: newMinifier(), pages: map[string]*template.Template{},
		bySlug:  make(map[string]*content.Listing, len(site.Listings)),
		entries: make(map[string]entryView, len(site.Listings)),
		counts:  map[string]int{}, asset: map[string][]byte{},
	}
	if err := r.parseTemplates(); err != nil {
		return nil, err
	}
	for _, l := range site.Listings {
		r.bySlug[l.Slug] = l
		r.counts[l.Category]++
	}
	r.view = siteView{
		Title: site.Settings.Title, Description: site.Settings.Description, Contact: contactLink(site.Settings.Contact),
		Base: site.Settings.BasePath(), OriginTrial: site.Settings.WebMCPOriginTrial,
	}
	for _, p := range site.Content.Pages {
		r.view.Pages = append(r.view.Pages, linkView{Slug: p.Slug, Title: p.Title})
	}
	if err := r.prepareAssets(); err != nil {
		return nil, err
	}
	for _, l := range site.Listings {
		r.entries[l.Slug] = r.entry(&l.Project)
	}
	return r, nil
}

// contactLink marks the owner's contact as a link that may be used as it is:
// settings are checked, and html/template would refuse mailto: otherwise.
func contactLink(contact string) template.URL { return template.URL(contact) } // #nosec G203 -- api.Settings.Check allows http, https and mailto

func newMinifier() *minify.M {
	m := minify.New()
	m.Add("text/html", &html.Minifier{KeepDocumentTags: true, KeepEndTags: true, KeepQuotes: true})
	m.Add("text/css", &css.Minifier{})
	m.Add("application/javascript", &js.Minifier{})
	m.Add("application/ld+json", &json.Minifier{KeepNumbers: true})
	m.Add("application/json", &json.Minifier{KeepNumbers: true})
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
	minified, err := r.minified(name, content)
	if err != nil {
		return err
	}
	return r.write(name, minified)
}

func (r *renderer) minified(name string, content []byte) ([]byte, error) {
	mediaType, ok := mediaTypes[name[strings.LastIndexByte(name, '.')+1:]]
	if !ok {
		return content, nil
	}
	minified, err := r.minifier.Bytes(mediaType, content)
	if err != nil {
		return nil, fmt.Errorf("minify %s: %w", name, err)
	}
	return minified, nil
}

// pageNames are the templates below pages/, each rendered inside the layout.
var pageNames = []string{"home", "project", "collection", "overview", "search", "docs", "problem", "page", "404"}

func (r *renderer) parseTemplates() error {
	shared, err := template.New("layout.html").ParseFS(r.Templates, "layout.html", "partials.html")
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
	r.llmsText, err = texttemplate.ParseFS(r.Templates, "llms.txt")
	if err != nil {
		return fmt.Errorf("templates: %w", err)
	}
	return nil
}

// page renders a template into index.html of a path, or into another file
// where the path does not end in a slash.
func (r *renderer) page(name string, view pageView) error {
	view.Site = &r.view
	view.Canonical = r.Settings.URL(view.Path)
	var out bytes.Buffer
	if err := r.pages[name].ExecuteTemplate(&out, "layout.html", view); err != nil {
		return fmt.Errorf("page %s: %w", view.Path, err)
	}
	file := strings.TrimPrefix(view.Path, "/")
	if file == "" || strings.HasSuffix(file, "/") {
		file += "index.html"
	}
	return r.file(file, out.Bytes())
}

// hashedName puts a hash of the content into a file's name, so that the file
// can be cached for ever.
func hashedName(name string, content []byte) string {
	sum := sha256.Sum256(content)
	dot := strings.LastIndexByte(name, '.')
	return name[:dot] + "." + hex.EncodeToString(sum[:6]) + name[dot:]
}
