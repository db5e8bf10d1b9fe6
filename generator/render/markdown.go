package render

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"

	"catalog.example/api"
	"catalog.example/generator/commonmark"
	"catalog.example/generator/templating"
)

// MarkdownFile is the file name of the Markdown version of a page.
const MarkdownFile = "index.html.md"

// Markdown is safe Markdown. Templates print it unchanged, and escape all other values.
type Markdown string

func (t *Templates) parseMarkdown(in *Site, words *Words) error {
	functions := words.markdownFunctions()
	shared, err := template.New("layout.md").Funcs(functions).ParseFS(in.Templates, "layout.md", "partials.md")
	if err != nil {
		return err
	}
	markdown := func(t *template.Template) *templating.Set {
		words.escapeAll(t)
		return templating.Text(t, functions, escapeName, templating.Escaping(escape))
	}
	t.markdownPages = map[string]*templating.Set{}
	for _, name := range pageNames {
		if name == "404" { // it has no Markdown version
			continue
		}
		page, err := template.Must(shared.Clone()).ParseFS(in.Templates, "pages/"+name+".md")
		if err != nil {
			return err
		}
		t.markdownPages[name] = markdown(page)
	}
	t.markdownPartials = markdown(shared)
	full, err := template.New("llms-full.txt").Funcs(functions).ParseFS(in.Templates, "llms-full.txt")
	if err != nil {
		return err
	}
	t.Full = markdown(full)
	skill, err := template.New("skill.md").Funcs(functions).ParseFS(in.Templates, "skill.md")
	if err != nil {
		return err
	}
	t.Skill = markdown(skill)
	guide, err := template.New("llms.txt").Funcs(functions).ParseFS(in.Templates, "llms.txt")
	if err != nil {
		return err
	}
	t.Guide = templating.Text(guide, functions, "", nil)
	return nil
}

// escapeName is the name of the function that escapes every value that a Markdown template
// prints.
const escapeName = "escaped"

// escapeAll adds the escaping function to every action that prints a value, so that no
// template, not even an owner's, can forget to escape. It also fixes texts.
func (w *Words) escapeAll(t *template.Template) {
	for _, defined := range t.Templates() {
		w.fixTexts(defined.Tree, false)
		eachAction(defined.Tree, func(n *parse.ActionNode) parse.Node {
			if len(n.Pipe.Decl) == 0 && !isEscaped(n.Pipe) {
				name := parse.NewIdentifier(escapeName).SetPos(n.Pos).SetTree(nil)
				call := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Pos, Args: []parse.Node{name}}
				n.Pipe.Cmds = append(n.Pipe.Cmds, call)
			}
			return n
		})
	}
}

// fixTexts replaces calls of t without values by their texts, because function calls take most of
// the time of a page. html/template escapes these texts by their context.
func (w *Words) fixTexts(t *parse.Tree, isHTML bool) {
	eachAction(t, func(n *parse.ActionNode) parse.Node {
		text := fixedText(n)
		if text == nil {
			return n
		}
		text.Text = w.Form(text.Text)
		if isHTML {
			text.Quoted, n.Pipe.Cmds[0].Args = strconv.Quote(text.Text), []parse.Node{text}
			return n
		}
		return &parse.TextNode{NodeType: parse.NodeText, Pos: n.Pos, Text: []byte(commonmark.Text(text.Text))}
	})
}

// fixedText returns the argument of an action such as {{t "Search"}}, or nil for any other.
func fixedText(n *parse.ActionNode) *parse.StringNode {
	if len(n.Pipe.Decl) > 0 || len(n.Pipe.Cmds) != 1 || len(n.Pipe.Cmds[0].Args) != 2 {
		return nil
	}
	text, _ := n.Pipe.Cmds[0].Args[1].(*parse.StringNode)
	if name, ok := n.Pipe.Cmds[0].Args[0].(*parse.IdentifierNode); !ok || name.Ident != "t" {
		return nil
	}
	return text
}

// eachAction replaces each action of a template with what visit returns for it.
func eachAction(t *parse.Tree, visit func(*parse.ActionNode) parse.Node) {
	if t == nil {
		return
	}
	var walk func(list *parse.ListNode)
	walk = func(list *parse.ListNode) {
		if list == nil {
			return
		}
		for i, n := range list.Nodes {
			switch n := n.(type) {
			case *parse.ActionNode:
				list.Nodes[i] = visit(n)
			case *parse.IfNode:
				walk(n.List)
				walk(n.ElseList)
			case *parse.RangeNode:
				walk(n.List)
				walk(n.ElseList)
			case *parse.WithNode:
				walk(n.List)
				walk(n.ElseList)
			}
		}
	}
	walk(t.Root)
}

