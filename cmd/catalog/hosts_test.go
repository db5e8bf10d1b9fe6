package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/headers"
	"catalog.example/api/server/processtest"
	"catalog.example/api/site"
	"catalog.example/api/soak"
	"catalog.example/generator"
	"catalog.example/generator/engine/enginetest"
)

// hosts are the static hosts of deploy/HOSTS.md that run here, by their names in its table.
// Each builds the site for the address at which it serves it, and returns that address.
var hosts = map[string]func(t *testing.T) (base string){
	"GitHub Pages":     githubPages,
	"Cloudflare Pages": cloudflarePages,
	"Netlify":          netlify,
	"nginx":            func(t *testing.T) string { return startNginx(t, "", buildForHost) },
	"Caddy":            func(t *testing.T) string { return startCaddy(t, "/tools", buildForHost) },
}

// buildForHost builds the small content folder, with a search in the browser.
func buildForHost(t *testing.T, out, base string) {
	t.Helper()
	s := site.Defaults()
	s.BaseURL, s.Search = base, site.SearchInBrowser
	_, err := generator.Build(t.Context(), generator.Options{Content: "testdata/content", Out: out, Settings: s, Engine: enginetest.Compile(t), Now: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
}

func githubPages(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "public")
	base := startGithubPages(t, out)
	buildForHost(t, out, base)
	return base
}

// startGithubPages serves an output folder below a path by the rules of GitHub Pages: no
// headers or redirects of the site's own, and 404.html for what is missing.
func startGithubPages(t *testing.T, out string) (base string) {
	t.Helper()
	const project = "/tools"
	types := map[string]string{
		".html": "text/html; charset=utf-8", ".md": "text/markdown; charset=utf-8", ".txt": "text/plain; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "application/javascript; charset=utf-8",
		".json": "application/json; charset=utf-8", ".xml": "application/xml", ".svg": "image/svg+xml", ".png": "image/png", ".gz": "application/gzip", ".ico": "image/vnd.microsoft.icon", ".webmanifest": "application/manifest+json; charset=utf-8",
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		send := func(status int, name string) bool {
			file, err := os.Open(filepath.Join(out, filepath.FromSlash(name)))
			if err != nil {
				return false
			}
			defer file.Close()
			if info, err := file.Stat(); err != nil || info.IsDir() {
				return false
			}
			contentType := types[path.Ext(name)]
			if contentType == "" {
				contentType = "application/octet-stream"
			}
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Access-Control-Allow-Origin", "*")
			w.Header().Set("Cache-Control", "max-age=600")
			w.WriteHeader(status)
			_, _ = io.Copy(w, file) // the client may have gone
			return true
		}
		name, ok := strings.CutPrefix(path.Clean(r.URL.Path), project)
		isFolder := strings.HasSuffix(r.URL.Path, "/")
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case !ok:
			http.NotFound(w, r)
		case isFolder && send(http.StatusOK, name+"/index.html"), !isFolder && send(http.StatusOK, name), !isFolder && send(http.StatusOK, name+".html"):
		default:
			if _, err := os.Stat(filepath.Join(out, filepath.FromSlash(name), "index.html")); err == nil {
				http.Redirect(w, r, r.URL.Path+"/", http.StatusMovedPermanently)
				return
			}
			send(http.StatusNotFound, "404.html")
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + project
}

// npmProgram returns the path of a file below testdata/hosts/node_modules.
func npmProgram(t *testing.T, name string) string {
	t.Helper()
	processtest.Installed(t, "nodejs", "node")
	program, err := filepath.Abs(filepath.Join("testdata", "hosts", filepath.FromSlash(name)))
	if err == nil {
		_, err = os.Stat(program)
	}
	if err != nil {
		t.Fatalf("%v: run make deps", err)
	}
	return program
}

// cloudflarePages serves a site by the development server of Cloudflare Pages.
func cloudflarePages(t *testing.T) string {
	t.Helper()
	wrangler, home := npmProgram(t, "node_modules/wrangler/bin/wrangler.js"), t.TempDir()
	// Otherwise it would ask other hosts for its own version and for where it is.
	writeText(t, filepath.Join(home, ".npmrc"), "registry=http://127.0.0.1:9/\n")
	writeText(t, filepath.Join(home, "node_modules", ".mf", "cf.json"), "{}")
	return "http://" + processtest.StartServer(t, func(address string) *exec.Cmd {
		out := filepath.Join(t.TempDir(), "public")
		buildForHost(t, out, "http://"+address)
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			t.Fatal(err)
		}
		command := exec.Command("node", wrangler, "pages", "dev", out, "--ip", host, "--port", port, "--inspector-port", "0", "--compatibility-date", "2025-01-01")
		command.Dir = home
		command.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "CI=1", "WRANGLER_SEND_METRICS=false")
		return command
	})
}

