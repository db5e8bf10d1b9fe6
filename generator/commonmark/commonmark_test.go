package commonmark

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"catalog.example/api/invisible"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// reader is what others make of the Markdown; addresses that stand bare in a text
// lead where they say, and are not made links here.
var reader = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList))

func parsed(source string) ast.Node { return reader.Parser().Parse(text.NewReader([]byte(source))) }

func TestText(t *testing.T) {
	for given, want := range map[string]string{
		"":                        "",
		"plain words, 8 GB":       "plain words, 8 GB",
		"  many \t\n spaces  ":    "many spaces",
		"# heading":               `\# heading`,
		"C# and F#":               "C# and F#",
		"- item":                  `\- item`,
		"a - b":                   "a - b",
		"+1":                      "+1",
		"> quoted":                `\> quoted`,
		"8 > 4":                   "8 > 4",
		"===":                     `\===`,
		"1. first":                `1\. first`,
		"12) twelfth":             `12\) twelfth`,
		"3.5 GB":                  "3.5 GB",
		"over 3.5 GB":             "over 3.5 GB",
		"*bold* and _thin_":       `\*bold\* and \_thin\_`,
		"snake_case_name":         "snake_case_name",
		"__init__":                `\_\_init\_\_`,
		"`code`":                  "\\`code\\`",
		"[a](b)":                  `\[a\](b)`,
		"![a](b)":                 `!\[a\](b)`,
		`a\b`:                     `a\\b`,
		"<b>":                     "&lt;b>",
		"a < b":                   "a &lt; b",
		"R&D, AT & T, &lt; &#60;": "R&amp;D, AT & T, &amp;lt; &amp;#60;",
		"ai@7.0.77, @here a@":     `ai\@7.0.77, @here a@`,
		"~~gone~~ ~8 GB":          `\~\~gone\~\~ ~8 GB`,
		"| a | b":                 `\| a | b`,
		":---":                    `\:---`,
		"a: b":                    "a: b",
		"bell\a, zero\u200bwidth": "bell, zerowidth",
		"\u202eturned\u202c":      "turned",
		"\U000e0041tag":           "tag",
		"می\u200cخواهم":           "می\u200cخواهم",
		"12\u00a0345":             "12\u00a0345",
		"a\u2028b":                "a b",
		"\xff broken":             "\ufffd broken",
	} {
		got := Text(given)
		if strings.Contains(given, "\xff") {
			got, want = strings.ToValidUTF8(got, "\ufffd"), strings.ToValidUTF8(want, "\ufffd")
		}
		if got != want {
			t.Errorf("Text(%q) = %q, want %q", given, got, want)
		}
	}
}

