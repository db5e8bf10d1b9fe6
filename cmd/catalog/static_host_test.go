package main

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/api/site"
	"catalog.example/generator"
)

// buildSite builds the small content folder for a base address, and returns the build
// output.
func buildSite(t *testing.T, out, base, searchURL string) string {
	t.Helper()
	s := site.Defaults()
	s.BaseURL, s.SearchURL, s.Static = base, searchURL, "testdata/static"
	_, err := generator.Build(t.Context(), generator.Options{Content: "testdata/content", Out: out, Settings: s, Now: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestStaticHost serves the build output by the configurations of deploy/: at the root with
// a search server on another origin, and below a path without one.
func TestStaticHost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		start     func(t *testing.T, path string, build func(t *testing.T, out, base string)) string
		path      string
		hasSearch bool
	}{
		"nginx at the root, with a search server": {startNginx, "", true}, "nginx below a path, without a search server": {startNginx, "/tools", false},
		"Caddy below a path, with a search server": {startCaddy, "/tools", true}, "Caddy at the root, without a search server": {startCaddy, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := site.Defaults()
			if c.hasSearch {
				settings.SearchURL, _ = serveSmall(t)
			}
			base := c.start(t, c.path, func(t *testing.T, out, base string) { buildSite(t, out, base, settings.SearchURL) })
			checkHostAnswers(t, base, &settings)
			if !t.Failed() && strings.HasPrefix(name, "nginx") { // TestHosts opens pages from Caddy
				checkHostInBrowser(t, base, c.hasSearch)
			}
		})
	}
}

