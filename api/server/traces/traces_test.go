package traces

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// collector is a receiver of OTLP/HTTP.
type collector struct {
	mu     sync.Mutex
	bodies []string
	answer func(http.ResponseWriter)
}

func newCollector(t *testing.T, answer func(http.ResponseWriter)) (c *collector, endpoint string) {
	t.Helper()
	c = &collector{answer: answer}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	endpoint, err := ParseEndpoint(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return c, endpoint
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.URL.Path != "/v1/traces" || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	c.bodies = append(c.bodies, string(body))
	c.mu.Unlock()
	c.answer(w)
}

func accept(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"partialSuccess":{}}`) }

func newExporter(endpoint string, log io.Writer) *Exporter {
	return New(Options{Endpoint: endpoint, Share: 1, Version: "v1", Logger: slog.New(slog.NewTextHandler(log, nil))})
}

// counted returns how many spans have a result.
func counted(t *testing.T, e *Exporter, result string) (n int) {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(e.Collectors()...)
	families, err := registry.Gather()
	if err != nil || len(families) != 1 {
		t.Fatalf("%d metrics, %v", len(families), err)
	}
	for _, metric := range families[0].GetMetric() {
		if metric.GetLabel()[0].GetValue() == result {
			n = int(metric.GetCounter().GetValue())
		}
	}
	return n
}

func parent(text string) http.Header { return http.Header{"Traceparent": {text}} }

const sampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// TestSpans checks what a collector gets, against the form that OTLP documents for JSON.
func TestSpans(t *testing.T) {
	t.Parallel()
	c, endpoint := newCollector(t, accept)
	e := newExporter(endpoint, io.Discard)
	began := time.Unix(1_700_000_000, 5)
	e.Record(parent(sampled), Span{Began: began, Took: time.Millisecond, Method: "GET", Route: "searchCatalog", Path: "/api/v1/search", Status: 200, Build: "abc", RequestID: "id-1"})
	e.Record(http.Header{}, Span{Began: began, Method: "BREW", Route: "page", Status: 503})
	e.Record(parent(strings.TrimSuffix(sampled, "1")+"0"), Span{Route: "not sampled"})
	e.Close()
	if len(c.bodies) != 1 || counted(t, e, resultSent) != 2 {
		t.Fatalf("the collector got %q, and %d spans were sent", c.bodies, counted(t, e, resultSent))
	}
	// The ids of spans, and of the trace of the second, are by chance.
	body := regexp.MustCompile(`"spanId":"[0-9a-f]{16}"`).ReplaceAllString(c.bodies[0], `"spanId":"S"`)
	body = regexp.MustCompile(`"traceId":"([0-9a-f]{32})"`).ReplaceAllStringFunc(body, func(id string) string {
		if strings.Contains(id, "0af7651916cd43dd8448eb211c80319c") {
			return id
		}
		return `"traceId":"T"`
	})
	const attribute = `{"key":%q,"value":{%q:%q}}`
	attributes := func(values ...string) string {
		var list []string
		for i, key := range []string{"http.request.method", "url.path", "http.response.status_code", "catalog.route", "catalog.build", "catalog.request_id"} {
			kind := map[bool]string{true: "intValue", false: "stringValue"}[key == "http.response.status_code"]
			list = append(list, fmt.Sprintf(attribute, key, kind, values[i]))
		}
		return strings.Join(list, ",")
	}
	want := `{"resourceSpans":[{"resource":{"attributes":[` + fmt.Sprintf(attribute, "service.name", "stringValue", "catalog") + "," + fmt.Sprintf(attribute, "service.version", "stringValue", "v1") + `]},
		"scopeSpans":[{"scope":{"name":"catalog"},"spans":[
			{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"S","parentSpanId":"b7ad6b7169203331","name":"GET searchCatalog","kind":2,
			"startTimeUnixNano":"1700000000000000005","endTimeUnixNano":"1700000000001000005","attributes":[` + attributes("GET", "/api/v1/search", "200", "searchCatalog", "abc", "id-1") + `],"status":{}},
			{"traceId":"T","spanId":"S","name":"_OTHER page","kind":2,
			"startTimeUnixNano":"1700000000000000005","endTimeUnixNano":"1700000000000000005","attributes":[` + attributes("_OTHER", "", "503", "page", "", "") + `],"status":{"code":2}}]}]}]}`
	var got, wanted any
	if err := errors.Join(json.Unmarshal([]byte(body), &got), json.Unmarshal([]byte(want), &wanted)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, wanted) {
		t.Errorf("the collector got\n%s\nwant\n%s", body, want)
	}
}

// TestParseParent reads the examples of the recommendation, and what is wrong.
func TestParseParent(t *testing.T) {
	t.Parallel()
	const id = "0af7651916cd43dd8448eb211c80319c"
	for text, want := range map[string]string{ // "" for a malformed one
		sampled: id + " true", "00-" + id + "-b7ad6b7169203331-00": id + " false", "00-" + id + "-b7ad6b7169203331-03": id + " true",
		"cc-" + id + "-b7ad6b7169203331-01-more": id + " true", "cc-" + id + "-b7ad6b7169203331-01": id + " true",
		"": "", "00": "", "ff-" + id + "-b7ad6b7169203331-01": "", "00-" + id + "-b7ad6b7169203331-01-more": "", "cc-" + id + "-b7ad6b7169203331-01more": "",
		"00-00000000000000000000000000000000-b7ad6b7169203331-01": "", "00-" + id + "-0000000000000000-01": "", "00-" + strings.ToUpper(id) + "-b7ad6b7169203331-01": "",
		"00_" + id + "-b7ad6b7169203331-01": "", "00-" + id + "-b7ad6b716920333--01": "", "00-" + id + "-b7ad6b7169203331-0x": "", "zz-" + id + "-b7ad6b7169203331-01": "",
	} {
		got := ""
		if trace, _, isSampled := parseParent(text); trace != [16]byte{} {
			got = fmt.Sprintf("%x %v", trace, isSampled)
		} else if isSampled {
			t.Errorf("%q is malformed and sampled", text)
		}
		if got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

// TestShare traces a share of the requests that have no traceparent.
func TestShare(t *testing.T) {
	t.Parallel()
	for share, want := range map[float64][2]int{0: {0, 0}, 0.25: {150, 350}, 1: {1000, 1000}} {
		_, endpoint := newCollector(t, accept)
		e := New(Options{Endpoint: endpoint, Share: share, Logger: slog.New(slog.DiscardHandler)})
		for range 1000 {
			e.Record(http.Header{}, Span{})
		}
		e.Close()
		if n := counted(t, e, resultSent); n < want[0] || n > want[1] {
			t.Errorf("with the share %v, %d of 1000 are traced", share, n)
		}
	}
}

// TestSlowCollector records more than a collector that hangs takes. Nothing waits, and all that is lost is counted.
func TestSlowCollector(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	c, endpoint := newCollector(t, func(w http.ResponseWriter) { <-release; accept(w) })
	e := newExporter(endpoint, io.Discard)
	const all = 3 * maxQueue
	for range all {
		e.Record(http.Header{}, Span{})
	}
	close(release)
	e.Close()
	sent, dropped := counted(t, e, resultSent), counted(t, e, resultDropped)
	if sent+dropped != all || dropped < all-maxQueue-2*maxBatch || sent < maxQueue {
		t.Errorf("of %d spans, %d were sent and %d dropped", all, sent, dropped)
	}
	for _, body := range c.bodies {
		if n := strings.Count(body, `"spanId"`); n > maxBatch {
			t.Errorf("a batch has %d spans", n)
		}
	}
}

// TestFailingCollector counts what a collector refuses. The log has one line.
func TestFailingCollector(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter)
		failed int
		logged string
	}{
		"an error": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) }, 3, "503 Service Unavailable"},
		"some are refused": {func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"partialSuccess":{"rejectedSpans":"2","errorMessage":"no room"}}`)
		}, 2, "it refuses 2 of them: \\\"no room"},
		"a redirect": {func(w http.ResponseWriter) { w.Header().Set("Location", "/"); w.WriteHeader(http.StatusFound) }, 3, "302 Found"},
		"no JSON":    {func(w http.ResponseWriter) { _, _ = io.WriteString(w, "ok") }, 0, ""},
	} {
		var log bytes.Buffer
		_, endpoint := newCollector(t, c.answer)
		e := newExporter(endpoint, &log)
		for range 3 {
			e.Record(http.Header{}, Span{})
		}
		e.Close()
		if counted(t, e, resultFailed) != c.failed || counted(t, e, resultSent) != 3-c.failed || !strings.Contains(log.String(), c.logged) || strings.Count(log.String(), "\n") != min(len(c.logged), 1) {
			t.Errorf("%s: %d failed, %d sent; %s", name, counted(t, e, resultFailed), counted(t, e, resultSent), &log)
		}
	}
}

