// Package server answers HTTP requests for the catalog: the pages of a build
// output folder, and the API from the index that lies in it.
//
// In goes Options: a folder, an index, settings; out comes a Server, whose
// handlers can be mounted or run. A request takes one way through the package,
// which decides first and writes last:
//
//	routes.go     the path, and what serves it; the checks in their order
//	keys.go       the keys that a request presents
//	client.go     the address that an allowance is kept for
//	endpoints.go  the operations of the API
//	pages.go      the files of the build output
//	respond.go    from an answer or an error to headers and bytes
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
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/api/server/ratestore"
)

// Options are what a Server is made of.
type Options struct {
	// Public is the build output folder (contract 8).
	Public string
	// Index is the opened index of that folder.
	Index *search.Index
	// Settings are those in effect: the index's, where nothing overrides them.
	Settings api.Settings
	// TrustedProxies are the networks whose X-Forwarded-For is believed; none
	// where empty (contract 6).
	TrustedProxies []netip.Prefix
	// SandboxScope is what the sandbox allowance is kept for; "" is ScopeClient.
	SandboxScope SandboxScope
	// MaxConcurrent is how many requests are decided at once; the next ones are
	// answered 503 (contract 5). 0 is DefaultMaxConcurrent.
	MaxConcurrent int
	// RateStore counts requests against allowances; nil is memory of its own, by the
	// clock Now. Whoever made it closes it, after the server.
	RateStore ratestore.Store
	// Logger gets one line a request at level debug, and faults at level error;
	// nil discards them.
	Logger *slog.Logger
	// LogClient is how much of client addresses is logged; "" is LogClientShort.
	LogClient ClientLog
	// Version names the build of the program: the next one may answer the same
	// query otherwise, so that it is part of ETags.
	Version string
	// Now is the clock by which allowances are kept where RateStore is nil, and the
	// age of the index is told; nil is time.Now.
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
	index      *search.Index
	settings   api.Settings
	vocabulary api.Vocabulary
	basePath   []string // decoded segments of the base address's path
	openAPI    []byte
	// edition goes into every ETag that is not made from bytes: the index, and
	// the program, whose next version may answer the same query otherwise.
	edition string

	keys    keyring
	proxies proxies
	scope   SandboxScope
	rates   ratestore.Store
	pages   *pages
	policy  []api.Header // of pages

	slots    bound // requests that are decided at once
	unsent   bound // bytes of answers that clients have not read
	draining atomic.Bool
	metrics  *metrics

	log       *slog.Logger
	logClient ClientLog
}

// New returns a server of these options. It fails where the settings are wrong,
// the scope is unknown or the folder cannot be opened.
func New(o Options) (*Server, error) {
	if o.Index == nil {
		return nil, errors.New("serve the catalog: there is no index")
	}
	settings := o.Settings
	if problems := settings.Check(); len(problems) > 0 {
		return nil, fmt.Errorf("serve the catalog: setting %s %s", problems[0].Key, problems[0].Message)
	}
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
	document, err := api.OpenAPI(settings, o.Index.Taxonomy())
	if err != nil {
		return nil, fmt.Errorf("serve the catalog: %w", err)
	}
	pages, err := openPages(o.Public)
	if err != nil {
		return nil, fmt.Errorf("serve the catalog: %w", err)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.RateStore == nil {
		o.RateStore = ratestore.NewMemory(ratestore.DefaultBound, o.Now)
	}
	s := &Server{
		index:      o.Index,
		settings:   settings,
		vocabulary: o.Index.Taxonomy().Vocabulary(),
		basePath:   baseSegments(&settings),
		openAPI:    document,
		edition:    o.Index.Identity() + " " + o.Version,
		keys:       newKeyring(settings.SandboxKey),
		proxies:    newProxies(o.TrustedProxies),
		scope:      o.SandboxScope,
		rates:      o.RateStore,
		pages:      pages,
		policy:     api.PageHeaders(&settings),
		slots:      bound{most: int64(o.MaxConcurrent)},
		unsent:     bound{most: maxUnsent},
		metrics:    newMetrics(o.Version),
		log:        o.Logger,
		logClient:  o.LogClient,
	}
	s.metrics.serving(o.Index, o.Public, o.Now())
	s.metrics.registry.MustRegister(newStateCollector(s))
	return s, nil
}

// baseSegments returns the decoded segments of the base address's path.
func baseSegments(s *api.Settings) []string {
	u, err := url.Parse(s.BaseURL)
	if err != nil || strings.Trim(u.Path, "/") == "" {
		return nil
	}
	segments, _ := pathSegments(u)
	return segments
}

// Handler returns the handler of the public address: pages, API, /healthz and
// /readyz.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

// AdminHandler returns the handler of the address that only operators reach:
// /metrics, profiles below /debug/pprof/, /healthz and /readyz.
func (s *Server) AdminHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("POST /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.Handle("GET /metrics", s.metrics.handler(s.log))
	mux.Handle("GET /healthz", s.Handler())
	mux.Handle("GET /readyz", s.Handler())
	return mux
}

// What a connection may take. Requests are one small GET each and answers are
// small files, so that a client that needs longer is stuck or hostile.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 10 * time.Second  // body included, which is never read
	writeTimeout      = 60 * time.Second  // a file of some megabytes over a slow line
	idleTimeout       = 120 * time.Second // longer than load balancers keep theirs, so that they close first
	maxHeaderBytes    = 32 << 10          // request line included; answered 431 by net/http beyond
	// adminWriteTimeout leaves time for a profile of some minutes.
	adminWriteTimeout = 10 * time.Minute
	// shutdownTimeout is how long requests in flight may take to finish.
	shutdownTimeout = 15 * time.Second
)

// Run answers requests on the public listener and, where it is not nil, on the
// admin listener until ctx is cancelled; then it stops accepting, lets the
// requests in flight finish and returns nil. Meanwhile /readyz answers 503 on the
// admin address, which is closed last. Run closes both listeners.
func (s *Server) Run(ctx context.Context, public, admin net.Listener) error {
	servers := []*http.Server{s.httpServer(s.Handler(), writeTimeout)} // in the order in which they are stopped
	listeners := []net.Listener{public}
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
	s.draining.Store(true)
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	for _, server := range servers {
		if stopErr := server.Shutdown(stopping); stopErr != nil {
			_ = server.Close() // whoever is still connected has had shutdownTimeout
			err = errors.Join(err, fmt.Errorf("stop serving: requests did not finish in %v: %w", shutdownTimeout, stopErr))
		}
	}
	for range running { // each Serve returns once its server is shut down
		<-failed
	}
	return err
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