// netlify serves a site by Netlify's parsers of headers and redirects.
func netlify(t *testing.T) string {
	t.Helper()
	script := npmProgram(t, "netlify.mjs")
	npmProgram(t, "node_modules/netlify-redirector/index.js")
	return "http://" + processtest.StartServer(t, func(address string) *exec.Cmd {
		out := filepath.Join(t.TempDir(), "public")
		buildForHost(t, out, "http://"+address)
		return exec.Command("node", script, out, address)
	})
}

// startNginx serves a site by deploy/nginx.conf below a path, which may be "".
func startNginx(t *testing.T, path string, build func(t *testing.T, out, base string)) string {
	t.Helper()
	root := t.TempDir()
	address := processtest.StartNginxWith(t, func(address string) string {
		base := "http://" + address + path
		out, docRoot := outputBelow(root, path)
		build(t, out, base)
		return configured(t, "../../deploy/nginx.conf", out,
			`$catalog_base { default ""; }`, fmt.Sprintf(`$catalog_base { default "%s"; }`, path),
			"listen 80;", "listen "+address+";",
			"root /srv/catalog/public;", "root "+docRoot+";",
			"include /srv/catalog/public/_moved.conf;", "include "+out+"/_moved.conf;")
	})
	return "http://" + address + path
}

// startCaddy serves a site by deploy/Caddyfile below a path, which may be "".
func startCaddy(t *testing.T, path string, build func(t *testing.T, out, base string)) string {
	t.Helper()
	root, program := t.TempDir(), processtest.Installed(t, "caddy", "caddy")
	return "http://" + processtest.StartServer(t, func(address string) *exec.Cmd {
		base := "http://" + address + path
		out, docRoot := outputBelow(root, path)
		build(t, out, base)
		config := filepath.Join(root, "Caddyfile")
		writeText(t, config, configured(t, "../../deploy/Caddyfile", out,
			"\n:80 {", "\nhttp://"+address+" {",
			`vars catalog_base ""`, fmt.Sprintf("vars catalog_base %q", path),
			"root * /srv/catalog/public", "root * "+docRoot,
			"import /srv/catalog/public/_moved.caddy", "import "+out+"/_moved.caddy"))
		command := exec.Command(program, "run", "--config", config, "--adapter", "caddyfile")
		command.Env = append(os.Environ(), "HOME="+root, "XDG_DATA_HOME="+root, "XDG_CONFIG_HOME="+root)
		return command
	}) + path
}

// outputBelow returns the output folder for a site below a path, and the folder to serve.
func outputBelow(root, path string) (out, docRoot string) {
	if path == "" {
		out = filepath.Join(root, "public")
		return out, out
	}
	return filepath.Join(root, strings.TrimPrefix(path, "/")), root
}

// configured returns a configuration of deploy/ with its values set: pairs of what is there
// and what takes its place. The policy follows from the settings of the build.
func configured(t *testing.T, file, out string, set ...string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := os.ReadFile(filepath.Join(out, "_headers"))
	if err != nil {
		t.Fatal(err)
	}
	engine, search := "", ""
	if strings.Contains(string(rules), "wasm-unsafe-eval") {
		engine = " 'wasm-unsafe-eval'; worker-src 'self'"
	}
	if m := regexp.MustCompile(`connect-src 'self'( [^;]*);`).FindSubmatch(rules); m != nil {
		search = string(m[1])
	}
	for name, value := range map[string]string{"engine": engine, "search": search} {
		set = append(set, `$catalog_`+name+` { default ""; }`, fmt.Sprintf(`$catalog_%s { default "%s"; }`, name, value), `vars catalog_`+name+` ""`, fmt.Sprintf(`vars catalog_%s "%s"`, name, value))
	}
	config := string(text)
	for i := 0; i < len(set); i += 2 {
		isOther := strings.HasPrefix(set[i], "$catalog_") && strings.HasSuffix(file, "Caddyfile") || strings.HasPrefix(set[i], "vars ") && strings.HasSuffix(file, ".conf")
		if isOther {
			continue
		}
		if strings.Count(config, set[i]) != 1 {
			t.Fatalf("%s has no %q, or several", file, set[i])
		}
		config = strings.Replace(config, set[i], set[i+1], 1)
	}
	return config
}

