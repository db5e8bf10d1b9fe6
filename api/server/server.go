// Package server answers HTTP requests for the catalog: the pages of a build
// output folder, and the API from the index that lies in it.
//
// In goes Options: a folder, an index, settings; out comes a Server, whose
// handlers can be mounted or run. A request takes one way through the package,
// which decides first and writes last:
//
//	edition.go    one build as it is served: index, pages and what follows from them
//	reload.go     the next build in place of this one
//	routes.go     the path, and what serves it; the checks in their order
//	keys.go       the keys that a request presents
//	client.go     the address that an allowance is kept for
//	endpoints.go  the operations of the API
//	pages.go      the files of the build output
//	negotiate.go  a page as HTML or as Markdown, as the client would rather have it
//	mcp.go        messages to the MCP server, which is package mcp
//	origin.go     the sites whose pages may send them
//	respond.go    from an answer or an error to headers and bytes
//	forms.go      bodies with their headers, kept for the next who asks
//	encoding.go   in which coding a client wants a body, and which it has
//	compress.go   from a body to another coding, and what that may cost
//	connections.go  what a connection may send, and how many there are
//	overload.go   how many requests are answered at once
//	logging.go    what is logged of a request, and what never is
//	metrics.go    what /metrics counts
//
// How many requests were answered in the last 60 seconds, package ratestore counts.
//
// Section numbers in comments refer to the catalog's API specification ("spec")
// and to the contract that completes it ("contract").
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"catalog.example/api/mcp"
	"catalog.example/api/search"
	"catalog.example/api/server/ratestore"
	"catalog.example/api/site"
)

// Options are what a Server is made of.
type Options struct {
	// Public is the build output folder (contract 8).
	Public string
	// Index is the opened index of that folder; nil has New open it.
	Index *search.Index
	// Settings are those in effect with Index; without it they follow from the build.
	Settings site.Settings
	// Override makes the settings in effect of those that a build stored, whenever
	// one is opened; nil leaves them as they are.
	Override func(built site.Settings) (site.Settings, error)
	// TrustedProxies are the networks whose X-Forwarded-For is believed; none
	// where empty (contract 6).
	TrustedProxies []netip.Prefix
	// SandboxScope is what the sandbox allowance is kept for; "" is ScopeClient.
	SandboxScope SandboxScope
	// MaxConcurrent is how many requests are decided at once; the next ones are
	// answered 503 (contract 5). 0 is DefaultMaxConcurrent.
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
	// LogClient is how much of client addresses is logged; "" is LogClientShort.
	LogClient ClientLog
	// Version names the build of the program: the next one may answer the same
	// query otherwise, so that it is part of ETags.
	Version string
	// Now is the time of day, by which the age of the index is told; nil is time.Now.
	// It may be set: nothing else depends on it.
	Now func() time.Time
}

// SandboxScope is what the allowance of the sandbox key is kept for (contract 6).
type SandboxScope string

// The scopes of the sandbox allowance.
const (
	ScopeClient SandboxScope = "client" // each client address has the whole allowance
	ScopeKey    SandboxScope = "key"    // all who present the key share it
)

// Server answers requests. Its handlers may be used by any number of goroutines.
type Server struct {
	current  atomic.Pointer[edition] // what is answered from
	public   string                  // the folder that editions are opened from
	override func(site.Settings) (site.Settings, error)
	version  string
	// reloading is held by whoever opens a build; tried is the mark of the last that
	// was opened, to serve or to be refused.
	reloading sync.Mutex
	tried     mark
	refused   atomic.Pointer[mark] // of the build that stands at the folder; nil if it serves

	proxies proxies
	scope   SandboxScope
	rates   ratestore.Store

	mcp     *mcp.Server
	origins Origins // beside those of an edition

	slots    bound // requests that are decided at once
	messages messages
	unsent   unsent
	draining atomic.Bool
	metrics  *metrics

	forms      *forms
	compressor *compressor
	buffers    sync.Pool // of *buffer
	// folderFault is the second (Unix time) in which a folder that cannot be read was
	// logged last.
	folderFault atomic.Int64

	adminHosts []string // in lower case

	now       func() time.Time
	log       *slog.Logger
	logClient ClientLog
}

