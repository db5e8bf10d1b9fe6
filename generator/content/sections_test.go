package content

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/site"
)

// rendered renders a text of a listing.
func rendered(text string) renderedBody {
	s := &site.Settings{BaseURL: "https://example.org"}
	return renderMarkdown([]byte(text), place{file: "projects/x.md", path: "projects/x/", settings: s}, 1)
}

// Pages, lint and the search read the same headings, however they are written. A listing is
// not found by what it is not for.
func TestHeadingsAreReadOnce(t *testing.T) {
	for about, text := range map[string]string{
		"ordinary": "## What it does\n\nSings.\n\n## Look elsewhere if\n\n- you want quokkas\n", "underlined": "What it does\n---\n\nSings.\n\nLook elsewhere if\n---\n\n- you want quokkas\n",
		"indented": "  ## What it does\n\nSings.\n\n   ## Look elsewhere if\n\n- you want quokkas\n", "closed": "## What it does ##\nSings.\n## Look elsewhere if ##\n- you want quokkas\n",
		"emphasis": "## What *it* does\n\nSings.\n\n## **Look** elsewhere `if`\n\n- you want quokkas\n", "lower case": "## What it does\n\nSings.\n\n## look elsewhere if\n\n- you want quokkas\n",
		"code within": "## What it does\n\nSings.\n\n## Look elsewhere if\n\n```sh\n# a comment\nquokkas\n```\n\nquokkas\n", "a lower heading within": "## What it does\n\nSings.\n\n## Look elsewhere if\n\n### More\n\nquokkas\n",
	} {
		b := rendered(text)
		if b.prose != "Sings." {
			t.Errorf("%s: the searched text is %q", about, b.prose)
		}
		if n := len(b.Sections); n != 2 || !b.Sections[1].Is(api.HeadingElsewhere) || b.Sections[0].Is(api.HeadingElsewhere) || b.Sections[0].Offset < 0 {
			t.Errorf("%s: %d sections: %+v", about, n, b.Sections)
		}
		if !slices.Equal(b.IDs[:2], []string{"what-it-does", "look-elsewhere-if"}) {
			t.Errorf("%s: identifiers %q", about, b.IDs)
		}
	}
}

func TestSections(t *testing.T) {
	for text, want := range map[string][]string{ // the headings; "-" for what is before the first
		"": nil, "First.\n\n## A\n\na\n\n## Good fit if\n\nb\n": {"-", "A", "Good fit if"}, "# A\n\n### B\n": {"-"}, "## \n\na\n": {""},
		"> ## Good fit if\n>\n> b\n": {"-"}, "- ## Good fit if\n": {"-"}, "> ## a\n\n## b\n": {"-", "b"}, "```\n## a\n```\n": {"-"}, "## R&amp;D \\* [x](https://a.example)\n": {"R&D * x"},
	} {
		b := rendered(text)
		var got []string
		for _, s := range b.Sections {
			if s.Offset < 0 {
				s.Heading = "-"
			} else if !strings.HasPrefix(s.HTML, "<h2 id=") || !strings.HasPrefix(s.Markdown, "### ") && s.Heading != "" {
				t.Errorf("%q: the section is %q, %q", text, s.HTML, s.Markdown)
			}
			got = append(got, s.Heading)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q has the sections %q, want %q", text, got, want)
		}
	}
}

func TestProse(t *testing.T) {
	for text, want := range map[string]string{
		"Plain.": "Plain.", "Like [Demucs](demucs.md) and <https://a.example>.": "Like Demucs and https://a.example.", "One\ntwo\\\nthree\n\nfour": "One two\nthree\nfour",
		"- a *b*\n- `c&amp;d` &amp; e\n": "a b\nc&amp;d & e", "| a | b |\n|---|---|\n| c | d |\n": "a\nb\nc\nd", "```sh\nrun it\n```\n": "run it", "> quoted\n": "quoted", "x <b>y</b>\n\n<div>\nz\n</div>\n": "x y",
		"# A\n\nb\n\n### C\n\nd\n": "b\nd", "[a][1]\n\n[1]: ant.md 'title'\n": "a", "## Look elsewhere if\n\nNo.\n\n## Later\n\nYes.\n": "Yes.",
	} {
		if got := rendered(text).prose; got != want {
			t.Errorf("%q: the searched text is %q, want %q", text, got, want)
		}
	}
}

// Headings have identifiers as on code hosts. None is on the page twice.
func TestHeadingIDs(t *testing.T) {
	for text, want := range map[string][]string{
		"## Good fit if\n\n### A-b_c: d, `e`?\n":                   {"good-fit-if", "a-b_c-d-e"},
		"## A\n\n## a\n\n## A\n":                                   {"a", "a-1", "a-2"},
		"## Größe\n\n## 日本語\n\n## हिन्दी\n\n## !\n":                {"größe", "日本語", "हिन्दी", "section"},
		"## Install\n\n## Main\n":                                  {"text-install", "text-main"}, // which the page has already
		"## Computer names\n\n## Computer names\n":                 {"text-computer-names", "text-computer-names-1"},
		"## Computer\n\n## Computer 1\n\n## A-1\n\n## A\n\n## A\n": {"text-computer", "text-computer-1", "a-1", "a", "a-2"},
		"> ## Quoted\n": {"quoted"},
	} {
		b := rendered(text)
		if !slices.Equal(b.IDs, want) {
			t.Errorf("%q: %q, want %q", text, b.IDs, want)
		}
		for _, id := range b.IDs {
			if html := HTMLOf(b.Sections); strings.Count(html, ` id="`+id+`"`) != 1 {
				t.Errorf("%q: %q has no %s", text, html, id)
			}
		}
	}
}

// Many headings of one text take no longer each.
func TestManyHeadingIDs(t *testing.T) {
	const n = 50_000
	if ids := rendered(strings.Repeat("## a\n", n)).IDs; len(ids) != n || ids[n-1] != "a-49999" {
		t.Errorf("%d identifiers, the last %s", len(ids), ids[len(ids)-1])
	}
}

// The identifiers of templates that the pages of texts use are taken.
func TestIDsOfTemplates(t *testing.T) {
	seen := 0
	for _, name := range []string{"layout.html", "partials.html", "pages/project.html", "pages/page.html"} {
		text, err := os.ReadFile("../../templates/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\bid="?([A-Za-z][A-Za-z0-9_-]*)`).FindAllStringSubmatch(string(text), -1) {
			seen++
			if ids := rendered("## " + m[1] + "\n").IDs; slices.Contains(ids, m[1]) {
				t.Errorf("a heading can have the identifier %s of %s", m[1], name)
			}
		}
	}
	if seen < 10 {
		t.Errorf("%d identifiers in templates", seen)
	}
}
