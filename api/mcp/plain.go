package mcp

import (
	"slices"
	"strings"

	"catalog.example/api/invisible"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// plain returns a text of a listing on one line, without invisible characters. Unicode
// tags, for example, can spell whole sentences that only a model reads.
func plain(s string) string {
	return strings.Join(strings.Fields(invisible.Remove(s)), " ")
}

// quoted returns a text of a listing in quotation marks that the text itself cannot close.
func quoted(s string) string {
	return "“" + strings.NewReplacer("“", "'", "”", "'").Replace(plain(s)) + "”"
}

// maxPasses is how often HTML is removed from a description. Once is enough for honest text,
// but removing a tag inside a tag can leave another tag.
const maxPasses = 4

// withoutHTML returns Markdown source without raw HTML, comments, unused link definitions
// and invisible characters. Pages do not show these, so only agents, which read the
// source, would see them.
func withoutHTML(source string) string {
	source = invisible.Remove(source)
	for pass := 0; parsingWork(source) <= maxWork; pass++ {
		hidden := hiddenSegments([]byte(source))
		if len(hidden) == 0 {
			return source
		}
		if pass == maxPasses {
			break
		}
		source = removeSegments(source, hidden)
	}
	// Deeply nested tags, or text that takes too long to parse: escape everything that
	// begins a tag or a definition.
	return strings.NewReplacer("<", "&lt;", "]:", `]\:`).Replace(source)
}

// maxWork bounds parsingWork to about 20 ms. It allows a description of 64 KiB with a link in
// each kilobyte.
const maxWork = 4 << 20

// parsingWork estimates how many characters the parser reads again because of nesting: the
// rest of the line for each quotation or list that begins in it, and the rest of the text
// for each bracket and emphasis delimiter.
func parsingWork(source string) int {
	work := (strings.Count(source, "[") + strings.Count(source, "*") + strings.Count(source, "_")) * len(source)
	for line := range strings.Lines(source) {
		content := strings.TrimLeft(line, " \t>-+*0123456789.)")
		containers := strings.Count(line[:len(line)-len(content)], " ") + strings.Count(line, ">")
		work += containers * len(line)
	}
	return work
}

// hiddenSegments returns the segments of Markdown source that pages do not show, in order:
// raw HTML, and unused link reference definitions (CommonMark 0.31, section 4.7).
func hiddenSegments(markdown []byte) (hidden []text.Segment) {
	document := goldmark.DefaultParser().Parse(text.NewReader(markdown))
	used := map[string]bool{}
	use := func(by *ast.ReferenceLink) {
		if by != nil {
			used[util.ToLinkReference(by.Value)] = true
		}
	}
	var definitions []*ast.LinkReferenceDefinition
	_ = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) { // the walker returns no error
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := node.(type) {
		case *ast.RawHTML:
			hidden = append(hidden, n.Segments.Sliced(0, n.Segments.Len())...)
		case *ast.HTMLBlock:
			hidden = append(hidden, n.Lines().Sliced(0, n.Lines().Len())...)
			if n.HasClosure() {
				hidden = append(hidden, n.ClosureLine)
			}
		case *ast.Link:
			use(n.Reference)
		case *ast.Image:
			use(n.Reference)
		case *ast.LinkReferenceDefinition:
			definitions = append(definitions, n)
		}
		return ast.WalkContinue, nil
	})
	for _, d := range definitions {
		label := util.ToLinkReference(d.Label)
		if !used[label] {
			hidden = append(hidden, d.Lines().Sliced(0, d.Lines().Len())...)
		}
		delete(used, label) // only the first definition of a label counts
	}
	slices.SortFunc(hidden, func(a, b text.Segment) int { return a.Start - b.Start })
	return hidden
}

// removeSegments returns a text without the segments, which are in order.
func removeSegments(source string, segments []text.Segment) string {
	var kept strings.Builder
	from := 0
	for _, s := range segments {
		if s.Start >= from {
			kept.WriteString(source[from:s.Start])
		}
		from = max(from, s.Stop)
	}
	kept.WriteString(source[from:])
	return kept.String()
}
