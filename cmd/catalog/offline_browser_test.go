package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"

	"catalog.example/api/headers"
	"catalog.example/api/site"
	"catalog.example/api/soak"
)

// changingHost serves one build after another, and cannot be reached while there is none.
type changingHost struct {
	mu    sync.Mutex
	build http.Handler
}

func (h *changingHost) set(build http.Handler) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.build = build
}

func (h *changingHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	build := h.build
	h.mu.Unlock()
	if build == nil {
		panic(http.ErrAbortHandler) // the connection ends without an answer
	}
	build.ServeHTTP(revalidated{w}, r)
}

// revalidated keeps the cache of the browser from answering for a minute, which it may do without a
// service worker, too.
type revalidated struct{ http.ResponseWriter }

func (w revalidated) WriteHeader(status int) {
	if w.Header().Get("Cache-Control") == headers.CacheControl {
		w.Header().Set("Cache-Control", headers.CacheRevalidated)
	}
	w.ResponseWriter.WriteHeader(status)
}

// What the test asks of the browser.
const (
	keptNames     = `caches.keys().then((names) => names.join())`
	registrations = `navigator.serviceWorker.getRegistrations().then((all) => all.length)`
	isControlled  = `navigator.serviceWorker.controller !== null`
	fallback      = `document.querySelector("#offline-missing")?.hidden === false`
)

// goTo opens a page, and ignores that requests fail.
func (b *browser) goTo(t *testing.T, address, condition string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(b, testTimeout)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	b.waitFor(t, condition)
	b.clearFaults()
}

// waitForValue waits until a promise has a value.
func (b *browser) waitForValue(t *testing.T, promise, want string) {
	t.Helper()
	deadline := time.Now().Add(testTimeout / 2)
	got := ""
	for time.Now().Before(deadline) {
		if got = evaluate[string](t, b, promise+`.then(String)`); got == want {
			return
		}
	}
	t.Fatalf("%s is %q, want %q", promise, got, want)
}

// TestOffline uses a site below a path as readers do with and without a connection, over several builds.
func TestOffline(t *testing.T) {
	t.Parallel()
	soak.Long(t)
	build := func(title string, offline string) http.Handler {
		s := newSite(t, "testdata/content", func(s *site.Settings) {
			s.Search, s.Title, s.Offline = site.SearchInBrowser, title, offline
			s.BaseURL += "/tools"
		})
		return s.server(t, (&steppingClock{current: time.Now(), step: time.Second}).now).Handler()
	}
	host := &changingHost{build: build("First", "")}
	pages := newSite(t, "testdata/content").withHandler(t, host)
	base, b := pages.base+"/tools", newBrowser(t)
	ready := func(title, heading string) string {
		return fmt.Sprintf(`document.querySelector(".brand")?.textContent === %q && document.querySelector("main h1")?.textContent.includes(%q) && getComputedStyle(document.body).margin === "0px"`, title, heading)
	}
	const hits = `/^\d+ listing/.test(document.querySelector("#search-status")?.textContent) && document.querySelector("#search-hits tbody")?.textContent.includes("Lantern")`
	lantern, kettle := base+"/projects/paper-lantern/", base+"/projects/copper-kettle/"
	isKept := func(address string) string {
		return fmt.Sprintf(`caches.match(%q).then((found) => found !== undefined)`, address)
	}

	// Nothing is kept before a search, nor of what was open before it.
	b.do(t, chromedp.Navigate(kettle), chromedp.WaitVisible("main h1"))
	b.do(t, chromedp.Navigate(base+"/search/"), chromedp.WaitVisible("#q"))
	if n, names := evaluate[int](t, b, registrations), evaluate[string](t, b, keptNames); n != 0 || names != "" {
		t.Fatalf("before a search there are %d workers and %q", n, names)
	}
	b.do(t, chromedp.SendKeys("#q", "lantern"))
	b.waitFor(t, hits)
	b.waitFor(t, isControlled)
	b.do(t, chromedp.Navigate(lantern), chromedp.WaitVisible("main h1"))
	b.waitForValue(t, isKept(lantern), "true")

	t.Run("no connection", func(t *testing.T) {
		first := host.build
		host.set(nil)
		b.goTo(t, base+"/search/?q=lantern", hits)
		b.goTo(t, lantern, ready("First", "Paper Lantern"))
		b.goTo(t, kettle, fallback)
		b.waitFor(t, fmt.Sprintf(`[...document.querySelectorAll("#offline-pages a")].some((a) => a.href === %q && a.textContent.startsWith("Paper Lantern"))`, lantern))
		if got := evaluate[string](t, b, `location.href`); got != kettle {
			t.Errorf("the page that is missing is at %s", got)
		}
		checkSavedOffline(t, b, base)
		b.goTo(t, base+"/compare/", ready("First", "Compare"))
		host.set(first)
	})

	t.Run("a new build", func(t *testing.T) {
		before := evaluate[string](t, b, keptNames)
		second := build("Second", "")
		host.set(second)
		b.goTo(t, lantern, ready("Second", "Paper Lantern")) // at once
		b.waitForValue(t, fmt.Sprintf(`caches.keys().then((names) => names.length === 1 && names[0] !== %q)`, before), "true")
		host.set(nil)
		b.goTo(t, lantern, ready("Second", "Paper Lantern"))
		b.goTo(t, base+"/search/?q=lantern", hits)
		stale := evaluate[int](t, b, `caches.keys().then(([name]) => caches.open(name)).then((cache) => cache.keys()).then((all) => all.filter(({ url }) => /style-/.test(url)).length)`)
		if stale != 1 {
			t.Errorf("%d stylesheets are kept", stale)
		}
		host.set(second)
	})

	t.Run("switched off and on, with two tabs", func(t *testing.T) {
		other := b.tab(t)
		other.goTo(t, lantern, isControlled)
		b.goTo(t, base+"/offline/", `!document.querySelector("#offline-off").hidden`)
		b.do(t, chromedp.Click("#offline-off"))
		b.waitFor(t, `!document.querySelector("#offline-on").hidden`)
		other.goTo(t, kettle, ready("Second", "Copper Kettle"))
		other.goTo(t, base+"/search/?q=lantern", hits)
		if n, names := evaluate[int](t, other, registrations), evaluate[string](t, other, keptNames); n != 0 || names != "" {
			t.Errorf("after switching it off there are %d workers and %q", n, names)
		}
		b.do(t, chromedp.Click("#offline-on"))
		b.waitFor(t, `!document.querySelector("#offline-off").hidden && document.querySelector("#offline-pages a")`)
		b.waitForValue(t, isKept(base+"/offline/"), "true")
	})

	t.Run("switched off by the operator", func(t *testing.T) {
		host.set(build("Third", site.Off))
		b.goTo(t, lantern, ready("Third", "Paper Lantern"))
		b.waitForValue(t, registrations, "0")
		b.waitForValue(t, keptNames, "")
		b.goTo(t, base+"/search/?q=lantern", hits)
		if n := evaluate[int](t, b, registrations); n != 0 {
			t.Errorf("%d workers after a search", n)
		}
	})
}

