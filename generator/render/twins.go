package render

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"

	"catalog.example/api"
	"catalog.example/generator/commonmark"
	"catalog.example/generator/content"
)

// twinFile is the name of the Markdown twin of a page, beside its index.html.
const twinFile = "index.html.md"

// markdown is Markdown that is safe as it is: templates print it unchanged, and
// escape everything else.
type markdown string

// twins are the templates of the pages' Markdown twins.
type twins struct {
	pages    map[string]*template.Template // by name, as those of the pages
	partials *template.Template
	full     *template.Template // llms-full.txt
	guide    *template.Template // llms.txt, whose author writes Markdown: nothing is escaped
}

func (r *renderer) parseTwins() error {
	functions := r.twinFunctions()
	shared, err := template.New("layout.md").Funcs(functions).ParseFS(r.Templates, "layout.md", "partials.md")
	if err != nil {
		return fmt.Errorf("templates: %w", err)
	}
	r.twins.pages = map[string]*template.Template{}
	for _, name := range pageNames {
		if name == "404" { // what is not there has no twin
			continue
		}
		page, err := template.Must(shared.Clone()).ParseFS(r.Templates, "pages/"+name+".md")
		if err != nil {
			return fmt.Errorf("templates: %w", err)
		}
		escapeAll(page)
		r.twins.pages[name] = page
	}
	escapeAll(shared)
	r.twins.partials = shared
	if r.twins.full, err = template.New("llms-full.txt").Funcs(functions).ParseFS(r.Templates, "llms-full.txt"); err != nil {
		return fmt.Errorf("templates: %w", err)
	}
	escapeAll(r.twins.full)
	if r.twins.guide, err = template.New("llms.txt").Funcs(functions).ParseFS(r.Templates, "llms.txt"); err != nil {
		return fmt.Errorf("templates: %w", err)
	}
	return nil
}

// escapeName is the function that every value printed by a template of Markdown
// goes through.
const escapeName = "escaped"

// escapeAll makes every action that prints a value end in the escaping function,
// so that no template, nor one that replaces it, can forget to escape.
func escapeAll(t *template.Template) {
	for _, one := range t.Templates() {
		if one.Tree != nil {
			escapeList(one.Root)
		}
	}
}

func escapeList(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			if len(n.Pipe.Decl) == 0 && !isEscaped(n.Pipe) {
				name := parse.NewIdentifier(escapeName).SetPos(n.Pos).SetTree(nil)
				n.Pipe.Cmds = append(n.Pipe.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Pos, Args: []parse.Node{name}})
			}
		case *parse.IfNode:
			escapeList(n.List)
			escapeList(n.ElseList)
		case *parse.RangeNode:
			escapeList(n.List)
			escapeList(n.ElseList)
		case *parse.WithNode:
			escapeList(n.List)
			escapeList(n.ElseList)
		case *parse.ListNode:
			escapeList(n)
		}
	}
}

// isEscaped tells whether a pipeline needs no escaping: its last function makes
// Markdown, or is the escaping itself, because clones share the trees of the
// templates that they were made from.
func isEscaped(p *parse.PipeNode) bool {
	last := p.Cmds[len(p.Cmds)-1]
	id, ok := last.Args[0].(*parse.IdentifierNode)
	return ok && (id.Ident == escapeName || slices.Contains(safeFunctions, id.Ident))
}

// safeFunctions are those of twinFunctions that return Markdown.
var safeFunctions = []string{"link", "code", "fence", "prose", "join", "list", "page", "twin"}

// escaped returns any value as Markdown that shows it.
func escaped(value any) markdown {
	switch v := value.(type) {
	case markdown:
		return v
	case string:
		return markdown(commonmark.Text(v))
	}
	return markdown(commonmark.Text(textOfAny(value)))
}

// textOfAny returns a value as text, what a pointer leads to in its place.
func textOfAny(value any) string {
	v := reflect.Indirect(reflect.ValueOf(value))
	switch {
	case !v.IsValid():
		return ""
	case v.Kind() == reflect.String:
		return v.String()
	}
	return fmt.Sprint(v.Interface())
}

