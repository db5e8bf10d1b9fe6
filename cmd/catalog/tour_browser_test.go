package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	browserproto "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// driver is a browser, as far as the tour needs one.
type driver interface {
	version(t *testing.T) string
	open(t *testing.T, address string)
	goBack(t *testing.T)
	// resize sets the size of the window in CSS pixels. Some browsers have a least width.
	resize(t *testing.T, width, height int64)
	// json returns the value of an expression, which may be a promise, as JSON. It fails if the
	// page is left meanwhile.
	json(expression string) (string, error)
	// clickAt clicks a point of the viewport, in CSS pixels.
	clickAt(t *testing.T, x, y float64)
	// keys presses keys, by their names in UI Events.
	keys(t *testing.T, keys ...string)
	// faultsSince returns what the console has told of errors since the last call.
	faultsSince(t *testing.T) []string
}

// chromiumDriver is a tab of the Chromium of all tests.
type chromiumDriver struct{ *browser }

// tourBrowsers start the browsers that make the tour of a site.
var tourBrowsers = map[string]func(t *testing.T, s *testSite, dark bool) (driver, *testSite){
	"chromium": func(t *testing.T, s *testSite, dark bool) (driver, *testSite) {
		b := newBrowser(t)
		b.setMedia(t, map[bool]string{true: "dark", false: "light"}[dark], "")
		return &chromiumDriver{b}, s
	},
	"firefox": func(t *testing.T, s *testSite, dark bool) (driver, *testSite) {
		return s.telling(t, newFirefox(t, dark))
	},
	"webkit": func(t *testing.T, s *testSite, dark bool) (driver, *testSite) {
		return s.telling(t, newWebKit(t, dark))
	},
}

// telling returns a browser and a site that tells it of errors.
func (s *testSite) telling(t *testing.T, browser *session) (driver, *testSite) {
	t.Helper()
	host := &tellingHost{Handler: s.server(t, (&steppingClock{current: s.builtAt, step: time.Second}).now).Handler(), public: s.public}
	browser.told = host.told
	return browser, s.withHandler(t, host)
}

func (c *chromiumDriver) version(t *testing.T) string {
	t.Helper()
	return call(t, c.browser, browserproto.GetVersion, cdp.Empty{}).Product
}

func (c *chromiumDriver) open(t *testing.T, address string) {
	t.Helper()
	c.do(t, chromedp.Navigate(address))
}

func (c *chromiumDriver) goBack(t *testing.T) {
	t.Helper()
	c.back(t)
}

func (c *chromiumDriver) resize(t *testing.T, width, height int64) {
	t.Helper()
	c.do(t, chromedp.EmulateViewport(width, height))
}

func (c *chromiumDriver) json(expression string) (string, error) {
	ctx, cancel := context.WithTimeout(c.browser, testTimeout/2)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[string](`(async () => JSON.stringify((await `+expression+`) ?? null))()`, chromedp.EvalAwaitPromise))
}

func (c *chromiumDriver) clickAt(t *testing.T, x, y float64) {
	t.Helper()
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		call(t, c.browser, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: 1})
	}
}

func (c *chromiumDriver) keys(t *testing.T, keys ...string) {
	t.Helper()
	for _, key := range keys {
		c.press(t, key, false)
	}
}

func (c *chromiumDriver) faultsSince(*testing.T) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	faults := c.faults
	c.faults = nil
	return faults
}

// tour is a visit of all that readers do, in one browser.
type tour struct {
	driver
	*testing.T
	site *testSite
	dark bool
}

// tourScript finds what readers see, by role and name, in the scope of the expressions of a tour.
const tourScript = `
	const roles = { link: "a[href]:not([role])", option: "[role=option]", button: "button, summary", field: "input:not([type=hidden], [type=checkbox], [type=radio])", box: "[type=checkbox], [type=radio]", status: "[role=status]", heading: "h1, h2, h3" };
	const seen = (e) => e.checkVisibility({ visibilityProperty: true });
	const nameOf = (e) => (e.getAttribute("aria-label") ?? ([...(e.labels ?? [])].map((l) => l.textContent).join(" ") || e.textContent)).replace(/\s+/g, " ").trim();
	const all = (role, name, place = document.body) => [...place.querySelectorAll(roles[role])].filter((e) => seen(e) && name.test(nameOf(e)));
	const get = (role, name, place) => all(role, name, place)[0];
	const main = document.querySelector("main");
	const says = (text) => all("status", /./, main).some((e) => nameOf(e) === text);
	const tables = () => [...main.querySelectorAll("table")].filter(seen);
	const rows = (place = tables()[0]) => [...(place?.querySelectorAll("tbody th[scope=row] a") ?? [])].map(nameOf);
	const asked = (name) => new URLSearchParams(location.search).get(name);
`

