package importer

import (
	"cmp"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"catalog.example/generator/content"
	"catalog.example/generator/yamlnode"
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
// is an entry with the keys name, url, description, links, codes and badges. A row of a table is an entry with its
// columns as keys; a cell has the keys text, url, links, codes and badges.
func (r *reader) markdown() {
	titled := false
	var above []*ast.Heading // the headings that the next block is below
	doc := lists.Parser().Parse(text.NewReader(r.text))
	for n := range children(doc) {
		switch n := n.(type) {
		case *ast.Heading:
			above = slices.DeleteFunc(above, func(h *ast.Heading) bool { return h.Level >= n.Level })
			if r.beside = nil; titled || n.Level > 1 { // the title of the file is no section
				above = append(above, n)
				r.beside = map[string]*yaml.Node{"chapter": r.heading(above[0]), "section": r.heading(n)}
			}
			titled = true
		case *ast.List:
			r.items(n, nil)
		case *east.Table:
			r.rows(n)
		}
	}
}

func (r *reader) heading(h *ast.Heading) *yaml.Node {
	return r.at(h.Pos(), content.ShownText(h, r.text))
}

// children iterates over the nodes in a node.
func children(n ast.Node) iter.Seq[ast.Node] {
	return func(yield func(ast.Node) bool) {
		for inner := n.FirstChild(); inner != nil && yield(inner); inner = inner.NextSibling() {
		}
	}
}

// items reads the items of a list. Items without a link are headings of the lists in them.
func (r *reader) items(list ast.Node, around []*yaml.Node) {
	for item := range children(list) {
		var inline, inner []ast.Node
		for block := range children(item) {
			if block.Kind() == ast.KindList {
				inner = append(inner, block)
			} else if len(inner) == 0 {
				inline = slices.AppendSeq(inline, children(block))
			}
		}
		n := r.item(inline)
		switch url := textOf(yamlnode.Child(n, "url")); {
		case strings.HasPrefix(url, "#"): // a table of contents
			continue
		case url != "":
			r.add(n, around, "")
			if isStruck(inline[0]) {
				r.entries[len(r.entries)-1].beside["struck"] = yamlnode.Scalar("yes", n)
			}
		case len(inner) == 0:
			r.report.tell(Skipped, r.file, n, "%q has no link, and only what has one becomes an entry: add its "+
				"address to the list to keep it", textOf(n))
		}
		for _, list := range inner {
			r.items(list, append([]*yaml.Node{n}, around...))
		}
	}
}

// isStruck reports whether a text begins with one that is struck through.
func isStruck(n ast.Node) bool {
	return n != nil && (n.Kind() == east.KindStrikethrough || isStruck(n.FirstChild()))
}

// marks are what stands between the name and the description of an item.
const marks = " \u00a0*–—:•|-"

// item returns an item of a list as a mapping. Its name is that of its first link, or what begins it and ends with a
// dash, a colon, a bracket or a link that shows its address. The description is the rest, without code and a list of
// links in brackets at its end.
func (r *reader) item(inline []ast.Node) *yaml.Node {
	n := r.cell(inline)
	name, description := textOf(n), textOf(n)
	if links := yamlnode.Child(n, "links"); links != nil {
		name = textOf(links.Content[0])
		before, after, _ := strings.Cut(description, name)
		before, after = strings.Trim(withoutMarks(before), marks+"("), withoutMarks(after)
		switch end := nameEnd.FindStringIndex(before); {
		case !strings.ContainsFunc(before, unicode.IsLetter):
			description = after
		case end != nil:
			_, rest, _ := strings.Cut(description, before[:end[0]])
			name, description = before[:end[0]], withoutMarks(rest)
		case name == textOf(yamlnode.Child(n, "url")):
			name, description = before, after
		case after == "":
			description = before
		}
		description = withoutEnd(description, n)
		if second := strings.Trim(description, marks+"/,&+"); len(links.Content) > 1 && second != description &&
			strings.HasPrefix(second, textOf(links.Content[1])) {
			r.report.tell(Noted, r.file, n, "%q and %q share an item of the list, which is one entry with the name of "+
				"the first", name, textOf(links.Content[1]))
		}
	}
	yamlnode.Add(n, "name", name, "description", description)
	return n
}

// beforeText matches marks and emoji before a description.
var beforeText = regexp.MustCompile(`^(?:` + emoji.String() + `|[` + marks + `])+`)

func withoutMarks(text string) string { return beforeText.ReplaceAllString(text, "") }

var nameEnd = regexp.MustCompile(` [-–—] |: | \(`)

// withoutEnd returns a description without brackets that have only links, and without code behind its last sentence.
func withoutEnd(text string, cell *yaml.Node) string {
	names := map[string]bool{}
	for _, link := range yamlnode.Spread(yamlnode.Child(cell, "links")) {
		names[textOf(link)] = true
	}
	short := text
	for _, code := range slices.Backward(yamlnode.Spread(yamlnode.Child(cell, "codes"))) {
		short = strings.TrimSpace(strings.TrimSuffix(short, code.Value))
	}
	if strings.HasSuffix(strings.TrimRight(short, ")"), ".") || strings.HasSuffix(short, ")") {
		text = short
	}
	sentence := strings.TrimSuffix(text, ".")
	if open := strings.LastIndex(sentence, "("); open >= 0 && strings.HasSuffix(sentence, ")") {
		only := !slices.ContainsFunc(strings.Split(sentence[open+1:len(sentence)-1], ","),
			func(s string) bool { return !names[strings.TrimSpace(s)] })
		if only {
			stop := text[len(sentence):]
			text = strings.TrimSpace(sentence[:open])
			if end, _ := utf8.DecodeLastRuneInString(text); unicode.IsLetter(end) || unicode.IsDigit(end) {
				text += stop
			}
		}
	}
	return strings.TrimSpace(text)
}

// withoutImages returns what readers see of a node besides images, such as badges.
func (r *reader) withoutImages(n ast.Node) string {
	if n.Kind() == ast.KindImage {
		return ""
	}
	if !n.HasChildren() {
		return content.ShownText(n, r.text)
	}
	var shown strings.Builder
	for inner := range children(n) {
		shown.WriteString(r.withoutImages(inner))
	}
	return shown.String()
}

// cell returns inline Markdown as a mapping with text, url, links, codes and badges, which are the alternative texts of
// images. These count as text only where there is no other, and links of images only where there is no other link.
func (r *reader) cell(inline []ast.Node) *yaml.Node {
	offset := 0 // of an empty cell
	if len(inline) > 0 {
		offset = inline[0].Pos()
	}
	n := yamlnode.Mapping(r.at(offset, ""))
	var shown, pictured strings.Builder
	var links, imageLinks, codes, badges []*yaml.Node
	for _, i := range inline {
		shown.WriteString(r.withoutImages(i))
		pictured.WriteString(content.ShownText(i, r.text))
		_ = ast.Walk(i, func(i ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			switch i := i.(type) {
			case *ast.Link:
				url := string(i.Destination)
				if text := strings.TrimSpace(r.withoutImages(i)); text != "" {
					links = append(links, yamlnode.Mapping(n, "text", text, "url", url))
				} else {
					text = cmp.Or(strings.TrimSpace(content.ShownText(i, r.text)), url)
					imageLinks = append(imageLinks, yamlnode.Mapping(n, "text", text, "url", url))
				}
			case *ast.AutoLink:
				text, url := string(i.Label(r.text)), string(i.URL(r.text))
				links = append(links, yamlnode.Mapping(n, "text", text, "url", url))
			case *ast.CodeSpan:
				codes = append(codes, yamlnode.Scalar(content.ShownText(i, r.text), n))
			case *ast.Image:
				badges = append(badges, yamlnode.Scalar(content.ShownText(i, r.text), n))
			}
			return ast.WalkContinue, nil
		})
	}
	yamlnode.Add(n, "text", yamlnode.Scalar(cmp.Or(oneLine(shown.String()), oneLine(pictured.String())), n))
	if len(links) == 0 {
		links = imageLinks
	}
	if len(links) > 0 {
		yamlnode.Add(n, "url", yamlnode.Child(links[0], "url"), "links", yamlnode.List(links...))
	}
	yamlnode.Add(n, "codes", yamlnode.List(codes...))
	if len(badges) > 0 {
		yamlnode.Add(n, "badges", yamlnode.List(badges...))
	}
	return n
}

// rows reads the rows of a table.
func (r *reader) rows(table *east.Table) {
	var header []string
	for row := range children(table) {
		var cells []*yaml.Node
		var texts []string
		for cell := range children(row) {
			c := r.cell(slices.Collect(children(cell)))
			cells, texts = append(cells, c), append(texts, textOf(c))
		}
		if row.Kind() == east.KindTableHeader {
			header = columns(texts)
			continue
		}
		// An empty cell has no place of its own.
		if i := slices.IndexFunc(texts, func(text string) bool { return text != "" }); i > 0 {
			cells[0].Line, cells[0].Column = cells[i].Line, cells[i].Column
		}
		r.row(header, cells)
	}
}
