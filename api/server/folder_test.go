package server

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"catalog.example/api/search"
	"catalog.example/api/server/indexfile"
	"catalog.example/api/site"
	"catalog.example/api/soak"
)

// TestFolderIsGone takes away the build output, wholly or in part, or writes over
// it, while it is served and watched: the API answers as before, pages say 404 or
// 503 and no more, and the next build is served.
func TestFolderIsGone(t *testing.T) {
	t.Parallel()
	index := filepath.FromSlash(search.FileName)
	for _, test := range []struct {
		name    string
		harm    func(public string) error
		page    int  // status of a page, and of a JSON page
		refused bool // it is seen in the index file
	}{
		{"nothing", func(string) error { return nil }, 200, false},
		{"folder removed", os.RemoveAll, 503, true},
		{"folder moved away", func(p string) error { return os.Rename(p, p+"-old") }, 200, true},
		{"folder emptied", func(p string) error { return errors.Join(os.RemoveAll(p), os.Mkdir(p, 0o755)) }, 503, true},
		{"files removed", func(p string) error {
			return errors.Join(os.RemoveAll(filepath.Join(p, "projects")), os.Remove(filepath.Join(p, "index.html")), os.RemoveAll(filepath.Join(p, "api", "v1", "lists")))
		}, 404, false},
		{"a file instead", func(p string) error { return errors.Join(os.RemoveAll(p), os.WriteFile(p, nil, 0o644)) }, 503, true},
		{"index cut to nothing", func(p string) error { return os.Truncate(filepath.Join(p, index), 0) }, 200, true},
		{"index cut in half", func(p string) error { return os.Truncate(filepath.Join(p, index), 1000) }, 200, true},
		{"index grown", func(p string) error { return os.Truncate(filepath.Join(p, index), 1<<30) }, 200, true},
		{"index written over", func(p string) error {
			return os.WriteFile(filepath.Join(p, index), []byte(strings.Repeat("\xff", 4000)), 0o644)
		}, 200, true},
		{"index removed", func(p string) error { return os.Remove(filepath.Join(p, index)) }, 200, true},
		{"index a folder", func(p string) error {
			return errors.Join(os.Remove(filepath.Join(p, index)), os.Mkdir(filepath.Join(p, index), 0o755))
		}, 200, true},
		{"index not to be read", func(p string) error {
			return errors.Join(os.Remove(filepath.Join(p, index)), os.Symlink("search.idx", filepath.Join(p, index)))
		}, 200, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			public := filepath.Join(t.TempDir(), "public")
			c, files := numbered(1)
			writeBuild(t, public, c, files)
			want := claimsOfBuild(t, public)
			s, log := newBuilt(t, public, nil)
			ask := watchBuilds(t, s.Source, time.Millisecond)
			ask <- os.Interrupt
			ask <- os.Interrupt // the first reload is over
			if err := test.harm(public); err != nil {
				t.Fatal(err)
			}
			if test.refused {
				eventually(t, "the harm is noticed", func() bool {
					_, refused := scrapeReloads(t, s.Server)
					return refused > 0
				})
			}
			get := func(target string) reply {
				w := httptest.NewRecorder()
				s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
				return reply{w.Code, w.Header(), w.Body.String()}
			}
			for _, target := range reloadTargets {
				if !strings.HasPrefix(target, "/api/") || strings.HasSuffix(target, ".json") {
					continue
				}
				if got := claimsOf(get(target)); got != want[target] {
					t.Errorf("%s is answered %d %.200s", target, got.status, got.body)
				}
			}
			for target, status := range map[string]int{
				"/": test.page, "/projects/paper-lantern-1/": test.page, "/api/v1/lists/popular/1.json": test.page,
				"/healthz": 200, "/readyz": 200, "/api/v1/search.idx": 404, "/api/nothing": 404,
			} {
				r := get(target)
				if r.status != status {
					t.Errorf("%s is answered %d %.200s, want %d", target, r.status, r.body, status)
				}
				if r.status == http.StatusServiceUnavailable {
					r.expect(t, "Retry-After", "1")
					r.expect(t, "Cache-Control", "no-store")
				}
				if strings.Contains(r.body, "public") {
					t.Errorf("%s tells where files lie: %s", target, r.body)
				}
			}
			if strings.Contains(log.String(), "panic") {
				t.Errorf("a panic: %s", log)
			}
			if test.name == "nothing" {
				return
			}
			remove(t, public)
			c, files = numbered(2)
			writeBuild(t, public, c, files)
			eventually(t, "the next build serves", func() bool { return s.current().Settings.Description == "Build 2." })
			if r := get("/"); r.status != 200 || !strings.Contains(r.body, `"build":2,`) {
				t.Errorf("the next build's page is answered %d %.200s", r.status, r.body)
			}
		})
	}
}

// A large index is mapped from a copy: cutting its file short changes no answer.
func TestLargeIndexCutShort(t *testing.T) {
	soak.Long(t)
	public := t.TempDir()
	c := catalog(site.Defaults())
	c.Projects[3].FitNotes.Set("caveats", []string{strings.Repeat("x", 65<<20)}) // more than is read into memory
	writeBuild(t, public, c, publicFiles)
	ix, err := indexfile.Open(public)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(public, filepath.FromSlash(search.FileName)), 100); err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, func(o *options) { o.Index = ix })
	for range 3 {
		for _, target := range []string{"/api/v1/projects?limit=1", "/api/v1/projects/paper-lantern-2", "/api/v1/search?q=lantern&limit=2", "/healthz", "/readyz", "/", "/api/v1/openapi"} {
			if r := f.get(target); r.status != http.StatusOK {
				t.Errorf("%s: %d %s", target, r.status, r.body)
			}
		}
		if r := f.message(readLantern); r.status != http.StatusOK {
			t.Errorf("%s: %d %s", readLantern, r.status, r.body)
		}
	}
	writeBuild(t, f.public, catalog(site.Defaults()), publicFiles)
	if err := f.source.Reload(); err != nil {
		t.Fatal(err)
	}
	if r := f.get("/api/v1/projects/paper-lantern-2"); r.status != http.StatusOK {
		t.Errorf("after a new build: %d %s", r.status, r.body)
	}
}
