package server

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/api/mcp"
	"catalog.example/api/server/snapshot"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	// maxBodies bounds the memory of messages that are read, in bytes: 512 of the largest, or
	// many more usual ones.
	maxBodies = 512 * mcp.MaxMessage
	// firstRead is the first memory for a message, in bytes. Most messages fit. It doubles while
	// more bytes arrive.
	firstRead = 4 << 10
	// maxUnread is the number of messages that are read at once for one client. A client sends
	// one at a time, usually in one packet with its headers, so 16 are many for clients that
	// share an address. It takes 32 addresses to use up maxBodies.
	maxUnread = 16
	// answersPerCore is the number of messages that are answered at once for each core. Others
	// wait, and take no memory but the message. Answering takes up to 2 MB, and a core is no
	// faster with more than two of them.
	answersPerCore = 2
	// mcpTimeout is how long an answer may take. All take some milliseconds.
	mcpTimeout = 10 * time.Second
)

// messages bounds the memory of messages and of their answers.
type messages struct {
	metrics *metrics
	bodies  bound         // bytes that have arrived, until the message is answered
	unread  shares        // messages of each client that are being read
	turns   chan struct{} // has a value for each message that is being answered
}

func newMessages(m *metrics) messages {
	return messages{
		metrics: m, bodies: bound{most: maxBodies}, unread: newShares(maxUnread),
		turns: make(chan struct{}, answersPerCore*runtime.GOMAXPROCS(0)),
	}
}

func (s *Server) newMCP() *mcp.Server {
	return mcp.New(mcp.Options{
		Snapshot: func(ctx context.Context) *mcp.Snapshot { return s.mcpCallOf(ctx).snapshot.MCP },
		Refusal:  func(ctx context.Context) *api.ToolProblem { return s.mcpCallOf(ctx).refusal },
		Observe: func(call string, outcome mcp.Outcome) {
			s.metrics.mcpCalls.WithLabelValues(call, string(outcome)).Inc()
			if call == api.ToolSearch && outcome == mcp.OutcomeOK {
				s.metrics.searches.Inc()
			}
		},
		Fault: func(ctx context.Context, cause any, stack []byte) *api.Problem {
			id := s.mcpCallOf(ctx).id
			if stack == nil {
				s.log.Error("fault", "id", id, "route", routeMCP, "error", cause)
			} else {
				s.metrics.panics.Inc()
				s.log.Error("panic", "id", id, "route", routeMCP, "panic", cause, "stack", string(stack))
			}
			return internalProblem(id)
		},
	})
}

// RunMCP answers the messages of one client, a line each, until the client closes in or ctx is
// cancelled. There is no allowance: anybody who can start the program has the index.
func (s *Server) RunMCP(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	return s.mcp.Run(ctx, in, out)
}

// mcpCall is the part of a request that answers its message, in another goroutine. It never
// changes.
type mcpCall struct {
	snapshot *snapshot.Snapshot
	id       string
	refusal  *api.ToolProblem // nil unless the allowance is used up
}

type mcpCallKey struct{}

// mcpCallOf returns the call of a context. For a message on standard input, that is a new one, without
// an allowance.
func (s *Server) mcpCallOf(ctx context.Context) *mcpCall {
	if c, ok := ctx.Value(mcpCallKey{}).(*mcpCall); ok {
		return c
	}
	return &mcpCall{snapshot: s.o.Snapshot(), id: rand.Text()}
}

// answerMCP answers a message.
//
// If the client is over its allowance, only a message that came with the headers is read. It is
// answered with status 200: a call as a tool that fails, any other message with an error of the
// protocol. Clients show that text to their models, which can wait, but take a 429 for a broken
// connection. A wrong key is answered 401: it is a mistake in the client's configuration, and a
// model cannot correct it.
func (s *Server) answerMCP(req *request) (*response, error) {
	refused := !req.allowance.verdict.Allowed
	if refused {
		// The bytes that are here can still be read. Recorders of tests have no deadline.
		_ = http.NewResponseController(req).SetReadDeadline(time.Unix(1, 0))
	}
	body, size, err := s.messages.read(req, s.proxies.client(req.r))
	defer s.messages.bodies.release(size)
	switch {
	case refused && err != nil:
		return nil, req.allowance.refusal()
	case refused:
		req.wholeBody = false // nothing more can be read from the connection
		s.metrics.rejections.WithLabelValues(req.allowance.policy.String()).Inc()
	case errors.Is(err, errCutShort):
		return invalidMessage(http.StatusBadRequest, err.Error()), nil
	}
	if err != nil {
		return nil, err
	}
	return s.answerMessage(req, body)
}

// read reads the body of a request to its end. reserved is the part of the memory for messages that
// it takes. It grows as bytes arrive.
func (m *messages) read(req *request, client netip.Addr) (body []byte, reserved int64, err error) {
	r := req.r
	if r.ContentLength > mcp.MaxMessage {
		return nil, 0, messageTooLarge()
	}
	if !m.unread.take(client, 1) {
		return nil, 0, m.metrics.full(overloadBodies)
	}
	defer m.unread.release(client, 1)
	for {
		if len(body) == cap(body) {
			room := min(max(2*cap(body), firstRead), mcp.MaxMessage+1)
			if !m.bodies.take(int64(room) - reserved) {
				return nil, reserved, m.metrics.full(overloadBodies)
			}
			reserved = int64(room)
			body = append(make([]byte, 0, room), body...)
		}
		n, err := r.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case len(body) > mcp.MaxMessage:
			return nil, reserved, messageTooLarge()
		case errors.Is(err, io.EOF):
			// A body in chunks may also have had a length. net/http ignores it, but a proxy in
			// front may have used it (RFC 9112, section 6.1).
			req.wholeBody = r.ContentLength >= 0
			return body, reserved, nil
		case err != nil:
			return nil, reserved, errCutShort
		}
	}
}