// checkHostAnswers requests a file of each kind.
func checkHostAnswers(t *testing.T, base string, settings *site.Settings) {
	t.Helper()
	home := fetchFrom(t, base+"/")
	asset := func(extension string) string {
		for part := range strings.SplitSeq(home.body, `"`) {
			if strings.Contains(part, "/assets/") && strings.HasSuffix(part, extension) {
				u, err := url.Parse(part)
				if err != nil {
					t.Fatal(err)
				}
				return u.Path[strings.Index(u.Path, "/assets/"):]
			}
		}
		t.Fatalf("the home page names no %s", extension)
		return ""
	}
	// Addresses that have changed.
	for from, to := range map[string]string{
		"/projects/paper-lamp/": "/projects/paper-lantern/", "/projects/paper-lamp": "/projects/paper-lantern", "/projects/paper-lamp/index.html.md?x=1": "/projects/paper-lantern/index.html.md?x=1",
		"/categories/dictation/": "/categories/speech-to-text/", "/api/v1/projects/paper-lamp": "/api/v1/projects/paper-lantern", "/api/v1/projects/paper-lamp.json": "/api/v1/projects/paper-lantern.json",
	} {
		u, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		if r := fetchFrom(t, base+from); r.status != 301 || r.header.Get("Location") != u.Path+to {
			t.Errorf("%s: %d to %q, want %s", from, r.status, r.header.Get("Location"), u.Path+to)
		}
	}
	const cached, immutable = "public, max-age=60, stale-while-revalidate=86400", "public, max-age=31536000, immutable"
	for _, c := range []struct {
		path        string
		status      int
		contentType string
		cache       string
		contains    string
	}{
		{"/", 200, "text/html; charset=utf-8", cached, "<h1"},
		{"/projects/paper-lantern/", 200, "text/html; charset=utf-8", cached, "Paper Lantern"},
		{"/projects/paper-lantern/picture.png", 200, "image/png", cached, "PNG"},
		{"/badge/paper-lantern.svg", 200, "image/svg+xml", cached, "Listed: "},
		{"/embed/paper-lantern/", 200, "text/html; charset=utf-8", cached, "Paper Lantern"},
		{"/embed/paper-lamp/", 200, "text/html; charset=utf-8", cached, "Paper Lantern"}, // a former slug
		{"/embed/nothing/", 404, "text/html; charset=utf-8", "no-store", "<form"},
		{"/docs/", 200, "text/html; charset=utf-8", cached, "<h1"},
		{"/nothing", 404, "text/html; charset=utf-8", "no-store", "<form"},
		{"/nothing/at/all/", 404, "text/html; charset=utf-8", "no-store", "<form"},
		{"/_headers", 404, "text/html; charset=utf-8", "no-store", ""},
		{"/_redirects", 404, "text/html; charset=utf-8", "no-store", ""},
		{"/_moved.caddy", 404, "text/html; charset=utf-8", "no-store", ""},
		{"/_moved.conf", 404, "text/html; charset=utf-8", "no-store", ""},
		{"/sw.js", 200, "text/javascript; charset=utf-8", headers.CacheRevalidated, "unregister"},
		{"/verify.html", 200, "text/html; charset=utf-8", cached, "it is ours"},
		{"/fonts/plain.woff2", 200, "font/woff2", cached, "wOF2"},
		{"/brand/assets/photo.jpg", 200, "image/jpeg", cached, "JFIF"},
		{"/favicon.ico", 200, "image/x-icon", cached, "PNG"},
		{"/.well-known/security.txt", 200, "text/plain; charset=utf-8", cached, "Expires: "},
		{"/api/v1/", 200, "application/json", cached, `"links":[`},
		{"/api/v1/taxonomy", 200, "application/json", cached, `{"schemaVersion":1,"categories":[`},
		{"/api/v1/catalog.json", 200, "application/json", cached, `{"schemaVersion":1,"version":"`},
		{"/api/v1/catalog.jsonl", 200, "application/jsonl", cached, `{"schemaVersion":1,"version":"`},
		{asset(".css"), 200, "text/css; charset=utf-8", immutable, "{"},
		{asset(".js"), 200, "text/javascript; charset=utf-8", immutable, "modelContext"},
		{asset(".svg"), 200, "image/svg+xml", immutable, "<svg"},
		{"/llms.txt", 200, "text/plain; charset=utf-8", cached, "# "},
		{"/llms-full.txt", 200, "text/plain; charset=utf-8", cached, "# "},
		{"/projects/paper-lantern/index.html.md", 200, "text/markdown; charset=utf-8", cached, "# Paper Lantern"},
		{"/.well-known/api-catalog", 200, headers.TypeAPICatalog, cached, `{"linkset":[`},
		{"/feed.xml", 200, "application/atom+xml", cached, "<feed"},
		{"/categories/speech-to-text/feed.xml", 200, "application/atom+xml", cached, "<feed"},
		{"/opensearch.xml", 200, "application/opensearchdescription+xml", cached, "searchTerms"},
		{"/site.webmanifest", 200, "application/manifest+json", cached, "start_url"},
		{"/sitemap.xml", 200, "application/xml", cached, "<urlset"},
		{"/api/v1/openapi", 200, "application/json", cached, `"openapi"`},
		{"/api/v1/openapi.json", 200, "application/json", cached, `"openapi"`},
		{"/api/v1/projects", 200, "application/json", cached, `{"projects":[`},
		{"/api/v1/projects?limit=1", 200, "application/json", cached, `{"projects":[`},
		{"/api/v1/projects/paper-lantern", 200, "application/json", cached, `{"slug":"paper-lantern"`},
		{"/api/v1/projects/paper-lantern.json", 200, "application/json", cached, `{"slug":"paper-lantern"`},
		{"/api/v1/lists/newest/1.json", 200, "application/json", cached, `"page":1`},
		{"/api/v1/projects/nobody", 404, "application/problem+json", "no-store", `"code":"unknown-project"`},
		{"/api/v1/search?q=chat", 404, "application/problem+json", "no-store", `"code":"unknown-endpoint"`},
		{"/api/v1/search.idx", 404, "application/problem+json", "no-store", `"code":"unknown-endpoint"`},
		{"/api/v2", 404, "application/problem+json", "no-store", `"code":"unknown-endpoint"`},
	} {
		r := fetchFrom(t, base+c.path)
		if r.status != c.status || r.header.Get("Content-Type") != c.contentType || r.header.Get("Cache-Control") != c.cache || !strings.Contains(r.body, c.contains) {
			t.Errorf("%s: %d, %s, %s, want %d, %s, %s and %q in %.100q", c.path, r.status, r.header.Get("Content-Type"), r.header.Get("Cache-Control"),
				c.status, c.contentType, c.cache, c.contains, r.body)
		}
		if c.status == 404 && c.contentType == "application/problem+json" && decodeJSON[api.Problem](t, r.body).Type != base+"/problems/"+decodeJSON[api.Problem](t, r.body).Code+"/" {
			t.Errorf("%s leads to %s", c.path, decodeJSON[api.Problem](t, r.body).Type)
		}
		inAPI := strings.HasPrefix(c.path, "/api/")
		if got := r.header.Get("Access-Control-Allow-Origin"); (got == "*") != inAPI {
			t.Errorf("%s may be read by %q", c.path, got)
		}
		if r.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("the type of %s may be guessed", c.path)
		}
		// Our server sends the same headers with pages.
		fields := headers.Page(settings)
		if strings.HasPrefix(c.path, "/embed/") && c.status == 200 {
			fields = headers.Embed(settings)
		}
		for _, want := range fields {
			if got := r.header.Get(want.Name); !inAPI && got != want.Value {
				t.Errorf("%s: %s is %q, want %q", c.path, want.Name, got, want.Value)
			}
		}
	}
	// The Accept header selects the Markdown version of a page.
	for accept, want := range map[string]string{
		"text/markdown": "text/markdown", "text/html, text/markdown;q=0.9": "text/markdown", "text/markdown, text/html, */*": "text/markdown",
		"text/html,*/*;q=0.8": "text/html", "*/*": "text/html", "text/markdown;q=0, */*": "text/html", "text/markdown; q=0.0": "text/html",
	} {
		for _, path := range []string{"/", "/projects/paper-lantern/"} {
			r := fetchFrom(t, base+path, "Accept", accept)
			if r.status != 200 || r.header.Get("Content-Type") != want+"; charset=utf-8" || !slices.Contains(r.header.Values("Vary"), "Accept") {
				t.Errorf("%s for %q: %d, %v", path, accept, r.status, r.header)
			}
		}
	}
	// A folder without its slash, and a file that the client has cached.
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	if r := fetchFrom(t, base+"/docs"); r.status != 301 && r.status != 308 || r.header.Get("Location") != u.Path+"/docs/" {
		t.Errorf("a folder without its slash: %d to %q", r.status, r.header.Get("Location"))
	}
	if r := fetchFrom(t, base+"/api/v1/projects/paper-lantern", "If-None-Match", fetchFrom(t, base+"/api/v1/projects/paper-lantern").header.Get("ETag")); r.status != 304 {
		t.Errorf("what the client has is sent again: %d", r.status)
	}
	if r := fetchFrom(t, base+"/api/v1/openapi", "Accept-Encoding", "gzip"); r.header.Get("Content-Encoding") != "gzip" {
		t.Error("JSON is not compressed")
	}
}

