package generator

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"catalog.example/api/headers"
	"catalog.example/api/soak"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
)

// commonMark parses Markdown as agents do: CommonMark with the extensions of code
// hosts, except bare URLs.
var commonMark = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList))

// markdownText is a parsed Markdown file.
type markdownText struct {
	headings []string // "## Title"
	links    []string
	html     []string // raw HTML
	plain    string   // its text without white space
}

func parseMarkdown(source string) *markdownText {
	m := &markdownText{}
	var plain strings.Builder
	doc := commonMark.Parser().Parse(text.NewReader([]byte(source)))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			m.headings = append(m.headings, strings.Repeat("#", n.Level)+" "+nodeText(n, source))
		case *ast.Link:
			m.links = append(m.links, string(n.Destination))
		case *ast.Image:
			m.links = append(m.links, string(n.Destination))
		case *ast.AutoLink:
			m.links = append(m.links, string(n.URL([]byte(source))))
			plain.Write(n.Label([]byte(source)))
		case *ast.RawHTML, *ast.HTMLBlock:
			m.html = append(m.html, nodeText(n, source))
		case *ast.FencedCodeBlock:
			plain.Write(n.Lines().Value([]byte(source)))
		case *ast.Text:
			plain.WriteString(unescapedText(n, source))
		}
		return ast.WalkContinue, nil
	})
	m.plain = withoutSpace(plain.String())
	return m
}

// unescapedText returns the text of a node with escapes and entities resolved.
func unescapedText(n *ast.Text, source string) string {
	if _, isCode := n.Parent().(*ast.CodeSpan); isCode {
		return string(n.Segment.Value([]byte(source)))
	}
	var out strings.Builder
	escaped := html.UnescapeString(string(n.Segment.Value([]byte(source))))
	for i := 0; i < len(escaped); i++ {
		if escaped[i] == '\\' && i+1 < len(escaped) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", escaped[i+1]) >= 0 {
			i++
		}
		out.WriteByte(escaped[i])
	}
	return out.String()
}

func nodeText(n ast.Node, source string) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			out.WriteString(unescapedText(t, source))
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

// factTexts returns the texts of a page that its Markdown version must contain in the
// same order: heading, lead, and the rows of its tables of facts.
func factTexts(t *testing.T, page string) (texts []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	has := func(n *html.Node, key, value string) bool {
		return slices.Contains(n.Attr, html.Attribute{Key: key, Val: value})
	}
	add := func(n *html.Node) {
		var value, note, source strings.Builder // in a cell, a note has its own paragraph
		for d := range n.Descendants() {
			switch {
			case d.Type != html.TextNode, has(d.Parent, "class", "tag over"): // notices say the same
			case has(d.Parent, "class", "source"):
				source.WriteString(d.Data)
			case n.Data == "td" && d.Parent.Data == "p":
				note.WriteString(d.Data)
			default:
				value.WriteString(d.Data)
			}
		}
		texts = append(texts, withoutSpace(value.String()), withoutSpace(note.String()), withoutSpace(source.String()))
	}
	for n := range root.Descendants() {
		switch {
		case n.Data == "h1" && n.Parent.Data == "article", n.Data == "p" && has(n, "class", "lead"):
			add(n)
		case n.Data == "table" && has(n, "class", "facts-table"):
			for row := range n.Descendants() {
				switch row.Data {
				case "caption", "th", "td":
					add(row)
				}
			}
		case n.Data == "ul" && (has(n, "class", "similar") || has(n, "class", "install")):
			for item := range n.Descendants() {
				if item.Data == "a" {
					add(item)
				}
			}
		}
	}
	return texts
}

