package ratestore

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// dialTimeout bounds the time to connect, which takes three round trips with TLS and a
// password.
const dialTimeout = time.Second

// connection is a connection to a Redis that calls share. Calls are written at once. One
// goroutine reads the replies, which come in the order of the calls.
//
// After any failure but an error reply, the connection is closed and its calls fail. So a
// late reply is never taken for that of another call.
type connection struct {
	socket net.Conn // closing this skips the closing handshake of TLS
	stream net.Conn
	in     *bufio.Reader
	ended  chan struct{} // closed when the reading goroutine has ended

	mu      sync.Mutex
	pending []*call // written and not answered, oldest first
	used    bool    // whether a call was answered
	err     error   // why the connection is closed; nil while it is open
}

// call is a command without a reply yet.
type call struct {
	deadline time.Time // zero for none
	reply    chan reply
}

// reply is the result of a call.
type reply struct {
	numbers numbers
	err     error
}

// dial returns a connection that is ready for calls.
func dial(ctx context.Context, e Endpoint, config *tls.Config) (*connection, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	var dialer net.Dialer
	socket, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(e.host, e.port))
	if err != nil {
		return nil, err
	}
	c := &connection{socket: socket, stream: socket, ended: make(chan struct{})}
	stop := context.AfterFunc(ctx, func() { _ = socket.Close() }) // ends all reads and writes
	err = c.prepare(e, config)
	if !stop() {
		return nil, ctx.Err()
	}
	if err != nil {
		_ = socket.Close()
		return nil, err
	}
	go c.read()
	return c, nil
}

// prepare sets up TLS, authenticates and selects the database.
func (c *connection) prepare(e Endpoint, config *tls.Config) error {
	if e.tls {
		secured := tls.Client(c.socket, config)
		if err := secured.Handshake(); err != nil {
			return err
		}
		c.stream = secured
	}
	c.in = bufio.NewReaderSize(c.stream, maxLine)
	if e.password != "" {
		if err := c.authenticate(e.user, e.password); err != nil {
			return err
		}
	}
	if e.db != 0 {
		return c.expectOK("SELECT", strconv.Itoa(e.db))
	}
	return nil
}

// authenticate logs in. user may be empty.
func (c *connection) authenticate(user, password string) error {
	if user != "" {
		return c.expectOK("AUTH", user, password)
	}
	// With the user "default", a Redis that has no password yet accepts any. So operators can
	// configure the replicas before the Redis.
	err := c.expectOK("AUTH", "default", password)
	if isRedisError(err, "ERR") { // a Redis before version 6, which has no users, or a proxy
		err = c.expectOK("AUTH", password)
	}
	return err
}

// expectOK makes a call whose reply must be OK, before calls share the connection.
func (c *connection) expectOK(command ...string) error {
	if _, err := c.stream.Write(encode(command...)); err != nil {
		return err
	}
	line, err := readLine(c.in)
	switch {
	case err != nil:
		return err
	case line[0] == '-':
		return redisError(line[1:])
	case string(line) != "+OK":
		return errReply
	}
	return nil
}

// do makes one call. It ends with ctx. If the reply is not there at the deadline of ctx,
// the connection is closed. Cancelling ctx earlier does not affect other calls.
func (c *connection) do(ctx context.Context, command []byte) (numbers, error) {
	pending := &call{reply: make(chan reply, 1)}
	pending.deadline, _ = ctx.Deadline()
	if err := c.send(pending, command); err != nil {
		return numbers{}, err
	}
	select {
	case r := <-pending.reply:
		return r.numbers, r.err
	case <-ctx.Done():
		return numbers{}, ctx.Err()
	}
}

func (c *connection) send(pending *call, command []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	if len(c.pending) == 0 {
		_ = c.stream.SetReadDeadline(pending.deadline) // if this fails, the write fails, too
	}
	c.pending = append(c.pending, pending)
	_ = c.stream.SetWriteDeadline(pending.deadline)
	if _, err := c.stream.Write(command); err != nil {
		c.fail(err)
		return c.err
	}
	return nil
}

