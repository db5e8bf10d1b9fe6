package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"catalog.example/api/site"
	"catalog.example/api/soak"
)

// Names that are hard to lay out: a long word that cannot be broken, and right-to-left
// names with digits and brackets, whose order depends on the text around them.
var (
	unbroken = strings.Repeat("Wide", 16)
	hebrew   = "מנורה 2.0 (בטא)"
	arabic   = "مصباح الكلام 3!"
)

// writeExtremes writes a content folder with the fullest and the emptiest listings that
// are allowed: 40 platforms, an unbreakable name and licence, right-to-left names, a
// listing without facts, and a category without listings.
func writeExtremes(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, lines ...string) {
		writeText(t, filepath.Join(dir, name), strings.Join(lines, "\n")+"\n")
	}
	var platforms, slugs []string
	for n := range 40 {
		slugs = append(slugs, fmt.Sprintf("system-%d", n+1))
		platforms = append(platforms, fmt.Sprintf("- slug: system-%d\n  name: Operating System %d", n+1, n+1))
	}
	write("taxonomy/platforms.yml", platforms...)
	write("taxonomy/products.yml", "- slug: grand-scribe", "  name: Grand Scribe", "  maker: Scribe and Daughters")
	write("taxonomy/categories.yml",
		"- slug: full", "  name: Full", "  description: Listings of every kind.", "  group: Shelves",
		"- slug: empty", "  name: Empty", "  description: Nothing is here.", "  group: Shelves")
	write("taxonomy/facts.yml", readText(t, "../../content/taxonomy/facts.yml"))
	write("pages/about.md", "---", "title: About", "description: What this is.", "---", "Hard cases.")
	listing := func(slug, name string, more ...string) {
		write("projects/"+slug+".md", append(append([]string{
			"---", "name: " + fmt.Sprintf("%q", name), "category: full", "repositoryUrl: https://code.example.org/" + slug, "addedAt: 2026-09-02"}, more...),
			"---", "## What it does", "", "Stands here to be hard on the page "+strings.Repeat("unbroken", 40)+".", "", "```", strings.Repeat("code ", 60), "```",
			"", "| "+strings.Repeat("heading | ", 12), "|"+strings.Repeat(" --- |", 12), "| "+strings.Repeat("unbroken | ", 12))...)
	}
	long := strings.Repeat("x", 76)
	listing("unbroken", unbroken, "purpose: "+strings.Repeat("y", 160), "jobs: ["+strings.Repeat("z", 60)+"]",
		"platforms: ["+strings.Join(slugs, ", ")+"]", "license: LicenseRef-"+long, "osiApproved: false", "stars: 9999999", "starsAsOf: 2026-08-21",
		"replaces: [Grand Scribe]", "language: "+long[:40], "archived: true", "updatedAt: 2026-08-21",
		"fitNotes: {docker: true, beginner: true, selfHosted: true, gpu: required, worksOffline: true, apiKey: optional, caveats: ["+long+long+"]}",
		"setups:", "  - {for: "+long+", ramGb: 512.5, vramGb: 80, diskGb: 99999}", "  - {for: "+long+long+", ramGb: 1024, vramGb: 160, gpuVendor: nvidia, level: recommended, source: \"https://code.example.org/"+long+long+"\"}",
		"installLinks:", "  - {kind: docker, label: "+long[:60]+", url: \"https://code.example.org/"+long+"\", command: "+long+long+"}", "checkedAt: 2026-08-21",
		"release: {version: "+long+", date: 2026-08-21}",
		"sources:", "  license: https://code.example.org/"+long+long)
	listing("menora", hebrew, "purpose: Reads scrolls aloud.", "jobs: [read scrolls aloud]", "platforms: [system-1]", "archived: true", "replaces: [Grand Scribe]", "stars: 7", "starsAsOf: 2026-08-21")
	listing("misbah", arabic, "purpose: Writes speech down.", "jobs: [read scrolls aloud]", "platforms: [system-1]", "replaces: [Grand Scribe]")
	listing("bare", "Bare", "purpose: Has no facts.", "jobs: [have no facts]")
	return dir
}

