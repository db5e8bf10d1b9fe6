package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	pageproto "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// visit is a page to open in the browser.
type visit struct {
	path   string
	status int    // HTTP status; 0 means 200
	ready  string // JavaScript condition: the page code is done; empty for none
	then   string // JavaScript that changes the page before its parts are checked
}

// visits returns the pages to check by kind, as returned by pageKind.
func (s *testSite) visits(t *testing.T) map[string][]visit {
	const hitsShown = `/^\d+ listing/.test(document.querySelector("#search-status").textContent) && !document.querySelector(".busy")`
	// The reader's computer is named, and its form is open.
	const wrong, told = "#computer?ramGb=99999&system=toaster", `document.querySelector("#computer-text").textContent === "2 values left out"` // no computer
	const computer, opened = "#computer?ramGb=16&vramGb=6&gpuVendor=nvidia&system=linux", `document.querySelector("#computer").open = true`
	// A kind of computer is chosen, which leaves some fields.
	const chosen = `(` + opened + `, document.querySelector("[name=computer-kind][value=mac]").click(), true)`
	// Two listings are ticked to compare them; suggestions are open.
	const ticked = `(document.querySelectorAll("td.choose input").forEach((box, i) => i < 2 && box.click()), true)`
	const suggested = `(async () => {
		const field = document.querySelector("#q");
		field.value = "instead of midjuorney";
		field.dispatchEvent(new Event("input", { bubbles: true }));
		while (field.ariaExpanded !== "true") await new Promise((done) => setTimeout(done, 10));
		return true;
	})()`
	slugs := func(n int) string {
		var list []string
		for _, l := range s.content.Listings[:n] {
			list = append(list, l.Slug)
		}
		return strings.Join(list, ",")
	}
	compared := func(n int) string {
		return fmt.Sprintf(`document.querySelectorAll("#compare thead a").length === %d`, n)
	}
	visits := map[string][]visit{
		"home":    {{path: "/"}, {path: "/", then: suggested}, {path: "/", then: chosen}, {path: "/" + wrong, ready: told, then: opened}},
		"project": {{path: "/projects/" + s.content.Listings[0].Slug + "/"}, {path: "/projects/" + s.known(t, "wangp").Slug + "/" + computer, ready: `document.querySelector("#verdict").textContent`, then: opened}},
		"collection/categories": {{path: "/categories/" + s.content.Listings[0].Category + "/"}, {path: "/categories/video/" + computer, ready: `document.querySelector("#search-hits th[scope=rowgroup]")`, then: opened}, {path: "/categories/video/" + wrong, ready: told},
			{path: "/categories/video/?sort=name&reverse=1", ready: hitsShown + ` && document.querySelector("[aria-sort=descending]")`, then: ticked}, {path: "/categories/video/?q=qqxzvvk", ready: `document.querySelector("#search-notes button")`}},
		"collection/platforms":    {{path: "/platforms/docker/"}},
		"collection/licenses":     {{path: "/licenses/mit/"}},
		"collection/alternatives": {{path: "/alternatives/chatgpt/"}, {path: "/alternatives/notion/"}},
		"collection/newest":       {{path: "/newest/"}, {path: "/newest/2/"}},
		"collection/new-projects": {{path: "/new-projects/"}},
		"changes":                 {{path: "/changes/"}},
		"overview/categories":     {{path: "/categories/"}},
		"overview/platforms":      {{path: "/platforms/"}},
		"overview/licenses":       {{path: "/licenses/"}},
		"overview/alternatives":   {{path: "/alternatives/"}},
		"collection/sets":         {{path: "/sets/" + s.content.Sets[0].Slug + "/"}},
		"overview/sets":           {{path: "/sets/"}},
		"overview/computers":      {{path: "/computers/"}},
		"machine":                 {{path: "/computers/16gb-no-card/"}},
		"search": {
			{path: "/search/", ready: hitsShown},
			{path: "/search/?q=transcribe+meetings&docker=1", ready: hitsShown},
			{path: "/search/?q=the+best&nosuch=1", ready: hitsShown + ` && document.querySelectorAll("#search-notes p").length >= 2`}, // with warnings
			{path: "/search/?q=qqxzvvk", ready: hitsShown},
			{path: "/search/?q=instead+of+midjuorney", ready: hitsShown, then: ticked},
			{path: "/search/?q=chat&facets=7", status: http.StatusBadRequest, ready: `document.querySelector("#search-notes p")?.textContent === "Left out: facets “7”, which is not known here."`},
			{path: "/search/?q=video&ramGb=16&vramGb=6&gpuVendor=nvidia", ready: hitsShown, then: opened},
			{path: "/search/" + wrong, ready: told + " && " + hitsShown},
		},
		"compare":   {{path: "/compare/"}, {path: "/compare/?slugs=" + slugs(3), ready: compared(3)}, {path: "/compare/?slugs=" + slugs(4) + computer, ready: compared(4)}},
		"saved":     {{path: "/saved/", ready: `document.querySelector("#saved-status").textContent`}, {path: "/saved/?slugs=" + slugs(3) + computer, ready: `document.querySelectorAll("#saved tbody tr").length === 3`, then: `document.querySelector("#saved details").open = true`}},
		"numbers":   {{path: "/numbers/"}},
		"questions": {{path: "/choose/"}},
		"suggest":   {{path: "/suggest/"}, {path: "/suggest/", then: `for (const d of document.querySelectorAll("main details")) d.open = true`}},
		"docs":      {{path: "/docs/"}},
		"page":      {{path: "/about/"}, {path: "/editors/"}, {path: "/owners/"}, {path: "/ranking/"}},
		"embed":     {{path: "/embed/" + s.content.Listings[0].Slug + "/"}},
		"problem":   {{path: "/problems/" + api.RateLimited.Code + "/"}},
		"404":       {{path: "/nothing/is/here/", status: http.StatusNotFound}},
	}
	if retired := s.content.Retired; len(retired) > 0 {
		visits["retired"] = []visit{{path: "/projects/" + retired[0].Slug + "/"}}
	}
	s.addStates(t, visits)
	return visits
}

