package server

import (
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
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
	// routeNone is that of a request that was answered before its route was looked
	// for, because the server was full.
	routeNone routeName = iota
	routeOptions
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
	routeNone: "none", routeOptions: "options", routeList: "listProjects", routeProject: "getProject", routeSearch: "searchCatalog",
	routeOpenAPI: "openapi", routeJSONPage: "jsonPage", routeUnknownEndpoint: "unknownEndpoint", routePage: "page",
	routeMissingPage: "missingPage", routeHealth: "healthz", routeReady: "readyz", routeMCP: "mcp",
}

// String returns the value of the label route.
func (n routeName) String() string { return routeNames[n] }

// status is an HTTP status and its value of the label status.
type status struct {
	code int
	name string
}

// statuses are those that the server answers with, in the order of their
// counters. Any other is counted as "other".
var statuses = [...]status{
	{http.StatusOK, "200"}, {http.StatusAccepted, "202"}, {http.StatusNoContent, "204"}, {http.StatusNotModified, "304"}, {http.StatusPermanentRedirect, "308"},
	{http.StatusBadRequest, "400"}, {http.StatusUnauthorized, "401"}, {http.StatusForbidden, "403"}, {http.StatusNotFound, "404"}, {http.StatusMethodNotAllowed, "405"},
	{http.StatusRequestEntityTooLarge, "413"}, {http.StatusRequestURITooLong, "414"}, {http.StatusUnsupportedMediaType, "415"}, {http.StatusTooManyRequests, "429"}, {http.StatusInternalServerError, "500"},
	{http.StatusServiceUnavailable, "503"}, {0, "other"},
}

// durationBuckets are in seconds: from what a 304 takes to what a large file
// takes over a slow line.
var durationBuckets = []float64{25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 100e-3, 250e-3, 1, 5}

// reloadResult is how a reload of the index ended.
type reloadResult uint8

const (
	reloadDone    reloadResult = iota // the new index serves
	reloadRefused                     // the new index is unusable; the old one serves on
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
	index    atomic.Pointer[indexFacts]
}

// indexFacts are what metrics tell of the index that serves.
type indexFacts struct {
	identity string
	listings int
	size     int64     // of the file, in bytes; 0 where it is not known
	modified time.Time // when the file was written; zero where it is not known
	loaded   time.Time
}

