package render

import (
	"strings"
	"testing"

	"catalog.example/generator/content"
)

func TestFrom(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Before.\n\n### One\n\nMore.\n\n### Two\n", "### One\n\nMore.\n\n### Two\n"},
		{"### One\n", "### One\n"},
		{"No heading, but ### this.\n", "No heading, but ### this.\n"},
		{"```sh\n### a comment\n```\n\n### One\n", "### One\n"},
		{"~~~~\n~~~\n### no\n~~~~\n### One", "### One"},
		{"", ""},
	} {
		if got := from(c.text, "### "); got != c.want {
			t.Errorf("from(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

// The documentation shows a site's own guide for agents without its first part,
// which the page says itself with the site's own address, and nothing twice.
func TestGuideOnTheDocumentation(t *testing.T) {
	s := smallSite(t)
	add(s, "one", nil)
	const markdownHint = "works, too"
	for name, text := range render(t, s) {
		if strings.HasPrefix(name, "docs/") && strings.Count(text, markdownHint) != 1 {
			t.Errorf("%s without a guide tells of Markdown %d times, want once", name, strings.Count(text, markdownHint))
		}
	}
	s.Content.Pages = []*content.Page{{
		Slug: guidePage, Title: "For agents", Document: content.Document{
			BodyHTML:     "<p>Opening.</p>\n<h2 id=\"doors\">Doors</h2>\n<p>It works, too.</p>\n",
			BodyMarkdown: "Opening.\n\n### Doors\n\nIt works, too.\n",
		},
	}}
	seen := 0
	for name, text := range render(t, s) {
		if !strings.HasPrefix(name, "docs/") {
			continue
		}
		seen++
		if strings.Contains(text, "Opening.") || !strings.Contains(text, "Doors") || strings.Count(text, markdownHint) != 1 {
			t.Errorf("%s shows the guide's opening, not the rest of it, or one thing twice", name)
		}
	}
	if seen != 2 {
		t.Errorf("%d files of the documentation were seen, want 2", seen)
	}
}