// checkCards checks pages with the layout cards, whose words are translated. Nothing out of sight takes the focus.
func checkCards(t *testing.T, folder string) {
	labels := filepath.Join(t.TempDir(), "labels")
	writeText(t, filepath.Join(labels, "labels.yml"), "Compare: 'Ver\"gleichen'\nupdated: aktualisiert\nlicence: Lizenz\n")
	cards := newSite(t, folder, func(settings *site.Settings) { settings.Layout, settings.Overrides = site.LayoutCards, labels })
	c, g := newPageChecker(t), &gate{Handler: cards.server(t, time.Now).Handler()}
	at := cards.withHandler(t, g)
	visits := map[string][]visit{"collection": {{path: "/categories/full/"}}, "search": {{path: "/search/", ready: `!document.querySelector(".busy")`}}}
	c.checkVisits(t, at.base, g, visits)
	for _, v := range []visit{visits["collection"][0], visits["search"][0]} {
		c.open(t, at.base, g, v)
		if n := evaluate[int](t, c.browser, `[...document.querySelectorAll(".listings thead button")].filter((b) => b.tabIndex >= 0).length`); n > 0 {
			t.Errorf("%s: %d buttons out of sight take the focus", v.path, n)
		}
	}
	words := evaluate[string](t, c.browser, `["td.choose label", "td.updated"].map((e) => getComputedStyle(document.querySelector(e), "::before").content).join()`)
	if want := `"Ver\"gleichen "," · aktualisiert "`; words != want {
		t.Errorf("the words are %s, want %s", words, want)
	}
}

// TestExtremes checks the pages of listings that are hard to lay out.
func TestExtremes(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	folder := writeExtremes(t)
	s := newSite(t, folder)
	g := &gate{Handler: s.server(t, (&steppingClock{current: s.builtAt, step: time.Second}).now).Handler()}
	site := s.withHandler(t, g)
	c := newPageChecker(t)
	const compared = `document.querySelectorAll("#compare thead a").length === 4`
	const hits = `document.querySelectorAll("#search-hits tbody tr").length === 4 && !document.querySelector(".busy")`
	visits := map[string][]visit{
		"home":        {{path: "/"}},
		"project":     {{path: "/projects/unbroken/"}, {path: "/projects/menora/"}, {path: "/projects/bare/"}},
		"collection":  {{path: "/categories/full/"}, {path: "/categories/empty/"}, {path: "/alternatives/grand-scribe/"}},
		"search":      {{path: "/search/", ready: hits}},
		"compare":     {{path: "/compare/?slugs=unbroken,menora,misbah,bare", ready: compared}},
		"overview":    {{path: "/platforms/"}},
		"numbers":     {{path: "/numbers/"}},
		"questions":   {{path: "/choose/"}},
		"suggest":     {{path: "/suggest/"}},
		"right first": {{path: "/projects/misbah/"}},
	}
	c.checkVisits(t, site.base, g, visits)
	t.Run("cards", func(t *testing.T) { checkCards(t, folder) })

	// A right-to-left name is isolated: it does not reorder the text around it, and that
	// does not reorder its digits and brackets.
	t.Run("right-to-left names keep the line", func(t *testing.T) {
		if err := chromedp.Do(c, chromedp.EmulateViewport(wide, 900)); err != nil {
			t.Fatal(err)
		}
		for _, v := range []visit{
			{path: "/"}, {path: "/projects/menora/"}, {path: "/projects/misbah/"}, {path: "/categories/full/"}, {path: "/alternatives/grand-scribe/"},
			{path: "/newest/"}, {path: "/search/", ready: hits}, {path: "/compare/?slugs=menora,misbah,bare,unbroken", ready: compared},
		} {
			c.open(t, site.base, g, v)
			found := evaluate[struct {
				Names int
				Bare  []string
			}](t, c.browser, fmt.Sprintf(`(() => {
				const names = [%q, %q], found = {Names: 0, Bare: []};
				for (const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); walk.nextNode();) {
					const text = walk.currentNode.data, parent = walk.currentNode.parentElement;
					if (!names.some((n) => text.includes(n)) || parent.closest("script")) continue;
					found.Names++;
					const alone = parent.closest("bdi, [dir=auto]");
					if (!alone || !names.includes(alone.textContent) || getComputedStyle(alone).unicodeBidi !== "isolate") found.Bare.push(parent.outerHTML);
				}
				return found;
			})()`, hebrew, arabic))
			if found.Names == 0 {
				t.Errorf("%s names none of them", v.path)
			}
			for _, text := range found.Bare {
				t.Errorf("%s: not on its own: %s", v.path, text)
			}
		}
		// On screen, the tag is on the same line, to the right of the name.
		for _, v := range []visit{{path: "/categories/full/"}, {path: "/search/", ready: hits}} {
			c.open(t, site.base, g, v)
			if got := evaluate[string](t, c.browser, `(() => {
				const name = document.querySelector("table.listings a[href$='/menora/'] bdi").getBoundingClientRect();
				const tag = document.querySelector("table.listings a[href$='/menora/']").closest("th").querySelector(".over").getBoundingClientRect();
				const cell = document.querySelector("table.listings a[href$='/menora/']").closest("th").getBoundingClientRect();
				return name.left - cell.left < 40 && tag.left >= name.right && tag.top < name.bottom ? "" : JSON.stringify({name, tag, cell});
			})()`); got != "" {
				t.Errorf("%s: the name and what follows it are not in order: %s", v.path, got)
			}
		}
	})

	t.Run("on paper", func(t *testing.T) { checkPrint(t, c, site.base, g) })
}

