package server

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/api/server/ratestore"
	"catalog.example/api/server/snapshot"
	"catalog.example/api/server/traces"
)

// response is what will be sent. None of it has been written yet.
type response struct {
	status int

	// Common headers; "" for those that this response does not have.
	contentType, contentEncoding, etag, link, cacheControl, vary string
	// header holds the less common headers. It may be nil.
	header http.Header

	// The body is the first size bytes of file, or body if file is nil. buffer holds the memory of
	// body if it can be reused for another response.
	file   *os.File
	size   int64
	body   []byte
	buffer *buffer
	// isFile means that the body is a file of the build output, so clients may request a range.
	isFile bool
	// shared means that body belongs to a representation, so other responses may send the same
	// memory.
	shared bool
	// uncounted means that slow readers of the body take no extra memory, because it is shared and
	// small enough for the buffer of a socket.
	uncounted bool
}

// Header values.
const (
	jsonType    = "application/json"
	problemType = "application/problem+json"
	textType    = "text/plain; charset=utf-8"
	notStored   = "no-store"
)

// set sets one of the less common headers.
func (res *response) set(name, value string) {
	if res.header == nil {
		res.header = http.Header{}
	}
	res.header.Set(name, value)
}

// textResponse returns a response with a few lines of text.
func textResponse(status int, text string) *response {
	return &response{status: status, contentType: textType, body: []byte(text)}
}

// hasBody reports whether responses of this status have a body.
func (res *response) hasBody() bool {
	return res.status != http.StatusNoContent && res.status != http.StatusNotModified
}

// buffer is reusable memory for a body.
type buffer struct{ bytes []byte }

// maxPooled is the size of the largest buffer that is reused, in bytes. Nearly all lists fit.
// Larger buffers are rarely needed, and keeping them would waste memory.
const maxPooled = 512 << 10

func (reps *representations) takeBuffer() *buffer {
	if b, ok := reps.buffers.Get().(*buffer); ok {
		return b
	}
	return &buffer{}
}

func (reps *representations) giveBuffer(b *buffer) {
	if cap(b.bytes) <= maxPooled {
		b.bytes = b.bytes[:0]
		reps.buffers.Put(b)
	}
}

// release closes the file of a response, and returns the memory of its body for reuse.
func (reps *representations) release(res *response) {
	if res.file != nil {
		_ = res.file.Close() // opened read-only: a close error is harmless
		res.file = nil
	}
	if res.buffer != nil {
		reps.giveBuffer(res.buffer)
		res.buffer, res.body = nil, nil
	}
}

// respond sends the response of a handler.
func (s *Server) respond(req *request, h handler) {
	res, release := s.reserve(req, s.decide(req, h))
	defer release()
	defer s.reps.release(res)
	req.writeHeaders(res, &s.o.MCPOrigins)
	if s.draining.Load() { // so that the client connects to another server
		req.Header().Set("Connection", "close")
	}
	if req.r.ContentLength != 0 && !req.wholeBody {
		// A proxy in front may disagree about where the body ends, and take the rest for another
		// client's request (RFC 9112, section 11.2). So this is the last request on the connection.
		// net/http reads and discards the rest for a while, so that the client gets the response.
		req.Header().Set("Connection", "close")
		_ = http.NewResponseController(req).SetReadDeadline(time.Now().Add(lingerTimeout)) // tests have no deadline
	}
	build := req.snapshot.Version()
	req.snapshot = nil // so that a slow client does not keep a replaced build in memory
	req.send(res)
	if req.sendErr != nil { // the client is gone
		s.log.unsent(req)
	}
	took := time.Since(req.began)
	s.metrics.observe(req, took)
	s.log.answered(req, took)
	if s.o.Traces != nil {
		s.o.Traces.Record(req.r.Header, traces.Span{
			Began: req.began, Took: took, Method: req.r.Method, Route: req.route, Build: build, RequestID: req.id,
			Path: shownPath(req.r.URL), Status: req.status,
		})
	}
}