// isEscaped reports whether a pipeline needs no escaping, because its last function returns
// Markdown or is the escaping function. Clones of a template share its tree, so the function may
// have been added before.
func isEscaped(p *parse.PipeNode) bool {
	last := p.Cmds[len(p.Cmds)-1]
	id, ok := last.Args[0].(*parse.IdentifierNode)
	return ok && (id.Ident == escapeName || slices.Contains(safeFunctions, id.Ident))
}

// safeFunctions are the markdownFunctions that return Markdown.
var safeFunctions = []string{"link", "code", "fence", "prose", "join", "list", "page", "markdown", "t", "count"}

// escape returns Markdown that shows a value.
func escape(value any) Markdown {
	switch v := value.(type) {
	case Markdown:
		return v
	case string:
		return Markdown(commonmark.Text(v))
	}
	return Markdown(commonmark.Text(textOfAny(value)))
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

// markdownFunctions are the functions of Markdown templates. Results of type Markdown are
// printed unchanged.
func (w *Words) markdownFunctions() template.FuncMap {
	return template.FuncMap{
		escapeName: escape,
		// t translates a text of the page, count a text that contains a number.
		"t": func(text string, values ...any) any { return filledMarkdown(w.Form(text), values) },
		"count": func(n any, one, other string, values ...any) Markdown {
			number, _ := reflect.Indirect(reflect.ValueOf(n)).Interface().(int)
			return filledMarkdown(w.CountForm(number, one, other), append([]any{"n", number}, values...))
		},
		// link links a text to an absolute address. The result has the type Markdown.
		"link": func(text, address any) any {
			if label, ok := text.(Markdown); ok { // a label, which is escaped
				return "[" + label + "](" + Markdown(commonmark.Address(textOfAny(address))) + ")"
			}
			return Markdown(commonmark.Link(textOfAny(text), textOfAny(address)))
		},
		// code is inline code, fence a block of code.
		"code":  func(text any) Markdown { return Markdown(commonmark.Code(textOfAny(text))) },
		"fence": func(language, code string) Markdown { return Markdown(commonmark.Fence(language, code)) },
		// prose is text with code between backticks.
		"prose": prose,
		// join returns texts with commas between them.
		"join": joined,
		// list is a bulleted list.
		"list": func(list []string) Markdown {
			var out []byte
			for _, text := range list {
				out = append(append(append(out, "- "...), commonmark.Text(text)...), '\n')
			}
			return Markdown(out)
		},
		// These return absolute addresses: page for a path of the site, markdown for the Markdown
		// version of a page, search for a path of the search server, ask for the search page with a
		// query.
		"page": func(path string) Markdown { return Markdown(commonmark.Address(w.settings.URL(path))) },
		"markdown": func(path string) Markdown {
			return Markdown(commonmark.Address(w.settings.URL(path + MarkdownFile)))
		},
		"search": func(path string) string { return w.settings.SearchBase() + path },
		"ask":    func(query string) string { return w.settings.URL("/search/?q=" + url.QueryEscape(query)) },
		"facts":  w.ShortFacts,
		"texts":  w.FitTexts,
		// estimate is an estimate in words.
		"estimate": w.Estimate,
		// measured are the figures of a listing that were measured, each in a sentence.
		"measured": w.measuredSetups,
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
func joined(list []string) Markdown {
	texts := make([]string, len(list))
	for i, text := range list {
		texts[i] = commonmark.Text(text)
	}
	return Markdown(strings.Join(texts, ", "))
}

// prose escapes a text except for the code between backticks.
func prose(text string) Markdown {
	parts := strings.Split(text, "`")
	if len(parts) == 1 {
		return Markdown(commonmark.Text(text))
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
	return Markdown(out.String())
}

// MarkdownPartial renders a template of partials.md.
func (t *Templates) MarkdownPartial(name string, view any) (Markdown, error) {
	out, end := t.buffer()
	defer end()
	if err := t.markdownPartials.Execute(out, name, view); err != nil {
		return "", fmt.Errorf("templates: partials.md: %w", err)
	}
	return Markdown(out.String()), nil
}
