package server

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"catalog.example/api/headers"
)

func TestPages(t *testing.T) {
	f := newFixture(t, nil)
	for target, want := range map[string]struct{ file, contentType string }{
		"/":                                    {"index.html", "text/html; charset=utf-8"},
		"/index.html":                          {"index.html", "text/html; charset=utf-8"},
		"/projects/paper-lantern-1/":           {"projects/paper-lantern-1/index.html", "text/html; charset=utf-8"},
		"/projects/paper-lantern-1/?from=mail": {"projects/paper-lantern-1/index.html", "text/html; charset=utf-8"},
		"/projects/paper-lantern-1/index.md":   {"projects/paper-lantern-1/index.md", "text/markdown; charset=utf-8"},
		"/a%20b/":                              {"a b/index.html", "text/html; charset=utf-8"},
		"/llms.txt":                            {"llms.txt", "text/plain; charset=utf-8"},
		"/robots.txt":                          {"robots.txt", "text/plain; charset=utf-8"},
		"/sitemap.xml":                         {"sitemap.xml", "application/xml"},
		"/feed.xml":                            {"feed.xml", "application/atom+xml"},
		"/opensearch.xml":                      {"opensearch.xml", "application/opensearchdescription+xml"},
		"/site.webmanifest":                    {"site.webmanifest", "application/manifest+json"},
		"/mcp/server-card":                     {".well-known/mcp/server-card.json", "application/mcp-server-card+json"},
		"/.well-known/mcp/server-card.json":    {".well-known/mcp/server-card.json", "application/mcp-server-card+json"},
		"/.well-known/api-catalog":             {".well-known/api-catalog", `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`},
		"/assets/style.css":                    {"assets/style.css", "text/css; charset=utf-8"},
		"/assets/app.js":                       {"assets/app.js", "text/javascript; charset=utf-8"},
		"/assets/logo.svg":                     {"assets/logo.svg", "image/svg+xml"},
		"/assets/model.bin":                    {"assets/model.bin", "application/octet-stream"},
	} {
		r := f.get(target)
		if r.status != 200 || r.body != publicFiles[want.file] {
			t.Errorf("%s: %d %s", target, r.status, r.body)
		}
		r.expect(t, "Content-Type", want.contentType)
		r.expect(t, "RateLimit", "")
		r.expect(t, "Access-Control-Allow-Origin", map[bool]string{true: "*"}[strings.HasPrefix(want.file, ".well-known/")])
		if again := f.get(target, "If-None-Match", r.header.Get("ETag")); again.status != 304 || again.body != "" {
			t.Errorf("%s with its ETag: %d %s", target, again.status, again.body)
		}
	}
}

func TestMissingPages(t *testing.T) {
	f := newFixture(t, nil)
	for _, target := range []string{
		"/nothing", "/nothing/", "/llms.txt/", "/llms.txt/more", "/assets", "/assets/", "/empty", "/empty/", "//", "//index.html", "/projects//paper-lantern-1/",
		"/.env", "/.well-known/", "/.well-known/.hidden", "/_headers", "/_redirects", "/%5fheaders", "/mcp/more", "/MCP", "/index.HTML/", "/Projects/paper-lantern-1/",
		"/../outside.txt", "/%2e%2e/outside.txt", "/..%2foutside.txt", "/assets/../../outside.txt", "/assets/%2e%2e/%2e%2e/outside.txt", "/..%5coutside.txt", "/assets/..%5c..%5coutside.txt",
		"/./llms.txt", "/assets/../llms.txt", "/llms.txt%00", "/%00", "/%ff", "/llms.txt::$DATA", "/" + strings.Repeat("x", 300), "/" + strings.Repeat("x/", 2000),
		"/%61pi%2fv1%2fsearch.idx", "/api%2Fv1%2Fsearch.idx", "/assets/../api/v1/search.idx", "/%2Fetc/passwd", "//elsewhere.example/%2e%2e",
	} {
		r := f.get(target, "If-None-Match", "*")
		if r.status != 404 || r.body != publicFiles["404.html"] {
			t.Errorf("%.60s: %d %.60s", target, r.status, r.body)
		}
		r.expect(t, "Content-Type", "text/html; charset=utf-8")
		r.expect(t, "Cache-Control", "no-store")
		r.expect(t, "ETag", "")
	}
}

