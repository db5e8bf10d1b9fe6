package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	pageproto "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"catalog.example/api/site"
	"catalog.example/api/soak"
)

const (
	savedStatus = `document.querySelector("#saved-status").textContent`
	// savedRows are the listings on the page of saved ones.
	savedRows = `[...document.querySelectorAll("#saved tbody th bdi")].map((e) => e.textContent).join(", ")`
	// kept is what the browser keeps, by slug.
	kept = `Object.entries(localStorage).filter(([key]) => key.startsWith("saved")).map(([, value]) => JSON.parse(value).map((s) => s.slug).join()).join("; ")`
)

// keep makes the browser keep listings, each slug with the name as it was then.
func (b *browser) keep(t *testing.T, s *testSite, slugs ...string) {
	t.Helper()
	var list []string
	for _, slug := range slugs {
		list = append(list, fmt.Sprintf(`{"slug":%q,"name":"Old %[1]s","day":"2026-09-01"}`, slug))
	}
	b.do(t, chromedp.Navigate(s.base+"/about/"), chromedp.WaitVisible("main h1"))
	evaluate[bool](t, b, fmt.Sprintf(`(localStorage.setItem("saved ", %q), true)`, "["+strings.Join(list, ",")+"]"))
}

// show opens the page of saved listings, and waits for its rows. Some listings are asked for and
// not there.
func (b *browser) show(t *testing.T, s *testSite, query, rows string) {
	t.Helper()
	call(t, b, pageproto.Navigate, pageproto.NavigateParams{URL: s.base + "/saved/" + query})
	b.waitFor(t, `document.querySelector("#saved-status")?.textContent && `+is(savedRows, rows))
}

// TestSaved saves listings, in each way of searching, because each has a host of another kind.
func TestSaved(t *testing.T) {
	t.Parallel()
	soak.Long(t)
	for _, search := range []string{site.SearchByServer, site.SearchInBrowser, site.SearchNone} {
		t.Run(search, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, "testdata/content", func(s *site.Settings) { s.Search = search })
			if search != site.SearchByServer {
				s = s.withHandler(t, http.FileServer(http.Dir(s.public)))
			}
			b := newBrowser(t)
			t.Run("save and remove", func(t *testing.T) { s.checkSaving(t, b) })
			t.Run("what is no longer there", func(t *testing.T) { s.checkGone(t, b) })
			if search != site.SearchByServer {
				return
			}
			t.Run("share, and print", func(t *testing.T) { s.checkShare(t, b) })
			t.Run("nothing moves", func(t *testing.T) { s.checkStill(t, newBrowser(t)) })
			t.Run("link and Markdown", func(t *testing.T) { s.checkSharedList(t, b) })
			t.Run("two tabs", func(t *testing.T) { s.checkTwoTabs(t, b) })
			t.Run("storage refused", func(t *testing.T) { s.checkRefused(t, newBrowser(t)) })
		})
	}
}

