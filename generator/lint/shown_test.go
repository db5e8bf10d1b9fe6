package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"catalog.example/generator/rule"
)

func findingsOf(t *testing.T, files map[string]string, r rule.Rule) (got []string) {
	t.Helper()
	for _, f := range check(t, files, "") {
		if f.Rule == r {
			got = append(got, f.String())
		}
	}
	return got
}

func TestNotShown(t *testing.T) {
	const html = "HTML, which pages do not show: write it in Markdown"
	for text, want := range map[string]string{
		"an <b>bold</b> word":                     "17:6: " + html,
		"a break<br>":                             "17:10: " + html,
		"![a picture](https://x.example/a.png)":   "17:3: pages show a link instead of the picture \"https://x.example/a.png\"",
		"[![badge](b.svg)](https://x.example/)":   "17:4: pages show a link instead of the picture \"b.svg\"",
		"x\n\n<hr>\n\ny":                          "19:1: " + html,
		"x ![y][1]\n\n[1]: https://x.example/a.p": "17:5: the picture",
	} {
		position, message, _ := strings.Cut(want, ": ")
		file := strings.Replace(listing("one"), "- always", "- always\n- "+text, 1)
		got := findingsOf(t, map[string]string{"projects/one.md": file}, rule.NotShown)
		if len(got) != 1 || !strings.HasPrefix(got[0], "projects/one.md:"+position+": warning: ") || !strings.Contains(got[0], message) {
			t.Errorf("%q: %q, want %s", text, got, want)
		}
		page := "---\ntitle: About\ndescription: A page.\n---\n" + strings.Repeat("\n", 11) + "- always\n- " + text + "\n"
		got = findingsOf(t, map[string]string{"projects/one.md": listing("one"), "pages/about.md": page}, rule.NotShown)
		if len(got) != 1 || !strings.HasPrefix(got[0], "pages/about.md:"+position+": warning: ") {
			t.Errorf("%q on a page: %q, want %s", text, got, want)
		}
	}
	for _, text := range []string{"`<b>code</b>`", "a < b > c", "<https://x.example/>", "![no picture]", "```\n<br>\n```"} {
		file := strings.Replace(listing("one"), "- always", "- always\n\n"+text, 1)
		if got := findingsOf(t, map[string]string{"projects/one.md": file}, rule.NotShown); len(got) > 0 {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// Of two spellings that are used equally often, the older one is preferred.
func TestTopicsOfOlderListings(t *testing.T) {
	for _, topics := range [][2]string{{"web ui", "web-ui"}, {"web-ui", "web ui"}, {"webui", "web_ui"}} {
		older, newer := topics[0], topics[1]
		file := func(slug, topic, day string) string {
			return strings.NewReplacer("[language-models]", "["+topic+"]", "2026-01-01", day).Replace(listing(slug))
		}
		for _, slugs := range [][2]string{{"a", "b"}, {"b", "a"}} {
			files := map[string]string{
				"projects/" + slugs[0] + ".md": file(slugs[0], older, "2026-01-01"), "projects/" + slugs[1] + ".md": file(slugs[1], newer, "2026-02-01"),
			}
			want := fmt.Sprintf("projects/%s.md:6:10: warning: topics: %q (used once) is spelt nearly like %q (used once, first by %s): did you mean that?", slugs[1], newer, older, slugs[0])
			if got := findingsOf(t, files, rule.Misspelt); len(got) != 1 || got[0] != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
}