func newMetrics(version string) *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "catalog_http_requests_total",
		Help: "Requests that were answered, by route and status: those on the public address, and probes on either.",
	}, []string{"route", "status"})
	durations := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "catalog_http_request_duration_seconds", Help: "Time from the arrival of a request's headers until its answer was handed to the kernel.",
		Buckets: durationBuckets,
	}, []string{"route"})
	for route, name := range routeNames {
		for i, status := range statuses {
			m.requests[route][i] = requests.WithLabelValues(name, status.name)
		}
		m.durations[route] = durations.WithLabelValues(name)
	}
	overloaded := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "catalog_http_overloaded_total", Help: "Requests that were answered 503 because the server was full, by what was full: its slots, the memory for answers that clients do not read or for messages that they send, or the connections with large headers.",
	}, []string{"reason"})
	for i, name := range overloadNames {
		m.overloaded[i] = overloaded.WithLabelValues(name)
	}
	rejections := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "catalog_allowance_rejections_total", Help: "Requests that were answered 429, by the allowance that was used up.",
	}, []string{"policy"})
	for p := range policyCount {
		m.rejections[p] = rejections.WithLabelValues(p.String())
	}
	reloads := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "catalog_index_reloads_total", Help: "Reloads of the index, by result: success, or refused where the new index was unusable and the old one serves on.",
	}, []string{"result"})
	for i, name := range reloadNames {
		m.reloads[i] = reloads.WithLabelValues(name)
	}
	m.panics = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "catalog_http_panics_total", Help: "Panics that were caught while a request was answered; the log holds their stacks.",
	})
	m.searches = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "catalog_searches_total", Help: "Searches that the index answered; a client that has the answer already is told so without one.",
	})
	m.mcpCalls = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "catalog_mcp_calls_total", Help: "Calls of the MCP server's tools and readings of its resources, by how they ended: ok, wrong arguments, refused because the allowance was used up, or a fault of ours.",
	}, []string{"call", "outcome"})
	for _, call := range mcp.Calls {
		for _, outcome := range mcp.Outcomes {
			m.mcpCalls.WithLabelValues(call, string(outcome))
		}
	}
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "catalog_build_info", Help: "Always 1; the labels name the build of the program.",
	}, []string{"version", "go_version"})
	build.WithLabelValues(version, runtime.Version()).Set(1)
	m.registry.MustRegister(requests, durations, overloaded, rejections, reloads, m.panics, m.searches, m.mcpCalls, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// observe counts an answered request.
func (m *metrics) observe(x *exchange, status int, took time.Duration) {
	i := 0
	for i < len(statuses)-1 && statuses[i].code != status {
		i++
	}
	m.requests[x.route.name][i].Inc()
	m.durations[x.route.name].Observe(took.Seconds())
	if status == http.StatusTooManyRequests && x.admission != nil {
		m.rejections[x.admission.policy].Inc()
	}
}

// reloaded counts a reload of the index. After one that succeeded, serving tells
// what it brought.
func (m *metrics) reloaded(result reloadResult) { m.reloads[result].Inc() }

// serving tells what index answers from now on, and of which build output.
func (m *metrics) serving(ix *search.Index, public string, now time.Time) {
	facts := &indexFacts{identity: ix.Identity(), listings: ix.Len(), loaded: now}
	if info, err := os.Stat(filepath.Join(public, filepath.FromSlash(search.FileName))); err == nil {
		facts.size, facts.modified = info.Size(), info.ModTime()
	}
	m.index.Store(facts)
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

// stateCollector reads the state of a server when /metrics is asked for.
type stateCollector struct {
	server *Server
	gauges []gauge
}

// gauge is a metric that is read from a server when it is asked for.
type gauge struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	// read returns the value and those of the labels; ok is false where there is
	// none to show.
	read func(*Server) (value float64, labels []string, ok bool)
}

func newStateCollector(s *Server) *stateCollector {
	c := &stateCollector{server: s}
	add := func(kind prometheus.ValueType, name, help string, labels []string, read func(*Server) (float64, []string, bool)) {
		c.gauges = append(c.gauges, gauge{prometheus.NewDesc(name, help, labels, nil), kind, read})
	}
	number := func(kind prometheus.ValueType, name, help string, read func(*Server) float64) {
		add(kind, name, help, nil, func(s *Server) (float64, []string, bool) { return read(s), nil, true })
	}
	number(prometheus.GaugeValue, "catalog_ready", "1 while /readyz answers 200, 0 while the server drains.", func(s *Server) float64 { return truth(!s.draining.Load()) })
	number(prometheus.GaugeValue, "catalog_http_requests_in_flight", "Requests that have come and are not yet answered, those whose clients read slowly too.", func(s *Server) float64 { return float64(s.metrics.inFlight.Load()) })
	number(prometheus.GaugeValue, "catalog_http_slots", "How many requests are decided at once; beyond, they are answered 503.", func(s *Server) float64 { return float64(s.slots.most) })
	number(prometheus.GaugeValue, "catalog_http_slots_in_use", "Requests that are being decided.", func(s *Server) float64 { return float64(s.slots.used.Load()) })
	number(prometheus.GaugeValue, "catalog_http_unsent_bytes", "Memory that answers take which clients have not yet read.", func(s *Server) float64 { return float64(s.unsent.used.Load()) })
	number(prometheus.GaugeValue, "catalog_http_unsent_limit_bytes", "How much memory such answers may take; beyond, requests are answered 503.", func(s *Server) float64 { return float64(s.unsent.most) })
	c.addIndexGauges(add)
	c.addStoreGauges(add)
	return c
}

// adder adds a metric with these labels to a collector.
type adder func(kind prometheus.ValueType, name, help string, labels []string, read func(*Server) (float64, []string, bool))

func (c *stateCollector) addIndexGauges(add adder) {
	format := decimal(search.FormatVersion)
	add(prometheus.GaugeValue, "catalog_index_info", "Always 1; the labels name the index that serves: a hash of its contents, and the version of its format.", []string{"identity", "format"},
		func(s *Server) (float64, []string, bool) {
			return 1, []string{s.metrics.index.Load().identity, format}, true
		})
	add(prometheus.GaugeValue, "catalog_index_listings", "Listings in the index that serves.", nil,
		func(s *Server) (float64, []string, bool) {
			return float64(s.metrics.index.Load().listings), nil, true
		})
	add(prometheus.GaugeValue, "catalog_index_size_bytes", "Size of the index file when it was loaded.", nil,
		func(s *Server) (float64, []string, bool) {
			size := s.metrics.index.Load().size
			return float64(size), nil, size > 0
		})
	add(prometheus.GaugeValue, "catalog_index_modified_timestamp_seconds", "When the index file that serves was written, in seconds since 1970: what time() exceeds it by is its age.", nil,
		func(s *Server) (float64, []string, bool) {
			at := s.metrics.index.Load().modified
			return unixSeconds(at), nil, !at.IsZero()
		})
	add(prometheus.GaugeValue, "catalog_index_loaded_timestamp_seconds", "When the index that serves was loaded, in seconds since 1970.", nil,
		func(s *Server) (float64, []string, bool) {
			return unixSeconds(s.metrics.index.Load().loaded), nil, true
		})
}

func (c *stateCollector) addStoreGauges(add adder) {
	number := func(kind prometheus.ValueType, name, help string, read func(ratestore.Stats) float64) {
		add(kind, name, help, nil, func(s *Server) (float64, []string, bool) { return read(s.rates.Stats()), nil, true })
	}
	number(prometheus.GaugeValue, "catalog_allowance_clients", "Clients whose counts are kept in memory.",
		func(stats ratestore.Stats) float64 { return float64(stats.Clients) })
	number(prometheus.GaugeValue, "catalog_allowance_bytes", "Memory that those counts take.",
		func(stats ratestore.Stats) float64 { return float64(stats.Bytes) })
	number(prometheus.GaugeValue, "catalog_allowance_limit_bytes", "How much memory those counts may take.",
		func(stats ratestore.Stats) float64 { return float64(stats.Bound) })
	number(prometheus.CounterValue, "catalog_allowance_evictions_total", "Clients whose counts were forgotten before they had expired, to make room for others.",
		func(stats ratestore.Stats) float64 { return float64(stats.Evictions) })
	store := func(kind prometheus.ValueType, name, help string, read func(ratestore.Stats) float64) {
		add(kind, name, help, []string{"store"}, func(s *Server) (float64, []string, bool) {
			stats := s.rates.Stats()
			kind := "redis"
			if stats.State == ratestore.InMemory {
				kind = "memory"
			}
			return read(stats), []string{kind}, true
		})
	}
	store(prometheus.GaugeValue, "catalog_rate_store_up", "1 while the rate store answers; 0 while requests are counted locally because it does not.",
		func(stats ratestore.Stats) float64 { return truth(stats.State != ratestore.InLocal) })
	store(prometheus.CounterValue, "catalog_rate_store_shared_decisions_total", "Requests that were decided while the rate store answers: by it, or because this replica alone had granted the whole allowance.",
		func(stats ratestore.Stats) float64 { return float64(stats.SharedDecisions) })
	store(prometheus.CounterValue, "catalog_rate_store_local_decisions_total", "Requests that were counted locally because the rate store could not be reached.",
		func(stats ratestore.Stats) float64 { return float64(stats.LocalDecisions) })
	store(prometheus.CounterValue, "catalog_rate_store_errors_total", "Calls of the rate store that failed or took too long.",
		func(stats ratestore.Stats) float64 { return float64(stats.Errors) })
	store(prometheus.CounterValue, "catalog_rate_store_falls_total", "How often counting changed from the rate store to local.",
		func(stats ratestore.Stats) float64 { return float64(stats.Falls) })
}

// Describe sends the descriptions of what Collect sends.
func (c *stateCollector) Describe(descriptions chan<- *prometheus.Desc) {
	for _, g := range c.gauges {
		descriptions <- g.desc
	}
}

// Collect sends the values of now.
func (c *stateCollector) Collect(values chan<- prometheus.Metric) {
	for _, g := range c.gauges {
		if value, labels, ok := g.read(c.server); ok {
			values <- prometheus.MustNewConstMetric(g.desc, g.kind, value, labels...)
		}
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func unixSeconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