// checkSaving saves a listing by the keyboard, and others from a list.
func (s *testSite) checkSaving(t *testing.T, b *browser) {
	b.show(t, s, "", "")
	b.waitFor(t, is(savedStatus, "Nothing is saved yet. “Save” is on the page of each listing, and below a list once you tick some."))
	ways := evaluate[[]string](t, b, `[...document.querySelectorAll("#saved-none :is(a, form)")].filter((e) => e.checkVisibility()).map((e) => e.pathname ?? "form " + new URL(e.action).pathname)`)
	if len(ways) < len(s.content.Taxonomy.Categories) || !slices.Contains(ways, "/newest/") || slices.Contains(ways, "form /search/") != s.settings.HasSearch() {
		t.Errorf("the empty page leads to %q", ways)
	}
	b.do(t, chromedp.EmulateViewport(wide, 900), chromedp.Navigate(s.base+"/projects/willow-bridge/"), chromedp.WaitVisible("main h1"))
	const save = `document.querySelector(".acts button")`
	b.waitFor(t, is(save+".textContent", "Save"))
	b.tabTo(t, false, `e === `+save)
	for _, step := range []struct{ text, said, kept string }{
		{"Unsave", "Saved", "willow-bridge"}, {"Save", "Removed", ""}, {"Unsave", "Saved", "willow-bridge"},
	} {
		b.press(t, "Enter", false)
		b.waitFor(t, is(save+".textContent", step.text)+` && `+is(`document.querySelector(".acts [role=status]").textContent`, step.said)+` && `+is(kept, step.kept))
		if shown := evaluate[bool](t, b, `document.querySelector(".acts a[href$='/saved/']").checkVisibility()`); shown != (step.kept != "") {
			t.Errorf("with %q saved, the link to it is there: %v", step.kept, shown)
		}
	}
	// Its place is in the line of links, and nothing moves.
	for _, width := range []int64{390, 768, wide} {
		b.do(t, chromedp.EmulateViewport(width, 900))
		const top = `document.querySelector(".links + *").getBoundingClientRect().top`
		saved := evaluate[float64](t, b, top)
		evaluate[bool](t, b, `(`+save+`.click(), true)`)
		if now := evaluate[float64](t, b, top); now != saved {
			t.Errorf("at %d pixels, what follows is at %v, and with the listing saved at %v", width, now, saved)
		}
		evaluate[bool](t, b, `(`+save+`.click(), [...document.querySelectorAll(".acts button")].at(-1).textContent = "Link copied", true)`)
		if now := evaluate[float64](t, b, top); now != saved {
			t.Errorf("at %d pixels, what follows is at %v, and once the link is copied at %v", width, saved, now)
		}
		if below := evaluate[float64](t, b, `document.querySelector(".acts").getBoundingClientRect().bottom - document.querySelector(".links .choose").getBoundingClientRect().bottom`); width != 768 && below > 10 { // there the links may take the whole line
			t.Errorf("at %d pixels, Save is %v pixels below the tick box", width, below)
		}
		b.checkWidth(t, width)
	}
	b.do(t, chromedp.EmulateViewport(wide, 900))
	b.do(t, chromedp.Navigate(s.base+"/"), chromedp.WaitVisible("main h1"))
	evaluate[bool](t, b, `(["paper-lantern", "copper-kettle", "willow-bridge"].forEach((slug) => document.querySelector(".choose input[value=" + slug + "]").click()), true)`)
	b.do(t, chromedp.Click(`#tray span > button:nth-of-type(2)`), chromedp.Click(`#tray a[href$="/saved/"]`))
	b.waitFor(t, is(savedRows, "Paper Lantern, Copper Kettle, Willow Bridge")+` && `+is(kept, "paper-lantern,copper-kettle,willow-bridge"))
	b.waitFor(t, is(savedStatus, "3 saved listings.")+` && document.querySelector("#saved tbody .terms").textContent === "MIT" && document.querySelector("#saved .links .button").pathname === "/compare/"`)
	if got := evaluate[string](t, b, `document.querySelector("#saved .links .button").search + document.querySelector("#saved .links .button").textContent`); got != "?slugs=paper-lantern,copper-kettle,willow-bridgeCompare 3 saved listings" {
		t.Errorf("they are compared by %s", got)
	}
	if texts := evaluate[string](t, b, `[...document.querySelectorAll("#tray :is(.button, button), #tray span > a")].filter((e) => e.checkVisibility()).map((e) => e.textContent).join(" ")`); texts != "× × × Compare 3 Clear Save these" {
		t.Errorf("the tray has %s", texts)
	}
	b.report(t)
	// Removing leaves the focus where it was.
	b.tabTo(t, false, `e.ariaLabel === "Remove Copper Kettle"`)
	b.press(t, "Enter", false)
	b.waitFor(t, is(savedRows, "Paper Lantern, Willow Bridge")+` && document.activeElement.ariaLabel === "Remove Willow Bridge"`)
	b.press(t, "Enter", false)
	b.waitFor(t, is(savedRows, "Paper Lantern")+` && document.activeElement.ariaLabel === "Remove Paper Lantern" && document.querySelector("#saved .links .button").hidden`)
	b.press(t, "Enter", false)
	b.waitFor(t, is(savedRows, "")+` && document.activeElement.id === "main" && !document.querySelector("#saved details").checkVisibility() && `+is(kept, ""))
	b.report(t)
}

