//go:build unix

package importer_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"catalog.example/generator"
	"catalog.example/generator/importer"
)

// held is a list in the form of a well-known one, with what is odd in such lists.
type held struct {
	name  string
	rows  int                     // in the long test
	files func(n int) [][2]string // the source: names and texts
	m     string                  // the name or the text of a map, or auto
}

// words have no meaning; each entry has others.
var heldWords = strings.Fields(`amber basin cedar delta ember flint grove heron inlet jetty kiln larch marsh north ocean
	pearl quarry ridge stone tidal umber vale willow yarrow zenith anchor brook cliff dune eagle field glade harbour
	island juniper kelp lagoon meadow nectar orchard`)

// word returns a word for a number.
func word(i int) string { return heldWords[max(i, 0)%len(heldWords)] }

// title returns a name that is different for each number.
func title(i int) string {
	w := word(i)
	return fmt.Sprintf("%s%s %s", strings.ToUpper(w[:1]), w[1:], word(i/len(heldWords)+i*7)+fmt.Sprint(i/len(heldWords)))
}

// pick returns one of some texts.
func pick(i int, texts ...string) string { return texts[i%len(texts)] }

var heldLists = []held{
	{name: "selfhosted", rows: 600, m: "awesome-selfhosted", files: func(n int) (files [][2]string) {
		for i := range n {
			name := pick(i, "", "", "", "", "é.") + strings.ReplaceAll(strings.ToLower(title(i)), " ", pick(i, "-", ".", "_"))
			files = append(files, [2]string{"software/" + name + ".yml", fmt.Sprintf(`name: %q
website_url: %s://%s.example
source_code_url: https://github.com/example/%s
description: '%s the %s of a household
  - and of its %s.'
licenses:
  - %s
%splatforms:
  - %s
  - Docker
tags:
  - %s
  - %s
depends_3rdparty: %s
stargazers_count: %d
updated_at: '2026-0%d-11'
current_release:
  tag: %s
  published_at: '2026-01-0%d'
`, title(i), rare(i, 53, "http", "https"), word(i)+fmt.Sprint(i), word(i)+fmt.Sprint(i),
				pick(i, "Keeps", "Counts", "Shares"), word(i*3), word(i*5), pick(i, "GPL-3.0", "MIT", "AGPL-3.0", "Apache-2.0", "⊘ Proprietary", "Commons-Clause"),
				rare(i, 9, "  - MIT\n", ""), pick(i, "PHP", "Nodejs", "Go"), pick(i/3, "Time Tracking", "Money, Budgeting & Management", "Wikis"),
				pick(i/2, "Notes & Editors", "Wikis"), pick(i, "true", "false"), i*13, 1+i%9, pick(i, "1.10", "v2", "2026-01-01"), 1+i%9)})
		}
		return append(files, [2]string{"tags/wikis.yml", "name: Wikis\n"}, [2]string{"software/broken.yml", "name: [x\n"})
	}},
	{name: "landscape", rows: 700, m: "landscape", files: func(n int) [][2]string {
		var b strings.Builder
		b.WriteString("landscape:\n")
		for i := range n {
			if i%120 == 0 {
				fmt.Fprintf(&b, "  - category:\n    name: %s work\n    subcategories:\n", title(i/120))
			}
			if i%30 == 0 {
				fmt.Fprintf(&b, "      - subcategory:\n        name: %s & %s\n        items:\n", title(i/30), word(i))
			}
			shared := i - i%either(i%40 == 1, 2, 1) // one repository in two places
			fmt.Fprintf(&b, "          - item:\n            name: %q\n", title(shared))
			fmt.Fprintf(&b, "            homepage_url: %s\n", rare(i, 67, "http://plain.example", rare(i, 500, "https://crate.io", "https://"+word(i)+".example/"+fmt.Sprint(i))))
			fmt.Fprintf(&b, "            repo_url: %s\n            logo: %s.svg\n            crunchbase: https://www.crunchbase.example/x\n",
				pick(i%5, "https://github.com/example/"+word(shared)+fmt.Sprint(shared), "https://github.com/example/"+word(shared)+fmt.Sprint(shared), ""), word(i))
			if i%4 == 0 {
				fmt.Fprintf(&b, "            description: >-\n              Runs the %s of a cluster:\n              \"%s\" and more.\n            project: %s\n", word(i), word(i+1), pick(i/4, "sandbox", "incubating", "graduated"))
			}
		}
		return [][2]string{{"landscape.yml", b.String()}}
	}},
	{name: "packages", rows: 600, m: "homebrew", files: func(n int) [][2]string {
		list := []any{}
		for i := range n {
			p := map[string]any{"name": strings.ReplaceAll(strings.ToLower(title(i)), " ", "-"), "tap": "homebrew/core",
				"desc": pick(i, "Turns", "Finds", "Draws") + " the " + word(i*3) + " of a \"" + word(i) + "\"", "license": pick(i, "MIT", "Freeware",
					"GPL-3.0-or-later,...", "Apache-2.0 AND (MIT OR BSD-3-Clause)", "GPL-2.0", "Public Domain"),
				"homepage": rare(i, 31, "http://old.example/"+word(i), "https://"+word(i)+".example/#"+fmt.Sprint(i)), "versions": map[string]any{"stable": pick(i, "1.10", "2024-01-01", "3")},
				"dependencies": []string{word(i + 1), word(i + 1), word(i + 2)}, "aliases": []string{"w" + fmt.Sprint(i)}, "deprecated": i%50 == 0, "disabled": i%200 == 199}
			if i%40 == 5 {
				p["caveats"] = ""
			} else if i%40 == 6 {
				p["caveats"] = "Run:\n  start <name>\n"
			}
			if i%100 == 7 {
				p["desc"] = nil
			}
			list = append(list, p)
		}
		text, _ := json.Marshal(list)
		return [][2]string{{"formula.json", string(text)}}
	}},
	{name: "endoflife", rows: 500, m: "endoflife", files: func(n int) (files [][2]string) {
		for i := range n {
			files = append(files, [2]string{"products/" + word(i) + fmt.Sprint(i) + ".md", fmt.Sprintf(`---
title: %q
category: %s
tags: %s %s
permalink: /%s%d
alternate_urls:
-   /%s_%d
-   /%s/v%d
versionCommand: %s --version
releasePolicyLink: %s://policy.example/%d
releases:
-   releaseCycle: "3.10"
    releaseDate: 202%d-10-04
    eol: %s
    latest: "3.10.%d"
    latestReleaseDate: 2024-09-07
-   releaseCycle: %d
    eol: true
---

> [%s](https://%s.example/) is a %s for %s. It %s.

%s<ul><li>one</li>
<li>two <b>bold</b></li></ul>

See [the policy](/%s_policy) and <https://%s.example/a>.
`, title(i), pick(i, "lang", "server-app", "os"), word(i), word(i+1), word(i), i, word(i), i, word(i), i, word(i),
				rare(i, 60, "http", "https"), i, i%6, pick(i, "2026-10-04", "false", "true"), i, i%20,
				title(i), word(i), word(i*3), word(i*5), pick(i, "rests", "grows"), rare(i, 25, "<!-- a comment -->\n", ""), word(i), word(i))})
		}
		return files
	}},
	{name: "advisories", rows: 700, m: "osv", files: func(n int) (files [][2]string) {
		for i := range n {
			a := map[string]any{"id": fmt.Sprintf("GO-2024-%04d", i), "published": rare(i, 70, "0001-01-01T00:00:00Z", "2024-01-02T03:04:05Z"),
				"modified": "2024-05-06T07:08:09Z", "aliases": []string{fmt.Sprintf("CVE-2024-%d", i), fmt.Sprintf("GHSA-%d", i), fmt.Sprintf("CVE-2024-%d", i-either(i%100 == 7, 1, 0))},
				"summary": pick(i, "Reads", "Writes", "Leaks") + " too much in " + word(i) + ".example/" + word(i*3),
				"details": "The " + word(i) + " is read twice.\n\n- by the " + word(i+2) + "\n- and by <nobody>\n\n" + rare(i, 300, "It keeps links with \"javascript:\" in them.", "It ends."),
				"affected": []any{map[string]any{"package": map[string]any{"name": word(i) + ".example/" + word(i*3), "ecosystem": pick(i/2, "Go", "npm", "PyPI", "crates.io")},
					"ranges": []any{map[string]any{"events": []any{map[string]any{"introduced": "0"}, map[string]any{"fixed": fmt.Sprintf("1.%d.0", i)}}}}}},
				"database_specific": map[string]any{"severity": pick(i, "HIGH", "LOW", "MODERATE")}}
			if i%90 == 3 {
				a["withdrawn"] = "2024-06-06T00:00:00Z"
			}
			text, _ := json.MarshalIndent(a, "", "  ")
			files = append(files, [2]string{fmt.Sprintf("%04d.json", i), string(text)})
		}
		return files
	}},
	{name: "servers", rows: 500, files: func(n int) (files [][2]string) {
		for i := range n {
			source := fmt.Sprintf("source:\n  project: https://github.com/example/servers%d/tree/main/src/%s\n", i/20, word(i))
			if i%4 == 3 {
				source = fmt.Sprintf("remote:\n  transport_type: sse\n  url: https://mcp.%s.example/sse\n", word(i))
			}
			files = append(files, [2]string{"servers/" + word(i) + fmt.Sprint(i) + "/server.yaml", fmt.Sprintf(`name: %s%d
image: mcp/%s
type: server
meta:
  category: %s
  tags:
    - %s
    - %s
about:
  title: %s
  description: %s with %s. Ask for the %s.
  icon: https://avatars.example/u/%d
%sconfig:
  secrets:
    - name: %s.key
      env: KEY
      example: <KEY>
`, word(i), i, word(i), pick(i/2, "devops", "search", "data-analytics"), pick(i, "Search", "remote"), word(i), either(i%50 == 1, title(i-1), title(i)),
				pick(i, "Talks", "Works"), title(i), word(i), i, source, word(i))})
		}
		return files
	}, m: `files: servers/*/server.yaml
key: name
fields:
  name: about.title
  purpose: {from: about.description, with: plain}
  category: {from: meta.category, with: words}
  topics: meta.tags
  repositoryUrl: {from: source.project, with: repository}
  homepageUrl: remote.url
  fitNotes.runs: {from: [remote.transport_type, type]}
facts:
  - key: runs
    kind: choice
    label: Runs
    meaning: Whether it runs on your computer or elsewhere, and how it is reached.
    filter: {parameter: runs}
`},
	{name: "awesome", rows: 500, m: "awesome-list", files: func(n int) [][2]string {
		var b strings.Builder
		b.WriteString("# Awesome Things [![Awesome](https://awesome.example/badge.svg)](https://awesome.example)\n\n<!-- toc -->\n- [One](#one)\n  - [Two](#two)\n\n")
		for i := range n {
			if i%40 == 0 {
				fmt.Fprintf(&b, "\n## %s things\n\nSome words.\n\n", title(i/40))
			}
			if i%200 == 100 {
				b.WriteString("* Without a link\n")
			}
			indent := either(i%40 > 30, "    ", "")
			if i%40 == 31 {
				b.WriteString("* More:\n")
			}
			fmt.Fprintf(&b, "%s* [%s](%s)%s%s\n", indent, title(i), pick(i, "https://github.com/example/"+word(i)+fmt.Sprint(i), rare(i, 29, "http", "https")+"://"+word(i)+".example/"+fmt.Sprint(i), "https://"+word(i)+".example/"+fmt.Sprint(i)+"_(x)"),
				pick(i, " - ", " – ", ": ", " "), pick(i, "Draws **"+word(i)+"** and `"+word(i+1)+"`.", "Keeps *"+word(i)+"*. ([Demo](https://demo.example/"+word(i)+")) `MIT`", "Finds "+word(i*3)+" ![x](https://b.example/x.svg)", "Has &amp; a <kbd>key</kbd> of "+word(i)))
		}
		return [][2]string{{"README.md", b.String()}}
	}},
	{name: "alternatives", rows: 500, files: func(n int) [][2]string {
		var b strings.Builder
		b.WriteString("## Alternatives\n\n|Category|Company|Description|GitHub Stars|Alternative to|\n|:-------|:------|:----------|:----------:|:------------|\n")
		for i := range n {
			fmt.Fprintf(&b, "%s|[%s](%s://%s.example/)|%s a \\| %s|<a href=https://github.com/example/%s%d><img src=\"https://img.example/%d.svg\" width=150/></a>|[%s Pro](https://pro.example/), [%s](https://x.example)|\n",
				pick(i/9, "CRM", "Web hosting", "Forms, surveys"), title(i), rare(i, 49, "http", "https"), word(i)+fmt.Sprint(i), pick(i, "Makes", "Sends"), word(i*3), word(i), i, i,
				title(i%60), title(i%40))
		}
		return [][2]string{{"README.md", b.String()}}
	}, m: `format: markdown
fields:
  name: Company
  purpose: Description
  category: Category
  replaces: Alternative to.links.text
  homepageUrl: Company.url
`},
	{name: "instruments", rows: 3000, m: "auto", files: func(n int) [][2]string {
		var b strings.Builder
		b.WriteString("\ufeffInventory No.;Instrument;Family;Description;Maker;Year;Weight;Length (cm);In tune;Materials;Restored on;Photo\n")
		for i := range n {
			fmt.Fprintf(&b, "MI-%04d;%s;%s;\"%s with a \"\"%s\"\" of %s; it sounds\nin %s.\";%s;%s;%s g;%s;%s;%s;%s;https://photos.example/%d.jpg\n", i, title(i),
				pick(i/3, "Strings", "Winds", "Drums & bells"), pick(i, "A lute", "A flute", "A drum"), word(i), word(i*3), word(i*5), rare(i, 40, "", word(i)+" & Sons"),
				fmt.Sprint(1700+i%300), pick(i, "1,250", "980", "12 500"), pick(i, "80,5", "41.0", "7"), pick(i, "yes", "no"), pick(i, "wood, brass", "brass", "wood, gut, skin"),
				pick(i, "2019-05-06", "06.07.2020", ""), i)
		}
		b.WriteString("MI-9999;Lonely \"quote;Strings;x\n")
		return [][2]string{{"instruments.csv", b.String()}}
	}},
	{name: "hugo", rows: 500, m: "hugo", files: func(n int) (files [][2]string) {
		for i := range n {
			matter := fmt.Sprintf("---\ntitle: %s\nlinkTitle: %s\ndescription: %s the %s of a page.\ncategories: [%s]\nkeywords: [%s, %s]\ndate: 2024-01-0%d\nlastmod: 2024-02-03T04:05:06+01:00\ndraft: %v\n---\n",
				either(i%30 == 1, title(i-1), title(i)), word(i), pick(i, "Returns", "Joins"), word(i*3), pick(i%5, "functions", "methods", ""), strings.ToUpper(word(i)), word(i+1), 1+i%9, i%100 == 99)
			if i%10 == 4 {
				matter = fmt.Sprintf("+++\ntitle = %q\ndescription = 'Returns \"%s\".' # a comment\ntags = [\n  \"a\",\n  \"b\",\n]\n[params]\nweight = %d\n+++\n", title(i), word(i), i)
			}
			body := "{{< new-in 0.100 >}}\n\nSee [other](/" + word(i) + "/) and [dead](dead.md#x).\n\n# One\n\n```go-html-template {file=\"layouts/x.html\"}\n{{ $x := 1 }}\n```\n\n" +
				rare(i, 45, "<!-- comment -->", rare(i, 44, "<div class=\"note\" title=\"x\">Text</div>", "Text.")) + "\n\n[unused]: https://unused.example\n"
			if i%150 == 7 {
				body += strings.Repeat("Long paragraph of "+word(i)+" words. ", 60) + "\n\n" + strings.Repeat(strings.Repeat("More of "+word(i)+" words here. ", 30)+"\n\n", 40)
			}
			if i%150 == 8 {
				body += strings.Repeat("[link](https://"+word(i)+".example/x) ", 150) + "\n"
			}
			files = append(files, [2]string{pick(i, "functions", "methods/page", "content") + "/" + word(i) + fmt.Sprint(i) + pick(i, ".md", "/index.md"), matter + body})
		}
		return files
	}},
}

