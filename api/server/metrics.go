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

// What metrics and logs call the route of a request: the operations by the names that the
// OpenAPI document gives them. There are as many as in this list, whatever paths are asked for.
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

// statuses are those that the server answers with, in the order of their counters. Any
// other is counted as the last, "other".
var statuses = [...]int{
	http.StatusOK, http.StatusAccepted, http.StatusNoContent, http.StatusPartialContent,
	http.StatusNotModified, http.StatusPermanentRedirect,
	http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound,
	http.StatusMethodNotAllowed, http.StatusPreconditionFailed, http.StatusRequestEntityTooLarge,
	http.StatusRequestURITooLong, http.StatusUnsupportedMediaType, http.StatusRequestedRangeNotSatisfiable,
	http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable, otherStatus,
}

const otherStatus = 0

// durationBuckets are in seconds: from what a 304 takes to what a large file
// takes over a slow line.
var durationBuckets = []float64{
	25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 100e-3, 250e-3, 1, 5,
}

// metrics are the counts that /metrics shows, in a registry of their own. What a
// request touches is resolved beforehand, so that counting it costs some atomic
// additions and no allocation; the rest is read when it is asked for.
type metrics struct {
	registry   *prometheus.Registry
	requests   map[string][]prometheus.Counter // by route and by statuses
	durations  map[string]prometheus.Observer  // by route
	overloaded *prometheus.CounterVec
	rejections [policyCount]prometheus.Counter
	panics     prometheus.Counter
	searches   prometheus.Counter
	mcpCalls   *prometheus.CounterVec // by one of mcp.Calls and one of mcp.Outcomes

	inFlight atomic.Int64 // requests that have come and are not yet answered
}

func newMetrics(version string) *metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	auto := promauto.With(registry)
	m := &metrics{
		registry: registry, requests: map[string][]prometheus.Counter{}, durations: map[string]prometheus.Observer{},
	}
	requests := auto.NewCounterVec(prometheus.CounterOpts{
		Name: "catalog_http_requests_total",
		Help: "Requests answered, by route and status: those to the public address, and probes to either address.",
	}, []string{"route", "status"})
	durations := auto.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "catalog_http_request_duration_seconds",
		Help:    "Time from the arrival of a request's headers until its answer was handed to the kernel.",
		Buckets: durationBuckets,
	}, []string{"route"})
	for _, route := range routeNames {
		m.durations[route] = durations.WithLabelValues(route)
		for _, status := range statuses {
			label := "other"
			if status != otherStatus {
				label = strconv.Itoa(status)
			}
			m.requests[route] = append(m.requests[route], requests.WithLabelValues(route, label))
		}
	}
	m.addCounters(auto)
	auto.NewGaugeVec(prometheus.GaugeOpts{
		Name: "catalog_build_info", Help: "Always 1; the labels name the version of the program and of Go.",
	}, []string{"version", "go_version"}).WithLabelValues(version, runtime.Version()).Set(1)
	return m
}

// addCounters adds what is counted beside requests.
func (m *metrics) addCounters(auto promauto.Factory) {
	m.overloaded = auto.NewCounterVec(prometheus.CounterOpts{
		Name: "catalog_http_overloaded_total",
		Help: "Requests answered 503 because the server was full, by reason: its slots, the memory for unread" +
			" answers or for messages that clients send, or the connections with large headers.",
	}, []string{"reason"})
	for _, reason := range overloadReasons {
		m.overloaded.WithLabelValues(reason)
	}
	rejections := auto.NewCounterVec(prometheus.CounterOpts{
		Name: "catalog_allowance_rejections_total", Help: "Requests answered 429, by the allowance that was used up.",
	}, []string{"policy"})
	for p := range policyCount {
		m.rejections[p] = rejections.WithLabelValues(p.String())
	}
	m.panics = auto.NewCounter(prometheus.CounterOpts{
		Name: "catalog_http_panics_total",
		Help: "Panics caught while answering requests; the log has their stacks.",
	})
	m.searches = auto.NewCounter(prometheus.CounterOpts{
		Name: "catalog_searches_total",
		Help: "Searches of the index. A client that already has the answer gets 304 without a search.",
	})
	m.mcpCalls = auto.NewCounterVec(prometheus.CounterOpts{
		Name: "catalog_mcp_calls_total",
		Help: "Tool calls and resource reads of the MCP server, by outcome: ok, wrong arguments, refused because" +
			" the allowance was used up, or a fault of the server.",
	}, []string{"call", "outcome"})
	for _, call := range mcp.Calls {
		for _, outcome := range mcp.Outcomes {
			m.mcpCalls.WithLabelValues(call, string(outcome))
		}
	}
}

