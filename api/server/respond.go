package server

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/api/server/ratestore"
)

// answer is what will be sent: everything is decided, nothing is written.
type answer struct {
	status int
	header http.Header
	// etag is the strong ETag of the body, or "".
	etag string
	// The body is made by render where that is set, else read from file where
	// that is set, else it is body. A request that already has the body, by its
	// ETag, never has it rendered.
	render func() ([]byte, error)
	file   *os.File
	size   int64 // of file, in bytes
	body   []byte
}

func newAnswer(status int) *answer { return &answer{status: status, header: http.Header{}} }

// textAnswer says something that is neither a page nor an answer of the API.
func textAnswer(status int, text string) *answer {
	a := newAnswer(status)
	a.header.Set("Content-Type", "text/plain; charset=utf-8")
	a.body = []byte(text)
	return a
}

// bytesAnswer sends JSON that is there already.
func bytesAnswer(body []byte) *answer {
	a := newAnswer(http.StatusOK)
	a.header.Set("Content-Type", "application/json")
	sum := sha256.Sum256(body)
	a.etag, a.body = quoteETag(sum[:]), body
	return a
}

// jsonAnswer sends JSON that follows from the index, the program and key alone,
// so that its ETag is known before it is made (contract 7).
func (s *Server) jsonAnswer(operation string, key any, render func() ([]byte, error)) *answer {
	a := newAnswer(http.StatusOK)
	a.header.Set("Content-Type", "application/json")
	hash := sha256.New()
	// A hash takes whatever is written, and what was parsed always encodes.
	_ = json.NewEncoder(hash).Encode([]any{s.edition, operation, key})
	a.etag, a.render = quoteETag(hash.Sum(nil)), render
	return a
}

// optionsAnswer is that of every path, found or not, so that a browser may go on
// to read what is wrong.
func optionsAnswer(api bool) *answer {
	a := newAnswer(http.StatusNoContent)
	a.header.Set("Allow", allowedMethods)
	if api {
		a.header.Set("Access-Control-Allow-Methods", allowedMethods)
		a.header.Set("Access-Control-Allow-Headers", "Authorization, X-Api-Key, If-None-Match")
		a.header.Set("Access-Control-Max-Age", "86400") // a day (contract 7)
	}
	return a
}

// serve is the way of every request on the public address.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	x := &exchange{request: r, id: requestID(r.Header)}
	s.metrics.inFlight.Add(1)
	defer s.leave(x)
	a, reserved := s.reserve(x, s.answer(x))
	defer s.unsent.release(reserved)
	s.addHeaders(x, a)
	var err error
	if x.sent, err = a.write(w, r.Method); err != nil { // the client is gone
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
	if err == nil {
		err = a.settle(x.request)
	}
	if err != nil {
		return s.errorAnswer(x, err)
	}
	return a
}

// settle makes an answer with an ETag 304 where the client has it already (RFC
// 9110, section 13.1.2), and renders it otherwise. Errors are not settled: that
// of a missing page stays 404.
func (a *answer) settle(r *http.Request) error {
	if a.etag != "" && noneMatchHolds(r.Header, a.etag) {
		a.close()
		a.status, a.body, a.render = http.StatusNotModified, nil, nil
		a.header.Del("Content-Type")
		return nil
	}
	if a.render == nil {
		return nil
	}
	var err error
	a.body, err = a.render()
	return err
}

// noneMatchHolds tells whether If-None-Match names the ETag or *. Weak and
// strong tags compare alike (RFC 9110, section 13.1.2).
func noneMatchHolds(h http.Header, etag string) bool {
	for _, line := range h.Values("If-None-Match") {
		// Our tags hold no comma, so that a list can be split at commas: pieces of
		// a foreign tag that holds one match nothing of ours.
		for tag := range strings.SplitSeq(line, ",") {
			tag = strings.TrimSpace(tag)
			if tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
				return true
			}
		}
	}
	return false
}

// errorAnswer is the one place where errors become answers: problems are sent as
// they are, and of all else only that it happened.
func (s *Server) errorAnswer(x *exchange, err error) *answer {
	var problem *api.Problem
	if !errors.As(err, &problem) {
		s.log.Error("fault", "id", x.id, "method", shown(x.request.Method), "path", shown(x.request.URL.Path), "error", err)
		problem = internalProblem(x.id)
	}
	return s.problemAnswer(x, problem)
}

