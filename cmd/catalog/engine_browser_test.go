package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/api/soak"
	"catalog.example/generator/lzma"
)

// queriesOfAllKinds returns 300 queries: jobs, names with a letter that is missing, filters,
// machines, and what is wrong.
func (s *testSite) queriesOfAllKinds() (queries []string) {
	ask := func(q string, more ...string) {
		v := url.Values{}
		if q != "" {
			v.Set("q", q)
		}
		for i := 0; i < len(more); i += 2 {
			v.Set(more[i], more[i+1])
		}
		queries = append(queries, v.Encode())
	}
	queries = append(queries, "", "facets=0", "q=", "q=%zz", "q=%ff", "q=a&q=b", "limit=0&docker=2&category=none&sort=up", "ramGb=lots", "categori=chat&utm_source=x", "q=%E5%9B%BE%E7%89%87", "q=na%C3%AFve+b%C3%BCro", "q="+strings.Repeat("x", 300))
	machines := [][]string{{"ramGb", "8"}, {"ramGb", "16", "vramGb", "0"}, {"vramGb", "12", "gpuVendor", "nvidia"}, {"ramGb", "32", "system", "macos", "arch", "arm64"}}
	var filters [][]string
	for _, p := range s.parameters() {
		for _, value := range p.Allowed {
			filters = append(filters, []string{p.Name, value})
		}
	}
	for i := 0; len(queries) < 300; i++ {
		l := s.content.Listings[(7*i)%len(s.content.Listings)]
		switch {
		case i%5 == 0 && len(l.Name) > 4:
			ask(l.Name[:2]+l.Name[3:], "limit", "5")
		case i%5 == 1:
			ask("", filters[(3*i)%len(filters)]...)
		case i%5 == 2:
			ask("run "+l.Purpose, machines[i%len(machines)]...)
		case i%5 == 3 && len(l.Replaces) > 0:
			ask(l.Replaces[0]+" alternative", filters[(5*i)%len(filters)]...)
		case len(l.Jobs) > 0:
			ask(l.Jobs[0], "limit", "50", "facets", "0")
		}
	}
	return queries
}

// isEngine reports whether an address is that of a part of the engine.
func isEngine(address string) bool { return strings.HasPrefix(path.Base(address), "search-") }

// engineHost passes requests on. It keeps which parts of the engine are asked for, and may
// hold them, or answer them with an error.
type engineHost struct {
	http.Handler
	mu        sync.Mutex
	requested []string
	hold      chan struct{} // nil: do not hold
	fails     bool
	before    string // is put before the script
}

// putBefore makes the host put a text before the script.
func (h *engineHost) putBefore(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.before = text
}

func (h *engineHost) set(hold chan struct{}, fails bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hold, h.fails = hold, fails
}

// loaded returns the parts of the engine that were asked for since the last call.
func (h *engineHost) loaded() (parts []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	parts, h.requested = h.requested, nil
	return parts
}

func (h *engineHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if isEngine(r.URL.Path) {
		w.Header().Set("Cache-Control", "no-store") // so that each page asks
		h.mu.Lock()
		h.requested = append(h.requested, path.Base(r.URL.Path))
		hold, fails, before := h.hold, h.fails, h.before
		h.mu.Unlock()
		if fails {
			http.Error(w, "not here", http.StatusNotFound)
			return
		}
		if hold != nil && strings.HasSuffix(r.URL.Path, ".lzma") {
			select {
			case <-hold:
			case <-r.Context().Done():
			}
		}
		if before != "" && strings.HasSuffix(r.URL.Path, ".js") {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = io.WriteString(w, before) // the browser may have left
			w = bodyOnly{w}
		}
	}
	h.Handler.ServeHTTP(w, r)
}

// bodyOnly passes on the body of an answer.
type bodyOnly struct{ http.ResponseWriter }

func (w bodyOnly) Header() http.Header { return http.Header{} }
func (w bodyOnly) WriteHeader(int)     {}

