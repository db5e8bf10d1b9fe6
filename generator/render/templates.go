package render

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"html/template"
	"io/fs"
	"strings"
	"sync"
	texttemplate "text/template"

	"catalog.example/generator/memo"
	"catalog.example/generator/templating"
	"catalog.example/templates"
	"github.com/tdewolff/minify/v2"
)

// pageNames are the templates below pages/, each rendered inside the layout.
var pageNames = []string{
	"home", "project", "collection", "overview", "search", "questions", "compare", "saved", "numbers", "machine",
	"changes", "docs", "problem", "offline", "suggest", "parts", "retired",
	"page", "404",
}

// Templates holds the templates of a site. An owner's template replaces the shipped one.
type Templates struct {
	minifier *minify.M
	pages    map[string]*templating.Set // of HTML pages, by name
	partials *templating.Set
	moved    *template.Template
	buffers  sync.Pool // of *bytes.Buffer

	markdownPages    map[string]*templating.Set // of Markdown versions, by the same names
	markdownPartials *templating.Set
	xml              *templating.Set
	// Full renders llms-full.txt, and Skill renders skill.md. Guide renders llms.txt, which is plain
	// text, so nothing is escaped.
	Full, Skill, Guide *templating.Set
}

// KeptTemplates keeps the templates of the last site in each language. A preview parses them again only if they, the
// settings or the taxonomy have changed. It is safe for concurrent use.
type KeptTemplates struct {
	mu   sync.Mutex
	last map[string]keyedTemplates // by language
}

type keyedTemplates struct {
	key memo.Key
	*Templates
}

// templatesOf returns the parsed templates of a site. key is the hash of their files.
func (k *KeptTemplates) templatesOf(in *Site, words *Words, key memo.Key) (*Templates, error) {
	if k == nil {
		return parseTemplates(in, words)
	}
	key = memo.KeyOf("templates", in.Content.Key[:], key[:])
	k.mu.Lock()
	defer k.mu.Unlock()
	if last := k.last[in.Language]; last.Templates != nil && last.key == key {
		return last.Templates, nil
	}
	t, err := parseTemplates(in, words)
	if err != nil {
		return nil, err
	}
	if k.last == nil {
		k.last = map[string]keyedTemplates{}
	}
	k.last[in.Language] = keyedTemplates{key, t}
	return t, nil
}

// filesKey returns the hash of the templates, labels and assets of a site.
func filesKey(in *Site) (memo.Key, error) {
	parts := [][]byte{templates.Translation(in.Settings.Lang)}
	err := fs.WalkDir(in.Templates, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(in.Templates, name)
		parts = append(parts, []byte(name), text)
		return err
	})
	if err != nil {
		return memo.Key{}, fmt.Errorf("templates: %w", err)
	}
	return memo.KeyOf("files", parts...), nil
}

func parseTemplates(in *Site, words *Words) (*Templates, error) {
	wrong := func(err error) (*Templates, error) { return nil, fmt.Errorf("templates: %w", err) }
	t := &Templates{minifier: newMinifier(), pages: map[string]*templating.Set{}}
	functions := words.htmlFunctions()
	forms := []fs.FS{in.Templates, minifiedFiles{in.Templates, t}}
	var shared [2]*template.Template // in each form
	var err error
	for i, files := range forms {
		shared[i], err = template.New("layout.html").Funcs(functions).
			ParseFS(files, "layout.html", "partials.html", "meta.html", "embed.html")
		if err != nil {
			return wrong(err)
		}
	}
	fixed := func(sets [2]*template.Template) (*templating.Set, error) {
		for _, set := range sets {
			for _, defined := range set.Templates() {
				words.fixTexts(defined.Tree, true)
			}
		}
		return templating.HTML(sets[0], sets[1], functions)
	}
	for _, name := range pageNames {
		var page [2]*template.Template
		for i, files := range forms {
			page[i], err = template.Must(shared[i].Clone()).ParseFS(files, "pages/"+name+".html")
			if err != nil {
				return wrong(err)
			}
		}
		if t.pages[name], err = fixed(page); err != nil {
			return wrong(err)
		}
	}
	if t.partials, err = fixed(shared); err != nil { // html/template forbids cloning them after they were executed
		return wrong(err)
	}
	if t.moved, err = template.New("moved.html").Funcs(functions).ParseFS(in.Templates, "moved.html"); err != nil {
		return wrong(err)
	}
	if err := t.parseMarkdown(in, words); err != nil {
		return wrong(err)
	}
	xmlFunctions := map[string]any{escapeName: escapeXML, "url": in.Settings.URL}
	files, err := texttemplate.New("xml").Funcs(xmlFunctions).
		ParseFS(in.Templates, "feed.xml", "opensearch.xml", "sitemap.xml", "badge.svg")
	if err != nil {
		return wrong(err)
	}
	words.escapeAll(files)
	t.xml = templating.Text(files, xmlFunctions, escapeName, templating.Escaping(escapeXML))
	return t, nil
}

