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

// dialTimeout bounds how long it may take to connect: with TLS and a password,
// three round trips.
const dialTimeout = time.Second

// connection is one connection to a Redis. Calls share it: each is written at once,
// and one goroutine reads the replies, which come in the order of the calls.
//
// A connection on which anything but a reply goes wrong is closed, and its calls
// fail. A reply that comes too late is never read as that to another call.
type connection struct {
	socket net.Conn // below TLS, which would wait to say goodbye
	stream net.Conn
	in     *bufio.Reader
	ended  chan struct{} // closed once nothing is read any more

	mu      sync.Mutex
	pending []*call // written and not answered, oldest first
	used    bool    // a call was answered
	err     error   // why the connection is closed; nil while it is open
}

// call is a command whose reply is waited for.
type call struct {
	deadline time.Time // zero: none
	reply    chan reply
}

// reply is what came of a call.
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
	keep := context.AfterFunc(ctx, func() { _ = socket.Close() }) // which ends whatever goes on
	err = c.greet(e, config)
	if !keep() {
		return nil, ctx.Err()
	}
	if err != nil {
		_ = socket.Close() // nothing was asked
		return nil, err
	}
	go c.read()
	return c, nil
}

// greet does what comes before the first call.
func (c *connection) greet(e Endpoint, config *tls.Config) error {
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

// authenticate tells Redis who asks; user may be empty.
func (c *connection) authenticate(user, password string) error {
	if user != "" {
		return c.expectOK("AUTH", user, password)
	}
	// With the name, a Redis that does not ask for a password yet takes one, too:
	// replicas and Redis can be given it in this order.
	err := c.expectOK("AUTH", "default", password)
	if isRefusal(err, "ERR") { // a Redis from before there were users, or a proxy
		err = c.expectOK("AUTH", password)
	}
	return err
}

// expectOK makes a call before the connection is shared.
func (c *connection) expectOK(command ...string) error {
	if _, err := c.stream.Write(encode(command...)); err != nil {
		return err
	}
	line, err := readLine(c.in)
	switch {
	case err != nil:
		return err
	case line[0] == '-':
		return refusal(line[1:])
	case string(line) != "+OK":
		return errReply
	}
	return nil
}

// do makes one call. It ends with ctx, whose deadline is the connection's, too:
// where the reply is not there by then, the connection is closed. A caller that
// gives up earlier leaves the others alone.
func (c *connection) do(ctx context.Context, command []byte) (numbers, error) {
	made := &call{reply: make(chan reply, 1)}
	made.deadline, _ = ctx.Deadline()
	if err := c.send(made, command); err != nil {
		return numbers{}, err
	}
	select {
	case r := <-made.reply:
		return r.numbers, r.err
	case <-ctx.Done():
		return numbers{}, ctx.Err()
	}
}

func (c *connection) send(made *call, command []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	if len(c.pending) == 0 {
		_ = c.stream.SetReadDeadline(made.deadline) // where it fails, so does the write
	}
	c.pending = append(c.pending, made)
	_ = c.stream.SetWriteDeadline(made.deadline)
	if _, err := c.stream.Write(command); err != nil {
		c.fail(err)
		return c.err
	}
	return nil
}

// read hands replies to calls until the connection is closed.
func (c *connection) read() {
	defer close(c.ended)
	for {
		var r reply
		r.numbers, r.err = readReply(c.in)
		c.mu.Lock()
		if r.err == nil && len(c.pending) == 0 {
			r.err = errReply
		}
		if _, refused := errors.AsType[refusal](r.err); r.err != nil && (!refused || len(c.pending) == 0) {
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

// fail closes the connection and fails the calls that wait for it. c.mu is held.
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

// isOpen tells whether calls can be made. If a reply is late, the connection is closed
// here: the reader may take a moment to notice, and new calls would fail with it.
func (c *connection) isOpen() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) > 0 && !c.pending[0].deadline.IsZero() && !time.Now().Before(c.pending[0].deadline) {
		c.fail(context.DeadlineExceeded)
	}
	return c.err == nil
}

// close ends the connection and what waits for it.
func (c *connection) close() {
	_ = c.socket.Close() // first: a write that blocks holds the lock
	c.mu.Lock()
	c.fail(net.ErrClosed)
	c.mu.Unlock()
	<-c.ended
}

// errHungUp is why a call failed whose connection had been fine before, and was
// closed by Redis: it does that with idle ones, as its setting timeout says.
var errHungUp = errors.New("the connection was closed by Redis")

// errReply is why a connection is closed on which something came that Redis does
// not answer. It does not repeat what came, which may hold the password.
var errReply = errors.New("what answers is no Redis, or not as it should: expected OK, an error or three numbers")

// refusal is an error that Redis answered.
type refusal string

// Error implements error.
func (r refusal) Error() string { return string(r) }

// isRefusal tells whether an error is one that Redis answered, and begins with
// that word.
func isRefusal(err error, word string) bool {
	r, ok := errors.AsType[refusal](err)
	return ok && strings.HasPrefix(string(r), word+" ")
}

// encode returns a command as Redis reads it (RESP).
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

// maxLine is how long a line of a reply may be, in bytes. Errors of Redis take
// some hundred.
const maxLine = 4 << 10

// numbers are what the script answers.
type numbers [3]int64

// readReply reads the reply to a call of the script: three numbers, or an error,
// which is a refusal. It takes no other types, and no lengths: whoever answers
// does not decide how much memory that takes.
func readReply(in *bufio.Reader) (n numbers, err error) {
	line, err := readLine(in)
	switch {
	case err != nil:
		return n, err
	case line[0] == '-':
		return n, refusal(line[1:])
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

// readLine returns the next line without its end, at least one byte, until the
// next read.
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
