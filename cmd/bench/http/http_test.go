//go:build linux

package http

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/cmd/bench/load"
)

func rate(n int) load.Figures { return load.Figures{Requests: n, Took: time.Second} }

func TestRatios(t *testing.T) {
	spent := func(d time.Duration) load.Figures { return load.Figures{Requests: 10, Processor: 10 * d} }
	work := speed{figures: [serverCount]load.Figures{ours: spent(40), floor: spent(30), nginx: spent(10)}}
	if work.processorRatio(ours, floor) != 0.75 || work.processorRatio(ours, nginx) != 0.25 || work.processorRatio(bare, ours) != 0 {
		t.Errorf("%v and %v in processor time", work.processorRatio(ours, floor), work.processorRatio(ours, nginx))
	}
	s := speed{figures: [serverCount]load.Figures{ours: rate(80), floor: rate(100), nginx: rate(200)}}
	if s.ratio(ours, floor) != 0.8 || s.ratio(ours, nginx) != 0.4 || s.ratio(ours, bare) != 0 {
		t.Errorf("%v of the floor, %v of nginx", s.ratio(ours, floor), s.ratio(ours, nginx))
	}
}

func TestAims(t *testing.T) {
	r := results{
		speeds: []speed{
			{kind: kind{name: kindProject, aims: map[server]float64{floor: 0.8, nginx: 0.6}}, figures: [serverCount]load.Figures{ours: rate(80), floor: rate(100), nginx: rate(134)}},
			{kind: kind{name: kindList}, figures: [serverCount]load.Figures{ours: rate(1), floor: rate(100), nginx: rate(100)}},
		},
		memory: []memory{{389, aimFew}, {100_000, aimMany + 1}},
		binary: aimBinary,
		ready:  []time.Duration{1, aimReady + 1, 3 * aimReady},
	}
	want := []struct {
		name string
		met  bool
	}{
		{"project to floor", true}, {"project to nginx", false}, {"anonymous memory, 389 listings", true},
		{"anonymous memory, 100000 listings", false}, {"binary", true}, {"start to ready, median", false},
	}
	got := r.aims()
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i, w := range want {
		if got[i].Name != w.name || got[i].Met != w.met {
			t.Errorf("%+v, want %+v", got[i], w)
		}
	}
	var out strings.Builder
	if err := r.print(&out, &options{}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"not cached", "missed", "0.80", "48.0 MiB"} {
		if !strings.Contains(out.String(), text) {
			t.Errorf("the tables do not tell %q:\n%s", text, out.String())
		}
	}
}

// Whatever is measured is asked for at different addresses, and enough of them.
func TestAddressesDiffer(t *testing.T) {
	s := newSample(1200)
	for i := range 1500 {
		name := fmt.Sprintf("tool-%d", i)
		s.take(&api.ProjectDetail{Project: api.Project{Slug: name, Name: name,
			Jobs: []string{fmt.Sprintf("a%[1]d b%[1]d c%[1]d d%[1]d", i)}, Category: "c", Platforms: []string{"linux"}}})
	}
	site := &builtSite{pages: []string{"/", "/a/", "/b/"}}
	for _, k := range append(s.asked(1200, 1), site.pagesAsked(1200)) {
		if n := len(distinct(append([]string(nil), k.addresses...))); n != len(k.addresses) && !k.repeats || n < minAddresses {
			t.Errorf("%s: %d of %d addresses differ", k.name, n, len(k.addresses))
		}
	}
}

// The floor must write what ours wrote, or the ratio says nothing.
func TestCaptureAndETags(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"`+r.URL.Path+`"`)
		switch {
		case r.URL.Path == "/wrong":
			w.WriteHeader(http.StatusTeapot)
		case r.Header.Get("If-None-Match") == `"`+r.URL.Path+`"`:
			w.WriteHeader(http.StatusNotModified)
		default:
			_, _ = w.Write([]byte(r.URL.Path))
		}
	}))
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://")
	ask := load.Numbered("/", 2)
	answers, err := load.Capture(t.Context(), address, ask)
	if err != nil || len(answers) != 2 || string(answers[1].Body) != "/1" || answers[1].Status != 200 {
		t.Fatalf("%+v, %v", answers, err)
	}
	held, err := load.Capture(t.Context(), address, withETags(ask, answers))
	if err != nil || held[0].Status != 304 || len(held[0].Body) != 0 {
		t.Errorf("%+v, %v", held, err)
	}
	if _, err := load.Capture(t.Context(), address, []load.Request{{Path: "/wrong"}}); err == nil {
		t.Error("a wrong answer is taken")
	}
}

func TestPagesIn(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"index.html", "a/index.html", "a/index.html.md", "api/v1/x.json", "404.html"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := pagesIn(dir)
	if err != nil || strings.Join(got, " ") != "/a/ /a/index.html.md /" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := pagesIn(t.TempDir()); err == nil {
		t.Error("a folder without pages is taken")
	}
}