// New returns a server of these options. It fails where the settings are wrong,
// the scope is unknown or the folder cannot be opened, and with
// search.ErrUnusable where the index cannot be.
func New(o Options) (*Server, error) {
	switch o.SandboxScope {
	case "":
		o.SandboxScope = ScopeClient
	case ScopeClient, ScopeKey:
	default:
		return nil, fmt.Errorf("serve the catalog: the sandbox scope is %q: client and key are allowed", o.SandboxScope)
	}
	switch {
	case o.LogClient == "":
		o.LogClient = LogClientShort
	case !slices.Contains(ClientLogs, o.LogClient):
		return nil, fmt.Errorf("serve the catalog: client addresses cannot be logged as %q: full, short and none are allowed", o.LogClient)
	}
	switch {
	case o.MaxConcurrent == 0:
		o.MaxConcurrent = DefaultMaxConcurrent
	case o.MaxConcurrent < 0:
		return nil, fmt.Errorf("serve the catalog: %d requests at once: at least 1 is needed", o.MaxConcurrent)
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
	if o.Override == nil {
		o.Override = func(built site.Settings) (site.Settings, error) { return built, nil }
	}
	compressor, err := newCompressor()
	if err != nil {
		return nil, fmt.Errorf("serve the catalog: %w", err)
	}
	s := &Server{
		public:     filepath.Clean(o.Public),
		override:   o.Override,
		version:    o.Version,
		proxies:    newProxies(o.TrustedProxies),
		scope:      o.SandboxScope,
		rates:      o.RateStore,
		slots:      bound{most: int64(o.MaxConcurrent)},
		messages:   newMessages(),
		unsent:     newUnsent(),
		metrics:    newMetrics(o.Version),
		forms:      newForms(keptBytes),
		compressor: compressor,
		now:        o.Now,
		log:        o.Logger,
		logClient:  o.LogClient,
		origins:    o.MCPOrigins,
		adminHosts: []string{"localhost"},
	}
	for _, host := range o.AdminHosts {
		s.adminHosts = append(s.adminHosts, strings.ToLower(host))
	}
	s.mcp = s.newMCP()
	first, err := s.firstEdition(o.Index, o.Settings)
	if err != nil {
		return nil, err
	}
	s.current.Store(first)
	s.metrics.serving(first.index, s.public, o.Now())
	s.metrics.registry.MustRegister(newStateCollector(s))
	return s, nil
}

// firstEdition is that of the index and settings that New was given, or what
// stands at the folder.
func (s *Server) firstEdition(ix *search.Index, settings site.Settings) (*edition, error) {
	if ix == nil {
		return s.openEdition()
	}
	pages, err := openPages(s.public, s.wasRefused)
	if err != nil {
		return nil, fmt.Errorf("serve the catalog: %w", err)
	}
	s.tried = markIn(pages.root)
	e, err := newEdition(ix, settings, pages, s.version)
	if err != nil {
		pages.close()
		return nil, fmt.Errorf("serve the catalog: %w", err)
	}
	return e, nil
}

// Handler returns the handler of the public address: pages, API, /healthz and
// /readyz.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

// AdminHandler returns the handler of the address that only operators reach:
// /metrics, profiles below /debug/pprof/, /healthz and /readyz. Metrics and profiles
// are refused to who asks by a name that is not among Options.AdminHosts: a page of
// another site can have a name that leads here (DNS rebinding), but no IP address.
func (s *Server) AdminHandler() http.Handler {
	operators := http.NewServeMux()
	operators.HandleFunc("GET /debug/pprof/", pprof.Index)
	operators.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	operators.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	operators.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	operators.HandleFunc("POST /debug/pprof/symbol", pprof.Symbol)
	operators.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	operators.Handle("GET /metrics", s.metrics.handler(s.log))
	all := http.NewServeMux()
	all.Handle("GET /healthz", s.Handler())
	all.Handle("GET /readyz", s.Handler())
	all.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if !s.isAdminHost(r.Host) {
			http.Error(w, "The admin address is asked by an IP address, by localhost, or by a name that --admin-hosts lists.", http.StatusMisdirectedRequest)
			return
		}
		operators.ServeHTTP(w, r)
	})
	return all
}

