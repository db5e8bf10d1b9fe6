package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"catalog.example/api"
	"catalog.example/api/mcp"
)

// mcpPath is where messages are sent to, below the base address.
const mcpPath = "mcp"

// mcpMethods are those of that path. A server without sessions has nothing to
// stream and nothing to delete (MCP, Streamable HTTP).
const mcpMethods = "POST, OPTIONS"

const (
	// maxBodies bounds the memory of messages that are read, in bytes: 1,024 of the
	// largest, or many times as many of those that are sent.
	maxBodies = 1024 * mcp.MaxMessage
	// maxBatch bounds the messages of a batch (MCP 2025-03-26 alone has them): each
	// may be a call whose answer takes 100 KB.
	maxBatch = 16
	// mcpTimeout is how long a message may take to be answered. All are answered in
	// some milliseconds: whatever takes as long will never be.
	mcpTimeout = 10 * time.Second
)

// maxMCPText is the largest file that is sent as a resource, in bytes.
const maxMCPText = 1 << 20

// readText returns a file whole.
func (p *pages) readText(name string) ([]byte, error) {
	file, err := p.open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(file, maxMCPText+1))
	if err == nil && len(text) > maxMCPText {
		err = fmt.Errorf("%s is larger than %d bytes", name, maxMCPText)
	}
	return text, err
}

