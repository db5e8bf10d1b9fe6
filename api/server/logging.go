package server

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"catalog.example/api"
)

// ClientLog is how much of a client's address the line of a request tells. It is
// written as in --log-client.
type ClientLog uint8

// The ways of logging client addresses.
const (
	LogClientShort ClientLog = iota // its network: an IPv4 /24 or an IPv6 /48, which names no person
	LogClientFull                   // the address
	LogClientNone                   // nothing
)

var clientLogNames = []string{LogClientShort: "short", LogClientFull: "full", LogClientNone: "none"}

// MarshalText implements encoding.TextMarshaler.
func (l ClientLog) MarshalText() ([]byte, error) { return []byte(clientLogNames[l]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *ClientLog) UnmarshalText(text []byte) error { return choose(l, text, clientLogNames) }

// requestLog logs what becomes of requests.
type requestLog struct {
	*slog.Logger
	client  ClientLog
	proxies proxies
}

// Prefixes of a shortened address: what providers hand to a site, not to a host.
const (
	shortIPv4Bits = 24
	shortIPv6Bits = 48
)

// answered logs a request, without its query: what people look for is private, and
// some put keys there. Headers may hold keys too; only the user agent is logged.
func (l *requestLog) answered(req *request, took time.Duration) {
	ctx := req.r.Context()
	if !l.Enabled(ctx, slog.LevelDebug) {
		return
	}
	attrs := make([]slog.Attr, 0, 10)
	attrs = append(attrs,
		slog.String("method", shorten(req.r.Method)),
		slog.String("path", shorten(req.r.URL.EscapedPath())),
		slog.Int("status", req.status),
		slog.String("route", req.route),
		slog.Int64("bytes", req.sent),
		slog.Float64("ms", float64(took.Microseconds())/1000))
	if client := l.clientOf(req.r); client != "" {
		attrs = append(attrs, slog.String("client", client))
	}
	if agent := req.r.UserAgent(); agent != "" {
		attrs = append(attrs, slog.String("agent", shorten(agent)))
	}
	l.LogAttrs(ctx, slog.LevelDebug, "request", append(attrs, slog.String("id", req.id))...)
}

// clientOf returns what is logged of the sender of a request, or "".
func (l *requestLog) clientOf(r *http.Request) string {
	if l.client == LogClientNone {
		return ""
	}
	address := l.proxies.origin(r)
	if !address.IsValid() {
		return ""
	}
	if l.client == LogClientFull {
		return address.String()
	}
	return shortened(address)
}

// shortened returns the network of an address, such as 192.0.2.0/24.
func shortened(address netip.Addr) string {
	bits := shortIPv6Bits
	if address.Is4() {
		bits = shortIPv4Bits
	}
	network, err := address.Prefix(bits)
	if err != nil { // not for an address without a zone
		return ""
	}
	return network.String()
}

// unsent logs that a client was gone before the response was sent. Errors of
// connections hold the addresses of both ends, which are not logged.
func (l *requestLog) unsent(req *request) {
	err := req.sendErr
	if at, ok := errors.AsType[*net.OpError](err); ok {
		err = fmt.Errorf("%s: %w", at.Op, at.Err)
	}
	l.Debug("answer not sent", "id", req.id, "error", err)
}

// panicked logs a panic, with its stack.
func (l *requestLog) panicked(req *request, reason any) {
	l.LogAttrs(context.WithoutCancel(req.r.Context()), slog.LevelError, "panic",
		slog.String("id", req.id),
		slog.String("method", shorten(req.r.Method)), slog.String("path", shorten(req.r.URL.Path)),
		slog.Any("panic", reason), slog.String("stack", string(debug.Stack())))
}

// maxRequestID is the longest X-Request-Id that is taken over from a client.
const maxRequestID = 64

// requestID returns the X-Request-Id that was sent, if it is short and safe to repeat in
// headers and logs, or a new one. A key that was sent there is not repeated.
func requestID(h http.Header) string {
	if sent := h["X-Request-Id"]; len(sent) == 1 && isSafeID(sent[0]) && !slices.Contains(presentedKeys(h), sent[0]) {
		return sent[0]
	}
	return rand.Text()
}

func isSafeID(id string) bool {
	if id == "" || len(id) > maxRequestID {
		return false
	}
	for _, c := range []byte(id) {
		letterOrDigit := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letterOrDigit && !strings.ContainsRune("-._~:+/=", rune(c)) {
			return false
		}
	}
	return true
}

// maxShown is how much of what a client sent is repeated in problems and logs, in characters.
const maxShown = 120

// shorten returns what may be repeated of a text that a client sent.
func shorten(text string) string {
	return strings.ToValidUTF8(api.Shorten(text, maxShown), "\uFFFD")
}