// TestSearchInBrowser compares the answers of pages that search themselves with those of
// the server, and uses such pages as people and agents do.
func TestSearchInBrowser(t *testing.T) {
	t.Parallel()
	soak.Long(t)
	s := newSite(t, "../../content", func(s *site.Settings) { s.Search = site.SearchInBrowser })
	host := &engineHost{Handler: s.server(t, (&steppingClock{current: time.Now(), step: time.Second}).now).Handler()}
	pages := s.withHandler(t, host)
	b := newBrowser(t)
	b.do(t, chromedp.Navigate(s.base+"/"), chromedp.WaitVisible("main h1"))

	t.Run("equals the server", func(t *testing.T) {
		queries := s.queriesOfAllKinds()
		list, err := json.Marshal(queries)
		if err != nil {
			t.Fatal(err)
		}
		worker := s.workerAddress(t)
		answers := evaluate[[]string](t, b, `new Promise((resolve, reject) => {
			const queries = `+string(list)+`, answers = [], worker = new Worker(`+fmt.Sprintf("%q", worker)+`);
			worker.onerror = (event) => reject(new Error(event.message));
			worker.onmessage = ({ data }) => {
				if (data.failed) reject(new Error(data.failed));
				if (data.id === undefined) return;
				answers[data.id] = data.text;
				if (data.id === queries.length - 1) { worker.terminate(); resolve(answers); }
			};
			queries.forEach((query, id) => worker.postMessage({ id, query }));
		})`)
		if len(answers) != 300 {
			t.Fatalf("%d answers", len(answers))
		}
		kinds := map[bool]int{}
		for i, q := range queries {
			want := s.getUnchecked(t, api.PathSearch+"?"+q)
			kinds[want.status == http.StatusOK]++
			if answers[i] != want.body {
				t.Errorf("%q: got %s\nwant %s", q, answers[i], want.body)
			}
		}
		if kinds[true] < 250 || kinds[false] < 5 {
			t.Errorf("%d answers and %d problems", kinds[true], kinds[false])
		}
	})

	t.Run("nothing is loaded before a search", func(t *testing.T) {
		for _, path := range []string{"/", "/search/", "/newest/", "/compare/", "/projects/" + s.content.Listings[0].Slug + "/", "/docs/"} {
			b.do(t, chromedp.Navigate(pages.base+path), chromedp.WaitVisible("main h1"))
			if parts := host.loaded(); len(parts) > 0 {
				t.Errorf("%s loads %v", path, parts)
			}
		}
	})

	t.Run("search page", func(t *testing.T) {
		answer := s.search(t, "q", "transcribe meetings", "limit", "50")
		status := statusOf(answer.Total)
		b.do(t, chromedp.Navigate(pages.base+"/search/"), chromedp.WaitVisible("#search-hits tbody tr"))
		b.do(t, chromedp.SendKeys("#q", "transcribe meetings"), b.waitForStatus(status))
		b.waitFor(t, allDrawn)
		if parts := host.loaded(); len(parts) != 3 {
			t.Errorf("a search loads %v", parts)
		}
		var want []string
		for _, h := range answer.Hits {
			want = append(want, h.Name)
		}
		const names = `[...document.querySelectorAll("#search-hits tbody th a")].map((e) => e.textContent)`
		if got := evaluate[[]string](t, b, names); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the page shows %v, want %v", got, want)
		}
		// The address names filters and a machine.
		fitting := s.search(t, "q", "chat", "ramGb", "8", "vramGb", "0", "stated", "1", "limit", "50")
		status = statusOf(fitting.Total)
		b.do(t, chromedp.Navigate(pages.base+"/search/?q=chat&ramGb=8&vramGb=0&stated=1"), b.waitForStatus(status))
		if text := evaluate[string](t, b, `document.querySelector("#search-hits tbody .tag.fits")?.textContent ?? ""`); !strings.HasPrefix(text, "fits") {
			t.Errorf("the first hit says %q", text)
		}
		// What the engine does not know is left out, and named.
		b.do(t, chromedp.Navigate(pages.base+"/search/?platform=toaster"))
		b.waitFor(t, `document.querySelector("#search-notes p")?.textContent === "Left out: Platform “toaster”, which is not known here."`)
	})

	t.Run("suggestions and comparison", func(t *testing.T) {
		b.do(t, chromedp.Navigate(pages.base+"/"), chromedp.WaitVisible("main h1"), chromedp.SendKeys("#q", "trnascribe"), chromedp.WaitVisible("main .suggestions a"))
		if text := evaluate[string](t, b, `document.querySelector("main .suggestions").textContent`); !strings.Contains(text, "Showing results for “transcribe”") {
			t.Errorf("the suggestions are %q", text)
		}
		one := s.known(t, "ollama")
		b.do(t, chromedp.Navigate(pages.base+"/compare/?slugs="+one.Slug), chromedp.WaitVisible("#compare table"), chromedp.SendKeys("#add", s.known(t, "llama-cpp", one).Name+"\r"))
		b.waitFor(t, `document.querySelector("#compare-status").textContent.startsWith("2 listings")`)
	})

	t.Run("search_catalog", func(t *testing.T) {
		b.do(t, chromedp.Navigate(pages.base+"/docs/"), chromedp.WaitVisible("main h1"))
		found := b.callTool(t, api.ToolSearch, `{q: "transcribe meetings", vramGb: 0, limit: 3}`)
		answer := s.search(t, "q", "transcribe meetings", "vramGb", "0", "limit", "3")
		if got := decodeJSON[toolAnswer](t, found); got.Total != answer.Total || len(got.Hits) != 3 || got.Hits[0].Slug != answer.Hits[0].Slug {
			t.Errorf("the tool answers %s", found)
		}
		// Without a server, listings come from files.
		one := b.callTool(t, api.ToolProject, `{slug: "ollama"}`)
		if p := decodeJSON[map[string]any](t, one); p["name"] != "Ollama" || p["installLinks"] == nil || p["description"] != nil || strings.Contains(one, "null") {
			t.Errorf("a listing in brief is %s", one)
		}
		if p := decodeJSON[map[string]any](t, b.callTool(t, api.ToolProject, `{slug: "ollama", view: "full"}`)); p["description"] == nil {
			t.Errorf("a listing in full is %v", p)
		}
	})
	t.Run("tour", func(t *testing.T) { s.checkTour(t, true) })
}

