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
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"catalog.example/api"
)

// ClientLog says how much of a client's address is logged (--log-client).
type ClientLog uint8

// The values of ClientLog.
const (
	LogClientShort ClientLog = iota // the client's network, an IPv4 /24 or an IPv6 /48, which identifies nobody
	LogClientFull                   // the whole address
	LogClientNone                   // nothing
)

var clientLogNames = []string{LogClientShort: "short", LogClientFull: "full", LogClientNone: "none"}

// MarshalText implements encoding.TextMarshaler.
func (l ClientLog) MarshalText() ([]byte, error) { return []byte(clientLogNames[l]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *ClientLog) UnmarshalText(text []byte) error { return choose(l, text, clientLogNames) }

// requestLog logs requests.
type requestLog struct {
	*slog.Logger
	access  *slog.Logger
	client  ClientLog
	proxies proxies
}

// Prefix lengths of shortened addresses. Providers assign networks of these sizes to sites, not to
// single hosts.
const (
	shortIPv4Bits = 24
	shortIPv6Bits = 48
)

// answered logs a request at level debug and, if the settings ask for it, in the access log.
func (l *requestLog) answered(req *request, took time.Duration) {
	ctx := req.r.Context()
	if req.inAccessLog {
		l.access.LogAttrs(ctx, slog.LevelInfo, "request", l.attrs(req, took)...)
	}
	if l.Enabled(ctx, slog.LevelDebug) {
		l.LogAttrs(ctx, slog.LevelDebug, "request", l.attrs(req, took)...)
	}
}

// shownPath returns the path of a request for logs and traces. It ends where an escaped query begins: programs that
// escape the question mark ask for a path that has what people search for.
func shownPath(u *url.URL) string {
	if end := strings.IndexAny(u.Path, "?;&"); end >= 0 {
		u = &url.URL{Path: u.Path[:end]}
	}
	return shorten(u.EscapedPath())
}

// attrs describes a request without its query, which is private and may contain a key. Headers may contain keys
// too, so only the user agent is logged.
func (l *requestLog) attrs(req *request, took time.Duration) []slog.Attr {
	attrs := []slog.Attr{
		slog.String("method", shorten(req.r.Method)), slog.String("path", shownPath(req.r.URL)),
		slog.Int("status", req.status), slog.String("route", req.route), slog.Int64("bytes", req.sent),
		slog.Float64("ms", float64(took.Microseconds())/1000),
	}
	if client := l.clientOf(req.r); client != "" {
		attrs = append(attrs, slog.String("client", client))
	}
	if agent := req.r.UserAgent(); agent != "" {
		attrs = append(attrs, slog.String("agent", shorten(agent)))
	}
	return append(attrs, slog.String("id", req.id))
}

// clientOf returns the sender's address in the form in which it is logged, or "" if it is not.
func (l *requestLog) clientOf(r *http.Request) string {
	address := l.proxies.origin(r)
	switch {
	case l.client == LogClientNone || !address.IsValid():
		return ""
	case l.client == LogClientFull:
		return address.String()
	}
	bits := shortIPv6Bits
	if address.Is4() {
		bits = shortIPv4Bits
	}
	return netip.PrefixFrom(address, bits).Masked().String()
}

// unsent logs that the client disconnected before the whole response was sent. It leaves out the
// addresses of both ends, which network errors contain.
func (l *requestLog) unsent(req *request) {
	err := req.sendErr
	if at, ok := errors.AsType[*net.OpError](err); ok {
		err = fmt.Errorf("%s: %w", at.Op, at.Err)
	}
	l.Debug("answer not sent", "id", req.id, "error", err)
}

// panicked logs a panic, with its stack.
func (l *requestLog) panicked(req *request, reason any) {
	l.ErrorContext(context.WithoutCancel(req.r.Context()), "panic", "id", req.id,
		"method", shorten(req.r.Method), "path", shownPath(req.r.URL),
		"panic", reason, "stack", string(debug.Stack()))
}

// maxRequestID is the maximum length of a client's X-Request-Id. A longer one is not used.
const maxRequestID = 64

// requestID returns the client's X-Request-Id if it is short, safe in headers and logs, and not a
// key. Otherwise it returns a new one.
func requestID(h http.Header) string {
	if sent := h["X-Request-Id"]; len(sent) == 1 && isSafeID(sent[0]) && !slices.Contains(presentedKeys(h), sent[0]) {
		return sent[0]
	}
	return rand.Text()
}

// idCharacters lists the characters that a client's X-Request-Id may contain.
const idCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:+/="

func isSafeID(id string) bool {
	return id != "" && len(id) <= maxRequestID && strings.Trim(id, idCharacters) == ""
}

// maxShown is the maximum length of a client's text in problems and logs, in characters.
const maxShown = 120

// shorten returns a client's text in a form that may be repeated: short, and in valid UTF-8.
func shorten(text string) string {
	return strings.ToValidUTF8(api.Shorten(text, maxShown), "\uFFFD")
}