// rare returns odd for one number of n.
func rare(i, n int, odd, usual string) string {
	if i%n == n/2 {
		return odd
	}
	return usual
}

// either returns one of two values.
func either[T any](isFirst bool, first, second T) T {
	if isFirst {
		return first
	}
	return second
}

// cpu returns the processor time that the program has taken.
func cpu() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// TestHeldLists brings lists in the form of well-known ones from an empty catalogue to a site, edits them and
// brings them again. In the long test, they are as long as the well-known ones.
func TestHeldLists(t *testing.T) {
	for _, h := range heldLists {
		t.Run(h.name, func(t *testing.T) {
			n := h.rows
			if testing.Short() {
				n = 24
			}
			source := map[string]string{}
			for _, file := range h.files(n) {
				source[file[0]] = file[1]
			}
			c := newCatalogue(t, source)
			m, from := h.m, c.source
			if len(source) == 1 {
				for name := range source {
					from = filepath.Join(c.source, name)
				}
			}
			if m == "auto" {
				text, reasons, err := importer.Guess(t.Context(), from, c.options())
				if err != nil {
					t.Fatal(err)
				}
				m = string(text)
				t.Logf("%s\n%s", strings.Join(reasons, "\n"), text)
			}
			runtime.GC()
			start := cpu()
			plan := c.run(from, m)
			imported := cpu() - start
			public := filepath.Join(c.dir, "public")
			start = cpu()
			report, err := generator.Build(t.Context(), generator.Options{Content: filepath.Join(c.dir, "content"), Out: public,
				Settings: c.options().Settings, Now: today.Time(), Pictures: generator.PicturesOff})
			built := cpu() - start
			if err != nil {
				t.Fatal(err, report.Findings)
			}
			repeatedRows := plan.Entries - plan.New
			if plan.New != report.Listings || plan.New < n*9/10 || repeatedRows > plan.Count(importer.Skipped)+plan.Count(importer.Ignored) {
				t.Errorf("%d entries: %d new, %d listings, %d skipped:\n%s", plan.Entries, plan.New, report.Listings,
					plan.Count(importer.Skipped), strings.Join(plan.Lines(false), "\n"))
			}
			t.Logf("%d rows: %d listings, %d skipped, %d left out, %d changed; CPU a listing: import with lint %.2f ms, build %.2f ms; %d files; %d warnings", plan.Entries, plan.New,
				plan.Count(importer.Skipped), plan.Count(importer.LeftOut), plan.Count(importer.Changed), ms(imported, plan.New), ms(built, plan.New), report.Files, len(report.Findings))
			t.Log(strings.Join(plan.Lines(false), "\n"))
			c.again(from, m, plan)
		})
	}
}

