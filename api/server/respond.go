package server

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/api/search"
	"catalog.example/api/server/ratestore"
)

// answer is what will be sent: everything is decided, nothing is written.
type answer struct {
	status int

	// Values of headers that many answers have; nil where this one has none. They
	// are often shared by all answers of a kind, and never changed.
	contentType, contentLength, contentEncoding, etag, link, cacheControl, vary []string
	// header holds those that few answers have; it may be nil.
	header http.Header

	// The body is read from file where that is set, else it is body. buffer is what
	// body lies in where that is used again for the next answer.
	file   *os.File
	size   int64 // of file, in bytes
	body   []byte
	buffer *buffer
	// shared tells that other answers may send the very bytes of body: it is that of
	// a form.
	shared bool
	// uncounted tells that the body is so small that slow readers of it take no memory
	// of the server.
	uncounted bool

	// Room for values that only this answer has.
	ownETag, ownLength [1]string
}

// Values of headers that many answers share.
var (
	jsonType       = []string{"application/json"}
	problemType    = []string{"application/problem+json"}
	textType       = []string{"text/plain; charset=utf-8"}
	cached         = []string{headers.CacheControl}
	cachedForever  = []string{headers.CacheForever}
	notStored      = []string{"no-store"}
	varyAPI        = []string{headers.Vary}
	varyPage       = []string{"Accept-Encoding"}
	varyNegotiated = []string{"Accept, Accept-Encoding"}
	anyOrigin      = []string{"*"}
	exposedHeaders = []string{headers.ExposedHeaders}
	noSniff        = []string{"nosniff"}
)

func newAnswer(status int) *answer { return &answer{status: status} }

// set sets a header that few answers have.
func (a *answer) set(name, value string) {
	if a.header == nil {
		a.header = http.Header{}
	}
	a.header.Set(name, value)
}

// textAnswer says something that is neither a page nor an answer of the API.
func textAnswer(status int, text string) *answer {
	return &answer{status: status, contentType: textType, body: []byte(text)}
}

// tagBytes is how much of a SHA-256 a tag is made of: half of it tells any two
// contents apart that will ever be compared.
const tagBytes = 16

// tagOf returns the tag of a body that has these bytes, or follows from them
// alone.
func tagOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:tagBytes])
}

// formAnswer sends what is kept: its headers, where the client has the body
// already (RFC 9110, section 13.1.2), or else the body in the coding that the
// client likes best.
func (s *Server) formAnswer(x *exchange, key formKey, plain *form) (*answer, error) {
	accepts := identityOnly
	if plain.shrinks {
		accepts = acceptanceOf(x.request.Header)
	}
	if held, ok := heldCoding(x.request.Header, plain.tag, &accepts); ok {
		a := &answer{status: http.StatusNotModified, etag: plain.etag, link: plain.link, vary: plain.vary()}
		if held != identity {
			a.ownETag[0] = etagOf(plain.tag, held)
			a.etag = a.ownETag[:]
		}
		return a, nil
	}
	return s.bodyAnswer(x, http.StatusOK, key, plain, &accepts)
}

// bodyAnswer sends the body in the coding that the client likes best.
func (s *Server) bodyAnswer(x *exchange, status int, key formKey, plain *form, accepts *acceptance) (*answer, error) {
	a := newAnswer(status)
	f := plain
	var err error
	if key.coding = codingFor(accepts, plain.size); key.coding != identity {
		f, err = s.codedForm(a, x.edition.index, &key, plain, accepts)
	}
	if err == nil && f.body == nil && a.body == nil && key.source.kind != fromFile {
		err = s.render(a, x.edition.index, &key.source)
	}
	if err != nil {
		s.release(a)
		return nil, err
	}
	if f.body != nil {
		s.release(a)
		a.body, a.shared = f.body, true
		a.uncounted = f.file != nil && f.size <= sharedBytes
	}
	a.size, a.etag, a.link, a.vary = f.size, f.etag, f.link, f.vary()
	a.contentType, a.contentLength, a.contentEncoding = f.contentType, f.contentLength, contentEncodings[f.coding]
	return a, nil
}

// codedForm returns the form of a key, the plain one where there is no time to
// make it. On the way it may render the body into the answer.
func (s *Server) codedForm(a *answer, ix *search.Index, key *formKey, plain *form, accepts *acceptance) (*form, error) {
	// The tag is compared because a file may be another one than the form's.
	if kept := s.forms.get(key); kept != nil && kept.tag == plain.tag {
		return kept, nil
	}
	body := plain.body
	if body == nil {
		if err := s.render(a, ix, &key.source); err != nil {
			return nil, err
		}
		body = a.body
	}
	f, err := s.encodeForm(plain, body, key.coding, accepts, key.source.effort())
	if err != nil || f == nil {
		return plain, err
	}
	s.forms.keep(*key, f)
	return f, nil
}