func TestNoPageForMissingPages(t *testing.T) {
	f := newFixture(t, nil)
	if err := os.Remove(filepath.Join(f.public, "404.html")); err != nil {
		t.Fatal(err)
	}
	r := f.get("/nothing")
	if r.status != 404 || r.body != "There is no such page.\n" {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestRedirectsToFolders(t *testing.T) {
	f := newFixture(t, nil)
	for target, location := range map[string]string{
		"/projects/paper-lantern-1":           "/projects/paper-lantern-1/",
		"/projects/paper-lantern-1?a=b&c=%20": "/projects/paper-lantern-1/?a=b&c=%20",
		"/a%20b":                              "/a%20b/",
		"/%70rojects/paper-lantern-1":         "/projects/paper-lantern-1/",
	} {
		r := f.get(target)
		if r.status != 308 {
			t.Errorf("%s: %d", target, r.status)
		}
		r.expect(t, "Location", location)
	}
	// A redirect never leads to another host.
	writeFiles(t, f.public, map[string]string{"evil.example/index.html": "x"})
	for _, target := range []string{"//evil.example", "/%2fevil.example", "/%5cevil.example"} {
		if r := f.get(target); r.status != 404 {
			t.Errorf("%s: %d to %s", target, r.status, r.header.Get("Location"))
		}
	}
}

func TestMethodsOfPages(t *testing.T) {
	f := newFixture(t, nil)
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "TRACE", "BREW"} {
		r := f.do(method, "/llms.txt")
		if r.status != 405 {
			t.Errorf("%s: %d", method, r.status)
		}
		r.expect(t, "Allow", "GET, HEAD, OPTIONS")
		if r := f.do(method, "/nothing"); r.status != 404 {
			t.Errorf("%s of no page: %d", method, r.status)
		}
	}
	r := f.get("/llms.txt?" + strings.Repeat("a", 9000))
	if r.status != 414 {
		t.Errorf("a long address: %d", r.status)
	}
	r.expect(t, "Content-Type", "text/plain; charset=utf-8")
}

func TestHeadersOfPages(t *testing.T) {
	const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	f := newFixture(t, nil)
	for _, target := range []string{"/", "/nothing", "/projects/paper-lantern-1", "/assets/logo.svg"} {
		r := f.get(target)
		r.expect(t, "Content-Security-Policy", policy)
		r.expect(t, "X-Content-Type-Options", "nosniff")
		r.expect(t, "Referrer-Policy", "strict-origin-when-cross-origin")
		r.expect(t, "Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		r.expect(t, "Cross-Origin-Opener-Policy", "same-origin")
	}
	// Any site may frame the small pages of listings, which have no scripts.
	const embed = "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *"
	for target, want := range map[string]string{
		"/embed/lantern/": embed, "/embed/lantern/index.html": embed, "/embed/nothing/": policy, "/embed/": policy, "/badge/lantern.svg": policy,
	} {
		r := f.get(target)
		r.expect(t, "Content-Security-Policy", want)
		r.expect(t, "Referrer-Policy", "strict-origin-when-cross-origin")
	}
	f = newFixture(t, func(o *options) { o.Settings.SearchURL = "https://search.example:8443/catalog" })
	f.get("/embed/lantern/").expect(t, "Content-Security-Policy", embed)
	f.get("/").expect(t, "Content-Security-Policy", strings.NewReplacer(
		"connect-src 'self'", "connect-src 'self' https://search.example:8443", "form-action 'self'", "form-action 'self' https://search.example:8443",
	).Replace(policy))
}

func TestProbes(t *testing.T) {
	f := newFixture(t, nil)
	for _, target := range []string{"/healthz", "/readyz"} {
		r := f.get(target)
		if first, _, _ := strings.Cut(r.body, "\n"); r.status != 200 || first != "ok" {
			t.Errorf("%s: %d %s", target, r.status, r.body)
		}
		r.expect(t, "Cache-Control", "no-store")
		if r := f.do(http.MethodPost, target); r.status != 405 {
			t.Errorf("POST %s: %d", target, r.status)
		}
		if r := f.get(target + "/more"); r.status != 404 {
			t.Errorf("%s/more: %d", target, r.status)
		}
	}
}

func TestLinksDoNotLeadOut(t *testing.T) {
	f := newFixture(t, nil)
	out := filepath.Dir(f.public)
	for link, target := range map[string]string{
		"link.txt": filepath.Join(out, "outside.txt"), "up.txt": "../outside.txt", "dir": filepath.Join(out, "outside"), "api/v1/link.json": filepath.Join(out, "outside.json"),
		"loop.txt": "loop.txt", "within.txt": "llms.txt",
	} {
		if err := os.Symlink(target, filepath.Join(f.public, filepath.FromSlash(link))); err != nil {
			t.Skipf("this system makes no links: %v", err)
		}
	}
	for _, target := range []string{"/link.txt", "/up.txt", "/dir/", "/dir", "/dir/index.html", "/api/v1/link.json", "/loop.txt"} {
		if r := f.get(target); r.status != 404 || strings.Contains(r.body, "secret") {
			t.Errorf("%s: %d %s", target, r.status, r.body)
		}
	}
	if r := f.get("/within.txt"); r.status != 200 {
		t.Errorf("a link within the folder: %d", r.status)
	}
}

// A build replaces files, or the whole folder; the next request sees it.
func TestPagesFollowTheFolder(t *testing.T) {
	f := newFixture(t, nil)
	first := f.get("/llms.txt")

	path := filepath.Join(f.public, "llms.txt")
	if err := os.WriteFile(path, []byte("# Changed"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Time{}, time.Unix(1, 0)); err != nil { // whatever the clock's grain
		t.Fatal(err)
	}
	second := f.get("/llms.txt", "If-None-Match", first.header.Get("ETag"))
	if second.status != 200 || second.body != "# Changed" {
		t.Errorf("after a change: %d %s", second.status, second.body)
	}

	// Another file of the same size and time, as builds that fix times make.
	writeFiles(t, f.public, map[string]string{"new.txt": "# CHANGED"})
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(f.public, "new.txt"), time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(f.public, "new.txt"), path); err != nil {
		t.Fatal(err)
	}
	if r := f.get("/llms.txt", "If-None-Match", second.header.Get("ETag")); r.status != 200 || r.body != "# CHANGED" {
		t.Errorf("after another file took its place: %d %s", r.status, r.body)
	}

	if err := os.Rename(f.public, f.public+".old"); err != nil {
		t.Fatal(err)
	}
	writeFiles(t, f.public, map[string]string{"llms.txt": "# Replaced", "api/v1/search.idx": "secret"})
	if err := os.RemoveAll(f.public + ".old"); err != nil {
		t.Fatal(err)
	}
	if third := f.get("/llms.txt"); third.body != "# Replaced" {
		t.Errorf("after the folder was replaced: %d %s", third.status, third.body)
	}

	// The same bytes have the same ETag, wherever they lie.
	writeFiles(t, f.public, map[string]string{"copy.txt": "# Replaced"})
	if a, b := f.get("/llms.txt").header.Get("ETag"), f.get("/copy.txt").header.Get("ETag"); a != b {
		t.Errorf("the ETags are %s and %s", a, b)
	}
}

// An ETag always belongs to the body, even if a file changes but keeps its size and its time.
func TestTagsOfRewrittenFiles(t *testing.T) {
	f := newFixture(t, nil)
	path, at := filepath.Join(f.public, "llms.txt"), time.Unix(1, 0)
	for i := range 6 {
		body := fmt.Sprintf("# Text %d", i%3)
		if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, at); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second answer is made from what is known of the file
			r := f.get("/llms.txt")
			tag := r.header.Get("ETag")
			if r.status != 200 || r.body != body || tag != etagOf(tagOf([]byte(body)), identity) {
				t.Errorf("%d %q with the ETag %s, want %q", r.status, r.body, tag, body)
			}
		}
	}
}