// decide calls a handler, and turns errors and panics into responses.
func (s *Server) decide(req *request, h handler) (res *response) {
	defer func() {
		if reason := recover(); reason != nil {
			s.metrics.panics.Inc()
			s.log.panicked(req, reason)
			res = s.problemResponse(req, internalProblem(req.id))
		}
	}()
	res, err := h(req)
	if err != nil {
		return s.errorResponse(req, err)
	}
	return res
}

// errorResponse is the only place where errors become responses. A problem is sent as it is.
// Any other error is a fault, and its cause is only logged.
func (s *Server) errorResponse(req *request, err error) *response {
	problem, ok := errors.AsType[*api.Problem](err)
	if !ok {
		problem = internalProblem(req.id)
		logged := true
		if errors.Is(err, snapshot.ErrFolder) { // this lasts only until a build is there again
			problem = api.NewProblem(api.Overloaded, "The files of this site cannot be read at the moment.")
			// Until then every request fails. One line a second is enough.
			second := s.o.Now().Unix()
			logged = s.folderFault.Swap(second) != second
		}
		if logged {
			s.log.Error("fault", "id", req.id, "method", shorten(req.r.Method), "path", shownPath(req.r.URL),
				"error", err)
		}
	}
	return s.problemResponse(req, problem)
}

func internalProblem(id string) *api.Problem {
	problem := api.NewProblem(api.Internal, "The fault is ours. Tell us the request id.")
	problem.RequestID = id
	return problem
}

// problemResponse returns a problem as problem details (RFC 9457) below /api/ and from the MCP
// server, and as a page or a few lines of text elsewhere.
func (s *Server) problemResponse(req *request, problem *api.Problem) *response {
	res := s.problemBody(req, problem)
	res.cacheControl = notStored
	switch problem.Status {
	case http.StatusMethodNotAllowed:
		res.set("Allow", req.area.allow())
	case http.StatusUnauthorized:
		res.set("WWW-Authenticate", "Bearer")
	case http.StatusTooManyRequests:
		res.set("Retry-After", strconv.Itoa(req.allowance.verdict.Reset))
	case http.StatusServiceUnavailable:
		res.set("Retry-After", strconv.Itoa(retryOverloaded))
	}
	return res
}

func (s *Server) problemBody(req *request, problem *api.Problem) *response {
	if req.area.problemDetails {
		body := problem.WithBase(req.snapshot.Settings.BaseURL).JSON()
		res := &response{status: problem.Status, contentType: problemType, body: body}
		if problem.Code == api.UnknownEndpoint.Code { // for clients that look for the API
			res.link = headers.Links(&req.snapshot.Settings)
		}
		return res
	}
	if problem.Status == http.StatusNotFound {
		if res, err := s.reps.missingPage(req); err == nil {
			return res
		}
	}
	text := problem.Title + ".\n" + problem.Detail + "\n"
	if problem.RequestID != "" {
		text += "Request id: " + problem.RequestID + "\n"
	}
	return textResponse(problem.Status, text)
}

// minGathered is the size in bytes from which a body may not fit the buffer of net/http together with
// the headers.
const minGathered = 2 << 10

// send sends the status, the headers and the body, which it leaves out for HEAD. An error is kept
// in req.sendErr.
func (req *request) send(res *response) {
	c, ok := req.r.Context().Value(connectionKey{}).(*connection)
	if !ok || res.file != nil || len(res.body) < minGathered || req.r.Method == http.MethodHead {
		req.write(res)
		return
	}
	c.gather()
	req.write(res)
	err := http.NewResponseController(req.ResponseWriter).Flush()
	req.sendErr = cmp.Or(req.sendErr, c.release(), err)
}

