package main

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/generator/content"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	pageproto "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// mostSteps is the number of clicks and inputs within which somebody decides.
const mostSteps = 4

// journey counts the steps of a user: a click, or text written into a field.
type journey struct {
	*browser
	steps int
}

// checkDeciding goes the ways from a question to a decision, with real clicks and keys.
func (s *testSite) checkDeciding(t *testing.T, b *browser) {
	count := func(n int) string {
		return fmt.Sprintf(`document.querySelectorAll("#tray:not([hidden]) li").length === %d`, n)
	}
	begin := func(t *testing.T, path string) *journey {
		t.Helper()
		b.do(t, chromedp.EmulateViewport(wide, 900), chromedp.Navigate(s.base+path), chromedp.WaitVisible("main h1"))
		return &journey{browser: b}
	}

	t.Run("instead of Notion AI, with Docker", func(t *testing.T) {
		j := begin(t, "/")
		j.enter(t, "#q", "instead of notion ai\r")
		b.waitFor(t, `location.pathname === "/search/" && /^\d+ alternatives to Notion$/.test(document.querySelector("#search-notes a")?.textContent)`)
		j.choose(t, "#f-docker", "y")
		b.waitFor(t, `new URLSearchParams(location.search).get("docker") === "1" && `+allDrawn+` && [...document.querySelectorAll("#search-hits tbody .fit")].every((cell) => cell.textContent.includes("Docker"))`)
		if got := evaluate[string](t, b, `[...document.querySelectorAll("#search-hits tbody tr")].slice(0, 2).map((r) => r.querySelector(".why")?.textContent).join()`); got != "Replaces Notion.,Replaces Notion." {
			t.Errorf("the first two match by %q", got)
		}
		name := evaluate[string](t, b, `document.querySelector("#search-hits tbody th a").textContent`)
		j.click(t, "#search-hits tbody th a")
		b.waitFor(t, fmt.Sprintf(`document.querySelector("h1 bdi")?.textContent === %q && document.querySelector("#install")`, name))
		j.end(t)
	})

	t.Run("compare three and send the link", func(t *testing.T) {
		j := begin(t, "/categories/speech-to-text/")
		var names []string
		for _, row := range []string{"1", "2", "3"} {
			names = append(names, evaluate[string](t, b, `document.querySelector("#search-hits tbody tr:nth-child(`+row+`) bdi").textContent`))
			j.click(t, "#search-hits tbody tr:nth-child("+row+") .choose input")
		}
		b.waitFor(t, count(3))
		j.click(t, "#tray .button")
		b.waitFor(t, fmt.Sprintf(`document.title.startsWith(%q)`, strings.Join(names, ", ")+" · Compare"))
		link := evaluate[string](t, b, `location.href`)
		if n := strings.Count(link, ","); n != 2 || strings.Contains(strings.ToLower(link), "%2c") {
			t.Errorf("the link is %s", link)
		}
		j.end(t)
		// Whoever gets it sees the same.
		b.do(t, chromedp.Navigate("about:blank"), chromedp.Navigate(link), chromedp.WaitVisible("#compare table"))
		if got := evaluate[string](t, b, `[...document.querySelectorAll("#compare thead bdi")].map((e) => e.textContent).join(", ")`); got != strings.Join(names, ", ") {
			t.Errorf("the link shows %s, want %s", got, strings.Join(names, ", "))
		}
	})

	t.Run("the tray is filled from any row, and survives", func(t *testing.T) {
		begin(t, "/categories/video/")
		evaluate[bool](t, b, `(sessionStorage.clear(), true)`)
		b.do(t, chromedp.Navigate("about:blank"), chromedp.Navigate(s.base+"/categories/video/"), chromedp.WaitVisible("#search-hits"))
		b.do(t, chromedp.Click("#search-hits .choose input"))
		b.waitFor(t, count(1)+` && document.querySelector("#tray a").hidden`)
		for i, path := range []string{"/categories/video/", "/search/?q=transcribe", "/", "/alternatives/midjourney/?docker=1"} {
			b.do(t, chromedp.Navigate(s.base+path))
			b.waitFor(t, count(i+1)+` && document.querySelectorAll(".listings .choose input:not(:checked)").length > 0 && !document.querySelector(".busy")`)
			b.do(t, chromedp.Click(".listings .choose input:not(:checked)"))
			b.waitFor(t, count(i+2))
		}
		// There is room for five.
		b.do(t, chromedp.Click(".listings .choose input:not(:checked)"))
		b.waitFor(t, count(5)+` && document.querySelector("#tray [role=status]").textContent === "You can compare at most 5 listings. Remove one first."`)
		b.do(t, chromedp.Click("#tray li button"))
		b.waitFor(t, count(4)+` && document.activeElement.closest("#tray")`)
		// A link that somebody sent shows what it names, and leaves the tray alone. The head of
		// each page leads to what was ticked.
		b.do(t, chromedp.Navigate(s.base+"/compare/?slugs="+s.known(t, "ollama").Slug), chromedp.WaitVisible("#compare table"), chromedp.Click(`header nav a[href$="/compare/"]`))
		b.waitFor(t, `document.querySelectorAll("#compare thead a").length === 4 && (new URLSearchParams(location.search).get("slugs") ?? "").split(",").length === 4`)
		b.do(t, chromedp.Navigate(s.base+"/categories/video/"))
		b.waitFor(t, count(4))
		b.do(t, chromedp.Click("#tray span button"))
		b.waitFor(t, `document.querySelector("#tray").hidden && !document.querySelector(".choose input:checked") && sessionStorage.length === 0`)
		b.report(t)
	})

	t.Run("names are suggested to the comparison", func(t *testing.T) {
		one := s.known(t, "ollama")
		other := s.known(t, "open-webui", one)
		begin(t, "/compare/?slugs="+one.Slug)
		b.do(t, chromedp.SendKeys("#add", other.Name[:len(other.Name)-2]))
		b.waitFor(t, fmt.Sprintf(`document.querySelector("main .suggestions:not([hidden]) a bdi")?.textContent === %q`, other.Name))
		b.do(t, chromedp.Click("main .suggestions a"))
		b.waitFor(t, `location.search === "?slugs=`+one.Slug+`,`+other.Slug+`" && document.querySelector("main .suggestions").hidden && document.querySelector("#add").value === "" && document.activeElement.id === "add"`)
		b.report(t)
	})

	t.Run("corrections are told, with a way back", func(t *testing.T) {
		begin(t, "/search/?q=trnascribe+meetings")
		const told = `document.querySelector("#search-notes").textContent`
		b.waitFor(t, told+`.startsWith("Showing results for “transcribe meetings”. Search for “trnascribe meetings” instead")`)
		b.do(t, chromedp.Click("#search-notes a"))
		b.waitFor(t, `location.search === "?q=trnascribe+meetings&correct=0" && !document.querySelector(".busy") && !`+told+`.includes("Showing results for")`)
		// correct=0 applies only to this query.
		b.do(t, chromedp.SendKeys("#q", " loclly"))
		b.waitFor(t, told+`.startsWith("Showing results for “transcribe meetings locally”")`)
		b.report(t)
	})

	t.Run("a product leads to its page from the search", func(t *testing.T) {
		begin(t, "/search/?q=instead+of+midjourney")
		b.waitFor(t, `/^\d+ alternatives to Midjourney$/.test(document.querySelector("#search-notes a")?.textContent)`)
		told := evaluate[string](t, b, `document.querySelector("#search-notes a").textContent`)
		b.do(t, chromedp.Click("#search-notes a"))
		b.waitFor(t, `location.pathname === "/alternatives/midjourney/" && document.querySelector("#search-status")`)
		if n := evaluate[string](t, b, `document.querySelector("#search-status").textContent`); !strings.HasPrefix(told, strings.TrimSuffix(n, " listings")+" ") {
			t.Errorf("%s lead to %s", told, n)
		}
	})

	t.Run("a hint can be made a filter", func(t *testing.T) {
		begin(t, "/search/?q=notes+offline")
		b.waitFor(t, `document.querySelector("#search-notes a[href*='offline=1']")?.textContent === "Show only these"`)
		b.do(t, chromedp.Click("#search-notes a[href*='offline=1']"))
		b.waitFor(t, `document.querySelector("#f-offline").value === "1" && document.querySelectorAll("#search-hits tbody tr").length > 0`)
	})

	t.Run("a list without a filter is as it was, after any way there", func(t *testing.T) {
		begin(t, "/categories/video/")
		before := evaluate[string](t, b, `document.querySelector("#facets").innerText`)
		b.do(t, chromedp.SendKeys("#q", "qqxzvvk"))
		b.waitFor(t, `document.querySelector("#search-notes button")`)
		b.do(t, chromedp.Click("#search-notes button"))
		b.waitFor(t, `location.search === "" && `+allDrawn)
		if after := evaluate[string](t, b, `document.querySelector("#facets").innerText`); after != before {
			t.Errorf("the filters were %q, and are %q", before, after)
		}
		b.report(t)
	})

	t.Run("back leads to the same place in a search", func(t *testing.T) {
		b.do(t, chromedp.EmulateViewport(390, 844), chromedp.Navigate(s.base+"/search/?q=chat"))
		b.waitFor(t, allDrawn)
		evaluate[bool](t, b, `(scrollTo(0, 4000), `+nextPaint+`)`)
		at := evaluate[float64](t, b, `scrollY`)
		b.do(t, chromedp.Navigate(s.base+"/about/"), chromedp.WaitVisible("main h1"))
		b.back(t)
		b.waitFor(t, `location.pathname === "/search/" && `+allDrawn)
		b.waitFor(t, fmt.Sprintf(`Math.abs(scrollY - %f) < 100`, at))
		b.do(t, chromedp.EmulateViewport(wide, 900))
		b.report(t)
	})

	t.Run("a box finds a product among all", func(t *testing.T) {
		begin(t, "/alternatives/")
		b.do(t, chromedp.SendKeys("#find", "finereader"))
		b.waitFor(t, `/^1 of \d+$/.test(document.querySelector("#find-status").textContent) && [...document.querySelectorAll(".group")].filter((g) => g.checkVisibility()).length === 1`)
		b.do(t, chromedp.SendKeys("#find", "\r"))
		b.waitFor(t, `document.activeElement.textContent === "ABBYY FineReader"`)
		b.report(t)
	})

	t.Run("a command is copied", func(t *testing.T) {
		i := slices.IndexFunc(s.content.Listings, func(l *content.Listing) bool {
			return slices.ContainsFunc(l.InstallLinks, func(link api.InstallLink) bool { return link.Command != nil })
		})
		begin(t, "/projects/"+s.content.Listings[i].Slug+"/")
		call(t, b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		defer call(t, b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{})
		command := evaluate[string](t, b, `document.querySelector(".command code").textContent`)
		b.do(t, chromedp.Click(".command button"))
		b.waitFor(t, `document.querySelector(".command button").textContent === "Copied"`)
		b.do(t, chromedp.Focus("#site-search"))
		call(t, b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Commands: []string{"paste"}})
		b.waitFor(t, fmt.Sprintf(`document.querySelector("#site-search").value === %q`, command))
		b.report(t)
	})

	t.Run("other sites show a listing, and frame no other page", func(t *testing.T) { s.checkEmbedded(t, b) })

	t.Run("on a phone the filters fold, and the results stay in reach", func(t *testing.T) {
		for _, path := range []string{"/categories/video/", "/search/?q=video"} {
			b.do(t, chromedp.EmulateViewport(390, 844), chromedp.Navigate(s.base+path), chromedp.WaitVisible("#search-hits"))
			if y := evaluate[float64](t, b, `document.querySelector("#search-hits tbody th a").getBoundingClientRect().top`); y > 844 {
				t.Errorf("%s: the first row is at %.0f pixels", path, y)
			}
			b.do(t, chromedp.Click("#facets summary"))
			b.waitFor(t, `(() => { const r = document.querySelector("#show").getBoundingClientRect(); return r.top > 0 && r.bottom <= innerHeight && /^Show \d+ listings$/.test(document.querySelector("#show").textContent); })()`)
			b.do(t, chromedp.SendKeys("#f-docker", "y"))
			b.waitFor(t, `location.search.includes("docker=1") && !document.querySelector(".busy")`)
			total := evaluate[string](t, b, `document.querySelector("#search-status").textContent.match(/\d+/)[0]`)
			if got := evaluate[string](t, b, `document.querySelector("#show").textContent`); got != "Show "+total+" listings" {
				t.Errorf("%s: the button says %q for %s", path, got, total)
			}
			b.do(t, chromedp.Click("#show"))
			b.waitFor(t, `!document.querySelector("#facets").open && document.activeElement.id === "search-status" && document.querySelector("#search-hits").getBoundingClientRect().top < innerHeight`)
		}
		b.do(t, chromedp.EmulateViewport(wide, 900))
		b.report(t)
	})
}