// read delivers replies to their calls until the connection is closed.
func (c *connection) read() {
	defer close(c.ended)
	for {
		var r reply
		r.numbers, r.err = readReply(c.in)
		c.mu.Lock()
		if r.err == nil && len(c.pending) == 0 {
			r.err = errReply
		}
		if _, isError := errors.AsType[redisError](r.err); r.err != nil && (!isError || len(c.pending) == 0) {
			c.fail(r.err)
			c.mu.Unlock()
			return
		}
		answered := c.pending[0]
		c.pending = slices.Delete(c.pending, 0, 1)
		c.used = true
		next := time.Time{}
		if len(c.pending) > 0 {
			next = c.pending[0].deadline
		}
		_ = c.stream.SetReadDeadline(next)
		c.mu.Unlock()
		answered.reply <- r
	}
}

// fail closes the connection and fails its calls. The caller holds c.mu.
func (c *connection) fail(err error) {
	_ = c.socket.Close()
	if c.err != nil {
		return
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = context.DeadlineExceeded
	case c.used && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)):
		err = errHungUp
	}
	c.err = err
	for _, waiting := range c.pending {
		waiting.reply <- reply{err: err}
	}
	c.pending = nil
}

// isOpen reports whether calls can be made. If a reply is late, it closes the connection,
// because the reader may take a moment to notice, and new calls would fail with it.
func (c *connection) isOpen() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) > 0 && !c.pending[0].deadline.IsZero() && !time.Now().Before(c.pending[0].deadline) {
		c.fail(context.DeadlineExceeded)
	}
	return c.err == nil
}

// close closes the connection and fails its calls.
func (c *connection) close() {
	_ = c.socket.Close() // before locking, because a blocked write holds the lock
	c.mu.Lock()
	c.fail(net.ErrClosed)
	c.mu.Unlock()
	<-c.ended
}

// errHungUp reports a call that failed because Redis closed a connection that had worked.
// Redis closes idle connections, if its setting timeout says so.
var errHungUp = errors.New("the connection was closed by Redis")

// errReply reports a reply that Redis does not send. It does not quote the reply, which may
// contain the password.
var errReply = errors.New("the answer is not one of Redis: expected OK, an error or three numbers")

// redisError is an error reply of Redis.
type redisError string

// Error implements error.
func (r redisError) Error() string { return string(r) }

// isRedisError reports whether err is an error reply of Redis that begins with a word.
func isRedisError(err error, word string) bool {
	r, ok := errors.AsType[redisError](err)
	return ok && strings.HasPrefix(string(r), word+" ")
}

// encode returns a command in the protocol of Redis (RESP).
func encode(words ...string) []byte {
	size := 16
	for _, word := range words {
		size += len(word) + 16
	}
	command := append(make([]byte, 0, size), '*')
	command = strconv.AppendInt(command, int64(len(words)), 10)
	for _, word := range words {
		command = append(command, "\r\n$"...)
		command = strconv.AppendInt(command, int64(len(word)), 10)
		command = append(append(command, "\r\n"...), word...)
	}
	return append(command, "\r\n"...)
}

// maxLine bounds a line of a reply, in bytes. Errors of Redis take some hundred.
const maxLine = 4 << 10

// numbers is the reply of the script.
type numbers [3]int64

// readReply reads the reply of the script: three numbers, or an error of type redisError.
// It accepts no other types and no lengths, so that the server cannot decide how much
// memory a reply takes.
func readReply(in *bufio.Reader) (n numbers, err error) {
	line, err := readLine(in)
	switch {
	case err != nil:
		return n, err
	case line[0] == '-':
		return n, redisError(line[1:])
	case string(line) != "*3":
		return n, errReply
	}
	for i := range n {
		if line, err = readLine(in); err != nil {
			return n, err
		}
		if line[0] != ':' {
			return n, errReply
		}
		if n[i], err = strconv.ParseInt(string(line[1:]), 10, 64); err != nil {
			return n, errReply
		}
	}
	return n, nil
}

// readLine returns the next line without its end. It has at least one byte, and is valid
// until the next read.
func readLine(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, errReply
	case errors.Is(err, io.EOF) && len(line) > 0:
		return nil, io.ErrUnexpectedEOF
	case err != nil:
		return nil, err
	}
	line, ended := bytes.CutSuffix(line, []byte("\r\n"))
	if !ended || len(line) == 0 {
		return nil, errReply
	}
	return line, nil
}
