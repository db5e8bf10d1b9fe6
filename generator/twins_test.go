package generator

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"catalog.example/api/headers"
	"catalog.example/api/soak"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
)

// readMarkdown is what agents make of Markdown: CommonMark with the extensions of
// code hosts, but for bare addresses, which lead where they say.
var readMarkdown = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList))

// markdownText is a Markdown file as it is read.
type markdownText struct {
	headings []string // "## Title"
	links    []string
	html     []string // raw HTML
	plain    string   // what it says, without white space
}

func parseMarkdown(source string) *markdownText {
	m := &markdownText{}
	var plain strings.Builder
	doc := readMarkdown.Parser().Parse(text.NewReader([]byte(source)))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			m.headings = append(m.headings, strings.Repeat("#", n.Level)+" "+textBelow(n, source))
		case *ast.Link:
			m.links = append(m.links, string(n.Destination))
		case *ast.Image:
			m.links = append(m.links, string(n.Destination))
		case *ast.AutoLink:
			m.links = append(m.links, string(n.URL([]byte(source))))
			plain.Write(n.Label([]byte(source)))
		case *ast.RawHTML, *ast.HTMLBlock:
			m.html = append(m.html, textBelow(n, source))
		case *ast.FencedCodeBlock:
			plain.Write(n.Lines().Value([]byte(source)))
		case *ast.Text:
			plain.WriteString(textOf(n, source))
		}
		return ast.WalkContinue, nil
	})
	m.plain = squeezed(plain.String())
	return m
}

// textOf returns what a piece of text says, escapes and entities resolved.
func textOf(n *ast.Text, source string) string {
	if _, isCode := n.Parent().(*ast.CodeSpan); isCode {
		return string(n.Segment.Value([]byte(source)))
	}
	var out strings.Builder
	piece := html.UnescapeString(string(n.Segment.Value([]byte(source))))
	for i := 0; i < len(piece); i++ {
		if piece[i] == '\\' && i+1 < len(piece) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", piece[i+1]) >= 0 {
			i++
		}
		out.WriteByte(piece[i])
	}
	return out.String()
}

func textBelow(n ast.Node, source string) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			out.WriteString(textOf(t, source))
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

// saidInOrder are the texts of a page that its twin must say in the same order:
// heading, lead, and each row of its tables of facts.
func saidInOrder(t *testing.T, page string) (texts []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	add := func(n *html.Node) {
		var own, note strings.Builder // in a cell, a note stands in a paragraph of its own
		for d := range n.Descendants() {
			switch {
			case d.Type != html.TextNode:
			case n.Data == "td" && d.Parent.Data == "p":
				note.WriteString(d.Data)
			default:
				own.WriteString(d.Data)
			}
		}
		texts = append(texts, squeezed(own.String()), squeezed(note.String()))
	}
	has := func(n *html.Node, key, value string) bool {
		return slices.Contains(n.Attr, html.Attribute{Key: key, Val: value})
	}
	for n := range root.Descendants() {
		switch {
		case n.Data == "h1", n.Data == "p" && has(n, "class", "lead"):
			add(n)
		case n.Data == "table" && has(n, "class", "facts-table"):
			for row := range n.Descendants() {
				switch row.Data {
				case "caption", "th", "td":
					add(row)
				}
			}
		case n.Data == "ul" && (has(n, "class", "similar") || has(n, "class", "install")), n.Data == "dl" && has(n, "class", "sources"):
			for item := range n.Descendants() {
				if item.Data == "a" {
					add(item)
				}
			}
		}
	}
	return texts
}