// Whatever is known of a file, a request finds what is there now.
func TestKnownFilesThatChange(t *testing.T) {
	f := newFixture(t, nil)
	small, large := strings.Repeat("small ", 500), strings.Repeat("large ", 2*sharedBytes/6)
	outside := filepath.Join(filepath.Dir(f.public), "outside.txt")
	for i, test := range []struct {
		name   string
		before string
		change func(path string) error
		status int
		body   string // "" for any
	}{
		{"removed", small, os.Remove, 404, ""},
		{"removed, large", large, os.Remove, 404, ""},
		{"now a folder", small, func(path string) error {
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o755), os.WriteFile(path+"/index.html", []byte("page"), 0o644))
		}, 308, ""},
		{"now a link that leads out", small, func(path string) error {
			return errors.Join(os.Remove(path), os.Symlink(outside, path))
		}, 404, ""},
		{"longer", small, func(path string) error { return os.WriteFile(path, []byte(small+"more"), 0o644) }, 200, small + "more"},
		{"shorter", large, func(path string) error { return os.WriteFile(path, []byte(small), 0o644) }, 200, small},
	} {
		for _, header := range []string{"", "If-None-Match", "Accept-Encoding"} {
			for _, method := range []string{"GET", "POST"} {
				name := fmt.Sprintf("known-%d%s%s.txt", i, header, method)
				path := filepath.Join(f.public, name)
				writeFiles(t, f.public, map[string]string{name: test.before})
				headers := []string{header, "gzip"}
				if header == "If-None-Match" {
					headers[1] = f.get("/" + name).header.Get("ETag")
				} else if header == "" {
					headers = nil
				}
				for range 2 {
					if r := f.get("/"+name, headers...); r.status != 200 && r.status != 304 {
						t.Fatalf("%s: %d", name, r.status)
					}
				}
				if err := test.change(path); err != nil {
					t.Fatal(err)
				}
				want := test.status
				if method == "POST" && want != 404 {
					want = 405
				}
				r := f.do(method, "/"+name, headers...)
				if r.status != want || method == "GET" && header != "Accept-Encoding" && test.body != "" && r.body != test.body {
					t.Errorf("%s, %s with %v: %d, want %d; %d bytes", test.name, method, headers, r.status, want, len(r.body))
				}
			}
		}
	}
}

