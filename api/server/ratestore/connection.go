package ratestore

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/gomodule/redigo/redis"
)

// dialTimeout bounds how long a connection may take to be made, whoever waits for
// it: with TLS and a password, three round trips.
const dialTimeout = time.Second

// connection is one to a Redis. What is written and read is the embedded Conn's;
// its own is that every call ends with its context, which redigo does with a
// goroutine for each call, and not at all for a TLS handshake.
type connection struct {
	redis.Conn
	socket net.Conn        // below TLS
	raw    syscall.RawConn // of socket
	era    uint64          // of the asker, when this was made
}

// dial makes a connection that may ask for counts.
func (a *asker) dial(ctx context.Context) (redis.Conn, error) {
	era := a.era.Load()
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	var dialer net.Dialer
	socket, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(a.endpoint.host, a.endpoint.port))
	if err != nil {
		return nil, err
	}
	c := &connection{socket: socket, era: era}
	if err := c.greet(ctx, a.endpoint, a.tls); err != nil {
		_ = socket.Close() // nothing was asked
		return nil, err
	}
	return c, nil
}

// greet is all that is said before the first question.
func (c *connection) greet(ctx context.Context, e Endpoint, config *tls.Config) error {
	if s, ok := c.socket.(syscall.Conn); ok {
		raw, err := s.SyscallConn()
		if err != nil {
			return err
		}
		c.raw = raw
	}
	stream := c.socket
	if e.tls {
		secured := tls.Client(stream, config)
		if err := secured.HandshakeContext(ctx); err != nil {
			return err
		}
		stream = secured
	}
	c.Conn = redis.NewConn(stream, 0, 0) // the time is bounded by contexts
	if e.password != "" {
		if err := c.authenticate(ctx, e.user, e.password); err != nil {
			return err
		}
	}
	if e.db != 0 {
		if _, err := c.DoContext(ctx, "SELECT", e.db); err != nil {
			return err
		}
	}
	return nil
}

// authenticate says who asks; user may be empty.
func (c *connection) authenticate(ctx context.Context, user, password string) error {
	if user != "" {
		_, err := c.DoContext(ctx, "AUTH", user, password)
		return err
	}
	// Named so, a password is also taken by a Redis that does not ask for one yet:
	// replicas and Redis can be given it in this order.
	_, err := c.ask(ctx, "AUTH", "default", password)
	if isReply(err, "ERR") { // a Redis of before users, or a proxy: it knows the password alone
		_, err = c.DoContext(ctx, "AUTH", password)
	}
	return err
}

// DoContext implements redis.ConnWithContext. A connection on which a call failed
// is not used again: an answer that comes late must not be read as that to the
// next question, and the name of a Redis that refuses may be another's by now.
// That it does not have the script yet is no failure.
func (c *connection) DoContext(ctx context.Context, command string, args ...any) (any, error) {
	reply, err := c.ask(ctx, command, args...)
	if err != nil && !isReply(err, "NOSCRIPT") {
		c.discard()
	}
	return reply, err
}

// ask asks one question, whose answer is waited for until ctx ends: then the socket
// is closed, which ends whatever goes on in it.
func (c *connection) ask(ctx context.Context, command string, args ...any) (any, error) {
	keep := context.AfterFunc(ctx, func() { _ = c.socket.Close() })
	reply, err := c.Do(command, args...)
	if !keep() {
		c.discard() // the pool must know too
		if err != nil {
			err = ctx.Err()
		}
	}
	return reply, err
}

// discard closes the connection at once, and lets its pool see that.
func (c *connection) discard() {
	_ = c.socket.Close() // first: TLS would say farewell, and may have to wait for that
	_ = c.Conn.Close()
}

// ReceiveContext implements redis.ConnWithContext. Nothing is received but the
// answers to questions.
func (c *connection) ReceiveContext(context.Context) (any, error) {
	return nil, errors.ErrUnsupported
}

// isReply tells whether an error is what Redis answered, and begins with that word.
func isReply(err error, word string) bool {
	reply, ok := errors.AsType[redis.Error](err)
	return ok && strings.HasPrefix(string(reply), word+" ")
}

// errStale is why a connection that was idle is not used again. Nobody is told.
var errStale = errors.New("the connection is from before a failure, or was closed by Redis")

// check looks whether a connection that was idle may be used, in that era: Redis
// closes those that ask nothing for its own timeout. To ask it with a PING would
// be a second round trip; the kernel knows.
func (c *connection) check(era uint64) error {
	if c.era != era || c.raw != nil && !quiet(c.raw) {
		return errStale
	}
	return nil
}
