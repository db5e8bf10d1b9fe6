package server

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"catalog.example/api/server/traces"
	"catalog.example/api/site"
)

// sink is a client that takes everything.
type sink struct {
	header http.Header
	status int
	sent   int
}

func (w *sink) Header() http.Header         { return w.header }
func (w *sink) WriteHeader(status int)      { w.status = status }
func (w *sink) Write(p []byte) (int, error) { w.sent += len(p); return len(p), nil }

// asker sends one request again and again, and makes nothing on the way.
func asker(t testing.TB, f *fixture, target string, headers ...string) (ask func() *sink) {
	r := from("192.0.2.1:1", target)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := &sink{header: http.Header{}}
	h := f.server.Handler()
	return func() *sink {
		clear(w.header)
		w.status, w.sent = 0, 0
		h.ServeHTTP(w, r)
		return w
	}
}

func quietFixture(t testing.TB) *fixture {
	return newFixture(t, func(o *options) { o.Logger, o.Settings.AnonymousPerMinute = nil, site.MaxAllowance })
}

func BenchmarkAnswers(b *testing.B) {
	f := quietFixture(b)
	const project = "/api/v1/projects/paper-lantern-1"
	for _, test := range []struct {
		name, target string
		headers      []string
	}{
		{"project", project, nil},
		{"project zstd", "/api/v1/projects", []string{"Accept-Encoding", "gzip, deflate, br, zstd"}},
		{"304", project, []string{"If-None-Match", f.get(project).header.Get("ETag")}},
		{"list", "/api/v1/projects", nil},
		{"search", "/api/v1/search?q=chat&platform=linux", nil},
		{"search 304", "/api/v1/search?q=chat&platform=linux", []string{"If-None-Match", f.get("/api/v1/search?q=chat&platform=linux").header.Get("ETag")}},
		{"page", "/projects/paper-lantern-1/", nil},
	} {
		b.Run(test.name, func(b *testing.B) {
			ask := asker(b, f, test.target, test.headers...)
			b.ReportAllocs()
			for b.Loop() {
				ask()
			}
		})
	}
}

// TestWhatIsOffIsFree compares the allocations of a request where an access log and traces could be, with those
// where they are.
func TestWhatIsOffIsFree(t *testing.T) {
	without, off := quietFixture(t), newFixture(t, func(o *options) {
		o.Logger, o.Settings.AnonymousPerMinute = nil, site.MaxAllowance
		o.AccessLog, o.Settings.AccessLog = slog.New(slog.NewJSONHandler(io.Discard, nil)), site.Off
	})
	collector := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(collector.Close)
	exporter := traces.New(traces.Options{Endpoint: collector.URL, Share: 1, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(exporter.Close)
	on := newFixture(t, func(o *options) {
		o.Logger, o.Settings.AnonymousPerMinute, o.Settings.AccessLog, o.Traces = nil, site.MaxAllowance, site.On, exporter
		o.AccessLog = slog.New(slog.NewJSONHandler(io.Discard, nil))
	})
	headers := []string{"Traceparent", "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01"}
	count := func(f *fixture) float64 {
		ask := asker(t, f, "/api/v1/projects/paper-lantern-1", headers...)
		ask()
		return testing.AllocsPerRun(200, func() { ask() })
	}
	if a, b, c := count(without), count(off), count(on); a != b || c <= b {
		t.Errorf("without: %v allocations, off: %v, on: %v", a, b, c)
	}
}

// TestAllocations bounds the allocations of an answer, besides those of net/http for a connection:
// the request, the values of its headers, its response, its allowance, its id, and the texts of ETag,
// Content-Length and RateLimit headers. A path with a slug adds one, If-None-Match the tags of all
// codings, a search its parameters and its answer, and a file those of http.ServeContent and of
// reading it. The bounds leave room for the race detector, which makes pools lose a quarter of their
// buffers.
func TestAllocations(t *testing.T) {
	f := quietFixture(t)
	const project, search = "/api/v1/projects/paper-lantern-1", "/api/v1/search?q=chat&platform=linux"
	for _, test := range []struct {
		name, target string
		headers      []string
		status       int
		most         float64
	}{
		{"project", project, nil, 200, 14},
		{"project in zstd", project, []string{"Accept-Encoding", "zstd"}, 200, 14},
		{"project not modified", project, []string{"If-None-Match", f.get(project).header.Get("ETag")}, 304, 17},
		{"brief project not modified", project + "?view=brief", []string{"If-None-Match", f.get(project + "?view=brief").header.Get("ETag")}, 304, 30},
		{"search not modified", search, []string{"If-None-Match", f.get(search).header.Get("ETag")}, 304, 24},
		{"list", "/api/v1/projects", nil, 200, 19},
		{"page", "/projects/paper-lantern-1/", nil, 200, 23},
	} {
		ask := asker(t, f, test.target, test.headers...)
		if w := ask(); w.status != test.status {
			t.Fatalf("%s: %d", test.name, w.status)
		}
		if got := testing.AllocsPerRun(200, func() { ask() }); got > test.most {
			t.Errorf("%s: %v allocations, at most %v are allowed", test.name, got, test.most)
		}
	}
}
