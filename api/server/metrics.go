package server

import (
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"catalog.example/api/mcp"
	"catalog.example/api/server/ratestore"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Names of routes in metrics and logs. Operations have the same names as in the OpenAPI document.
// There are no other names, whatever paths clients request.
const (
	routeOptions         = "options"
	routeList            = "listProjects"
	routeProject         = "getProject"
	routeSearch          = "searchCatalog"
	routeOpenAPI         = "openapi"
	routeJSONPage        = "jsonPage"
	routeUnknownEndpoint = "unknownEndpoint"
	routePage            = "page"
	routeMissingPage     = "missingPage"
	routeHealth          = "healthz"
	routeReady           = "readyz"
	routeMCP             = "mcp"
)

var routeNames = []string{
	routeOptions, routeList, routeProject, routeSearch, routeOpenAPI, routeJSONPage, routeUnknownEndpoint,
	routePage, routeMissingPage, routeHealth, routeReady, routeMCP,
}

// statuses lists the statuses that the server sends. Any other is counted as "other".
var statuses = []int{
	http.StatusOK, http.StatusAccepted, http.StatusNoContent, http.StatusPartialContent,
	http.StatusNotModified, http.StatusPermanentRedirect,
	http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound,
	http.StatusMethodNotAllowed, http.StatusPreconditionFailed, http.StatusRequestEntityTooLarge,
	http.StatusRequestURITooLong, http.StatusUnsupportedMediaType, http.StatusRequestedRangeNotSatisfiable,
	http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable,
}

// statusLabel returns the metric label for a status.
func statusLabel(status int) string {
	if !slices.Contains(statuses, status) {
		return "other"
	}
	return strconv.Itoa(status)
}

// durationBuckets holds the bounds of the buckets, in seconds. A 304 takes the least time, a large
// file over a slow line the most.
var durationBuckets = []float64{
	25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 100e-3, 250e-3, 1, 5,
}

// metrics holds the metrics of the server, in a registry of their own.
type metrics struct {
	registry   *prometheus.Registry
	requests   *prometheus.CounterVec   // by route and status
	durations  *prometheus.HistogramVec // by route
	overloaded *prometheus.CounterVec   // by reason
	rejections *prometheus.CounterVec   // by policy
	panics     prometheus.Counter
	searches   prometheus.Counter
	mcpCalls   *prometheus.CounterVec // by call (mcp.Calls) and outcome (mcp.Outcomes)

	inFlight atomic.Int64 // requests not yet answered
}

// newMetrics returns metrics in which every counter exists from the beginning, with the value 0.
func newMetrics(version string) *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	auto := promauto.With(m.registry)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return auto.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m.requests = counter("catalog_http_requests_total",
		"Requests answered, by route and status: those to the public address, and probes to either address.",
		"route", "status")
	m.durations = auto.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "catalog_http_request_duration_seconds",
		Help:    "Time from the arrival of a request's headers until its answer was handed to the kernel.",
		Buckets: durationBuckets,
		// Only a scraper that asks for native histograms gets them, beside the buckets.
		NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 160,
		NativeHistogramMinResetDuration: time.Hour,
	}, []string{"route"})
	for _, route := range routeNames {
		m.durations.WithLabelValues(route)
		m.requests.WithLabelValues(route, "other")
		for _, status := range statuses {
			m.requests.WithLabelValues(route, statusLabel(status))
		}
	}
	m.overloaded = counter("catalog_http_overloaded_total",
		"Requests answered 503 because the server was full, by reason: its slots, the memory for unread"+
			" answers or for messages that clients send, or the connections with large headers.", "reason")
	for _, reason := range []string{overloadSlots, overloadUnsent, overloadBodies, overloadHeaders} {
		m.overloaded.WithLabelValues(reason)
	}
	m.rejections = counter("catalog_allowance_rejections_total",
		"Requests answered 429, by the allowance that was used up.", "policy")
	for p := range policyCount {
		m.rejections.WithLabelValues(p.String())
	}
	m.panics = counter("catalog_http_panics_total",
		"Panics caught while answering requests; the log has their stacks.").WithLabelValues()
	m.searches = counter("catalog_searches_total",
		"Searches of the index. Answers that the client has or the server keeps need no search.").WithLabelValues()
	m.mcpCalls = counter("catalog_mcp_calls_total",
		"Tool calls and resource reads of the MCP server, by outcome: ok, wrong arguments, refused because"+
			" the allowance was used up, or a fault of the server.", "call", "outcome")
	for _, call := range mcp.Calls {
		for _, outcome := range mcp.Outcomes {
			m.mcpCalls.WithLabelValues(call, string(outcome))
		}
	}
	auto.NewGaugeVec(prometheus.GaugeOpts{
		Name: "catalog_build_info", Help: "Always 1; the labels name the version of the program and of Go.",
	}, []string{"version", "go_version"}).WithLabelValues(version, runtime.Version()).Set(1)
	return m
}