// checkMarkdownVersions checks that each page, and nothing else, has a Markdown
// version.
func checkMarkdownVersions(t *testing.T, tree map[string]string, base, path string) {
	t.Helper()
	pages := 0
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		if strings.HasSuffix(name, ".md") && !strings.HasSuffix(name, "/SKILL.md") && tree[strings.TrimSuffix(name, ".md")] == "" {
			t.Errorf("%s is the Markdown version of no page", name)
		}
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		page, markdown := tree[name], tree[name+".md"]
		const alternate = `<link rel="alternate" type="text/markdown" href="`
		isOther := name == "404.html" || strings.HasPrefix(name, "embed/")
		if isOther || strings.Contains(page, `http-equiv="refresh"`) { // the latter have moved
			if markdown != "" || strings.Contains(page, alternate) {
				t.Errorf("%s has a Markdown version", name)
			}
			continue
		}
		pages++
		if !strings.Contains(page, alternate+path+"/"+name+`.md">`) {
			t.Errorf("%s does not link to its Markdown version", name)
		}
		m := parseMarkdown(markdown)
		if len(m.html) > 0 {
			t.Errorf("%s.md holds HTML: %q", name, m.html)
		}
		if !strings.HasPrefix(markdown, "# ") || !strings.HasSuffix(markdown, "\n") || strings.Contains(fencedCode.ReplaceAllString(markdown, "code"), "\n\n\n") {
			t.Errorf("%s.md has an invalid layout: %.80q", name, markdown)
		}
		for i, h := range m.headings {
			if strings.HasPrefix(h, "# ") != (i == 0) || strings.TrimLeft(h, "# ") == "" {
				t.Errorf("%s.md: heading %d is %q", name, i+1, h)
			}
		}
		for _, l := range m.links {
			below, internal := strings.CutPrefix(l, base+"/")
			if internal && !exists(tree, below) || !internal && !strings.HasPrefix(l, "https://") && !strings.HasPrefix(l, "http://") && !strings.HasPrefix(l, "mailto:") {
				t.Errorf("%s.md leads to %q", name, l)
			}
		}
		if !strings.HasPrefix(name, "projects/") {
			continue
		}
		rest := m.plain
		for _, want := range factTexts(t, page) {
			_, after, found := strings.Cut(rest, strings.ReplaceAll(want, "`", ""))
			if !found {
				t.Errorf("%s.md does not say %q, or not where the page does", name, want)
				continue
			}
			rest = after
		}
	}
	if pages < 30 {
		t.Errorf("only %d pages were looked at", pages)
	}
}

func TestMarkdownVersions(t *testing.T) {
	soak.Long(t)
	for _, c := range []struct {
		name, base, path string
		change           func(*Options)
	}{
		{"below a path", testBase, "/tools", nil},
		{"at the root, with a search server elsewhere", "https://catalog.example", "", func(o *Options) {
			o.Settings.BaseURL, o.Settings.SearchURL = "https://catalog.example", "https://search.example"
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, _ := build(t, c.change)
			checkMarkdownVersions(t, readTree(t, out), c.base, c.path)
		})
	}
}

// Each page of a table has a Markdown version with its rows.
func TestMarkdownVersionsOfPagedTables(t *testing.T) {
	soak.Long(t)
	out, _ := build(t, func(o *Options) { o.Content, o.Pictures = generateContent(t, 230), PicturesOff })
	tree := readTree(t, out)
	checkMarkdownVersions(t, tree, testBase, "/tools")
	for name, want := range map[string]struct {
		rows           int
		previous, next string
	}{
		"newest/index.html.md": {100, "", "newest/2/"}, "newest/2/index.html.md": {100, "newest/", "newest/3/"}, "newest/3/index.html.md": {30, "newest/2/", ""},
	} {
		text := tree[name]
		if n := strings.Count(text, "\n- ["); n != want.rows {
			t.Errorf("%s has %d rows, want %d", name, n, want.rows)
		}
		for label, path := range map[string]string{"Previous": want.previous, "Next": want.next} {
			if got := strings.Contains(text, "["+label+"]("+testBase+"/"+path+"index.html.md)"); got != (path != "") {
				t.Errorf("%s: a link to %q: %t", name, label, got)
			}
		}
	}
}

