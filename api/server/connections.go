package server

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Limits of what a connection may send before a request is answered. Short headers take
// 20 times their bytes in memory: a client with 2,000 connections that never ends its
// requests would take more than a gigabyte.
const (
	// smallHeaders is what any connection may send, in bytes: more than browsers do.
	smallHeaders = 2 << 10
	// maxLargeHeaders is how many connections may send more at once, and
	// maxClientLargeHeaders how many of one client: it takes eight clients to use up
	// all. Trusted proxies send those of many.
	maxLargeHeaders       = 128
	maxClientLargeHeaders = 16
)

// headersRefused is sent when too many connections send large headers.
const headersRefused = "HTTP/1.1 503 Service Unavailable\r\n" +
	"Retry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

// connections are those of a listener.
type connections struct {
	net.Listener
	metrics *metrics
	open    atomic.Int64
	large   bound  // of connections that send large headers
	clients shares // of them
	proxies proxies
	// stopping is the time at which stop gives up, in nanoseconds since 1970; 0 before stop. empty
	// is closed by emptied, which Accept calls when no connection waits any more.
	stopping atomic.Int64
	empty    chan struct{}
	emptied  func()
	// setDeadline bounds the next Accept; nil if the listener cannot.
	setDeadline func(time.Time) error
}

// newConnections returns those of a listener.
func newConnections(l net.Listener, m *metrics, p proxies) *connections {
	empty := make(chan struct{})
	all := &connections{
		Listener: l, metrics: m, proxies: p,
		large: bound{most: maxLargeHeaders}, clients: newShares(maxClientLargeHeaders),
		empty: empty, emptied: sync.OnceFunc(func() { close(empty) }),
	}
	if bounded, ok := l.(interface{ SetDeadline(time.Time) error }); ok {
		all.setDeadline = bounded.SetDeadline
	}
	return all
}

// The system resets connections that wait to be accepted when a listener is closed.
const (
	// quiet is how long none may come before none is taken to wait.
	quiet = time.Millisecond
	// lastAccepts is how long stop goes on accepting if they come without a pause.
	lastAccepts = time.Second
)

// stop closes the listener as soon as no connection waits to be accepted. Accept must be
// running.
func (l *connections) stop() {
	if l.setDeadline != nil {
		l.stopping.Store(time.Now().Add(lastAccepts).UnixNano())
		if l.setDeadline(time.Now()) == nil { // which wakes Accept
			select {
			case <-l.empty:
			case <-time.After(2 * lastAccepts): // Accept is not called any more
			}
		}
	}
	_ = l.Close()
}

// next accepts a connection. While the listener stops, the error is net.ErrClosed once none
// waits.
func (l *connections) next() (net.Conn, error) {
	for {
		started, until := time.Now(), l.stopping.Load()
		if until > 0 && started.UnixNano() > until {
			l.emptied()
			return nil, net.ErrClosed
		}
		if until > 0 {
			_ = l.setDeadline(started.Add(quiet)) // it has worked in stop
		}
		c, err := l.Listener.Accept()
		switch {
		case !errors.Is(err, os.ErrDeadlineExceeded):
			if err != nil && until > 0 {
				l.emptied()
			}
			return c, err
		case until > 0 && time.Since(started) >= quiet:
			l.emptied()
			return nil, net.ErrClosed
		}
	}
}

// connection is one on which requests are read.
type connection struct {
	*net.TCPConn
	all *connections
	// reading: the headers of a request are read. Only the goroutine that reads them uses the
	// fields below.
	reading  atomic.Bool
	received int // bytes of them
	isLarge  bool
	client   netip.Addr // the zero Addr for a trusted proxy
}

// Accept returns the next connection.
func (l *connections) Accept() (net.Conn, error) {
	c, err := l.next()
	if tcp, ok := c.(*net.TCPConn); ok && err == nil {
		client, _ := parseHop(tcp.RemoteAddr().String())
		if l.proxies.trust(client) {
			client = netip.Addr{}
		}
		return &connection{TCPConn: tcp, all: l, client: clientOf(client)}, nil
	}
	return c, err
}

// follow is the http.Server.ConnState hook: a connection is new or idle until the headers
// of its next request are read.
func (l *connections) follow(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		l.open.Add(1)
	case http.StateClosed, http.StateHijacked:
		l.open.Add(-1)
	}
	if c, ok := c.(*connection); ok {
		c.begin(state == http.StateNew || state == http.StateIdle)
	}
}

// begin is called when headers begin, and when they are read.
func (c *connection) begin(reading bool) {
	if c.isLarge {
		c.all.large.release(1)
		c.all.clients.release(c.client, 1)
	}
	c.received, c.isLarge = 0, false
	c.reading.Store(reading)
}

// Read reads, as long as headers stay small or few are large.
func (c *connection) Read(p []byte) (n int, err error) {
	n, err = c.TCPConn.Read(p)
	if !c.reading.Load() || c.isLarge {
		return n, err
	}
	// Headers end with an empty line. A body or the next request follows.
	c.received += n
	ended := bytes.Contains(p[:n], []byte("\r\n\r\n")) || bytes.Contains(p[:n], []byte("\n\n"))
	if c.received <= smallHeaders || ended {
		return n, err
	}
	if c.all.clients.take(c.client, 1) {
		if c.isLarge = c.all.large.take(1); c.isLarge {
			return n, err
		}
		c.all.clients.release(c.client, 1)
	}
	c.all.metrics.overloaded.WithLabelValues(overloadHeaders).Inc()
	_, _ = io.WriteString(c.TCPConn, headersRefused) // the connection is closed in any case
	return 0, io.EOF
}

// awaitNone waits until no connection is open, for lastRequests at most. It looks several
// times, so that the goroutines that read requests run on a busy machine too.
func (l *connections) awaitNone() {
	const looks = 10
	look := time.NewTicker(lastRequests / looks)
	defer look.Stop()
	for range looks {
		if l.open.Load() == 0 {
			return
		}
		<-look.C
	}
}