// checkSavedOffline opens the saved listings, which nobody has opened before, without a connection. No
// facts are there, so names and links are all.
func checkSavedOffline(t *testing.T, b *browser, base string) {
	t.Helper()
	evaluate[bool](t, b, `(localStorage.setItem("saved /tools", JSON.stringify(["copper-kettle", "willow-bridge"].map((slug) => ({ slug, name: "Old " + slug, day: "2026-09-01" })))), true)`)
	defer evaluate[bool](t, b, `(localStorage.removeItem("saved /tools"), true)`)
	b.goTo(t, base+"/saved/", is(savedRows, "Old copper-kettle, Old willow-bridge"))
	b.waitFor(t, is(savedStatus, "2 saved listings. The facts of 2 listings cannot be loaded just now: only their names are shown."))
	links := evaluate[string](t, b, `[...document.querySelectorAll("#saved tbody th > a")].map((a) => a.href).join(" ")`)
	if want := base + "/projects/copper-kettle/ " + base + "/projects/willow-bridge/"; links != want {
		t.Errorf("the names lead to %s, want %s", links, want)
	}
	markdown := evaluate[string](t, b, `[...document.querySelectorAll("#saved details code")].pop().textContent`)
	if want := fmt.Sprintf("- [Old copper-kettle](%[1]s/projects/copper-kettle/)\n- [Old willow-bridge](%[1]s/projects/willow-bridge/)", base); markdown != want {
		t.Errorf("the Markdown is\n%s\nwant\n%s", markdown, want)
	}
	b.goTo(t, base+"/saved/?slugs=paper-lantern", savedStatus+`.startsWith("Somebody's list of 1 listing.") && `+savedStatus+`.endsWith("only its name is shown.")`)
}

// TestOfflineWithoutRoom searches where the browser has no room to keep the site.
func TestOfflineWithoutRoom(t *testing.T) {
	t.Parallel()
	soak.Long(t)
	s := newSite(t, "testdata/content", func(s *site.Settings) { s.Search = site.SearchInBrowser })
	b := newBrowser(t)
	quota := 1000.0
	call(t, b, storage.OverrideQuotaForOrigin, storage.OverrideQuotaForOriginParams{Origin: s.base, QuotaSize: &quota})
	b.goTo(t, s.base+"/offline/", `!document.querySelector("#offline-on").hidden`)
	b.do(t, chromedp.Click("#offline-on"))
	b.waitForValue(t, registrations, "0")
	b.goTo(t, s.base+"/search/?q=lantern", `document.querySelector("#search-hits tbody")?.textContent.includes("Lantern")`)
	if names := evaluate[string](t, b, keptNames); names != "" {
		t.Errorf("%q is kept", names)
	}
}

// Each build has a worker: one that keeps the site, or one that removes it.
func TestServiceWorkerOfEachBuild(t *testing.T) {
	t.Parallel()
	s := newSite(t, "testdata/content")
	text, err := os.ReadFile(filepath.Join(s.public, "sw.js"))
	if err != nil || !strings.Contains(string(text), "unregister") || strings.Contains(string(text), "fetch") {
		t.Errorf("the worker of a site with a search server: %s, %v", text, err)
	}
	r := s.getUnchecked(t, "/sw.js")
	if got := r.header.Get("Cache-Control"); got != "no-cache" || r.header.Get("CDN-Cache-Control") != "" || r.header.Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("the worker has the headers %v", r.header)
	}
}