// workerAddress returns the address of the script that searches.
func (s *testSite) workerAddress(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.public, "assets", "search-*.js"))
	if err != nil || len(files) != 1 {
		t.Fatalf("scripts that search: %v, %v", files, err)
	}
	return s.base + "/assets/" + filepath.Base(files[0])
}

// TestEngineLoads checks what pages show while the engine loads, and if it cannot be loaded.
func TestEngineLoads(t *testing.T) {
	t.Parallel()
	soak.Long(t)
	s := newSite(t, "testdata/content", func(s *site.Settings) { s.Search = site.SearchInBrowser })
	hold := make(chan struct{})
	host := &engineHost{Handler: http.FileServer(http.Dir(s.public)), hold: hold}
	held := s.withHandler(t, host)
	b := newBrowser(t)

	// Whoever only passes the field by loads nothing.
	const isLoading = `performance.getEntriesByType("resource").some(({ name }) => name.includes("/assets/search-"))`
	b.do(t, chromedp.Navigate(held.base+"/"), chromedp.WaitVisible("#q"), chromedp.Focus("#q"))
	if evaluate[bool](t, b, isLoading) {
		t.Error("a field with the focus loads the engine")
	}
	b.do(t, chromedp.Click("#q"))
	b.waitFor(t, isLoading)

	b.do(t, chromedp.Navigate(held.base+"/search/"), chromedp.WaitVisible("#search-hits tbody tr"), chromedp.SendKeys("#q", "lantern"), b.waitForStatus("Loading the search…"), chromedp.WaitVisible("#search-notes progress"))
	close(hold)
	b.waitFor(t, `/^\d+ listing/.test(document.querySelector("#search-status").textContent)`)
	if evaluate[bool](t, b, `document.querySelector("#search-notes progress") !== null`) {
		t.Error("the bar stays")
	}

	// If the engine is missing, the page says so, and the next search tries again.
	host.set(nil, true)
	ctx, cancel := context.WithTimeout(b, testTimeout)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(held.base+"/search/?q=lantern")); err != nil {
		t.Fatal(err)
	}
	b.waitFor(t, `document.querySelector("#search-status").textContent === "The search cannot be loaded just now."`)
	if links := evaluate[int](t, b, `document.querySelectorAll("#search-notes a[href]").length`); links == 0 {
		t.Error("the page offers nothing else")
	}
	b.clearFaults()
	host.set(nil, false)
	b.do(t, chromedp.SendKeys("#q", "s"))
	b.waitFor(t, `/^\d+ listing/.test(document.querySelector("#search-status").textContent)`)

	// If the engine ends, as for lack of memory, the page says so, and the next search on it
	// loads it again.
	if err := chromedp.Do(ctx, chromedp.Navigate(held.base+"/compare/"), chromedp.Evaluate[chromedp.Void](`{
		const Whole = Worker;
		Worker = class extends Whole {
			constructor(address) {
				super(address);
				(self.workers ??= []).push(this);
			}
		};
	}`), chromedp.SendKeys("#add", "lantern"), chromedp.WaitVisible("main .suggestions a")); err != nil {
		t.Fatal(err)
	}
	b.clearFaults()
	evaluate[bool](t, b, `(workers[0].dispatchEvent(new MessageEvent("message", { data: { failed: "Error: out of memory" } })), true)`)
	if err := chromedp.Do(ctx, chromedp.SendKeys("#add", "s")); err != nil { // and the cause is in the console
		t.Fatal(err)
	}
	b.waitFor(t, `workers.length === 2 && document.querySelector("#compare-form [role=status]").textContent.includes("below")`)
}