func (s *Server) newMCP() *mcp.Server {
	return mcp.New(mcp.Options{
		Edition: func(ctx context.Context) (*mcp.Edition, func()) {
			if c := mcpCallOf(ctx); c != nil {
				return c.edition.mcp, func() {} // held by the request
			}
			e := s.takeEdition()
			return e.mcp, e.leave
		},
		Admit: func(ctx context.Context) *api.ToolProblem {
			if c := mcpCallOf(ctx); c != nil {
				return c.admit(s)
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
			id := newID()
			if c := mcpCallOf(ctx); c != nil {
				id = c.id
			}
			if stack == nil {
				s.log.Error("fault", "id", id, "route", routeMCP.String(), "error", cause)
			} else {
				s.metrics.panics.Inc()
				s.log.Error("panic", "id", id, "route", routeMCP.String(), "panic", cause, "stack", string(stack))
			}
			return internalProblem(id)
		},
		Logger: s.log,
	})
}

// RunMCP answers the messages of one client, a line each, until it closes in or
// ctx is cancelled. Nothing is counted against an allowance: who can start the
// program has the index.
func (s *Server) RunMCP(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	return s.mcp.Run(ctx, in, out)
}

// mcpCall is a request as the messages in it see it. They are answered by other
// goroutines than the request's, at most one of which outlives it, after
// mcpTimeout: what they share is copied or locked.
type mcpCall struct {
	request *http.Request
	edition *edition
	id      string

	mu sync.Mutex
	// last is what the allowance said to the last message. The first message's is the
	// request's own, until unspent is false.
	last    *admission
	unspent bool
}

type mcpCallKey struct{}

func mcpCallOf(ctx context.Context) *mcpCall {
	c, _ := ctx.Value(mcpCallKey{}).(*mcpCall)
	return c
}

// admit counts a message: the request counts for the first, and each that follows
// it in a batch counts as another.
func (c *mcpCall) admit(s *Server) *api.ToolProblem {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.unspent {
		c.last = s.admit(c.request, c.edition)
	}
	c.unspent = false
	a := c.last
	if a.verdict.Allowed {
		return nil
	}
	s.metrics.rejections[a.policy].Inc()
	return &api.ToolProblem{Problem: *a.refusal(), RetryAfter: a.verdict.Reset}
}

func (c *mcpCall) admission() *admission {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// decideMCP finds the answer to a request for the MCP server, or the error that
// answers it: origin, address, method, key, and then what the message says. The
// message is read before the request takes a slot, because who sends slowly must
// not keep others out.
//
// Every request counts (contract 6), but those of OPTIONS and those that another
// site makes of its visitors. A call that is over the allowance is answered as a
// tool that fails, and another message by an error of the protocol, with status
// 200: clients hand the text of that to their models, which can wait, and take a
// 429 for a broken connection. A wrong key is a mistake of whoever wrote the
// client's configuration, whom no text for a model reaches: it is answered 401.
func (s *Server) decideMCP(x *exchange) (*answer, error) {
	r := x.request
	x.route = route{name: routeMCP, mcp: true}
	if problem := s.origins.checkOrigin(r, x.edition); problem != nil {
		return nil, problem
	}
	switch {
	case addressLength(r) > maxURI:
		return nil, tooLong(r)
	case r.Method == http.MethodOptions:
		x.route.name = routeOptions
		a := newAnswer(http.StatusNoContent)
		a.set("Allow", mcpMethods)
		a.set("Access-Control-Allow-Methods", mcpMethods)
		a.set("Access-Control-Allow-Headers", mcpRequestHeaders)
		a.set("Access-Control-Max-Age", "86400") // a day (contract 7)
		return a, nil
	case r.Method != http.MethodPost:
		x.admission = s.admit(r, x.edition)
		return nil, api.NewProblem(api.MethodNotAllowed, fmt.Sprintf("%s is not allowed: send messages of the Model Context Protocol by POST. Nothing is streamed, and there are no sessions.", shown(r.Method)))
	}
	if _, ok := x.edition.keys.identify(r.Header); !ok {
		x.admission = s.admit(r, x.edition) // counted as anonymous
		return nil, unknownKey()
	}
	body, size, err := s.readMessage(x)
	defer s.bodies.release(size)
	if err == nil {
		err = s.occupy(x)
	}
	var problem *api.Problem
	if errors.As(err, &problem) && problem.Code == api.Overloaded.Code {
		return nil, err // before anything is counted
	}
	x.admission = s.admit(r, x.edition)
	switch {
	case errors.Is(err, errCutShort):
		return rpcError(err.Error()), nil
	case err != nil:
		return nil, err
	}
	return s.answerMessage(x, body)
}

// readMessage reads the body of a request to its end. reserved is how much of the
// memory for messages it takes.
func (s *Server) readMessage(x *exchange) (body []byte, reserved int64, err error) {
	r := x.request
	if r.ContentLength > mcp.MaxMessage {
		return nil, 0, messageTooLarge()
	}
	if reserved = r.ContentLength; reserved < 0 { // it is sent in chunks
		reserved = mcp.MaxMessage
	}
	if !s.bodies.take(reserved) {
		s.metrics.overloaded[overloadBodies].Inc()
		return nil, 0, overloadedProblem()
	}
	body, err = io.ReadAll(io.LimitReader(r.Body, mcp.MaxMessage+1))
	switch {
	case err != nil:
		return nil, reserved, errCutShort
	case len(body) > mcp.MaxMessage:
		return nil, reserved, messageTooLarge()
	}
	// In chunks, it may have had a length too, which net/http passes over and a proxy
	// in front may have gone by (RFC 9112, section 6.1).
	x.wholeBody = r.ContentLength >= 0
	return body, reserved, nil
}

// errCutShort tells of a message that ended before its length, or came more slowly
// than readTimeout allows.
var errCutShort = errors.New("the message did not come to its end")

func messageTooLarge() *api.Problem {
	return api.NewProblem(api.BodyTooLarge, fmt.Sprintf("The message is larger than %d bytes.", mcp.MaxMessage))
}

// answerMessage hands a message on and makes an answer of what comes back.
func (s *Server) answerMessage(x *exchange, body []byte) (*answer, error) {
	if n := batchLength(body); n > maxBatch {
		return rpcError(fmt.Sprintf("a batch of %d messages: at most %d are answered", n, maxBatch)), nil
	}
	c := &mcpCall{request: x.request, edition: x.edition, id: x.id, last: x.admission, unspent: true}
	// A client that is gone does not end the work: goroutines of it would outlive the
	// request, and it is done at once.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(x.request.Context()), mcpTimeout)
	defer cancel()
	inner := x.request.WithContext(context.WithValue(ctx, mcpCallKey{}, c))
	inner.Body, inner.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	w := &recorder{header: http.Header{}, buffer: s.takeBuffer()}
	s.mcp.ServeHTTP(w, inner)
	x.admission = c.admission()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("answer a message: %w", context.Cause(ctx))
	}
	if w.status >= http.StatusBadRequest && strings.HasPrefix(w.header.Get("Content-Type"), "text/plain") {
		said := strings.TrimSpace(string(w.buffer.bytes))
		s.giveBuffer(w.buffer)
		return rpcRefusal(w.status, body, said), nil
	}
	return s.messageAnswer(x, w)
}

// messageAnswer is what was recorded, compressed where the client takes that.
func (s *Server) messageAnswer(x *exchange, w *recorder) (*answer, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	a := &answer{status: w.status, contentType: w.header["Content-Type"], buffer: w.buffer, body: w.buffer.bytes, cacheControl: notStored}
	if allow := w.header.Get("Allow"); allow != "" {
		a.set("Allow", allow)
	}
	if x.admission != nil && !x.admission.verdict.Allowed {
		a.set("Retry-After", strconv.Itoa(x.admission.verdict.Reset))
	}
	accepts := acceptanceOf(x.request.Header)
	if _, err := s.encodeSearch(a, &accepts); err != nil {
		s.release(a)
		return nil, err
	}
	return a, nil
}

// batchLength returns how many messages a body holds where it is a list, else 0.
func batchLength(body []byte) int {
	if body = bytes.TrimLeft(body, " \t\r\n"); len(body) == 0 || body[0] != '[' {
		return 0
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(body, &batch); err != nil {
		return 0 // the server of messages says what is wrong
	}
	return len(batch)
}

// The codes of JSON-RPC 2.0, section 5.1.
const (
	rpcParseError     = -32700
	rpcInvalidRequest = -32600
	rpcMethodNotFound = -32601
)

// rpcRefusal answers a message that the SDK refuses in plain text, in the words of
// the protocol: what is no JSON, what is no message, what no server knows.
func rpcRefusal(status int, message []byte, said string) *answer {
	var asked struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	code := rpcInvalidRequest
	switch err := json.Unmarshal(message, &asked); {
	case status != http.StatusBadRequest: // the message was not looked at
	case !json.Valid(message):
		code = rpcParseError
	case err == nil && strings.Contains(said, "not handled"):
		code = rpcMethodNotFound
	}
	if len(asked.ID) > 0 && strings.IndexByte("{[tf", asked.ID[0]) >= 0 {
		asked.ID = nil // an id is a text or a number
	}
	a := rpcErrorOf(asked.ID, code, said)
	a.status = status
	return a
}

// rpcError answers a message that is none of the protocol.
func rpcError(message string) *answer { return rpcErrorOf(nil, rpcInvalidRequest, message) }

// rpcErrorOf answers the message with that id; nil is one that is not known.
func rpcErrorOf(id json.RawMessage, code int, message string) *answer {
	a := newAnswer(http.StatusBadRequest)
	a.contentType, a.cacheControl = jsonType, notStored
	var err error
	a.body, err = json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   rpcFault        `json:"error"`
	}{"2.0", id, rpcFault{code, message}})
	if err != nil { // texts, and JSON that was read before
		panic(err)
	}
	return a
}

type rpcFault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// recorder keeps an answer in memory: it is sent when everything is decided.
type recorder struct {
	header http.Header
	status int
	buffer *buffer
}

// Header implements http.ResponseWriter.
func (w *recorder) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// Write implements http.ResponseWriter.
func (w *recorder) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.buffer.bytes = append(w.buffer.bytes, p...)
	return len(p), nil
}