// Content cannot add markup to Markdown versions.
func TestMarkdownVersionsEscapeContent(t *testing.T) {
	dir := copyFolder(t, small)
	listing := "---\nname: \"# Big [x](https://evil.example) <b>\"\npurpose: \"1. one <b onclick=x>bold</b> `x` *y* &lt;\"\njobs: [\"# job\", \"- job\", \"> job\", \"```\", \"=== x\", \"a\\\\\"]\n" +
		"category: chat\nrepositoryUrl: https://code.example.org/hostile_(x)_y\naddedAt: 2026-11-20\nfitNotes:\n  caveats: [\"<!-- hidden -->\", \"[a]: https://evil.example\"]\n" +
		"setups:\n  - {for: \"x)](https://evil.example)\", ramGb: 1, source: \"# [x](https://evil.example) <b>\"}\n" +
		"installLinks:\n  - {kind: docs, label: \"a](https://evil.example) [b\", url: https://code.example.org/a}\nsources:\n  license: \"# LICENSE [x](https://evil.example) <b>\"\n---\n" +
		"# Top\n\n<i onclick=x>Shown</i>\n\nSetext\n===\n\n<div class=hidden\">\n</div>\n\n[ok](https://ok.example \"title\") ![](https://img.example/x.png)\n\n" +
		"[x]<b></b>(evil.example/x) text\n\n```\n## code\n"
	if err := os.WriteFile(filepath.Join(dir, "projects", "hostile.md"), []byte(listing), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _ := build(t, func(o *Options) {
		o.Content = dir
		o.Settings.Title, o.Settings.Description = "# Title [x](https://evil.example) <b>", "> - <script>alert(1)</script> `x"
	})
	tree := readTree(t, out)
	checkMarkdownVersions(t, tree, testBase, "/tools")
	files := 0
	for name, text := range tree {
		if !strings.HasSuffix(name, ".md") && name != "llms-full.txt" {
			continue
		}
		if strings.HasSuffix(name, "/SKILL.md") { // its front matter is YAML
			_, text, _ = strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
		}
		m := parseMarkdown(text)
		for _, l := range m.links {
			if strings.HasPrefix(l, "mailto:owner@catalog.example?") { // its subject names the listing
				continue
			}
			if strings.Contains(l, "evil.example") || strings.Contains(l, "javascript") {
				t.Errorf("%s leads to %s", name, l)
			}
		}
		if len(m.html) > 0 || strings.Contains(text, "hidden\"") {
			t.Errorf("%s holds HTML: %q", name, m.html)
		}
		if strings.Contains(text, "hostile") {
			files++
		}
	}
	if files < 5 {
		t.Errorf("the listing is only in %d files", files)
	}
	m := parseMarkdown(tree["projects/hostile/index.html.md"])
	want := []string{
		"# # Big [x](https://evil.example) <b>", "## Know before you choose", "## Description", "## Top", "## Setext", "## Install",
		"## Will it fit?", "## RAM and VRAM", "## Where it runs", "## Licence and maintenance", "## Jobs it does", "## Similar listings, and how they differ",
	}
	if !slices.Equal(m.headings, want) {
		t.Errorf("headings %q, want %q", m.headings, want)
	}
	if !slices.Contains(m.links, "https://code.example.org/hostile_%28x%29_y") || !slices.Contains(m.links, "https://ok.example") {
		t.Errorf("links %q", m.links)
	}
}

// The API catalog lists the APIs (RFC 9727, RFC 9264).
func TestAPICatalog(t *testing.T) {
	for _, searchURL := range []string{"", "https://search.example"} {
		out, _ := build(t, func(o *Options) { o.Settings.SearchURL = searchURL })
		type target struct{ Href, Type string }
		var catalog struct {
			Linkset []struct {
				Anchor                          string
				Item                            []target
				ServiceDesc, ServiceDoc, Status []target
				Desc                            []target `json:"service-desc"`
				Doc                             []target `json:"service-doc"`
			}
		}
		if err := json.Unmarshal(mustRead(t, out, ".well-known/api-catalog"), &catalog); err != nil {
			t.Fatal(err)
		}
		server := searchURL
		if server == "" {
			server = testBase
		}
		var items []string
		byAnchor := map[string]int{}
		for i, c := range catalog.Linkset {
			byAnchor[c.Anchor] = i
			for _, item := range c.Item {
				items = append(items, item.Href)
			}
		}
		if want := []string{testBase + "/api/v1/", server + "/mcp"}; !slices.Equal(items, want) {
			t.Errorf("the APIs are %q, want %q", items, want)
		}
		self, described := byAnchor[testBase+headers.PathAPICatalog]
		if !described || len(catalog.Linkset[self].Item) != 2 {
			t.Errorf("it does not describe itself: %+v", catalog)
		}
		apiIndex, described := byAnchor[testBase+"/api/v1/"]
		if !described {
			t.Fatalf("the API is not described: %+v", catalog)
		}
		c := catalog.Linkset[apiIndex]
		if !slices.Equal(c.Desc, []target{{testBase + "/api/v1/openapi", "application/json"}}) || !slices.Contains(c.Doc, target{testBase + "/docs/", "text/html"}) ||
			!slices.Contains(c.Doc, target{testBase + "/docs/index.html.md", "text/markdown"}) || !slices.Equal(c.Status, []target{{server + "/healthz", "text/plain"}}) {
			t.Errorf("the API is described by %+v", c)
		}
	}
}

// All crawlers are allowed.
func TestRobots(t *testing.T) {
	out, _ := build(t, nil)
	text := string(mustRead(t, out, "robots.txt"))
	for _, want := range []string{"User-agent: *\nAllow: /\n", "Sitemap: " + testBase + "/sitemap.xml\n", "# Guide for agents: " + testBase + "/llms.txt\n", "# Description of the API: " + testBase + "/api/v1/openapi\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("it has no %q", want)
		}
	}
	if strings.Contains(text, "Disallow") {
		t.Error("something is disallowed")
	}
	if strings.Contains(text, "Content-Signal") { // Lighthouse calls such a file invalid
		t.Error("it has a signal, and none is set")
	}
	out, _ = build(t, func(o *Options) { o.Settings.ContentSignal = "search=yes, ai-train=no" })
	if text := string(mustRead(t, out, "robots.txt")); !strings.Contains(text, "User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n") {
		t.Errorf("the signal that is set is not in it:\n%s", text)
	}
}