// checkPrint prints a listing. Navigation is left out, facts stay, and links show their
// addresses.
func checkPrint(t *testing.T, c *pageChecker, base string, g *gate) {
	t.Helper()
	if err := chromedp.Do(c, chromedp.EmulateViewport(794, 1123)); err != nil { // A4 at 96 dots an inch
		t.Fatal(err)
	}
	c.open(t, base, g, visit{path: "/projects/unbroken/"})
	for _, scheme := range []string{"light", "dark"} {
		c.setMedia(t, scheme, "print")
		if seen := evaluate[[]string](t, c.browser, `[...document.querySelectorAll("nav, form, .skip, button")].filter((e) => e.checkVisibility()).map((e) => e.outerHTML.slice(0, 80))`); len(seen) > 0 {
			t.Errorf("printed, %s: %q can be seen", scheme, seen)
		}
		for _, want := range []string{"h1", ".lead", ".facts-table td", "a.source", ".install a", ".command code", ".texts li", ".about p"} {
			if !evaluate[bool](t, c.browser, fmt.Sprintf(`(() => { const all = [...document.querySelectorAll(%q)];
				return all.length > 0 && all.every((e) => e.checkVisibility({contentVisibilityAuto: true}) && e.getBoundingClientRect().height > 0); })()`, want)) {
				t.Errorf("printed, %s: %s cannot be seen", scheme, want)
			}
		}
		if hiddenURLs := evaluate[[]string](t, c.browser, `[...document.querySelectorAll("main a[href^=http]")].filter((a) => new URL(a.href).origin !== location.origin &&
			!getComputedStyle(a, "::after").content.includes(a.getAttribute("href"))).map((a) => a.outerHTML)`); len(hiddenURLs) > 0 {
			t.Errorf("printed, %s: nobody reads where these lead: %q", scheme, hiddenURLs)
		}
		c.checkWidth(t, 794)
		if paper := evaluate[string](t, c.browser, `getComputedStyle(document.body).backgroundColor`); paper != "rgb(255, 255, 255)" {
			t.Errorf("printed, %s: the paper is %s", scheme, paper)
		}
		c.checkAccessibility(t, true)
	}
	c.setMedia(t, "light", "")
	// The browser can also print the page to a PDF.
	pdf, err := chromedp.Run(c, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4)))
	if err != nil || !strings.HasPrefix(string(pdf), "%PDF-") || len(pdf) < 10_000 {
		t.Errorf("a PDF of %d bytes: %v", len(pdf), err)
	}
	c.report(t)
}

// TestFootStays checks that the foot of a short page begins where it ends up, however much of it has arrived, and
// reaches to the lower edge of the window.
func TestFootStays(t *testing.T) {
	t.Parallel()
	s, b := newSite(t, "testdata/content"), newBrowser(t)
	for _, size := range [][2]int64{{320, 1400}, {wide, 1400}} {
		b.do(t, chromedp.EmulateViewport(size[0], size[1]), chromedp.Navigate(s.base+"/platforms/docker/"), chromedp.WaitVisible("footer.site"))
		edges := evaluate[[]float64](t, b, `(() => {
			const foot = document.querySelector("footer.site"), before = foot.getBoundingClientRect();
			foot.firstElementChild.replaceChildren();
			const after = foot.getBoundingClientRect();
			return [before.top, after.top, after.bottom];
		})()`)
		if edges[0] != edges[1] || edges[2] < float64(size[1]) {
			t.Errorf("at %d pixels, the foot begins at %v, and without its content at %v; it ends at %v", size[0], edges[0], edges[1], edges[2])
		}
	}
}