// hangs never answers.
type hangs struct{}

func (hangs) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestClose closes an exporter while a batch is being sent and another waits. Both together have sendTimeout, by a
// clock of the test.
func TestClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		e := New(Options{Endpoint: "http://localhost/secret", Share: 1, Logger: slog.New(slog.NewTextHandler(&log, nil)), transport: hangs{}})
		e.Record(http.Header{}, Span{})
		<-time.After(maxWait + time.Second)
		e.Record(http.Header{}, Span{})
		closed := time.Now()
		e.Close()
		if strings.Contains(log.String(), "secret") || !strings.Contains(log.String(), "collector=localhost ") {
			t.Errorf("the log is %s", &log)
		}
		if took := time.Since(closed); took > sendTimeout || counted(t, e, resultFailed) != 2 {
			t.Errorf("Close takes %v, and %d spans failed", took, counted(t, e, resultFailed))
		}
	})
}

func TestParseEndpoint(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"http://localhost:4318": "http://localhost:4318/v1/traces", "https://collector.example/": "https://collector.example/v1/traces", "https://collector.example/otlp/v1/traces": "https://collector.example/otlp/v1/traces",
		"": "", "localhost:4318": "", "grpc://localhost:4317": "", "http://user:secret@localhost": "", "http://user:secret%@localhost": "", "http://localhost/?key=1": "", "http:///v1/traces": "",
	} {
		if got, err := ParseEndpoint(text); got != want || (err == nil) != (want != "") || err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
