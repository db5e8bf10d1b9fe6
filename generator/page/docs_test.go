package page

import (
	"strings"
	"testing"

	"catalog.example/generator/content"
)

// The documentation shows a site's own guide for agents without its first part,
// which the page says itself with the site's own address, and nothing twice.
func TestGuideOnTheDocumentation(t *testing.T) {
	s := smallSite(t)
	add(s, "one", nil)
	const markdownHint = "works, too"
	for name, text := range built(t, s) {
		if strings.HasPrefix(name, "docs/") && strings.Count(text, markdownHint) != 1 {
			t.Errorf("%s without a guide tells of Markdown %d times, want once", name, strings.Count(text,
				markdownHint))
		}
	}
	s.Content.Pages = []*content.Page{{
		Slug: guidePage, Title: "For agents", Document: content.Document{
			Rendered: content.Rendered{Sections: []content.Section{
				{Offset: -1, HTML: "<p>Opening.</p>\n", Markdown: "Opening."},
				{Heading: "Doors", HTML: "<h2 id=\"doors\">Doors</h2>\n<p>It works, too.</p>\n",
					Markdown: "### Doors\n\nIt works, too."},
			}},
		},
	}}
	seen := 0
	for name, text := range built(t, s) {
		if !strings.HasPrefix(name, "docs/") {
			continue
		}
		seen++
		if strings.Contains(text, `id=doors`) || strings.Contains(text, `id="doors"`) {
			t.Errorf("%s has an identifier of the guide, which it may have itself", name)
		}
		if strings.Contains(text, "Opening.") || !strings.Contains(text, "Doors") || strings.Count(text,
			markdownHint) != 1 {
			t.Errorf("%s shows the guide's opening, not the rest of it, or one thing twice", name)
		}
	}
	if seen != 2 {
		t.Errorf("%d files of the documentation were seen, want 2", seen)
	}
}
