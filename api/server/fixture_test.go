package server

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/search"
	"catalog.example/api/server/artifact"
	"catalog.example/api/server/processtest"
	"catalog.example/api/server/ratestore"
	"catalog.example/api/server/snapshot"
	"catalog.example/api/site"
)

var taxonomy = api.Taxonomy{
	Categories: []api.Category{{Slug: "chat-interfaces", Name: "Chat interfaces"}, {Slug: "image-generation", Name: "Image generation"}},
	Platforms:  []api.Platform{{Slug: "linux", Name: "Linux"}, {Slug: "docker", Name: "Docker"}},
	Facts:      apitest.Facts(),
}

// projectCount is how many listings the fixture holds.
const projectCount = 12

// catalogue has the listings paper-lantern-1 to -12; the higher the number, the
// fewer the stars, and the last has no star data.
func catalog(s site.Settings) search.Catalog {
	c := search.Catalog{Settings: s, Taxonomy: taxonomy}
	yes, license, asOf := true, "MIT", api.Date("2026-08-22")
	for i := 1; i <= projectCount; i++ {
		slug := fmt.Sprintf("paper-lantern-%d", i)
		p := api.ProjectDetail{
			Project: api.Project{
				Slug: slug, Name: fmt.Sprintf("Paper Lantern %d", i), Purpose: "Chat with <documents> & notes.",
				Category: "chat-interfaces", Platforms: []string{"linux"}, License: &license, OSIApproved: &yes,
				FitNotes: apitest.FitNotes("docker", true),
				PageURL:  s.URL("/projects/" + slug + "/"), RepositoryURL: "https://code.example/" + slug,
				AddedAt: api.Date(fmt.Sprintf("2026-01-%02d", i)),
			},
			Description: "Text.",
		}
		if i < projectCount {
			stars := 1000 - i
			p.Stars, p.StarsAsOf = &stars, &asOf
		}
		c.Projects = append(c.Projects, p)
	}
	return c
}

// publicFiles are the build output of the fixture. Files that must not be served contain
// the word "secret".
var publicFiles = map[string]string{
	"index.html":                             "<p>home",
	"index.html.md":                          "# Home",
	"404.html":                               "<p>no such page",
	"llms.txt":                               "# Catalog",
	"robots.txt":                             "User-agent: *",
	"sitemap.xml":                            "<urlset/>",
	"feed.xml":                               "<feed/>",
	"opensearch.xml":                         "<OpenSearchDescription/>",
	"site.webmanifest":                       "{}",
	"_headers":                               "secret",
	"_redirects":                             "secret",
	".env":                                   "secret",
	".well-known/api-catalog":                "{}",
	".well-known/mcp/server-card.json":       `{"name":"example/catalog"}`,
	".well-known/.hidden":                    "secret",
	"assets/style.css":                       "p{}",
	"assets/app.js":                          "1",
	"assets/app-0123456789ab.js":             "1",
	"assets/logo.svg":                        "<svg/>",
	"embed/lantern/index.html":               "<!doctype html><title>Lantern</title><h1>Lantern</h1>",
	"badge/lantern.svg":                      "<svg/>",
	"assets/model.bin":                       "bytes",
	"projects/paper-lantern-1/index.html":    "<p>lantern",
	"projects/paper-lantern-1/index.md":      "# Lantern",
	"projects/paper-lantern-1/index.html.md": "# Paper Lantern 1",
	"a b/index.html":                         "<p>space",
	"empty/file.txt":                         "x",
	"api/v1/search.idx":                      "secret",
	"api/v1/openapi.json":                    `{"openapi":"3.1.0"}`,
	"api/v1/projects/index.json":             `{"projects":[]}`,
	"api/v1/projects/paper-lantern-1.json":   `{"slug":"paper-lantern-1"}`,
	"api/v1/lists/popular/1.json":            `{"page":1}`,
	"api/v1/lists/category/chat/1.json":      `{"page":1}`,
	"api/v1/.hidden.json":                    "secret",
}