// evaluate returns the value of an expression in the scope of tourScript.
func tourEvaluate[T any](s *tour, expression string) T {
	s.Helper()
	text, err := s.json(`(async () => {` + tourScript + `return ` + expression + `})()`)
	if err != nil {
		s.Fatalf("%s: %v", expression, err)
	}
	return decodeJSON[T](s.T, text)
}

// await waits until a condition is true, also across page loads.
func (s *tour) await(condition string) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), testTimeout/2)
	defer cancel()
	for {
		text, err := s.json(`new Promise((done) => {
			const end = performance.now() + 500, look = () => {` + tourScript + `const is = Boolean(main && (` + condition + `)); is || performance.now() > end ? done(is) : setTimeout(look, 10); };
			look();
		})`)
		if text == "true" {
			return
		}
		if ctx.Err() != nil {
			page, _ := s.json(`(() => {` + tourScript + `return [location.href, all("status", /./).map(nameOf), main && rows(), document.activeElement?.outerHTML.slice(0, 80), document.activeElement?.value, all("button", /:/).map(nameOf)]; })()`) // as far as it can be told
			s.Fatalf("never comes true: %s: %v\n%s", condition, err, page)
		}
	}
}

// click clicks an element, where a reader would: it has to be there, and nothing over it.
func (s *tour) click(element string) {
	s.Helper()
	s.await(element)
	point := `(() => {
		const e = ` + element + `;
		e.scrollIntoView({ block: "center", behavior: "instant" });
		const [box] = e.getClientRects(), x = box.x + box.width / 2, y = box.y + box.height / 2, on = document.elementFromPoint(x, y);
		return { X: x, Y: y, Under: e.contains(on) || e.labels?.[0]?.contains(on) ? "" : on?.outerHTML.slice(0, 200) ?? "nothing" };
	})()`
	at := tourEvaluate[struct {
		X, Y  float64
		Under string
	}](s, point)
	if at.Under != "" {
		s.Errorf("%s is below %s", element, at.Under)
	}
	s.clickAt(s.T, at.X, at.Y)
}

// write types a text.
func (s *tour) write(text string) {
	s.Helper()
	var keys []string
	for _, r := range text {
		keys = append(keys, string(r))
	}
	s.keys(s.T, keys...)
}

// visit opens a page, and looks at what all pages have in common.
func (s *tour) visit(path string) {
	s.Helper()
	s.open(s.T, s.site.base+path)
	s.await(`get("heading", /./, main) ?? main`)
	s.checkPage()
}

// checkPage looks for errors, and whether the page is as dark as the reader asked for.
func (s *tour) checkPage() {
	s.Helper()
	for _, fault := range s.faultsSince(s.T) {
		s.Error(fault)
	}
	page := tourEvaluate[struct {
		Background string
		Path       string
	}](s, `({ Background: getComputedStyle(document.body).backgroundColor, Path: location.pathname })`)
	var red, green, blue int
	if _, err := fmt.Sscanf(page.Background, "rgb(%d, %d, %d)", &red, &green, &blue); err != nil || (red+green+blue < 3*128) != s.dark {
		s.Errorf("the colour of %s is %s; dark is %t: %v", page.Path, page.Background, s.dark, err)
	}
}

// checkTour makes the tour in each browser.
func (s *testSite) checkTour(t *testing.T, dark bool) {
	for name, start := range tourBrowsers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, site := start(t, s, dark)
			t.Log(d.version(t))
			d.resize(t, wide, 900)
			tour := &tour{d, t, site, dark}
			tour.checkFaults()
			tour.home()
			tour.search()
			tour.computer()
			tour.comparison()
			if site.settings.SearchesInBrowser() {
				return // the rest is the same
			}
			tour.list()
			tour.listing()
			tour.otherPages()
			tour.keyboard()
			tour.narrow()
		})
	}
}

// missingImage is an image that checkFaults asks for and that is not there.
const missingImage = "/nosuch.png"

// checkFaults proves that errors in the console are noticed.
func (s *tour) checkFaults() {
	s.visit("/about/")
	tourEvaluate[bool](s, `(async () => {
		const style = document.createElement("style");
		style.textContent = "p { color: red }";
		document.body.append(style);
		const image = Object.assign(new Image(), { src: "`+missingImage+`" });
		document.body.append(image);
		return new Promise((end) => { image.onerror = () => end(true); });
	})()`)
	var faults []string
	for _, want := range []string{"style-src", missingImage} {
		ctx, cancel := context.WithTimeout(s.Context(), testTimeout/2)
		for !strings.Contains(strings.Join(faults, "\n"), want) {
			faults = append(faults, s.faultsSince(s.T)...)
			if ctx.Err() != nil {
				s.Errorf("%q is not noticed among %q", want, faults)
				break
			}
		}
		cancel()
	}
	tourEvaluate[bool](s, "true") // a browser may tell of the image twice, and has done so before it answers
	s.faultsSince(s.T)
}