// hostTable returns the table of deploy/HOSTS.md: by host and column, "yes", "no" or more.
func hostTable(t *testing.T) map[string]map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../deploy/HOSTS.md")
	if err != nil {
		t.Fatal(err)
	}
	table, columns := map[string]map[string]string{}, []string(nil)
	for line := range strings.Lines(string(text)) {
		if columns == nil && !strings.HasPrefix(line, "| host |") {
			continue
		}
		if !strings.HasPrefix(line, "|") {
			break // the end of the table
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case columns == nil:
			columns = cells
		case !strings.HasPrefix(cells[0], "---"):
			table[cells[0]] = map[string]string{}
			for i, column := range columns[1:] {
				table[cells[0]][column] = cells[i+1]
			}
		}
	}
	return table
}

// TestHosts serves a site on each static host that runs here, and compares what works with
// the table of deploy/HOSTS.md. It follows the steps of llms.txt, and searches in a browser.
func TestHosts(t *testing.T) {
	t.Parallel()
	soak.Long(t)
	table := hostTable(t)
	if _, ok := table["S3 with CloudFront"]; !ok || len(table) != len(hosts)+1 { // it does not run here
		t.Errorf("deploy/HOSTS.md has %d hosts, want %d and S3", len(table), len(hosts))
	}
	b := newBrowser(t)
	for name, start := range hosts {
		t.Run(name, func(t *testing.T) {
			base := start(t)
			followGuide(t, base)
			s := site.Defaults()
			s.BaseURL, s.Search = base, site.SearchInBrowser
			for _, want := range headers.Embed(&s) {
				if got := fetchFrom(t, base+"/embed/paper-lantern/").header.Get(want.Name); got != want.Value && name != "GitHub Pages" {
					t.Errorf("a page to be framed: %s is %q, want %q", want.Name, got, want.Value)
				}
			}
			home, missing := fetchFrom(t, base+"/"), fetchFrom(t, base+"/api/v1/projects/nobody.json")
			for _, want := range headers.Page(&s) {
				if got := home.header.Get(want.Name); got != want.Value && name != "GitHub Pages" {
					t.Errorf("%s is %q, want %q", want.Name, got, want.Value)
				}
			}
			if missing.status != 404 {
				t.Errorf("a listing that there is not: %d", missing.status)
			}
			if missing.header.Get("Content-Type") == "application/problem+json" {
				if kind := decodeJSON[api.Problem](t, missing.body).Type; fetchFrom(t, kind).status != 200 {
					t.Errorf("a listing that there is not leads to %s, which is missing", kind)
				}
			}
			measured := map[string]string{
				"pages": yes(hasPages(t, base)), "Markdown by address": yes(isMarkdown(t, base+"/projects/paper-lantern/index.html.md")),
				"Markdown by `Accept`":        yes(isMarkdown(t, base+"/projects/paper-lantern/", "Accept", "text/markdown")),
				"JSON":                        yes(areJSON(t, base, "/api/v1/projects/index.json", "/api/v1/projects/paper-lantern.json", "/api/v1/lists/newest/1.json", "/api/v1/openapi.json")),
				"API paths without extension": yes(areJSON(t, base, "/api/v1/", "/api/v1/projects", "/api/v1/projects/paper-lantern", "/api/v1/openapi", "/api/v1/taxonomy")),
				"search":                      yes(searches(t, b, base)), "MCP": yes(sendRequest(t, nil, http.MethodPost, base+"/mcp").status < 400),
				"former slugs of pages": formerPages(t, base), "former slugs of the API": yes(isRedirect(t, base, "/api/v1/projects/paper-lamp.json", "/api/v1/projects/paper-lantern.json")),
			}
			for column, want := range table[name] {
				if measured[column] != want {
					t.Errorf("%s: deploy/HOSTS.md says %q, measured %q", column, want, measured[column])
				}
			}
			if len(table[name]) != len(measured) {
				t.Errorf("deploy/HOSTS.md says %v, measured %v", table[name], measured)
			}
		})
	}
}

func yes(works bool) string { return map[bool]string{true: "yes", false: "no"}[works] }

func hasPages(t *testing.T, base string) bool {
	t.Helper()
	for path, want := range map[string]int{"/": 200, "/projects/paper-lantern/": 200, "/nothing/": 404, "/nothing": 404} {
		r := fetchFrom(t, base+path)
		if r.status != want || !strings.HasPrefix(r.header.Get("Content-Type"), "text/html") || !strings.Contains(r.body, "<h1") {
			t.Logf("%s: %d %s", path, r.status, r.header.Get("Content-Type"))
			return false
		}
	}
	return true
}

func isMarkdown(t *testing.T, address string, headers ...string) bool {
	t.Helper()
	r := fetchFrom(t, address, headers...)
	return r.status == 200 && strings.HasPrefix(r.header.Get("Content-Type"), "text/markdown") && strings.HasPrefix(r.body, "# ")
}

