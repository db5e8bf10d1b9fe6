package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

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
		b.do(t, chromedp.Focus(`#compare button[aria-label="Move `+one.Name+` after `+two.Name+`"]`), chromedp.KeyEvent("\r"))
		b.waitFor(t, columns(two.Slug, one.Slug, three.Slug)+" && "+status(one.Name+" is column 2 of 3. 3 listings")+" && "+focused("Move "+one.Name+" after "+three.Name))
		b.press(t, "Enter", false)
		// There is no more to the right: the focus goes to the other button.
		b.waitFor(t, columns(two.Slug, three.Slug, one.Slug)+" && "+search(two.Slug+","+three.Slug+","+one.Slug)+" && "+focused("Move "+one.Name+" before "+three.Name))
		b.do(t, chromedp.Focus(`#compare button[aria-label="Pin `+one.Name+`"]`), chromedp.KeyEvent("\r"))
		const pressed = `document.querySelectorAll("#compare [aria-pressed=true]").length === 1 && document.activeElement.ariaPressed === "true"`
		b.waitFor(t, columns(one.Slug, two.Slug, three.Slug)+" && "+pressed+" && "+focused("Pin "+one.Name)+" && "+status(one.Name+" is first, and the others are compared with it."))
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
		b.waitFor(t, `!document.querySelector("#compare [aria-pressed=true], #compare.pinned") && !location.search.includes("pin") && `+status(one.Name+" is no longer pinned."))
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

	t.Run("comparison: names stay in sight", func(t *testing.T) {
		for _, width := range []int64{390, 768, 1440} {
			open(t, "&pin="+two.Slug)
			b.do(t, chromedp.EmulateViewport(width, 800))
			evaluate[bool](t, b, `(document.querySelector("#compare tbody tr:last-child").scrollIntoView({ block: "end" }), document.querySelector("#compare").scrollLeft = 60, `+nextPaint+`)`)
			// The head is at the upper edge of the table's area, and hides less than half of it.
			at := evaluate[[]float64](t, b, `(() => {
				const area = document.querySelector("#compare").getBoundingClientRect(), head = document.querySelector("#compare thead").getBoundingClientRect(), row = document.querySelector("#compare thead th:nth-child(2)").getBoundingClientRect();
				return [document.querySelector("#compare").scrollTop, row.top - area.top, row.height / area.height, row.left - area.left, area.top];
			})()`)
			if at[0] < 100 || at[1] < -1 || at[1] > 1 || at[2] > .5 || at[4] < 0 {
				t.Errorf("at %d pixels, scrolled by %v, the names are at %v and take %v of the area, which is at %v", width, at[0], at[1], at[2], at[4])
			}
			if left := at[3]; width >= 768 && left < 100 {
				t.Errorf("at %d pixels, the pinned column is at %v", width, left)
			}
			b.checkWidth(t, width)
		}
		b.do(t, chromedp.EmulateViewport(wide, 900))
		b.report(t)
	})

	t.Run("comparison: the page says which is for whom as the API does", func(t *testing.T) { s.checkSuits(t, b) })
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
