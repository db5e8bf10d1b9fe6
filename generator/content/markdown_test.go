package content

import (
	stdhtml "html"
	"regexp"
	"strings"
	"testing"

	"catalog.example/api/site"
)

// Links between listings lead to pages below the site's base path in HTML, and
// to absolute addresses in the Markdown that the API answers.
func TestLinksBetweenListings(t *testing.T) {
	for _, c := range []struct{ source, html, markdown string }{
		{"[Ant](ant.md)", `<a href="/tools/projects/ant/">Ant</a>`, "[Ant](https://example.org/tools/projects/ant/)"},
		{"[Ant](./ant.md)", `<a href="/tools/projects/ant/">Ant</a>`, "[Ant](https://example.org/tools/projects/ant/)"},
		{"[Ant](../projects/ant.md)", `<a href="/tools/projects/ant/">Ant</a>`, "[Ant](https://example.org/tools/projects/ant/)"},
		{"[Ant](ant.md#memory)", `<a href="/tools/projects/ant/#memory">Ant</a>`, "[Ant](https://example.org/tools/projects/ant/#memory)"},
		{`[Ant](ant.md "An ant")`, `<a href="/tools/projects/ant/" title="An ant">Ant</a>`, `[Ant](https://example.org/tools/projects/ant/ "An ant")`},
		{"[Ant](<ant.md>)", `<a href="/tools/projects/ant/">Ant</a>`, "[Ant](<https://example.org/tools/projects/ant/>)"},
		{"[Ant][1]\n\n[1]: ant.md", `<a href="/tools/projects/ant/">Ant</a>`, "[Ant][1]\n\n[1]: https://example.org/tools/projects/ant/"},
		{"[Ant]\n\n  [Ant]: <./ant.md> 'An ant'\n\nMore.", `<a href="/tools/projects/ant/" title="An ant">Ant</a>`, "[Ant]\n\n  [Ant]: <https://example.org/tools/projects/ant/> 'An ant'\n\nMore."},
		{"[Ant](ant.md), [Bee](bee.md).", `<a href="/tools/projects/ant/">Ant</a>, <a href="/tools/projects/bee/">Bee</a>.`,
			"[Ant](https://example.org/tools/projects/ant/), [Bee](https://example.org/tools/projects/bee/)."},
		{`[a \] b]` + "\n\n" + `[a \] b]: ant.md`, `<a href="/tools/projects/ant/">a ] b</a>`, `[a \] b]` + "\n\n" + `[a \] b]: https://example.org/tools/projects/ant/`},
		{"[](ant.md) [**a `b`**](\n  ant.md\n)", `<a href="/tools/projects/ant/"><strong>a <code>b</code></strong></a>`,
			"[](https://example.org/tools/projects/ant/) [**a `b`**](\n  https://example.org/tools/projects/ant/\n)"},
		{"[Ant](audio/ant.md)", `<a href="/tools/projects/ant/">Ant</a>`, "[Ant](https://example.org/tools/projects/ant/)"},
		{"[About](../pages/about.md#licence)", `<a href="/tools/about/#licence">About</a>`, "[About](https://example.org/tools/about/#licence)"},
		{"[c](/categories/video/?a=b#c)", `<a href="/tools/categories/video/?a=b#c">c</a>`, "[c](https://example.org/tools/categories/video/?a=b#c)"},
		{"[c](../categories/video/)", `<a href="/tools/categories/video/">c</a>`, "[c](https://example.org/tools/categories/video/)"},
		{"[c](https://example.org/tools/categories/)", `<a href="/tools/categories/">c</a>`, "[c](https://example.org/tools/categories/)"},
		{"[a](ant.md?a=1&amp;copy;2)", `<a href="/tools/projects/ant/?a=1&amp;copy;2">a</a>`, "[a](https://example.org/tools/projects/ant/?a=1&amp;copy;2)"},
		{"[a <b>b</b>](ant.md)", `<a href="/tools/projects/ant/">a`, "[a <b>b</b>](https://example.org/tools/projects/ant/)"},
		{"[c](https://EXAMPLE.org:443/tools/)", `<a href="/tools/">c</a>`, "[c](https://example.org/tools/)"},
		{"[home](/)", `<a href="/tools/">home</a>`, "[home](https://example.org/tools/)"},
		{"[Here](#good-fit-if)", `<a href="/tools/projects/x/#good-fit-if">Here</a>`, "[Here](https://example.org/tools/projects/x/#good-fit-if)"},
		{"[a b](my%20file.pdf)", `<a href="/tools/projects/my%20file.pdf">a b</a>`, "[a b](https://example.org/tools/projects/my%20file.pdf)"},
		// These lead elsewhere.
		{"[Ant](https://code.example.org/ant.md)", `<a href="https://code.example.org/ant.md">Ant</a>`, "[Ant](https://code.example.org/ant.md)"},
		{"[Ant](//code.example.org/ant.md)", `<a href="//code.example.org/ant.md">Ant</a>`, "[Ant](//code.example.org/ant.md)"},
		{"[Ant](mailto:ant@example.org)", `<a href="mailto:ant@example.org">Ant</a>`, "[Ant](mailto:ant@example.org)"},
		{"[Ant](https://example.org/toolshed/ant.md)", `<a href="https://example.org/toolshed/ant.md">Ant</a>`, "[Ant](https://example.org/toolshed/ant.md)"},
		{"read ant.md, (ant.md)", "read ant.md, (ant.md)", "read ant.md, (ant.md)"},
		// Code is shown as it stands.
		{"`[Ant](ant.md)`", "<code>[Ant](ant.md)</code>", "`[Ant](ant.md)`"},
		{"``a\n[Ant](ant.md)`` and [Bee](bee.md)", `<code>a [Ant](ant.md)</code> and <a href="/tools/projects/bee/">Bee</a>`, "``a\n[Ant](ant.md)`` and [Bee](https://example.org/tools/projects/bee/)"},
		{"[`Ant`](ant.md)", `<a href="/tools/projects/ant/"><code>Ant</code></a>`, "[`Ant`](https://example.org/tools/projects/ant/)"},
		{"```\n[Ant](ant.md)\n[a]: ant.md\n```\n[Bee](bee.md)", "[Ant](ant.md)\n[a]: ant.md\n</code>", "```\n[Ant](ant.md)\n[a]: ant.md\n```\n[Bee](https://example.org/tools/projects/bee/)"},
		{"> - x\n>\n>       [Ant](ant.md)\n", "[Ant](ant.md)\n</code>", "> - x\n>\n>       [Ant](ant.md)\n"},
		{"a\n\n    [Ant](ant.md)\n\n[Bee](bee.md)", "[Ant](ant.md)\n</code>", "a\n\n    [Ant](ant.md)\n\n[Bee](https://example.org/tools/projects/bee/)"},
	} {
		settings := site.Settings{BaseURL: "https://example.org/tools"}
		at := place{file: "projects/x.md", path: "projects/x/", settings: &settings}
		body := renderMarkdown([]byte(c.source), at, 1)
		if got := HTMLOf(body.Sections); !strings.Contains(got, c.html) {
			t.Errorf("%q in HTML is %q, want %q in it", c.source, got, c.html)
		}
		if got := body.absolute; got != c.markdown {
			t.Errorf("%q in Markdown is %q, want %q", c.source, got, c.markdown)
		}
		for _, link := range renderMarkdown([]byte(body.absolute), at, 1).Links {
			if link.File != "" {
				t.Errorf("%q: the Markdown still has links to files: %v", c.source, link)
			}
		}
	}
	settings := site.Settings{BaseURL: "https://example.org/$1"} // an address is no template
	if got, want := renderMarkdown([]byte("[Ant](ant.md)"), place{file: "projects/x.md", path: "", settings: &settings}, 1).absolute, "[Ant](https://example.org/$1/projects/ant/)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// No page loads a picture: it links to it.
func TestPicturesBecomeLinks(t *testing.T) {
	for source, want := range map[string][2]string{ // in HTML and in the source for agents
		"![A *board*](https://a.example/p.png \"t\")":                   {`<p><a href="https://a.example/p.png" title="t">A <em>board</em></a></p>`, "[A *board*](https://a.example/p.png \"t\")"},
		"a ![own](/fotos/x.png)!":                                       {`<p>a <a href="/fotos/x.png">own</a>!</p>`, "a [own](https://example.org/fotos/x.png)!"},
		"[![badge](https://b.example/b.svg)](https://a.example/)":       {`<p><a href="https://a.example/">badge</a></p>`, "[badge](https://a.example/)"},
		"[![](https://b.example/b.svg)](https://a.example/) x":          {`<p><a href="https://a.example/"></a> x</p>`, "[](https://a.example/) x"},
		"x ![](https://a.example/p.png) y":                              {`<p>x  y</p>`, "x [](https://a.example/p.png) y"},
		"![x][1]\n\n[1]: https://a.example/p.png":                       {`<p><a href="https://a.example/p.png">x</a></p>`, "[x][1]\n\n[1]: https://a.example/p.png"},
		"![a ![b](https://a.example/b.png) c](https://a.example/c.png)": {`<p><a href="https://a.example/c.png">a b c</a></p>`, "[a b c](https://a.example/c.png)"},
		"`![x](https://a.example/p.png)`":                               {`<p><code>![x](https://a.example/p.png)</code></p>`, "`![x](https://a.example/p.png)`"},
		"![x](javascript:y)":                                            {`<p><a href="">x</a></p>`, "[x](javascript:y)"},
	} {
		b := rendered(source)
		if html := strings.TrimSpace(HTMLOf(b.Sections)); html != want[0] || strings.Contains(html, "<img") {
			t.Errorf("%q in HTML is %q, want %q", source, html, want[0])
		}
		if b.absolute != want[1] {
			t.Errorf("%q for agents is %q, want %q", source, b.absolute, want[1])
		}
	}
}

func TestLinesOfLinks(t *testing.T) {
	const text = "# [A](a.md)\n\nText and\n[b](b.md) and **[c](c.md)**,\n[`d`](d.md).\n\n> - [e](e.md)\n\n[![f](f.png)](f.md)\n\nText and a link\nwithout any: [](g.md)\n"
	links := renderMarkdown([]byte(text), place{file: "projects/x.md", settings: &site.Settings{}}, 10).Links
	want := map[string]int{"a": 10, "b": 13, "c": 13, "d": 14, "e": 16, "f": 18, "g": 20} // of g, the paragraph
	for _, l := range links {
		if slug := strings.TrimSuffix(l.Address, ".md"); l.Line != want[slug] {
			t.Errorf("the link to %s is on line %d, want %d", slug, l.Line, want[slug])
		}
	}
	if len(links) != len(want) {
		t.Errorf("links %v", links)
	}
}

// tags are the elements and attributes that a description may have.
var (
	tags       = regexp.MustCompile(`<[^>]*>`)
	allowedTag = regexp.MustCompile(`^</?(p|a|h[1-6]|ul|ol|li|blockquote|pre|code|em|strong|del|figure|table|thead|tbody|tr|th|td|img|br|hr)( (href|src|title|alt|class|id|start|tabindex)="[^"<>]*")*>$`)
	target     = regexp.MustCompile(` (?:href|src)="([^"]*)"`)
	// run is a target that a browser runs, or reads from the visitor's machine;
	// browsers pass over white space and control characters.
	run        = regexp.MustCompile(`(?i)^(?:javascript|vbscript|file|data):`)
	harmless   = regexp.MustCompile(`^data:image/(?:png|gif|jpeg|webp);`)
	passedOver = regexp.MustCompile(`^[\x00-\x20]+|[\t\r\n]`)
)

// unsafeIn returns what must not stand in HTML that goes into a page, or "".
func unsafeIn(html string) string {
	html = strings.ReplaceAll(html, "<!-- raw HTML omitted -->", "")
	for _, tag := range tags.FindAllString(html, -1) {
		if !allowedTag.MatchString(tag) {
			return tag
		}
		for _, m := range target.FindAllStringSubmatch(tag, -1) {
			address := passedOver.ReplaceAllString(stdhtml.UnescapeString(m[1]), "")
			if run.MatchString(address) && !harmless.MatchString(address) {
				return m[1]
			}
		}
	}
	if rest := tags.ReplaceAllString(html, ""); strings.ContainsAny(rest, "<>") {
		return rest
	}
	return ""
}

func TestUnsafeHTMLDoesNotReachAPage(t *testing.T) {
	for _, text := range []string{
		"<script>alert(1)</script>",
		"text <img src=x onerror=alert(1)> text",
		"<a href='javascript:alert(1)'>x</a>",
		"<iframe src=https://example.org></iframe>",
		"<style>body{display:none}</style>",
		"<!-- comment --><?php x ?><![CDATA[x]]>",
		"- item\n\n  <div onclick=x>\n\n  y\n\n  </div>",
		"| a |\n|---|\n| <b onclick=x>y</b> |",
		"[x](javascript:alert(1))",
		"[x](JavaScript:alert(1))",
		"[x](javascript&#58;alert(1))",
		"[x](&#1;javascript:alert(1))",
		"[x](<java\tscript:alert(1)>)",
		"[x](vbscript:x)",
		"[x](file:///etc/passwd)",
		"[x](data:text/html;base64,PHNjcmlwdD4=)",
		"![x](javascript:alert(1))",
		"![x](data:image/svg+xml,<svg/onload=alert(1)>)",
		"<javascript:alert(1)>",
		"[x]\n\n[x]: javascript:alert(1)",
		`[x](https://example.org/"onmouseover="alert(1))`,
		`[x](https://example.org '"onmouseover="alert(1)')`,
		`![" onerror="alert(1)](x.png)`,
		"```\"><script>\n<script>\n```",
		"http://example.org/?\"><script>",
	} {
		l, findings := check("projects/ant.md", listingNamed("Ant", "https://code.example.org/ant")+"\n"+text+"\n")
		if HasErrors(findings) {
			t.Errorf("%q: %v", text, shown(findings))
		}
		if bad := unsafeIn(l.HTML()); bad != "" {
			t.Errorf("%q becomes %q, with %q in it", text, l.HTML(), bad)
		}
	}
	// The check itself must see what it looks for.
	for _, html := range []string{"<script>", `<a href="javascript:x">`, `<p onclick="x">`, `<img src=x>`, `<a href="data:text/html,x">`, "a <b", `<a href="vbscript:x">`, `<a href="&#1; java&Tab;script:x">`, `<iframe src="x">`} {
		if unsafeIn(html) == "" {
			t.Errorf("%q passes for safe", html)
		}
	}
}

func TestMarkdownThatPagesUse(t *testing.T) {
	const text = "## What it does\n\nA ~~slow~~ *fast* `tool`, see www.example.org, ai@7.0.77 and git@code.example:a/b.\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n1. one\n2. two\n"
	const want = "<h2 id=\"what-it-does\">What it does</h2>\n<p>A <del>slow</del> <em>fast</em> <code>tool</code>, see <a href=\"http://www.example.org\">www.example.org</a>, ai@7.0.77 and git@code.example:a/b.</p>\n" +
		"<figure class=\"wide\" tabindex=\"0\"><table>\n<thead>\n<tr>\n<th>a</th>\n<th class=\"right\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td class=\"right\">2</td>\n</tr>\n</tbody>\n</table></figure>\n" +
		"<ol>\n<li>one</li>\n<li>two</li>\n</ol>\n"
	if got := HTMLOf(renderMarkdown([]byte(text), place{settings: &site.Settings{}}, 1).Sections); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Links in the Markdown version of a page are absolute, lead where those of the
// page lead, and never run a script.
func TestMarkdownVersions(t *testing.T) {
	settings := site.Settings{BaseURL: "https://example.org/tools"}
	for source, want := range map[string]string{
		"## A\n\n### B":               "### A\n\n#### B",
		"[Ant](ant.md#x)":             "[Ant](https://example.org/tools/projects/ant/#x)",
		"[above](../bee/)":            "[above](https://example.org/tools/bee/)", // from the content folder, where the site begins
		"[here](#part)":               "[here](https://example.org/tools/projects/wasp/#part)",
		"[root](/x)":                  "[root](https://example.org/tools/x)",
		"[plain](http://a.example/)":  "[plain](http://a.example/)",
		"[write](mailto:a@b.example)": "[write](mailto:a@b.example)",
		"<a@b.example>":               `[a\@b.example](mailto:a@b.example)`,
		"ai@7.0.77":                   `ai\@7.0.77`,
		"git@code.example:a/b":        `git\@code.example:a/b`,
		"www.a.example":               "[www.a.example](http://www.a.example)",
		"[run](javascript:x)":         "run",
		"[run](JavaScript&colon;x)":   "run",
		"[data](data:text/html,x)":    "data",
		"<b>bold</b> <!-- no -->text": "bold text",
	} {
		if got := MarkdownOf(renderMarkdown([]byte(source), place{file: "projects/wasp.md", path: "projects/wasp/", settings: &settings}, 1).Sections); got != want {
			t.Errorf("%q is %q, want %q", source, got, want)
		}
	}
}

// U+0000 is no character of HTML (CommonMark 0.31, 2.3), and package render gives
// it a meaning of its own.
func TestNullCharacterIsReplaced(t *testing.T) {
	s := site.Defaults()
	for _, source := range []string{
		"a\x00b", "# a\x00b", "`a\x00b`", "```a\x00b\na\x00b\n```", "    a\x00b", "[a\x00b](https://x.example/\x00 \"a\x00b\")", "<https://x.example/a\x00b>", "https://x.example/a\x00b",
		"![a\x00b](https://x.example/a\x00b.png)", "| a\x00b |\n| --- |\n| a\x00b |", "~~a\x00b~~", "&#0;", "\\\x00", "<b\x00>", "<div>\n\x00", "[a]\n\n[a]: /\x00 '\x00'", "- a\x00\n\x00", "\x00",
	} {
		if got := HTMLOf(renderMarkdown([]byte(source), place{file: "projects/a.md", path: "projects/a/", settings: &s}, 1).Sections); strings.Contains(got, "\x00") {
			t.Errorf("%q becomes %q", source, got)
		}
	}
}
