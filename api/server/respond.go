package server

import (
	"bytes"
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
)

// response is what will be sent: everything is decided, nothing is written.
type response struct {
	status int

	// Values of headers that many responses have; nil where this one has none. They
	// are often shared by all responses of a kind, and never changed.
	contentType, contentLength, contentEncoding, etag, link, cacheControl, vary []string
	// header holds those that few responses have; it may be nil.
	header http.Header

	// The body is the first size bytes of file where that is set, otherwise body. buffer
	// is the memory of body where that is used again for another response.
	file   *os.File
	size   int64
	body   []byte
	buffer *buffer
	// isFile: the body is a file of the build output, of which clients may ask for a
	// range.
	isFile bool
	// shared: other responses may send the very bytes of body, which is that of a
	// representation.
	shared bool
	// uncounted: the body is so small that slow readers of it take no memory of the
	// server.
	uncounted bool

	// Room for values that only this response has.
	ownETag, ownLength [1]string
}

// Values of headers that many responses share.
var (
	jsonType       = []string{"application/json"}
	problemType    = []string{"application/problem+json"}
	textType       = []string{"text/plain; charset=utf-8"}
	cached         = []string{headers.CacheControl}
	cachedForever  = []string{headers.CacheForever}
	cachedShared   = []string{headers.CDNCacheControl}
	notStored      = []string{"no-store"}
	varyAPI        = []string{headers.Vary}
	varyPage       = []string{"Accept-Encoding"}
	varyNegotiated = []string{"Accept, Accept-Encoding"}
	anyOrigin      = []string{"*"}
	exposedHeaders = []string{headers.ExposedHeaders}
	noSniff        = []string{"nosniff"}
)

// set sets a header that few responses have.
func (res *response) set(name, value string) {
	if res.header == nil {
		res.header = http.Header{}
	}
	res.header.Set(name, value)
}

// textResponse says something that is neither a page nor an answer of the API.
func textResponse(status int, text string) *response {
	return &response{status: status, contentType: textType, body: []byte(text)}
}

// hasBody reports whether responses of this status have a body.
func (res *response) hasBody() bool {
	return res.status != http.StatusNoContent && res.status != http.StatusNotModified
}

// buffer is memory for a body.
type buffer struct{ bytes []byte }

// maxPooled is the largest buffer that is used again, in bytes: that of the largest
// list, nearly. Larger ones are rare, and would stay large for good.
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

// release gives back what a response holds: its file, and the memory of its body.
func (reps *representations) release(res *response) {
	if res.file != nil {
		_ = res.file.Close() // it was only read
		res.file = nil
	}
	if res.buffer != nil {
		reps.giveBuffer(res.buffer)
		res.buffer, res.body = nil, nil
	}
}

// respond has a handler decide, and sends what comes of it.
func (s *Server) respond(req *request, h handler) {
	res, reserved := s.reserve(req, s.decide(req, h))
	defer s.unsent.release(reserved)
	defer s.reps.release(res)
	req.writeHeaders(res, &s.o.MCPOrigins)
	if s.draining.Load() { // the client goes elsewhere
		req.Header().Set("Connection", "close")
	}
	if req.r.ContentLength != 0 && !req.wholeBody {
		// Where a body ends, a proxy in front may see otherwise, and take what follows
		// for somebody else's request (RFC 9112, section 11.2). Nothing follows. What
		// comes meanwhile is read and dropped, so that the client gets the response.
		req.Header().Set("Connection", "close")
		_ = http.NewResponseController(req).SetReadDeadline(time.Now().Add(lingerTimeout)) // a test has no deadline
	}
	req.snapshot = nil // a client that reads slowly does not keep a build that was replaced
	req.send(res)
	if req.sendErr != nil { // the client is gone
		s.log.unsent(req)
	}
	took := time.Since(req.began)
	s.metrics.observe(req, took)
	s.log.answered(req, took)
}

// decide has a handler decide, and turns whatever goes wrong into a response.
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

