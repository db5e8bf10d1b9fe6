package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/api/server/ratestore"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

// scrape returns what /metrics says on the admin address.
func (f *fixture) scrape(t testing.TB) string {
	t.Helper()
	w := httptest.NewRecorder()
	f.server.AdminHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("/metrics answers %d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// sample is a line of /metrics.
type sample struct {
	name   string
	labels map[string]string
	value  float64
}

var (
	sampleLine = regexp.MustCompile(`^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (\S+)$`)
	labelPair  = regexp.MustCompile(`([a-z_]+)="((?:[^"\\]|\\.)*)"`)
)

// parseSamples reads the text format of Prometheus.
func parseSamples(t testing.TB, text string) []sample {
	t.Helper()
	var list []sample
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("a line of /metrics cannot be read: %s", line)
		}
		value, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		s := sample{m[1], map[string]string{}, value}
		for _, pair := range labelPair.FindAllStringSubmatch(m[2], -1) {
			s.labels[pair[1]] = pair[2]
		}
		list = append(list, s)
	}
	return list
}

// value returns the sample that is written as series.
func (f *fixture) value(t testing.TB, series string) float64 {
	t.Helper()
	for line := range strings.Lines(f.scrape(t)) {
		if text, ok := strings.CutPrefix(line, series+" "); ok {
			value, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err != nil {
				t.Fatal(err)
			}
			return value
		}
	}
	t.Errorf("/metrics has no %s", series)
	return -1
}

func TestRequestsAreCounted(t *testing.T) {
	tests := []struct {
		method, target string
		headers        []string
		route, status  string
	}{
		{"GET", "/api/v1/projects?limit=3", nil, "listProjects", "200"},
		{"GET", "/api/v1/projects", []string{"If-None-Match", "*"}, "listProjects", "304"},
		{"GET", "/api/v1/projects?limit=0", nil, "listProjects", "400"},
		{"GET", "/api/v1/projects", []string{"X-Api-Key", "nope"}, "listProjects", "401"},
		{"POST", "/api/v1/projects", nil, "listProjects", "405"},
		{"HEAD", "/api/v1/projects/paper-lantern-1", nil, "getProject", "200"},
		{"GET", "/api/v1/projects/nope", nil, "getProject", "404"},
		{"GET", "/api/v1/search?q=chat", nil, "searchCatalog", "200"},
		{"GET", "/api/v1/search?q=" + strings.Repeat("a", 9000), nil, "searchCatalog", "414"},
		{"GET", "/api/v1/openapi", nil, "openapi", "200"},
		{"GET", "/api/v1/openapi.json", nil, "jsonPage", "200"},
		{"GET", "/api/v2/anything", nil, "unknownEndpoint", "404"},
		{"OPTIONS", "/api/v1/search", nil, "options", "204"},
		{"GET", "/", nil, "page", "200"},
		{"GET", "/projects/paper-lantern-1", nil, "page", "308"},
		{"GET", "/no/such/page", nil, "missingPage", "404"},
		{"GET", "/healthz", nil, "healthz", "200"},
		{"GET", "/readyz", nil, "readyz", "200"},
	}
	f := newFixture(t, nil)
	for _, test := range tests {
		series := fmt.Sprintf(`catalog_http_requests_total{route=%q,status=%q}`, test.route, test.status)
		duration := fmt.Sprintf(`catalog_http_request_duration_seconds_count{route=%q}`, test.route)
		requests, timed := f.value(t, series), f.value(t, duration)
		f.do(test.method, test.target, test.headers...)
		if got := f.value(t, series); got != requests+1 {
			t.Errorf("%s %.60s: %s goes from %v to %v", test.method, test.target, series, requests, got)
		}
		if got := f.value(t, duration); got != timed+1 {
			t.Errorf("%s %.60s: %s goes from %v to %v", test.method, test.target, duration, timed, got)
		}
	}
	if got := f.value(t, "catalog_http_requests_in_flight"); got != 0 {
		t.Errorf("%v requests are in flight when all are answered", got)
	}
}

