package server

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/server/ratestore"
)

// Every kind of answer there is, with the headers that it must have.
func TestHeadersOfEveryAnswer(t *testing.T) {
	const cached, forever = "public, max-age=60, stale-while-revalidate=86400", "public, max-age=31536000, immutable"
	armed := false
	f := newFixture(t, func(o *options) {
		fixed := o.Now
		o.Now = func() time.Time {
			if armed {
				panic("a fault")
			}
			return fixed()
		}
	})
	tests := []struct {
		name, method, target string
		headers              []string
		before               func() func() // what makes the answer so, and what undoes it
		status               int
		cache                string
	}{
		{"list", "GET", "/api/v1/projects", nil, nil, 200, cached},
		{"list with the key", "GET", "/api/v1/projects", []string{"X-Api-Key", "catalog-sandbox"}, nil, 200, cached},
		{"list of HEAD", "HEAD", "/api/v1/projects", nil, nil, 200, cached},
		{"list not modified", "GET", "/api/v1/projects", []string{"If-None-Match", "*"}, nil, 304, cached},
		{"project", "GET", "/api/v1/projects/paper-lantern-1", nil, nil, 200, cached},
		{"project not modified", "HEAD", "/api/v1/projects/paper-lantern-1", []string{"If-None-Match", "*"}, nil, 304, cached},
		{"search", "GET", "/api/v1/search?q=chat", nil, nil, 200, cached},
		{"description", "GET", "/api/v1/openapi", nil, nil, 200, cached},
		{"JSON page", "GET", "/api/v1/lists/popular/1.json", nil, nil, 200, cached},
		{"JSON page not modified", "GET", "/api/v1/openapi.json", []string{"If-None-Match", "*"}, nil, 304, cached},
		{"preflight", "OPTIONS", "/api/v1/projects", nil, nil, 204, ""},
		{"preflight of nothing", "OPTIONS", "/api/nothing", nil, nil, 204, ""},
		{"wrong parameter", "GET", "/api/v1/projects?limit=0", nil, nil, 400, "no-store"},
		{"unknown key", "GET", "/api/v1/projects", []string{"X-Api-Key", "nope"}, nil, 401, "no-store"},
		{"unknown endpoint", "GET", "/api/nothing", nil, nil, 404, "no-store"},
		{"unknown project", "GET", "/api/v1/projects/nope", nil, nil, 404, "no-store"},
		{"method", "DELETE", "/api/v1/projects", nil, nil, 405, "no-store"},
		{"long address", "GET", "/api/v1/search?q=" + strings.Repeat("a", 9000), nil, nil, 414, "no-store"},
		{"nothing left", "GET", "/api/v1/projects", nil, func() func() {
			for f.get("/api/v1/projects").status != 429 {
			}
			return func() { f.clock.pass(2 * ratestore.Window) }
		}, 429, "no-store"},
		{"fault", "GET", "/api/v1/projects", nil, func() func() { armed = true; return func() { armed = false } }, 500, "no-store"},
		{"overloaded", "GET", "/api/v1/projects", nil, func() func() {
			most := f.server.slots.most
			f.server.slots.most = 0
			return func() { f.server.slots.most = most }
		}, 503, "no-store"},
		{"message of another site", "POST", "/mcp", []string{"Origin", "https://elsewhere.example"}, nil, 403, "no-store"},
		{"message that is too large", "POST", "/mcp", []string{"Content-Length", "65537"}, nil, 413, "no-store"},
		{"message with an unknown key", "POST", "/mcp", []string{"X-Api-Key", "nope"}, nil, 401, "no-store"},
		{"message without a body", "POST", "/mcp", nil, nil, 415, "no-store"},
		{"no message", "GET", "/mcp", nil, nil, 405, "no-store"},
		{"page", "GET", "/", nil, nil, 200, cached},
		{"asset", "GET", "/assets/app.js", nil, nil, 200, cached},
		{"asset with a hash", "GET", "/assets/app-0123456789ab.js", nil, nil, 200, forever},
		{"asset with a hash, HEAD", "HEAD", "/assets/app-0123456789ab.js", []string{"Accept-Encoding", "br"}, nil, 200, forever},
		{"asset with a hash, not modified", "GET", "/assets/app-0123456789ab.js", []string{"If-None-Match", "*"}, nil, 304, forever},
		{"no asset with a hash", "GET", "/assets/app-ba9876543210.js", nil, nil, 404, "no-store"},
		{"drawing", "GET", "/assets/logo.svg", nil, nil, 200, cached},
		{"page not modified", "GET", "/llms.txt", []string{"If-None-Match", "*"}, nil, 304, cached},
		{"folder without its slash", "GET", "/projects/paper-lantern-1", nil, nil, 308, ""},
		{"no page", "GET", "/nothing", nil, nil, 404, "no-store"},
		{"method of a page", "POST", "/", nil, nil, 405, "no-store"},
		{"long address of a page", "GET", "/?" + strings.Repeat("a", 9000), nil, nil, 414, "no-store"},
		{"overloaded page", "GET", "/", nil, func() func() {
			most := f.server.slots.most
			f.server.slots.most = 0
			return func() { f.server.slots.most = most }
		}, 503, "no-store"},
		{"OPTIONS of a page", "OPTIONS", "/", nil, nil, 204, ""},
		{"probe", "GET", "/healthz", nil, nil, 200, "no-store"},
		{"not ready", "GET", "/readyz", nil, func() func() { f.server.draining.Store(true); return func() { f.server.draining.Store(false) } }, 503, "no-store"},
	}
	covered := map[int]bool{}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			undo := func() {}
			if test.before != nil {
				undo = test.before()
			}
			r := f.do(test.method, test.target, test.headers...)
			undo()
			covered[test.status] = true
			if r.status != test.status {
				t.Fatalf("%d: %.200s", r.status, r.body)
			}
			r.expect(t, "Cache-Control", test.cache)
			r.expect(t, "X-Content-Type-Options", "nosniff")
			if !isSafeID(r.header.Get("X-Request-Id")) {
				t.Errorf("the request id is %q", r.header.Get("X-Request-Id"))
			}
			for _, name := range []string{"Set-Cookie", "Server", "X-Powered-By", "Access-Control-Allow-Credentials"} {
				r.expect(t, name, "")
			}
			if got := r.header.Get("ETag") != ""; got != (test.cache == cached || test.cache == forever) {
				t.Errorf("the ETag is %q", r.header.Get("ETag"))
			}
			if got := r.header.Get("Retry-After") != ""; got != (test.status == 429 || test.status == 503 && !strings.HasSuffix(test.target, "readyz")) {
				t.Errorf("Retry-After is %q", r.header.Get("Retry-After"))
			}
			if strings.HasPrefix(test.target, "/api/") {
				checkAPIHeaders(t, test.method, r)
			} else if test.target == "/mcp" {
				r.expect(t, "Vary", "Origin")
				r.expect(t, "Access-Control-Allow-Origin", "") // none was sent that is allowed
				r.expect(t, "Content-Security-Policy", "")
			} else {
				checkPageHeaders(t, r)
			}
		})
	}
	for _, kind := range api.ProblemKinds {
		if !covered[kind.Status] {
			t.Errorf("no answer is %d", kind.Status)
		}
	}
}

