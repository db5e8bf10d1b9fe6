package main

import (
	"fmt"
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
}