// tourQuery is what the tour searches for.
const tourQuery = "transcribe meetings"

func (s *tour) answer(parameters ...string) (found api.SearchResponse, names string) {
	s.Helper()
	found = s.site.search(s.T, append(parameters, "limit", "50")...)
	var list []string
	for _, hit := range found.Hits {
		list = append(list, strings.Join(strings.Fields(hit.Name), " "))
	}
	return found, asJSON(list)
}

// shows is a condition: the page shows an answer, row by row.
func (s *tour) shows(parameters ...string) string {
	s.Helper()
	found, names := s.answer(parameters...)
	return fmt.Sprintf(`says(%q) && JSON.stringify(rows()) === %q`, statusOf(found.Total), names)
}

// home asks on the home page: suggestions come, and Enter leads to all hits.
func (s *tour) home() {
	s.visit("/")
	s.click(`main.querySelector("input[type=search]")`)
	s.write(tourQuery)
	found, _ := s.answer("q", tourQuery)
	s.await(fmt.Sprintf(`all("option", /./, main).some((e) => nameOf(e).startsWith(%q))`, found.Hits[0].Name))
	s.keys(s.T, "Enter")
	s.await(`location.pathname.endsWith("/search/") && ` + s.shows("q", tourQuery))
	s.checkPage()
}

// search filters and orders the hits, and goes back.
func (s *tour) search() {
	found, _ := s.answer("q", tourQuery)
	i := slices.IndexFunc(found.Facets["platform"], func(f api.FacetValue) bool { return f.Count > 1 && f.Count < found.Total })
	if i < 0 {
		s.Fatal("no platform takes a hit away: choose another question")
	}
	platform := found.Facets["platform"][i].Value
	p, _ := s.site.content.Taxonomy.Platform(platform) // a facet is of a known one
	title := p.Name
	filtered := fmt.Sprintf(`asked("platform") === %q && `, platform) + s.shows("q", tourQuery, "platform", platform)
	chip := fmt.Sprintf(`get("button", /^Remove the filter %s$/)`, title)
	s.click(fmt.Sprintf(`get("box", /^%s \d+$/)`, title))
	s.await(filtered + " && " + chip)
	s.click(chip)
	s.await(`asked("platform") === null && !` + chip + ` && ` + s.shows("q", tourQuery))
	s.goBack(s.T)
	s.await(filtered + " && " + chip)
	s.click(`get("button", /^Stars$/, main)`)
	s.await(`asked("sort") === "popular" && ` + s.shows("q", tourQuery, "platform", platform, "sort", "popular"))
	s.goBack(s.T)
	s.await(filtered)
	s.checkPage()
}

// computer names the reader's computer by its parts, by the name of its card, and lets the
// browser tell.
func (s *tour) computer() {
	set := func(text string) string { return fmt.Sprintf(`get("button", /^My computer: %s$/)`, text) }
	s.visit("/search/?q=chat")
	s.click(set("not set"))
	s.click(`get("field", /^RAM/)`)
	s.write("16")
	s.click(`get("box", /^No graphics card$/)`)
	s.await(set("16 GB RAM, no graphics card") + ` && ` + s.shows("q", "chat", "ramGb", "16", "vramGb", "0"))
	s.click(`get("button", /^Clear$/)`)
	s.await(set("not set"))
	s.click(`get("field", /by name/)`)
	s.write("rtx 3060")
	s.keys(s.T, "Enter")
	s.await(set("12 GB VRAM, NVIDIA") + ` && ` + s.shows("q", "chat", "vramGb", "12", "gpuVendor", "nvidia"))
	s.click(`get("button", /^Clear$/)`)
	s.await(set("not set"))
	s.click(`get("button", /^Detect$/)`)
	s.await(`all("status", /^Your browser says: /, main).length && ` + set(".*Linux.*"))
	s.click(`get("button", /^Clear$/)`)
	s.await(set("not set"))
	s.checkPage()
}

// list finds words in a list, and orders it.
func (s *tour) list() {
	category := s.site.known(s.T, "whisper").Category
	found, _ := s.answer("category", category, "sort", "popular")
	s.visit("/categories/" + category + "/")
	whole := tourEvaluate[[]string](s, `rows()`)
	s.click(`get("field", /^Find in this list$/)`)
	word := strings.ToLower(found.Hits[0].Name)
	s.write(word)
	s.await(fmt.Sprintf(`asked("q") === %q && rows().length > 0 && rows().length < %d && rows().includes(%q)`, word, len(whole), found.Hits[0].Name))
	s.click(`get("button", /^Clear all filters$/)`)
	s.await(fmt.Sprintf(`!location.search && rows().length === %d`, len(whole)))
	s.click(`get("button", /^Name$/, main)`)
	s.await(fmt.Sprintf(`asked("sort") === "name" && rows().length === %d && tables()[0].tBodies.length && [...tables()[0].tBodies].every((group) => {
		const names = rows(group).map((name) => name.toLowerCase());
		return names.every((name, i) => !i || names[i - 1] <= name);
	})`, min(50, len(whole))))
	s.goBack(s.T)
	s.await(fmt.Sprintf(`!location.search && JSON.stringify(rows()) === %q`, asJSON(whole)))
	s.checkPage()
}