// However many paths, methods, keys and agents come, there is no new series:
// nobody can fill the memory of whoever stores them.
func TestSeriesAreBounded(t *testing.T) {
	f := newFixture(t, nil)
	series := func() map[string]bool {
		set := map[string]bool{}
		for _, s := range parseSamples(t, f.scrape(t)) {
			set[s.name+fmt.Sprint(s.labels)] = true
		}
		return set
	}
	before := series()
	for i := range 300 {
		text := strconv.Itoa(i)
		f.send(from("192.0.2."+strconv.Itoa(i%250)+":1", "/"+text, "User-Agent", text))
		f.send(from("192.0.2.1:1", "/api/v1/"+text, "X-Api-Key", text, "X-Request-Id", text))
		f.do("M"+text, "/api/v1/projects/"+text)
	}
	after := series()
	for name := range after {
		// The Go collector tells of collections by their pauses, which come with the first.
		if !before[name] && !strings.HasPrefix(name, "go_") {
			t.Errorf("%s has come", name)
		}
	}
	if len(before) > 600 {
		t.Errorf("there are %d series", len(before))
	}
}

// A scraper that asks for protocol buffers gets native histograms beside the buckets. Others get the buckets.
func TestNativeHistograms(t *testing.T) {
	f := newFixture(t, nil)
	f.get("/api/v1/projects")
	r := httptest.NewRequest(http.MethodGet, "http://localhost/metrics", nil)
	const protobuf = "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
	r.Header.Set("Accept", protobuf)
	w := httptest.NewRecorder()
	f.server.AdminHandler().ServeHTTP(w, r)
	if got := w.Header().Get("Content-Type"); w.Code != 200 || !strings.HasPrefix(got, protobuf) {
		t.Errorf("protocol buffers are answered %d, %s", w.Code, got)
	}
	families, err := f.server.metrics.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != "catalog_http_request_duration_seconds" {
			continue
		}
		for _, metric := range family.GetMetric() {
			if h := metric.GetHistogram(); metric.GetLabel()[0].GetValue() == routeList && (len(h.GetBucket()) != len(durationBuckets) || len(h.GetPositiveSpan()) == 0 || h.GetSchema() < 1) {
				t.Errorf("there are %d buckets, the schema %d and the spans %v", len(h.GetBucket()), h.GetSchema(), h.GetPositiveSpan())
			}
		}
	}
	if got := f.value(t, `catalog_http_request_duration_seconds_bucket{route="listProjects",le="+Inf"}`); got != 1 {
		t.Errorf("in text, %v requests are in the buckets", got)
	}
}

func TestRejectionsAreCountedByPolicy(t *testing.T) {
	f := newFixture(t, func(o *options) { o.Settings.AnonymousPerMinute, o.Settings.SandboxPerMinute = 1, 2 })
	for range 4 {
		f.get("/api/v1/projects")
		f.get("/api/v1/projects", "X-Api-Key", "catalog-sandbox")
	}
	for policy, want := range map[string]float64{"anonymous": 3, "sandbox": 2} {
		if got := f.value(t, fmt.Sprintf("catalog_allowance_rejections_total{policy=%q}", policy)); got != want {
			t.Errorf("%v rejections of %s, want %v", got, policy, want)
		}
	}
	if got := f.value(t, "catalog_allowance_clients"); got != 2 {
		t.Errorf("%v clients are kept, want one under each policy", got)
	}
}

func TestEvictionsAreCounted(t *testing.T) {
	const bound = 8 << 10
	f := newFixture(t, func(o *options) { o.RateStore = ratestore.NewMemory(bound, o.Now) })
	const clients = 1000
	for i := range clients {
		f.send(from(fmt.Sprintf("10.0.%d.%d:1", i/100, i%100), "/api/v1/projects?limit=1"))
	}
	kept := f.value(t, "catalog_allowance_clients")
	if kept < 16 || kept > 100 {
		t.Errorf("%v clients are kept", kept)
	}
	if got := f.value(t, "catalog_allowance_bytes"); got < 80*kept || got > bound || f.value(t, "catalog_allowance_limit_bytes") != bound {
		t.Errorf("they take %v bytes of %d", got, bound)
	}
	if got := f.value(t, "catalog_allowance_evictions_total"); got != clients-kept {
		t.Errorf("%v evictions, want %v", got, clients-kept)
	}
	// What has expired makes room without being counted.
	f.clock.pass(2 * ratestore.Window)
	evictions := f.value(t, "catalog_allowance_evictions_total")
	f.send(from("10.1.0.1:1", "/api/v1/projects?limit=1"))
	if got := f.value(t, "catalog_allowance_evictions_total"); got != evictions {
		t.Errorf("an expired client is counted as evicted: %v, then %v", evictions, got)
	}
}