// observe counts an answered request.
func (m *metrics) observe(req *request, took time.Duration) {
	i := slices.Index(statuses[:], req.status)
	if i < 0 {
		i = len(statuses) - 1
	}
	m.requests[req.route][i].Inc()
	m.durations[req.route].Observe(took.Seconds())
	if req.status == http.StatusTooManyRequests {
		m.rejections[req.allowance.policy].Inc()
	}
}

// Scrapers come one at a time; whoever piles them up is turned away.
const (
	maxScrapes     = 4
	metricsTimeout = 10 * time.Second
)

// handler answers /metrics. A gatherer that fails in part still shows the rest,
// and what failed is logged: half of the picture beats none.
func (m *metrics) handler(log *slog.Logger) http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelError), ErrorHandling: promhttp.ContinueOnError,
		MaxRequestsInFlight: maxScrapes, Timeout: metricsTimeout, EnableOpenMetrics: true,
	})
}

// observeState registers what is read from a server when /metrics is asked for.
func (m *metrics) observeState(s *Server) {
	auto := promauto.With(m.registry)
	gauge := func(name, help string, read func() float64) {
		auto.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read)
	}
	count := func(name, help string, count *atomic.Int64) {
		gauge(name, help, func() float64 { return float64(count.Load()) })
	}
	gauge("catalog_ready", "1 while /readyz answers 200, 0 while the server drains.",
		func() float64 { return truth(!s.draining.Load()) })
	count("catalog_http_requests_in_flight",
		"Requests not yet answered in full, including those of clients that read slowly.", &m.inFlight)
	gauge("catalog_http_slots", "How many requests are processed at once. Further ones are answered 503.",
		func() float64 { return float64(s.slots.most) })
	count("catalog_http_slots_in_use", "Requests that are being processed.", &s.slots.used)
	count("catalog_http_unsent_bytes", "Memory of answers that clients have not yet read.", &s.unsent.used)
	gauge("catalog_http_unsent_limit_bytes",
		"How much memory unread answers may take. Beyond that, requests are answered 503.",
		func() float64 { return float64(s.unsent.most) })
	m.observeRates(s.o.RateStore)
}

// observeRates registers what is read from a rate store.
func (m *metrics) observeRates(rates ratestore.Store) {
	auto := promauto.With(m.registry)
	store := prometheus.Labels{"store": "redis"}
	if rates.Stats().State == ratestore.InMemory {
		store["store"] = "memory"
	}
	gauge := func(name, help string, labels prometheus.Labels, read func(ratestore.Stats) float64) {
		auto.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels},
			func() float64 { return read(rates.Stats()) })
	}
	counter := func(name, help string, labels prometheus.Labels, read func(ratestore.Stats) uint64) {
		auto.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels},
			func() float64 { return float64(read(rates.Stats())) })
	}
	gauge("catalog_allowance_clients", "Clients whose counts are kept in memory.", nil,
		func(stats ratestore.Stats) float64 { return float64(stats.Clients) })
	gauge("catalog_allowance_bytes", "Memory of clients' counts.", nil,
		func(stats ratestore.Stats) float64 { return float64(stats.Bytes) })
	gauge("catalog_allowance_limit_bytes", "How much memory clients' counts may take.", nil,
		func(stats ratestore.Stats) float64 { return float64(stats.Bound) })
	counter("catalog_allowance_evictions_total",
		"Clients whose counts were evicted before they expired, to make room for others.", nil,
		func(stats ratestore.Stats) uint64 { return stats.Evictions })
	gauge("catalog_rate_store_up",
		"1 while the rate store answers; 0 while requests are counted locally because it does not.", store,
		func(stats ratestore.Stats) float64 { return truth(stats.State != ratestore.InLocal) })
	counter("catalog_rate_store_shared_decisions_total",
		"Requests counted for all replicas: by the rate store, or refused without it because this replica alone"+
			" had granted the whole allowance.", store,
		func(stats ratestore.Stats) uint64 { return stats.SharedDecisions })
	counter("catalog_rate_store_local_decisions_total",
		"Requests counted by this replica alone because the rate store could not be reached.", store,
		func(stats ratestore.Stats) uint64 { return stats.LocalDecisions })
	counter("catalog_rate_store_errors_total", "Calls to the rate store that failed or took too long.", store,
		func(stats ratestore.Stats) uint64 { return stats.Errors })
	counter("catalog_rate_store_falls_total",
		"How often counting changed from the rate store to this replica alone.", store,
		func(stats ratestore.Stats) uint64 { return stats.Falls })
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
