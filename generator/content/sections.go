package content

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"catalog.example/api"
	"catalog.example/generator/commonmark"
	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// Section is a part of a text: a heading of the second level with the text below it, or the text
// before the first such heading. Headings in quotations and lists do not begin a section.
type Section struct {
	Heading string // visible text of the heading; "" before the first heading
	As      string // which of api.Headings it is in the owner's words; "" if it is none of these
	Offset  int    // offset of the heading in the text, in bytes; -1 before the first heading
	// HTML is the section with its heading as safe HTML. Markdown is the section for the Markdown
	// version of the page: without HTML, with absolute links, and with headings one level lower.
	HTML, Markdown string
}

// Is reports whether the section has the given heading, one of api.Headings, ignoring case, or what the owner
// writes in its place.
func (s *Section) Is(heading string) bool {
	return s.As == heading || strings.EqualFold(strings.Join(strings.Fields(s.Heading), " "), heading)
}

// setAs sets As. headings are the owner's words for api.Headings, or none.
func (s *Section) setAs(headings []string) {
	own := Section{Heading: s.Heading}
	for i, heading := range headings[:min(len(headings), len(api.Headings))] {
		if own.Is(heading) {
			s.As = api.Headings[i]
		}
	}
}

// HTML returns the text as safe HTML.
func (d *Document) HTML() string { return HTMLOf(d.Sections) }

// HTMLOf returns sections as safe HTML.
func HTMLOf(sections []Section) string {
	var out strings.Builder
	for i := range sections {
		out.WriteString(sections[i].HTML)
	}
	return out.String()
}

// MarkdownOf returns sections as safe Markdown.
func MarkdownOf(sections []Section) string {
	var list []string
	for i := range sections {
		if sections[i].Markdown != "" {
			list = append(list, sections[i].Markdown)
		}
	}
	return strings.Join(list, "\n\n")
}

// sectionsOf returns the sections of a parsed text, and the text to search. page is the address of
// the page, and headings are as for setAs. The text to search leaves out headings, addresses of
// links, and the section below api.HeadingElsewhere, because that section describes other listings.
func sectionsOf(doc ast.Node, source []byte, page string, headings []string) (
	sections []Section, prose string,
) {
	var searched strings.Builder
	for n := doc.FirstChild(); n != nil; {
		section, first := Section{Offset: -1}, n
		if heading, ok := n.(*ast.Heading); ok && heading.Level == 2 {
			section.Heading, section.Offset = ShownText(n, source), max(n.Pos(), 0)
			section.setAs(headings)
		}
		var html htmlBuffer
		for {
			_ = markdown.Renderer().Render(&html, source, n) // writing to a buffer cannot fail
			if !section.Is(api.HeadingElsewhere) {
				appendProse(&searched, n, source)
			}
			n = n.NextSibling()
			if heading, ok := n.(*ast.Heading); n == nil || ok && heading.Level == 2 {
				break
			}
		}
		section.HTML = scrollable.Replace(html.String())
		section.Markdown = commonmark.Render(first, n, source, commonmark.Options{
			Demote: 1, Address: func(address string) (string, bool) { return outgoing(page, address) },
		})
		sections = append(sections, section)
	}
	return sections, strings.TrimSpace(searched.String())
}

// htmlBuffer gets HTML from goldmark, which would put a buffer of its own before any other writer.
type htmlBuffer struct{ bytes.Buffer }

var _ util.BufWriter = (*htmlBuffer)(nil)

// Buffered implements util.BufWriter.
func (b *htmlBuffer) Buffered() int { return b.Len() }

// Flush implements util.BufWriter.
func (b *htmlBuffer) Flush() error { return nil }

// appendProse appends the visible text of a block, except headings. Each block in it becomes one
// line.
func appendProse(out *strings.Builder, n ast.Node, source []byte) {
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Heading, *ast.HTMLBlock:
			return ast.WalkSkipChildren, nil
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			if entering {
				out.Write(n.Lines().Value(source))
			}
		case *ast.Text, *ast.AutoLink:
			if entering {
				out.WriteString(textOf(n, source))
			}
		default:
			if !entering && (n.Type() == ast.TypeBlock || n.Kind() == extension.KindTableCell) &&
				n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeInline {
				out.WriteByte('\n')
			}
		}
		return ast.WalkContinue, nil
	})
}

// textOf returns the visible text of an inline node itself, without the nodes inside it.
func textOf(n ast.Node, source []byte) string {
	switch n := n.(type) {
	case *ast.Text:
		text := commonmark.Plain(n.Segment.Value(source), n.IsRaw() || n.Parent() != nil &&
			n.Parent().Kind() == ast.KindCodeSpan)
		switch {
		case n.HardLineBreak():
			text += "\n"
		case n.SoftLineBreak():
			text += " "
		}
		return text
	case *ast.AutoLink:
		return string(n.Label(source))
	}
	return ""
}

// ShownText returns the visible text of a heading or a link.
func ShownText(n ast.Node, source []byte) string {
	var out strings.Builder
	for n := range nodes(n) {
		out.WriteString(textOf(n, source))
	}
	return out.String()
}

// pageIDs lists identifiers that the templates of listings and pages use. pageIDPrefixes lists
// prefixes of such identifiers.
var pageIDs, pageIDPrefixes = []string{"main", "install", "similar", "setups", "verdict", "computer", "facets",
	"show", "below-map"},
	[]string{"computer-", "site-", "f-"}

// setHeadingIDs gives each heading an identifier for links to it, and returns all identifiers.
func setHeadingIDs(doc ast.Node, source []byte) (ids []string) {
	taken, last := map[string]bool{}, map[string]int{} // last holds the highest number used for each name
	for n := range nodes(doc) {
		if n.Kind() != ast.KindHeading {
			continue
		}
		name := headingID(ShownText(n, source))
		id := name
		for taken[id] {
			last[name]++
			id = fmt.Sprintf("%s-%d", name, last[name])
		}
		taken[id] = true
		ids = append(ids, id)
		n.SetAttributeString("id", []byte(id))
	}
	return ids
}

// headingID returns the identifier of a heading before it is made unique. It is derived from the
// text as code hosts do it: "good-fit-if" for "Good fit if".
func headingID(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(text)) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.M, r), r == '-', r == '_':
			b.WriteRune(r)
		case unicode.IsSpace(r):
			b.WriteByte('-')
		}
	}
	id := b.String()
	switch {
	case id == "":
		return "section"
	case slices.Contains(pageIDs, id),
		slices.ContainsFunc(pageIDPrefixes, func(prefix string) bool { return strings.HasPrefix(id, prefix) }):
		return "text-" + id
	}
	return id
}
