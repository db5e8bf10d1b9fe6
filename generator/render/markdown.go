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

// markdownFile is the file name of the Markdown version of a page.
const markdownFile = "index.html.md"

// markdown is safe Markdown. Templates print it unchanged, and escape all other values.
type markdown string

// markdownTemplates are the templates of Markdown versions.
type markdownTemplates struct {
	pages    map[string]*template.Template // by name, as those of HTML pages
	partials *template.Template
	full     *template.Template // llms-full.txt
	guide    *template.Template // llms.txt; it is plain text, so nothing is escaped
}

func (r *renderer) parseMarkdown() error {
	functions := r.markdownFunctions()
	shared, err := template.New("layout.md").Funcs(functions).ParseFS(r.Templates, "layout.md", "partials.md")
	if err != nil {
		return fmt.Errorf("templates: %w", err)
	}
	r.markdown.pages = map[string]*template.Template{}
	for _, name := range pageNames {
		if name == "404" { // it has no Markdown version
			continue
		}
		page, err := template.Must(shared.Clone()).ParseFS(r.Templates, "pages/"+name+".md")
		if err != nil {
			return fmt.Errorf("templates: %w", err)
		}
		escapeAll(page)
		r.markdown.pages[name] = page
	}
	escapeAll(shared)
	r.markdown.partials = shared
	if r.markdown.full, err = template.New("llms-full.txt").Funcs(functions).ParseFS(r.Templates, "llms-full.txt"); err != nil {
		return fmt.Errorf("templates: %w", err)
	}
	escapeAll(r.markdown.full)
	if r.markdown.guide, err = template.New("llms.txt").Funcs(functions).ParseFS(r.Templates, "llms.txt"); err != nil {
		return fmt.Errorf("templates: %w", err)
	}
	return nil
}

// escapeName is the name of the function that escapes every value that a Markdown template
// prints.
const escapeName = "escaped"

// escapeAll adds the escaping function to every action that prints a value, so that no
// template, not even an owner's, can forget to escape.
func escapeAll(t *template.Template) {
	for _, defined := range t.Templates() {
		if defined.Tree != nil {
			escapeList(defined.Root)
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

// isEscaped reports whether a pipeline needs no escaping: its last function returns
// Markdown, or is the escaping function, because clones of a template share its tree.
func isEscaped(p *parse.PipeNode) bool {
	last := p.Cmds[len(p.Cmds)-1]
	id, ok := last.Args[0].(*parse.IdentifierNode)
	return ok && (id.Ident == escapeName || slices.Contains(safeFunctions, id.Ident))
}

// safeFunctions are the markdownFunctions that return Markdown.
var safeFunctions = []string{"link", "code", "fence", "prose", "join", "list", "page", "markdown", "t", "count"}

// escape returns Markdown that shows a value.
func escape(value any) markdown {
	switch v := value.(type) {
	case markdown:
		return v
	case string:
		return markdown(commonmark.Text(v))
	}
	return markdown(commonmark.Text(textOfAny(value)))
}

// textOfAny returns a value as text. It dereferences pointers.
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

// markdownFunctions are the functions of Markdown templates. Results of type markdown are
// printed unchanged.
func (r *renderer) markdownFunctions() template.FuncMap {
	return template.FuncMap{
		escapeName: escape,
		// t is a text of the page, count one that counts.
		"t": func(text string, values ...any) markdown { return filledMarkdown(r.labels.Form(text), values) },
		"count": func(n any, one, other string, values ...any) markdown {
			number, _ := reflect.Indirect(reflect.ValueOf(n)).Interface().(int)
			return filledMarkdown(r.labels.CountForm(number, one, other), append([]any{"n", number}, values...))
		},
		// link links a text to an absolute address.
		"link": func(text, address any) markdown {
			if label, ok := text.(markdown); ok { // a label, which is escaped
				return "[" + label + "](" + markdown(commonmark.Address(textOfAny(address))) + ")"
			}
			return markdown(commonmark.Link(textOfAny(text), textOfAny(address)))
		},
		// code is inline code, fence a block of code.
		"code":  func(text any) markdown { return markdown(commonmark.Code(textOfAny(text))) },
		"fence": func(language, code string) markdown { return markdown(commonmark.Fence(language, code)) },
		// prose is text with code between backticks.
		"prose": prose,
		// join returns texts with commas between them.
		"join": joined,
		// list is a bulleted list.
		"list": func(list []string) markdown {
			var out []byte
			for _, text := range list {
				out = append(append(append(out, "- "...), commonmark.Text(text)...), '\n')
			}
			return markdown(out)
		},
		// These return absolute addresses: page of a path of the site, markdown of the Markdown
		// version of a page, search of a path of the search server, ask of the search page
		// with a query.
		"page":     func(path string) markdown { return markdown(commonmark.Address(r.Settings.URL(path))) },
		"markdown": func(path string) markdown { return markdown(commonmark.Address(r.Settings.URL(path + markdownFile))) },
		"search":   func(path string) string { return r.Settings.SearchBase() + path },
		"ask":      func(query string) string { return r.Settings.URL("/search/?q=" + url.QueryEscape(query)) },
		"facts":    r.shortFacts,
		"texts":    r.texts,
		// links are the links to source and installation.
		"links": func(p *api.Project) []api.InstallLink {
			if p.RepositoryURL == "" {
				return p.InstallLinks
			}
			return append([]api.InstallLink{{Label: "Source", URL: p.RepositoryURL}}, p.InstallLinks...)
		},
	}
}

// joined returns texts with commas between them.
func joined(list []string) markdown {
	texts := make([]string, len(list))
	for i, text := range list {
		texts[i] = commonmark.Text(text)
	}
	return markdown(strings.Join(texts, ", "))
}

// prose escapes a text except for the code between backticks.
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

// markdownVersion writes the Markdown version of a page beside it.
func (r *renderer) markdownVersion(name string, view *pageView) error {
	t, ok := r.markdown.pages[name]
	if !ok {
		return nil
	}
	out := r.buffer()
	defer r.buffers.Put(out)
	if err := t.ExecuteTemplate(out, "layout.md", view); err != nil {
		return fmt.Errorf("render the Markdown version of page %s: %w", view.Path, err)
	}
	return r.write(strings.TrimPrefix(view.Path, "/")+markdownFile, out.Bytes())
}

// markdownPartial renders a template of partials.md.
func (r *renderer) markdownPartial(name string, view any) (markdown, error) {
	var out strings.Builder
	if err := r.markdown.partials.ExecuteTemplate(&out, name, view); err != nil {
		return "", fmt.Errorf("templates: partials.md: %w", err)
	}
	return markdown(out.String()), nil
}

// lines returns listings as the lines of a Markdown list.
func (r *renderer) lines(listings []*content.Listing) (markdown, error) {
	var out strings.Builder
	for _, l := range listings {
		line, err := r.fragments[l.Slug].line()
		if err != nil {
			return "", err
		}
		out.WriteString(string(line))
		out.WriteByte('\n')
	}
	return markdown(out.String()), nil
}
