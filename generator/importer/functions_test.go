package importer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/notation"
	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// TestFunctions applies each function to texts of sources.
func TestFunctions(t *testing.T) {
	t.Parallel()
	settings, report := site.Defaults(), &Report{}
	c := &converter{Options: Options{Content: content.Options{Settings: settings}}, licenses: map[string][2]string{}}
	tested := map[string]bool{}
	for _, test := range []struct{ call, given, want string }{ // values are separated by |; "" if none is left
		{"after – — :", "(Ann) – A book — this.|Songs: loud|A–B|by Bo", "A book — this.|loud"}, {"after by", "by Bo|made by Bo|Abby Bo", "Bo|Bo"},
		{"before by –", "Songs by Bo|Songs – old|C-D", "Songs|Songs|C-D"}, {"before ( :", "Songs(old)|9:30|Air: new", "Songs|9:30|Air"}, {"after by (", "(Ann) a|a by Bo", "Ann) a|Bo"},
		{"brackets", "A (one) b [two]|none|()", "one"}, {"brackets last", "A (one) b [two] c", "two"},
		{"emoji", "🟢 A 📹 :star: 12:30:15 47° – ★", "🟢|📹|:star:|★"}, {"no-emoji", "🟢 A ⭐️ b :star:|📹|std::path::Path 🦀, too :a::b: 🚀.|Go🚀", "A b|std::path::Path, too.|Go"},
		{"all-of", "MIT|GPLv2|MIT", "MIT AND GPL-2.0"}, {"all-of", "MIT OR ISC|Own", "(MIT OR ISC) AND Own"},
		{"any-of", "MIT|Apache 2.0", "MIT OR Apache-2.0"}, {"any-of", "MIT", "MIT"},
		{"cents", "1799|$5|x", "17.99|0.05"},
		{"date", "2026-11-29T10:00:00+02:00|Nov 2026|1852|soon", "2026-11-29|2026-11|1852"},
		{"https", "http://a.example/x|https://b.example|c.example|ftp://d.example", "https://a.example/x|https://b.example|c.example|ftp://d.example"},
		{"first-sentence", "It has e.g. two. And three.", "It has e.g. two."},
		{"license", "mit or apache-2.0|MIT License|GPLv3|https://spdx.org/licenses/ISC.html|Freeware", "MIT OR Apache-2.0|MIT|GPL-3.0|ISC"},
		{"lower", "Ä Bc", "ä bc"},
		{"number", "1,234 g|80,5 cm|2 to 4|1.357", "1234|80.5"},
		{"plain", "**Bold** and [a link](https://x.example) ![x](y) <b>tag</b> &amp; `code`|# Head\n\n> quoted", "Bold and a link x tag & code|Head quoted"},
		{"prefix https://x.example/", "a|b", "https://x.example/a|https://x.example/b"},
		{"repository", "github.com/a/b", "https://github.com/a/b"}, {"repository", "https://github.com/a/b|https://github.com/a|https://github.com/sponsors/a|https://a.example/b/c|git@github.com:a/b|https://gitlab.com/a/b/c.git",
			"https://github.com/a/b|https://gitlab.com/a/b/c"},
		{"slug", "C++ & Möwen", "c-plus-plus-and-mowen"},
		{"split", "a, b;c\nb", "a|b|c"}, {"split /", "a / b, c", "a|b, c"}, {"split space", "a  b", "a|b"},
		{"words", "web-server_two|iOS-app", "Web server two|iOS app"},
		{"yes-no", "Yes|–|maybe|O", "true|false"},
	} {
		var f call
		if message := f.SetShort(test.call); message != "" {
			t.Fatal(message)
		}
		tested[f.name] = true
		var values []value
		for text := range strings.SplitSeq(test.given, "|") {
			values = append(values, value{text: text, node: &yaml.Node{}, decimal: notation.NotComma})
		}
		var got []string
		for _, v := range c.apply(&entry{report: report}, &target{key: "field"}, f, values) {
			got = append(got, v.text)
		}
		if strings.Join(got, "|") != test.want {
			t.Errorf("%s makes %q of %q, want %q", test.call, got, test.given, test.want)
		}
	}
	for _, f := range functions {
		if !tested[f.name] {
			t.Errorf("%s is not tested", f.name)
		}
	}
	if report.Count(LeftOut) == 0 {
		t.Error("nothing is told")
	}
}

// TestTOML checks that values of front matter in TOML have the places of their keys, and mistakes theirs.
func TestTOML(t *testing.T) {
	t.Parallel()
	const front = "+++\na = 'x: \"y\"' # c\nb = [\n 1,\n 2]\n[p]\n\"x.y\" = { a = 2024-01-02 }\n[[q]]\na = 1.5\n+++\nText.\n"
	r := &reader{report: &Report{}, m: &Map{}, file: "a.md"}
	r.readFile([]byte(front))
	if len(r.entries) != 1 {
		t.Fatal(r.report.notes)
	}
	for at, want := range map[string]string{"a": "x: \"y\" 2", "b[1]": "2 3", "p.\"x.y\".a": "2024-01-02 7", "q[0].a": "1.5 9", "@body": "Text. 11"} {
		var p path
		if message := p.SetShort(at); message != "" {
			t.Fatal(message)
		}
		if n := r.entries[0].find(p); len(n) != 1 || fmt.Sprint(textOf(n[0]), " ", n[0].Line) != want {
			t.Errorf("%s is %+v, want %s", at, n, want)
		}
	}
	r.readFile([]byte("+++\na = 1\nb = [\n+++\n"))
	if notes := r.report.Lines(true); len(notes) != 1 || !strings.HasPrefix(notes[0], "a.md:3:5: skipped: this is not TOML: ") {
		t.Error(notes)
	}
}