func checkAPIHeaders(t *testing.T, method string, r reply) {
	t.Helper()
	r.expect(t, "Access-Control-Allow-Origin", "*")
	r.expect(t, "Access-Control-Expose-Headers", "RateLimit, RateLimit-Policy, Link, ETag, Retry-After")
	r.expect(t, "Content-Security-Policy", "")
	vary, preflight := "", [3]string{}
	switch {
	case method == http.MethodOptions:
		preflight = [3]string{"GET, HEAD, OPTIONS", "Authorization, X-Api-Key, If-None-Match", "86400"}
	case r.status < 400:
		vary = "Accept-Encoding, Authorization, X-Api-Key"
	}
	r.expect(t, "Vary", vary)
	r.expect(t, "Access-Control-Allow-Methods", preflight[0])
	r.expect(t, "Access-Control-Allow-Headers", preflight[1])
	r.expect(t, "Access-Control-Max-Age", preflight[2])
	// What a server that is full or broken turns away is not counted.
	counted := method != http.MethodOptions && r.status < 500
	if got := r.header.Get("RateLimit") != ""; got != counted || got != (r.header.Get("RateLimit-Policy") != "") {
		t.Errorf("RateLimit is %q, RateLimit-Policy %q", r.header.Get("RateLimit"), r.header.Get("RateLimit-Policy"))
	}
}

func checkPageHeaders(t *testing.T, r reply) {
	t.Helper()
	r.expect(t, "Access-Control-Allow-Origin", "")
	r.expect(t, "RateLimit", "")
	policy := r.header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
		t.Errorf("Content-Security-Policy is %q", policy)
	}
	r.expect(t, "Referrer-Policy", "strict-origin-when-cross-origin")
	if !strings.Contains(r.header.Get("Permissions-Policy"), "camera=()") {
		t.Errorf("Permissions-Policy is %q", r.header.Get("Permissions-Policy"))
	}
}
