package server

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"strings"

	"catalog.example/api/headers"
)

// pageSuffix is that of pages, and twinSuffix what the name of a page's Markdown
// twin has more (contract 8).
const (
	pageSuffix = ".html"
	twinSuffix = ".md"
)

// sendPage answers with a page, or with its Markdown twin where the client would
// rather have that (RFC 9110, section 12.5.1) and there is one.
func (s *Server) sendPage(x *exchange) (*answer, error) {
	name, kept := x.route.asked, x.route.kept
	a, err := (*answer)(nil), fs.ErrNotExist
	if prefersMarkdown(x.request.Header) {
		twin := name + twinSuffix
		a, err = s.fileAnswer(x, twin, s.keptFile(x.edition, twin))
	}
	if err != nil && !errors.Is(err, errFolder) {
		if !errors.Is(err, fs.ErrNotExist) {
			s.log.Warn("the Markdown version of a page cannot be read; the page is sent", "page", name, "error", err)
		}
		a, err = s.fileAnswer(x, name, kept)
	}
	if err != nil {
		return nil, fileError(x, err)
	}
	a.vary = varyNegotiated
	if name == indexPage {
		a.link = x.edition.discovery
	}
	return a, nil
}

// sendTwin answers with the Markdown twin of a page, and says which page that is
// (RFC 6596), so that search engines send people there.
func (s *Server) sendTwin(x *exchange) (*answer, error) {
	a, err := s.fileAnswer(x, x.route.asked, x.route.kept)
	if err != nil {
		return nil, fileError(x, err)
	}
	page := strings.TrimSuffix(strings.TrimSuffix(x.route.asked, twinSuffix), indexPage)
	a.link = []string{"<" + x.edition.settings.URL("/"+escapedPath(page)) + `>; rel="canonical"`}
	return a, nil
}

// fileHandler returns what answers with a file of the build output.
func fileHandler(name string) handler {
	switch {
	case strings.HasSuffix(name, pageSuffix):
		return (*Server).sendPage
	case strings.HasSuffix(name, "/"+indexPage+twinSuffix), name == indexPage+twinSuffix:
		return (*Server).sendTwin
	}
	return (*Server).sendFile
}

// fileAnswer is the answer with a file; kept is its form, or nil.
func (s *Server) fileAnswer(x *exchange, name string, kept *form) (*answer, error) {
	f, file := kept, (*os.File)(nil)
	if f == nil {
		var err error
		if f, file, err = s.loadFile(x.edition, name); err != nil {
			return nil, err
		}
	}
	a, err := s.formAnswer(x, fileKey(x.edition, name), f)
	if err == nil && headers.IsHashed(name) {
		a.cacheControl = cachedForever
	}
	return withFile(a, file), err
}

// prefersMarkdown tells whether a client asks for Markdown: it names text/markdown,
// and takes HTML no more gladly. Browsers name HTML alone, and who takes anything
// gets what people read. Agents that name both with the same weight get Markdown:
// they would not name it otherwise.
func prefersMarkdown(h http.Header) bool {
	markdown, html, named := 0, 0, false
	specific := -1 // how specific the range is that html is from
	for _, line := range h["Accept"] {
		// A comma or semicolon in a quoted parameter cuts it into pieces that are no
		// ranges.
		for entry := range strings.SplitSeq(line, ",") {
			name, parameters, _ := strings.Cut(entry, ";")
			name = strings.TrimSpace(name)
			of := -1
			switch {
			case strings.EqualFold(name, "text/markdown"):
				if weight, ok := rangeWeight(parameters); ok {
					markdown, named = weight, true
				}
				continue
			case strings.EqualFold(name, "text/html"):
				of = 2
			case strings.EqualFold(name, "text/*"):
				of = 1
			case name == "*/*":
				of = 0
			}
			if of < specific || of < 0 {
				continue
			}
			if weight, ok := rangeWeight(parameters); ok {
				html, specific = weight, of
			}
		}
	}
	return named && markdown > 0 && markdown >= html
}

// rangeWeight returns the weight among the parameters of a media range, in
// thousandths; ok is false where it is malformed.
func rangeWeight(parameters string) (thousandths int, ok bool) {
	for parameters != "" {
		var one string
		one, parameters, _ = strings.Cut(parameters, ";")
		one = strings.TrimSpace(one)
		if len(one) > 1 && one[0]|0x20 == 'q' && one[1] == '=' {
			return weightOf(one)
		}
	}
	return maxWeight, true
}
