// Package server answers HTTP requests for the catalogue: the pages of a build
// output folder, and the API and the MCP server from the index in it.
//
// A Server is made from Options, which supply the build to serve and a rate store. It can run by
// itself, or its handlers can be mounted elsewhere. Start reading at routes.go, which lists every
// route and its middleware in order. A handler returns a response or an error, and respond.go turns
// either into headers and bytes. Package snapshot opens and replaces builds. Package ratestore
// counts requests per client over 60 seconds.
//
//	routes.go          the stack: middleware in order, and the handler of each path
//	middleware.go      the checks before a handler
//	base.go            the path of the base address, which proxies may have removed
//	endpoints.go       handlers of the API
//	files.go           handlers of pages and other files of the build output
//	searchpage.go      the page that searches, with the words of its address
//	mcp.go             the handler of messages to the MCP server, which is package mcp
//
//	request.go         one request, and what was sent
//	respond.go         turns a response or an error into headers and bytes
//	representation.go  bodies in a content coding with their headers
//	answers.go         answers to queries, and how they are kept
//	cache.go           keeps representations
//	negotiate.go       Accept-Encoding, Accept and If-None-Match
//	compress.go        zstd, Brotli and gzip
//
//	client.go          the client of a request: its address and its keys
//	origin.go          the sites whose pages may use the MCP server
//	overload.go        limits on requests and memory
//	connections.go     limits on large headers, and closing a listener without resets
//	logging.go         the log of requests
//	metrics.go         the metrics of the server
//	run.go             the two addresses, timeouts, and stopping without losing requests
package server

import (
	"fmt"
	"hash/maphash"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"catalog.example/api/mcp"
	"catalog.example/api/server/ratestore"
	"catalog.example/api/server/snapshot"
	"catalog.example/api/server/traces"
	"github.com/prometheus/client_golang/prometheus"
)

// Options configure a Server.
type Options struct {
	// Snapshot returns the build to answer from. It is called once for each request.
	Snapshot func() *snapshot.Snapshot
	// TrustedProxies lists the networks whose X-Forwarded-For is trusted.
	TrustedProxies []netip.Prefix
	// SandboxScope says who shares the allowance of the sandbox key.
	SandboxScope SandboxScope
	// MaxConcurrent is how many requests are processed at once. Others are answered with 503. 0
	// means DefaultMaxConcurrent.
	MaxConcurrent int
	// RateStore counts requests; nil means a new one in memory. The caller closes it after the
	// server has stopped.
	RateStore ratestore.Store
	// MCPOrigins lists the origins whose pages may use the MCP server, besides the site's own.
	MCPOrigins Origins
	// AdminHosts lists host names that requests for metrics and profiles may use, besides localhost
	// and IP addresses.
	AdminHosts []string
	// Logger gets a line for each request at level debug, and faults at level error; nil discards
	// them.
	Logger *slog.Logger
	// AccessLog gets a line for each request while the settings of the build in use ask for it; nil discards them.
	AccessLog *slog.Logger
	// Traces gets a span for each request; nil means none. The caller closes it after the server has stopped.
	Traces *traces.Exporter
	// LogClient says how much of client addresses is logged.
	LogClient ClientLog
	// Version is the version of the program.
	Version string
	// Collectors provide additional metrics for /metrics.
	Collectors []prometheus.Collector
	// Now returns the time of day, for the age of the build; nil means time.Now.
	Now func() time.Time
}

// SandboxScope says who shares the allowance of the sandbox key (--sandbox-scope).
type SandboxScope uint8

// The scopes of the sandbox allowance.
const (
	ScopeClient SandboxScope = iota // each client has its own
	ScopeKey                        // all clients share one
)

var scopeNames = []string{ScopeClient: "client", ScopeKey: "key"}

// MarshalText implements encoding.TextMarshaler.
func (s SandboxScope) MarshalText() ([]byte, error) { return []byte(scopeNames[s]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *SandboxScope) UnmarshalText(text []byte) error { return choose(s, text, scopeNames) }

// choose sets a choice to the value whose name is text.
func choose[T ~uint8](choice *T, text []byte, names []string) error {
	i := slices.Index(names, string(text))
	if i < 0 {
		last := len(names) - 1
		return fmt.Errorf("%s and %s are allowed", strings.Join(names[:last], ", "), names[last])
	}
	*choice = T(i)
	return nil
}

// Server answers requests. Any number of goroutines may use its handlers.
type Server struct {
	o       Options // with defaults filled in
	proxies proxies
	mcp     *mcp.Server
	mux     *http.ServeMux // see newMux
	reps    *representations
	metrics *metrics
	log     requestLog

	slots    bound // requests being processed
	messages messages
	unsent   unsent
	draining atomic.Bool
	// folderFault is the last second (Unix time) in which an unreadable folder was logged.
	folderFault atomic.Int64
}

// New returns a server with these options.
func New(o Options) (*Server, error) {
	if o.MaxConcurrent <= 0 {
		o.MaxConcurrent = DefaultMaxConcurrent
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.AccessLog == nil {
		o.AccessLog = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.RateStore == nil {
		o.RateStore = ratestore.NewMemory(ratestore.DefaultBound, nil)
	}
	o.AdminHosts = append([]string{"localhost"}, o.AdminHosts...)
	s := &Server{
		o: o, proxies: newProxies(o.TrustedProxies), metrics: newMetrics(o.Version),
		slots: bound{most: int64(o.MaxConcurrent)}, unsent: newUnsent(),
	}
	s.log = requestLog{o.Logger, o.AccessLog, o.LogClient, s.proxies}
	s.messages = newMessages(s.metrics)
	s.reps = &representations{
		cache: newRepresentationCache(cacheBytes), asked: newAskedAgain(), compressor: newCompressor(), slots: &s.slots,
		seed: maphash.MakeSeed(),
	}
	s.mcp, s.mux = s.newMCP(), s.newMux()
	s.metrics.observeState(s)
	for _, c := range o.Collectors {
		if err := s.metrics.registry.Register(c); err != nil {
			return nil, fmt.Errorf("serve the catalogue: %w", err)
		}
	}
	return s, nil
}