// errGone tells that a listing is not in the index that had it.
var errGone = errors.New("the listing is gone from the index")

// render copies the body from the index into the answer.
func (s *Server) render(a *answer, ix *search.Index, o *source) error {
	a.buffer = s.takeBuffer()
	var ok bool
	if a.buffer.bytes, ok = o.appendTo(a.buffer.bytes, ix); !ok {
		return errGone
	}
	a.body = a.buffer.bytes
	return nil
}

// buffer is memory for a body.
type buffer struct{ bytes []byte }

// maxPooled is the largest buffer that is used again, in bytes: that of the
// largest list, nearly. What is larger is rare, and would stay large for good.
const maxPooled = 512 << 10

func (s *Server) takeBuffer() *buffer {
	if b, ok := s.buffers.Get().(*buffer); ok {
		return b
	}
	return &buffer{}
}

func (s *Server) giveBuffer(b *buffer) {
	if cap(b.bytes) <= maxPooled {
		b.bytes = b.bytes[:0]
		s.buffers.Put(b)
	}
}

// release lets go of what an answer holds: its file, and the memory of its body.
func (s *Server) release(a *answer) {
	if a.file != nil {
		_ = a.file.Close() // it was only read
		a.file = nil
	}
	if a.buffer != nil {
		s.giveBuffer(a.buffer)
		a.buffer, a.body = nil, nil
	}
}

// optionsAnswer is that of every path, found or not, so that a browser may go on
// to read what is wrong.
func optionsAnswer(api bool) *answer {
	a := newAnswer(http.StatusNoContent)
	a.set("Allow", allowedMethods)
	if api {
		a.set("Access-Control-Allow-Methods", allowedMethods)
		a.set("Access-Control-Allow-Headers", "Authorization, X-Api-Key, If-None-Match")
		a.set("Access-Control-Max-Age", "86400") // a day (contract 7)
	}
	return a
}

// serve is the way of every request on the public address.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	x := &exchange{request: r, id: requestID(r.Header), edition: s.takeEdition(), writer: w}
	s.metrics.inFlight.Add(1)
	defer s.leave(x)
	a, reserved := s.reserve(x, s.answer(x))
	defer s.unsent.release(reserved)
	s.writeHeaders(w.Header(), x, a)
	if s.draining.Load() { // the client goes elsewhere
		w.Header().Set("Connection", "close")
	}
	if r.ContentLength != 0 && !x.wholeBody {
		// Where a body ends, a proxy in front may see otherwise, and take what follows
		// for somebody else's request (RFC 9112, section 11.2). Nothing follows. What
		// comes meanwhile is read and dropped, so that the client gets the answer.
		w.Header().Set("Connection", "close")
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(lingerTimeout)) // a recorder of tests has none
	}
	x.letGo() // a client that reads slowly does not hold a build that is gone
	var err error
	if x.sent, err = s.write(w, r.Method, a); err != nil { // the client is gone
		s.logUnsent(x, err)
	}
	took := time.Since(began)
	s.metrics.observe(x, a.status, took)
	s.logRequest(x, a, took)
}

// leave ends a request. A panic after its answer was decided leaves nothing to
// say to the client, who may have half of it: the connection is cut.
func (s *Server) leave(x *exchange) {
	s.metrics.inFlight.Add(-1)
	x.letGo()
	if reason := recover(); reason != nil {
		if reason != http.ErrAbortHandler {
			s.logPanic(x, reason)
		}
		panic(http.ErrAbortHandler) // which net/http does not log, with the client's address
	}
}

// answer decides, and turns whatever goes wrong in deciding into an answer.
func (s *Server) answer(x *exchange) (a *answer) {
	defer func() {
		s.vacate(x)
		if reason := recover(); reason != nil {
			s.logPanic(x, reason)
			a = s.problemAnswer(x, internalProblem(x.id))
		}
	}()
	a, err := s.decide(x)
	if err != nil {
		return s.errorAnswer(x, err)
	}
	return a
}

// errorAnswer is the one place where errors become answers: problems are sent as
// they are, and of all else only that it happened.
func (s *Server) errorAnswer(x *exchange, err error) *answer {
	var problem *api.Problem
	if !errors.As(err, &problem) {
		problem = internalProblem(x.id)
		logged := true
		if errors.Is(err, errFolder) { // it passes, as soon as a build stands there again
			problem = api.NewProblem(api.Overloaded, "The files of this site cannot be read at the moment.")
			// Every request fails meanwhile. One line a second tells as much as one for each.
			second := s.now().Unix()
			logged = s.folderFault.Swap(second) != second
		}
		if logged {
			s.log.Error("fault", "id", x.id, "method", shown(x.request.Method), "path", shown(x.request.URL.Path), "error", err)
		}
	}
	return s.problemAnswer(x, problem)
}

