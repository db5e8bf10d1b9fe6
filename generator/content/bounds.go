package content

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"catalog.example/generator/rule"
	"github.com/yuin/goldmark/ast"
)

// bounds limit the time it takes to render a Markdown text. The parser's time grows with the square
// of some of these numbers. Its memory grows with the cells of tables, because it adds missing
// cells. Texts of listings have tighter bounds, because the MCP server parses them again for each
// call.
type bounds struct {
	size    int // bytes
	lines   int
	nesting int // depth of nested quotes and lists
	cells   int // in one table, including missing ones
	markers int // markers of quotes and list items
	open    int // "["
	links   int // "](", "][" and "]:"
	marks   int // "*", "_" and "~"
	angles  int // "<"
	word    int // characters without a space between them
}

// MaxBody is the maximum length of the text of a listing, in bytes: ten times the length of a text of
// rule.MaxWords words.
const MaxBody = 16 << 10

var (
	listingBounds = bounds{size: MaxBody, lines: 1000, nesting: 16, cells: 1000, markers: 2000, open: 300, links: 100,
		marks: 1000, angles: 200, word: 1000}
	pageBounds = bounds{size: maxPage, lines: 10_000, nesting: 16, cells: 10_000, markers: 20_000, open: 6000,
		links: 2000, marks: 10_000, angles: 2000, word: 2000}
)

// check returns a finding for each bound that a text exceeds, with the line. A text within all
// bounds is safe to parse.
func (b bounds) check(file string, parts split) []Finding {
	var findings []Finding
	fail := func(line, column int, format string, args ...any) {
		findings = append(findings, Finding{file, parts.bodyLine + line, column, rule.Bounds,
			"the text " + fmt.Sprintf(format, args...)})
	}
	if n := len(parts.body); n > b.size {
		fail(0, 1, "has %d bytes: at most %d are allowed", n, b.size)
	}
	counts := []struct {
		what    string
		allowed int
		count   func(line string) int
		sum     int
	}{
		{"lines", b.lines, func(string) int { return 1 }, 0},
		{"quotes and list items", b.markers, func(line string) int { return markers(line, b.nesting+1) }, 0},
		{"[", b.open, func(line string) int { return strings.Count(line, "[") }, 0},
		{"links and link definitions", b.links, func(line string) int {
			return strings.Count(line, "](") + strings.Count(line, "][") + strings.Count(line, "]:")
		}, 0},
		{"*, _ and ~", b.marks, func(line string) int {
			return strings.Count(line, "*") + strings.Count(line, "_") + strings.Count(line, "~")
		}, 0},
		{"<", b.angles, func(line string) int { return strings.Count(line, "<") }, 0},
	}
	lines := strings.Split(string(parts.body), "\n")
	wide := false // whether a table is too large
	for i, line := range lines {
		for j := range counts {
			c := &counts[j]
			before := c.sum
			if c.sum += c.count(line); c.sum > c.allowed && before <= c.allowed {
				fail(i, 1, "has too many %s: at most %d are allowed", c.what, c.allowed)
			}
		}
		if markers(line, b.nesting+1) > b.nesting {
			fail(i, 1, tooDeep, b.nesting)
		}
		if column, length := longestWord(line); length > b.word {
			fail(i, column, "has a word of %d characters: at most %d are allowed", length, b.word)
		}
		if columns := tableColumns(line); columns > 0 && !wide {
			rows := 2 // the header row and the delimiter row
			for _, row := range lines[i+1:] {
				if strings.Trim(row, " \t\r>") == "" || rows*columns > b.cells {
					break
				}
				rows++
			}
			if wide = rows*columns > b.cells; wide {
				fail(i, 1, "has a table of %d columns with more than %d cells: make it smaller", columns, b.cells)
			}
		}
	}
	return findings
}

// marker matches the marker that begins a quote or list item (CommonMark 0.31, section 5).
var marker = regexp.MustCompile(`^[ \t]*(?:>|(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t]|$))`)

// markers returns how many quotes and list items begin in a line. It stops counting when it reaches
// most.
func markers(line string, most int) int {
	line = strings.TrimRight(line, "\r")
	for n := range most {
		at := marker.FindStringIndex(line)
		if at == nil {
			return n
		}
		line = line[at[1]:]
	}
	return most
}

const tooDeep = "nests quotes and lists more than %d levels deep: use fewer levels"

func longestWord(line string) (column, length int) {
	start := 0
	for i := 0; i <= len(line); i++ {
		if i < len(line) && line[i] != ' ' && line[i] != '\t' && line[i] != '\r' {
			continue
		}
		if n := utf8.RuneCountInString(line[start:i]); n > length {
			column, length = utf8.RuneCountInString(line[:start])+1, n
		}
		start = i + 1
	}
	return column, length
}

// delimiter matches the delimiter row of a table (GitHub Flavored Markdown, section 4.10),
// also in quotes and lists.
var delimiter = regexp.MustCompile(`^[ \t>*+0-9.)]*[-:|][-:| \t]*\r?$`)

// tableColumns returns the number of columns of a delimiter row, or 0 for other lines.
func tableColumns(line string) int {
	if !strings.Contains(line, "-") || !strings.ContainsAny(line, "|:") || !delimiter.MatchString(line) {
		return 0
	}
	inner := strings.TrimPrefix(strings.TrimSuffix(strings.Trim(line, " \t\r>"), "|"), "|")
	return strings.Count(inner, "|") + 1
}

// tooDeep returns a finding if the quotes and lists of a text are nested too deeply. first is the
// line of the file on which the text begins.
func (b renderedBody) tooDeep(file string, first int) []Finding {
	if b.depth <= listingBounds.nesting {
		return nil
	}
	return []Finding{{file, first + b.deepest - 1, 1, rule.Bounds,
		"the text " + fmt.Sprintf(tooDeep, listingBounds.nesting)}}
}

// nesting returns how deeply quotes and lists are nested in a parsed text, and the line of the
// deepest one.
func nesting(doc ast.Node, source []byte) (depth, deepest int) {
	now := 0
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch {
		case n.Kind() != ast.KindBlockquote && n.Kind() != ast.KindListItem:
		case !entering:
			now--
		default:
			if now++; now > depth {
				depth, deepest = now, lineOf(firstBlock(n), source)
			}
		}
		return ast.WalkContinue, nil
	})
	return depth, deepest
}

// firstBlock returns the first block in a node that has a line, or else the node itself.
func firstBlock(n ast.Node) ast.Node {
	for child := n; child != nil; child = child.FirstChild() {
		if child.Type() == ast.TypeBlock && child.Lines().Len() > 0 {
			return child
		}
	}
	return n
}