// addStates adds pages as they are after a reader has done something.
func (s *testSite) addStates(t *testing.T, visits map[string][]visit) {
	t.Helper()
	add := func(kind string, more ...visit) { visits[kind] = append(visits[kind], more...) }
	wait := func(condition string) string {
		return `while (!(` + condition + `)) await new Promise((done) => setTimeout(done, 10));`
	}
	do := func(steps ...string) string {
		return `(async () => {` + strings.Join(steps, " ") + ` return true; })()`
	}
	const open = `document.querySelector("#computer").open = true;`
	list := "/categories/" + s.known(t, "whisper").Category + "/"
	add("collection/categories",
		// A form with an error.
		visit{path: list, then: do(open, wait(`document.querySelector("#computer-help")`), `const field = document.querySelector("#computer-ramGb"); field.value = "99999"; field.dispatchEvent(new Event("input"));`, wait(`document.querySelector("#computer-note").textContent`))},
		// What the browser tells, and what it asks.
		visit{path: list, then: do(open, `document.querySelector("#computer-detect").click();`, wait(`document.querySelector("#computer-found").textContent`))})
	// Suggestions of the search in the head of a page.
	if s.settings.HasServer() {
		add("page", visit{path: "/about/", then: do(`const field = document.querySelector("#site-search"); if (getComputedStyle(field.form).display === "none") return true; field.value = "chat"; field.dispatchEvent(new Event("input", { bubbles: true }));`, wait(`field.form.querySelector("a")`))})
	}
	pair := s.known(t, "ollama")
	compared := "/compare/?slugs=" + pair.Slug + "," + s.known(t, "llama-cpp", pair).Slug
	add("compare",
		visit{path: compared, ready: `document.querySelectorAll("#compare thead a").length === 2`, then: do(`[...document.querySelectorAll("main input[type=checkbox]")].filter((box) => box.checkVisibility()).forEach((box) => box.click());`)},
		visit{path: compared + ",nosuch", status: http.StatusNotFound, ready: `document.querySelectorAll("#compare thead a").length === 2`})
	i := slices.IndexFunc(s.content.Listings, func(l *content.Listing) bool { return l.Archived != nil && *l.Archived })
	if i >= 0 { // with a notice and tags that warn
		add("project", visit{path: "/projects/" + s.content.Listings[i].Slug + "/"})
	}
	add("search", visit{path: "/search/?q=chat&platform=linux,windows&docker=1&sort=newest", ready: `document.querySelector(".chosen button") && !document.querySelector(".busy")`})
}

