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
	"time"
)

// Limits on a connection. Requests are small and responses are small files, so a client that needs
// longer is stuck or hostile.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 10 * time.Second  // including the body, which only the MCP server reads
	lingerTimeout     = time.Second       // to discard the rest of a body
	writeTimeout      = 60 * time.Second  // enough for a file of a few megabytes over a slow line
	idleTimeout       = 120 * time.Second // longer than load balancers wait, so that they close first
	maxHeaderBytes    = 32 << 10          // including the request line; net/http answers more with 431
	// adminWriteTimeout leaves time for a profile of a few minutes.
	adminWriteTimeout = 10 * time.Minute
	// shutdownTimeout is how long requests in flight may take to finish.
	shutdownTimeout = 15 * time.Second
	// lastRequests is how long idle connections stay open when the server stops, for requests that
	// clients have already sent.
	lastRequests = 250 * time.Millisecond
)

// Drain announces that the server will stop: /readyz answers 503, and each connection is closed
// after its next answer. Other requests are answered as before.
func (s *Server) Drain() {
	if !s.draining.Swap(true) {
		s.log.Info("stopping: /readyz answers 503, and each connection is closed after its next answer")
	}
}

// Run answers requests on the public listener, and on the admin listener if it is not nil, until
// ctx is cancelled. Then it drains, stops accepting connections, finishes the requests in flight
// and returns nil. These include requests that were sent on an idle connection but have not been
// read yet. The admin address is closed last. Run closes both listeners.
func (s *Server) Run(ctx context.Context, public, admin net.Listener) error {
	connections := newConnections(public, s.metrics, s.proxies)
	server := httpServer(s.Handler(), writeTimeout, s.log.Handler())
	server.ConnState, server.ConnContext = connections.follow, withConnection
	servers := []*http.Server{server} // in the order in which they are stopped
	listeners := []net.Listener{connections}
	if admin != nil {
		servers = append(servers, httpServer(s.AdminHandler(), adminWriteTimeout, s.log.Handler()))
		listeners = append(listeners, admin)
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
		err = fmt.Errorf("serve the catalogue: %w", err)
		running--
	}
	s.Drain()
	if running == len(servers) {
		connections.stop()
	} else {
		_ = public.Close()
	}
	connections.awaitNone()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	for _, server := range servers {
		// The listener may be closed already.
		if stopErr := server.Shutdown(stopping); stopErr != nil && !errors.Is(stopErr, net.ErrClosed) {
			_ = server.Close() // clients have had shutdownTimeout
			stopErr = fmt.Errorf("stop serving: requests did not finish in %v: %w", shutdownTimeout, stopErr)
			err = errors.Join(err, stopErr)
		}
	}
	for range running { // every Serve returns when its server is shut down
		<-failed
	}
	return err
}

func httpServer(h http.Handler, writeTimeout time.Duration, log slog.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log, slog.LevelDebug), // mostly clients that disconnect
	}
}

// AdminHandler returns the handler of the private address: /metrics, profiles below /debug/pprof/,
// /healthz and /readyz. Requests for metrics and profiles must use an IP address or one of
// Options.AdminHosts, because the host name of another site may be made to resolve to this server
// (DNS rebinding).
func (s *Server) AdminHandler() http.Handler {
	operators := http.NewServeMux()
	operators.HandleFunc("GET /debug/pprof/", pprof.Index)
	operators.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	operators.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	operators.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	operators.HandleFunc("POST /debug/pprof/symbol", pprof.Symbol)
	operators.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	operators.Handle("GET /metrics", s.metrics.handler(s.log.Logger))
	all := http.NewServeMux()
	all.Handle("GET /healthz", s.Handler())
	all.Handle("GET /readyz", s.Handler())
	all.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if !isAdminHost(r.Host, s.o.AdminHosts) {
			const text = "To reach the admin address, use an IP address, localhost, or a name in --admin-hosts."
			http.Error(w, text, http.StatusMisdirectedRequest)
			return
		}
		operators.ServeHTTP(w, r)
	})
	return all
}

// isAdminHost reports whether requests to the admin address may have the given Host. An empty one
// is allowed, because browsers always send one.
func isAdminHost(host string, names []string) bool {
	name := (&url.URL{Host: host}).Hostname()
	if _, err := netip.ParseAddr(name); err == nil || name == "" {
		return true
	}
	name = strings.TrimSuffix(name, ".")
	return slices.ContainsFunc(names, func(allowed string) bool { return strings.EqualFold(name, allowed) })
}