// write writes a response to net/http.
func (req *request) write(res *response) {
	size := int64(len(res.body))
	if res.file != nil {
		size = res.size
	}
	length := strconv.FormatInt(size, 10)
	if res.isFile && res.status == http.StatusOK && req.area == &pageArea {
		// If-None-Match has already been dealt with. ServeContent handles ranges and the other
		// preconditions.
		req.length = length
		http.ServeContent(req, withOneRange(req.r), "", time.Time{}, res.content())
		return
	}
	if res.hasBody() {
		req.put("Content-Length", length)
	}
	req.WriteHeader(res.status)
	switch {
	case !res.hasBody() || req.r.Method == http.MethodHead:
	case res.file != nil:
		_, _ = io.Copy(req, res.content())
	default:
		_, _ = req.Write(res.body)
	}
}

// content returns the body. A file that grows while it is being sent is cut off at its
// Content-Length. Otherwise, the client would take the rest for the next response.
func (res *response) content() io.ReadSeeker {
	if res.file != nil {
		return io.NewSectionReader(res.file, 0, res.size)
	}
	return bytes.NewReader(res.body)
}

// withOneRange returns a request without its Range header, unless the method is GET and the header
// is for a single range of bytes (RFC 9110, section 14.2). A request for a thousand ranges would
// count as one request, and its response would have a thousand parts with headers.
func withOneRange(r *http.Request) *http.Request {
	sent := r.Header["Range"]
	if sent == nil || r.Method == http.MethodGet && len(sent) == 1 && isOneRange(sent[0]) {
		return r
	}
	other := r.Clone(r.Context())
	other.Header.Del("Range")
	return other
}

// isOneRange reports whether the value of a Range header is a single range of bytes. A suffix of 0
// bytes does not count: net/http would send a Content-Range that ends before it begins.
func isOneRange(sent string) bool {
	last, isSuffix := strings.CutPrefix(sent, "bytes=-")
	isEmpty := isSuffix && strings.Trim(last, "0 \t") == ""
	return strings.HasPrefix(sent, "bytes=") && !strings.Contains(sent, ",") && !isEmpty
}

// writeHeaders writes the headers of the response and of its area. origins lists the origins whose
// pages may use the MCP server.
func (req *request) writeHeaders(res *response, origins *Origins) {
	maps.Copy(req.Header(), res.header)
	hasTag := res.etag != "" && res.status < 400
	if hasTag {
		req.put("Etag", res.etag)
		res.cacheControl = cmp.Or(res.cacheControl, headers.CacheControl)
	}
	req.put("X-Request-Id", req.id)
	req.put("X-Content-Type-Options", "nosniff")
	req.put("Content-Type", res.contentType)
	req.put("Content-Encoding", res.contentEncoding)
	req.put("Link", res.link)
	req.put("Cache-Control", res.cacheControl)
	switch req.area {
	case &apiArea:
		req.put("Access-Control-Allow-Origin", "*")
		req.put("Access-Control-Expose-Headers", headers.ExposedHeaders)
		if res.status == http.StatusOK || res.status == http.StatusNotModified {
			req.put("Vary", headers.Vary)
		}
	case &mcpArea:
		origins.writeHeaders(req)
	default:
		req.put("Vary", res.vary)
		if headers.IsWellKnown(req.file.name) {
			req.put("Access-Control-Allow-Origin", "*")
		}
		switch {
		case !hasTag || res.cacheControl == headers.CacheRevalidated:
		case res.cacheControl == headers.CacheForever:
			req.put("Cdn-Cache-Control", headers.CacheForever)
		default:
			req.put("Cdn-Cache-Control", headers.CDNCacheControl)
		}
		maps.Copy(req.Header(), req.snapshot.SecurityHeaders(req.file.name))
	}
	if a := req.allowance; a != nil { // nil if the request does not count
		name, window := a.policy.String(), strconv.Itoa(int(ratestore.Window/time.Second))
		req.put("Ratelimit-Policy", `"`+name+`";q=`+strconv.Itoa(a.limit)+";w="+window)
		req.put("Ratelimit", `"`+name+`";r=`+strconv.Itoa(a.verdict.Left)+";t="+strconv.Itoa(a.verdict.Reset))
	}
}
