package mcp

import (
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// plain returns a text of a listing on one line, without characters that nobody
// sees: controls, and the formatting characters (Unicode category Cf) that hide
// text or turn its direction, tags among them, with which whole sentences can be
// written that only a model reads.
func plain(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), hides(r):
			return -1
		}
		return r
	}, s)), " ")
}

// joiners are the formatting characters without which words of some scripts, and
// joined emoji, are spelt wrong.
var joiners = []rune{0x200C, 0x200D}

func hides(r rune) bool { return unicode.Is(unicode.Cf, r) && !slices.Contains(joiners, r) }

// quoted puts a text of a listing into quotation marks that it cannot close.
func quoted(s string) string {
	return "“" + strings.NewReplacer("“", "'", "”", "'").Replace(plain(s)) + "”"
}

// maxPasses is how often HTML is cut out of a description: once is enough for what
// was written in good faith; a tag around a tag leaves another.
const maxPasses = 4

// withoutHTML returns Markdown source without raw HTML, comments and invisible
// characters, as pages are without them: agents read the source, where a comment
// would be seen by them alone.
func withoutHTML(source string) string {
	source = strings.Map(func(r rune) rune {
		if hides(r) || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, source)
	for range maxPasses {
		raw := rawHTML([]byte(source))
		if len(raw) == 0 {
			return source
		}
		source = cut(source, raw)
	}
	if len(rawHTML([]byte(source))) == 0 {
		return source
	}
	return strings.ReplaceAll(source, "<", "&lt;") // tags in tags in tags: nothing begins one
}

// rawHTML returns where in Markdown source HTML stands, in order.
func rawHTML(markdown []byte) (raw []text.Segment) {
	document := goldmark.DefaultParser().Parse(text.NewReader(markdown))
	_ = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) { // the walker returns no error
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := node.(type) {
		case *ast.RawHTML:
			raw = append(raw, n.Segments.Sliced(0, n.Segments.Len())...)
		case *ast.HTMLBlock:
			raw = append(raw, n.Lines().Sliced(0, n.Lines().Len())...)
			if n.HasClosure() {
				raw = append(raw, n.ClosureLine)
			}
		}
		return ast.WalkContinue, nil
	})
	slices.SortFunc(raw, func(a, b text.Segment) int { return a.Start - b.Start })
	return raw
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
