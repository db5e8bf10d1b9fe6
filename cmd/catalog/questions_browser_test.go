package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// checkQuestions answers the three questions with the keyboard alone, and without scripts, which only the
// search that follows needs.
func (s *testSite) checkQuestions(t *testing.T, b *browser) {
	t.Run("three questions by keyboard, without JavaScript", func(t *testing.T) {
		scripts := func(off bool) {
			call(t, b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: off})
		}
		scripts(true)
		defer scripts(false)
		at := func(selector string) string { return fmt.Sprintf(`document.activeElement.matches(%q)`, selector) }
		b.do(t, chromedp.EmulateViewport(wide, 900), chromedp.Navigate(s.base+"/"), chromedp.WaitVisible("#ask-form"))
		b.tabTo(t, false, at(`main a[href$="/choose/"]`))
		b.press(t, "Enter", false)
		b.do(t, chromedp.WaitVisible("form.choice"))
		if !evaluate[bool](t, b, `[...document.querySelectorAll("noscript p")].some((e) => e.checkVisibility())`) {
			t.Error("nothing says that the search needs scripts")
		}
		b.tabTo(t, false, at(`[name="category"]`))
		b.press(t, "ArrowDown", false)
		group := evaluate[string](t, b, `document.activeElement.value`)
		b.tabTo(t, false, at(`[name="system"]`))
		b.press(t, "ArrowDown", false)
		b.tabTo(t, false, at(`[name="offline"]`))
		b.press(t, " ", false)
		b.press(t, "Enter", false)
		b.do(t, chromedp.WaitVisible("#search-form"))
		const asked = `["category", "system", "offline"].map((name) => new URLSearchParams(location.search).get(name)).join(" ")`
		if got, want := evaluate[string](t, b, asked), group+" linux 1"; got != want {
			t.Errorf("the search asks for %q, want %q", got, want)
		}
		scripts(false)
		b.do(t, chromedp.Reload())
		b.waitFor(t, fmt.Sprintf(`[...document.querySelectorAll("[name=category]:checked")].map((c) => c.value).join() === %q && document.querySelector("#search-notes p") === null && document.querySelectorAll("#search-hits .tag.fits").length > 0`, group))
	})

	said := func(t *testing.T, query, sentence string, links ...string) {
		t.Helper()
		b.do(t, chromedp.Navigate(s.base+"/search/?"+query))
		b.waitFor(t, fmt.Sprintf(`document.querySelector("#search-notes strong")?.parentElement.textContent === %q`, sentence))
		got := evaluate[[]string](t, b, `[...document.querySelectorAll("#search-notes a")].map((a) => new URL(a.href)).map((u) => u.origin === location.origin ? u.pathname + u.search : "elsewhere")`)
		want := append(links, "/choose/", "/categories/", "/suggest/")
		slices.Sort(got[:min(len(got), len(links))]) // they are in the order of their numbers
		if !slices.Equal(got, want) {
			t.Errorf("%s leads to %q, want %q", query, got, want)
		}
	}
	t.Run("no listing does this", func(t *testing.T) {
		said(t, "q=qqxzvvk", "Nothing was found. Listings are in English: try fewer, more general words in it.")
		said(t, "q=giraffe", "Nothing was found. Try fewer, more general words.")
		said(t, "q=banana+bread+recipe", "No listing does this. The nearest follow.")
		if n := evaluate[int](t, b, `[...document.querySelectorAll("#search-notes p")].filter((p) => /nearest/.test(p.textContent)).length`); n != 1 {
			t.Errorf("%d paragraphs say that the nearest follow", n)
		}
		said(t, "q=banana+bread+recipe&docker=1", "No listing does this, with or without your conditions. The nearest follow.")
	})
	t.Run("a computer leaves nothing", func(t *testing.T) {
		for _, c := range s.content.Taxonomy.Categories {
			on := []string{"category", c.Slug, "ramGb", "0.5", "vramGb", "0", "stated", "1"}
			if s.search(t, on...).Total > 0 || s.search(t, on[2:]...).Total == 0 {
				continue
			}
			said(t, "category="+c.Slug+"&ramGb=0.5&vramGb=0&stated=1", "No listing meets all of this. ",
				"/search/?category="+c.Slug, "/search/?ramGb=0.5&vramGb=0&stated=1")
			return
		}
		t.Error("each category has something that fits this tiny computer: test with a smaller one")
	})
}
