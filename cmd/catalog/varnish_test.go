//go:build unix

package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"catalog.example/api/server/processtest"
	"catalog.example/api/soak"
)

// cdn is a Varnish with deploy/varnish.vcl in front of a `catalog serve` that counts 20
// requests a minute.
type cdn struct {
	t                       *testing.T
	program, content        string
	public, changes, config string
	server                  *serveProcess
	cache, origin           string // base addresses
	clients                 int
}

const cdnHost = "catalog.example"

func startCDN(t *testing.T) *cdn {
	t.Helper()
	soak.Long(t)
	program, err := exec.LookPath("catalog")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	c := &cdn{t: t, program: program, content: filepath.Join(folder, "content"), public: filepath.Join(folder, "public"), changes: filepath.Join(folder, "changes.txt"), config: filepath.Join(folder, "catalog.yml")}
	if err := os.CopyFS(c.content, os.DirFS("testdata/content")); err != nil {
		t.Fatal(err)
	}
	writeText(t, c.config, "base_url: https://"+cdnHost+"\nanonymous_per_minute: 20\n")
	c.build()
	c.server = startServe(t, program, "--public", c.public, "--addr", "127.0.0.1:0", "--trusted-proxies", "127.0.0.1")
	c.origin = c.server.address(t, "listening on")
	varnish := processtest.Installed(t, "varnish", "varnishd")
	host, port, _ := strings.Cut(strings.TrimPrefix(c.origin, "http://"), ":")
	c.cache = "http://" + processtest.StartServer(t, func(address string) *exec.Cmd {
		work := t.TempDir()
		vcl := filepath.Join(work, "default.vcl")
		writeText(t, vcl, replaced(t, "../../deploy/varnish.vcl", `.host = "127.0.0.1";`, `.host = "`+host+`";`, `.port = "8080";`, `.port = "`+port+`";`))
		return exec.Command(varnish, "-F", "-j", "none", "-n", filepath.Join(work, "varnish"), "-a", address, "-f", vcl, "-s", "malloc,64m")
	})
	return c
}

func (c *cdn) build() {
	c.t.Helper()
	command := exec.CommandContext(c.t.Context(), c.program, "build", "--quiet", "--pictures=off", "--config", c.config, "--content", c.content, "--out", c.public, "--changes", c.changes, "--cache", filepath.Join(filepath.Dir(c.public), "cache"))
	if out, err := command.CombinedOutput(); err != nil {
		c.t.Fatalf("%v\n%s", err, out)
	}
}

// client returns a client that asked nothing before.
func (c *cdn) client() *http.Client {
	c.clients++
	return clientFrom(c.t, fmt.Sprintf("127.0.11.%d", c.clients))
}

// get asks the cache, checks status and whether it had the answer, and returns the answer.
func (c *cdn) get(client *http.Client, path string, status int, cached string, headers ...string) reply {
	c.t.Helper()
	r, err := ask(c.t.Context(), client, http.MethodGet, c.cache+path, "", append([]string{"Host", cdnHost}, headers...)...)
	if err != nil || r.status != status || r.header.Get("X-Cache") != cached {
		c.t.Errorf("%s %q: %d, %s, %v, want %d, %s: %.200s", path, headers, r.status, r.header.Get("X-Cache"), err, status, cached, r.body)
	}
	return r
}

