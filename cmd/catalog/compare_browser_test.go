package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/render"
	"catalog.example/templates"
)

// compareModule returns the address of the module of the comparison, on a page that has loaded it.
const compareModule = `performance.getEntriesByType("resource").map((e) => e.name).find((name) => /\/assets\/compare-.*\.js$/.test(name))`

// columns is true when the comparison shows these listings, in this order.
func columns(slugs ...string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("#compare thead a")].map((a) => a.pathname.split("/")[2]).join() === %q`, strings.Join(slugs, ","))
}

// checkComparison uses the comparison as people do.
func (s *testSite) checkComparison(t *testing.T, b *browser) {
	one := s.known(t, "ollama")
	two := s.known(t, "vllm", one)
	three := s.known(t, "llama-cpp", one, two)
	slugs := []string{one.Slug, two.Slug, three.Slug}
	open := func(t *testing.T, query string) {
		t.Helper()
		b.do(t, chromedp.EmulateViewport(wide, 900), chromedp.Navigate("about:blank"), chromedp.Navigate(s.base+"/compare/?slugs="+strings.Join(slugs, ",")+query), chromedp.WaitVisible("#compare table"))
	}
	status := func(start string) string {
		return fmt.Sprintf(`document.querySelector("#compare-status").textContent.startsWith(%q)`, start)
	}
	focused := func(label string) string { return fmt.Sprintf(`document.activeElement.ariaLabel === %q`, label) }
	search := func(query string) string { return fmt.Sprintf(`location.search === "?slugs=%s"`, query) }

	t.Run("comparison: columns move and are pinned by keyboard, and the focus stays", func(t *testing.T) {
		open(t, "")
		b.do(t, chromedp.Focus(`#compare button[aria-label="Move `+one.Name+` after `+two.Name+`"]`))
		b.press(t, "Enter", false)
		b.waitFor(t, columns(two.Slug, one.Slug, three.Slug)+" && "+status(one.Name+" is column 2 of 3. 3 listings")+" && "+focused("Move "+one.Name+" after "+three.Name))
		b.press(t, "Enter", false)
		// There is no more to the right: the focus goes to the other button.
		b.waitFor(t, columns(two.Slug, three.Slug, one.Slug)+" && "+search(two.Slug+","+three.Slug+","+one.Slug)+" && "+focused("Move "+one.Name+" before "+three.Name))
		b.do(t, chromedp.Focus(`#compare button[aria-label="Pin `+one.Name+`"]`))
		b.press(t, "Enter", false)
		const pinned = `document.querySelector("#compare.pinned th:nth-child(2) [data-act=pin]") === document.activeElement && document.activeElement.textContent === "Unpin"`
		b.waitFor(t, columns(one.Slug, two.Slug, three.Slug)+" && "+pinned+" && "+focused("Unpin "+one.Name)+" && "+status(one.Name+" is first, and the others are compared with it."))
		address := search(two.Slug + "," + three.Slug + "," + one.Slug + "&pin=" + one.Slug)
		b.waitFor(t, address+" || "+strings.Replace(address, two.Slug+","+three.Slug+","+one.Slug, one.Slug+","+two.Slug+","+three.Slug, 1))
		// Nothing moves before what is pinned.
		if evaluate[bool](t, b, fmt.Sprintf(`[...document.querySelectorAll("#compare button")].some((b) => b.ariaLabel.endsWith(%q))`, " before "+one.Name)) {
			t.Error("a column can be moved before the pinned one")
		}
		// Rows are marked where another differs from it, and the cells that do.
		wrong := evaluate[[]string](t, b, `[...document.querySelectorAll("#compare tbody tr.differs")].filter((r) => {
			const [, first, ...others] = [...r.cells].map((c) => c.textContent);
			return r.cells[1].matches(".apart") || ![...r.cells].some((c) => c.matches(".apart")) || others.some((text, i) => r.cells[i + 2].matches(".apart") !== (text.endsWith(" (differs)")));
		}).map((r) => r.textContent)`)
		if len(wrong) > 0 || evaluate[int](t, b, `document.querySelectorAll("#compare .apart").length`) == 0 {
			t.Errorf("against the pinned column, these rows are marked wrongly: %q", wrong)
		}
		b.press(t, "Enter", false)
		b.waitFor(t, `!document.querySelector("#compare.pinned") && document.activeElement.textContent === "Pin" && !location.search.includes("pin") && `+status(one.Name+" is no longer pinned."))
		evaluate[bool](t, b, `(history.back(), true)`)
		b.waitFor(t, `document.querySelector("#compare.pinned") && location.search.includes("pin=")`)
		b.report(t)
	})

	t.Run("comparison: the address holds what is shown", func(t *testing.T) {
		open(t, "&pin="+strings.ToUpper(three.Slug)+"&only=1")
		b.waitFor(t, columns(three.Slug, one.Slug, two.Slug)+` && document.querySelector("#compare.only.pinned") && document.querySelector("#compare-only input").checked`)
		const hidden = `[...document.querySelectorAll("#compare tbody tr")].filter((r) => !r.checkVisibility()).length`
		if evaluate[int](t, b, hidden) == 0 {
			t.Error("only=1 hides no row")
		}
		b.do(t, chromedp.Click("#compare-only input"))
		b.waitFor(t, hidden+` === 0 && !location.search.includes("only")`)
		b.do(t, chromedp.Click("#compare-only input"))
		b.waitFor(t, hidden+` > 0 && location.search.endsWith("&pin=`+three.Slug+`&only=1")`)
		b.do(t, chromedp.Click(`#compare button[aria-label="Remove `+three.Name+`"]`))
		b.waitFor(t, columns(one.Slug, two.Slug)+` && !document.querySelector("#compare.pinned") && location.search.endsWith("&only=1")`)
		open(t, "&pin=nobody")
		b.waitFor(t, columns(slugs...)+` && !document.querySelector("#compare.pinned")`)
		b.report(t)
	})

	t.Run("comparison: names stay in sight, and only the page scrolls down", func(t *testing.T) {
		for _, width := range []int64{390, 768, 1440} {
			open(t, "&pin="+two.Slug)
			b.do(t, chromedp.EmulateViewport(width, 800))
			b.checkNamesInSight(t, width)
			b.checkWidth(t, width)
		}
		b.do(t, chromedp.EmulateViewport(wide, 900))
		b.report(t)
	})

	t.Run("comparison: who is told apart from nobody is not told for whom", func(t *testing.T) { s.checkLoneSuits(t, b) })

	t.Run("comparison: the word of a tick box can be tapped", func(t *testing.T) {
		evaluate[bool](t, b, `(sessionStorage.clear(), true)`)
		defer evaluate[bool](t, b, `(sessionStorage.clear(), true)`)
		for _, path := range []string{"/categories/" + one.Category + "/", "/search/?q=" + one.Slug} {
			b.do(t, chromedp.EmulateViewport(390, 800), chromedp.Navigate("about:blank"), chromedp.Navigate(s.base+path))
			const box = `[...document.querySelectorAll("main tbody .choose input")].find((e) => e.checkVisibility())`
			b.waitFor(t, box)
			at := evaluate[[]float64](t, b, `(() => { const e = `+box+`.parentElement; e.scrollIntoView({ block: "center" }); const r = e.getBoundingClientRect(); return `+nextPaint+`.then(() => [r.left, r.top, r.width, r.height]); })()`)
			if at[2] < 24 || at[3] < 24 {
				t.Errorf("%s: it has %v pixels", path, at[2:])
			}
			b.do(t, chromedp.MouseClickXY(at[0]+3, at[1]+at[3]/2))
			b.waitFor(t, box+`.checked`)
			b.do(t, chromedp.MouseClickXY(at[0]+3, at[1]+at[3]/2))
			b.waitFor(t, "!"+box+`.checked`)
		}
		b.do(t, chromedp.EmulateViewport(wide, 900))
		b.report(t)
	})

	t.Run("comparison: no line breaks within days, figures with units, and names", func(t *testing.T) {
		open(t, "")
		b.do(t, chromedp.EmulateViewport(360, 800))
		if broken := evaluate[[]string](t, b, `(() => {
			const words = /\d+ GB|\d{4}-\d\d-\d\d|x86-64|Apache-2\.0/g, found = [], broken = [];
			for (const cell of document.querySelectorAll("#compare td")) {
				// The words may be in elements of their own: a position in the text of the cell is one in a text node.
				const nodes = [], walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
				for (let at = 0; walker.nextNode(); at += walker.currentNode.length) nodes.push({ at, node: walker.currentNode });
				const place = (i) => { const { at, node } = nodes.findLast((n) => n.at <= i); return [node, i - at]; };
				for (const { 0: word, index } of cell.textContent.matchAll(words)) {
					const range = document.createRange(), [last, end] = place(index + word.length - 1);
					range.setStart(...place(index));
					range.setEnd(last, end + 1);
					found.push(word);
					if (new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1) broken.push(word);
				}
			}
			return found.length < 5 ? ["only found: " + found] : broken;
		})()`); len(broken) > 0 {
			t.Errorf("at 360 pixels, lines break in %q", broken)
		}
		b.report(t)
	})

	t.Run("comparison: the page says which is for whom as the API does", func(t *testing.T) { s.checkSuits(t, b) })
}

