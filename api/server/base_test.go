package server

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"catalog.example/api/site"
)

// proxied returns the address of a proxy in front of a server whose base address
// has a path: it hands paths on as they are, or without that path.
func proxied(t *testing.T, s *Server, base string, strips bool) string {
	t.Helper()
	behind, err := url.Parse("http://" + run(t, s))
	if err != nil {
		t.Fatal(err)
	}
	var proxy http.Handler = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(behind) }}
	if strips {
		proxy = http.StripPrefix(base, proxy)
	}
	front := httptest.NewServer(proxy)
	t.Cleanup(front.Close)
	return front.URL + base
}

// TestBasePaths gives the base address paths that begin as paths of the
// site do: behind each kind of proxy, all is answered as it is without a base.
func TestBasePaths(t *testing.T) {
	t.Parallel()
	type request struct{ method, target string }
	requests := []request{
		{"OPTIONS", "/api/v1/search"}, {"OPTIONS", "/api/nothing"}, {"OPTIONS", "/mcp"}, {"GET", "/mcp"}, {"HEAD", "/"}, {"DELETE", "/api/v1/projects"},
	}
	for _, target := range []string{
		"/", "/index.html", "/llms.txt", "/assets/app.js", "/projects/paper-lantern-1/", "/projects/paper-lantern-1", "/projects/paper-lantern-1/index.md", "/a%20b/", "/a%20b",
		"/api/v1/projects", "/api/v1/projects?limit=2", "/api/v1/projects/paper-lantern-1", "/api/v1/search?q=chat", "/api/v1/openapi", "/api/v1/openapi.json",
		"/api/v1/projects/index.json", "/api/v1/projects/nope", "/api/v1/projects?limit=0", "/healthz", "/readyz", "/nothing", "/nothing/here/", "/projects/nothing/", "/.well-known/api-catalog",
	} {
		requests = append(requests, request{"GET", target})
	}
	// What an answer is, but for the addresses in it.
	type essence struct{ status, contentType, allow, origin, length, location string }
	ask := func(t *testing.T, address string, r request) essence {
		t.Helper()
		request, err := http.NewRequest(r.method, address+r.target, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept-Encoding", "identity")
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		e := essence{status: response.Status, contentType: response.Header.Get("Content-Type"), allow: response.Header.Get("Allow"), origin: response.Header.Get("Access-Control-Allow-Origin")}
		if !strings.HasPrefix(r.target, "/api/") && r.target != "/mcp" {
			e.length = response.Header.Get("Content-Length")
		}
		e.location = response.Header.Get("Location")
		if e.location != "" {
			e.length = ""
		}
		return e
	}
	unlimited := func(o *options) { o.Settings.AnonymousPerMinute = site.MaxAllowance }
	plain := "http://" + run(t, newFixture(t, unlimited).server)
	want := map[request]essence{}
	for _, r := range requests {
		want[r] = ask(t, plain, r)
	}
	for _, base := range []string{"/projects", "/api", "/a/b", "/mcp", "/healthz", "/assets/projects"} {
		for _, strips := range []bool{false, true} {
			name := base[1:] + ", handed on"
			if strips {
				name = base[1:] + ", taken off"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f := newFixture(t, func(o *options) {
					unlimited(o)
					o.Settings.BaseURL = "https://catalog.example" + base
				})
				front := proxied(t, f.server, base, strips)
				for _, r := range requests {
					want, got := want[r], ask(t, front, r)
					if want.location != "" {
						want.location = base + want.location
					}
					if got != want {
						t.Errorf("%s %s is answered %+v, want %+v", r.method, r.target, got, want)
					}
				}
			})
		}
	}
}
