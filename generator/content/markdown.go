package content

import (
	"bytes"
	"net/url"
	"regexp"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/commonmark"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown renders CommonMark with tables, strikethrough and bare links. Raw
// HTML and links of dangerous schemes are left out, as goldmark does unless it
// is told otherwise; no renderer option here tells it.
var markdown = goldmark.New(
	// The pages' Content-Security-Policy (contract 7) forbids style attributes, by
	// which the table extension would align cells.
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		extension.Strikethrough, extension.Linkify),
	goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(listingLinks{}, 100))),
)

// bodyLink is a link from a listing's text to another listing.
type bodyLink struct {
	slug string
	line int // within the body, from 1
}

type renderedBody struct {
	html     string
	markdown string // safe to put below a heading of the second level
	absolute string // the source, with links that lead to listings from anywhere
	links    []bodyLink
	pieces   Pieces
	depth    int // how deep quotes and lists are nested
	deepest  int // line of the text where they are
}

// below returns the links with their lines in the file on whose line first the
// text begins.
func (b renderedBody) below(first int) []bodyLink {
	for i := range b.links {
		b.links[i].line += first - 1
	}
	return b.links
}

// Keys of what the transformer reads and writes while one text is parsed.
var (
	basePathKey = parser.NewContextKey()
	linksKey    = parser.NewContextKey()
)

// renderMarkdown renders a text of the page at a path below the base address, as
// HTML and as Markdown. Links to <slug>.md, which work where the content folder is
// browsed, become links to the listing's page.
func renderMarkdown(source []byte, path string, s *api.Settings) renderedBody {
	ctx := parser.NewContext()
	ctx.Set(basePathKey, s.BasePath())
	doc := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(ctx))
	var out bytes.Buffer
	// Writing to a buffer cannot fail.
	_ = markdown.Renderer().Render(&out, source, doc)
	links, _ := ctx.Get(linksKey).([]bodyLink)
	page := s.URL(path)
	again := commonmark.Render(doc, source, commonmark.Options{
		Demote: 1, Address: func(address string) (string, bool) { return outgoing(page, address) },
	})
	pieces, code := piecesOf(doc, source)
	depth, deepest := nesting(doc, source)
	return renderedBody{scrollable.Replace(out.String()), again, absoluteLinks(string(source), code, s), links, pieces, depth, deepest}
}

// outgoing returns the absolute address of a link on a page, and whether it is
// one that people may be sent to: scripts and data are not.
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

// scrollable makes what may be wider than a page scroll by itself, and lets the
// keyboard reach it to scroll it (WCAG 2.2, 2.1.1). Text cannot be taken for these
// elements: its angle brackets are escaped.
// Cells are aligned by a class: HTML has no attribute for it any more, and the
// policy forbids styles.
var scrollable = strings.NewReplacer("<pre>", `<pre tabindex="0">`, "<table>", `<figure class="wide" tabindex="0"><table>`, "</table>", "</table></figure>",
	`<th align="`, `<th class="`, `<td align="`, `<td class="`)

// listingLinks is the AST transformer that turns links to listings' files into
// links to their pages.
type listingLinks struct{}

// listingFile is a link to a listing's file beside it, or to a part of it.
var listingFile = regexp.MustCompile(`^(?:\./|\.\./projects/)?([a-z0-9-]+)\.md(#.*)?$`)

// Transform implements parser.ASTTransformer.
func (listingLinks) Transform(doc *ast.Document, reader text.Reader, ctx parser.Context) {
	base, _ := ctx.Get(basePathKey).(string)
	var links []bodyLink
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		link, ok := n.(*ast.Link)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		if m := listingFile.FindSubmatch(link.Destination); m != nil {
			links = append(links, bodyLink{string(m[1]), lineOf(link, reader.Source())})
			link.Destination = []byte(base + "/projects/" + string(m[1]) + "/" + string(m[2]))
		}
		return ast.WalkContinue, nil
	})
	ctx.Set(linksKey, links)
}

