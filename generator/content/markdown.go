package content

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"catalog.example/api/site"
	"catalog.example/generator/commonmark"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown renders CommonMark with tables, strikethrough and bare links. It leaves out raw
// HTML and links with dangerous schemes, as goldmark does by default.
var markdown = goldmark.New(
	// The Content-Security-Policy of pages (contract 7) forbids style attributes, with which
	// the table extension aligns cells by default.
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		extension.Strikethrough, extension.Linkify),
	goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(listingLinks{}, 100))),
)

// bodyLink is a link from a listing's text to another listing.
type bodyLink struct {
	Slug string
	Line int // within the body, from 1
}

type renderedBody struct {
	html     string
	markdown string // safe to put below a heading of the second level
	absolute string // the source, with links that lead to listings from anywhere
	links    []bodyLink
	parts    Parts
	depth    int // how deep quotes and lists are nested
	deepest  int // line of the text where they are
}

// linksInFile returns the links with line numbers of the file. first is the line of the file on
// which the text begins.
func (b renderedBody) linksInFile(first int) []bodyLink {
	for i := range b.links {
		b.links[i].Line += first - 1
	}
	return b.links
}

// Keys of the values that the transformer reads and writes.
var (
	settingsKey = parser.NewContextKey()
	linksKey    = parser.NewContextKey()
	absoluteKey = parser.NewContextKey()
)

// renderMarkdown renders the text of the page at a path, as HTML and as Markdown. Links to
// <slug>.md, which work in the content folder, become links to the listing's page.
func renderMarkdown(source []byte, path string, s *site.Settings) renderedBody {
	ctx := parser.NewContext()
	ctx.Set(settingsKey, s)
	doc := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(ctx))
	var out bytes.Buffer
	// Writing to a buffer cannot fail.
	_ = markdown.Renderer().Render(&out, source, doc)
	links, _ := ctx.Get(linksKey).([]bodyLink)
	absolute, _ := ctx.Get(absoluteKey).(string)
	page := s.URL(path)
	again := commonmark.Render(doc, source, commonmark.Options{
		Demote: 1, Address: func(address string) (string, bool) { return outgoing(page, address) },
	})
	parts := findParts(doc, source)
	depth, deepest := nesting(doc, source)
	return renderedBody{scrollable.Replace(out.String()), again, absolute, links, parts, depth, deepest}
}

// outgoing returns the absolute address of a link on a page, and whether it is safe: javascript:
// and data: are not.
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

// scrollable makes tables and code blocks scroll by themselves, also by keyboard (WCAG 2.2,
// 2.1.1). Text cannot match, because its angle brackets are escaped. Cells are aligned by a
// class, because HTML has no attribute for it and the policy forbids styles.
var scrollable = strings.NewReplacer("<pre>", `<pre tabindex="0">`, "<table>", `<figure class="wide" tabindex="0"><table>`, "</table>", "</table></figure>",
	`<th align="`, `<th class="`, `<td align="`, `<td class="`)

// listingLinks is an AST transformer that replaces links to listings' files with links to
// their pages, and with absolute addresses in the source.
type listingLinks struct{}

// listingFile matches a link to a listing's file, with an optional fragment.
var listingFile = regexp.MustCompile(`^(?:\./|\.\./projects/)?([a-z0-9-]+)\.md(#.*)?$`)

// Transform implements parser.ASTTransformer.
func (listingLinks) Transform(doc *ast.Document, reader text.Reader, ctx parser.Context) {
	s, _ := ctx.Get(settingsKey).(*site.Settings)
	source := reader.Source()
	var links []bodyLink
	type edit struct {
		start, stop int
		address     string
	}
	var edits []edit
	// found replaces the address after a position in the source if it leads to a listing, and
	// returns the listing and the path of its page.
	found := func(address []byte, from int) (slug, page string, ok bool) {
		m := listingFile.FindSubmatch(address)
		if m == nil {
			return "", "", false
		}
		page = "/projects/" + string(m[1]) + "/"
		if at := indexOfAddress(address, source, from); at >= 0 {
			edits = append(edits, edit{at, at + len(address), s.URL(page) + string(m[2])})
		}
		return string(m[1]), s.BasePath() + page + string(m[2]), true
	}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			if slug, page, ok := found(n.Destination, endOfText(n)); ok {
				links = append(links, bodyLink{slug, lineOf(n, source)})
				n.Destination = []byte(page)
			}
		case *ast.LinkReferenceDefinition:
			from := max(n.Pos(), 0)
			found(n.Destination, from+max(bytes.Index(source[from:], []byte("]:")), 0))
		}
		return ast.WalkContinue, nil
	})
	slices.SortFunc(edits, func(a, b edit) int { return a.start - b.start })
	var absolute strings.Builder
	at := 0
	for _, e := range edits {
		absolute.Write(source[at:e.start])
		absolute.WriteString(e.address)
		at = e.stop
	}
	absolute.Write(source[at:])
	ctx.Set(linksKey, links)
	ctx.Set(absoluteKey, absolute.String())
}

// Parts are the parts of a Markdown text that rules check, each in order.
type Parts struct {
	// Links are all links and images.
	Links []NamedLink
	// HTML is raw HTML. Unused are unused link reference definitions (CommonMark 0.31,
	// section 4.7). Pages show neither.
	HTML, Unused []Passage
	// Headings are the h2 headings outside of quotations and lists.
	Headings []Passage
	// Misplaced are headings of the first level, which the page has already, and headings that
	// skip a level. Unnamed are the addresses of links without a text.
	Misplaced, Unnamed []Passage
	// Info is the text after the language of a code block.
	Info []Passage
}

// NamedLink is a link or an image.
type NamedLink struct {
	// Text is its visible text; "" for a bare address.
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

// findParts returns the parts of a parsed text.
func findParts(doc ast.Node, body []byte) (p Parts) {
	used := map[string]bool{}
	level := 1 // of the last heading; the page begins with one
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
			if n.Level == 1 || n.Level > level+1 {
				p.Misplaced = append(p.Misplaced, Passage{shownText(n, body), max(n.Pos(), 0)})
			}
			level = n.Level
		case *ast.Link:
			if strings.TrimSpace(shownText(n, body)) == "" && n.FirstChild() == n.LastChild() && (n.FirstChild() == nil || n.FirstChild().Kind() != ast.KindImage) {
				p.Unnamed = append(p.Unnamed, Passage{string(n.Destination), max(n.Pos(), 0)})
			}
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
		case *ast.FencedCodeBlock:
			if n.Info != nil {
				info := n.Info.Segment
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
		delete(used, label) // the first definition of a label counts
	}
	return p
}

// shownText returns the visible text of a link.
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

// lineOf returns the line of a node's text, or the first line of the block around it.
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

// addressBegins matches the characters between the text of a link, or the label of a
// definition, and the address.
var addressBegins = regexp.MustCompile("^[`*_~]*\\](?:\\(|:)\\s*<?$")

// indexOfAddress returns the position of an address in the source after a position, or -1 if it is
// written with escapes.
func indexOfAddress(address, source []byte, from int) int {
	at := bytes.Index(source[from:], address)
	if at < 0 || !addressBegins.Match(source[from:from+at]) {
		return -1
	}
	return from + at
}

// endOfText returns the end of the last text in a node, or the beginning of the node.
func endOfText(n ast.Node) int {
	end := max(n.Pos(), 0) + 1
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			end = t.Segment.Stop
		}
		return ast.WalkContinue, nil
	})
	return end
}