// checkTwins checks the twin of every page below a base address, and that there
// is no other.
func checkTwins(t *testing.T, tree map[string]string, base, path string) {
	t.Helper()
	pages := 0
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		if strings.HasSuffix(name, ".md") && tree[strings.TrimSuffix(name, ".md")] == "" {
			t.Errorf("%s is the twin of no page", name)
		}
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		page, twin := tree[name], tree[name+".md"]
		const alternate = `<link rel="alternate" type="text/markdown" href="`
		if name == "404.html" {
			if twin != "" || strings.Contains(page, alternate) {
				t.Errorf("%s has a twin", name)
			}
			continue
		}
		pages++
		if !strings.Contains(page, alternate+path+"/"+name+`.md">`) {
			t.Errorf("%s does not lead to its twin", name)
		}
		m := parseMarkdown(twin)
		if len(m.html) > 0 {
			t.Errorf("%s.md holds HTML: %q", name, m.html)
		}
		if !strings.HasPrefix(twin, "# ") || !strings.HasSuffix(twin, "\n") || strings.Contains(fencedCode.ReplaceAllString(twin, "code"), "\n\n\n") {
			t.Errorf("%s.md is not laid out: %.80q", name, twin)
		}
		for i, h := range m.headings {
			if strings.HasPrefix(h, "# ") != (i == 0) || strings.TrimLeft(h, "# ") == "" {
				t.Errorf("%s.md: heading %d is %q", name, i+1, h)
			}
		}
		for _, l := range m.links {
			below, ours := strings.CutPrefix(l, base+"/")
			if ours && !exists(tree, below) || !ours && !strings.HasPrefix(l, "https://") && !strings.HasPrefix(l, "http://") && !strings.HasPrefix(l, "mailto:") {
				t.Errorf("%s.md leads to %q", name, l)
			}
		}
		if !strings.HasPrefix(name, "projects/") {
			continue
		}
		rest := m.plain
		for _, want := range saidInOrder(t, page) {
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

func TestTwins(t *testing.T) {
	soak.Long(t)
	for _, c := range []struct {
		name, base, path string
		change           func(*Options)
	}{
		{"below a path", testBase, "/tools", nil},
		{"at the root, with a search server elsewhere", "https://catalog.example", "", func(o *Options) {
			o.Settings.BaseURL, o.Settings.SearchURL = "https://catalog.example", "https://search.example"
		}},
		{"shipped", "https://catalog.example", "", func(o *Options) {
			o.Content, o.Settings.BaseURL, o.Pictures, o.Now = "../content", "https://catalog.example", PicturesNever, time.Now()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, _ := build(t, c.change)
			checkTwins(t, readTree(t, out), c.base, c.path)
		})
	}
}

// Tables of several pages have twins of several pages, each with its own rows.
func TestTwinsOfPagedTables(t *testing.T) {
	soak.Long(t)
	out, _ := build(t, func(o *Options) { o.Content, o.Pictures = generated(t, 230), PicturesNever })
	tree := readTree(t, out)
	checkTwins(t, tree, testBase, "/tools")
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

// What an author writes stays text, whatever it looks like.
func TestTwinsCannotBeBrokenOutOf(t *testing.T) {
	dir := copyOf(t, small)
	listing := "---\nname: \"# Big [x](https://evil.example) <b>\"\npurpose: \"1. one <b onclick=x>bold</b> `x` *y* &lt;\"\njobs: [\"# job\", \"- job\", \"> job\", \"```\", \"=== x\", \"a\\\\\"]\n" +
		"category: chat\nrepositoryUrl: https://code.example.org/hostile_(x)_y\naddedAt: 2026-11-20\nfitNotes:\n  memoryFor: \"x)](https://evil.example)\"\n  minRamGb: 1\n  caveats: [\"<!-- hidden -->\", \"[a]: https://evil.example\"]\n" +
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
	checkTwins(t, tree, testBase, "/tools")
	seen := 0
	for name, text := range tree {
		if !strings.HasSuffix(name, ".md") && name != "llms-full.txt" {
			continue
		}
		m := parseMarkdown(text)
		for _, l := range m.links {
			if strings.Contains(l, "evil.example") || strings.Contains(l, "javascript") {
				t.Errorf("%s leads to %s", name, l)
			}
		}
		if len(m.html) > 0 || strings.Contains(text, "hidden\"") {
			t.Errorf("%s holds HTML: %q", name, m.html)
		}
		if strings.Contains(text, "hostile") {
			seen++
		}
	}
	if seen < 5 {
		t.Errorf("the listing is only in %d files", seen)
	}
	m := parseMarkdown(tree["projects/hostile/index.html.md"])
	want := []string{
		"# # Big [x](https://evil.example) <b>", "## Will it fit?", "## Where it runs", "## Is it allowed, and alive?", "## Where each fact comes from", "## Know before you choose",
		"## Description", "## Top", "## Setext", "## Install", "## Jobs it does", "## Similar listings, and how they differ",
	}
	if !slices.Equal(m.headings, want) {
		t.Errorf("headings %q, want %q", m.headings, want)
	}
	if !slices.Contains(m.links, "https://code.example.org/hostile_%28x%29_y") || !slices.Contains(m.links, "https://ok.example") {
		t.Errorf("links %q", m.links)
	}
}

// The catalog of APIs names what there is (RFC 9727, RFC 9264).
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
		of := map[string]int{}
		for i, c := range catalog.Linkset {
			of[c.Anchor] = i
			for _, item := range c.Item {
				items = append(items, item.Href)
			}
		}
		if want := []string{testBase + "/api/v1/", server + "/mcp"}; !slices.Equal(items, want) {
			t.Errorf("the APIs are %q, want %q", items, want)
		}
		self, described := of[testBase+headers.PathAPICatalog]
		if !described || len(catalog.Linkset[self].Item) != 2 {
			t.Errorf("it does not speak of itself: %+v", catalog)
		}
		of1, described := of[testBase+"/api/v1/"]
		if !described {
			t.Fatalf("the API is not described: %+v", catalog)
		}
		c := catalog.Linkset[of1]
		if !slices.Equal(c.Desc, []target{{testBase + "/api/v1/openapi", "application/json"}}) || !slices.Contains(c.Doc, target{testBase + "/docs/", "text/html"}) ||
			!slices.Contains(c.Doc, target{testBase + "/docs/index.html.md", "text/markdown"}) || !slices.Equal(c.Status, []target{{server + "/healthz", "text/plain"}}) {
			t.Errorf("the API is described by %+v", c)
		}
	}
}

// Everybody is let in, and led on.
func TestRobots(t *testing.T) {
	out, _ := build(t, nil)
	text := string(mustRead(t, out, "robots.txt"))
	for _, want := range []string{"User-agent: *\nAllow: /\n", "Sitemap: " + testBase + "/sitemap.xml\n", "# Guide for agents: " + testBase + "/llms.txt\n", "# Description of the API: " + testBase + "/api/v1/openapi\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("it has no %q", want)
		}
	}
	if strings.Contains(text, "Disallow") {
		t.Error("something is kept from somebody")
	}
}