// mcpAccept are the types that clients must accept (MCP, Streamable HTTP). The SDK requires both,
// though this server never sends an event stream.
var mcpAccept = []string{"application/json, text/event-stream"}

// mayTakeJSON reports whether a client accepts one of these types, or has no Accept.
func mayTakeJSON(accept []string) bool {
	if strings.TrimSpace(strings.Join(accept, "")) == "" {
		return true
	}
	for name := range accepted(accept) {
		switch strings.ToLower(name) {
		case "application/json", "text/event-stream", "application/*", "*/*":
			return true
		}
	}
	return false
}

// errCutShort reports a message that ended before its length, or took longer than readTimeout.
var errCutShort = errors.New("the message ended too early, or came too slowly")

func messageTooLarge() *api.Problem {
	return api.NewProblem(api.BodyTooLarge, fmt.Sprintf("The message is larger than %d bytes.", mcp.MaxMessage))
}

// answerMessage returns the answer of package mcp to a message.
func (s *Server) answerMessage(req *request, body []byte) (*response, error) {
	if kind, _, err := mime.ParseMediaType(req.r.Header.Get("Content-Type")); err != nil || kind != jsonType {
		const text = "the Content-Type of a message must be application/json"
		return invalidMessage(http.StatusUnsupportedMediaType, text), nil
	}
	message, refusal := mcp.Check(body)
	if refusal != nil {
		status := http.StatusBadRequest
		if refusal.Code == jsonrpc.CodeInvalidParams && refusal.ID != nil { // as the SDK answers these
			status = http.StatusOK
		}
		return rpcRefusal(status, refusal), nil
	}
	c := &mcpCall{snapshot: req.snapshot, id: req.id}
	if !req.allowance.verdict.Allowed {
		c.refusal = &api.ToolProblem{Problem: *req.allowance.refusal(), RetryAfter: req.allowance.verdict.Reset}
	}
	// A client that is gone does not cancel the answer: its goroutines would outlive the request,
	// and it takes little time.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(req.r.Context()), mcpTimeout)
	defer cancel()
	select {
	case s.messages.turns <- struct{}{}:
		defer func() { <-s.messages.turns }()
	case <-ctx.Done():
		return nil, s.metrics.full(overloadSlots)
	}
	// A message takes a slot from pages and searches only when its turn has come.
	return s.limitConcurrency(req, func(*request) (*response, error) {
		inner := req.r.WithContext(context.WithValue(ctx, mcpCallKey{}, c))
		if mayTakeJSON(inner.Header["Accept"]) {
			inner.Header = maps.Clone(inner.Header)
			inner.Header["Accept"] = mcpAccept
		}
		inner.Body, inner.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		w := &recorder{header: http.Header{}, buffer: s.reps.takeBuffer()}
		s.mcp.ServeHTTP(w, inner)
		if ctx.Err() != nil { // the buffer may still be written to
			return nil, s.metrics.full(overloadSlots)
		}
		if w.status >= http.StatusBadRequest && strings.HasPrefix(w.header.Get("Content-Type"), "text/plain") {
			defer s.reps.giveBuffer(w.buffer)
			return rpcRefusal(w.status, message.Refusal(strings.TrimSpace(string(w.buffer.bytes)))), nil
		}
		return s.messageResponse(req, w), nil
	})
}

// messageResponse returns the recorded response, compressed if the client accepts that.
func (s *Server) messageResponse(req *request, w *recorder) *response {
	res := &response{
		status: cmp.Or(w.status, http.StatusOK), contentType: w.header.Get("Content-Type"), cacheControl: notStored,
		buffer: w.buffer, body: w.buffer.bytes,
	}
	if allow := w.header.Get("Allow"); allow != "" {
		res.set("Allow", allow)
	}
	if !req.allowance.verdict.Allowed {
		res.set("Retry-After", strconv.Itoa(req.allowance.verdict.Reset))
	}
	accepts := acceptanceOf(req.r.Header)
	s.reps.compressFresh(res, &accepts)
	return res
}

// invalidMessage answers a body that cannot be a message.
func invalidMessage(status int, text string) *response {
	return rpcRefusal(status, &mcp.Refusal{Code: jsonrpc.CodeInvalidRequest, Message: text})
}

// rpcRefusal returns an error of the protocol.
func rpcRefusal(status int, r *mcp.Refusal) *response {
	return &response{status: status, contentType: jsonType, cacheControl: notStored, body: r.JSON()}
}

// recorder keeps a response in memory until everything is decided.
type recorder struct {
	header http.Header
	status int
	buffer *buffer
}

// Header implements http.ResponseWriter.
func (w *recorder) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *recorder) WriteHeader(status int) { w.status = cmp.Or(w.status, status) }

// Write implements http.ResponseWriter.
func (w *recorder) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.buffer.bytes = append(w.buffer.bytes, p...)
	return len(p), nil
}