// listing goes from a list to a listing, copies a command and passes the page on.
func (s *tour) listing() {
	i := slices.IndexFunc(s.site.content.Listings, func(l *content.Listing) bool {
		return slices.ContainsFunc(l.InstallLinks, func(link api.InstallLink) bool { return link.Command != nil })
	})
	l := s.site.content.Listings[i]
	s.visit("/projects/" + l.Slug + "/")
	s.await(fmt.Sprintf(`get("heading", /./, main) && nameOf(get("heading", /./, main)).startsWith(%q)`, l.Name))
	s.click(`get("button", /^Copy the command$/)`)
	s.await(`get("button", /./, main) && [...main.querySelectorAll("button")].some((b) => b.textContent === "Copied")`)
	s.click(`get("button", /^Share$/)`)
	s.await(`get("button", /^Link copied$/)`)
	s.click(`get("button", /^Badge and embed/)`)
	s.await(`all("button", /^Copy: /).length >= 3`)
	s.checkPage()
}

// comparison compares two listings, of which it adds one by its name.
func (s *tour) comparison() {
	one := s.site.known(s.T, "ollama")
	other := s.site.known(s.T, "llama-cpp", one)
	s.visit("/compare/?slugs=" + one.Slug)
	s.await(fmt.Sprintf(`all("link", /./, main.querySelector("table")).some((e) => nameOf(e) === %q)`, one.Name))
	s.click(`get("field", /by its name/)`)
	s.write(other.Name)
	s.keys(s.T, "Enter")
	s.await(fmt.Sprintf(`asked("slugs") === %q && all("link", /./, main.querySelector("table")).some((e) => nameOf(e) === %q)`, one.Slug+","+other.Slug, other.Name))
	s.checkPage()
}

// otherPages opens kinds of page that have nothing to do but to be read.
func (s *tour) otherPages() {
	l := s.site.content.Listings[0]
	s.visit("/embed/" + l.Slug + "/")
	s.await(fmt.Sprintf(`nameOf(get("heading", /./, main)).startsWith(%q)`, l.Name))
	s.visit("/sets/")
	set := s.site.content.Sets[0]
	s.click(fmt.Sprintf(`all("link", /./, main).find((e) => nameOf(e) === %q)`, set.Name))
	s.await(`location.pathname.includes("/sets/` + set.Slug + `/") && rows().length > 0`)
	s.checkPage()
	for _, path := range []string{"/categories/", "/alternatives/", "/newest/", "/numbers/", "/changes/", "/computers/", "/docs/"} {
		s.visit(path)
	}
}

// keyboard goes to the content with the first link of the page. Where the focus is can be seen.
func (s *tour) keyboard() {
	s.visit("/about/")
	s.keys(s.T, "Tab")
	s.await(`(() => {
		const e = document.activeElement, box = e.getBoundingClientRect(), style = getComputedStyle(e);
		return /^Skip/.test(nameOf(e)) && box.top >= 0 && box.left >= 0 && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
	})()`)
	s.keys(s.T, "Enter")
	s.await(`document.activeElement === main`)
}

// narrow looks whether pages scroll sideways on a narrow screen.
func (s *tour) narrow() {
	s.resize(s.T, 360, 740)
	paths := []string{"/", "/search/?q=chat", "/categories/" + s.site.content.Listings[0].Category + "/", "/projects/" + s.site.content.Listings[0].Slug + "/", "/compare/?slugs=" + s.site.content.Listings[0].Slug, "/docs/", "/numbers/"}
	for _, path := range paths {
		s.visit(path)
		width := tourEvaluate[struct {
			Window, Page int
			Out          []string
		}](s, `({ Window: innerWidth, Page: document.documentElement.scrollWidth, Out: [...document.body.querySelectorAll("*")].filter((e) => seen(e) && e.getBoundingClientRect().right > innerWidth + 1).slice(0, 4).map((e) => e.outerHTML.slice(0, 100)) })`)
		if width.Page > width.Window {
			s.Errorf("%s is %d pixels wide in a window of %d; sticking out are %q", path, width.Page, width.Window, width.Out)
		}
		if path == paths[0] {
			s.Logf("%s: the least width is %d", cmp.Or(s.version(s.T), "?"), width.Window)
		}
	}
	s.resize(s.T, wide, 900)
}
