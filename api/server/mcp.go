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
	// maxBodies bounds the memory of messages that are read, in bytes: 512 of the
	// largest, or many times as many of those that are sent.
	maxBodies = 512 * mcp.MaxMessage
	// firstRead is the memory that a message takes at first, in bytes. Most need no
	// more; it doubles while more bytes arrive.
	firstRead = 4 << 10
	// maxUnread is how many messages of one client are read at once. A client sends
	// one at a time, and most come in one packet with their headers, so that 16 are
	// many for those who share an address. It takes 32 addresses to use up maxBodies.
	maxUnread = 16
	// answersPerCore is how many messages are answered at once for each core; the
	// next ones wait for their turn, with nothing in memory but the message. Answering
	// takes up to 2 MB, a thousand times 2 MB is too much, and a core does not answer
	// faster for having more than one or two in hand.
	answersPerCore = 2
	// mcpTimeout is how long a message may take to be answered. All are answered in
	// some milliseconds: whatever takes as long will never be.
	mcpTimeout = 10 * time.Second
)

// messages bounds the memory of messages and of making their answers.
type messages struct {
	metrics *metrics
	bodies  bound         // bytes that have arrived, until the message is answered
	unread  shares        // messages of each client that are being read
	turns   chan struct{} // a place for each message that is being answered
}

func newMessages(m *metrics) messages {
	return messages{
		metrics: m, bodies: bound{most: maxBodies}, unread: newShares(maxUnread),
		turns: make(chan struct{}, answersPerCore*runtime.GOMAXPROCS(0)),
	}
}

func (s *Server) newMCP() *mcp.Server {
	return mcp.New(mcp.Options{
		Snapshot: func(ctx context.Context) *mcp.Snapshot {
			if c := mcpCallOf(ctx); c != nil {
				return c.snapshot.MCP
			}
			return s.current().MCP
		},
		Refusal: func(ctx context.Context) *api.ToolProblem {
			if c := mcpCallOf(ctx); c != nil {
				return c.refusal
			}
			return nil // on standard input there is no allowance
		},
		Observe: func(call string, outcome mcp.Outcome) {
			s.metrics.mcpCalls.WithLabelValues(call, string(outcome)).Inc()
			if call == api.ToolSearch && outcome == mcp.OutcomeOK {
				s.metrics.searches.Inc()
			}
		},
		Fault: func(ctx context.Context, cause any, stack []byte) *api.Problem {
			id := rand.Text()
			if c := mcpCallOf(ctx); c != nil {
				id = c.id
			}
			if stack == nil {
				s.log.Error("fault", "id", id, "route", routeMCP, "error", cause)
			} else {
				s.metrics.panics.Inc()
				s.log.Error("panic", "id", id, "route", routeMCP, "panic", cause, "stack", string(stack))
			}
			return internalProblem(id)
		},
		Logger: s.log.Logger,
	})
}

// RunMCP answers the messages of one client, a line each, until it closes in or
// ctx is cancelled. Nothing is counted against an allowance: who can start the
// program has the index.
func (s *Server) RunMCP(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	return s.mcp.Run(ctx, in, out)
}

// mcpCall is a request as its message sees it, which is answered by another
// goroutine. It never changes.
type mcpCall struct {
	snapshot *snapshot.Snapshot
	id       string
	// refusal is what the allowance says, where nothing is left of it.
	refusal *api.ToolProblem
}

type mcpCallKey struct{}

func mcpCallOf(ctx context.Context) *mcpCall {
	c, _ := ctx.Value(mcpCallKey{}).(*mcpCall)
	return c
}