// hasLantern means that a search for lantern has been answered.
const hasLantern = `/^\d+ listing/.test(document.querySelector("#search-status")?.textContent) && document.querySelector("#search-hits tbody")?.textContent.includes("Lantern")`

// TestEngineIsKept searches with what browsers keep decompressed, and where that is damaged.
func TestEngineIsKept(t *testing.T) {
	t.Parallel()
	soak.Long(t)
	s := newSite(t, "testdata/content", func(s *site.Settings) { s.Search = site.SearchInBrowser })
	host := &engineHost{Handler: http.FileServer(http.Dir(s.public))}
	pages, b := s.withHandler(t, host), newBrowser(t)
	// each runs a step with every file of the engine that the browser keeps: its cache, address and path.
	each := func(step string) string {
		return `(async () => {
			const found = [];
			for (const name of await caches.keys()) {
				const cache = await caches.open(name);
				for (const { url } of await cache.keys()) if (url.includes("/assets/search-")) await (` + step + `)(cache, url, found);
			}
			return found.sort().join();
		})()`
	}
	sizes := each(`async (cache, url, found) => { if (/\.(idx|wasm)$/.test(url)) found.push((await (await cache.match(url)).blob()).size); }`)
	var want []int
	for _, suffix := range []string{".idx.lzma", ".wasm.lzma"} {
		files, err := filepath.Glob(filepath.Join(s.public, "assets", "search-*"+suffix))
		if err != nil || len(files) != 1 {
			t.Fatalf("%s: %v, %v", suffix, files, err)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		size, err := lzma.Size(text)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, size)
	}
	whole := evaluate[string](t, b, fmt.Sprintf(`[%d, %d].sort().join()`, want[0], want[1]))
	b.do(t, chromedp.Navigate(pages.base+"/search/?q=lantern"))
	b.waitFor(t, hasLantern)
	b.waitForValue(t, sizes, whole)

	// What is kept is enough, and the bounds of visited pages leave it out.
	evaluate[string](t, b, each(`(cache, url) => url.endsWith(".lzma") && cache.delete(url)`))
	evaluate[bool](t, b, `caches.keys().then(([name]) => caches.open(name)).then(async (cache) => {
		for (let i = 0; i < 50; i++) await cache.put("/old/" + i + "/", new Response("", { headers: { "X-Kept-Bytes": "0" } }));
		return true;
	})`)
	host.set(nil, true)
	b.goTo(t, pages.base+"/search/?q=lantern", hasLantern)
	b.goTo(t, pages.base+"/projects/paper-lantern/", `document.querySelector("main h1")`)
	b.waitForValue(t, `caches.match("/old/0/").then((found) => found === undefined)`, "true")
	if got := evaluate[string](t, b, sizes); got != whole {
		t.Errorf("beside many pages, %q is kept, want %q", got, whole)
	}

	// What is damaged is loaded again.
	host.set(nil, false)
	for _, suffix := range []string{".idx", ".wasm"} {
		evaluate[string](t, b, each(`(cache, url) => url.endsWith("`+suffix+`") && cache.put(url, new Response("damaged", { headers: { "Content-Type": "application/wasm" } }))`))
		b.goTo(t, pages.base+"/search/?q=lantern", hasLantern)
		b.waitForValue(t, sizes, whole)
	}
}