// checkGone shows listings that have another slug now, have left, or never were there.
func (s *testSite) checkGone(t *testing.T, b *browser) {
	b.keep(t, s, "willow-bridge", "dark-lamp", "paper-lamp", "dim-lamp", "no-such")
	const rows = "Willow Bridge, Old dark-lamp, Paper Lantern, Old dim-lamp, Old no-such"
	b.show(t, s, "", rows)
	b.waitFor(t, is(savedStatus, "5 saved listings. Old paper-lamp is now Paper Lantern."))
	told := `[...document.querySelectorAll("#saved tbody th")].map((th) => [th.querySelector("a")?.pathname, ...[...th.querySelectorAll("p")].map((p) => p.textContent)].join(" ")).join("\n")`
	want := strings.Join([]string{
		"/projects/willow-bridge/ Makes captions for films. Saved on 2026-09-01 Remove", "/projects/dark-lamp/ It is no longer listed. Saved on 2026-09-01 Remove",
		"/projects/paper-lantern/ Writes down what was said in a meeting. Saved on 2026-09-01 Remove", "/projects/dim-lamp/ It is no longer listed. Saved on 2026-09-01 Remove",
		" It is not in this catalogue. Saved on 2026-09-01 Remove",
	}, "\n")
	if got := evaluate[string](t, b, told); got != want {
		t.Errorf("the rows are\n%s\nwant\n%s", got, want)
	}
	// Only the new name is kept from now on, and nothing is lost.
	b.waitFor(t, is(kept, "willow-bridge,dark-lamp,paper-lantern,dim-lamp,no-such"))
	// What is not there is no part of a link.
	if got := evaluate[string](t, b, `new URL(document.querySelector("#saved details code").textContent).search`); got != "?slugs=willow-bridge,paper-lantern" {
		t.Errorf("the link has %s", got)
	}
	b.show(t, s, "?slugs=paper-lamp,no-such,@@,Paper-Lantern", "Paper Lantern, no-such")
	b.waitFor(t, savedStatus+`.endsWith("paper-lamp is now Paper Lantern. Not found: no-such, @@.") && `+savedStatus+`.startsWith("Somebody's list of 1 listing. ")`)
	b.clearFaults() // of what was answered 404
}