// checkNamesInSight turns the wheel over a comparison until the page ends, moves the columns, and looks for their names.
func (b *browser) checkNamesInSight(t *testing.T, width int64) {
	t.Helper()
	const shown = `getComputedStyle(document.querySelector("#compare-names")).visibility === "visible"`
	if evaluate[bool](t, b, `(scrollTo(0, 0), `+nextPaint+`)`); evaluate[bool](t, b, shown) {
		t.Errorf("at %d pixels, names are there twice", width)
	}
	for turns := 0; !evaluate[bool](t, b, `scrollY + innerHeight >= document.documentElement.scrollHeight - 1`); turns++ {
		if turns > 20 {
			t.Fatalf("at %d pixels, the wheel does not reach the end of the page", width)
		}
		call(t, b, input.SynthesizeScrollGesture, input.SynthesizeScrollGestureParams{X: float64(width) / 2, Y: 400, YDistance: -4000, Speed: 100_000, GestureSourceType: input.GestureSourceTypeMouse})
		evaluate[bool](t, b, nextPaint)
	}
	b.waitFor(t, shown)
	for _, left := range []int{0, 60} {
		evaluate[bool](t, b, fmt.Sprintf(`(document.querySelector("#compare").scrollLeft = %d, `, left)+nextPaint+`)`)
		if wrong := evaluate[string](t, b, `(() => {
			const place = document.querySelector("#compare"), rect = (e) => e.getBoundingClientRect();
			const last = rect(place.querySelector("tbody tr:last-child")), heads = [...place.querySelectorAll("thead th")], names = [...document.querySelectorAll("#compare-names div > span")];
			if (place.scrollTop || place.scrollHeight > place.clientHeight) return "the columns scroll down on their own";
			if (last.bottom > innerHeight || last.bottom < 100) return "the last row is not in sight";
			if (names.length !== heads.length || names.some((e, i) => !heads[i].textContent.startsWith(e.textContent))) return "the names are others";
			if (names.some((e) => rect(e).top < 0 || rect(e).bottom > Math.min(last.bottom, innerHeight / 2))) return "the names are out of sight";
			if (names.some((e, i) => Math.abs(rect(e).left - rect(heads[i]).left) > 1)) return "the names are not above their columns";
			return innerWidth >= 768 && rect(names[1]).left < 100 ? "the pinned column is out of sight" : "";
		})()`); wrong != "" {
			t.Errorf("at %d pixels, moved by %d: %s", width, left, wrong)
		}
	}
	// The names do not cover what gets the focus.
	if evaluate[bool](t, b, `(document.querySelector("#compare thead a").focus(), `+nextPaint+`)`); evaluate[bool](t, b, `document.activeElement.getBoundingClientRect().top < document.querySelector("#compare-names").offsetHeight`) {
		t.Errorf("at %d pixels, the names hide what has the focus", width)
	}
	// Nor does the first column, where columns are moved below it.
	if width < 768 && evaluate[bool](t, b, `(() => {
		const place = document.querySelector("#compare"), button = place.querySelector("thead th:nth-child(2) button");
		place.scrollLeft = 1e5;
		button.focus();
		return button.getBoundingClientRect().left < place.querySelector("thead th").getBoundingClientRect().right;
	})()`) {
		t.Errorf("at %d pixels, the first column hides what has the focus", width)
	}
}