// options are those of a server and of where its builds come from, which share Logger, Now and
// Version.
type options struct {
	Options
	Build    artifact.Build
	Index    *search.Index
	Settings site.Settings
	Override func(site.Settings) (site.Settings, error)
}

// current returns the snapshot in use.
func (s *Server) current() *snapshot.Snapshot { return s.o.Snapshot() }

// open opens the build, and returns a server of it.
func (o *options) open() (*Server, *snapshot.Source, error) {
	source, err := snapshot.Open(snapshot.Options{
		Build: o.Build, Index: o.Index, Settings: o.Settings, Override: o.Override, Version: o.Version, Logger: o.Logger, Now: o.Now,
	})
	if err != nil {
		return nil, nil, err
	}
	o.Snapshot, o.Collectors = source.Current, append(o.Collectors, source)
	s, err := New(o.Options)
	return s, source, err
}

// fixture is a server over that catalogue and folder, whose every API answer is
// checked against the OpenAPI document.
type fixture struct {
	t       testing.TB
	server  *Server
	source  *snapshot.Source
	handler http.Handler
	// document is what the server's OpenAPI description promises.
	document *apitest.Document
	public   string
	log      *processtest.Output
	clock    *clock
}

func newFixture(t testing.TB, change func(*options)) *fixture {
	t.Helper()
	f := &fixture{t: t, public: filepath.Join(t.TempDir(), "public"), log: &processtest.Output{}, clock: newClock()}
	writeFiles(t, f.public, publicFiles)
	writeFiles(t, filepath.Dir(f.public), map[string]string{"outside.json": "secret", "outside.txt": "secret", "outside/index.html": "secret"})
	settings := site.Defaults()
	o := options{Build: artifact.Build{Folder: f.public}, Settings: settings}
	o.Logger, o.Now = slog.New(slog.NewTextHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug})), f.clock.now
	if change != nil {
		change(&o)
	}
	if o.Index == nil {
		o.Index = newIndex(t, o.Settings)
	}
	if o.RateStore == nil { // a test's clock passes for the store's as well
		o.RateStore = ratestore.NewMemory(0, o.Now)
	}
	s, source, err := o.open()
	if err != nil {
		t.Fatal(err)
	}
	document, err := apitest.Parse(s.current().OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	f.server, f.source, f.document, f.handler = s, source, document, document.Handler(t, s.Handler())
	return f
}

func newIndex(t testing.TB, s site.Settings) *search.Index {
	t.Helper()
	file, err := search.Encode(catalog(s))
	if err != nil {
		t.Fatal(err)
	}
	ix, err := search.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

func writeFiles(t testing.TB, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// reply is an answer, read.
type reply struct {
	status int
	header http.Header
	body   string
}

// do sends a request; headers are pairs of name and value.
func (f *fixture) do(method, target string, headers ...string) reply {
	f.t.Helper()
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Content-Length" { // of a body that is promised
			r.ContentLength, _ = strconv.ParseInt(headers[i+1], 10, 64)
			continue
		}
		r.Header.Add(headers[i], headers[i+1])
	}
	return f.send(r)
}

func (f *fixture) get(target string, headers ...string) reply {
	f.t.Helper()
	return f.do(http.MethodGet, target, headers...)
}

func (f *fixture) send(r *http.Request) reply {
	f.t.Helper()
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	response := w.Result()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, string(body)}
}

// decode reads a JSON body.
func decode[T any](t testing.TB, r reply) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(r.body), &v); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
	return v
}

// expect checks a header; "" means that it is not there.
func (r reply) expect(t testing.TB, name, want string) {
	t.Helper()
	if got := strings.Join(r.header.Values(name), " | "); got != want {
		t.Errorf("the header %s is %q, want %q", name, got, want)
	}
}

// clock is a time that only a test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}