func TestLinksAndCode(t *testing.T) {
	for got, want := range map[string]string{
		Link("a](b", "https://x.example/(y) z"): `[a\](b](https://x.example/%28y%29%20z)`,
		Address("https://x.example/ä<>"):        "https://x.example/%C3%A4%3C%3E",
		Address("https://x.example/?a=b&c=_d_"): "https://x.example/?a=b&c=_d_",
		Code("x"):                               "`x`",
		Code("a`b"):                             "``a`b``",
		Code("`"):                               "`` ` ``",
		Code(" a \n b "):                        "`a b`",
		Code(""):                                "",
		Fence("sh", "a\n"):                      "```sh\na\n```",
		Fence("", "a\n```\nb"):                  "````\na\n```\nb\n````",
		Fence("a b`", "x"):                      "```\nx\n```",
		Fence("", "a\r# b\r\nc\r\n"):            "```\na\n# b\nc\n```",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func options(demote int) Options {
	return Options{Demote: demote, Address: func(address string) (string, bool) {
		return address, strings.HasPrefix(address, "https://")
	}}
}

func TestRender(t *testing.T) {
	for source, want := range map[string]string{
		"":                                                   "",
		"# A\n\n## B\n\n###### C":                            "## A\n\n### B\n\n###### C",
		"A\n===\n\nB\n---":                                   "## A\n\n### B",
		"one\ntwo  \nthree":                                  "one two three",
		"- a\n- b\n  - c\n  - d\n":                           "- a\n- b\n  - c\n  - d",
		"- a\n\n- b":                                         "- a\n\n- b",
		"3. a\n4. b":                                         "3. a\n4. b",
		"> a\n> b\n>\n> - c":                                 "> a b\n>\n> - c",
		"*a* **b** ~~c~~ `d`":                                "*a* **b** ~~c~~ `d`",
		"a \\* b &amp; &lt;c&gt;":                            `a \* b & &lt;c>`,
		"```go\nx := `y`\n```":                               "```go\nx := `y`\n```",
		"    code\n":                                         "```\ncode\n```",
		"a\n\n---\n\nb":                                      "a\n\n***\n\nb",
		"[a](https://x.example \"title\")":                   "[a](https://x.example)",
		"[a *b*](https://x.example/(y))":                     "[a *b*](https://x.example/%28y%29)",
		"[a](javascript:x)":                                  "a",
		"[a][1]\n\n[1]: https://x.example":                   "[a](https://x.example)",
		"![alt](https://x.example/y.png)":                    "[alt](https://x.example/y.png)",
		"![](https://x.example/y.png)":                       "",
		"<https://x.example>":                                "[https://x.example](https://x.example)",
		"a<!-- b -->c <b>d</b>":                              "ac d",
		"<div>\nhidden\n</div>\n\nshown":                     "shown",
		"*<b>* a*":                                           `a\*`,
		"*<b>* # a":                                          `\# a`,
		"[x]<b></b>(https://evil.example)":                   `\[x\](https://evil.example)`,
		"| a | b |\n|---|---|\n| 1 | 2\\|3 |":                "| a | b |\n| --- | --- |\n| 1 | 2\\|3 |",
		"| a | b |\n|---|---|\n| \\| | # c |":                "| a | b |\n| --- | --- |\n| \\| | # c |",
		`\![a](https://x.example)`:                           `\![a](https://x.example)`,
		"a!<b></b>[b](https://x.example)":                    `a\![b](https://x.example)`,
		"a!<https://x.example>":                              `a\![https://x.example](https://x.example)`,
		"[![a](https://x.example/y)](https://x.example)":     "[a](https://x.example)",
		"![a [b](https://x.example/y) c](https://x.example)": "[a b c](https://x.example)",
		"\\&lt; &amp;lt; &amp;#60; &lt\\; \\\\&gt; &#35; &#x23;": `&amp;lt; &amp;lt; &amp;#60; &amp;lt; \\> # #`,
	} {
		got := Render(parsed(source).FirstChild(), nil, []byte(source), options(1))
		if got != want {
			t.Errorf("%q is\n%q, want\n%q", source, got, want)
		}
	}
}

// shape is what Markdown does beside showing text.
type shape struct {
	headings, html int
	pictures       int
	highest        int // level of a heading
	links          map[string]int
}

func shapeOf(doc ast.Node, source []byte) shape {
	s := shape{highest: 7, links: map[string]int{}}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch n := n.(type) {
			case *ast.Heading:
				s.headings++
				s.highest = min(s.highest, n.Level)
			case *ast.RawHTML, *ast.HTMLBlock:
				s.html++
			case *ast.Image:
				s.pictures++
				s.links["link"]++
			case *ast.Link:
				s.links["link"]++
			case *ast.AutoLink:
				s.links["link"]++
			}
		}
		return ast.WalkContinue, nil
	})
	return s
}

