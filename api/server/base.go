package server

import (
	"net/http"
	"net/url"
	"strings"
)

// belowBase returns a request whose path is below the base address, and in which dots
// lead nowhere.
//
// A proxy in front may have taken the path of the base address off or left it on. A
// path that begins with it may be either: with the base /projects, /projects/ollama/
// is a page behind a proxy that has taken the base off. The reading that leads to
// something is right.
func (s *Server) belowBase(req *request) *http.Request {
	r := req.r
	switch {
	case r.URL.Path == "": // as in "GET http://catalog.example"
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

// escapeDots returns an escaped path in which the segments . and .. are names like any
// other, and lead nowhere. The mux would redirect.
func escapeDots(escaped string) string {
	segments := strings.Split(escaped, "/")
	for i, segment := range segments {
		if segment == "." || segment == ".." {
			segments[i] = strings.ReplaceAll(segment, ".", "%2E")
		}
	}
	return strings.Join(segments, "/")
}

// withPath returns a request that differs in its path alone. raw is the path as it
// was escaped, or "".
func withPath(r *http.Request, path, raw string) *http.Request {
	other, u := *r, *r.URL
	u.Path, u.RawPath = path, raw
	other.URL = &u
	return &other
}

// cutSegments returns an escaped path, which begins with a slash, without its first
// segments.
func cutSegments(escaped string, count int) string {
	for ; count > 0 && escaped != ""; count-- {
		if i := strings.IndexByte(escaped[1:], '/'); i >= 0 {
			escaped = escaped[1+i:]
		} else {
			escaped = ""
		}
	}
	return escaped
}

// finding is what a path leads to, the better the higher.
type finding int

const (
	nothingFound finding = iota
	preflightFound
	redirectFound
	somethingFound
)

// finding returns what a path leads to. Scripts ask by OPTIONS before they read from
// the API even what is not there.
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
