package main

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	pageproto "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// Responses of a flaky host to searches.
const (
	modeAnswer      = iota
	modeRateLimited // 429 with Retry-After: 1
	modeAbort
	modeNotFound // 404 with a page, as from a static host
)

// flaky passes requests on, but answers searches as mode says.
type flaky struct {
	http.Handler
	mode     atomic.Int32
	searches atomic.Int32
}

func (f *flaky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == api.PathSearch {
		f.searches.Add(1)
		switch f.mode.Load() {
		case modeRateLimited:
			w.Header().Set("Retry-After", "1")
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write([]byte(`{"code":"rate-limited","status":429}`))
			return
		case modeAbort:
			panic(http.ErrAbortHandler)
		case modeNotFound:
			http.Error(w, "<h1>Nothing is here</h1>", http.StatusNotFound)
			return
		}
	}
	f.Handler.ServeHTTP(w, r)
}

// checkPageUse uses the pages as people do.
func (s *testSite) checkPageUse(t *testing.T, b *browser) {
	clock := &steppingClock{current: time.Now(), step: time.Second}
	host := &flaky{Handler: s.server(t, clock.now).Handler()}
	site := s.withHandler(t, host)
	waitFor := b.waitFor
	status := func(text string) string {
		return fmt.Sprintf(`document.querySelector("#search-status").textContent === %q`, text)
	}
	// The rows of a list by their addresses, as JSON.
	const drawn = `JSON.stringify(Object.fromEntries([...document.querySelectorAll("#search-hits tbody tr:not(.group)")].map((r) => [r.querySelector("a").href, r.querySelector(".logo").outerHTML + r.innerText.replace(/\s+/g, " ").trim()])))`
	// Faults are expected where searches fail.
	doIgnoringFaults := func(t *testing.T, step chromedp.Action[chromedp.Void]) {
		t.Helper()
		ctx, cancel := context.WithTimeout(b, testTimeout)
		defer cancel()
		if err := chromedp.Do(ctx, step); err != nil {
			t.Fatal(err)
		}
	}

	t.Run("search as one types", func(t *testing.T) {
		whole := statusOf(len(s.content.Listings))
		b.do(t, chromedp.EmulateViewport(1280, 900)) // the filters are open on a wide screen
		b.do(t, chromedp.Navigate(site.base+"/search/"), b.waitForStatus(whole))
		before := host.searches.Load()
		answer := s.search(t, "q", "transcribe meetings", "limit", "50")
		b.do(t, chromedp.KeyEvent("/"))
		waitFor(t, `document.activeElement.id === "q"`)
		evaluate[bool](t, b, `(document.querySelector("#q").value = "", true)`) // a synthetic key event types its letter, too
		// A letter that is deleted at once adds no entry to the history, and the next ones do. The
		// page's timer for it is older than this one, and shorter.
		evaluate[bool](t, b, `(document.querySelector("#q").dispatchEvent(new Event("input", { bubbles: true })), new Promise((done) => setTimeout(() => done(true), 400)))`)
		b.do(t, chromedp.KeyEvent("transcribe meetings")) // and no Enter
		waitFor(t, status(statusOf(answer.Total)))
		if n := host.searches.Load() - before; n > 10 {
			t.Errorf("%d searches for 19 letters", n)
		}
		if got := evaluate[string](t, b, `location.search`); got != "?q=transcribe+meetings" {
			t.Errorf("the address is %q", got)
		}
		waitFor(t, `document.querySelector(".why")?.textContent`) // hits out of sight are drawn later
		for name, counts := range answer.Facets {
			if name == "selfHosted" { // nearly all listings are the same, so there is no filter
				continue
			}
			for _, f := range counts {
				shown := evaluate[string](t, b, fmt.Sprintf(`(document.querySelector('input[name=%s][value="%s"]')?.parentElement.querySelector(".count") ??
					document.querySelector('select[name=%[1]s] [value="%[2]s"]'))?.textContent ?? "nothing"`, name, f.Value))
				if shown != fmt.Sprint(f.Count) && !strings.HasSuffix(shown, fmt.Sprintf(" (%d)", f.Count)) {
					t.Errorf("the facet %s shows %s for %s, want %d", name, shown, f.Value, f.Count)
				}
			}
		}

		// A filter adds an entry to the history, and going back removes it.
		value := answer.Facets["platform"][len(answer.Facets["platform"])-1].Value
		filtered := s.search(t, "q", "transcribe meetings", "platform", value, "limit", "50")
		b.do(t, chromedp.SendKeys(`[name=platform][value="`+value+`"]`, " "))
		waitFor(t, status(fmt.Sprintf("%d listing%s", filtered.Total, map[bool]string{true: "", false: "s"}[filtered.Total == 1])))
		if got := evaluate[string](t, b, `location.search`); got != "?q=transcribe+meetings&platform="+value {
			t.Errorf("with a filter the address is %q", got)
		}
		searchesBefore := host.searches.Load()
		evaluate[bool](t, b, `(history.back(), true)`)
		waitFor(t, status(statusOf(answer.Total)))
		if evaluate[bool](t, b, `document.querySelector('[name=platform][value="`+value+`"]').checked`) {
			t.Error("back does not take the filter away")
		}
		if n := host.searches.Load(); n != searchesBefore {
			t.Errorf("an answer that was given before is asked for again, %d times", n-searchesBefore)
		}
		evaluate[bool](t, b, `(history.back(), true)`)
		waitFor(t, status(whole))

		// Arrows lead through the hits and back; Enter opens one.
		evaluate[bool](t, b, `(history.forward(), true)`)
		waitFor(t, status(statusOf(answer.Total)))
		b.do(t, chromedp.Focus("#q"), chromedp.KeyEvent("\u0301")) // arrow down
		waitFor(t, `document.activeElement === document.querySelector("#search-hits tbody th a")`)
		b.do(t, chromedp.KeyEvent("\u0304")) // arrow up
		waitFor(t, `document.activeElement.id === "q"`)
		b.press(t, "ArrowDown", false)
		b.press(t, "Enter", false)
		b.do(t, chromedp.WaitVisible(".facts-table"))
		if got := evaluate[string](t, b, `document.querySelector("h1").textContent`); got != answer.Hits[0].Name {
			t.Errorf("Enter on the first hit opens %q", got)
		}
	})

	t.Run("did you mean, and what was ignored", func(t *testing.T) {
		b.do(t, chromedp.Navigate(site.base+"/search/?q=the+best&nosuch=1"))
		waitFor(t, `document.querySelectorAll("#search-notes p").length >= 2`)
		for _, w := range s.search(t, "q", "the best", "nosuch", "1").Warnings {
			if text := evaluate[string](t, b, `document.querySelector("#search-notes").textContent`); !strings.Contains(text, w.Message) {
				t.Errorf("the page does not say %q, only %q", w.Message, text)
			}
		}
	})

	t.Run("a warning about the system speaks of the form, not of a parameter", func(t *testing.T) {
		b.do(t, chromedp.Navigate(site.base+"/search/?q=transcribe+meetings&ramGb=8&vramGb=0"))
		waitFor(t, `document.querySelector("#search-notes").textContent.includes(". Say under My computer which system it has.")`)
		if text := evaluate[string](t, b, `document.querySelector("#search-notes").textContent`); strings.Contains(text, "system=") {
			t.Errorf("the page says %q", text)
		}
	})

	t.Run("nothing found leaves no empty table", func(t *testing.T) {
		b.do(t, chromedp.Navigate(site.base+"/search/?q=zzxxqqvv"), b.waitForStatus("0 listings"))
		waitFor(t, `[...document.querySelectorAll("#search-notes a")].some((a) => a.pathname.endsWith("/categories/"))`)
		waitFor(t, `document.getElementById("search-hits").hidden && [...document.querySelectorAll("fieldset[data-facet]")].every((f) => f.hidden)`)
		b.report(t)
	})

	t.Run("an address with values that the form has not", func(t *testing.T) {
		doIgnoringFaults(t, chromedp.Navigate(site.base+"/search/?sort=nosuch&docker=7&category=none&platform=linux&platform=windows"))
		told := func(paragraphs ...string) string {
			return fmt.Sprintf(`[...document.querySelectorAll("#search-notes p")].slice(0, %d).map((p) => p.textContent).sort().join("|") === %q`, len(paragraphs), strings.Join(paragraphs, "|"))
		}
		unknown := func(filter, value string) string {
			return fmt.Sprintf("Left out: %s “%s”, which is not known here.", filter, value)
		}
		waitFor(t, told(unknown("Category", "none"), unknown("Docker", "7"), unknown("Order", "nosuch")))
		waitFor(t, status(statusOf(s.search(t, "platform", "linux,windows").Total)))
		b.clearFaults() // of the request that was answered 400
		if got := evaluate[string](t, b, `["f-sort", "f-docker"].map((id) => document.getElementById(id).value).join()+[...document.querySelectorAll("input[name=category]:checked")].map((c) => c.value)`); got != "," {
			t.Errorf("the form shows %q", got)
		}
		if evaluate[bool](t, b, `[...document.querySelectorAll("#f-sort option, #f-docker option")].some((o) => ["nosuch", "7"].includes(o.value))`) {
			t.Error("the form still offers what is not known")
		}
		if got := evaluate[string](t, b, `[...document.querySelectorAll("input[name=platform]:checked")].map((c) => c.value).join()`); got != "linux,windows" {
			t.Errorf("platforms %q are ticked, want both of the address", got)
		}
		// Of several values, those that are known are kept.
		doIgnoringFaults(t, chromedp.Navigate(site.base+"/search/?platform=Linux,toaster&q=chat%0A"))
		waitFor(t, told(unknown("Platform", "toaster"))+` && `+status(statusOf(s.search(t, "q", "chat", "platform", "linux").Total)))
		b.clearFaults()
		doIgnoringFaults(t, chromedp.Navigate(site.base+"/search/?sort=nosuch&docker=7&category=none&platform=linux&platform=windows"))
		waitFor(t, told(unknown("Category", "none"), unknown("Docker", "7"), unknown("Order", "nosuch")))
		b.clearFaults()
		// The next change forgets them.
		b.do(t, chromedp.SendKeys("#q", "chat"))
		waitFor(t, `location.search === "?platform=linux,windows&q=chat" || location.search === "?q=chat&platform=linux,windows"`)
		waitFor(t, `!document.querySelector("#search-notes").textContent.includes("Left out")`)
		b.report(t)

		// A list says the same, without a server.
		b.do(t, chromedp.Navigate(site.base+"/categories/video/?platform=Linux&docker=7&platform=toaster"))
		waitFor(t, told(unknown("Docker", "7"), unknown("Platform", "toaster"))+` && `+allDrawn)
		if got := evaluate[string](t, b, `[...document.querySelectorAll("input[name=platform]:checked")].map((c) => c.value).join()`); got != "linux" {
			t.Errorf("platforms %q are ticked", got)
		}

		// Of words that are too many, the first are searched for.
		b.do(t, chromedp.Navigate(site.base+"/search/?q="+strings.Repeat("chat+", 60)))
		waitFor(t, `document.querySelector("#search-notes p")?.textContent === "Only the first 256 characters are searched for." && document.querySelectorAll("#search-hits:not([hidden]) tbody tr").length > 0`)
		b.report(t)
	})

	t.Run("the button that clears filters is there if there are some", func(t *testing.T) {
		for _, path := range []string{"/search/?q=chat", "/categories/video/"} {
			b.do(t, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(site.base+path))
			waitFor(t, allDrawn+` && document.querySelector(".clear").hidden`)
			b.do(t, chromedp.SendKeys("#f-docker", "y"))
			waitFor(t, `location.search.includes("docker=1") && !document.querySelector(".clear").hidden`)
			b.do(t, chromedp.Click(".clear"))
			waitFor(t, `!location.search.includes("docker") && document.querySelector(".clear").hidden`)
		}
		b.report(t)
	})

	t.Run("an address that does not exist leads to the page that was meant", func(t *testing.T) {
		slug := s.content.Listings[0].Slug
		for path, want := range map[string]string{
			"/projects/" + strings.ToUpper(slug) + "/": "/projects/" + slug + "/", "/Categories/": "/categories/", "/projects/" + slug + "-x/": "/projects/" + slug + "/",
		} {
			doIgnoringFaults(t, chromedp.Navigate(site.base+path))
			waitFor(t, fmt.Sprintf(`document.querySelector("#nearest a")?.pathname === %q`, want))
		}
		// The first hit for these words matches by its purpose or description.
		words := []string{"meetings", "lectures", "documents", "spreadsheets", "podcasts"}
		i := slices.IndexFunc(words, func(word string) bool {
			tier := s.search(t, "q", word).Hits[0].Match.Tier
			return tier != nil && !strings.HasSuffix(*tier, "name")
		})
		for _, path := range []string{"/nowhere/", "/projects/" + words[i] + "/"} {
			before := host.searches.Load()
			doIgnoringFaults(t, chromedp.Navigate(site.base+path))
			waitFor(t, `document.querySelector("#nearest")`)
			for deadline := time.Now().Add(testTimeout / 4); strings.HasPrefix(path, "/projects/") && host.searches.Load() == before && time.Now().Before(deadline); {
				evaluate[bool](t, b, `(`+nextPaint+`)`)
			}
			if text := evaluate[string](t, b, `(`+nextPaint+`).then(() => document.querySelector("#nearest").textContent)`); text != "" {
				t.Errorf("%s suggests %q", path, text)
			}
		}
		b.clearFaults() // each page was answered 404
	})

	t.Run("the head of each page suggests hits", func(t *testing.T) {
		l := s.content.Listings[0]
		b.do(t, chromedp.Navigate(site.base+"/about/"), chromedp.SendKeys("#site-search", l.Name))
		waitFor(t, fmt.Sprintf(`document.querySelector("header .suggestions:not([hidden]) a bdi")?.textContent === %q`, l.Name))
		b.do(t, chromedp.KeyEvent("\u0301")) // arrow down
		waitFor(t, `document.querySelector("#site-search").getAttribute("aria-activedescendant") === document.querySelector("header .suggestions a").id`)
		b.press(t, "Enter", false)
		waitFor(t, fmt.Sprintf(`location.pathname === "/projects/%s/" && !document.querySelector("header .suggestions")?.checkVisibility()`, l.Slug))
		b.report(t)
	})

	t.Run("an address of a comparison says what is left out", func(t *testing.T) {
		var slugs []string
		for _, l := range s.content.Listings[:6] {
			slugs = append(slugs, l.Slug)
		}
		compare := func(query, columns, told string) {
			t.Helper()
			doIgnoringFaults(t, chromedp.Navigate(site.base+"/compare/?slugs="+query))
			waitFor(t, fmt.Sprintf(`document.querySelector("#compare-status").textContent === %q && [...document.querySelectorAll("#compare thead a")].map((a) => a.pathname.split("/")[2]).join() === %q`, told, columns))
		}
		compare(strings.Join(slugs, ","), strings.Join(slugs[:5], ","), "5 listings side by side. Left out, because only 5 fit: "+slugs[5]+".")
		b.do(t, chromedp.Click("#compare thead [data-act=remove]"))
		waitFor(t, fmt.Sprintf(`location.search === %q && document.querySelector("#compare-status").textContent === "5 listings side by side."`, "?slugs="+strings.Join(slugs[1:], ",")))
		compare(strings.ToUpper(slugs[0])+"&slugs="+slugs[1], slugs[0]+","+slugs[1], "2 listings side by side.")
		compare("zz-b,"+slugs[0]+",No such!,zz-a", slugs[0], "One listing. Add another to compare them. Not found: zz-b, no such!, zz-a.")
		compare("zz-b,"+strings.Join(slugs[:5], ","), strings.Join(slugs[:5], ","), "5 listings side by side. Not found: zz-b.")
		compare("@@", "", "Not found: @@.")
		compare("zz-b,zz-a", "", "Not found: zz-b, zz-a.")
		b.clearFaults() // of what was answered 404
	})

	t.Run("a printed comparison begins on the first page", func(t *testing.T) {
		var slugs []string
		for _, l := range s.content.Listings[:3] {
			slugs = append(slugs, l.Slug)
		}
		b.do(t, chromedp.Navigate(site.base+"/compare/?slugs="+strings.Join(slugs, ",")), chromedp.WaitVisible("#compare table"))
		first := call(t, b, pageproto.PrintToPDF, pageproto.PrintToPDFParams{PageRanges: "1"}).Data
		whole := call(t, b, pageproto.PrintToPDF, pageproto.PrintToPDFParams{}).Data
		// The heading alone would be a fifth of this.
		if on, all := pdfTexts(t, first), pdfTexts(t, whole); on < 50 || all < on+20 {
			t.Errorf("the first page has %d texts of %d", on, all)
		}
	})

	t.Run("search that fails keeps the last hits", func(t *testing.T) {
		defer host.mode.Store(modeAnswer)
		answer := s.search(t, "q", "transcribe meetings", "limit", "50")
		hits := fmt.Sprintf(`document.querySelectorAll("#search-hits tbody tr").length === %d`, len(answer.Hits))
		for _, c := range []struct {
			mode     int32
			more     string // typed text: new each time, because browsers cache responses
			statusIs string
			leading  bool
		}{
			{modeRateLimited, " locally", "next is possible in 1 s", false}, {modeAbort, " offline", "cannot be reached", true},
			{modeNotFound, " quickly", "cannot be reached", true},
		} {
			host.mode.Store(modeAnswer)
			// A search that failed on the page before may be reported only now.
			doIgnoringFaults(t, chromedp.Navigate(site.base+"/search/?q=transcribe+meetings"))
			b.clearFaults()
			b.do(t, b.waitForStatus(statusOf(answer.Total)))
			host.mode.Store(c.mode)
			doIgnoringFaults(t, chromedp.SendKeys("#q", c.more))
			waitFor(t, fmt.Sprintf(`document.querySelector("#search-status").textContent.includes(%q) && %s`, c.statusIs, hits))
			if n := evaluate[int](t, b, `document.querySelectorAll("#search-notes a").length`); (n >= 2) != c.leading {
				t.Errorf("where the server %d, %d links lead on", c.mode, n)
			}
			if n := evaluate[int](t, b, `document.querySelectorAll("#site-ways a[href*='/categories/']").length`); n != len(s.content.Taxonomy.Categories) {
				t.Errorf("%d categories can be reached", n)
			}
			host.mode.Store(modeAnswer)
			if c.mode == modeRateLimited { // the page retries by itself
				waitFor(t, `/^\d+ listing/.test(document.querySelector("#search-status").textContent)`)
			}
		}
	})

	t.Run("a host of files shows no rows as if they were an answer", func(t *testing.T) {
		host.mode.Store(modeNotFound)
		defer host.mode.Store(modeAnswer)
		doIgnoringFaults(t, chromedp.Navigate(site.base+"/search/?q=ollama"))
		waitFor(t, `document.querySelector("#search-status").textContent.includes("cannot be reached") && !document.querySelector("#search-hits").checkVisibility() && document.querySelectorAll("#search-notes a").length === 2`)
		b.clearFaults()
	})

	t.Run("home answers as one types", func(t *testing.T) {
		b.do(t, chromedp.Navigate(site.base+"/"), chromedp.SendKeys("#q", "transcribe meetings"))
		waitFor(t, `document.querySelectorAll("main .suggestions:not([hidden]) a bdi").length === 6 && document.querySelector("main .suggestions a[href$='?q=transcribe+meetings']")?.textContent.startsWith("See all ")`)
		if top := evaluate[float64](t, b, `document.querySelector("main .suggestions a").getBoundingClientRect().bottom`); top > 500 {
			t.Errorf("the first hit ends at %.0f pixels", top)
		}
		b.press(t, "Escape", false)
		waitFor(t, `document.querySelector("main .suggestions").hidden`)
		b.report(t)
	})

	t.Run("tables filter without the search server", func(t *testing.T) {
		host.mode.Store(modeAbort)
		defer host.mode.Store(modeAnswer)
		b.do(t, chromedp.Navigate(site.base+"/newest/"), chromedp.WaitVisible("#search-form"))
		rows := evaluate[string](t, b, drawn)
		want := 0
		for _, l := range s.content.Listings {
			gpu := l.FitNotes.Get("gpu")
			if slices.Contains(l.Platforms, "windows") && l.FitNotes.Get("docker") == true && (gpu == "none" || gpu == "optional") {
				want++
			}
		}
		b.do(t, chromedp.SendKeys("#f-docker", "y"), chromedp.SendKeys("#f-gpu", "w"), chromedp.SendKeys("[name=platform][value=windows]", " "))
		waitFor(t, status(fmt.Sprintf("%d of %d listings, the first 50 shown", want, len(s.content.Listings)))+` && document.querySelectorAll("#search-hits tbody tr:not(.group)").length === 50`)
		if got := evaluate[string](t, b, `location.search`); got != "?platform=windows&gpu=0&docker=1" && got != "?gpu=0&docker=1&platform=windows" {
			t.Errorf("the address of the list is %q", got)
		}
		for shown := 100; shown-50 < want; shown += 50 {
			b.do(t, chromedp.ScrollIntoView("#more"), chromedp.Click("#more"))
			waitFor(t, fmt.Sprintf(`document.querySelectorAll("#search-hits tbody tr:not(.group)").length === %d`, min(shown, want)))
		}
		// The same address shows the same list.
		b.do(t, chromedp.Navigate(site.base+"/newest/?platform=windows&gpu=0&docker=1"))
		waitFor(t, status(fmt.Sprintf("%d of %d listings, the first 50 shown", want, len(s.content.Listings))))
		// Rows of the page code are the same as those of the build.
		other := evaluate[string](t, b, drawn)
		var here, there map[string]string
		here, there = decodeJSON[map[string]string](t, rows), decodeJSON[map[string]string](t, other)
		same := 0
		for address, row := range here {
			if drawnRow, ok := there[address]; ok && drawnRow == row {
				same++
			} else if ok {
				t.Errorf("the page code draws %q, the build %q", drawnRow, row)
			}
		}
		if same < 5 {
			t.Errorf("only %d rows were compared", same)
		}
		b.do(t, chromedp.Click("#facets .clear"))
		waitFor(t, status(fmt.Sprintf("%d listings, page 1 of %d", len(s.content.Listings), (len(s.content.Listings)+99)/100))+` && location.search === "" && !document.querySelector(".pager").hidden && document.querySelectorAll("#search-hits tbody tr:not(.group)").length === 100`)
		if got := evaluate[string](t, b, drawn); got != rows {
			t.Error("without filters the list is not what it was")
		}
	})

	t.Run("on a phone, every choice of the form can be read", func(t *testing.T) {
		defer b.do(t, chromedp.EmulateViewport(1280, 900))
		b.do(t, chromedp.EmulateViewport(360, 800), chromedp.Navigate(site.base+"/suggest/"))
		if cut := evaluate[[]string](t, b, `(() => {
			document.querySelector("#suggest-form details").open = true;
			const lists = [...document.querySelectorAll("#suggest-form select")], widths = lists.map((list) => list.offsetWidth);
			for (const list of lists) list.style = "width: max-content; max-width: none"; // of the longest choice
			return lists.filter((list, i) => list.offsetWidth > widths[i]).map((list) => list.name)
				.concat([...document.querySelectorAll("#suggest-form .check span")].filter((e) => e.getBoundingClientRect().right > innerWidth - 8).map((e) => e.textContent));
		})()`); len(cut) > 0 {
			t.Errorf("choices are cut: %q", cut)
		}
	})
	t.Run("script and style are small", func(t *testing.T) {
		const loaded = `performance.getEntriesByType("resource").map((r) => new URL(r.name).pathname).filter((path) => /\.(js|css)$/.test(path) && !path.includes("/agents-"))` // which few browsers ask for
		for path, more := range map[string]int{"/": 0, "/search/?q=transcribe": 0, "/platforms/linux/": 0, "/alternatives/": 0, "/projects/ollama/": 0, "/compare/?slugs=ollama,whisper": 5 << 10} {
			b.do(t, chromedp.Navigate("about:blank"), chromedp.Navigate(site.base+path))
			waitFor(t, `document.readyState === "complete" && !document.querySelector(".busy")`)
			sum := map[string]int{}
			for _, file := range evaluate[[]string](t, b, loaded) {
				sum[filepath.Ext(file)] += gzipped(t, filepath.Join(s.public, file))
			}
			for kind, most := range map[string]int{".js": 21<<10 + more, ".css": 7 << 10} {
				if sum[kind] == 0 || sum[kind] > most {
					t.Errorf("%s loads %d bytes of compressed %s, and at most %d are allowed", path, sum[kind], kind, most)
				}
			}
		}
	})
	t.Run("logos are small, and the page code draws them as the build does", func(t *testing.T) {
		const inSight = `[...document.querySelectorAll("img.logo")].filter((i) => i.getBoundingClientRect().top < innerHeight)`
		// How far below the screen a browser loads pictures depends on the browser and the network.
		const twoScreens = `[...new Set([...document.querySelectorAll("img.logo")].filter((i) => i.getBoundingClientRect().top < 2 * innerHeight).map((i) => new URL(i.src).pathname).concat([...document.querySelectorAll("use")].map((u) => u.href.baseVal.split("#")[0])))]`
		for path, least := range map[string]int{"/": 0, "/categories/ml-frameworks/": 2, "/platforms/linux/": 2, "/projects/ollama/": 1} {
			b.do(t, chromedp.Navigate(site.base+path))
			waitFor(t, `document.readyState === "complete" && `+inSight+`.every((i) => i.naturalWidth > 0)`)
			if n := evaluate[int](t, b, inSight+`.length`); n < least {
				t.Errorf("%s shows %d logos at once, want %d", path, n, least)
			}
			sum := 0
			for _, file := range evaluate[[]string](t, b, twoScreens) {
				sum += gzipped(t, filepath.Join(s.public, file))
			}
			if sum > 4096 {
				t.Errorf("the first two screens of %s have %d bytes of compressed logos, and at most 4,096 are allowed", path, sum)
			}
		}
		for _, slug := range []string{"ollama", "transformers", "llama-cpp"} {
			i := slices.IndexFunc(s.content.Listings, func(l *content.Listing) bool { return l.Slug == slug })
			b.do(t, chromedp.Navigate(site.base+"/categories/"+s.content.Listings[i].Category+"/"))
			logo := fmt.Sprintf(`document.querySelector("#search-hits a[href$='/projects/%s/']")?.closest("th").querySelector(".logo").outerHTML`, slug)
			built := evaluate[string](t, b, logo)
			b.do(t, chromedp.Navigate(site.base+"/search/?q="+slug))
			waitFor(t, fmt.Sprintf(`document.querySelector("#search-hits th h2") && %s === %q`, logo, built))
		}
		b.report(t)
	})

	t.Run("columns of a list order it", func(t *testing.T) {
		b.do(t, chromedp.Navigate(site.base+"/newest/"), chromedp.WaitVisible("#search-form"))
		head := func(column string) string { return fmt.Sprintf(`#search-hits th[data-sort=%s] button`, column) }
		order := func(column, direction, search string) string {
			return fmt.Sprintf(`document.querySelector("#search-hits th[data-sort=%s]").ariaSort === %q && document.querySelectorAll("#search-hits th[aria-sort]").length === 1 && location.search === %q && `+allDrawn, column, direction, search)
		}
		const stars = `[...document.querySelectorAll("#search-hits tbody td.stars")].map((d) => d.textContent === "–" ? null : Number(d.textContent.replace(/\D/g, "")))`
		b.do(t, chromedp.Click(head("popular")))
		waitFor(t, order("popular", "descending", "?sort=popular"))
		b.do(t, chromedp.Click(head("popular")))
		waitFor(t, order("popular", "ascending", "?sort=popular&reverse=1"))
		if got := evaluate[[]*int](t, b, stars); len(got) != 50 || got[0] == nil || !slices.IsSortedFunc(got, func(a, b *int) int { return *a - *b }) {
			t.Errorf("with fewest stars first, the stars are %v", got)
		}
		b.do(t, chromedp.Click(head("name")))
		waitFor(t, order("name", "ascending", "?sort=name"))
		// What is unknown comes last in both directions.
		b.do(t, chromedp.Navigate(site.base+"/platforms/ios/?sort=recently-updated&reverse=1"))
		waitFor(t, order("recently-updated", "ascending", "?sort=recently-updated&reverse=1"))
		days := evaluate[[]string](t, b, `[...document.querySelectorAll("#search-hits tbody td.updated")].map((d) => d.textContent)`)
		known := slices.IndexFunc(days, func(day string) bool { return day == "–" })
		if known < 0 {
			known = len(days)
		}
		if known < 2 || !slices.IsSorted(days[:known]) || slices.ContainsFunc(days[known:], func(day string) bool { return day != "–" }) {
			t.Errorf("the days are %q", days)
		}
		// A group stays together.
		b.do(t, chromedp.Navigate(site.base+"/alternatives/chatgpt/?sort=name"))
		waitFor(t, order("name", "ascending", "?sort=name"))
		if got := evaluate[[]string](t, b, `[...document.querySelectorAll("#search-hits .group")].map((r) => r.textContent.replace(/: \d+$/, ""))`); !slices.Equal(got, []string{"Open source", "Not open source: the source can be read, under limits"}) {
			t.Errorf("the groups are %q", got)
		}
		// A search has the orders of the API.
		b.do(t, chromedp.Navigate(site.base+"/search/?q=chat"))
		waitFor(t, `document.querySelector("#search-hits th[data-sort=popular] button") && !document.querySelector(".busy")`)
		b.do(t, chromedp.Click(head("popular")))
		waitFor(t, order("popular", "descending", "?q=chat&sort=popular"))
		b.report(t)
	})

	t.Run("the box of a list finds products and jobs", func(t *testing.T) {
		b.do(t, chromedp.Navigate(site.base+"/categories/chat-interfaces/"), chromedp.WaitVisible("#q"), chromedp.SendKeys("#q", "typingmind"))
		waitFor(t, `location.search === "?q=typingmind" && /^[1-9]\d* of \d+ listings$/.test(document.querySelector("#search-status").textContent)`)
		b.report(t)
	})

	t.Run("compare", func(t *testing.T) {
		a, c := s.content.Listings[0], s.content.Listings[1]
		b.do(t, chromedp.Navigate(site.base+"/compare/?slugs="+a.Slug+","+c.Slug), chromedp.WaitVisible("#compare table"))
		if names := evaluate[[]string](t, b, `[...document.querySelectorAll("#compare thead a")].map((e) => e.textContent)`); !slices.Equal(names, []string{a.Name, c.Name}) {
			t.Errorf("side by side are %q", names)
		}
		wrong := evaluate[[]string](t, b, `[...document.querySelectorAll("#compare tbody tr")].filter((r) => {
			const same = new Set([...r.querySelectorAll("td")].map((d) => d.textContent)).size === 1;
			return r.classList.contains("differs") && same;
		}).map((r) => r.textContent)`)
		if marked := evaluate[int](t, b, `document.querySelectorAll("#compare .differs").length`); len(wrong) > 0 || marked == 0 {
			t.Errorf("%d rows are marked, wrongly %q", marked, wrong)
		}
		third := s.content.Listings[2]
		b.do(t, chromedp.SendKeys("#add", third.Name+"\r"))
		waitFor(t, fmt.Sprintf(`document.querySelectorAll("#compare thead a").length === 3 && location.search === "?slugs=%s,%s,%s"`, a.Slug, c.Slug, third.Slug))
		b.do(t, chromedp.Click("#compare thead [data-act=remove]"))
		waitFor(t, fmt.Sprintf(`location.search === "?slugs=%s,%s" && document.querySelectorAll("#compare thead a").length === 2`, c.Slug, third.Slug))
		b.report(t)
		b.do(t, chromedp.Navigate(site.base+"/compare/?slugs="+a.Slug))
		evaluate[bool](t, b, `(history.replaceState(null, "", "?slugs=no-such-tool"), dispatchEvent(new PopStateEvent("popstate")), true)`)
		waitFor(t, `document.querySelector("#compare-status").textContent.includes("Not found: no-such-tool")`)
		b.clearFaults()
	})

	t.Run("compare adds what bears the name, once", func(t *testing.T) {
		statusIs := func(text string) string {
			return fmt.Sprintf(`document.querySelector("#compare-status").textContent === %q`, text)
		}
		add := func(name string) {
			evaluate[bool](t, b, `(document.querySelector("#add").value = "", true)`)
			b.do(t, chromedp.SendKeys("#add", name+"\r"))
		}
		one := s.known(t, "ollama")
		two := s.known(t, "open-webui", one)
		three := s.known(t, "jan", one, two)
		b.do(t, chromedp.Navigate(site.base+"/compare/?slugs="+one.Slug), chromedp.WaitVisible("#compare table"))
		// A product that listings replace is no listing.
		add("lm studio")
		waitFor(t, statusIs("No listing is named “lm studio”."))
		add(one.Name)
		waitFor(t, statusIs(one.Name+" is in the comparison already."))
		add(two.Name)
		waitFor(t, statusIs("2 listings side by side."))
		if got := evaluate[string](t, b, `location.search+" "+document.title`); !strings.HasPrefix(got, fmt.Sprintf("?slugs=%s,%s %s, %s · Compare · ", one.Slug, two.Slug, one.Name, two.Name)) {
			t.Errorf("address and title are %q", got)
		}
		// Adding also works without the search server.
		host.mode.Store(modeNotFound)
		doIgnoringFaults(t, chromedp.SendKeys("#add", three.Name+"\r"))
		waitFor(t, statusIs("3 listings side by side."))
		host.mode.Store(modeAnswer)
		b.clearFaults()
		b.do(t, chromedp.Navigate(site.base+"/compare/"))
		waitFor(t, `document.title.includes("Compare · ")`) // behind what was ticked, once that is there
	})

	t.Run("what is not found takes no place in a comparison", func(t *testing.T) {
		b.do(t, chromedp.Navigate(site.base+"/compare/"))
		var listings []*content.Listing
		var slugs []string
		for _, slug := range []string{"ollama", "jan", "localai", "gpt4all", "open-webui", "n8n"} {
			l := s.known(t, slug, listings...)
			listings, slugs = append(listings, l), append(slugs, l.Slug)
		}
		evaluate[bool](t, b, `(history.replaceState(null, "", "?slugs=`+strings.Join(slices.Insert(slices.Clone(slugs[:4]), 2, "no-such-tool"), ",")+`"), dispatchEvent(new PopStateEvent("popstate")), true)`)
		waitFor(t, `document.querySelectorAll("#compare thead a").length === 4`)
		b.clearFaults()
		b.do(t, chromedp.SendKeys("#add", listings[4].Name+"\r"))
		waitFor(t, `document.querySelectorAll("#compare thead a").length === 5 && location.search === "?slugs=`+strings.Join(slugs[:5], ",")+`"`)
		b.do(t, chromedp.SendKeys("#add", listings[5].Name+"\r"))
		waitFor(t, `document.querySelector("#compare-status").textContent === "The comparison has 5 listings already: remove one first."`)
	})

	t.Run("removing from a comparison keeps the focus", func(t *testing.T) {
		one := s.known(t, "ollama")
		two := s.known(t, "jan", one)
		three := s.known(t, "localai", one, two)
		b.do(t, chromedp.Navigate(site.base+"/compare/?slugs="+one.Slug+","+two.Slug+","+three.Slug), chromedp.WaitVisible("#compare table"))
		focused := func(name string) string {
			return fmt.Sprintf(`(document.activeElement.ariaLabel ?? document.activeElement.id) === %q`, name)
		}
		for _, step := range []struct{ remove, then string }{{two.Name, "Remove " + three.Name}, {three.Name, "Remove " + one.Name}, {one.Name, "add"}} {
			b.do(t, chromedp.Focus(`#compare button[aria-label="Remove `+step.remove+`"]`))
			b.press(t, "Enter", false)
			waitFor(t, focused(step.then))
		}
	})

	t.Run("caveats stand apart, and days are no difference", func(t *testing.T) {
		caveats := func(p *api.Project) []string {
			list, _ := p.FitNotes.Get("caveats").([]string)
			return list
		}
		var active []string
		dormant, days := "", map[api.Date]bool{}
		for _, l := range s.content.Listings {
			switch {
			case l.Upkeep == nil || l.UpdatedAt == nil:
			case *l.Upkeep == api.UpkeepDormant:
				dormant = l.Slug
			case *l.Upkeep == api.UpkeepActive && !days[*l.UpdatedAt] && len(active) < 2 && len(caveats(&l.Project)) > 1:
				days[*l.UpdatedAt] = true
				active = append(active, l.Slug)
			}
		}
		marked := func(slugs ...string) bool {
			b.do(t, chromedp.Navigate(site.base+"/compare/?slugs="+strings.Join(slugs, ",")), chromedp.WaitVisible("#compare table"))
			return evaluate[bool](t, b, `[...document.querySelectorAll("#compare tbody tr")].find((r) => r.cells[0].textContent.startsWith("Upkeep")).classList.contains("differs")`)
		}
		if len(active) != 2 || dormant == "" {
			t.Fatalf("the catalogue has %q and %q", active, dormant)
		}
		if marked(active...) {
			t.Errorf("%q are marked to differ in their upkeep", active)
		}
		items := evaluate[[]string](t, b, `[...document.querySelectorAll("#compare tbody tr:last-child td:nth-of-type(1) li")].map((e) => e.textContent)`)
		first := s.listing(t, active[0])
		if want := caveats(&first); !slices.Equal(items, want) {
			t.Errorf("the caveats are %q, want %q", items, want)
		}
		if !marked(active[0], dormant) {
			t.Errorf("%s and %s are not marked to differ in their upkeep", active[0], dormant)
		}
		// The rows without a difference can be left out.
		all := `[...document.querySelectorAll("#compare tbody tr:not(.always)")].filter((r) => r.checkVisibility())`
		b.do(t, chromedp.Click("#compare-only input"))
		waitFor(t, all+`.length > 0 && `+all+`.every((r) => r.classList.contains("differs"))`)
	})

	t.Run("a printed comparison has no controls", func(t *testing.T) {
		b.do(t, chromedp.Navigate(site.base+"/compare/?slugs="+s.content.Listings[0].Slug+","+s.content.Listings[1].Slug), chromedp.WaitVisible("#compare table"))
		b.setMedia(t, "light", "print")
		defer call(t, b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
		if shown := evaluate[[]string](t, b, `[...document.querySelectorAll("input, button")].filter((e) => e.checkVisibility()).map((e) => e.outerHTML)`); len(shown) > 0 {
			t.Errorf("on paper there are %q", shown)
		}
	})

	t.Run("titles name what was searched for, addresses hold commas", func(t *testing.T) {
		b.do(t, chromedp.Navigate(site.base+"/search/?q=whisper&utm_source=mail&platform=linux%2Cwindows"))
		waitFor(t, `document.title.startsWith("whisper · Search · ")`)
		waitFor(t, `document.querySelectorAll("#search-hits tbody tr").length > 0 && !document.querySelector("#search-notes").textContent.includes("utm_source")`)
		b.do(t, chromedp.SendKeys("#f-docker", "y")) // selects yes
		waitFor(t, `location.search.includes("platform=linux,windows")`)
	})

	t.Run("filters of a list without hits leave no bare header", func(t *testing.T) {
		b.do(t, chromedp.Navigate(site.base+"/categories/chat-interfaces/"), chromedp.WaitVisible("#search-form"))
		home, more := 0, 0
		for _, l := range s.content.Listings {
			if l.Category == "chat-interfaces" {
				home++
			} else if slices.Contains(l.AlsoIn, "chat-interfaces") {
				more++
			}
		}
		whole := status(fmt.Sprintf("%d listings, %d of them from other categories", home+more, more))
		waitFor(t, whole)
		b.do(t, chromedp.SendKeys("#q", "zzxxqqvv"))
		waitFor(t, status(fmt.Sprintf("0 of %d listings", home+more))+` && document.querySelector("#search-hits").hidden && document.querySelector("#search-notes").textContent.startsWith("No listing here matches.")`)
		b.do(t, chromedp.Click("#search-notes button"))
		waitFor(t, whole+` && !document.querySelector("#search-hits").hidden && document.querySelector("#q").value === "" && location.search === ""`)
	})

	t.Run("a hit tells which of its names matches", func(t *testing.T) {
		for _, test := range []struct{ query, slug, why string }{
			{"canva", "openhands", "Matches another of its names."}, // Agent Canvas
			{"devin", "openhands", "Replaces Devin."}, {"lm studio", "ollama", "Replaces LM Studio."}, {"webui", "stable-diffusion-web-ui", "Matches its name."},
		} {
			l := s.known(t, test.slug)
			if l.Slug != test.slug && !slices.Contains(l.Formerly, test.slug) { // it has left
				continue
			}
			test.slug = l.Slug
			b.do(t, chromedp.Navigate(site.base+"/search/?q="+url.QueryEscape(test.query)))
			waitFor(t, fmt.Sprintf(`document.querySelector("#search-hits a[href$='/projects/%s/']")?.closest("th").querySelector(".why")?.textContent === %q`, test.slug, test.why))
		}
	})

	t.Run("the filters of a search can be skipped", func(t *testing.T) {
		b.do(t, chromedp.Navigate(site.base+"/search/"), b.waitForStatus(statusOf(len(s.content.Listings))), chromedp.Focus("#q"))
		b.press(t, "Tab", false) // the button
		b.press(t, "Tab", false)
		b.press(t, "Enter", false)
		for range evaluate[int](t, b, `document.querySelectorAll("#search-hits thead button").length + 1`) {
			b.press(t, "Tab", false)
		}
		if at := evaluate[string](t, b, `document.activeElement.outerHTML`); !evaluate[bool](t, b, `document.activeElement === document.querySelector("#search-hits tbody th a")`) {
			t.Errorf("after the filters and the heads of columns, the focus is at %s", at)
		}
	})

	t.Run("a search without JavaScript says so", func(t *testing.T) {
		call(t, b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		defer call(t, b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{})
		b.do(t, chromedp.Navigate(site.base+"/search/?q=ollama"), chromedp.WaitVisible("#search-hits"))
		if wrong := evaluate[string](t, b, `(() => {
			const note = [...document.querySelectorAll("noscript *")].find((e) => e.checkVisibility() && /needs JavaScript/.test(e.textContent));
			if (!note || !(note.compareDocumentPosition(document.querySelector("#search-hits")) & Node.DOCUMENT_POSITION_FOLLOWING)) return "there is no note above the list";
			if (note.getBoundingClientRect().bottom > 300) return "the note is far below the top";
			return ["/categories/", "/newest/"].filter((p) => !note.querySelector("a[href$='" + p + "']")).join();
		})()`); wrong != "" {
			t.Error(wrong)
		}
		// The form keeps the words that it sends.
		b.do(t, chromedp.Navigate(site.base+"/search/"), chromedp.WaitVisible("#q"), chromedp.SendKeys("#q", "ollama & \"jan\""))
		b.press(t, "Enter", false)
		b.do(t, chromedp.WaitVisible(`#q[value^="ollama"]`)) // nothing in a page waits without scripts
		if at := evaluate[string](t, b, `location.search + " " + document.querySelector("#q").value`); !strings.HasPrefix(at, "?q=ollama+%26+%22jan%22&") || !strings.HasSuffix(at, ` ollama & "jan"`) {
			t.Errorf("the search without JavaScript is %q", at)
		}
	})

	t.Run("a comparison without JavaScript says so", func(t *testing.T) {
		call(t, b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		defer call(t, b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{})
		b.do(t, chromedp.Navigate(site.base+"/compare/?slugs=ollama,jan"), chromedp.WaitVisible("main noscript a"))
		const want = "Comparing needs JavaScript. Each listing's page has the same facts. Categories"
		if got := evaluate[string](t, b, `document.querySelector("main").innerText.trim().split("\n").filter(Boolean).at(-1)`); got != want {
			t.Errorf("the page ends with %q, want %q", got, want)
		}
		if got := evaluate[string](t, b, `document.querySelector("main").innerText`); strings.Contains(got, "chosen") || strings.Contains(got, "tick") {
			t.Errorf("the page says %q", got)
		}
	})

	t.Run("a list without JavaScript leads to shorter ones in place of filters", func(t *testing.T) {
		call(t, b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		defer call(t, b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{})
		b.do(t, chromedp.Navigate(site.base+"/newest/"), chromedp.WaitVisible("#search-form noscript a"))
		const want = "/categories/ /sets/ /platforms/ /licenses/"
		if got := evaluate[string](t, b, `[...document.querySelectorAll("#search-form noscript a")].map((a) => a.getAttribute("href")).join(" ")`); got != want {
			t.Errorf("the list leads to %q, want %q", got, want)
		}
		if evaluate[bool](t, b, `document.querySelector("#facets").checkVisibility()`) {
			t.Error("filters that do nothing are shown")
		}
	})

	t.Run("names in tables of the documentation stand on one line", func(t *testing.T) {
		for _, width := range []int64{1280, 390} {
			b.do(t, chromedp.EmulateViewport(width, 900), chromedp.Navigate(site.base+"/docs/"), chromedp.WaitVisible("main h1"))
			if broken := evaluate[[]string](t, b, `[...document.querySelectorAll("th code")].filter((c) => c.getClientRects().length > 1).map((c) => c.textContent)`); len(broken) > 0 {
				t.Errorf("at %d px, %q are broken", width, broken)
			}
		}
		b.do(t, chromedp.EmulateViewport(1280, 900))
	})

	t.Run("links to folded parts of the documentation unfold them", func(t *testing.T) {
		shown := func(id string) string {
			return fmt.Sprintf(`(() => { const table = document.querySelector("#%s table"), { top } = document.getElementById(%[1]q).getBoundingClientRect(); return table.checkVisibility({ contentVisibilityAuto: true }) && table.getBoundingClientRect().height > 0 && top >= 0 && top < innerHeight; })()`, id)
		}
		for _, off := range []bool{false, true} {
			call(t, b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: off})
			b.do(t, chromedp.Navigate("about:blank"), chromedp.Navigate(site.base+"/docs/#schema-Project"), chromedp.WaitVisible("main h1"))
			b.waitFor(t, shown("schema-Project"))
			if tall := evaluate[int](t, b, `document.documentElement.scrollHeight`); tall > 12000 {
				t.Errorf("the page is %d pixels long", tall)
			}
			b.do(t, chromedp.Navigate("about:blank"), chromedp.Navigate(site.base+"/docs/"), chromedp.WaitVisible("main h1"), chromedp.Click(`#contents a[href="#searchCatalog"]`))
			b.waitFor(t, `Math.abs(document.querySelector("#searchCatalog").getBoundingClientRect().top) < 200`)
		}
		call(t, b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{})
	})

	t.Run("filters stand in a grid, and cut no text", func(t *testing.T) {
		for _, width := range []int64{360, 768, 1280} {
			b.do(t, chromedp.EmulateViewport(width, 900), chromedp.Navigate("about:blank"), chromedp.Navigate(site.base+"/search/?q=chat"))
			b.waitFor(t, allDrawn)
			evaluate[bool](t, b, `(document.querySelector("#facets").open = true, `+nextPaint+`)`)
			for _, wrong := range evaluate[[]string](t, b, `(() => {
				const fields = [...document.querySelectorAll("#facets p > :is(select, input)")], pen = document.createElement("canvas").getContext("2d");
				return [
					...fields.filter((f) => f.offsetHeight !== fields[0].offsetHeight || f.offsetWidth !== fields[0].offsetWidth).map((f) => f.id + " has another size"),
					...fields.flatMap((f) => {
						pen.font = getComputedStyle(f).font;
						return [...f.options ?? []].filter((o) => pen.measureText(o.textContent).width > f.clientWidth - 32).map((o) => f.id + " cuts " + o.textContent);
					}),
				];
			})()`) {
				t.Errorf("at %d px, %s", width, wrong)
			}
		}
		b.do(t, chromedp.EmulateViewport(1280, 900))
	})

	t.Run("a verdict takes a line, and unfolds what it rests on", func(t *testing.T) {
		for _, width := range []int64{360, 1280} {
			b.do(t, chromedp.EmulateViewport(width, 900), chromedp.Navigate("about:blank"), chromedp.Navigate(site.base+"/search/?q=chat+with+documents&ramGb=16&vramGb=0"))
			b.waitFor(t, allDrawn)
			if tall := evaluate[[]string](t, b, `[...document.querySelectorAll("#search-hits .verdict")].filter((v) => v.offsetHeight > 30).map((v) => v.offsetHeight + " " + v.textContent)`); len(tall) > 0 {
				t.Errorf("at %d px: %q", width, tall)
			}
			b.do(t, chromedp.Click("#search-hits details.verdict summary"))
			b.waitFor(t, `document.querySelector("#search-hits details.verdict[open]")?.offsetHeight > 30`)
		}
		b.do(t, chromedp.EmulateViewport(1280, 900))
	})

	t.Run("numbers add up", func(t *testing.T) {
		b.do(t, chromedp.Navigate(site.base+"/numbers/"), chromedp.WaitVisible(".chart svg"))
		for i, sum := range evaluate[[]int](t, b, `[...document.querySelectorAll(".chart")].map((c) => [...c.querySelectorAll("td:nth-child(2)")].reduce((n, d) => n + Number(d.textContent), 0) * (c.querySelector(".note").textContent.endsWith("may count for several.") ? -1 : 1))`) {
			if sum != len(s.content.Listings) && (sum >= 0 || -sum < len(s.content.Listings)) {
				t.Errorf("chart %d counts %d listings of %d", i, sum, len(s.content.Listings))
			}
		}
	})

	t.Run("search_catalog when the server is gone", func(t *testing.T) {
		b.do(t, chromedp.Navigate(site.base+"/"), chromedp.WaitVisible("main h1"))
		b.callTool(t, api.ToolSearch, `{q: "notes"}`) // when the tools are there
		host.mode.Store(modeAbort)
		defer host.mode.Store(modeAnswer)
		text := b.callTool(t, api.ToolSearch, `{q: "chat"}`)
		if !strings.Contains(text, "cannot be reached") || !strings.Contains(text, "/categories/") || !strings.Contains(text, `"error":`) {
			t.Errorf("the tool answers %s", text)
		}
		b.clearFaults()
	})
}

// pdfTexts returns how many texts a PDF file draws: operators Tj and TJ in its streams.
func pdfTexts(t *testing.T, file []byte) (n int) {
	t.Helper()
	for _, part := range bytes.Split(file, []byte("stream\n"))[1:] {
		r, err := zlib.NewReader(bytes.NewReader(part))
		if err != nil {
			continue // not a compressed stream
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		n += len(regexp.MustCompile(`\bT[jJ]\b`).FindAll(text, -1))
	}
	return n
}

// gzipped returns the size of a file compressed by gzip, as hosts send it.
func gzipped(t *testing.T, file string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Len()
}
