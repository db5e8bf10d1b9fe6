package server

import (
	"bytes"
	"context"
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

// Limits on headers. Many short headers take 20 times their size in memory, so a client with 2,000
// connections that never finishes its requests would take more than a gigabyte.
const (
	// smallHeaders is the size of headers that any connection may send, in bytes. Browsers send
	// less.
	smallHeaders = 2 << 10
	// maxLargeHeaders is how many connections may send more at the same time, and
	// maxClientLargeHeaders is how many of them may belong to one client, so it takes eight clients
	// to use up all. The limit per client does not apply to trusted proxies, because they send the
	// headers of many clients.
	maxLargeHeaders       = 128
	maxClientLargeHeaders = 16
)

// headersRefused is sent when too many connections send large headers.
const headersRefused = "HTTP/1.1 503 Service Unavailable\r\n" +
	"Retry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

// connections is a listener that limits large headers, and stops without resetting connections.
type connections struct {
	net.Listener
	metrics *metrics
	open    atomic.Int64
	large   bound // connections that send large headers
	clients shares
	proxies proxies
	// stopping is when to stop accepting, in nanoseconds since 1970; 0 until stop is called. Once
	// Accept accepts no more connections, it calls emptied, which closes empty.
	stopping atomic.Int64
	empty    chan struct{}
	emptied  func()
	firsts   sync.Pool // of *firstWrite
}

// newConnections wraps a listener.
func newConnections(l net.Listener, m *metrics, p proxies) *connections {
	empty := make(chan struct{})
	return &connections{
		Listener: l, metrics: m, proxies: p,
		large: bound{most: maxLargeHeaders}, clients: newShares(maxClientLargeHeaders),
		empty: empty, emptied: sync.OnceFunc(func() { close(empty) }),
	}
}

// setDeadline sets a deadline for Accept. It reports whether the listener supports deadlines.
func (l *connections) setDeadline(t time.Time) bool {
	bounded, ok := l.Listener.(interface{ SetDeadline(time.Time) error })
	return ok && bounded.SetDeadline(t) == nil
}

// When a listener is closed, the kernel resets the connections that are waiting to be accepted, so
// these are accepted first.
const (
	// quiet is how long Accept waits before it concludes that no connection is waiting.
	quiet = time.Millisecond
	// lastAccepts bounds how long connections that arrive without a pause are still accepted.
	lastAccepts = time.Second
)

// stop closes the listener as soon as no connection is waiting to be accepted. Accept must be
// running.
func (l *connections) stop() {
	l.stopping.Store(time.Now().Add(lastAccepts).UnixNano())
	if l.setDeadline(time.Now()) { // wakes Accept
		select {
		case <-l.empty:
		case <-time.After(2 * lastAccepts): // Accept is no longer being called
		}
	}
	_ = l.Close()
}

// next accepts a connection. When the listener is stopping and no connection is waiting, the error
// is net.ErrClosed.
func (l *connections) next() (net.Conn, error) {
	for {
		started, until := time.Now(), l.stopping.Load()
		if until > 0 && started.UnixNano() > until {
			l.emptied()
			return nil, net.ErrClosed
		}
		if until > 0 {
			_ = l.setDeadline(started.Add(quiet)) // no error: it succeeded in stop
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

// connection is an accepted connection that limits the size of request headers.
type connection struct {
	*net.TCPConn
	all *connections
	// reading is true while the headers of a request are being read. Only the goroutine that reads
	// them uses the fields below.
	reading  atomic.Bool
	received int // bytes of the headers so far
	isLarge  bool
	client   netip.Addr // the zero Addr for a trusted proxy

	// gathers means that the next write is held back in first. Only the goroutine that writes a
	// response uses these fields.
	gathers bool
	first   *firstWrite // nil if nothing is held back
}

// firstWrite has room for the largest write with which net/http begins a response: it buffers 4 KiB.
type firstWrite struct {
	size  int
	bytes [4 << 10]byte
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

// follow is the http.Server.ConnState hook. A connection stays new or idle until the headers of its
// next request have been read.
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

// begin resets the count of header bytes, before headers are read and again when they are complete.
func (c *connection) begin(reading bool) {
	if c.isLarge {
		c.all.large.release(1)
		c.all.clients.release(c.client, 1)
	}
	c.received, c.isLarge = 0, false
	c.reading.Store(reading)
}

// Read implements net.Conn. It refuses large headers if too many connections are sending them.
func (c *connection) Read(p []byte) (n int, err error) {
	n, err = c.TCPConn.Read(p)
	if !c.reading.Load() || c.isLarge {
		return n, err
	}
	// Headers end with an empty line. A body or the next request may follow.
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
	_, _ = io.WriteString(c.TCPConn, headersRefused) // an error does not matter: the connection is closed anyway
	return 0, io.EOF
}

// awaitNone waits until no connection is open, for at most lastRequests. It waits in several short
// steps, so that the goroutines that read requests get to run even on a busy machine.
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

// connectionKey is the key of the *connection in the context of a request.
type connectionKey struct{}

// withConnection is the http.Server.ConnContext hook.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// gather holds back the first write of a response until the second, or until release. net/http
// writes the headers with the beginning of the body, and then the rest. Both are sent with one
// system call, for which the client wakes up once.
func (c *connection) gather() { c.gathers = true }

// release sends what is still held back. After an error the connection is closed, because net/http
// does not know of it.
func (c *connection) release() error {
	c.gathers = false
	if c.first == nil {
		return nil
	}
	_, err := c.writeAfterFirst(nil)
	if err != nil {
		_ = c.Close()
	}
	return err
}

// Write implements net.Conn.
func (c *connection) Write(p []byte) (n int, err error) {
	switch {
	case c.first != nil:
		return c.writeAfterFirst(p)
	case c.gathers:
		c.gathers = false
		if first := c.all.takeFirst(); len(p) <= len(first.bytes) {
			first.size = copy(first.bytes[:], p)
			c.first = first
			return len(p), nil
		}
	}
	return c.TCPConn.Write(p)
}

// writeAfterFirst writes what was held back, and then p. n is how much of p was written.
func (c *connection) writeAfterFirst(p []byte) (n int, err error) {
	first := c.first
	c.first = nil
	defer c.all.firsts.Put(first)
	both := net.Buffers{first.bytes[:first.size], p}
	sent, err := both.WriteTo(c.TCPConn)
	return max(int(sent)-first.size, 0), err
}

// ReadFrom implements io.ReaderFrom, through which the kernel sends a file.
func (c *connection) ReadFrom(r io.Reader) (int64, error) {
	if err := c.release(); err != nil {
		return 0, err
	}
	return c.TCPConn.ReadFrom(r)
}

func (l *connections) takeFirst() *firstWrite {
	if first, ok := l.firsts.Get().(*firstWrite); ok {
		return first
	}
	return new(firstWrite)
}