// isAdminHost reports whether the admin address may be asked by a host. Programs
// alone leave the host out.
func (s *Server) isAdminHost(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	if _, err := netip.ParseAddr(name); err == nil || name == "" {
		return true
	}
	return slices.Contains(s.adminHosts, strings.TrimSuffix(strings.ToLower(name), "."))
}

// What a connection may take. Requests are one small GET or message each and answers are
// small files, so that a client that needs longer is stuck or hostile.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 10 * time.Second  // body included, which only the MCP server reads
	lingerTimeout     = time.Second       // for the rest of a body that nobody reads
	writeTimeout      = 60 * time.Second  // a file of some megabytes over a slow line
	idleTimeout       = 120 * time.Second // longer than load balancers keep theirs, so that they close first
	maxHeaderBytes    = 32 << 10          // request line included; answered 431 by net/http beyond
	// adminWriteTimeout leaves time for a profile of some minutes.
	adminWriteTimeout = 10 * time.Minute
	// shutdownTimeout is how long requests in flight may take to finish.
	shutdownTimeout = 15 * time.Second
	// lastRequests is how long a kept connection stays open when the server stops,
	// for a request that was sent before.
	lastRequests = 250 * time.Millisecond
)

// Drain tells whoever asks that the server is going to stop: /readyz answers 503,
// and each connection is closed after its next answer. All else is answered as
// before.
func (s *Server) Drain() {
	if !s.draining.Swap(true) {
		s.log.Info("stopping: /readyz answers 503, and each connection is closed after its next answer")
	}
}

// Run answers requests on the public listener and, where it is not nil, on the
// admin listener until ctx is cancelled; then it drains, stops accepting, lets the
// requests in flight finish and returns nil. Requests are in flight, too, that
// were sent over a kept connection and have not yet been read. The admin address
// is closed last. Run closes both listeners.
func (s *Server) Run(ctx context.Context, public, admin net.Listener) error {
	server, connections := s.publicServer(public)
	servers := []*http.Server{server} // in the order in which they are stopped
	listeners := []net.Listener{connections}
	if admin != nil {
		servers, listeners = append(servers, s.httpServer(s.AdminHandler(), adminWriteTimeout)), append(listeners, admin)
	}
	failed := make(chan error, len(servers))
	for i, server := range servers {
		go func() { failed <- server.Serve(listeners[i]) }()
	}
	var err error
	running := len(servers)
	select {
	case <-ctx.Done():
	case err = <-failed:
		err = fmt.Errorf("serve the catalog: %w", err)
		running--
	}
	s.Drain()
	_ = public.Close() // from here on, nobody new
	connections.awaitNone()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	for _, server := range servers {
		// The listener may be closed already.
		if stopErr := server.Shutdown(stopping); stopErr != nil && !errors.Is(stopErr, net.ErrClosed) {
			_ = server.Close() // whoever is still connected has had shutdownTimeout
			err = errors.Join(err, fmt.Errorf("stop serving: requests did not finish in %v: %w", shutdownTimeout, stopErr))
		}
	}
	for range running { // each Serve returns once its server is shut down
		<-failed
	}
	return err
}

// publicServer returns the server of the public address, and its listener.
func (s *Server) publicServer(public net.Listener) (*http.Server, *connections) {
	listener := &connections{Listener: public, metrics: s.metrics, large: bound{most: maxLargeHeaders}, clients: newShares(maxClientLargeHeaders), proxies: s.proxies}
	server := s.httpServer(s.Handler(), writeTimeout)
	server.ConnState = listener.follow
	return server, listener
}

func (s *Server) httpServer(h http.Handler, writeTimeout time.Duration) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug), // mostly clients that hang up
	}
}
