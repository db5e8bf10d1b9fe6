package content

import (
	"bytes"
	"iter"
	"net/url"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown renders CommonMark with tables, strikethrough and bare links. It leaves out raw HTML and
// links with dangerous schemes, which is goldmark's default. An email address is a link only in
// angle brackets, because texts such as ai@7.0.77 and git@code.example:a/b are not email addresses.
var markdown = goldmark.New(
	// By default, the table extension aligns cells with style attributes, which the
	// Content-Security-Policy of pages forbids.
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		extension.Strikethrough, extension.NewLinkify(extension.WithLinkifyEmailRegexp(regexp.MustCompile(`$^`)))),
)

type renderedBody struct {
	Rendered
	prose    string
	absolute string // the source with absolute links to pages of the site
	depth    int    // depth of nested quotes and lists
	deepest  int    // line of the text with the deepest nesting
	pictures []imageProblem
}

// renderMarkdown renders the text of a page as HTML and as Markdown. Links to files of the content
// folder, which work on code hosts, become links to the pages of these files. first is the line of
// the file on which the text begins.
func renderMarkdown(source []byte, p place, first int) renderedBody {
	doc := markdown.Parser().Parse(text.NewReader(source))
	var b renderedBody
	b.IDs, b.Parts = setHeadingIDs(doc, source), findParts(doc, source)
	shown, wrong := p.showPictures(doc, source)
	b.pictures = wrong
	for _, offset := range shown {
		for i := range b.Parts.Links {
			if l := &b.Parts.Links[i]; l.Offset == offset {
				l.Image = false
			}
		}
	}
	b.Links, b.absolute = turnLinks(doc, source, linkImages(doc, source, shown), p)
	for i := range b.Links {
		b.Links[i].Line += first - 1
	}
	b.Sections, b.prose = sectionsOf(doc, source, p.settings.URL("/"+p.path), p.headings)
	b.depth, b.deepest = nesting(doc, source)
	return b
}

// nodes returns all nodes of a tree, each before its descendants.
func nodes(root ast.Node) iter.Seq[ast.Node] {
	return func(yield func(ast.Node) bool) {
		_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering && !yield(n) {
				return ast.WalkStop, nil
			}
			return ast.WalkContinue, nil
		})
	}
}

// outgoing returns the absolute address of a link on a page, and whether the link is safe. Schemes
// such as javascript: and data: are not safe.
func outgoing(page, address string) (string, bool) {
	if strings.HasPrefix(address, "https://") {
		return address, true
	}
	from, err := url.Parse(page)
	if err != nil {
		return "", false
	}
	to, err := from.Parse(address)
	if err != nil {
		return "", false
	}
	switch to.Scheme {
	case "https", "http", "mailto":
		return to.String(), true
	}
	return "", false
}

// scrollable makes tables and code blocks scroll on their own, also by keyboard (WCAG 2.2, 2.1.1).
// It never matches text, in which angle brackets are escaped. It aligns cells with a class, because
// HTML has no other attribute for that and the Content-Security-Policy forbids style attributes.
var scrollable = strings.NewReplacer("<pre>", `<pre tabindex="0">`, "<table>",
	`<figure class="wide" tabindex="0"><table>`, "</table>", "</table></figure>",
	`<th align="`, `<th class="`, `<td align="`, `<td class="`)

// Parts holds the parts of a Markdown text that rules check. Each list is in the order of the text.
type Parts struct {
	// Links lists all links and images.
	Links []NamedLink
	// HTML lists raw HTML. Unused lists link reference definitions that no link uses (CommonMark
	// 0.31, section 4.7). Pages show neither.
	HTML, Unused []Passage
	// Misplaced lists headings of the first level, because the page already has one, and headings
	// that skip a level. Unnamed lists the addresses of links without a text.
	Misplaced, Unnamed []Passage
	// Info lists the texts that follow the language of a code block.
	Info []Passage
}

// NamedLink is a link or an image.
type NamedLink struct {
	// Text is the visible text; "" for a bare address.
	Text   string
	URL    string
	Image  bool // an image that the page does not show
	Offset int  // offset in the text, in bytes
}

// Passage is a part of a Markdown text.
type Passage struct {
	Text   string
	Offset int // offset in the text, in bytes
}

// findParts returns the parts of a parsed text.
func findParts(doc ast.Node, body []byte) (p Parts) {
	used := map[string]bool{}
	level := 1 // of the last heading; the page itself has a heading of level 1
	add := func(n ast.Node, shown string, address []byte, by *ast.ReferenceLink) {
		p.Links = append(p.Links, NamedLink{shown, string(address), n.Kind() == ast.KindImage, max(n.Pos(), 0)})
		if by != nil {
			used[util.ToLinkReference(by.Value)] = true
		}
	}
	var definitions []*ast.LinkReferenceDefinition
	for n := range nodes(doc) {
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 1 || n.Level > level+1 {
				p.Misplaced = append(p.Misplaced, Passage{ShownText(n, body), max(n.Pos(), 0)})
			}
			level = n.Level
		case *ast.Link:
			if strings.TrimSpace(ShownText(n, body)) == "" {
				p.Unnamed = append(p.Unnamed, Passage{string(n.Destination), max(n.Pos(), 0)})
			}
			add(n, ShownText(n, body), n.Destination, n.Reference)
		case *ast.Image:
			add(n, ShownText(n, body), n.Destination, n.Reference)
		case *ast.AutoLink:
			add(n, "", n.URL(body), nil)
		case *ast.RawHTML:
			p.HTML = append(p.HTML, Passage{string(n.Segments.Value(body)), n.Pos()})
		case *ast.HTMLBlock:
			all := n.Lines().Value(body)
			if n.HasClosure() {
				all = append(all, n.ClosureLine.Value(body)...)
			}
			p.HTML = append(p.HTML, Passage{string(all), n.Pos()})
		case *ast.FencedCodeBlock:
			if n.Info != nil {
				info := n.Info.Segment
				if _, rest, found := strings.Cut(string(info.Value(body)), " "); found &&
					strings.TrimSpace(rest) != "" {
					p.Info = append(p.Info, Passage{strings.TrimSpace(rest), info.Stop - len(rest)})
				}
			}
		case *ast.LinkReferenceDefinition:
			definitions = append(definitions, n)
		}
	}
	for _, d := range definitions {
		label := util.ToLinkReference(d.Label)
		if !used[label] {
			p.Unused = append(p.Unused, Passage{string(d.Lines().Value(body)), d.Pos()})
		}
		delete(used, label) // only the first definition of a label counts
	}
	return p
}

// lineOf returns the line on which a node's text begins. For a node without text, it returns the
// first line of the block around it.
func lineOf(n ast.Node, source []byte) int {
	for child := n.FirstChild(); child != nil; child = child.FirstChild() {
		if t, ok := child.(*ast.Text); ok {
			return 1 + bytes.Count(source[:t.Segment.Start], []byte("\n"))
		}
	}
	for ; n != nil; n = n.Parent() {
		if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
			return 1 + bytes.Count(source[:n.Lines().At(0).Start], []byte("\n"))
		}
	}
	return 1
}
