package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Limits of a connection. Requests are small and responses are small files: a client
// that needs longer is stuck or hostile.
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
		connections.stop() // from here on, nobody new
	} else {
		_ = public.Close()
	}
	connections.awaitNone()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	for _, server := range servers {
		// The listener may be closed already.
		if stopErr := server.Shutdown(stopping); stopErr != nil && !errors.Is(stopErr, net.ErrClosed) {
			_ = server.Close() // whoever is still connected has had shutdownTimeout
			stopErr = fmt.Errorf("stop serving: requests did not finish in %v: %w", shutdownTimeout, stopErr)
			err = errors.Join(err, stopErr)
		}
	}
	for range running { // each Serve returns once its server is shut down
		<-failed
	}
	return err
}

// publicServer returns the server of the public address, and its listener.
func (s *Server) publicServer(public net.Listener) (*http.Server, *connections) {
	listener := newConnections(public, s.metrics, s.proxies)
	server := httpServer(s.Handler(), writeTimeout, s.log.Handler())
	server.ConnState = listener.follow
	return server, listener
}

func httpServer(h http.Handler, writeTimeout time.Duration, log slog.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log, slog.LevelDebug), // mostly clients that hang up
	}
}