func TestIndexMetrics(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	public := filepath.Join(t.TempDir(), "public")
	file := filepath.Join(public, filepath.FromSlash(search.FileName))
	writeFiles(t, public, publicFiles)
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, func(o *options) { o.Build.Folder = public })
	identity := f.server.current().Index.Identity()
	for series, want := range map[string]float64{
		fmt.Sprintf(`catalog_index_info{format="%d",identity=%q}`, search.FormatVersion, identity): 1,
		"catalog_index_listings":                                   projectCount,
		"catalog_index_size_bytes":                                 float64(len(publicFiles[search.FileName])),
		"catalog_index_modified_timestamp_seconds":                 float64(at.Unix()),
		"catalog_snapshot_created_timestamp_seconds":               float64(at.Unix()),
		"catalog_index_loaded_timestamp_seconds":                   float64(f.clock.now().Unix()),
		fmt.Sprintf(`catalog_snapshot_info{version=%q}`, identity): 1,
		"catalog_ready":                                            1,
		`catalog_index_reloads_total{result="success"}`:            0,
		`catalog_index_reloads_total{result="refused"}`:            0,
	} {
		if got := f.value(t, series); got != want {
			t.Errorf("%s is %v, want %v", series, got, want)
		}
	}
	for range 2 {
		if err := f.source.Reload(); err == nil {
			t.Error("a file that is no index is loaded")
		}
	}
	c, files := numbered(1)
	writeBuild(t, public, c, files)
	f.clock.pass(time.Minute)
	if err := f.source.Reload(); err != nil {
		t.Fatal(err)
	}
	for series, want := range map[string]float64{
		`catalog_index_reloads_total{result="success"}`: 1,
		`catalog_index_reloads_total{result="refused"}`: 2,
		"catalog_index_listings":                        projectCount + 1,
		"catalog_index_loaded_timestamp_seconds":        float64(f.clock.now().Unix()),
	} {
		if got := f.value(t, series); got != want {
			t.Errorf("after the reloads, %s is %v, want %v", series, got, want)
		}
	}
	if text := f.scrape(t); strings.Contains(text, identity) {
		t.Errorf("the index before is still shown: %s", text)
	}
	// A file that is gone has no size and no age, and nothing else is lost by it.
	remove(t, file)
	gone := newFixture(t, func(o *options) { o.Build.Folder = public })
	if text := gone.scrape(t); strings.Contains(text, "catalog_index_size_bytes") || !strings.Contains(text, "catalog_index_listings") {
		t.Errorf("without a file: %s", text)
	}
}

// shaky is a rate store that cannot be reached.
type shaky struct{}

func (shaky) Take(_ context.Context, _ ratestore.Key, limit int) ratestore.Verdict {
	return ratestore.Verdict{Allowed: true, Left: limit, Reset: 1}
}

func (shaky) Stats() ratestore.Stats {
	return ratestore.Stats{State: ratestore.InLocal, SharedDecisions: 11, LocalDecisions: 7, Errors: 3, Falls: 2}
}

func TestRateStoreMetrics(t *testing.T) {
	f := newFixture(t, nil)
	if got := f.value(t, `catalog_rate_store_up{store="memory"}`); got != 1 {
		t.Errorf("memory is up: %v", got)
	}
	f = newFixture(t, func(o *options) { o.RateStore = shaky{} })
	for series, want := range map[string]float64{
		`catalog_rate_store_up{store="redis"}`: 0, `catalog_rate_store_local_decisions_total{store="redis"}`: 7, `catalog_rate_store_errors_total{store="redis"}`: 3,
		`catalog_rate_store_shared_decisions_total{store="redis"}`: 11, `catalog_rate_store_falls_total{store="redis"}`: 2,
	} {
		if got := f.value(t, series); got != want {
			t.Errorf("%s is %v, want %v", series, got, want)
		}
	}
}

func TestPanicsAreCounted(t *testing.T) {
	armed := false
	f := newFixture(t, func(o *options) {
		o.Now = func() time.Time {
			if armed {
				panic("private")
			}
			return newClock().at
		}
	})
	armed = true
	f.get("/api/v1/projects")
	if got := f.value(t, "catalog_http_panics_total"); got != 1 {
		t.Errorf("%v panics are counted", got)
	}
	if got := f.value(t, `catalog_http_requests_total{route="listProjects",status="500"}`); got != 1 {
		t.Errorf("%v faults are counted", got)
	}
}