func internalProblem(id string) *api.Problem {
	problem := api.NewProblem(api.Internal, "The fault is ours. Tell us the request id.")
	problem.RequestID = id
	return problem
}

// problemAnswer sends a problem: as problem details below /api/ (RFC 9457), as
// a page or a line of text elsewhere.
func (s *Server) problemAnswer(x *exchange, problem *api.Problem) *answer {
	a := s.problemBody(x, problem)
	a.header.Set("Cache-Control", "no-store")
	switch problem.Status {
	case http.StatusMethodNotAllowed:
		a.header.Set("Allow", allowedMethods)
	case http.StatusUnauthorized:
		a.header.Set("WWW-Authenticate", "Bearer")
	case http.StatusTooManyRequests:
		a.header.Set("Retry-After", strconv.Itoa(x.admission.verdict.Reset))
	case http.StatusServiceUnavailable:
		a.header.Set("Retry-After", strconv.Itoa(retryOverloaded))
	}
	return a
}

func (s *Server) problemBody(x *exchange, problem *api.Problem) *answer {
	if x.route.api {
		a := newAnswer(problem.Status)
		a.header.Set("Content-Type", "application/problem+json")
		a.body = problem.WithBase(s.settings.BaseURL).JSON()
		return a
	}
	if problem.Status == http.StatusNotFound {
		if a, err := s.missingAnswer(); err == nil {
			return a
		}
	}
	text := problem.Title + ".\n" + problem.Detail + "\n"
	if problem.RequestID != "" {
		text += "Request id: " + problem.RequestID + "\n"
	}
	return textAnswer(problem.Status, text)
}

// addHeaders adds what every answer of its kind carries (contract 6 and 7).
func (s *Server) addHeaders(x *exchange, a *answer) {
	h := a.header
	h.Set("X-Request-Id", x.id)
	h.Set("X-Content-Type-Options", "nosniff")
	if a.etag != "" && a.status < 400 {
		h.Set("ETag", a.etag)
		if h.Get("Cache-Control") == "" {
			h.Set("Cache-Control", api.CacheControl)
		}
	}
	if x.route.api {
		addAPIHeaders(h, x.admission, a.status)
		return
	}
	for _, field := range s.policy {
		h.Set(field.Name, field.Value)
	}
}

func addAPIHeaders(h http.Header, a *admission, status int) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", api.ExposedHeaders)
	if status == http.StatusOK || status == http.StatusNotModified {
		h.Set("Vary", api.Vary)
	}
	if a != nil {
		h.Set("RateLimit-Policy", fmt.Sprintf(`"%s";q=%d;w=%d`, a.policy, a.limit, int(ratestore.Window.Seconds())))
		h.Set("RateLimit", fmt.Sprintf(`"%s";r=%d;t=%d`, a.policy, a.verdict.Left, a.verdict.Reset))
	}
}

// write sends the answer and returns how many bytes of body; a HEAD request gets
// all of it but the body.
func (a *answer) write(w http.ResponseWriter, method string) (sent int64, err error) {
	defer a.close()
	header := w.Header()
	for name, values := range a.header {
		header[name] = values
	}
	bodiless := a.status == http.StatusNoContent || a.status == http.StatusNotModified
	if !bodiless {
		header.Set("Content-Length", strconv.FormatInt(a.length(), 10))
	}
	w.WriteHeader(a.status)
	if bodiless || method == http.MethodHead {
		return 0, nil
	}
	if a.file != nil {
		return io.CopyN(w, a.file, a.size)
	}
	n, err := w.Write(a.body)
	return int64(n), err
}

func (a *answer) length() int64 {
	if a.file != nil {
		return a.size
	}
	return int64(len(a.body))
}

// close lets go of the file, if there is one.
func (a *answer) close() {
	if a.file != nil {
		_ = a.file.Close() // it was only read
		a.file = nil
	}
}

// count says how many there are of something, in the plural unless it is one.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func decimal(n int) string { return strconv.Itoa(n) }
