package commonmark

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// Options configures Render.
type Options struct {
	// Demote is the number of levels by which headings are lowered, so that they fit below the
	// heading above the text. No heading goes below the sixth level.
	Demote int
	// Address returns the new address of a link, and whether to keep the link. If not, Render keeps
	// only its text.
	Address func(string) (string, bool)
}

// maxDepth is the deepest nesting of lists and quotations. Anything nested more deeply is written
// at this depth.
const maxDepth = 8

// Render writes parsed blocks as Markdown, from first up to but not including end. If end is nil,
// it writes all blocks from first on. It leaves out HTML, titles of links and invisible characters.
// Images become links. The result has no line break at its end.
func Render(first, end ast.Node, source []byte, o Options) string {
	w := &writer{source: source, Options: o}
	return w.blocks(first, end, "\n\n", 0)
}

type writer struct {
	Options
	source []byte
}

// blocks writes the blocks from first up to but not including end, separated by between.
func (w *writer) blocks(first, end ast.Node, between string, depth int) string {
	var out strings.Builder
	for n := first; n != end; n = n.NextSibling() {
		text := w.block(n, depth)
		if text == "" {
			continue
		}
		if out.Len() > 0 {
			out.WriteString(between)
		}
		out.WriteString(text)
	}
	return out.String()
}

func (w *writer) block(n ast.Node, depth int) string {
	switch n := n.(type) {
	case *ast.Heading:
		if text := w.line(n); text != "" {
			return strings.Repeat("#", min(n.Level+w.Demote, 6)) + " " + text
		}
	case *ast.Paragraph, *ast.TextBlock:
		return w.line(n)
	case *ast.ThematicBreak:
		return "***"
	case *ast.CodeBlock:
		return Fence("", string(n.Lines().Value(w.source)))
	case *ast.FencedCodeBlock:
		return Fence(string(n.Language(w.source)), string(n.Lines().Value(w.source)))
	case *ast.Blockquote:
		return indented(w.blocks(n.FirstChild(), nil, "\n\n", depth+1), "> ", "> ", depth)
	case *ast.List:
		return w.list(n, depth)
	case *extension.Table:
		return w.table(n)
	case *ast.HTMLBlock:
		return ""
	default:
		return w.blocks(n.FirstChild(), nil, "\n\n", depth)
	}
	return ""
}

func (w *writer) list(l *ast.List, depth int) string {
	between := "\n"
	if !l.IsTight {
		between = "\n\n"
	}
	var items []string
	number := l.Start
	for n := l.FirstChild(); n != nil; n = n.NextSibling() {
		marker := "- "
		if l.IsOrdered() {
			marker = strconv.Itoa(number) + ". "
			number++
		}
		if text := w.blocks(n.FirstChild(), nil, between, depth+1); text != "" {
			items = append(items, indented(text, marker, strings.Repeat(" ", len(marker)), depth))
		}
	}
	return strings.Join(items, between)
}

// indented puts first before the first line of a text and others before the other lines.
func indented(text, first, others string, depth int) string {
	if text == "" || depth >= maxDepth {
		return text
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		switch {
		case out.Len() == 0:
			out.WriteString(first)
		case line == "\n":
			out.WriteString(strings.TrimRight(others, " "))
		default:
			out.WriteString(others)
		}
		out.WriteString(line)
	}
	return out.String()
}

func (w *writer) table(t *extension.Table) string {
	var out strings.Builder
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		out.WriteByte('|')
		cells := 0
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			out.WriteString(" " + strings.ReplaceAll(w.cell(cell), "|", `\|`) + " |")
			cells++
		}
		if row == t.FirstChild() {
			out.WriteString("\n|" + strings.Repeat(" --- |", cells))
		}
	}
	return out.String()
}

// line writes the inline content of a block on one line of its own.
func (w *writer) line(n ast.Node) string { return escapeStart(w.cell(n)) }

// cell writes the inline content of a node, trimmed, for use inside a line.
func (w *writer) cell(n ast.Node) string { return strings.TrimSpace(string(w.inline(nil, n))) }