// Left returns how many executions of templates were left to the standard packages, which take
// several times as long.
func (t *Templates) Left() int64 {
	n := t.partials.Left() + t.markdownPartials.Left() + t.xml.Left() + t.Full.Left() + t.Guide.Left() +
		t.Skill.Left()
	for _, sets := range []map[string]*templating.Set{t.pages, t.markdownPages} {
		for _, set := range sets {
			n += set.Left()
		}
	}
	return n
}

func escapeXML(value any) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(textOfAny(value))) // a strings.Builder has no errors
	return out.String()
}

// XML renders one of the templates of XML files.
func (t *Templates) XML(name string, view any) ([]byte, error) {
	var out bytes.Buffer
	if err := t.xml.Execute(&out, name, view); err != nil {
		return nil, fmt.Errorf("templates: %w", err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// Partial renders a template of partials.html or another file that all pages share.
func (t *Templates) Partial(name string, view any) (template.HTML, error) {
	out, end := t.buffer()
	defer end()
	if err := t.partials.Execute(out, name, view); err != nil {
		return "", fmt.Errorf("templates: %w", err)
	}
	return template.HTML(out.String()), nil // #nosec G203 -- rendered by html/template
}

// Moved returns the page at an address that has changed, for hosts without redirects. to is the
// present address.
func (s *Shared) Moved(to string) ([]byte, error) {
	var out bytes.Buffer
	if err := s.moved.Execute(&out, struct{ To, Lang, Dir string }{to, s.View.Lang, s.View.Dir}); err != nil {
		return nil, fmt.Errorf("templates: moved.html: %w", err)
	}
	return s.Minify("index.html", out.Bytes())
}

// buffer returns a buffer, and a function that ends its use.
func (t *Templates) buffer() (*bytes.Buffer, func()) {
	out, ok := t.buffers.Get().(*bytes.Buffer)
	if !ok {
		out = &bytes.Buffer{}
	}
	out.Reset()
	return out, func() { t.buffers.Put(out) }
}

// WriteHTML renders a page as HTML and passes it to write, which must not keep it.
func (s *Shared) WriteHTML(p *Page, write func(text []byte) error) error {
	if err := s.complete(p); err != nil {
		return err
	}
	out, end := s.buffer()
	defer end()
	if err := s.pages[p.Kind].Execute(out, "layout.html", p); err != nil {
		return fmt.Errorf("page %s: %w", p.Path, err)
	}
	return write(keepNamesWhole(out.Bytes()))
}

// WriteMarkdown renders the Markdown version of a page and passes it to write, which must not keep
// it. The version is nil if the kind of page has none.
func (s *Shared) WriteMarkdown(p *Page, write func(text []byte) error) error {
	t, ok := s.markdownPages[p.Kind]
	if !ok {
		return write(nil)
	}
	if err := s.complete(p); err != nil {
		return err
	}
	out, end := s.buffer()
	defer end()
	if err := t.Execute(out, "layout.md", p); err != nil {
		return fmt.Errorf("render the Markdown version of page %s: %w", p.Path, err)
	}
	return write(out.Bytes())
}