// Whatever is written, nothing is begun that the source did not begin.
func FuzzRender(f *testing.F) {
	for _, seed := range []string{
		"# A\n\ntext", "<b>x</b>", "[x]<b></b>(https://evil.example)", "*<b>*", "> > - a\n1. b", "`a` ``b`` ```", "| a |\n|--|\n| b |", "[a]: b \"c\"\n\n[a]", "&#35; a\n&lt;b&gt;",
		"\\# a\n===\n- - -", "<!-- \n# a\n-->\n# b", "a\u2028# b", "~~~\n</x>", "![a](b)![c][d]", "1<b></b>. a", "***a** b*", "\t# x", "- \n\n  # y",
		`\![a](https://b.example)`, "[![a](https://b.example/c)](https://d.example)", "| a |\n|--|\n| \\| |",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		doc := parsed(source)
		before := shapeOf(doc, []byte(source))
		out := Render(doc.FirstChild(), nil, []byte(source), options(1))
		after := shapeOf(parsed(out), []byte(out))
		if after.html > 0 || after.pictures > 0 || after.headings > before.headings || after.highest < 2 || after.links["link"] > before.links["link"] {
			t.Errorf("%q has %+v, and becomes %q with %+v", source, before, out, after)
		}
		// A text by itself is one paragraph, whatever it holds.
		line := Text(source)
		if s := shapeOf(parsed(line), []byte(line)); s.headings+s.html+s.links["link"] > 0 || strings.ContainsAny(line, "\n\r") {
			t.Errorf("%q as a text is %q with %+v", source, line, s)
		}
		doc = parsed("- " + line)
		if list := doc.FirstChild(); list == nil || list.ChildCount() != 1 || list.NextSibling() != nil || list.FirstChild().ChildCount() > 1 {
			t.Errorf("%q in a list is %q", source, line)
		}
		item := Link(source, source)
		if s := shapeOf(parsed(item), []byte(item)); s.links["link"] > 1 || s.html+s.headings > 0 {
			t.Errorf("%q as a link is %q", source, item)
		}
		if code := Code(source); code != "" {
			if doc := parsed(code); doc.FirstChild().FirstChild().Kind() != ast.KindCodeSpan || doc.FirstChild().ChildCount() != 1 {
				t.Errorf("%q as code is %q", source, code)
			}
		}
		if doc := parsed(Fence("", source)); doc.FirstChild().Kind() != ast.KindFencedCodeBlock || doc.ChildCount() != 1 {
			t.Errorf("%q as a block of code is %q", source, Fence("", source))
		}
	})
}

// No character that shows nothing is written, wherever a text stands and however
// its source writes the character.
func TestInvisibleCharactersAreLeftOut(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !invisible.Is(r) {
			continue
		}
		shown := "A" + string(r) + "b 字" + string(r) + "字."
		written := Text(shown) + Code(shown) + Fence("", shown) + Link(shown, "https://x.example/")
		if r == 0 {
			shown = "A&#8203;b" // goldmark makes U+FFFD of a zero
		}
		source := "# " + shown + "\n\n" + shown + " `" + shown + "` [" + shown + "](https://x.example/)\n\n- A&#" + fmt.Sprint(r) + ";b\n\n```\n" + shown + "\n```\n"
		doc := parsed(source)
		written += Render(doc.FirstChild(), nil, []byte(source), Options{Address: func(a string) (string, bool) { return a, true }})
		for i, found := range invisible.Find(written) {
			t.Fatalf("%U: %U is written at %d of %+q", r, found, i, written)
		}
	}
}

// TestShown checks what becomes of texts that pages would not show, or that lint refuses.
func TestShown(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"# A\n\n## B\n\n```sh {file=\"x\"}\n# no heading\n```": "## A\n\n### B\n\n```sh\n# no heading\n```",
		"a<!-- b -->c <br> d":                    "ac \n d",
		"<p>One</p><p>Two <i>x</i></p>":          "One\n\nTwo x",
		"<a href=\"/x\">y</a> [z](w.md) <c@d.e>": "[y](https://b.example/x) [z](https://b.example/w.md) <c@d.e>",
		"[j](javascript:x) [u](https://a:b@c.d)": "j u",
		"`<b>` and \u200bhidden":                 "`<b>` and hidden",
		"{{< ref \"x\" >}}a{{% b %}}":            "a",
		"~~~\nopen":                              "~~~\nopen\n~~~",
		"![alt](p.png)\r\nnext":                  "![alt](https://b.example/p.png)\nnext",
		"[w](https://e.example/P_(q))":           "[w](https://e.example/P_%28q%29)",
	} {
		if got := Shown(given, "https://b.example/"); got != want {
			t.Errorf("%q becomes %q, want %q", given, got, want)
		}
	}
	if got := Shown("[a](b.md)", ""); got != "a" {
		t.Errorf("without a base, a relative link becomes %q", got)
	}
}