// pageKind returns the kind of a page: the class of its body, with the first folder of
// its address if several folders share a template.
func pageKind(t *testing.T, address, text string) string {
	t.Helper()
	m := regexp.MustCompile(`<body class="?([a-z0-9-]+)`).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("the body of %s has no class", address)
	}
	if m[1] == "collection" || m[1] == "overview" {
		folder, _, _ := strings.Cut(strings.Trim(address, "/"), "/")
		return m[1] + "/" + folder
	}
	return m[1]
}

// gate delays scripts and API responses until its channels are closed, so that a page
// can be checked in each of its states.
type gate struct {
	http.Handler
	mu             sync.Mutex
	script, answer chan struct{}
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.script, g.answer = make(chan struct{}), make(chan struct{})
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	var pass chan struct{}
	switch {
	case strings.HasPrefix(r.URL.Path, "/api/"):
		pass = g.answer
	case strings.HasSuffix(r.URL.Path, ".js"):
		pass = g.script
	}
	g.mu.Unlock()
	if pass != nil {
		select {
		case <-pass:
		case <-r.Context().Done():
			return
		}
	}
	g.Handler.ServeHTTP(w, r)
}

// shiftScript adds up the layout shifts without user input, by the Layout Instability
// API (WICG).
const shiftScript = `{ self.shifted = 0; self.moved = [];
	new PerformanceObserver((list) => { for (const s of list.getEntries()) if (!s.hadRecentInput) {
		self.shifted += s.value;
		self.moved.push(...s.sources.map((x) => (x.node?.nodeType === 1 ? x.node : x.node?.parentElement)?.outerHTML.slice(0, 80) + " " + JSON.stringify([x.previousRect, x.currentRect, innerWidth])));
	} }).observe({type: "layout-shift", buffered: true}); }`