// answerMCP answers a message.
//
// The message of a client that is over its allowance is not waited for. Where it came
// with the headers, a call is answered as a tool that fails, and another message by an
// error of the protocol, with status 200: clients hand the text of that to their
// models, which can wait, and take a 429 for a broken connection. A wrong key is a
// mistake of whoever wrote the client's configuration, whom no text for a model
// reaches: it is answered 401.
func (s *Server) answerMCP(req *request) (*response, error) {
	refused := !req.allowance.verdict.Allowed
	if refused {
		// What has come can be read. A recorder of tests has no deadline.
		_ = http.NewResponseController(req).SetReadDeadline(time.Unix(1, 0))
	}
	body, size, err := s.messages.read(req, s.proxies.client(req.r))
	defer s.messages.bodies.release(size)
	switch {
	case refused && err != nil:
		return nil, req.allowance.refusal()
	case refused:
		req.wholeBody = false                            // the connection cannot be read on
		s.metrics.rejections[req.allowance.policy].Inc() // one that is not answered 429
	case errors.Is(err, errCutShort):
		return invalidMessage(http.StatusBadRequest, err.Error()), nil
	}
	if err != nil {
		return nil, err
	}
	return s.answerMessage(req, body)
}

// read reads the body of a request to its end. reserved is how much of the
// memory for messages it takes, which grows as bytes arrive.
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
			// In chunks, it may have had a length too, which net/http passes over and a proxy
			// in front may have gone by (RFC 9112, section 6.1).
			req.wholeBody = r.ContentLength >= 0
			return body, reserved, nil
		case err != nil:
			return nil, reserved, errCutShort
		}
	}
}

// mcpAccept is what clients must accept by the transport (MCP, Streamable HTTP). The SDK asks
// for all of it, though this server never sends an event stream.
var mcpAccept = []string{"application/json, text/event-stream"}

// mayTakeJSON reports whether a client accepts a part of that, or does not say what it accepts.
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

// errCutShort tells of a message that ended before its length, or came more slowly
// than readTimeout allows.
var errCutShort = errors.New("the message ended too early, or came too slowly")

func messageTooLarge() *api.Problem {
	return api.NewProblem(api.BodyTooLarge, fmt.Sprintf("The message is larger than %d bytes.", mcp.MaxMessage))
}

// answerMessage hands a message on and makes a response of what comes back.
func (s *Server) answerMessage(req *request, body []byte) (*response, error) {
	if kind, _, err := mime.ParseMediaType(req.r.Header.Get("Content-Type")); err != nil || kind != jsonType[0] {
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
	// A client that is gone does not end the work: goroutines of it would outlive the
	// request, and it is done at once.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(req.r.Context()), mcpTimeout)
	defer cancel()
	select {
	case s.messages.turns <- struct{}{}:
		defer func() { <-s.messages.turns }()
	case <-ctx.Done():
		return nil, s.metrics.full(overloadSlots)
	}
	// A message that waits for its turn takes no slot from pages and searches.
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
		return s.messageResponse(req, w)
	})
}

// messageResponse is what was recorded, compressed where the client takes that.
func (s *Server) messageResponse(req *request, w *recorder) (*response, error) {
	res := &response{
		status: cmp.Or(w.status, http.StatusOK), contentType: w.header["Content-Type"], cacheControl: notStored,
		buffer: w.buffer, body: w.buffer.bytes,
	}
	if allow := w.header.Get("Allow"); allow != "" {
		res.set("Allow", allow)
	}
	if !req.allowance.verdict.Allowed {
		res.set("Retry-After", strconv.Itoa(req.allowance.verdict.Reset))
	}
	accepts := acceptanceOf(req.r.Header)
	if _, err := s.reps.compressFresh(res, &accepts); err != nil {
		s.reps.release(res)
		return nil, err
	}
	return res, nil
}

// invalidMessage answers what cannot be a message.
func invalidMessage(status int, text string) *response {
	return rpcRefusal(status, &mcp.Refusal{Code: jsonrpc.CodeInvalidRequest, Message: text})
}

// rpcRefusal answers what is no message, in the words of the protocol.
func rpcRefusal(status int, r *mcp.Refusal) *response {
	return &response{status: status, contentType: jsonType, cacheControl: notStored, body: r.JSON()}
}

// recorder keeps a response in memory: it is sent when everything is decided.
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
