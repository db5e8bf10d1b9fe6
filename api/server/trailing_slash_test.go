package server

import (
	"net/http"
	"strings"
	"testing"
)

// An endpoint's path with a trailing slash leads to the endpoint, with the query and the method,
// also below a base path.
func TestTrailingSlash(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "/tools"} {
		f := newFixture(t, func(o *options) { o.Settings.BaseURL = "http://localhost:8080" + base })
		for _, path := range []string{"/api/v1/projects", "/api/v1/projects/paper-lantern-1", "/api/v1/search", "/api/v1/openapi", "/api/v1/taxonomy", "/healthz", "/readyz", "/mcp"} {
			method, target := http.MethodGet, base+path
			if path == "/mcp" {
				method = http.MethodPost
			}
			if strings.HasSuffix(path, "z") { // probes are not below the base path
				target = path
			}
			r := f.do(method, target+"/?q=a%20b&limit=2")
			if r.status != http.StatusPermanentRedirect {
				t.Errorf("%s/: %d", target, r.status)
			}
			r.expect(t, "Location", target+"?q=a%20b&limit=2")
		}
		for _, path := range []string{"/api/v1/nosuch/", "/api/v2/search/", "/api/v1/projects/paper-lantern-1/x/"} {
			if r := f.get(base + path); r.status != http.StatusNotFound {
				t.Errorf("%s: %d", base+path, r.status)
			}
		}
	}
}
