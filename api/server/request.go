package server

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"time"

	"catalog.example/api/server/snapshot"
)

// request is one request on its way to its response. It is the http.ResponseWriter of
// that, so that it knows what was sent.
type request struct {
	http.ResponseWriter
	r        *http.Request // as it was sent
	id       string        // in X-Request-Id and in logs
	began    time.Time
	snapshot *snapshot.Snapshot // what is answered from; nil once the response is decided

	// What the mux found.
	route string // see routeNames
	area  *area
	url   *url.URL // below the base address
	slug  string   // of the listing that is asked for

	// What middleware found.
	allowance *allowance // nil where nothing is counted, and until it is
	file      file

	// wholeBody: the body of the request was read to its end, which nobody can take
	// for another one.
	wholeBody bool

	// What was sent.
	status  int
	sent    int64    // bytes of body
	sendErr error    // why the rest was not
	length  []string // Content-Length of a file, if all of it is sent; nil for what is no file

	// Room for values of headers that only this response has.
	ownID    [1]string
	ownRates [2]string
}

// begin takes a request in.
func (s *Server) begin(w http.ResponseWriter, r *http.Request) *request {
	s.metrics.inFlight.Add(1)
	return &request{
		ResponseWriter: w, r: r, id: requestID(r.Header), began: time.Now(), snapshot: s.current(), area: &pageArea,
	}
}

// end ends a request. A panic after its response was decided leaves nothing to say
// to the client, who may have half of it: the connection is cut.
func (s *Server) end(req *request) {
	s.metrics.inFlight.Add(-1)
	if reason := recover(); reason != nil {
		if reason != http.ErrAbortHandler {
			s.metrics.panics.Inc()
			s.log.panicked(req, reason)
		}
		panic(http.ErrAbortHandler) // which net/http does not log, with the client's address
	}
}

// WriteHeader implements http.ResponseWriter. [http.ServeContent] leaves two things to
// us: Content-Length of what has a content coding, and headers of the file that do not
// belong to 412 and 416.
func (req *request) WriteHeader(status int) {
	switch h := req.Header(); {
	case req.length == nil:
	case status == http.StatusOK:
		h["Content-Length"] = req.length
	case status >= http.StatusBadRequest:
		delete(h, "Content-Encoding")
		delete(h, "Etag")
		h["Cache-Control"] = notStored
	}
	req.status = status
	req.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (req *request) Write(p []byte) (int, error) {
	n, err := req.ResponseWriter.Write(p) // #nosec G705 -- hands on what handlers made
	req.wrote(int64(n), err)
	return n, err
}

// ReadFrom implements io.ReaderFrom, by which [http.ServeContent] sends bodies. One that
// is in memory is written whole, without another copy.
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

// Unwrap is for http.ResponseController.
func (req *request) Unwrap() http.ResponseWriter { return req.ResponseWriter }
