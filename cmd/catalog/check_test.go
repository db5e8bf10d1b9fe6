package main

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"catalog.example/api/server"
	"catalog.example/api/server/artifact"
	"catalog.example/api/server/snapshot"
	"catalog.example/api/site"
	"catalog.example/cmd/catalog/check"
	"catalog.example/generator"
)

// runCheck runs catalog check, and returns what it prints and its exit status.
func runCheck(t *testing.T, args ...string) (printed string, status int) {
	t.Helper()
	var out bytes.Buffer
	env := testEnv()
	env.stdout, env.stderr = &out, &out
	status = run(append([]string{"check"}, args...), env)
	return out.String(), status
}

// proxyTo returns a handler that passes requests to a server.
func proxyTo(t *testing.T, base string) http.Handler {
	t.Helper()
	target, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
}

// startHandler serves a handler, and returns its address.
func startHandler(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// TestCheckFindsNothing checks a site that our server serves, and one on a server of files.
func TestCheckFindsNothing(t *testing.T) {
	t.Parallel()
	base, _ := serveSmall(t)
	printed, status := runCheck(t, base+"/", "--json")
	var report check.Report
	if err := json.Unmarshal([]byte(printed), &report); err != nil || status != exitOK {
		t.Fatalf("%d, %v: %s", status, err, printed)
	}
	for _, f := range report.Findings {
		if f.Level != check.OK || f.Do != "" || f.Seen == "" {
			t.Errorf("%+v", f)
		}
	}
	if len(report.Findings) < 35 || report.Search != "server" || len(report.Build) != 32 {
		t.Errorf("there are %d findings; search %q, build %q", len(report.Findings), report.Search, report.Build)
	}
	if printed, status := runCheck(t, base, "--build", report.Build[:8]); status != exitOK || !strings.Contains(printed, "0 errors and 0 warnings.") {
		t.Errorf("the build that is served: %d, %s", status, printed)
	}
	if printed, status := runCheck(t, base, "--build", "0123"); status != exitError || !strings.Contains(printed, "it should be 0123") || !strings.Contains(printed, "1 error and") {
		t.Errorf("another build: %d, %s", status, printed)
	}

	// Without a server for searches, and on a host that sets no headers. The pages name another address.
	public := filepath.Join(t.TempDir(), "public")
	pages := startGithubPages(t, public)
	buildForHost(t, public, pages)
	printed, status = runCheck(t, pages)
	if status != exitOK || strings.Contains(printed, "healthz") || !strings.Contains(printed, ".wasm.lzma ") || !strings.Contains(printed, ".idx.lzma ") || !strings.Contains(printed, "the header Content-Security-Policy is missing") {
		t.Errorf("a host of files: %d, %s", status, printed)
	}
	if printed, status := runCheck(t, startHandler(t, http.FileServer(http.Dir(public)).ServeHTTP)); status != exitOK || !strings.Contains(printed, "pages name "+pages) {
		t.Errorf("a server of files: %d, %s", status, printed)
	}
}

// TestCheckFindsEverything spoils answers of a server. Each mistake is found, all at once, and nothing else.
func TestCheckFindsEverything(t *testing.T) {
	t.Parallel()
	base, _ := serveSmall(t)
	proxy := proxyTo(t, base)
	text := func(status int, mediaType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", mediaType)
			w.Header().Set("Access-Control-Allow-Origin", "*")
			w.WriteHeader(status)
			_, _ = fmt.Fprint(w, body)
		}
	}
	changed := func(change func(http.Header)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			proxy.ServeHTTP(headerChanger{w, change}, r)
		}
	}
	spoiled := map[string]struct {
		handler http.HandlerFunc
		want    string // the beginning of what is seen
	}{
		"/":                           {changed(func(h http.Header) { h.Del("Content-Security-Policy") }), "the header Content-Security-Policy is missing"},
		"/newest/":                    {text(500, "text/plain", "fault"), "500 instead of 200"},
		"/llms.txt":                   {text(200, "text/html", "<h1>No such page"), `the type is "text/html" instead of "text/plain"`},
		"/sitemap.xml":                {http.NotFound, "404 instead of 200"},
		"/no-page-has-this-address/":  {text(200, "text/html", "<h1>Home"), "200 instead of 404"},
		"/feed.xml":                   {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/feed.xml", http.StatusFound) }, "redirects do not end: after 5, http://"},
		"/api/v1/taxonomy.json":       {text(200, "application/json", "{\"categories\":[\x1b[2J"), `this is not JSON: "{\"categories\":[\x1b[2J"`},
		"/api/v1/openapi.json":        {changed(func(h http.Header) { h.Del("Access-Control-Allow-Origin") }), "the header Access-Control-Allow-Origin is missing"},
		"/api/v1/projects/index.json": {changed(func(h http.Header) { h.Set("ETag", `"a"`) }), "a second request with If-None-Match is answered 200 instead of 304"},
		"/api/v1/projects":            {text(429, "application/problem+json", "{}"), "429: the allowance of this machine is used up"},
		"/mcp":                        {text(502, "text/html", "Bad gateway"), "502 instead of 200"},
		"/.well-known/security.txt":   {text(200, "text/plain", "nothing"), `"Expires:" is not in it, which begins with "nothing"`},
		"/api/v1/catalog.jsonl":       {text(200, "application/jsonl", `{"schemaVersion":1,"version":"old","total":2}`+"\n"), ""}, // what follows from it is below
	}
	site := startHandler(t, func(w http.ResponseWriter, r *http.Request) {
		if s, ok := spoiled[r.URL.Path]; ok {
			s.handler(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	})
	report := check.Run(t.Context(), check.Options{URL: site, Timeout: 20 * time.Second, Now: time.Now})
	var wrong []string
	for _, f := range report.Findings {
		if f.Level != check.OK {
			wrong = append(wrong, strings.TrimPrefix(f.Address, site)+" "+f.Seen)
		}
		if f.Level != check.OK && f.Do == "" || f.Name == "mcp" && !strings.Contains(f.Do, "pass this path to catalog serve") {
			t.Errorf("%+v does not say what to do", f)
		}
	}
	for path, s := range spoiled {
		if path == "/api/v1/catalog.jsonl" {
			continue
		}
		i := slices.IndexFunc(wrong, func(line string) bool {
			return strings.HasPrefix(strings.Replace(line, "?limit=1", "", 1), path+" "+s.want)
		})
		if i < 0 {
			t.Errorf("%s: nothing says %q", path, s.want)
			continue
		}
		wrong = slices.Delete(wrong, i, i+1)
	}
	want := []string{" pages name " + base, " " + site + "/api/v1/catalog.jsonl has 2 listings, and " + site + "/api/v1/projects/index.json has 3"}
	if !slices.Equal(wrong, want) {
		t.Errorf("there is %q beside, want %q", wrong, want)
	}
	var printed bytes.Buffer
	env := testEnv()
	env.stdout = &printed
	if err := printCheck(env, report, false); err != nil || strings.Contains(printed.String(), "\x1b") || strings.Count(printed.String(), "\n") != len(report.Findings)+2 {
		t.Errorf("%v, %q", err, printed.String())
	}
}

// TestCheckLanguages checks a site in two languages, also behind a proxy that does not pass what is below the path of
// the other.
func TestCheckLanguages(t *testing.T) {
	t.Parallel()
	s := newSite(t, "testdata/content", func(s *site.Settings) { s.Languages = []string{"de"} })
	printed, status := runCheck(t, s.base)
	if status != exitOK || strings.Count(printed, "\nok       de: ") != 6 || !strings.Contains(printed, " 0 errors and 0 warnings.") {
		t.Errorf("%d, %s", status, printed)
	}
	proxy := proxyTo(t, s.base)
	printed, status = runCheck(t, startHandler(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/de/") {
			http.NotFound(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	if status != exitError || strings.Count(printed, "\nerror    de: ") != 5 || !strings.Contains(printed, " 5 errors ") {
		t.Errorf("without the other language: %d, %s", status, printed)
	}
}

// headerChanger changes the headers of an answer.
type headerChanger struct {
	http.ResponseWriter
	change func(http.Header)
}

func (c headerChanger) WriteHeader(status int) {
	c.change(c.Header())
	c.ResponseWriter.WriteHeader(status)
}

// TestCheckOtherBuild compares a server with the pages of another build.
func TestCheckOtherBuild(t *testing.T) {
	t.Parallel()
	server, _ := serveSmall(t)
	public := filepath.Join(t.TempDir(), "public")
	pages := startHandler(t, http.FileServer(http.Dir(public)).ServeHTTP)
	buildSite(t, public, pages, server)
	printed, status := runCheck(t, pages)
	if status != exitError || !strings.Contains(printed, "one build                   "+pages+"/api/v1/projects/copper-kettle.json and "+server+"/api/v1/projects/copper-kettle differ") {
		t.Errorf("another base address in the API: %d, %s", status, printed)
	}
}

// TestCheckWithoutSearch checks a right site that has no search.
func TestCheckWithoutSearch(t *testing.T) {
	t.Parallel()
	public := filepath.Join(t.TempDir(), "public")
	pages := startHandler(t, http.FileServer(http.Dir(public)).ServeHTTP)
	s := site.Defaults()
	s.BaseURL, s.Search = pages, site.SearchNone
	if _, err := generator.Build(t.Context(), generator.Options{Content: "testdata/content", Out: public, Settings: s, Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if printed, status := runCheck(t, pages); status != exitOK || strings.Contains(printed, "opensearch.xml") {
		t.Errorf("%d, %s", status, printed)
	}
}

// TestCheckTwoHosts checks pages below a path of a host of files, whose searches another host answers. Nothing is wrong
// at first. Then, the search server lacks a header, and the policy of the pages does not allow searches.
func TestCheckTwoHosts(t *testing.T) {
	t.Parallel()
	var searches http.Handler
	search := startHandler(t, func(w http.ResponseWriter, r *http.Request) { searches.ServeHTTP(w, r) })
	public, policy := filepath.Join(t.TempDir(), "public"), ""
	files := http.StripPrefix("/tools", http.FileServer(http.Dir(public)))
	pages := startHandler(t, func(w http.ResponseWriter, r *http.Request) {
		if policy != "" {
			w.Header().Set("Content-Security-Policy", policy)
		}
		files.ServeHTTP(w, r)
	}) + "/tools"
	buildSite(t, public, pages, search)
	source, err := snapshot.Open(snapshot.Options{Build: artifact.Build{Folder: public}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Options{Snapshot: source.Current})
	if err != nil {
		t.Fatal(err)
	}
	searches = s.Handler()
	if printed, status := runCheck(t, pages); status != exitOK {
		t.Errorf("a right site: %d, %s", status, printed)
	}
	replica := startHandler(t, s.Handler().ServeHTTP)
	searches = http.NotFoundHandler()
	if printed, status := runCheck(t, replica); status != exitOK {
		t.Errorf("a replica: %d, %s", status, printed)
	}
	policy = "default-src 'self'"
	searches = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Handler().ServeHTTP(headerChanger{w, func(h http.Header) { h.Del("Access-Control-Allow-Origin") }}, r)
	})
	printed, status := runCheck(t, pages)
	for _, line := range []string{"error    home                        the header Content-Security-Policy is ", "error    search                      the header Access-Control-Allow-Origin is missing"} {
		if status != exitError || !strings.Contains(printed, line) {
			t.Errorf("%d, and there is no %q in\n%s", status, line, printed)
		}
	}
}

// TestCheckUnreachable checks sites that cannot be asked: there is one finding, which says why.
func TestCheckUnreachable(t *testing.T) {
	t.Parallel()
	base, _ := serveSmall(t)
	secure := httptest.NewTLSServer(proxyTo(t, base))
	t.Cleanup(secure.Close)
	certificate := secure.Certificate()
	roots := x509.NewCertPool()
	roots.AddCert(certificate)
	gone := httptest.NewServer(nil)
	gone.Close()
	release := make(chan struct{})
	hanging := startHandler(t, func(http.ResponseWriter, *http.Request) { <-release })
	t.Cleanup(func() { close(release) })
	loop := startHandler(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) })
	for name, c := range map[string]struct {
		url     string
		timeout time.Duration
		roots   *x509.CertPool
		want    string
	}{
		"a certificate of another name": {strings.Replace(secure.URL, "127.0.0.1", "localhost", 1), time.Minute, roots, "x509: certificate is valid for example.com, *.example.com, not localhost"},
		"an unknown authority":          {secure.URL, time.Minute, nil, "x509: certificate signed by unknown authority"},
		"a server that hangs":           {hanging, 400 * time.Millisecond, nil, "no answer in time"},
		"no server":                     {gone.URL, time.Minute, nil, "connection refused"},
		"a loop of redirects":           {loop, time.Minute, nil, "redirects do not end: "},
	} {
		report := check.Run(t.Context(), check.Options{URL: c.url, Timeout: c.timeout, Roots: c.roots, Now: time.Now})
		if f := report.Findings; len(f) != 1 || f[0].Level != check.Error || !strings.Contains(f[0].Seen, c.want) || f[0].Do == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	for left, want := range map[time.Duration]string{15 * 24 * time.Hour: check.OK, 13 * 24 * time.Hour: check.Warning} {
		now := func() time.Time { return certificate.NotAfter.Add(-left) }
		report := check.Run(t.Context(), check.Options{URL: secure.URL, Timeout: time.Minute, Roots: roots, Now: now})
		i := slices.IndexFunc(report.Findings, func(f check.Finding) bool { return f.Name == "certificate" })
		if i < 0 || report.Findings[i].Level != want || !strings.HasPrefix(report.Findings[i].Seen, fmt.Sprintf("%d days left, for example.com, *.example.com, 127.0.0.1, ::1", int(left.Hours()/24))) {
			t.Errorf("%v before its end: %+v", left, report.Findings)
		}
	}
}