// TestItems checks what becomes of items of lists in Markdown.
func TestItems(t *testing.T) {
	t.Parallel()
	for item, want := range map[string]string{
		"[Foo](https://x.example) by [Bar](https://y.example) - Does it with `make`.":                                             "Foo|by Bar - Does it with make.",
		"**Baz** – Draws boxes ([GitHub](https://x.example)).":                                                                    "Baz|Draws boxes.",
		"[![Play](https://x.example/p.svg)](https://x.example/p) [Lam](https://x.example) - Sings ([Feed](https://x.example/f)).": "Lam|Sings.",
		"[Foo](https://x.example) ([GitHub](https://y.example)).":                                                                 "Foo|",
		"[Bar](https://x.example) - Draws boxes. ([Code](https://y.example)).":                                                    "Bar|Draws boxes.",
		"[Baz](https://x.example) - Draws boxes! ([Code](https://y.example)).":                                                    "Baz|Draws boxes!",
		"[![Logo](https://x.example/l.svg)](https://x.example) - Draws.":                                                          "Logo|Draws.",
		"[Rag](https://x.example) ![](https://x.example/new.svg) - Plays ![stars](https://x.example/s.svg)":                       "Rag|Plays",
		"Qux see [docs](https://x.example) for more":                                                                              "docs|Qux see docs for more",
		"~~[Old](https://x.example)~~ – Gone *(dead since 2021)*":                                                                 "Old|Gone (dead since 2021)",
		"[Lam](https://x.example) :star: – Sings.":                                                                                "Lam|Sings.",
		"[Lam](https://x.example) :star:: Sings: loud. :tada:":                                                                    "Lam|Sings: loud. :tada:",
		"[Lam](https://x.example) – :star: 🔥 Sings.":                                                                              "Lam|Sings.",
		"[Lam](https://x.example) :star:":                                                                                         "Lam|",
		":star: [Lam](https://x.example): Sings.":                                                                                 "Lam|Sings.",
		"[](https://x.example) - No name":                                                                                         "No name|",
		"[Two](https://x.example) / [Three](https://y.example) - Two links":                                                       "Two|/ Three - Two links",
		"Plays tunes: [Tune](https://x.example)":                                                                                  "Tune|Plays tunes",
		"🔥 [Hot](https://x.example): run `hot up`":                                                                                "Hot|run hot up",
		"[Ice](https://x.example) - Cools. ([Demo](https://x.example/d)) `MIT` `Go`":                                              "Ice|Cools.",
		"Pro Git: <https://x.example> by Scott `MIT` – A book.":                                                                   "Pro Git|by Scott MIT – A book.",
		"🔥 <https://x.example> – Burns.":                                                                                          "https://x.example|Burns.",
		"<https://x.example>":                                                                                                     "https://x.example|",
	} {
		r := &reader{report: &Report{}, m: &Map{}, file: "a.md"}
		r.readFile([]byte("# Tools\n\n## Some\n\n### Few\n\n## Many\n\n### More\n\n- " + item + "\n"))
		if len(r.entries) != 1 || textOf(r.entries[0].beside["section"]) != "More" || textOf(r.entries[0].beside["chapter"]) != "Many" {
			t.Fatal(item, r.report.notes, len(r.entries))
		}
		n := r.entries[0].node
		if struck := textOf(r.entries[0].beside["struck"]); (struck == "yes") != strings.Contains(item, "~~") {
			t.Errorf("%q is struck through: %q", item, struck)
		}
		if (r.report.Count(Noted) > 0) != strings.Contains(item, "Three") {
			t.Errorf("%q is told of: %v", item, r.report.notes)
		}
		if badges := yamlnode.Child(n, "badges"); (badges != nil) != strings.Contains(item, "![") {
			t.Errorf("%q has the badges %v", item, badges)
		}
		if got := textOf(yamlnode.Child(n, "name")) + "|" + textOf(yamlnode.Child(n, "description")); got != want {
			t.Errorf("%q becomes %q, want %q", item, got, want)
		}
	}
}

// TestColumns checks the names of columns, and that the effort does not grow with the square of equal ones.
func TestColumns(t *testing.T) {
	names := columns([]string{"A", "A 2", " A", "", "A", "column 4", ""})
	if got := strings.Join(names, "|"); got != "A|A 2|A 3|column 4|A 4|column 4 2|column 7" {
		t.Errorf("the columns are %s", got)
	}
	row := slices.Repeat([]string{"A"}, 1000)
	if n := testing.AllocsPerRun(1, func() { columns(row) }); n > 20*1000 {
		t.Errorf("%d columns of one name take %v allocations", len(row), n)
	}
}
