// Package server answers HTTP requests for the catalogue: the pages of a build
// output folder, and the API and the MCP server from the index in it.
//
// In go Options: the snapshot of a build, a rate store. Out comes a Server, whose handlers
// can be mounted or run. Begin with routes.go, which has every route and the
// middleware before it, in order. A handler decides and returns a response or an
// error; respond.go turns either into headers and bytes. Package snapshot opens builds and
// replaces them. Package ratestore counts requests per client over 60 seconds.
//
//	routes.go          the stack: middleware in order, and the handler of each path
//	middleware.go      the checks before a handler
//	base.go            a path of the base address, which proxies take off or leave on
//	endpoints.go       handlers of the API
//	files.go           handlers of pages and other files of the build output
//	mcp.go             the handler of messages to the MCP server, which is package mcp
//
//	request.go         one request on its way, and what was sent
//	respond.go         from a response or an error to headers and bytes
//	representation.go  a body in a content coding with its headers, and the cache of them
//	negotiate.go       Accept-Encoding, Accept and If-None-Match
//	compress.go        zstd, Brotli and gzip
//
//	keys.go            the keys that a request presents
//	client.go          the address that a rate limit is kept for
//	origin.go          the sites whose pages may use the MCP server
//	overload.go        how many requests and how much memory there may be at once
//	connections.go     how many connections may send large headers
//	logging.go         what is logged of a request, and what never is
//	metrics.go         what /metrics counts
//	admin.go           the address for operators
//	run.go             timeouts, and stopping without losing requests
package server

import (
	"fmt"
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
	"github.com/prometheus/client_golang/prometheus"
)

// Options are what a Server is made of.
type Options struct {
	// Snapshot returns the build that is answered from. Each request calls it once.
	Snapshot func() *snapshot.Snapshot
	// TrustedProxies are the networks whose X-Forwarded-For is believed; none
	// where empty.
	TrustedProxies []netip.Prefix
	// SandboxScope is what the sandbox allowance is kept for.
	SandboxScope SandboxScope
	// MaxConcurrent is how many requests are decided at once; the next ones are
	// answered 503. 0 is DefaultMaxConcurrent.
	MaxConcurrent int
	// RateStore counts requests against allowances; nil is memory of its own, by a
	// clock that nobody sets. Whoever made it closes it, after the server.
	RateStore ratestore.Store
	// MCPOrigins are the origins, beside the site's own, whose pages may use the MCP
	// server, as ParseOrigins returns them.
	MCPOrigins Origins
	// AdminHosts are the host names by which the admin address may be asked for metrics
	// and profiles, beside localhost and IP addresses.
	AdminHosts []string
	// Logger gets one line a request at level debug, and faults at level error;
	// nil discards them.
	Logger *slog.Logger
	// LogClient is how much of client addresses is logged.
	LogClient ClientLog
	// Version names the build of the program.
	Version string
	// Collectors are metrics of the caller that /metrics shows, too.
	Collectors []prometheus.Collector
	// Now is the time of day, by which the age of the index is told; nil is time.Now.
	// It may be set: nothing else depends on it.
	Now func() time.Time
}

// SandboxScope is what the allowance of the sandbox key is kept for. It
// is written as in --sandbox-scope.
type SandboxScope uint8

// The scopes of the sandbox allowance.
const (
	ScopeClient SandboxScope = iota // each client address has the whole allowance
	ScopeKey                        // all who present the key share it
)

var scopeNames = []string{ScopeClient: "client", ScopeKey: "key"}

// MarshalText implements encoding.TextMarshaler.
func (s SandboxScope) MarshalText() ([]byte, error) { return []byte(scopeNames[s]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *SandboxScope) UnmarshalText(text []byte) error { return choose(s, text, scopeNames) }

// choose sets a choice to the one of that name.
func choose[T ~uint8](choice *T, text []byte, names []string) error {
	i := slices.Index(names, string(text))
	if i < 0 {
		last := len(names) - 1
		return fmt.Errorf("%s and %s are allowed", strings.Join(names[:last], ", "), names[last])
	}
	*choice = T(i)
	return nil
}

// Server answers requests. Its handlers may be used by any number of goroutines.
type Server struct {
	o       Options // without zero values
	current func() *snapshot.Snapshot
	proxies proxies
	mcp     *mcp.Server
	mux     *http.ServeMux // see newMux
	reps    *representations
	metrics *metrics
	log     requestLog

	slots    bound // requests that are decided at once
	messages messages
	unsent   unsent
	draining atomic.Bool
	// folderFault is the second (Unix time) in which a folder that cannot be read was
	// logged last.
	folderFault atomic.Int64
}

// New returns a server of these options.
func New(o Options) (*Server, error) {
	if o.MaxConcurrent <= 0 {
		o.MaxConcurrent = DefaultMaxConcurrent
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.RateStore == nil {
		o.RateStore = ratestore.NewMemory(ratestore.DefaultBound, nil)
	}
	hosts := []string{"localhost"}
	for _, host := range o.AdminHosts {
		hosts = append(hosts, strings.ToLower(host))
	}
	o.AdminHosts = hosts
	compressor, err := newCompressor()
	if err != nil {
		return nil, fmt.Errorf("serve the catalogue: %w", err)
	}
	s := &Server{
		o: o, current: o.Snapshot, proxies: newProxies(o.TrustedProxies), metrics: newMetrics(o.Version),
		slots: bound{most: int64(o.MaxConcurrent)}, unsent: newUnsent(),
	}
	s.log = requestLog{o.Logger, o.LogClient, s.proxies}
	s.messages = newMessages(s.metrics)
	s.reps = &representations{cache: newRepresentationCache(cacheBytes), compressor: compressor, slots: &s.slots}
	s.mcp, s.mux = s.newMCP(), s.newMux()
	s.metrics.observeState(s)
	for _, c := range o.Collectors {
		if err := s.metrics.registry.Register(c); err != nil {
			return nil, fmt.Errorf("serve the catalogue: %w", err)
		}
	}
	return s, nil
}