// Names and help texts follow the conventions of Prometheus.
func TestMetricsFollowConventions(t *testing.T) {
	f := newFixture(t, nil)
	problems, err := promlint.New(strings.NewReader(f.scrape(t))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// The registry is the server's own: two servers in one process do not meet, and
// the program, Go and the process are told of.
func TestMetricsOfTheProgram(t *testing.T) {
	newFixture(t, nil)
	f := newFixture(t, func(o *options) { o.Version = "v1.2.3" })
	text := f.scrape(t)
	for _, want := range []string{`catalog_build_info{go_version="go`, `version="v1.2.3"} 1`, "go_goroutines ", "process_resident_memory_bytes ", "process_open_fds "} {
		if !strings.Contains(text, want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
}

// What is for operators is not on the public address.
func TestAdminIsNotPublic(t *testing.T) {
	f := newFixture(t, nil)
	for _, target := range []string{"/metrics", "/metrics/", "/debug/pprof", "/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/cmdline", "/debug/vars", "//metrics", "/%6detrics"} {
		r := f.get(target)
		if r.status != 404 || r.body != publicFiles["404.html"] {
			t.Errorf("%s: %d %.80s", target, r.status, r.body)
		}
	}
	admin := f.server.AdminHandler()
	for _, test := range []struct {
		method, target string
		status         int
	}{{"GET", "/metrics", 200}, {"HEAD", "/metrics", 200}, {"POST", "/metrics", 405}, {"GET", "/api/v1/projects", 404}, {"GET", "/", 404}} {
		w := httptest.NewRecorder()
		admin.ServeHTTP(w, httptest.NewRequest(test.method, "http://localhost"+test.target, nil))
		if w.Code != test.status {
			t.Errorf("%s %s on the admin address: %d, want %d", test.method, test.target, w.Code, test.status)
		}
	}
}

// broken is a client that is gone.
type broken struct{ http.ResponseWriter }

func (broken) Write([]byte) (int, error) { return 0, errors.New("gone") }

func TestUnsentAnswersAreCountedAndLogged(t *testing.T) {
	f := newFixture(t, nil)
	f.server.Handler().ServeHTTP(broken{httptest.NewRecorder()}, httptest.NewRequest(http.MethodGet, "/api/v1/projects", nil))
	if got := f.value(t, `catalog_http_requests_total{route="listProjects",status="200"}`); got != 1 {
		t.Errorf("%v requests are counted", got)
	}
	if text := f.log.String(); !strings.Contains(text, `msg="answer not sent"`) || !strings.Contains(text, "bytes=0") {
		t.Errorf("the log is %s", text)
	}
}

// Every status that the server answers with has its own label value.
func TestEveryStatusHasACounter(t *testing.T) {
	statuses := []int{
		http.StatusOK, http.StatusAccepted, http.StatusNoContent, http.StatusPartialContent, http.StatusNotModified,
		http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable, http.StatusPermanentRedirect,
	}
	for _, kind := range api.ProblemKinds {
		statuses = append(statuses, kind.Status)
	}
	slices.Sort(statuses)
	statuses = slices.Compact(statuses)
	m := newMetrics("test")
	for _, status := range append(statuses, http.StatusTeapot) {
		m.observe(&request{route: routeSearch, status: status, allowance: &allowance{}}, time.Millisecond)
	}
	recorder := httptest.NewRecorder()
	m.handler(slog.New(slog.DiscardHandler)).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, status := range statuses {
		if !strings.Contains(recorder.Body.String(), fmt.Sprintf(`status="%d"} 1`, status)) {
			t.Errorf("%d has no counter", status)
		}
	}
	if !strings.Contains(recorder.Body.String(), `status="other"} 1`) {
		t.Error("an unknown status is not counted as other")
	}
}

func TestRouteNamesAreUnique(t *testing.T) {
	for n, name := range routeNames {
		if name == "" || slices.Index(routeNames, name) != n {
			t.Errorf("the route %d is named %q", n, name)
		}
	}
}

// What counting adds to a request.
func BenchmarkObserve(b *testing.B) {
	m := newMetrics("bench")
	req := &request{route: routeSearch, status: http.StatusOK}
	s := &Server{slots: bound{most: DefaultMaxConcurrent}, unsent: newUnsent()}
	client, body := netip.MustParseAddr("192.0.2.1"), make([]byte, 3000)
	b.ReportAllocs()
	for b.Loop() {
		m.inFlight.Add(1)
		s.slots.take(1)
		s.slots.release(1)
		release, _ := s.unsent.take(client, body, false)
		release()
		m.observe(req, 123*time.Microsecond)
		m.inFlight.Add(-1)
	}
}

// The same on all cores at once, with contention.
func BenchmarkObserveParallel(b *testing.B) {
	m := newMetrics("bench")
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		req := &request{route: routeSearch, status: http.StatusOK}
		for pb.Next() {
			m.inFlight.Add(1)
			m.observe(req, 123*time.Microsecond)
			m.inFlight.Add(-1)
		}
	})
}
