package server

import (
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"catalog.example/api/mcp"
	"catalog.example/api/search"
	"catalog.example/api/server/ratestore"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// routeName is what metrics and logs call the route of a request. There are as
// many as in this list, whatever paths are asked for.
type routeName uint8

const (
	routeOptions routeName = iota
	routeList
	routeProject
	routeSearch
	routeOpenAPI
	routeJSONPage
	routeUnknownEndpoint
	routePage
	routeMissingPage
	routeHealth
	routeReady
	routeMCP
	routeCount
)

// routeNames are the values of the label route: the operations by the names
// that the OpenAPI document gives them.
var routeNames = [routeCount]string{
	routeOptions: "options", routeList: "listProjects", routeProject: "getProject", routeSearch: "searchCatalog",
	routeOpenAPI: "openapi", routeJSONPage: "jsonPage", routeUnknownEndpoint: "unknownEndpoint", routePage: "page",
	routeMissingPage: "missingPage", routeHealth: "healthz", routeReady: "readyz", routeMCP: "mcp",
}

// String returns the value of the label route.
func (n routeName) String() string { return routeNames[n] }

// statuses are those that the server answers with, in the order of their counters. Any
// other is counted as the last, "other".
var statuses = [...]int{
	http.StatusOK, http.StatusAccepted, http.StatusNoContent, http.StatusPartialContent, http.StatusNotModified, http.StatusPermanentRedirect,
	http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusPreconditionFailed,
	http.StatusRequestEntityTooLarge, http.StatusRequestURITooLong, http.StatusUnsupportedMediaType, http.StatusRequestedRangeNotSatisfiable,
	http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable, otherStatus,
}

const otherStatus = 0

// durationBuckets are in seconds: from what a 304 takes to what a large file
// takes over a slow line.
var durationBuckets = []float64{25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 100e-3, 250e-3, 1, 5}

// reloadResult is how a reload of the index ended.
type reloadResult uint8

const (
	reloadDone    reloadResult = iota // the new index serves
	reloadRefused                     // the new index is unusable; the old one stays in use
	reloadResults
)

var reloadNames = [reloadResults]string{reloadDone: "success", reloadRefused: "refused"}

// metrics are the counts that /metrics shows, in a registry of their own. What a
// request touches is resolved beforehand, so that counting it costs some atomic
// additions and no allocation; the rest is read when it is asked for.
type metrics struct {
	registry   *prometheus.Registry
	requests   [routeCount][len(statuses)]prometheus.Counter
	durations  [routeCount]prometheus.Observer
	overloaded [overloadReasons]prometheus.Counter
	rejections [policyCount]prometheus.Counter
	reloads    [reloadResults]prometheus.Counter
	panics     prometheus.Counter
	searches   prometheus.Counter
	mcpCalls   *prometheus.CounterVec // by one of mcp.Calls and one of mcp.Outcomes

	inFlight atomic.Int64 // requests that have come and are not yet answered

	// What is known of the index that serves. These have one value each, or none. Only
	// one build is opened at a time.
	indexInfo, snapshotInfo                                               info
	indexListings, indexSize, indexModified, indexLoaded, snapshotCreated *prometheus.GaugeVec
}

func newMetrics(version string) *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "catalog_http_requests_total",
		Help: "Requests answered, by route and status: those to the public address, and probes to either address.",
	}, []string{"route", "status"})
	durations := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "catalog_http_request_duration_seconds", Help: "Time from the arrival of a request's headers until its answer was handed to the kernel.",
		Buckets: durationBuckets,
	}, []string{"route"})
	for route, name := range routeNames {
		for i, status := range statuses {
			label := "other"
			if status != otherStatus {
				label = strconv.Itoa(status)
			}
			m.requests[route][i] = requests.WithLabelValues(name, label)
		}
		m.durations[route] = durations.WithLabelValues(name)
	}
	overloaded := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "catalog_http_overloaded_total", Help: "Requests answered 503 because the server was full, by reason: its slots, the memory for unread answers or for messages that clients send, or the connections with large headers.",
	}, []string{"reason"})
	for i, name := range overloadNames {
		m.overloaded[i] = overloaded.WithLabelValues(name)
	}
	rejections := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "catalog_allowance_rejections_total", Help: "Requests answered 429, by the allowance that was used up.",
	}, []string{"policy"})
	for p := range policyCount {
		m.rejections[p] = rejections.WithLabelValues(p.String())
	}
	reloads := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "catalog_index_reloads_total", Help: "Reloads of the index, by result: success, or refused if the new index is unusable and the old one stays in use.",
	}, []string{"result"})
	for i, name := range reloadNames {
		m.reloads[i] = reloads.WithLabelValues(name)
	}
	m.panics = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "catalog_http_panics_total", Help: "Panics caught while answering requests; the log has their stacks.",
	})
	m.searches = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "catalog_searches_total", Help: "Searches of the index. A client that already has the answer gets 304 without a search.",
	})
	m.mcpCalls = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "catalog_mcp_calls_total", Help: "Tool calls and resource reads of the MCP server, by outcome: ok, wrong arguments, refused because the allowance was used up, or a fault of the server.",
	}, []string{"call", "outcome"})
	for _, call := range mcp.Calls {
		for _, outcome := range mcp.Outcomes {
			m.mcpCalls.WithLabelValues(call, string(outcome))
		}
	}
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "catalog_build_info", Help: "Always 1; the labels name the version of the program and of Go.",
	}, []string{"version", "go_version"})
	build.WithLabelValues(version, runtime.Version()).Set(1)
	index := func(name, help string, labels ...string) *prometheus.GaugeVec {
		g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
		m.registry.MustRegister(g)
		return g
	}
	m.snapshotInfo.GaugeVec = index("catalog_snapshot_info", "Always 1; the label names the build in use: its published version, or the hash of its index.", "version")
	m.snapshotCreated = index("catalog_snapshot_created_timestamp_seconds", "When the build in use was published, or if that is unknown, when its index was written, in seconds since 1970. Its age is time() minus this.")
	m.indexInfo.GaugeVec = index("catalog_index_info", "Always 1; the labels name the index in use: a hash of its contents, and the version of its format.", "identity", "format")
	m.indexListings = index("catalog_index_listings", "Listings in the index in use.")
	m.indexSize = index("catalog_index_size_bytes", "Size of the index file when it was loaded.")
	m.indexModified = index("catalog_index_modified_timestamp_seconds", "When the index file in use was written, in seconds since 1970. Its age is time() minus this.")
	m.indexLoaded = index("catalog_index_loaded_timestamp_seconds", "When the index in use was loaded, in seconds since 1970.")
	m.registry.MustRegister(requests, durations, overloaded, rejections, reloads, m.panics, m.searches, m.mcpCalls, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
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

// reloaded counts a reload of the index. After one that succeeded, serving tells
// what it brought.
func (m *metrics) reloaded(result reloadResult) { m.reloads[result].Inc() }

// serving tells which snapshot answers from now on.
func (m *metrics) serving(snap *snapshot, now time.Time) {
	format := strconv.Itoa(search.FormatVersion)
	m.indexInfo.only(snap.index.Identity(), format)
	m.snapshotInfo.only(snap.version())
	m.indexListings.WithLabelValues().Set(float64(snap.index.Len()))
	m.indexLoaded.WithLabelValues().Set(unixSeconds(now))
	m.snapshotCreated.Reset()
	if created := snap.created(); !created.IsZero() {
		m.snapshotCreated.WithLabelValues().Set(unixSeconds(created))
	}
	if info, err := os.Stat(filepath.Join(snap.pages.folder, filepath.FromSlash(search.FileName))); err == nil {
		m.indexSize.WithLabelValues().Set(float64(info.Size()))
		m.indexModified.WithLabelValues().Set(unixSeconds(info.ModTime()))
	} else {
		m.indexSize.Reset()
		m.indexModified.Reset()
	}
}

// info is a metric whose labels name one thing, which changes.
type info struct {
	*prometheus.GaugeVec
	labels []string
}

// only makes labels the only ones. They are set before the old ones are deleted, so that
// there are always some.
func (i *info) only(labels ...string) {
	i.WithLabelValues(labels...).Set(1)
	if i.labels != nil && !slices.Equal(i.labels, labels) {
		i.DeleteLabelValues(i.labels...)
	}
	i.labels = labels
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
	gauge := func(name, help string, read func() float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
	}
	gauge("catalog_ready", "1 while /readyz answers 200, 0 while the server drains.", func() float64 { return truth(!s.draining.Load()) })
	gauge("catalog_http_requests_in_flight", "Requests not yet answered in full, including those of clients that read slowly.", func() float64 { return float64(m.inFlight.Load()) })
	gauge("catalog_http_slots", "How many requests are processed at once. Further ones are answered 503.", func() float64 { return float64(s.slots.most) })
	gauge("catalog_http_slots_in_use", "Requests that are being processed.", func() float64 { return float64(s.slots.used.Load()) })
	gauge("catalog_http_unsent_bytes", "Memory of answers that clients have not yet read.", func() float64 { return float64(s.unsent.used.Load()) })
	gauge("catalog_http_unsent_limit_bytes", "How much memory unread answers may take. Beyond that, requests are answered 503.", func() float64 { return float64(s.unsent.most) })

	gauge("catalog_allowance_clients", "Clients whose counts are kept in memory.", func() float64 { return float64(s.rates.Stats().Clients) })
	gauge("catalog_allowance_bytes", "Memory of clients' counts.", func() float64 { return float64(s.rates.Stats().Bytes) })
	gauge("catalog_allowance_limit_bytes", "How much memory clients' counts may take.", func() float64 { return float64(s.rates.Stats().Bound) })
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "catalog_allowance_evictions_total", Help: "Clients whose counts were evicted before they expired, to make room for others.",
	}, func() float64 { return float64(s.rates.Stats().Evictions) }))

	store := prometheus.Labels{"store": "redis"}
	if s.rates.Stats().State == ratestore.InMemory {
		store["store"] = "memory"
	}
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "catalog_rate_store_up", Help: "1 while the rate store answers; 0 while requests are counted locally because it does not.", ConstLabels: store,
	}, func() float64 { return truth(s.rates.Stats().State != ratestore.InLocal) }))
	counter := func(name, help string, read func(ratestore.Stats) uint64) {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: store}, func() float64 { return float64(read(s.rates.Stats())) }))
	}
	counter("catalog_rate_store_shared_decisions_total", "Requests counted for all replicas: by the rate store, or refused without it because this replica alone had granted the whole allowance.", func(stats ratestore.Stats) uint64 { return stats.SharedDecisions })
	counter("catalog_rate_store_local_decisions_total", "Requests counted by this replica alone because the rate store could not be reached.", func(stats ratestore.Stats) uint64 { return stats.LocalDecisions })
	counter("catalog_rate_store_errors_total", "Calls to the rate store that failed or took too long.", func(stats ratestore.Stats) uint64 { return stats.Errors })
	counter("catalog_rate_store_falls_total", "How often counting changed from the rate store to this replica alone.", func(stats ratestore.Stats) uint64 { return stats.Falls })
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func unixSeconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