// checkEmbedded puts the snippets of a listing's page into a page of another site.
func (s *testSite) checkEmbedded(t *testing.T, b *browser) {
	t.Helper()
	longest := slices.MaxFunc(s.content.Listings, func(x, y *content.Listing) int {
		return len(x.Name+x.Purpose) - len(y.Name+y.Purpose)
	})
	page := s.base + "/projects/" + longest.Slug + "/"
	b.do(t, chromedp.EmulateViewport(wide, 900), chromedp.Navigate(page), chromedp.WaitVisible("main h1"), chromedp.Click("#site-badge summary"))
	b.waitFor(t, `document.querySelectorAll("#site-badge .command button").length === 3`)
	code := evaluate[[]string](t, b, `[...document.querySelectorAll("#site-badge .command code")].map((c) => c.textContent)`)
	badge := s.base + "/badge/" + longest.Slug + ".svg"
	if want := "[![Listed: " + s.settings.Title + "](" + badge + ")](" + page + ")"; code[0] != want {
		t.Errorf("the badge in Markdown is %q, want %q", code[0], want)
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, code[1]+code[2]+`<iframe src="`+page+`"></iframe>`) // the browser may have gone
	}))
	defer other.Close()
	if err := chromedp.Do(b, chromedp.Navigate(other.URL), chromedp.WaitVisible("a img")); err != nil {
		t.Fatal(err)
	}
	b.waitFor(t, `document.readyState === "complete"`)
	if got := evaluate[string](t, b, `(() => { const i = document.querySelector("img"); return i.currentSrc + " " + i.naturalHeight + " " + i.alt; })()`); got != badge+" 20 Listed: "+s.settings.Title {
		t.Errorf("the badge in HTML is %q", got)
	}
	var framed []string
	for _, child := range call(t, b, pageproto.GetFrameTree, cdp.Empty{}).FrameTree.ChildFrames {
		framed = append(framed, cmp.Or(child.Frame.UnreachableURL, child.Frame.URL)+" "+child.Frame.URL)
	}
	embed := s.base + "/embed/" + longest.Slug + "/"
	if len(framed) != 2 || framed[0] != embed+" "+embed || !strings.Contains(framed[1], "chrome-error:") {
		t.Errorf("the frames have %q", framed)
	}
	b.clearFaults() // of the page that may not be framed
	for _, scheme := range []string{"light", "dark"} {
		b.setMedia(t, scheme, "")
		b.do(t, chromedp.EmulateViewport(300, 300), chromedp.Navigate(embed), chromedp.WaitVisible("h1"))
		b.checkWidth(t, 300)
		if high := evaluate[int](t, b, `document.documentElement.scrollHeight`); high > 300 {
			t.Errorf("the embed of %s is %d pixels high", longest.Slug, high)
		}
		if isDark := evaluate[bool](t, b, `getComputedStyle(document.body).backgroundColor === "rgb(18, 22, 21)"`); isDark != (scheme == "dark") {
			t.Errorf("%s: the ground is %s", scheme, evaluate[string](t, b, `getComputedStyle(document.body).backgroundColor`))
		}
	}
	b.setMedia(t, "light", "")
	b.do(t, chromedp.EmulateViewport(wide, 900))
}

// enter writes into a field.
func (j *journey) enter(t *testing.T, field, text string) {
	t.Helper()
	j.steps++
	j.do(t, chromedp.Click(field))
	j.write(t, text)
}

func (j *journey) click(t *testing.T, target string) {
	t.Helper()
	j.steps++
	j.do(t, chromedp.ScrollIntoView(target), chromedp.Click(target))
}

// choose chooses the option of a select that begins with a letter.
func (j *journey) choose(t *testing.T, field, letter string) {
	t.Helper()
	j.steps++
	j.do(t, chromedp.SendKeys(field, letter))
}

func (j *journey) end(t *testing.T) {
	t.Helper()
	if j.steps > mostSteps {
		t.Errorf("it took %d steps", j.steps)
	}
	j.report(t)
}