func ms(d time.Duration, n int) float64 { return d.Seconds() * 1000 / float64(max(n, 1)) }

// again edits a listing, deletes another, and imports again.
func (c *catalogue) again(from, m string, first *importer.Plan) {
	c.t.Helper()
	loaded := c.lint()
	edited, deleted := loaded.Listings[0], loaded.Listings[1]
	file := c.listing(edited.Slug)
	before := regexp.MustCompile(`(?m)^purpose: .*$`).ReplaceAllString(c.read(file), "purpose: Mine.\njobs:\n  - do what I say")
	c.write(file, before)
	if err := os.Remove(c.listing(deleted.Slug)); err != nil {
		c.t.Fatal(err)
	}
	plan := c.run(from, m)
	if after := c.read(file); plan.New > 0 || plan.Updated > 0 || plan.Deleted != 1 || len(plan.Left) > 0 || after != before {
		c.t.Errorf("again: %d new, %d updated, %d deleted, %v left; %s is\n%s", plan.New, plan.Updated, plan.Deleted, plan.Left, file, after)
	}
	if plan.Same != first.New-1 || plan.Count(importer.Kept) > 0 {
		c.t.Errorf("again: %d same of %d, %d kept", plan.Same, first.New, plan.Count(importer.Kept))
	}
}