// Addresses as clients send them, through a real connection.
func TestTraversalOverTheWire(t *testing.T) {
	f := newFixture(t, nil)
	server := httptest.NewServer(f.server.Handler())
	defer server.Close()
	for _, raw := range []string{"/../outside.txt", "/assets/../../outside.txt", "/..%2f..%2foutside.txt", "/....//outside.txt", "/%c0%ae%c0%ae/outside.txt"} {
		r, err := http.NewRequest(http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.URL = &url.URL{Scheme: "http", Host: r.URL.Host, Opaque: raw} // sent as it is
		response, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != 404 {
			t.Errorf("%s: %d", raw, response.StatusCode)
		}
	}
}

// Each category has a feed, beside that of the site.
func TestContentTypeOfFeeds(t *testing.T) {
	for name, want := range map[string]string{
		"fonts/a.woff": "font/woff", "fonts/a.ttf": "font/ttf", "fonts/a.OTF": "font/otf", "rules.pdf": "application/pdf", "CNAME": "application/octet-stream",
		"feed.xml": "application/atom+xml", "categories/chat/feed.xml": "application/atom+xml", "sitemap.xml": "application/xml",
		"categories/opensearch.xml": "application/xml", "site.webmanifest": "application/manifest+json",
	} {
		if got := headers.ContentType(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
