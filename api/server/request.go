package server

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"time"

	"catalog.example/api/server/snapshot"
	"catalog.example/api/site"
)

// request is an HTTP request. It is also the http.ResponseWriter of its own response, so that what
// was sent is known.
type request struct {
	http.ResponseWriter
	r        *http.Request // as it was sent
	id       string        // in X-Request-Id and in logs
	began    time.Time
	snapshot *snapshot.Snapshot // the build to answer from; nil once the response is ready
	// inAccessLog means that the settings of the build ask for a line in the access log.
	inAccessLog bool

	// The mux sets these.
	route string // see routeNames
	area  *area
	url   *url.URL // below the base address
	slug  string   // of the requested listing

	// Middleware sets these.
	allowance *allowance // nil until the request is counted, and if it never is
	file      file

	// wholeBody means that the body of the request was read to its end, and that no proxy can
	// disagree about that end.
	wholeBody bool

	// What was sent.
	status  int
	sent    int64  // bytes of the body
	sendErr error  // why the rest was not sent
	length  string // Content-Length of a whole file; "" if http.ServeContent does not send the body

	values []string // of headers, in one allocation
}

// begin begins a request: it takes the current snapshot, and chooses an id.
func (s *Server) begin(w http.ResponseWriter, r *http.Request) *request {
	s.metrics.inFlight.Add(1)
	snap := s.o.Snapshot()
	return &request{
		ResponseWriter: w, r: r, id: requestID(r.Header), began: time.Now(), snapshot: snap, area: &pageArea,
		inAccessLog: snap.Settings.AccessLog == site.On, values: make([]string, 0, 16),
	}
}

// put sets a header of the response, unless the value is "".
func (req *request) put(name, value string) {
	if value != "" {
		req.values = append(req.values, value)
		n := len(req.values)
		req.Header()[name] = req.values[n-1 : n : n]
	}
}

// end ends a request. After a panic while the response was being sent, the client may have received
// part of it, so the connection is closed.
func (s *Server) end(req *request) {
	s.metrics.inFlight.Add(-1)
	if reason := recover(); reason != nil {
		if reason != http.ErrAbortHandler {
			s.metrics.panics.Inc()
			s.log.panicked(req, reason)
		}
		panic(http.ErrAbortHandler) // net/http would log any other panic with the client's address
	}
}

// WriteHeader implements http.ResponseWriter. It corrects [http.ServeContent], which does not set
// Content-Length if there is a content coding, and keeps the file's headers in a 412 or 416.
func (req *request) WriteHeader(status int) {
	switch h := req.Header(); {
	case req.length == "":
	case status == http.StatusOK:
		req.put("Content-Length", req.length)
	case status >= http.StatusBadRequest:
		h.Del("Content-Encoding")
		h.Del("Etag")
		req.put("Cache-Control", notStored)
	}
	req.status = status
	req.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (req *request) Write(p []byte) (int, error) {
	n, err := req.ResponseWriter.Write(p) // #nosec G705 -- handlers make the bytes
	req.wrote(int64(n), err)
	return n, err
}

// ReadFrom implements io.ReaderFrom, which [http.ServeContent] uses. A body in memory is written in
// one piece, without another copy.
func (req *request) ReadFrom(from io.Reader) (n int64, err error) {
	if limited, ok := from.(*io.LimitedReader); ok {
		if body, ok := limited.R.(*bytes.Reader); ok && limited.N == int64(body.Len()) {
			from = body
		}
	}
	n, err = io.Copy(req.ResponseWriter, from)
	req.wrote(n, err)
	return n, err
}

func (req *request) wrote(n int64, err error) {
	req.sent += n
	if err != nil {
		req.sendErr = err
	}
}

// Unwrap returns the http.ResponseWriter of net/http, for [http.ResponseController].
func (req *request) Unwrap() http.ResponseWriter { return req.ResponseWriter }