// TestEngineWithoutStorage searches where scripts may not store anything, and where there is no room.
func TestEngineWithoutStorage(t *testing.T) {
	t.Parallel()
	soak.Long(t)
	s := newSite(t, "testdata/content", func(s *site.Settings) { s.Search = site.SearchInBrowser })
	host := &engineHost{Handler: http.FileServer(http.Dir(s.public))}
	pages := s.withHandler(t, host)
	const tell = `new BroadcastChannel("refused").postMessage(0);`
	for name, before := range map[string]string{
		"forbidden": `Object.defineProperty(self, "caches", { get() { ` + tell + ` throw new DOMException("not here", "SecurityError"); } });`,
		"missing":   `setTimeout(() => { ` + tell + ` }); Object.defineProperty(self, "caches", { value: undefined });`,
		"full":      `Cache.prototype.put = async () => { ` + tell + ` throw new DOMException("no room", "QuotaExceededError"); };`,
	} {
		b := newBrowser(t)
		host.putBefore(before)
		b.do(t, chromedp.Navigate(pages.base+"/search/"), chromedp.WaitVisible("#q"))
		evaluate[bool](t, b, `(new BroadcastChannel("refused").onmessage = () => { self.isRefused = true; }, true)`)
		b.do(t, chromedp.SendKeys("#q", "lantern"))
		b.waitFor(t, `self.isRefused`)
		b.waitFor(t, hasLantern)
		b.do(t, chromedp.SendKeys("#q", "s"))
		b.waitFor(t, `new URLSearchParams(location.search).get("q") === "lanterns"`)
		b.waitFor(t, hasLantern)
		if t.Failed() {
			t.Log(name)
		}
	}
}

// TestNoSearch uses pages that cannot search: they have no box for it, and the comparison
// finds listings by their names.
func TestNoSearch(t *testing.T) {
	t.Parallel()
	soak.Long(t)
	b := newBrowser(t)
	s := newSite(t, "testdata/content", func(s *site.Settings) { s.Search = site.SearchNone })
	l := s.known(t, "paper-lantern")
	add := [2]string{strings.ToLower(l.Name), l.Slug}
	for _, path := range []string{"/", "/newest/", "/projects/" + add[1] + "/"} {
		b.do(t, chromedp.Navigate(s.base+path), chromedp.WaitVisible("main h1"))
		if evaluate[bool](t, b, `document.querySelector("header form, form[action*='/search/'], a[href*='/search/']") !== null`) {
			t.Errorf("%s offers a search", path)
		}
	}
	if tools := evaluate[int](t, b, `document.modelContext.getTools().then((tools) => tools.length)`); tools != 0 {
		t.Errorf("%d tools for agents", tools)
	}
	b.do(t, chromedp.Navigate(s.base+"/compare/"), chromedp.WaitVisible("#add"), chromedp.SendKeys("#add", add[0]+"\r"), chromedp.WaitVisible("#compare table"))
	if got := evaluate[string](t, b, `location.search`); got != "?slugs="+add[1] {
		t.Errorf("%s: the address is %q", add[0], got)
	}
	b.waitFor(t, fmt.Sprintf(`document.querySelectorAll("#names option").length === %d`, len(s.content.Listings)))
	b.do(t, chromedp.SendKeys("#add", "nobody\r"))
	b.waitFor(t, `document.querySelector("#compare-status").textContent.startsWith("No listing is named")`)
}
