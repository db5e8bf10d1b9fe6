package server

import (
	"net/http"
	"net/url"
	"strings"
)

// belowBase returns a request whose path is below the base address, and in which dots lead nowhere.
//
// A proxy in front may have removed the path of the base address, or not. So a path that begins with
// it is ambiguous: with the base /projects, /projects/ollama/ is a page if a proxy has removed the
// base. belowBase chooses the path where there is something.
func (s *Server) belowBase(req *request) *http.Request {
	r := req.r
	switch {
	case r.URL.Path == "": // such as "GET http://catalog.example"
		r = withPath(r, "/", "")
	case strings.Contains(r.URL.Path, "/."):
		r = withPath(r, r.URL.Path, escapeDots(r.URL.EscapedPath()))
	}
	base := req.snapshot.BasePath
	if base == "" || !strings.HasPrefix(r.URL.Path, base) {
		return r
	}
	escaped := r.URL.EscapedPath()
	rest := cutSegments(escaped, strings.Count(base, "/"))
	if begin, err := url.PathUnescape(escaped[:len(escaped)-len(rest)]); err != nil || begin != base {
		return r
	}
	below := withPath(r, r.URL.Path[len(base):], rest)
	if found := s.finding(req, below.URL); found < somethingFound && s.finding(req, r.URL) > found {
		return r
	}
	return below
}

// escapeDots returns an escaped path in which the segments . and .. are ordinary names. Otherwise the
// mux would redirect.
func escapeDots(escaped string) string {
	segments := strings.Split(escaped, "/")
	for i, segment := range segments {
		if segment == "." || segment == ".." {
			segments[i] = strings.ReplaceAll(segment, ".", "%2E")
		}
	}
	return strings.Join(segments, "/")
}

// withPath returns the request with another path. raw is the escaped path, or "".
func withPath(r *http.Request, path, raw string) *http.Request {
	other, u := *r, *r.URL
	u.Path, u.RawPath = path, raw
	other.URL = &u
	return &other
}

// cutSegments returns an escaped path, which begins with a slash, without its first segments.
func cutSegments(escaped string, count int) string {
	parts := strings.SplitN(escaped, "/", count+2)
	if len(parts) < count+2 {
		return ""
	}
	return "/" + parts[count+1]
}

// finding is the kind of thing at a path. Greater values are better.
type finding int

const (
	nothingFound finding = iota
	preflightFound
	redirectFound
	somethingFound
)

// finding returns the kind of thing at a path. Browsers send OPTIONS before a script reads from the
// API, even for a path where there is nothing.
func (s *Server) finding(req *request, u *url.URL) finding {
	if u.Path != "" && !isClean(u) {
		return nothingFound
	}
	_, pattern := s.mux.Handler(&http.Request{Method: http.MethodGet, URL: u})
	isAPI := strings.HasPrefix(pattern, "/api")
	if pattern != "/" && pattern != "/api" && pattern != "/api/" {
		return somethingFound
	}
	file, err := s.reps.find(req.snapshot, u, isAPI)
	switch {
	case err == nil && file.isFolder:
		return redirectFound
	case err == nil && file.name != "":
		return somethingFound
	case isAPI && req.r.Method == http.MethodOptions:
		return preflightFound
	}
	return nothingFound
}