// twinFunctions are what templates of Markdown call. What they return as markdown
// is printed unchanged.
func (r *renderer) twinFunctions() template.FuncMap {
	return template.FuncMap{
		escapeName: escaped,
		// link links a text; the address is absolute.
		"link": func(text, address any) markdown {
			return markdown(commonmark.Link(textOfAny(text), textOfAny(address)))
		},
		// code is a span of code, fence a block of it.
		"code":  func(text any) markdown { return markdown(commonmark.Code(textOfAny(text))) },
		"fence": func(language, code string) markdown { return markdown(commonmark.Fence(language, code)) },
		// prose is text of ours in which backticks stand around code.
		"prose": prose,
		// join names values one after the other.
		"join": joined,
		// list is a list of texts, an item a line.
		"list": func(list []string) markdown {
			var out []byte
			for _, text := range list {
				out = append(append(append(out, "- "...), commonmark.Text(text)...), '\n')
			}
			return markdown(out)
		},
		// page is the absolute address of a path of the site, twin that of the Markdown
		// twin of a page, search that of a path of the search server, ask that of the
		// search page for a query.
		"page":   func(path string) markdown { return markdown(commonmark.Address(r.Settings.URL(path))) },
		"twin":   func(path string) markdown { return markdown(commonmark.Address(r.Settings.URL(path + twinFile))) },
		"search": func(path string) string { return r.Settings.SearchBase() + path },
		"ask":    func(query string) string { return r.Settings.URL("/search/?q=" + url.QueryEscape(query)) },
		"facts":  r.shortFacts,
		"texts":  r.texts,
		// links are those to the source and to install steps.
		"links": func(p *api.Project) []api.InstallLink {
			if p.RepositoryURL == "" {
				return p.InstallLinks
			}
			return append([]api.InstallLink{{Label: "Source", URL: p.RepositoryURL}}, p.InstallLinks...)
		},
	}
}

// joined names values one after the other.
func joined(list []string) markdown {
	texts := make([]string, len(list))
	for i, text := range list {
		texts[i] = commonmark.Text(text)
	}
	return markdown(strings.Join(texts, ", "))
}

// prose escapes a text of ours but for the code between its backticks.
func prose(text string) markdown {
	parts := strings.Split(text, "`")
	if len(parts) == 1 {
		return markdown(commonmark.Text(text))
	}
	var out strings.Builder
	for i, part := range parts {
		switch {
		case i%2 == 1:
			out.WriteString(commonmark.Code(part))
			continue
		case strings.HasPrefix(part, " ") && i > 0:
			out.WriteByte(' ')
		}
		text := commonmark.Text(part)
		out.WriteString(text)
		if strings.HasSuffix(part, " ") && text != "" {
			out.WriteByte(' ')
		}
	}
	return markdown(out.String())
}

// twin writes the Markdown twin of a page beside it.
func (r *renderer) twin(name string, view *pageView) error {
	t, ok := r.twins.pages[name]
	if !ok {
		return nil
	}
	out := r.buffer()
	defer r.buffers.Put(out)
	if err := t.ExecuteTemplate(out, "layout.md", view); err != nil {
		return fmt.Errorf("twin of page %s: %w", view.Path, err)
	}
	return r.write(strings.TrimPrefix(view.Path, "/")+twinFile, out.Bytes())
}

// twinPartial renders one of the partial templates of twins.
func (r *renderer) twinPartial(name string, view any) (markdown, error) {
	var out strings.Builder
	if err := r.twins.partials.ExecuteTemplate(&out, name, view); err != nil {
		return "", fmt.Errorf("templates: partials.md: %w", err)
	}
	return markdown(out.String()), nil
}

// lines are listings as lists of twins show them, a line each.
func (r *renderer) lines(listings []*content.Listing) (markdown, error) {
	var lines strings.Builder
	for _, l := range listings {
		line, err := r.once[l.Slug].line()
		if err != nil {
			return "", err
		}
		lines.WriteString(string(line))
		lines.WriteByte('\n')
	}
	return markdown(lines.String()), nil
}
