package server

import (
	"net/http"
	"net/url"
	"strings"
)

// belowBase returns the request with its path relative to the base address, and with dot segments
// escaped.
//
// A proxy in front may or may not have removed the base path, so a path that begins with it is
// ambiguous. With the base /projects, /projects/ollama/ is either that page, if a proxy has removed
// the base, or /ollama/ below the base. belowBase chooses the one where something is served.
func (s *Server) belowBase(req *request) *http.Request {
	r := req.r
	switch {
	case r.URL.Path == "": // for example, "GET http://catalog.example"
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

// escapeDots escapes the segments . and .. of an escaped path, so that the mux treats them as
// ordinary names. Otherwise, it would redirect.
func escapeDots(escaped string) string {
	segments := strings.Split(escaped, "/")
	for i, segment := range segments {
		if segment == "." || segment == ".." {
			segments[i] = strings.ReplaceAll(segment, ".", "%2E")
		}
	}
	return strings.Join(segments, "/")
}

// withPath returns a copy of the request with another path. raw is the escaped path, or "" for the
// default escaping.
func withPath(r *http.Request, path, raw string) *http.Request {
	other, u := *r, *r.URL
	u.Path, u.RawPath = path, raw
	other.URL = &u
	return &other
}

// cutSegments returns an escaped path without its first count segments. The path begins with a
// slash.
func cutSegments(escaped string, count int) string {
	parts := strings.SplitN(escaped, "/", count+2)
	if len(parts) < count+2 {
		return ""
	}
	return "/" + parts[count+1]
}

// finding says what is served at a path. Greater values are better matches.
type finding int

const (
	nothingFound finding = iota
	preflightFound
	redirectFound
	somethingFound
)

// finding reports what is served at a path. Below /api, OPTIONS is a weak match everywhere:
// browsers send it before a script reads from the API, even where nothing is served.
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