// checkShare passes the address of a list on, which commas keep readable, and prints the page.
func (s *testSite) checkShare(t *testing.T, b *browser) {
	b.keep(t, s, "paper-lantern", "willow-bridge")
	b.show(t, s, "", "Paper Lantern, Willow Bridge")
	const share = `[...document.querySelectorAll("#saved .links button")].pop()`
	take := func(writes, says, condition string) {
		evaluate[bool](t, b, `(Object.defineProperty(navigator, "share", { value: undefined, configurable: true }),
			Object.defineProperty(navigator, "clipboard", { value: { writeText: `+writes+` }, configurable: true }), true)`)
		b.waitFor(t, is(share+".textContent", "Share"))
		evaluate[bool](t, b, `(`+share+`.click(), true)`)
		b.waitFor(t, is(share+".textContent", says)+" && "+condition)
	}
	take(`async (text) => { self.copied = text; }`, "Link copied", is("copied", s.base+"/saved/?slugs=paper-lantern,willow-bridge"))
	take(`() => Promise.reject(new DOMException("refused", "NotAllowedError"))`, "Refused by the browser", "true")
	b.setMedia(t, "light", "print")
	defer call(t, b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
	if shown := evaluate[string](t, b, `[...document.querySelectorAll("main :is(button, .button, summary, .links a)")].filter((e) => e.checkVisibility()).map((e) => e.outerHTML).join()`); shown != "" {
		t.Errorf("on paper there are %s", shown)
	}
	b.report(t)
}

// checkStill opens the page on a phone. Nothing moves before or once the facts come.
func (s *testSite) checkStill(t *testing.T, b *browser) {
	g := &gate{Handler: http.FileServer(http.Dir(s.public))}
	g.close()
	close(g.script)
	close(g.answer)
	s = s.withHandler(t, g)
	call(t, b, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	call(t, b, pageproto.AddScriptToEvaluateOnNewDocument, pageproto.AddScriptToEvaluateOnNewDocumentParams{Source: shiftScript})
	b.do(t, chromedp.EmulateViewport(390, 844))
	b.keep(t, s, "paper-lantern", "copper-kettle", "willow-bridge")
	for _, query := range []string{"", "?slugs=paper-lantern,copper-kettle,willow-bridge"} {
		g.close()
		call(t, b, pageproto.Navigate, pageproto.NavigateParams{URL: s.base + "/saved/" + query})
		b.waitFor(t, `performance.getEntriesByName("first-contentful-paint").length > 0`)
		close(g.script)
		b.waitFor(t, `document.readyState === "complete" && document.querySelector("#saved details")`)
		evaluate[bool](t, b, nextPaint)
		if said := evaluate[string](t, b, savedStatus); query == "" && said != "3 saved listings." {
			t.Errorf("before the facts come, the page says %q", said)
		}
		close(g.answer)
		b.waitFor(t, is(savedRows, "Paper Lantern, Copper Kettle, Willow Bridge"))
		evaluate[bool](t, b, nextPaint)
		if shifted := evaluate[float64](t, b, "shifted"); shifted > 0 {
			t.Errorf("/saved/%s shifts by %.3f: %q", query, shifted, evaluate[[]string](t, b, "moved"))
		}
	}
	b.report(t)
}

// checkSharedList passes a list on: whoever opens it keeps their own.
func (s *testSite) checkSharedList(t *testing.T, b *browser) {
	b.keep(t, s, "paper-lantern", "willow-bridge")
	b.show(t, s, "", "Paper Lantern, Willow Bridge")
	b.do(t, chromedp.Click("#saved summary"))
	code := evaluate[[]string](t, b, `[...document.querySelectorAll("#saved details code")].map((c) => c.textContent)`)
	want := []string{s.base + "/saved/?slugs=paper-lantern,willow-bridge", "- [Paper Lantern](" + s.base + "/projects/paper-lantern/): Writes down what was said in a meeting. Licence: MIT.\n" +
		"- [Willow Bridge](" + s.base + "/projects/willow-bridge/): Makes captions for films. Licence: MIT OR Apache-2.0."}
	if fmt.Sprintf("%q", code) != fmt.Sprintf("%q", want) {
		t.Errorf("to take away are\n%q, want\n%q", code, want)
	}
	b.keep(t, s, "copper-kettle", "willow-bridge")
	b.show(t, s, strings.TrimPrefix(code[0], s.base+"/saved/"), "Paper Lantern, Willow Bridge")
	b.waitFor(t, is(savedStatus, "Somebody's list of 2 listings. It changes nothing that you saved.")+` && `+is(kept, "copper-kettle,willow-bridge"))
	b.do(t, chromedp.Click("#saved .links button"))
	b.waitFor(t, is(savedStatus, "Added to your saved listings.")+` && `+is(kept, "paper-lantern,copper-kettle,willow-bridge")+` && document.activeElement.textContent === "My saved listings" && document.querySelector("#saved .links button").hidden`)
	b.press(t, "Enter", false)
	b.waitFor(t, `location.search === "" && `+is(savedRows, "Paper Lantern, Copper Kettle, Willow Bridge"))
	b.report(t)
}

// checkTwoTabs changes in one tab what another shows.
func (s *testSite) checkTwoTabs(t *testing.T, b *browser) {
	b.keep(t, s, "copper-kettle")
	b.show(t, s, "", "Copper Kettle")
	other := newTab(t, b)
	other.do(t, chromedp.Navigate(s.base+"/projects/paper-lantern/"), chromedp.WaitVisible(".acts button"), chromedp.Click(".acts button"))
	b.waitFor(t, is(savedRows, "Paper Lantern, Copper Kettle"))
	b.do(t, chromedp.Click(`#saved [aria-label="Remove Paper Lantern"]`))
	other.waitFor(t, is(`document.querySelector(".acts button").textContent`, "Save"))
	b.waitFor(t, is(kept, "copper-kettle"))
	other.report(t)
	b.report(t)
}

// checkRefused uses a browser that keeps nothing, as some do in private windows.
func (s *testSite) checkRefused(t *testing.T, b *browser) {
	call(t, b, pageproto.AddScriptToEvaluateOnNewDocument, pageproto.AddScriptToEvaluateOnNewDocumentParams{
		Source: `Object.defineProperty(window, "localStorage", { get() { throw new DOMException("refused", "SecurityError"); } });`})
	b.do(t, chromedp.EmulateViewport(wide, 900), chromedp.Navigate(s.base+"/projects/paper-lantern/"), chromedp.WaitVisible(".acts button"), chromedp.Click(".acts button"))
	b.waitFor(t, is(`document.querySelector(".acts [role=status]").textContent`, "Not saved: this browser keeps nothing for this site.")+` && `+is(`document.querySelector(".acts button").textContent`, "Save"))
	b.show(t, s, "", "")
	b.waitFor(t, is(savedStatus, "This browser keeps nothing for this site, so nothing can be saved. A link to a list works."))
	b.show(t, s, "?slugs=willow-bridge,paper-lantern", "Willow Bridge, Paper Lantern")
	b.do(t, chromedp.Click("#saved .links button"))
	b.waitFor(t, is(savedStatus, "Not saved: this browser keeps nothing for this site."))
	b.report(t)
}
