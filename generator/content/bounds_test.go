package content

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"catalog.example/api/site"
	"catalog.example/generator/memo"
)

// Texts that took the parser seconds, or gigabytes, are told before it sees them,
// with the line.
func TestBoundsOfAText(t *testing.T) {
	base := strings.TrimSuffix(baseListing, "## What it does\n\nChats.\n")
	nested := ""
	for i := range 20 {
		nested += strings.Repeat("  ", i) + "- x\n"
	}
	for _, c := range []struct {
		about, body string
		want        string // of all findings
	}{
		{"nothing wrong", strings.Repeat("A text of ordinary words, [a link](https://a.example) and *stress*.\n", 50), ""},
		{"too long", strings.Repeat("hello world ", 1366), "45:1: the text has 16392 bytes: at most 16384 are allowed"},
		{"too many lines", strings.Repeat("a\n", 1001), "1045:1: the text has too many lines: at most 1000 are allowed"},
		{"quotes in quotes", "a\n\n" + strings.Repeat(">", 17) + " x\n", "47:1: the text nests quotes and lists more than 16 levels deep: use fewer levels"},
		{"lists in lists", strings.Repeat("- ", 17) + "x\n", "45:1: the text nests quotes and lists more than 16 levels deep: use fewer levels"},
		{"numbered lists in quotes", strings.Repeat("> 1. ", 9) + "x\n", "45:1: the text nests quotes and lists more than 16 levels deep: use fewer levels"},
		{"lists in lists, a line each", nested, "64:1: the text nests quotes and lists more than 16 levels deep: use fewer levels"},
		{"as deep as may be", strings.Repeat("> ", 16) + "x\n", ""},
		{"thirty quotes below each other", strings.Repeat("> x\n\ny\n\n", 30), ""},
		{"wide table", strings.Repeat("|a", 60) + "|\n" + strings.Repeat("|-", 60) + "|\n" + strings.Repeat("|\n", 20),
			"46:1: the text has a table of 60 columns with more than 1000 cells: make it smaller"},
		{"wide table in a quote", "> " + strings.Repeat("a|", 60) + "\n> " + strings.Repeat(":-:|", 60) + "\n" + strings.Repeat("> |\n", 20),
			"46:1: the text has a table of 60 columns with more than 1000 cells: make it smaller"},
		{"long table", "|a|b|\n|-|-|\n" + strings.Repeat("|1|2|\n", 600), "46:1: the text has a table of 2 columns with more than 1000 cells: make it smaller"},
		{"ordinary table", "|a|b|\n|-|-|\n" + strings.Repeat("|1|2|\n", 30), ""},
		{"links that are none", strings.Repeat("[a]( ", 101), "45:1: the text has too many links and link definitions: at most 100 are allowed"},
		{"brackets that do not close", strings.Repeat("![ ", 301), "45:1: the text has too many [: at most 300 are allowed"},
		{"many entries of lists", strings.Repeat(strings.Repeat("- ", 10)+"x\n", 201), "245:1: the text has too many quotes and list items: at most 2000 are allowed"},
		{"a long word", "a " + strings.Repeat("é", 1001), "45:3: the text has a word of 1001 characters: at most 1000 are allowed"},
		{"stress on stress", strings.Repeat("*a _b ", 501), "45:1: the text has too many *, _ and ~: at most 1000 are allowed"},
		{"tags that are none", strings.Repeat("<a ", 201), "45:1: the text has too many <: at most 200 are allowed"},
	} {
		t.Run(c.about, func(t *testing.T) {
			l, findings := check("projects/paper-lantern.md", base+c.body)
			var got []string
			for _, f := range findings {
				got = append(got, fmt.Sprintf("%d:%d: %s", f.Line, f.Column, f.Message))
			}
			if strings.Join(got, "\n") != c.want {
				t.Errorf("\n got %s\nwant %s", strings.Join(got, "\n     "), c.want)
			}
			if c.want != "" && !HasErrors(findings) || l.unread != (c.want != "" && !strings.Contains(c.about, "a line each")) {
				t.Errorf("unread %t, findings %v", l.unread, findings)
			}
		})
	}
}

// The attacks of the review that took seconds or gigabytes, each below the bound of
// a file: what is said of them comes at once. The limit is far above what is
// measured, and far below what it took.
func TestHostileTextsAreReportedQuickly(t *testing.T) {
	settings := site.Defaults()
	checker := newListingChecker(NewFrontMatter(&settings, &taxonomy), memo.Key{}, today)
	const size = 60 << 10
	fill := func(part string) string { return strings.Repeat(part, size/len(part)) }
	head := strings.TrimSuffix(baseListing, "## What it does\n\nChats.\n")
	keys := strings.Builder{}
	for i := range 4000 {
		fmt.Fprintf(&keys, "  k%d: x\n", i)
	}
	for name, text := range map[string]string{
		"table":          head + strings.Repeat("|a", 10000) + "\n" + strings.Repeat("|-", 10000) + "\n" + fill("|\n")[:20000],
		"tables":         head + fill("|-|\n"),
		"quotes":         head + fill(">"),
		"lists":          head + fill("1. "),
		"links":          head + fill("[a]("),
		"open angles":    head + fill("[a](<b"),
		"stress":         head + strings.Repeat("*", size/2) + "a" + strings.Repeat("*", size/2),
		"sources":        strings.Replace(head, "  license: LICENSE", keys.String()+"  license: LICENSE", 1),
		"repeated keys":  strings.Replace(head, "  license: LICENSE", fill("  a: x\n")+"  license: LICENSE", 1),
		"flow":           "---\nname: " + fill("[") + "\n---\n",
		"flow mappings":  "---\nname: " + fill("{a: ") + "\n---\n",
		"block nesting":  "---\n" + fill("- ") + "\n---\n",
		"long licence":   strings.Replace(head, "license: MIT", "license: "+fill("(MIT OR ISC) AND ")+"MIT", 1),
		"nested licence": strings.Replace(head, "license: MIT", "license: "+fill("(")+"MIT", 1),
	} {
		start := time.Now()
		_, findings := checker.listing("projects/paper-lantern.md", []byte(text), nil)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: took %v", name, took)
		} else {
			t.Logf("%s: %v, %d findings", name, took, len(findings))
		}
		if !HasErrors(findings) {
			t.Errorf("%s: no error is found", name)
		}
	}
}