// inline appends the inline content of a node to dst.
func (w *writer) inline(dst []byte, parent ast.Node) []byte {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			dst = appendText(dst, Plain(n.Segment.Value(w.source), n.IsRaw()))
			if n.SoftLineBreak() || n.HardLineBreak() {
				dst = appendSpace(dst)
			}
		case *ast.String:
			dst = appendText(dst, Plain(n.Value, n.IsRaw() || n.IsCode()))
		case *ast.CodeSpan:
			dst = append(dst, Code(w.raw(n))...)
		case *ast.Emphasis:
			dst = w.marked(dst, n, strings.Repeat("*", n.Level))
		case *extension.Strikethrough:
			dst = w.marked(dst, n, "~~")
		case *ast.Link:
			dst = w.linked(dst, n, w.cell(n), n.Destination)
		case *ast.Image:
			dst = w.linked(dst, n, w.cell(n), n.Destination)
		case *ast.AutoLink:
			address := string(n.URL(w.source))
			if n.AutoLinkType == ast.AutoLinkEmail {
				address = "mailto:" + strings.TrimPrefix(address, "mailto:")
			}
			dst = w.linked(dst, n, Text(string(n.Label(w.source))), []byte(address))
		case *ast.RawHTML:
		default:
			dst = w.inline(dst, n)
		}
	}
	return dst
}

// escape matches a character with a backslash before it, or a character reference (CommonMark 0.31,
// sections 2.4 and 2.5).
var escape = regexp.MustCompile("\\\\[!-/:-@\\[-`{-~]|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]*);")

// Plain returns the text that a Markdown source represents. It resolves escapes and entities,
// unless the source is raw, as code is. It resolves each of them only once, because the result may
// look like another escape.
func Plain(source []byte, raw bool) string {
	if raw || bytes.IndexByte(source, '\\') < 0 && bytes.IndexByte(source, '&') < 0 {
		return string(source)
	}
	return string(escape.ReplaceAllFunc(source, func(one []byte) []byte {
		if one[0] == '\\' {
			return one[1:]
		}
		if one[1] == '#' {
			return util.ResolveNumericReferences(one)
		}
		return util.ResolveEntityNames(one)
	}))
}

// raw returns the text of a code span.
func (w *writer) raw(n ast.Node) string {
	var out strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			out.Write(t.Segment.Value(w.source))
			if t.SoftLineBreak() {
				out.WriteByte(' ')
			}
		}
	}
	return out.String()
}

// marked appends the content of a node between two delimiters. It moves white space at the ends of
// the content outside the delimiters, because otherwise they would not be markup.
func (w *writer) marked(dst []byte, n ast.Node, mark string) []byte {
	text := string(w.inline(nil, n))
	inner := strings.TrimSpace(text)
	if inner == "" {
		return appendSpace(dst)
	}
	if text[0] == ' ' {
		dst = appendSpace(dst)
	}
	dst = append(append(append(dst, mark...), inner...), mark...)
	if text[len(text)-1] == ' ' {
		dst = append(dst, ' ')
	}
	return dst
}

// linked appends a link with the given Markdown as its text. It appends only the text if the
// address is not allowed or the node is inside another link.
func (w *writer) linked(dst []byte, n ast.Node, text string, address []byte) []byte {
	if text == "" {
		return dst
	}
	target, ok := w.Address(string(util.URLEscape(address, true)))
	if !ok || InLink(n) {
		return append(dst, text...)
	}
	if last := len(dst) - 1; last >= 0 && dst[last] == '!' { // "!" before a link would make it an image
		dst = append(dst[:last], `\!`...)
	}
	return append(dst, "["+text+"]("+Address(target)+")"...)
}

// InLink reports whether a node is inside the text of a link, or of an image, which becomes a link.
func InLink(n ast.Node) bool {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if k := p.Kind(); k == ast.KindLink || k == ast.KindImage {
			return true
		}
	}
	return false
}