func areJSON(t *testing.T, base string, paths ...string) bool {
	t.Helper()
	return !slices.ContainsFunc(paths, func(path string) bool {
		r := fetchFrom(t, base+path)
		return r.status != 200 || !strings.HasPrefix(r.header.Get("Content-Type"), "application/json") || !strings.HasPrefix(r.body, "{")
	})
}

// isRedirect reports whether an address that has changed leads to the present one.
func isRedirect(t *testing.T, base, from, to string) bool {
	t.Helper()
	r := fetchFrom(t, base+from)
	u, err := url.Parse(r.header.Get("Location"))
	return err == nil && r.status == 301 && strings.HasSuffix(u.Path, to)
}

// formerPages returns how the former address of a page leads to the present one.
func formerPages(t *testing.T, base string) string {
	t.Helper()
	page := fetchFrom(t, base+"/projects/paper-lamp/")
	switch {
	case isRedirect(t, base, "/projects/paper-lamp/", "/projects/paper-lantern/"):
		return "redirect"
	case page.status == 200 && strings.Contains(page.body, `content="0; url=`+base+`/projects/paper-lantern/"`):
		return "page that leads on"
	}
	return "no"
}

// searchesFor returns the name of the first hit of the search page.
func searchesFor(t *testing.T, b *browser, base, query string) string {
	t.Helper()
	b.do(t, chromedp.Navigate(base+"/search/?q="+url.QueryEscape(query)), chromedp.WaitVisible("main h1"))
	b.waitFor(t, `/^[1-9]\d* listing/.test(document.querySelector("#search-status").textContent)`)
	return evaluate[string](t, b, `document.querySelector("#search-hits tbody a").textContent`)
}

// searches reports whether the search page and the tool for agents find a listing.
func searches(t *testing.T, b *browser, base string) bool {
	t.Helper()
	if searchesFor(t, b, base, "lantern") != "Paper Lantern" {
		return false
	}
	found := b.callTool(t, api.ToolSearch, `{q: "lantern"}`)
	return strings.Contains(found, "paper-lantern")
}

// followGuide follows the steps of llms.txt, and every link and call that it names.
func followGuide(t *testing.T, base string) {
	t.Helper()
	filled := strings.NewReplacer("{category}", "speech-to-text", "{page}", "1", "{slug}", "paper-lantern", "{order}", "newest")
	get := func(address string) reply {
		t.Helper()
		if !strings.HasPrefix(address, base+"/") {
			t.Errorf("%s is not below %s", address, base)
			return reply{}
		}
		r := fetchFrom(t, filled.Replace(address))
		if r.status != 200 {
			t.Errorf("%s: %d", address, r.status)
		}
		return r
	}
	guide := get(base + "/llms.txt").body
	named := regexp.MustCompile(`https?://[^\s()\x60,]+`).FindAllString(guide, -1)
	if len(named) < 12 {
		t.Errorf("llms.txt names only %q", named)
	}
	for _, address := range named {
		get(strings.TrimRight(address, ".:"))
	}
	// Its steps: a category, its list, a page and a listing.
	taxonomy := decodeJSON[struct {
		Categories []struct {
			Slug  string
			Count int
		}
	}](t, get(base+"/api/v1/taxonomy.json").body)
	i := slices.IndexFunc(taxonomy.Categories, func(c struct {
		Slug  string
		Count int
	}) bool {
		return c.Count > 0
	})
	if i < 0 {
		t.Fatal("no category has listings")
	}
	list := decodeJSON[struct {
		Projects []struct{ Slug, PageURL string }
	}](t, get(base+"/api/v1/lists/category/"+taxonomy.Categories[i].Slug+"/1.json").body)
	if len(list.Projects) == 0 {
		t.Fatalf("the list of %s is empty", taxonomy.Categories[i].Slug)
	}
	get(list.Projects[0].PageURL)
	get(base + "/api/v1/projects/" + list.Projects[0].Slug + ".json")
	// The description of the API, and what leads to it.
	document := get(base + "/api/v1/openapi.json").body
	checker, err := apitest.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	for path := range decodeJSON[struct{ Paths map[string]any }](t, document).Paths {
		if r := get(base + path); strings.HasSuffix(path, ".json") {
			if err := checker.CheckJSON(path, []byte(r.body)); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	for _, file := range []string{"/.well-known/api-catalog", "/api/v1/index.json", "/robots.txt", "/sitemap.xml"} {
		for _, address := range regexp.MustCompile(`https?://[^\s"<]+`).FindAllString(get(base+file).body, -1) {
			if !strings.HasPrefix(address, "http://www.sitemaps.org/") {
				get(address)
			}
		}
	}
}