// fetchFrom gets a page from any server. Headers are pairs of name and value.
func fetchFrom(t *testing.T, target string, headers ...string) reply {
	t.Helper()
	return sendRequest(t, nil, http.MethodGet, target, headers...)
}

// checkHostInBrowser opens pages in a real browser, which reports violations of the
// Content-Security-Policy. Structured data must not be one.
func checkHostInBrowser(t *testing.T, base string, hasSearch bool) {
	t.Helper()
	b := newBrowser(t)
	for _, path := range []string{"/", "/projects/paper-lantern/", "/categories/speech-to-text/", "/newest/", "/docs/", "/problems/rate-limited/", "/about/"} {
		b.do(t, chromedp.Navigate(base+path), chromedp.WaitVisible("main h1"))
		if n := evaluate[int](t, b, `document.querySelectorAll("script[type='application/ld+json']").length`); n != 1 {
			t.Errorf("%s has structured data %d times", path, n)
		}
		if !evaluate[bool](t, b, `getComputedStyle(document.body).margin === "0px"`) {
			t.Errorf("%s has no style", path)
		}
	}
	// The tool uses the same search server as the search field.
	found := b.callTool(t, api.ToolSearch, `{q: "paper lantern"}`)
	if hasSearch {
		if !strings.Contains(found, "paper-lantern") {
			t.Errorf("the search server on another origin answers %s", found)
		}
		b.report(t)
		return
	}
	if !strings.Contains(found, `"error":`) {
		t.Errorf("without a search server the tool says %s", found)
	}
	b.clearFaults() // of the request to the missing search server
	// The search page still has links to the categories.
	if err := chromedp.Do(b, chromedp.Navigate(base+"/search/"), chromedp.WaitVisible("main h1")); err != nil {
		t.Fatal(err)
	}
	if n := evaluate[int](t, b, `document.querySelectorAll("a[href*='/categories/']").length`); n == 0 {
		t.Error("the search page leads nowhere")
	}
}
