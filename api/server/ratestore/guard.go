package ratestore

import (
	"bytes"
	"errors"
	"net"
	"strconv"
	"strings"
	"syscall"
)

// Bounds on what a Redis may send. Errors take a few hundred bytes. The longest reply lists the
// nodes of a Cluster, with about 330 bytes for each master and its replicas.
const (
	maxLine  = 4 << 10
	maxReply = 256 << 10
)

// errReply reports a reply that no Redis sends. It does not quote the reply, which may contain the
// password.
var errReply = errors.New("the answer is not a Redis reply")

// guard is a connection that passes on only valid replies of bounded size in the protocol of Redis
// (RESP2). The library has no bounds of its own, and a Redis must not decide how much memory the
// server takes.
type guard struct {
	net.Conn
	socket *net.TCPConn // the connection below TLS

	left  int    // number of bytes that may be read before the next write
	line  []byte // the incomplete line so far
	bytes int    // number of bytes of a string that are still to come
}

// Write implements net.Conn.
func (g *guard) Write(p []byte) (int, error) {
	g.left = maxReply
	return g.Conn.Write(p)
}

// Read implements net.Conn.
func (g *guard) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		if g.bytes > 0 {
			skipped := min(g.bytes, len(rest))
			g.bytes, rest = g.bytes-skipped, rest[skipped:]
			continue
		}
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		rest = after
		if g.line = append(g.line, line...); len(g.line) > maxLine || ended && !g.accept() {
			return 0, errReply
		}
	}
	return n, err
}

// accept reports whether the line is valid and within the bounds, and clears it for the next one.
func (g *guard) accept() bool {
	text, ended := bytes.CutSuffix(g.line, []byte("\r"))
	if !ended || len(text) == 0 || strings.IndexByte("+-:$*", text[0]) < 0 {
		return false
	}
	length := 0
	if text[0] != '+' && text[0] != '-' {
		n, err := strconv.ParseInt(string(text[1:]), 10, 64)
		if err != nil || text[0] != ':' && (n < -1 || n > maxReply) {
			return false
		}
		if text[0] != ':' {
			length = max(0, int(n))
		}
		if text[0] == '$' && n >= 0 {
			g.bytes = length + 2 // including the end of the line
		}
	}
	g.left -= 16 + len(text) + length // 16 bytes of overhead for the value in memory
	g.line = g.line[:0]
	return g.left >= 0
}

// Close implements net.Conn, without the closing handshake of TLS.
func (g *guard) Close() error { return g.socket.Close() }

// SyscallConn implements syscall.Conn. The library uses it to see whether Redis has closed
// an idle connection.
func (g *guard) SyscallConn() (syscall.RawConn, error) { return g.socket.SyscallConn() }