// TestVarnish runs deploy/varnish.vcl and deploy/purge.sh by the rules of deploy/CDN.md.
func TestVarnish(t *testing.T) {
	t.Parallel()
	c := startCDN(t)
	const hit, miss = "HIT", "MISS"
	client := c.client()

	// A page, whatever its query and the browser's Accept; and its Markdown version.
	const page = "/projects/paper-lantern/"
	first := c.get(client, page, 200, miss, "Accept", "text/html,*/*;q=0.8")
	for _, path := range []string{page, page + "?utm_source=x", page + "?gpu=0"} {
		if r := c.get(client, path, 200, hit, "Accept", "text/html, application/xhtml+xml", "Cookie", "a=b"); r.body != first.body || r.header.Get("Age") != "" || r.header.Get("Cache-Control") != first.header.Get("Cache-Control") {
			t.Errorf("%s: %v", path, r.header)
		}
	}
	c.get(client, page, 304, hit, "If-None-Match", first.header.Get("ETag"))
	for _, cached := range []string{miss, hit} {
		if r := c.get(client, page, 200, cached, "Accept", "text/markdown"); !strings.HasPrefix(r.body, "# Paper Lantern") || !strings.HasPrefix(r.header.Get("Content-Type"), "text/markdown") {
			t.Errorf("the Markdown version: %v", r.header)
		}
	}
	c.get(client, page, 200, hit)
	if r := c.get(client, page, 200, hit, "Accept-Encoding", "gzip"); r.header.Get("Content-Encoding") != "gzip" {
		t.Errorf("a page is not compressed: %v", r.header)
	}

	// A search, whatever the order of its parameters.
	const search = "/api/v1/search?limit=2&q=lantern"
	asked := c.get(client, search, 200, miss)
	if !strings.HasPrefix(asked.header.Get("RateLimit"), `"anonymous";r=19;`) {
		t.Errorf("RateLimit is %q", asked.header.Get("RateLimit"))
	}
	for _, path := range []string{search, "/api/v1/search?q=lantern&limit=2", "/api/v1/search?utm_source=x&q=lantern&limit=2&utm_medium=y", "/api/v1/search?q=lantern&fbclid=1&gclid=2&limit=2"} {
		r := c.get(client, path, 200, hit)
		if r.body != asked.body || r.header.Get("RateLimit") != "" || r.header.Get("RateLimit-Policy") != "" || r.header.Get("X-Request-Id") != "" || r.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %v", path, r.header)
		}
	}
	c.get(client, "/api/v1/search?limit=3&q=lantern", 200, miss)
	c.get(client, "/api/v1/projects", 200, miss)
	c.get(client, "/api/v1/projects?utm_source=x", 200, hit)

	// With a key, each request counts.
	for _, header := range [][]string{{"X-Api-Key", "catalog-sandbox"}, {"Authorization", "Bearer catalog-sandbox"}} {
		for range 2 {
			if r := c.get(client, search, 200, miss, header...); !strings.HasPrefix(r.header.Get("RateLimit"), `"sandbox";`) {
				t.Errorf("with a key, RateLimit is %q", r.header.Get("RateLimit"))
			}
		}
	}

	// Errors and probes are not kept. A client over its allowance does not spoil an answer for
	// others, and may read what is cached.
	other := c.client()
	for range 2 {
		c.get(other, "/nothing/", 404, miss)
		c.get(other, "/api/v1/projects/nobody", 404, miss)
		c.get(other, "/api/v1/search?limit=x", 400, miss)
		c.get(other, search, 401, miss, "X-Api-Key", "wrong")
		c.get(other, "/readyz", 200, miss)
		c.get(other, "/healthz", 200, miss)
		if r, err := ask(t.Context(), other, http.MethodPost, c.cache+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Host", cdnHost, "Content-Type", "application/json", "Accept", "application/json, text/event-stream"); err != nil || r.status != 200 || r.header.Get("X-Cache") != miss {
			t.Errorf("a message: %d, %v, %v", r.status, r.header, err)
		}
	}
	eager := c.client()
	for i := range 20 {
		c.get(eager, fmt.Sprintf("/api/v1/search?q=chat&offset=%d", i), 200, miss)
	}
	const busy = "/api/v1/search?q=kettle"
	if r := c.get(eager, busy, 429, miss, "X-Forwarded-For", "198.51.100.7"); r.header.Get("Retry-After") == "" || !strings.HasPrefix(r.header.Get("RateLimit"), `"anonymous";r=0;`) {
		t.Errorf("over the allowance: %v", r.header)
	}
	c.get(eager, search, 200, hit)
	c.get(c.client(), busy, 200, miss)
	c.get(eager, busy, 200, hit)

	// Assets are kept.
	asset := firstAsset(t, c.get(client, "/", 200, miss).body)
	c.get(client, asset, 200, miss)
	if r := c.get(client, asset, 200, hit); !strings.Contains(r.header.Get("Cache-Control"), "immutable") {
		t.Errorf("an asset: %v", r.header)
	}
	c.checkPurge(client, page, asset)
}

// firstAsset returns the address of the stylesheet of a page.
func firstAsset(t *testing.T, body string) string {
	t.Helper()
	_, rest, ok := strings.Cut(body, `/assets/style-`)
	name, _, closed := strings.Cut(rest, `"`)
	if !ok || !closed {
		t.Fatal("the page has no stylesheet")
	}
	return "/assets/style-" + name
}

// checkPurge changes a listing, and checks that a purge by the list of changes is enough to
// see it, and that other pages stay cached.
func (c *cdn) checkPurge(client *http.Client, page, asset string) {
	t := c.t
	t.Helper()
	const hit, miss, unchanged, marker = "HIT", "MISS", "/about/", "a purge was tested"
	c.get(client, unchanged, 200, miss)
	c.get(client, "/api/v1/projects/paper-lantern", 200, miss)
	file := filepath.Join(c.content, "projects", "paper-lantern.md")
	writeText(t, file, readText(t, file)+"\nThis is how "+marker+".\n")
	c.build()
	// The pages of a new build may be there before its listings.
	for deadline := time.Now().Add(testTimeout); !strings.Contains(c.server.stderr.String(), "msg=reloaded"); {
		if time.Now().After(deadline) {
			t.Fatalf("the origin does not serve the new build: %s", c.server.stderr)
		}
		time.Sleep(10 * time.Millisecond) // until the next look
	}
	if r := c.get(client, page, 200, hit); strings.Contains(r.body, marker) {
		t.Error("the cache has the new page without a purge: this test tests nothing")
	}
	if r, err := ask(t.Context(), clientFrom(t, "127.0.12.1"), "PURGE", c.cache+page, "", "Host", cdnHost); err != nil || r.status != http.StatusMethodNotAllowed {
		t.Errorf("anybody may purge: %d, %v", r.status, err)
	}
	processtest.Installed(t, "curl", "curl")
	if out, err := exec.CommandContext(t.Context(), "../../deploy/purge.sh", c.cache, c.changes).CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("purge.sh: %v\n%s", err, out)
	}
	for _, accept := range []string{"text/html", "text/markdown"} {
		if r := c.get(client, page, 200, miss, "Accept", accept); !strings.Contains(r.body, marker) {
			t.Errorf("after the purge, %s for %s is the old one", page, accept)
		}
	}
	if r := c.get(client, "/api/v1/projects/paper-lantern", 200, miss); !strings.Contains(r.body, marker) {
		t.Error("after the purge, the listing of the API is the old one")
	}
	c.get(client, unchanged, 200, hit)
	c.get(client, asset, 200, hit)

	// Nothing to purge is no error; a cache that is not there is one.
	empty := filepath.Join(t.TempDir(), "empty.txt")
	writeText(t, empty, "")
	if out, err := exec.CommandContext(t.Context(), "../../deploy/purge.sh", c.cache, empty).CombinedOutput(); err != nil {
		t.Errorf("purge.sh without changes: %v\n%s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), "../../deploy/purge.sh", c.origin, c.changes).CombinedOutput(); err == nil || !strings.Contains(string(out), "405") {
		t.Errorf("purge.sh with the origin as the cache: %v\n%s", err, out)
	}
}
