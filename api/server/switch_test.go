package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"catalog.example/api/search"
	"catalog.example/api/server/artifact"
)

// TestSwitch serves one published build after another. A build that cannot be served is
// refused, and the one before stays in use.
func TestSwitch(t *testing.T) {
	clock := newClock()
	parent := t.TempDir()
	write := func(name string, n int) (folder string) {
		t.Helper()
		folder = filepath.Join(parent, name)
		c, files := numbered(n)
		for i := range c.Projects {
			files["projects/"+c.Projects[i].Slug+"/index.html"] = "page"
			files["api/v1/projects/"+c.Projects[i].Slug+".json"] = "{}"
		}
		files[fmt.Sprintf("assets/style-%012d.css", n)] = fmt.Sprintf("p{order:%d}", n)
		writeBuild(t, folder, c, files)
		return folder
	}
	first := artifact.Build{Folder: write("first", 1), Version: "first", Created: clock.now().Add(-90 * time.Second)}
	s, _ := newBuilt(t, "", func(o *options) { o.Build, o.Now = first, clock.now })
	ask := func(path string) string {
		t.Helper()
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d", path, w.Code)
		}
		return w.Body.String()
	}
	if got := ask("/readyz"); got != "ok\nversion first\nage 90 seconds\n" {
		t.Errorf("/readyz says %q", got)
	}
	second := artifact.Build{Folder: write("second", 2), Version: "second", Created: clock.now()}
	if err := s.Switch(second); err != nil {
		t.Fatal(err)
	}
	if page, search := ask("/"), ask("/api/v1/search?q=chat"); !strings.Contains(page, `"build":2`) || !strings.Contains(search, "build 2") {
		t.Errorf("after the switch: %s, %s", page, search)
	}
	// A page of the build before still finds its assets.
	if older, now := ask("/assets/style-000000000001.css"), ask("/assets/style-000000000002.css"); older != "p{order:1}" || now != "p{order:2}" {
		t.Errorf("the assets are %s and %s", older, now)
	}
	again := artifact.Build{Folder: second.Folder, Version: "second", Created: clock.now().Add(-time.Hour)}
	if err := s.Switch(again); err != nil || ask("/readyz") != "ok\nversion second\nage 3600 seconds\n" {
		t.Errorf("the same build with another time: %v, %q", err, ask("/readyz"))
	}
	for name, harm := range map[string]struct {
		do   func(folder string) error
		want string
	}{
		"no index":     {func(f string) error { return os.Remove(filepath.Join(f, filepath.FromSlash(search.FileName))) }, "does not exist"},
		"cut index":    {func(f string) error { return os.Truncate(filepath.Join(f, filepath.FromSlash(search.FileName)), 1000) }, "it is cut short"},
		"no home page": {func(f string) error { return os.Remove(filepath.Join(f, indexFile)) }, "the build has no index.html"},
		"no pages":     {func(f string) error { return os.RemoveAll(filepath.Join(f, "projects")) }, "the build has no projects/extra-"},
	} {
		folder := write(name, 3)
		if err := harm.do(folder); err != nil {
			t.Fatal(err)
		}
		err := s.Switch(artifact.Build{Folder: folder, Version: name, Created: clock.now()})
		if err == nil || !strings.Contains(err.Error(), harm.want) {
			t.Errorf("%s: %v, without %q", name, err, harm.want)
		}
		if page := ask("/"); !strings.Contains(page, `"build":2`) || !strings.HasPrefix(ask("/readyz"), "ok\nversion second\n") {
			t.Errorf("%s: %s is served", name, page)
		}
	}
	if err := s.Reload(); err != nil || !strings.HasPrefix(ask("/readyz"), "ok\nversion second\n") {
		t.Errorf("a reload: %v, %s", err, ask("/readyz"))
	}
}