// errorResponse is the one place where errors become responses: problems are sent as
// they are, and of all else only that it happened.
func (s *Server) errorResponse(req *request, err error) *response {
	problem, ok := errors.AsType[*api.Problem](err)
	if !ok {
		problem = internalProblem(req.id)
		logged := true
		if errors.Is(err, snapshot.ErrFolder) { // it passes, as soon as a build stands there again
			problem = api.NewProblem(api.Overloaded, "The files of this site cannot be read at the moment.")
			// Every request fails meanwhile. One line a second tells as much as one for each.
			second := s.o.Now().Unix()
			logged = s.folderFault.Swap(second) != second
		}
		if logged {
			s.log.Error("fault", "id", req.id, "method", shorten(req.r.Method), "path", shorten(req.r.URL.Path),
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

// problemResponse sends a problem: as problem details below /api/ and from the MCP
// server (RFC 9457), as a page or a line of text elsewhere.
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
		res := &response{status: problem.Status}
		res.contentType = problemType
		res.body = problem.WithBase(req.snapshot.Settings.BaseURL).JSON()
		if problem.Code == api.UnknownEndpoint.Code { // who is lost, at the API's root for one, is led on
			res.link = []string{headers.Links(&req.snapshot.Settings)}
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

// send sends the response, whose headers are written already. HEAD gets all of it but
// the body. The request keeps the error, if there is one.
func (req *request) send(res *response) {
	if res.contentLength == nil {
		res.ownLength[0] = strconv.Itoa(len(res.body))
		res.contentLength = res.ownLength[:]
	}
	if res.isFile && res.status == http.StatusOK && req.area == &pageArea {
		// What If-None-Match says is decided already. ServeContent sees to ranges and to
		// the other preconditions.
		req.length = res.contentLength
		http.ServeContent(req, withOneRange(req.r), "", time.Time{}, res.content())
		return
	}
	if res.hasBody() {
		req.Header()["Content-Length"] = res.contentLength
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

// content returns the body. A file that grows while it is sent ends where its
// Content-Length says: what follows would be taken for the next response.
func (res *response) content() io.ReadSeeker {
	if res.file != nil {
		return io.NewSectionReader(res.file, 0, res.size)
	}
	return bytes.NewReader(res.body)
}

// withOneRange returns a request without its Range, unless that is one range of bytes
// and the method is GET (RFC 9110, section 14.2). A thousand ranges would be a thousand
// parts with headers, for which nobody counts the request.
func withOneRange(r *http.Request) *http.Request {
	sent := r.Header["Range"]
	if sent == nil || r.Method == http.MethodGet && len(sent) == 1 && isOneRange(sent[0]) {
		return r
	}
	other := r.Clone(r.Context())
	other.Header.Del("Range")
	return other
}

// isOneRange reports whether a value of Range asks for one range of bytes. A suffix of 0 bytes is
// none: net/http would send a Content-Range that ends before it begins.
func isOneRange(sent string) bool {
	last, isSuffix := strings.CutPrefix(sent, "bytes=-")
	isEmpty := isSuffix && strings.Trim(last, "0 \t") == ""
	return strings.HasPrefix(sent, "bytes=") && !strings.Contains(sent, ",") && !isEmpty
}

// writeHeaders writes the headers of the response and those of its area. The origins are those
// of other sites whose pages may use the MCP server.
func (req *request) writeHeaders(res *response, origins *Origins) {
	h := req.Header()
	maps.Copy(h, res.header)
	put := func(name string, values []string) {
		if values != nil {
			h[name] = values
		}
	}
	req.ownID[0] = req.id
	h["X-Request-Id"], h["X-Content-Type-Options"] = req.ownID[:], noSniff
	put("Content-Type", res.contentType)
	put("Content-Encoding", res.contentEncoding)
	put("Link", res.link)
	if res.etag != nil && res.status < 400 {
		h["Etag"] = res.etag
		if res.cacheControl == nil {
			res.cacheControl = cached
		}
	}
	put("Cache-Control", res.cacheControl)
	switch req.area {
	case &apiArea:
		h["Access-Control-Allow-Origin"], h["Access-Control-Expose-Headers"] = anyOrigin, exposedHeaders
		if res.status == http.StatusOK || res.status == http.StatusNotModified {
			h["Vary"] = varyAPI
		}
	case &mcpArea:
		origins.writeHeaders(h, req)
	default:
		put("Vary", res.vary)
		switch {
		case res.etag == nil || res.status >= 400:
		case len(res.cacheControl) > 0 && res.cacheControl[0] == headers.CacheForever:
			h["Cdn-Cache-Control"] = cachedForever
		default:
			h["Cdn-Cache-Control"] = cachedShared
		}
		maps.Copy(h, req.snapshot.PageHeaders)
	}
	req.writeAllowance(h)
}

// writeAllowance tells of the allowance that the request counts against, if any.
func (req *request) writeAllowance(h http.Header) {
	a := req.allowance
	if a == nil {
		return
	}
	var room [96]byte
	text := append(append(append(room[:0], '"'), a.policy.String()...), `";q=`...)
	text = strconv.AppendInt(text, int64(a.limit), 10)
	text = strconv.AppendInt(append(text, ";w="...), int64(ratestore.Window/time.Second), 10)
	first := len(text)
	text = append(append(append(text, '"'), a.policy.String()...), `";r=`...)
	text = strconv.AppendInt(text, int64(a.verdict.Left), 10)
	text = strconv.AppendInt(append(text, ";t="...), int64(a.verdict.Reset), 10)
	both := string(text) // one allocation for the two
	req.ownRates = [2]string{both[:first], both[first:]}
	h["Ratelimit-Policy"], h["Ratelimit"] = req.ownRates[:1:1], req.ownRates[1:]
}
