package dev

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"catalog.example/api/headers"
)

// Paths that belong to the preview itself.
const (
	pathEvents = "/_dev/events"
	pathScript = "/_dev/dev.js"
	pathStyle  = "/_dev/dev.css"
)

// ServeHTTP implements http.Handler.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	now := s.current.Load()
	switch r.URL.Path {
	case pathEvents:
		s.events(w, r)
	case pathScript:
		write(w, headers.ContentType(pathScript), http.StatusOK, script)
	case pathStyle:
		write(w, headers.ContentType(pathStyle), http.StatusOK, style)
	default:
		s.file(w, r, now)
	}
}

func write(w http.ResponseWriter, contentType string, status int, text []byte) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write(text) // #nosec G705 -- a file of the owner's site, as a build would write it
}

// file answers with a file of the site, or with the answer of the API.
func (s *site) file(w http.ResponseWriter, r *http.Request, now *state) {
	name, text, status := now.file(r.URL.Path)
	below := now.apiPath(r.URL.Path)
	switch {
	case status == http.StatusNotFound && below != "":
		asked := r.Clone(r.Context())
		asked.URL.Path, asked.URL.RawPath = below, ""
		s.answer(w, asked)
	case status == http.StatusFound:
		http.Redirect(w, r, (&url.URL{Path: "/" + name + "/"}).EscapedPath(), status)
	case headers.IsEmbed(now.inLanguage(name)): // without the findings, because the page may have no script
		setHeaders(w, headers.Embed(&now.draft.Settings))
		write(w, headers.ContentType(name), status, text)
	case strings.HasSuffix(name, ".html"):
		s.page(w, r, now, status, text)
	default:
		write(w, headers.ContentType(name), http.StatusOK, text)
	}
}

// file returns the file at a path of the site, with its name and status. A listing that has had
// errors since the preview started has an empty page.
func (now *state) file(urlPath string) (name string, text []byte, status int) {
	folder := strings.Trim(path.Clean(urlPath), "/")
	if name = folder; strings.HasSuffix(urlPath, "/") {
		name = strings.TrimPrefix(folder+"/index.html", "/")
	}
	text, err := now.draft.File(name)
	switch {
	case err == nil:
		return name, text, http.StatusOK
	case !errors.Is(err, fs.ErrNotExist):
		return "error.html", errorPage(err), http.StatusInternalServerError
	case name == folder && now.draft.Has(folder+"/index.html"):
		return name, nil, http.StatusFound
	}
	if text, err = now.draft.File("404.html"); err != nil || now.draft.Source(folder) != "" {
		text = emptyPage
	}
	return "404.html", text, http.StatusNotFound
}

// apiPath returns the path of the API that answers a path without a file, or "". Below the path of a further
// language, the API of the main language answers, because a preview has only one index.
func (now *state) apiPath(path string) string {
	path = "/" + now.inLanguage(strings.TrimPrefix(path, "/"))
	if strings.HasPrefix(path, "/api/") || path == "/mcp" {
		return path
	}
	return ""
}

// inLanguage returns the name of a file below the folder of its language.
func (now *state) inLanguage(name string) string {
	lang, rest, _ := strings.Cut(name, "/")
	if slices.Contains(now.draft.Languages, lang) {
		return rest
	}
	return name
}

// answer passes a request to the API. The first request after a change waits until the index is
// built.
func (s *site) answer(w http.ResponseWriter, r *http.Request) {
	handler, err := s.current.Load().api()
	for errors.Is(err, errOutdated) {
		handler, err = s.current.Load().api()
	}
	if err != nil {
		http.Error(w, fmt.Sprintf("search is not available: %v", err), http.StatusServiceUnavailable)
		return
	}
	handler.ServeHTTP(w, r)
}

// page answers with a page, its findings and the script that reloads it.
func (s *site) page(w http.ResponseWriter, r *http.Request, now *state, status int, text []byte) {
	setHeaders(w, headers.Page(&now.draft.Settings))
	write(w, "text/html; charset=utf-8", status, withFindings(text, s.findings(now, r.URL.Path), hashOf(text)))
}

func setHeaders(w http.ResponseWriter, fields []headers.Field) {
	for _, h := range fields {
		w.Header().Set(h.Name, h.Value)
	}
}

// lineEnd matches the end of a line in an event.
var lineEnd = regexp.MustCompile(`\r\n|\r|\n`)

// events sends changes to an open page (server-sent events, HTML Living Standard 9.2): "reload" if
// the page no longer has the hash that the browser sent, and "findings" with the HTML of the
// findings.
func (s *site) events(w http.ResponseWriter, r *http.Request) {
	page, hash := r.URL.Query().Get("page"), r.URL.Query().Get("hash")
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	said := ""
	for {
		now := s.current.Load()
		if _, text, _ := now.file(page); hashOf(text) != hash {
			_, _ = fmt.Fprint(w, "event: reload\ndata:\n\n")
			_ = control.Flush()
			return
		}
		if list := string(s.findings(now, page)); list != said {
			said = list
			_, _ = fmt.Fprintf(w, "event: findings\ndata: %s\n\n", lineEnd.ReplaceAllString(list, "\ndata: "))
		}
		if control.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-now.changed:
		}
	}
}