// observe counts an answered request.
func (m *metrics) observe(req *request, took time.Duration) {
	m.requests.WithLabelValues(req.route, statusLabel(req.status)).Inc()
	m.durations.WithLabelValues(req.route).Observe(took.Seconds())
	if req.status == http.StatusTooManyRequests {
		m.rejections.WithLabelValues(req.allowance.policy.String()).Inc()
	}
}

// Limits on requests for metrics. A scraper sends one at a time.
const (
	maxScrapes     = 4
	metricsTimeout = 10 * time.Second
)

// handler answers /metrics. If some metrics cannot be read, the error is logged, and the others are
// still sent.
func (m *metrics) handler(log *slog.Logger) http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelError), ErrorHandling: promhttp.ContinueOnError,
		MaxRequestsInFlight: maxScrapes, Timeout: metricsTimeout, EnableOpenMetrics: true,
	})
}

// observeState registers the metrics that are read from a server when /metrics is requested.
func (m *metrics) observeState(s *Server) {
	gauge := func(name, help string, read func() float64) {
		promauto.With(m.registry).NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read)
	}
	gauge("catalog_ready", "1 while /readyz answers 200, 0 while the server drains.",
		func() float64 { return truth(!s.draining.Load()) })
	gauge("catalog_http_requests_in_flight",
		"Requests not yet answered in full, including those of clients that read slowly.",
		func() float64 { return float64(m.inFlight.Load()) })
	gauge("catalog_http_slots", "How many requests are processed at once. Further ones are answered 503.",
		func() float64 { return float64(s.slots.most) })
	gauge("catalog_http_slots_in_use", "Requests that are being processed.",
		func() float64 { return float64(s.slots.used.Load()) })
	gauge("catalog_http_unsent_bytes", "Memory of answers that clients have not yet read.",
		func() float64 { return float64(s.unsent.used.Load()) })
	gauge("catalog_http_unsent_limit_bytes",
		"How much memory unread answers may take. Beyond that, requests are answered 503.",
		func() float64 { return float64(s.unsent.most) })
	m.observeRates(s.o.RateStore)
}

// observeRates registers the metrics that are read from a rate store when /metrics is requested.
func (m *metrics) observeRates(rates ratestore.Store) {
	auto := promauto.With(m.registry)
	var labels prometheus.Labels
	gauge := func(name, help string, read func(ratestore.Stats) float64) {
		auto.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels},
			func() float64 { return read(rates.Stats()) })
	}
	counter := func(name, help string, read func(ratestore.Stats) uint64) {
		auto.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels},
			func() float64 { return float64(read(rates.Stats())) })
	}
	gauge("catalog_allowance_clients", "Clients whose counts are kept in memory.",
		func(stats ratestore.Stats) float64 { return float64(stats.Clients) })
	gauge("catalog_allowance_bytes", "Memory of clients' counts.",
		func(stats ratestore.Stats) float64 { return float64(stats.Bytes) })
	gauge("catalog_allowance_limit_bytes", "How much memory clients' counts may take.",
		func(stats ratestore.Stats) float64 { return float64(stats.Bound) })
	counter("catalog_allowance_evictions_total",
		"Clients whose counts were evicted before they expired, to make room for others.",
		func(stats ratestore.Stats) uint64 { return stats.Evictions })
	labels = prometheus.Labels{"store": "redis"}
	if rates.Stats().State == ratestore.InMemory {
		labels["store"] = "memory"
	}
	gauge("catalog_rate_store_up",
		"1 while the rate store answers; 0 while requests are counted locally because it does not.",
		func(stats ratestore.Stats) float64 { return truth(stats.State != ratestore.InLocal) })
	counter("catalog_rate_store_shared_decisions_total",
		"Requests counted for all replicas: by the rate store, or refused without it because this replica alone"+
			" had granted the whole allowance.",
		func(stats ratestore.Stats) uint64 { return stats.SharedDecisions })
	counter("catalog_rate_store_local_decisions_total",
		"Requests counted by this replica alone because the rate store could not be reached.",
		func(stats ratestore.Stats) uint64 { return stats.LocalDecisions })
	counter("catalog_rate_store_errors_total", "Calls to the rate store that failed or took too long.",
		func(stats ratestore.Stats) uint64 { return stats.Errors })
	counter("catalog_rate_store_falls_total",
		"How often counting changed from the rate store to this replica alone.",
		func(stats ratestore.Stats) uint64 { return stats.Falls })
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
