package render

import (
	"bytes"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"
	texttemplate "text/template"
	"text/template/parse"

	"github.com/tdewolff/minify/v2"
)

// pageNames are the templates below pages/, each rendered inside the layout.
var pageNames = []string{
	"home", "project", "collection", "overview", "search", "compare", "numbers", "docs", "problem", "retired", "page",
	"404",
}

// Templates are the templates of a site, which are the owner's where there are any.
type Templates struct {
	minifier *minify.M
	pages    map[string]*template.Template // of HTML pages, by name
	partials *template.Template
	moved    *template.Template
	ofSite   map[string]bool // minified texts that all pages have
	writers  sync.Pool       // of *pageWriter

	markdownPages    map[string]*texttemplate.Template // of Markdown versions, by the same names
	markdownPartials *texttemplate.Template
	// Full is llms-full.txt. Guide is llms.txt, which is plain text, so that nothing is escaped.
	Full, Guide *texttemplate.Template
}

func parseTemplates(in *Site, words *Words) (*Templates, error) {
	wrong := func(err error) (*Templates, error) { return nil, fmt.Errorf("templates: %w", err) }
	t := &Templates{minifier: newMinifier(), pages: map[string]*template.Template{}, ofSite: map[string]bool{}}
	functions := words.htmlFunctions()
	shared, err := template.New("layout.html").Funcs(functions).
		ParseFS(in.Templates, "layout.html", "partials.html", "meta.html")
	if err != nil {
		return wrong(err)
	}
	placeProof(shared.Lookup("fact"))
	if _, err = shared.Parse(ownTemplates); err != nil {
		return wrong(err)
	}
	for _, name := range pageNames {
		page, err := template.Must(shared.Clone()).ParseFS(in.Templates, "pages/"+name+".html")
		if err != nil {
			return wrong(err)
		}
		t.pages[name] = page
	}
	t.partials = shared // html/template forbids cloning it after it was executed
	if t.moved, err = template.New("moved.html").Funcs(functions).ParseFS(in.Templates, "moved.html"); err != nil {
		return wrong(err)
	}
	if err := t.parseMarkdown(in, words); err != nil {
		return wrong(err)
	}
	return t, nil
}

// Templates of our own, which print each value of a list by a template of partials.html.
const (
	factRows    = "fact rows"
	differences = "differences"
)

// ownTemplates are the texts of these, for HTML pages.
const ownTemplates = `{{define "` + factRows + `"}}{{range .}}{{template "fact" .}}{{end}}{{end}}` +
	`{{define "` + differences + `"}}{{range .}}{{template "difference" .}}{{end}}{{end}}`

// ownMarkdown is the same for Markdown versions.
const ownMarkdown = `{{define "` + factRows + `"}}{{range .}}{{template "fact" .}}` +
	`{{if .Judged}} ({{template "judged"}}){{else if .Source}} ({{template "source" .Source}}){{end}}
{{end}}{{end}}`

// placeProof makes the template "fact" print, after a value, its source or a note that it was
// judged. Templates of owners need no change for this.
func placeProof(t *template.Template) {
	if t == nil || t.Tree == nil {
		return
	}
	const proof = `{{if .Judged}}{{template "judged"}}{{else if .Source}}{{template "source" .Source}}{{end}}`
	node := template.Must(template.New("proof").Parse(proof)).Tree.Root.Nodes[0]
	list := t.Tree.Root
	for i, n := range list.Nodes {
		if called, ok := n.(*parse.TemplateNode); ok && called.Name == "parts" {
			list.Nodes = slices.Insert(list.Nodes, i+1, node)
			return
		}
	}
	// An owner's template may print values in another way. The end of their cell is also a suitable
	// place.
	for i, n := range list.Nodes {
		text, ok := n.(*parse.TextNode)
		if !ok {
			continue
		}
		if at := bytes.Index(text.Text, []byte("</td>")); at >= 0 {
			rest := &parse.TextNode{NodeType: parse.NodeText, Pos: text.Pos, Text: text.Text[at:]}
			text.Text = text.Text[:at:at]
			list.Nodes = slices.Insert(list.Nodes, i+1, node, parse.Node(rest))
			return
		}
	}
	list.Nodes = append(list.Nodes, node)
}

// FactRows renders rows of a table of facts.
func (t *Templates) FactRows(rows any) (list List, err error) {
	if list.Rows, err = t.Partial(factRows, rows); err != nil {
		return list, err
	}
	list.Lines, err = t.MarkdownPartial(factRows, rows)
	return list, err
}

// Differences renders differences between listings.
func (t *Templates) Differences(list []string) (template.HTML, error) {
	return t.Partial(differences, list)
}

// Partial renders a template of partials.html, which is minified with the pages that it is in.
func (t *Templates) Partial(name string, view any) (template.HTML, error) {
	var out strings.Builder
	if err := t.partials.ExecuteTemplate(&out, name, view); err != nil {
		return "", fmt.Errorf("templates: %w", err)
	}
	return template.HTML(out.String()), nil // #nosec G203 -- rendered by html/template
}

// MinifiedPartial is Partial for what many pages have. It is minified once.
func (t *Templates) MinifiedPartial(name string, view any) (template.HTML, error) {
	text, err := t.Partial(name, view)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = t.minify(&out, name+".html", []byte(text))
	return template.HTML(out.String()), err // #nosec G203 -- rendered by html/template
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

// WriteHTML renders a page as HTML and passes it to write, which must not keep it.
func (s *Shared) WriteHTML(p *Page, write func(text []byte) error) error {
	if err := s.complete(p); err != nil {
		return err
	}
	out, ok := s.writers.Get().(*pageWriter)
	if !ok {
		out = &pageWriter{templates: s.Templates}
	}
	out.start(p.Minified)
	defer s.writers.Put(out)
	if err := s.pages[p.Kind].ExecuteTemplate(out, "layout.html", p); err != nil {
		return fmt.Errorf("page %s: %w", p.Path, err)
	}
	text, err := out.finish()
	if err != nil {
		return err
	}
	return write(text)
}

// Markdown returns the Markdown version of a page, or nil if its kind has none.
func (s *Shared) Markdown(p *Page) ([]byte, error) {
	t, ok := s.markdownPages[p.Kind]
	if !ok {
		return nil, nil
	}
	if err := s.complete(p); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.ExecuteTemplate(&out, "layout.md", p); err != nil {
		return nil, fmt.Errorf("render the Markdown version of page %s: %w", p.Path, err)
	}
	return out.Bytes(), nil
}