// Pieces are what of a Markdown text needs a second look, each in order.
type Pieces struct {
	// Links are the links and images, wherever they lead.
	Links []NamedLink
	// HTML is raw HTML; Unused are link reference definitions (CommonMark 0.31,
	// section 4.7) that no link uses. Pages show neither.
	HTML, Unused []Passage
	// Headings are those of the second level, outside of quotations and lists.
	Headings []Passage
	// Info is what follows the language behind the fence of a block of code.
	Info []Passage
}

// NamedLink is a link or an image of a text.
type NamedLink struct {
	// Text is what readers see of it; "" for a bare address.
	Text   string
	URL    string
	Image  bool
	Offset int // in the text, in bytes
}

// Passage is a part of a Markdown text.
type Passage struct {
	Text   string
	Offset int // in the text, in bytes
}

// piecesOf returns the pieces of a text that was parsed, with its code: spans and
// the lines of blocks.
func piecesOf(doc ast.Node, body []byte) (p Pieces, code []text.Segment) {
	used := map[string]bool{}
	add := func(n ast.Node, shown string, address []byte, by *ast.ReferenceLink) {
		p.Links = append(p.Links, NamedLink{shown, string(address), n.Kind() == ast.KindImage, max(n.Pos(), 0)})
		if by != nil {
			used[util.ToLinkReference(by.Value)] = true
		}
	}
	var definitions []*ast.LinkReferenceDefinition
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 2 && n.Parent() == doc {
				p.Headings = append(p.Headings, Passage{shownText(n, body), max(n.Pos(), 0)})
			}
		case *ast.Link:
			add(n, shownText(n, body), n.Destination, n.Reference)
		case *ast.Image:
			add(n, shownText(n, body), n.Destination, n.Reference)
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
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					code = append(code, t.Segment)
				}
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			code = append(code, n.Lines().Sliced(0, n.Lines().Len())...)
			if fenced, ok := n.(*ast.FencedCodeBlock); ok && fenced.Info != nil {
				info := fenced.Info.Segment
				if _, rest, found := strings.Cut(string(info.Value(body)), " "); found && strings.TrimSpace(rest) != "" {
					p.Info = append(p.Info, Passage{strings.TrimSpace(rest), info.Stop - len(rest)})
				}
			}
		case *ast.LinkReferenceDefinition:
			definitions = append(definitions, n)
		}
		return ast.WalkContinue, nil
	})
	for _, d := range definitions {
		label := util.ToLinkReference(d.Label)
		if !used[label] {
			p.Unused = append(p.Unused, Passage{string(d.Lines().Value(body)), d.Pos()})
		}
		delete(used, label) // the first of a label counts
	}
	return p, code
}

// shownText is what readers see of a link.
func shownText(n ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			out.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

// lineOf returns the line on which the block around an inline node begins, or
// the line of the node's own text where it has some.
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

// linkInSource is a link to a listing's file in Markdown source: [text](to.md),
// where <> may stand around the address and a title behind it, or [label]: to.md
// at the begin of a line. A link's text ends with the bracket.
var linkInSource = regexp.MustCompile(`(?m)(\]\([ \t]*<?|^ {0,3}\[[^\]\n]+\]:[ \t]*<?)(?:\./|\.\./projects/)?([a-z0-9-]+)\.md(#[^\s<>()]*)?(>?(?:[ \t]|\)|$))`)

// absoluteLinks makes the links to listings in Markdown source lead to their
// pages from anywhere. Code, whose places are given in order, stays as it is.
func absoluteLinks(source string, code []text.Segment, s *api.Settings) string {
	if !strings.Contains(source, ".md") {
		return source
	}
	to := "${1}" + strings.ReplaceAll(s.URL("/projects/"), "$", "$$") + "$2/$3$4"
	var b strings.Builder
	at := 0
	for _, c := range append(code, text.NewSegment(len(source), len(source))) {
		for line := range strings.Lines(source[at:c.Start]) {
			// The expression is slow on long texts, and most lines link to no listing.
			if strings.Contains(line, ".md") {
				line = linkInSource.ReplaceAllString(line, to)
			}
			b.WriteString(line)
		}
		b.WriteString(source[c.Start:c.Stop])
		at = c.Stop
	}
	return b.String()
}