func internalProblem(id string) *api.Problem {
	problem := api.NewProblem(api.Internal, "The fault is ours. Tell us the request id.")
	problem.RequestID = id
	return problem
}

// problemAnswer sends a problem: as problem details below /api/ and from the MCP
// server (RFC 9457), as a page or a line of text elsewhere.
func (s *Server) problemAnswer(x *exchange, problem *api.Problem) *answer {
	a := s.problemBody(x, problem)
	a.cacheControl = notStored
	switch problem.Status {
	case http.StatusMethodNotAllowed:
		a.set("Allow", x.route.allowed())
	case http.StatusUnauthorized:
		a.set("WWW-Authenticate", "Bearer")
	case http.StatusTooManyRequests:
		a.set("Retry-After", strconv.Itoa(x.admission.verdict.Reset))
	case http.StatusServiceUnavailable:
		a.set("Retry-After", strconv.Itoa(retryOverloaded))
	}
	return a
}

func (s *Server) problemBody(x *exchange, problem *api.Problem) *answer {
	if x.route.problemDetails() {
		a := newAnswer(problem.Status)
		a.contentType = problemType
		a.body = problem.WithBase(x.edition.settings.BaseURL).JSON()
		if problem.Code == api.UnknownEndpoint.Code { // who is lost, at the API's root for one, is led on
			a.link = x.edition.discovery
		}
		return a
	}
	if problem.Status == http.StatusNotFound {
		if a, err := s.missingAnswer(x); err == nil {
			return a
		}
	}
	text := problem.Title + ".\n" + problem.Detail + "\n"
	if problem.RequestID != "" {
		text += "Request id: " + problem.RequestID + "\n"
	}
	return textAnswer(problem.Status, text)
}

// write sends the answer, whose headers are written already, and returns how many bytes of body; a HEAD request gets
// all of it but the body.
func (s *Server) write(w http.ResponseWriter, method string, a *answer) (sent int64, err error) {
	defer s.release(a)
	w.WriteHeader(a.status)
	if a.bodiless() || method == http.MethodHead {
		return 0, nil
	}
	if a.file != nil {
		return io.CopyN(w, a.file, a.size)
	}
	n, err := w.Write(a.body)
	return int64(n), err
}

// bodiless tells that answers of this status have no body.
func (a *answer) bodiless() bool {
	return a.status == http.StatusNoContent || a.status == http.StatusNotModified
}

// writeHeaders writes the headers of the answer and those of its kind (contract 6
// and 7).
func (s *Server) writeHeaders(h http.Header, x *exchange, a *answer) {
	for name, values := range a.header {
		h[name] = values
	}
	put := func(name string, values []string) {
		if values != nil {
			h[name] = values
		}
	}
	x.ownID[0] = x.id
	h["X-Request-Id"], h["X-Content-Type-Options"] = x.ownID[:], noSniff
	put("Content-Type", a.contentType)
	put("Content-Encoding", a.contentEncoding)
	put("Link", a.link)
	if !a.bodiless() {
		if a.contentLength == nil {
			a.ownLength[0] = strconv.Itoa(len(a.body))
			a.contentLength = a.ownLength[:]
		}
		h["Content-Length"] = a.contentLength
	}
	if a.etag != nil && a.status < 400 {
		h["Etag"] = a.etag
		if a.cacheControl == nil {
			a.cacheControl = cached
		}
	}
	put("Cache-Control", a.cacheControl)
	if x.route.api {
		h["Access-Control-Allow-Origin"], h["Access-Control-Expose-Headers"] = anyOrigin, exposedHeaders
		if a.status == http.StatusOK || a.status == http.StatusNotModified {
			h["Vary"] = varyAPI
		}
		writeAllowance(h, x)
		return
	}
	if x.route.mcp {
		s.origins.writeHeaders(h, x)
		writeAllowance(h, x)
		return
	}
	put("Vary", a.vary)
	for _, field := range x.edition.pageHeaders {
		h[field.name] = field.values
	}
}

// writeAllowance tells of the allowance that the request counts against (contract
// 6).
func writeAllowance(h http.Header, x *exchange) {
	a := x.admission
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
	x.ownRates = [2]string{both[:first], both[first:]}
	h["Ratelimit-Policy"], h["Ratelimit"] = x.ownRates[:1:1], x.ownRates[1:]
}

// count says how many there are of something, in the plural unless it is one.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func decimal(n int) string { return strconv.Itoa(n) }
