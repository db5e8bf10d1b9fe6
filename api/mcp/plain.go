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

// plain returns a text of a listing on one line, without characters that nobody
// sees: with tags, say, whole sentences can be written that only a model reads.
func plain(s string) string {
	return strings.Join(strings.Fields(invisible.Remove(s)), " ")
}

// quoted puts a text of a listing into quotation marks that it cannot close.
func quoted(s string) string {
	return "“" + strings.NewReplacer("“", "'", "”", "'").Replace(plain(s)) + "”"
}

// maxPasses is how often HTML is cut out of a description: once is enough for what
// was written in good faith; a tag around a tag leaves another.
const maxPasses = 4

// withoutHTML returns Markdown source without raw HTML, comments, definitions of
// links that no link uses and invisible characters, as pages are without them:
// agents read the source, where a comment would be seen by them alone.
func withoutHTML(source string) string {
	source = invisible.Remove(source)
	for pass := 0; parsingWork(source) <= maxWork; pass++ {
		hidden := unshown([]byte(source))
		if len(hidden) == 0 {
			return source
		}
		if pass == maxPasses {
			break
		}
		source = cut(source, hidden)
	}
	// Tags in tags in tags, or what is too dear to parse: nothing begins a tag or a
	// definition.
	return strings.NewReplacer("<", "&lt;", "]:", `]\:`).Replace(source)
}

// maxWork bounds parsingWork: some 20 ms. A description of 64 KiB may have a link in
// each kilobyte.
const maxWork = 4 << 20

// parsingWork is about how many characters the parser looks at again because of
// nesting, beside once each: the rest of its line for every quotation or list that
// begins in a line, and the rest of the text for every bracket and every mark of emphasis.
func parsingWork(source string) int {
	work := (strings.Count(source, "[") + strings.Count(source, "*") + strings.Count(source, "_")) * len(source)
	for line := range strings.Lines(source) {
		content := strings.TrimLeft(line, " \t>-+*0123456789.)")
		containers := strings.Count(line[:len(line)-len(content)], " ") + strings.Count(line, ">")
		work += containers * len(line)
	}
	return work
}

// unshown returns where in Markdown source stands what pages do not show, in order:
// raw HTML, and link reference definitions (CommonMark 0.31, section 4.7) that no
// link uses.
func unshown(markdown []byte) (hidden []text.Segment) {
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
		delete(used, label) // the first of a label counts
	}
	slices.SortFunc(hidden, func(a, b text.Segment) int { return a.Start - b.Start })
	return hidden
}

// cut returns a text without segments of it, which are in order.
func cut(source string, segments []text.Segment) string {
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
