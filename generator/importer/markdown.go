package importer

import (
	"slices"
	"strings"

	"catalog.example/generator/content"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"go.yaml.in/yaml/v4"
)

// lists parses the lists and tables of a Markdown file.
var lists = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough))

// markdown reads the lists and tables of a Markdown file. An item of a list that begins with a link or has one
// is an entry with the keys name, url, description, links and codes. A row of a table is an entry with its
// columns as keys; a cell has the keys text, url, links and codes.
func (r *reader) markdown() {
	m := &markdownReader{reader: r, before: len(r.entries)}
	doc := lists.Parser().Parse(text.NewReader(r.text))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			level := n.Level
			m.headings = slices.DeleteFunc(m.headings, func(h heading) bool { return h.level >= level })
			m.headings = append(m.headings, heading{level, r.at(n.Pos(), content.ShownText(n, r.text))})
		case *ast.List:
			m.list(n, nil)
		case *east.Table:
			m.table(n)
		}
	}
	if len(m.entries) == m.before {
		r.skip(1, 1, "a file has no entries", "the file has no list with links and no table")
	}
}

// markdownReader reads one Markdown file.
type markdownReader struct {
	*reader
	headings []heading // around the present block
	before   int       // entries before this file
}

type heading struct {
	level int
	text  *yaml.Node
}

// beside returns the headings around the present block: section is the nearest, sections are all but the title
// of the file.
func (m *markdownReader) beside() map[string]*yaml.Node {
	all := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, h := range m.headings {
		if h.level > 1 {
			all.Content = append(all.Content, h.text)
		}
	}
	if len(all.Content) == 0 {
		return nil
	}
	return map[string]*yaml.Node{"sections": all, "section": all.Content[len(all.Content)-1]}
}

// list reads the items of a list. Items without a link are headings of the lists in them.
func (m *markdownReader) list(list ast.Node, around []*yaml.Node) {
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		n := m.item(item)
		url := textOf(child(n, "url"))
		switch inner := innerList(item); {
		case strings.HasPrefix(url, "#"): // a table of contents
		case url != "":
			m.add(n, around, "", m.beside())
		case inner == nil:
			m.report.tell(Skipped, m.file, n, "an item of a list has no link", "%q has no link",
				textOf(child(n, "text")))
		}
		for inner := item.FirstChild(); inner != nil; inner = inner.NextSibling() {
			if inner.Kind() == ast.KindList && !strings.HasPrefix(url, "#") {
				m.list(inner, append([]*yaml.Node{n}, around...))
			}
		}
	}
}

func innerList(item ast.Node) ast.Node {
	for n := item.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindList {
			return n
		}
	}
	return nil
}

// item returns an item of a list as a mapping. The description is what follows the first link, without code
// and a list of links in brackets at its end.
func (m *markdownReader) item(item ast.Node) *yaml.Node {
	var inline []ast.Node
	for block := item.FirstChild(); block != nil && block.Kind() != ast.KindList; block = block.NextSibling() {
		for n := block.FirstChild(); n != nil; n = n.NextSibling() {
			inline = append(inline, n)
		}
	}
	n := m.cell(item, inline)
	name := textOf(child(n, "text"))
	whole := name
	if links := child(n, "links"); links != nil {
		name = textOf(child(links.Content[0], "text"))
		if before, after, found := strings.Cut(whole, name); found && name != "" {
			whole = strings.TrimLeft(after, " \u00a0-–—:•|")
			if before = strings.Trim(before, " *-–—:"); before != "" && whole == "" {
				whole = before
			}
		}
		whole = withoutEnd(whole, n)
	}
	addPair(n, "name", m.like(n, name))
	addPair(n, "description", m.like(n, whole))
	return n
}

// withoutEnd returns a description without code at its end, and without brackets that have only links.
func withoutEnd(text string, cell *yaml.Node) string {
	names := map[string]bool{}
	if links := child(cell, "links"); links != nil {
		for _, link := range links.Content {
			names[textOf(child(link, "text"))] = true
		}
	}
	if codes := child(cell, "codes"); codes != nil {
		for _, code := range slices.Backward(codes.Content) {
			text = strings.TrimRight(strings.TrimSuffix(strings.TrimSpace(text), code.Value), " `")
		}
	}
	if open := strings.LastIndex(text, "("); open >= 0 && strings.HasSuffix(text, ")") {
		only := !slices.ContainsFunc(strings.Split(text[open+1:len(text)-1], ","),
			func(s string) bool { return !names[strings.TrimSpace(s)] })
		if only {
			text = text[:open]
		}
	}
	return strings.TrimSpace(text)
}

// like returns a text at the place of another node.
func (m *markdownReader) like(n *yaml.Node, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value, Line: n.Line, Column: n.Column}
}

// cell returns inline Markdown as a mapping with text, url, links and codes.
func (m *markdownReader) cell(block ast.Node, inline []ast.Node) *yaml.Node {
	n := m.at(offsetOf(block), "")
	n.Kind, n.Tag = yaml.MappingNode, "!!map"
	var shown strings.Builder
	links := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	codes := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	add := func(text, url string) {
		link := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line, Column: n.Column}
		addPair(link, "text", m.like(n, strings.TrimSpace(text)))
		addPair(link, "url", m.like(n, url))
		links.Content = append(links.Content, link)
	}
	for _, i := range inline {
		shown.WriteString(content.ShownText(i, m.text))
		_ = ast.Walk(i, func(i ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			switch i := i.(type) {
			case *ast.Link:
				if text := content.ShownText(i, m.text); strings.TrimSpace(text) != "" { // no badge
					add(text, string(i.Destination))
				}
			case *ast.AutoLink:
				add(string(i.Label(m.text)), string(i.URL(m.text)))
			case *ast.CodeSpan:
				codes.Content = append(codes.Content, m.like(n, content.ShownText(i, m.text)))
			}
			return ast.WalkContinue, nil
		})
	}
	addPair(n, "text", m.like(n, strings.Join(strings.Fields(shown.String()), " ")))
	if len(links.Content) > 0 {
		addPair(n, "url", child(links.Content[0], "url"))
		addPair(n, "links", links)
	}
	if len(codes.Content) > 0 {
		addPair(n, "codes", codes)
	}
	return n
}

// offsetOf returns the offset of a block in the file.
func offsetOf(n ast.Node) int {
	for ; n != nil; n = n.FirstChild() {
		if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
			return n.Lines().At(0).Start
		}
		if t, ok := n.(*ast.Text); ok {
			return t.Segment.Start
		}
	}
	return 0
}

// table reads the rows of a table.
func (m *markdownReader) table(table *east.Table) {
	inlineOf := func(cell ast.Node) (list []ast.Node) {
		for n := cell.FirstChild(); n != nil; n = n.NextSibling() {
			list = append(list, n)
		}
		return list
	}
	var header []string
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []*yaml.Node
		var names []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, m.cell(cell, inlineOf(cell)))
			names = append(names, textOf(cells[len(cells)-1]))
		}
		if row.Kind() == east.KindTableHeader {
			header = columns(names)
			continue
		}
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: cells[0].Line, Column: cells[0].Column}
		filled := false
		for i, cell := range cells {
			if cell.Line == 1 { // an empty cell has no place of its own
				cell.Line, cell.Column = n.Line, n.Column
			}
			filled = filled || names[i] != ""
			addPair(n, header[i], cell)
		}
		if filled {
			m.add(n, nil, "", m.beside())
		}
	}
}
