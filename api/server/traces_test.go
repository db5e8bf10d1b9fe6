package server

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"catalog.example/api/server/processtest"
	"catalog.example/api/server/traces"
)

// TestRequestsAreTraced sends a request that continues a trace, and one that is refused.
func TestRequestsAreTraced(t *testing.T) {
	var got processtest.Output
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err == nil {
			_, _ = got.Write(body)
		}
	}))
	t.Cleanup(collector.Close)
	exporter := traces.New(traces.Options{Endpoint: collector.URL, Share: 1, Logger: slog.New(slog.DiscardHandler)})
	f := newFixture(t, func(o *options) { o.Traces = exporter })
	f.get("/api/v1/search?q=private", "X-Request-Id", "id-1", "Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	f.get("/nothing")
	exporter.Close()
	body := got.String()
	for _, want := range []string{
		`"traceId":"0af7651916cd43dd8448eb211c80319c"`, `"parentSpanId":"b7ad6b7169203331"`, `"name":"GET searchCatalog"`, `"stringValue":"id-1"`,
		`"stringValue":"` + f.server.current().Version() + `"`, `"name":"GET missingPage"`, `"intValue":"404"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the collector does not get %s: %s", want, body)
		}
	}
	if strings.Contains(body, "private") || strings.Count(body, `"spanId"`) != 2 {
		t.Errorf("the collector gets %s", body)
	}
}
