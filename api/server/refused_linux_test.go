package server

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"catalog.example/api/search"
)

// TestRefusedFoldersAreNotServed switches the link that is served to folders that
// are no build: none of their files is ever served. The build before stays in use;
// where its files are gone, pages are 503.
func TestRefusedFoldersAreNotServed(t *testing.T) {
	t.Parallel()
	index := filepath.FromSlash(search.FileName)
	for name, spoil := range map[string]func(folder string) error{
		"without an index": func(folder string) error { return os.Remove(filepath.Join(folder, index)) },
		"with a damaged index": func(folder string) error {
			return os.Truncate(filepath.Join(folder, index), 1000)
		},
		"with a folder as index": func(folder string) error {
			return errors.Join(os.Remove(filepath.Join(folder, index)), os.Mkdir(filepath.Join(folder, index), 0o755))
		},
		"with a pipe as index": func(folder string) error {
			return errors.Join(os.Remove(filepath.Join(folder, index)), syscall.Mkfifo(filepath.Join(folder, index), 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			good, bad := filepath.Join(dir, "good"), filepath.Join(dir, "bad")
			c, files := numbered(1)
			writeBuild(t, good, c, files)
			c, files = numbered(2)
			files["passwd"] = "secret"
			writeBuild(t, bad, c, files)
			current, next := filepath.Join(dir, "current"), filepath.Join(dir, "next")
			if err := errors.Join(spoil(bad), os.Symlink("good", current), os.Symlink("bad", next)); err != nil {
				t.Fatal(err)
			}
			s, _ := newBuilt(t, current, nil)
			address := run(t, s.Server)
			watchBuilds(t, s.Source, time.Millisecond)
			get := func(target string) reply {
				t.Helper()
				r, err := fetch("http://"+address, http.MethodGet, target)
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			if err := os.Rename(next, current); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the folder is refused", func() bool {
				_, refused := scrapeReloads(t, s.Server)
				return refused > 0
			})
			if r := get("/passwd"); r.status != http.StatusNotFound || strings.Contains(r.body, "secret") {
				t.Errorf("a file of a refused folder is answered %d %s", r.status, r.body)
			}
			if r := get("/"); r.status != http.StatusOK || !strings.Contains(r.body, `"build":1,`) {
				t.Errorf("the page of the build before is answered %d %s", r.status, r.body)
			}
			remove(t, good)
			for _, target := range []string{"/passwd", "/", "/projects/paper-lantern-1/", "/api/v1/lists/popular/1.json"} {
				if r := get(target); r.status != http.StatusServiceUnavailable {
					t.Errorf("%s, which is gone, is answered %d %s", target, r.status, r.body)
				}
			}
			if r := get("/api/v1/projects"); r.status != http.StatusOK {
				t.Errorf("the API answers %d", r.status)
			}
			c, files = numbered(3)
			writeBuild(t, good, c, files)
			if err := errors.Join(os.Symlink("good", next), os.Rename(next, current)); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the next build serves", func() bool { return s.current().Settings.Description == "Build 3." })
			if r := get("/"); r.status != http.StatusOK || !strings.Contains(r.body, `"build":3,`) {
				t.Errorf("the page of the next build is answered %d %s", r.status, r.body)
			}
		})
	}
}

// TestMissingMarkdownVersions puts something else in the place of a page's
// Markdown version: the page is sent in its stead.
func TestMissingMarkdownVersions(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(path string) error{
		"nothing":               func(string) error { return nil },
		"a folder":              func(path string) error { return os.Mkdir(path, 0o755) },
		"a pipe":                func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"a socket":              func(path string) error { return syscall.Mknod(path, syscall.S_IFSOCK|0o644, 0) },
		"a link to itself":      func(path string) error { return os.Symlink(filepath.Base(path), path) },
		"a link that leads out": func(path string) error { return os.Symlink("/etc/passwd", path) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			public := filepath.Join(t.TempDir(), "public")
			c, files := numbered(1)
			writeBuild(t, public, c, files)
			version := filepath.Join(public, "projects", "paper-lantern-1", "index.html.md")
			if err := errors.Join(os.Remove(version), spoil(version)); err != nil {
				t.Fatal(err)
			}
			s, log := newBuilt(t, public, nil)
			address := run(t, s.Server)
			for target, want := range map[string]int{"/projects/paper-lantern-1/": 200, "/projects/paper-lantern-1/index.html.md": 404} {
				r, err := fetch("http://"+address, http.MethodGet, target, "Accept", "text/markdown")
				if err != nil {
					t.Fatal(err)
				}
				if r.status != want {
					t.Errorf("%s is answered %d %.200s, want %d", target, r.status, r.body, want)
				}
				if want == 200 {
					r.expect(t, "Content-Type", "text/html; charset=utf-8")
					r.expect(t, "Vary", "Accept, Accept-Encoding")
				}
			}
			if strings.Contains(log.String(), "level=ERROR") {
				t.Error(log)
			}
		})
	}
}
