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
)

func TestParseFigures(t *testing.T) {
	got, err := parseFigures("Running 3s test\n  1 threads\nfigures 30000 3000000 150 900 4000 0 0\n")
	if err != nil || got.perSecond() != 10_000 || got.p50 != 150*time.Microsecond || got.p99 != 900*time.Microsecond || got.p999 != 4*time.Millisecond {
		t.Errorf("%+v, %v", got, err)
	}
	for text, want := range map[string]string{
		"":                                   "no figures",
		"figures 1 2 3\n":                    "3 fields",
		"figures 1 2 3 4 5 6 x\n":            "invalid syntax",
		"figures 10 1000000 1 1 1 3 0\n":     "3 answers are errors",
		"figures 10 1000000 1 1 1 0 2\n":     "2 requests failed",
		"figures 0 1000000 0 0 0 0 0\n":      "nothing was answered",
		"nofigures 10 1000000 1 1 1 0 0\n":   "no figures",
		"figures 10 1000000 1 1 1 0 0 9 9\n": "9 fields",
	} {
		if _, err := parseFigures(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func rate(n int) figures { return figures{requests: n, took: time.Second} }

func TestMedian(t *testing.T) {
	for _, test := range []struct{ rounds, want []int }{
		{nil, []int{0}}, {[]int{5}, []int{5}}, {[]int{9, 1, 5}, []int{5}}, {[]int{8, 2, 6, 4}, []int{4}}, {[]int{2, 1}, []int{1}},
	} {
		var rounds []figures
		for _, n := range test.rounds {
			rounds = append(rounds, rate(n))
		}
		if got := median(rounds); got.requests != test.want[0] {
			t.Errorf("of %v: %d, want %d", test.rounds, got.requests, test.want[0])
		}
	}
}

func TestFigures(t *testing.T) {
	f := figures{requests: 500, took: 2 * time.Second, processor: time.Second}
	if f.perSecond() != 250 || f.perRequest() != 2*time.Millisecond {
		t.Errorf("%v a second, %v each", f.perSecond(), f.perRequest())
	}
	var none figures
	if none.perSecond() != 0 || none.perRequest() != 0 {
		t.Error("nothing was measured")
	}
	spent := func(d time.Duration) figures { return figures{requests: 10, processor: 10 * d} }
	work := speed{figures: [serverCount]figures{ours: spent(40), floor: spent(30), nginx: spent(10)}}
	if work.processorRatio(ours, floor) != 0.75 || work.processorRatio(ours, nginx) != 0.25 || work.processorRatio(bare, ours) != 0 {
		t.Errorf("%v and %v in processor time", work.processorRatio(ours, floor), work.processorRatio(ours, nginx))
	}
	s := speed{figures: [serverCount]figures{ours: rate(80), floor: rate(100), nginx: rate(200)}}
	if s.ratio(ours, floor) != 0.8 || s.ratio(ours, nginx) != 0.4 || s.ratio(ours, bare) != 0 {
		t.Errorf("%v of the floor, %v of nginx", s.ratio(ours, floor), s.ratio(ours, nginx))
	}
}

func TestAims(t *testing.T) {
	r := results{
		speeds: []speed{
			{kind: kind{name: kindProject, aims: map[server]float64{floor: 0.8, nginx: 0.6}}, figures: [serverCount]figures{ours: rate(80), floor: rate(100), nginx: rate(134)}},
			{kind: kind{name: kindList}, figures: [serverCount]figures{ours: rate(1), floor: rate(100), nginx: rate(100)}},
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
	for _, text := range []string{"not cached", "missed", "0.80", "64.0 MiB"} {
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
		if n := len(distinct(append([]string(nil), k.addresses...))); n != len(k.addresses) || n < minAddresses {
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
	ask := numbered("/", 2)
	answers, err := capture(t.Context(), address, ask)
	if err != nil || len(answers) != 2 || string(answers[1].Body) != "/1" || answers[1].Status != 200 {
		t.Fatalf("%+v, %v", answers, err)
	}
	held, err := capture(t.Context(), address, withETags(ask, answers))
	if err != nil || held[0].Status != 304 || len(held[0].Body) != 0 {
		t.Errorf("%+v, %v", held, err)
	}
	if _, err := capture(t.Context(), address, []asking{{path: "/wrong"}}); err == nil {
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