// nextPaint is a promise that resolves when changes have been painted and measured.
const nextPaint = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true)))))`

// maxShift is the maximum layout shift score of a page: a fifth of 0.1, from which on it
// "needs improvement" (web.dev/cls).
const maxShift = 0.02

// pageChecker opens pages in a browser of its own and checks them.
type pageChecker struct {
	*browser
	axe string // axe-core's source
}

// newPageChecker starts a browser without a cache.
func newPageChecker(t *testing.T) *pageChecker {
	t.Helper()
	b := newBrowser(t)
	source, err := os.ReadFile(filepath.Join(pagecheck, "node_modules/axe-core/axe.min.js"))
	if err != nil {
		t.Fatalf("%v: install it with `make deps`", err)
	}
	c := &pageChecker{b, string(source)}
	call(t, c.browser, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	call(t, c.browser, pageproto.AddScriptToEvaluateOnNewDocument, pageproto.AddScriptToEvaluateOnNewDocumentParams{Source: shiftScript})
	return c
}

// call runs a command of the DevTools protocol.
func call[P, R any](t *testing.T, b *browser, command cdp.Command[P, R], parameters P) R {
	t.Helper()
	ctx, cancel := context.WithTimeout(b, testTimeout)
	defer cancel()
	result, err := chromedp.Call(ctx, command, parameters)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// waitFor waits until an expression is true, also across page loads.
func (b *browser) waitFor(t *testing.T, condition string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(b, testTimeout/2)
	defer cancel()
	poll := chromedp.Evaluate[bool](`new Promise((done) => {
		const end = performance.now() + 500, look = () => { const is = Boolean(`+condition+`); is || performance.now() > end ? done(is) : setTimeout(look, 10); };
		look();
	})`, chromedp.EvalAwaitPromise)
	for {
		ok, err := chromedp.Run(ctx, poll)
		if ok {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("never comes true: %s: %v", condition, err) // err may come from a page that was just left
		}
	}
}

// setMedia emulates a colour scheme, and a medium other than the screen if not empty.
func (b *browser) setMedia(t *testing.T, scheme, medium string) {
	t.Helper()
	call(t, b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium, Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	evaluate[bool](t, b, nextPaint)
}

// open opens a page and paints it before its code runs, before the API answers, and when
// complete. The layout must not shift in between.
func (c *pageChecker) open(t *testing.T, base string, g *gate, v visit) {
	t.Helper()
	if strings.Contains(v.path, "#") { // otherwise the browser may stay on a page of that path
		call(t, c.browser, pageproto.Navigate, pageproto.NavigateParams{URL: "about:blank"})
	}
	g.close()
	call(t, c.browser, pageproto.Navigate, pageproto.NavigateParams{URL: base + v.path})
	c.waitFor(t, `performance.getEntriesByName("first-contentful-paint").length > 0`)
	close(g.script)
	c.waitFor(t, `document.readyState === "complete"`)
	evaluate[bool](t, c.browser, nextPaint)
	close(g.answer)
	if v.ready != "" {
		c.waitFor(t, v.ready)
	}
	evaluate[bool](t, c.browser, nextPaint)
	if shifted := evaluate[float64](t, c.browser, "shifted"); shifted >= maxShift {
		t.Errorf("the layout shifts by %.3f: %q", shifted, evaluate[[]string](t, c.browser, "moved"))
	}
	c.mu.Lock()
	if v.status != 0 { // the browser reports an expected error status
		answered, logged := fmt.Sprintf("answered %d", v.status), fmt.Sprintf("with a status of %d", v.status)
		c.faults = slices.DeleteFunc(c.faults, func(f string) bool { return strings.Contains(f, answered) || strings.Contains(f, logged) })
	}
	for _, address := range c.requested {
		if !strings.HasPrefix(address, base+"/") {
			c.faults = append(c.faults, "a request leaves the origin: "+address)
		}
	}
	if len(c.requested) < 2 { // an embed has only a stylesheet
		c.faults = append(c.faults, fmt.Sprintf("only %q was asked for", c.requested))
	}
	c.requested = nil
	c.mu.Unlock()
	c.report(t)
	if v.then != "" {
		evaluate[bool](t, c.browser, v.then)
		evaluate[bool](t, c.browser, nextPaint)
	}
}

// checkWidth reports a page that scrolls sideways, with the elements that are too wide.
func (b *browser) checkWidth(t *testing.T, width int64) {
	t.Helper()
	if scrolls := evaluate[int64](t, b, `document.documentElement.scrollWidth`); scrolls > width {
		out := evaluate[[]string](t, b, `[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 &&
			e.checkVisibility()).slice(0, 4).map((e) => e.outerHTML.slice(0, 100))`)
		t.Errorf("the page is %d pixels wide; sticking out are %q", scrolls, out)
	}
}

// axeViolation is a violated rule of axe-core.
type axeViolation struct {
	ID, Help string
	Nodes    []struct{ HTML, FailureSummary string }
}

// checkAccessibility checks the page by axe-core's rules for WCAG 2.2 AA and best
// practices, or only by the rules for colours.
func (c *pageChecker) checkAccessibility(t *testing.T, colours bool) {
	t.Helper()
	for _, f := range c.axeViolations(t, colours) {
		for _, n := range f.Nodes {
			t.Errorf("%s: %s: %s %s", f.ID, f.Help, n.HTML, n.FailureSummary)
		}
	}
}

func (c *pageChecker) axeViolations(t *testing.T, colours bool) []axeViolation {
	t.Helper()
	only := `{type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}`
	if colours {
		only = `{type: "rule", values: ["color-contrast", "link-in-text-block"]}`
	}
	if !evaluate[bool](t, c.browser, `typeof axe === "object"`) {
		evaluate[bool](t, c.browser, c.axe+"; true")
	}
	result := evaluate[struct {
		Violations []axeViolation
		Rules      int
	}](t, c.browser, `axe.run({runOnly: `+only+`, resultTypes: ["violations"]}).then((r) => ({
		Violations: r.violations.map((v) => ({ID: v.id, Help: v.help, Nodes: v.nodes.map((n) => ({HTML: n.html, FailureSummary: n.failureSummary}))})),
		Rules: r.passes.length}))`)
	if result.Rules == 0 {
		t.Error("axe-core judged nothing")
	}
	return result.Violations
}

// Widths of the viewport in CSS pixels: the least that content must fit without scrolling
// sideways (WCAG 2.2, 1.4.10), and a screen on which the filters are beside the hits. Zoomed to
// 200 %, that screen is zoomed pixels wide.
const narrow, zoomed, wide = 320, 640, 1280

// firstSkippedRow is the first row of a table of listings that axe-core does not check,
// to save time: all rows have the same template. TestExtremes has extreme rows.
const firstSkippedRow = "11"

// checkPageKinds checks every kind of page, narrow in light colours and wide in dark ones.
func (s *testSite) checkPageKinds(t *testing.T) {
	visits := s.visits(t)
	t.Run("every kind of page is checked", func(t *testing.T) {
		found := map[string]string{}
		for address := range s.pages(t) {
			file := strings.TrimPrefix(address, "/")
			if strings.HasSuffix(address, "/") {
				file += "index.html"
			}
			found[pageKind(t, address, s.file(t, file))] = address
		}
		for kind, address := range found {
			if len(visits[kind]) == 0 {
				t.Errorf("%s is of a kind that is not checked: %q", address, kind)
			}
		}
		for kind := range visits {
			if found[kind] == "" {
				t.Errorf("no page is of the kind %q", kind)
			}
		}
	})
	c := newPageChecker(t)
	g := &gate{Handler: s.server(t, (&steppingClock{current: s.builtAt, step: time.Second}).now).Handler()}
	site := s.withHandler(t, g)
	c.checkVisits(t, site.base, g, visits)
	c.checkDetection(t, site.base, g)
}

// checkVisits checks pages by kind.
func (c *pageChecker) checkVisits(t *testing.T, base string, g *gate, visits map[string][]visit) {
	t.Helper()
	// The first page of a site gets a renderer of its own, which may lay it out twice while the
	// fonts and the size of the viewport arrive. So the first page that is checked is not that.
	c.do(t, chromedp.Navigate(base+"/"), chromedp.WaitVisible("main h1"))
	c.mu.Lock()
	c.requested, c.faults = nil, nil
	c.mu.Unlock()
	for _, kind := range slices.Sorted(maps.Keys(visits)) {
		for _, v := range visits[kind] {
			for _, width := range []int64{narrow, wide} {
				t.Run(fmt.Sprintf("%s %s at %d", kind, v.path, width), func(t *testing.T) {
					ctx, cancel := context.WithTimeout(c, testTimeout)
					defer cancel()
					if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, cmp.Or(map[int64]int64{narrow: 740}[width], 900))); err != nil {
						t.Fatal(err)
					}
					c.setMedia(t, "light", "")
					c.open(t, base, g, v)
					c.checkWidth(t, width)
					if width == wide {
						if err := chromedp.Do(ctx, chromedp.EmulateViewport(zoomed, 450)); err != nil {
							t.Fatal(err)
						}
						evaluate[bool](t, c.browser, nextPaint)
						c.checkWidth(t, zoomed)
						if err := chromedp.Do(ctx, chromedp.EmulateViewport(wide, 900)); err != nil {
							t.Fatal(err)
						}
					}
					// Also check what is folded away.
					evaluate[bool](t, c.browser, `(document.querySelectorAll("details").forEach((d) => { d.open = true; }), `+nextPaint+`)`)
					c.checkWidth(t, width)
					evaluate[bool](t, c.browser, `(document.querySelectorAll("table.listings tbody tr:nth-child(n + `+firstSkippedRow+`)").forEach((r) => r.remove()), `+nextPaint+`)`)
					// Only colours depend on the colour scheme, and they are the same at each width.
					if width == wide {
						c.setMedia(t, "dark", "")
					}
					c.checkAccessibility(t, false)
					c.report(t)
				})
			}
		}
	}
}

// checkDetection proves that the checks find faults.
func (c *pageChecker) checkDetection(t *testing.T, base string, g *gate) {
	t.Helper()
	t.Run("faults are found", func(t *testing.T) {
		c.setMedia(t, "light", "")
		c.open(t, base, g, visit{path: "/about/"})
		evaluate[bool](t, c.browser, `(() => {
			const image = new Image(), quiet = document.createElement("p");
			image.src = "http://elsewhere.example/image.png";
			quiet.textContent = "Nobody can read this";
			quiet.style.color = "#ccc";
			document.querySelector("main").prepend(image, quiet);
			quiet.style.paddingTop = "100px";
			return `+nextPaint+`;
		})()`)
		found := map[string]bool{}
		for _, f := range c.axeViolations(t, false) {
			found[f.ID] = true
		}
		for _, want := range []string{"image-alt", "color-contrast"} {
			if !found[want] {
				t.Errorf("axe-core does not find %s among %v", want, found)
			}
		}
		if shifted := evaluate[float64](t, c.browser, "shifted"); shifted < maxShift {
			t.Errorf("a shift of %.3f is all that is seen", shifted)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if !slices.Contains(c.requested, "http://elsewhere.example/image.png") {
			t.Errorf("a request that leaves the origin is not among %q", c.requested)
		}
		c.requested, c.faults = nil, nil
	})
}