// checkLoneSuits compares a pair of which one alone has a reason to choose it.
func (s *testSite) checkLoneSuits(t *testing.T, b *browser) {
	const row = `[...document.querySelectorAll("#compare tbody th")].some((e) => e.textContent === "Which for whom?")`
	seen := map[bool]bool{}
	for i := range s.content.Listings[1:] {
		first, second := &s.content.Listings[i].Project, &s.content.Listings[i+1].Project
		suits := s.content.Taxonomy.Suits(&s.settings, []*api.Project{first, second})
		both := len(suits[0]) > 0 && len(suits[1]) > 0
		if seen[both] || len(suits[0])+len(suits[1]) == 0 {
			continue
		}
		seen[both] = true
		b.do(t, chromedp.Navigate(s.base+"/compare/?slugs="+first.Slug+","+second.Slug), chromedp.WaitVisible("#compare table"))
		if got := evaluate[bool](t, b, row); got != both {
			t.Errorf("of %s and %s, both have a reason: %v; the row is there: %v", first.Slug, second.Slug, both, got)
		}
	}
	if len(seen) != 2 {
		t.Errorf("the catalogue has %v", seen)
	}
}

// checkSuits compares the phrases of the page code with those of package api: on the shared cases, and for similar
// listings of the catalogue.
func (s *testSite) checkSuits(t *testing.T, b *browser) {
	var file struct {
		Taxonomy api.Taxonomy
		Cases    json.RawMessage
	}
	if err := json.Unmarshal([]byte(readText(t, "../../api/testdata/suits.json")), &file); err != nil {
		t.Fatal(err)
	}
	files, err := templates.Files(nil)
	if err != nil {
		t.Fatal(err)
	}
	shared, err := render.New(&render.Site{Settings: site.Defaults(), Content: &content.Content{Taxonomy: file.Taxonomy}, Templates: files})
	if err != nil {
		t.Fatal(err)
	}
	var code string
	for name, text := range shared.Assets {
		if strings.HasPrefix(name, "assets/compare-") {
			code = strings.ReplaceAll(string(text), "export function", "function")
		}
	}
	b.do(t, chromedp.Navigate(s.base+"/compare/?slugs="+s.content.Listings[0].Slug), chromedp.WaitVisible("#compare table"))
	for _, wrong := range evaluate[[]string](t, b, `(() => { `+code+`; return (`+string(file.Cases)+`).flatMap((c) => {
		const got = JSON.stringify(suitsOf(c.listings));
		return got === JSON.stringify(c.want) ? [] : [c.name + ": " + got];
	}); })()`) {
		t.Error(wrong)
	}

	got := evaluate[map[string][][]string](t, b, `(async () => {
		const { suitsOf } = await import(`+compareModule+`), { projects } = await (await fetch("/api/v1/catalog.json")).json(), by = Object.fromEntries(projects.map((p) => [p.slug, p]));
		return Object.fromEntries(projects.map((p) => [p.slug, suitsOf([p, ...p.similar.slice(0, 4).map((slug) => by[slug])])]));
	})()`)
	bySlug, known := map[string]*api.Project{}, 0
	for _, l := range s.content.Listings {
		bySlug[l.Slug] = &l.Project
	}
	for _, l := range s.content.Listings {
		compared := []*api.Project{&l.Project}
		similar := decodeJSON[struct{ Similar []string }](t, s.file(t, "api/v1/projects/"+l.Slug+".json")).Similar
		for _, slug := range similar[:min(4, len(similar))] {
			compared = append(compared, bySlug[slug])
		}
		for i, suits := range s.content.Taxonomy.Suits(&s.settings, compared) {
			want := []string{}
			for k := range suits {
				want = append(want, suits[k].Text())
			}
			if !slices.Equal(got[l.Slug][i], want) {
				t.Errorf("beside those similar to %s, %s is said to be right %q, want %q", l.Slug, compared[i].Slug, got[l.Slug][i], want)
			}
			known += len(want)
		}
	}
	if known < len(s.content.Listings) {
		t.Errorf("there are only %d phrases", known)
	}
}
