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
	// maxBodies bounds the memory for messages, in bytes: 512 of the largest, or many more of the
	// usual size.
	maxBodies = 512 * mcp.MaxMessage
	// firstRead is the initial memory for a message, in bytes. Most messages fit. The memory
	// doubles as more bytes arrive.
	firstRead = 4 << 10
	// maxUnread is how many messages from one client are read at once. A client sends one at a
	// time, usually in one packet with its headers, so 16 is plenty even for clients that share an
	// address. It takes 32 addresses to use up maxBodies.
	maxUnread = 16
	// answersPerCore is how many messages are answered at once per core. Others wait, and take no
	// memory beyond the message itself. Answering one takes up to 2 MB, and more than two per core
	// would not be faster.
	answersPerCore = 2
	// mcpTimeout is how long an answer may take. Normally, it takes a few milliseconds.
	mcpTimeout = 10 * time.Second
)

// messages bounds the memory for messages and their answers.
type messages struct {
	metrics *metrics
	bodies  bound         // bytes of memory for messages, until they are answered
	unread  shares        // messages of each client that are being read
	turns   chan struct{} // holds a value for each message being answered
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

// RunMCP answers the messages of one client, one per line, until the client closes in or ctx is
// cancelled. There is no allowance: anyone who can start the program can read the index anyway.
func (s *Server) RunMCP(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	return s.mcp.Run(ctx, in, out)
}

// mcpCall holds what another goroutine needs of a request to answer its message. It never changes.
type mcpCall struct {
	snapshot *snapshot.Snapshot
	id       string
	refusal  *api.ToolProblem // nil unless the allowance is used up
}

type mcpCallKey struct{}

// mcpCallOf returns the mcpCall in ctx. A message on standard input has none, and gets a new one
// without an allowance.
func (s *Server) mcpCallOf(ctx context.Context) *mcpCall {
	if c, ok := ctx.Value(mcpCallKey{}).(*mcpCall); ok {
		return c
	}
	return &mcpCall{snapshot: s.o.Snapshot(), id: rand.Text()}
}

// answerMCP answers a message.
//
// If the client is over its allowance, only a message that arrived together with the headers is
// read. It is answered with status 200: a call with a failed tool result, any other message with a
// protocol error. Clients show that text to their models, which can wait, but take a 429 for a
// broken connection. A wrong key is answered with 401: it is a mistake in the client's
// configuration, which a model cannot correct.
func (s *Server) answerMCP(req *request) (*response, error) {
	refused := !req.allowance.verdict.Allowed
	if refused {
		// Bytes that have already arrived can still be read. The error does not matter: recorders
		// in tests have no deadlines.
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

// read reads the body of a request to its end. reserved is how much of m.bodies it took, which the
// caller releases.
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
			// A chunked body may also have had a Content-Length. net/http ignores that, but a proxy
			// in front may have used it (RFC 9112, section 6.1).
			req.wholeBody = r.ContentLength >= 0
			return body, reserved, nil
		case err != nil:
			return nil, reserved, errCutShort
		}
	}
}

// mcpAccept is the Accept header with the two types that clients must accept (MCP, Streamable
// HTTP). The SDK requires both, although this server never sends an event stream.
var mcpAccept = []string{"application/json, text/event-stream"}

// mayTakeJSON reports whether a client accepts either type in mcpAccept, or sends no Accept header.
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

// errCutShort reports a message that ended before its stated length, or took longer than
// readTimeout.
var errCutShort = errors.New("the message ended too early, or came too slowly")

func messageTooLarge() *api.Problem {
	return api.NewProblem(api.BodyTooLarge, fmt.Sprintf("The message is larger than %d bytes.", mcp.MaxMessage))
}

// answerMessage has package mcp answer a message.
func (s *Server) answerMessage(req *request, body []byte) (*response, error) {
	if kind, _, err := mime.ParseMediaType(req.r.Header.Get("Content-Type")); err != nil || kind != jsonType {
		const text = "the Content-Type of a message must be application/json"
		return invalidMessage(http.StatusUnsupportedMediaType, text), nil
	}
	message, refusal := mcp.Check(body)
	if refusal != nil {
		status := http.StatusBadRequest
		if refusal.Code == jsonrpc.CodeInvalidParams && refusal.ID != nil { // as the SDK does
			status = http.StatusOK
		}
		return rpcRefusal(status, refusal), nil
	}
	c := &mcpCall{snapshot: req.snapshot, id: req.id}
	if !req.allowance.verdict.Allowed {
		c.refusal = &api.ToolProblem{Problem: *req.allowance.refusal(), RetryAfter: req.allowance.verdict.Reset}
	}
	// The answer is not cancelled if the client disconnects: its goroutines would outlive the
	// request, and it takes little time anyway.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(req.r.Context()), mcpTimeout)
	defer cancel()
	select {
	case s.messages.turns <- struct{}{}:
		defer func() { <-s.messages.turns }()
	case <-ctx.Done():
		return nil, s.metrics.full(overloadSlots)
	}
	// Only when its turn has come does a message take one of the slots, which pages and searches
	// need too.
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

// messageResponse returns the recorded response, compressed if the client accepts a coding.
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

// rpcRefusal returns a response with a protocol error.
func rpcRefusal(status int, r *mcp.Refusal) *response {
	return &response{status: status, contentType: jsonType, cacheControl: notStored, body: r.JSON()}
}

// recorder keeps the response of the SDK in memory, so that another can still replace it.
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
