package server

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"catalog.example/api/headers"
)

const (
	indexPage   = "index.html"
	missingPage = "404.html"
	feedPage    = "feed.xml"
)

// maxKept is the largest file that is read into memory, in bytes: it can be
// compressed and kept there. A larger one is sent from the file as it is.
const maxKept = maxCompressed

// sharedBytes is how large a page may be of which slow readers are not counted as
// holding memory of their own, in bytes: so much disappears in a socket's buffer,
// and all who ask for a page share one copy.
const sharedBytes = 64 << 10

// pages are the files of a build output folder.
//
// The folder is kept open, so that a request sees the files of one build. A build
// that takes its place may remove it, and is reloaded only after that: what is no
// longer there is then looked for in the folder that stands at the path now, if
// that can be a build. What is opened below a folder stays below it, whatever links
// or dots a path holds (os.Root).
type pages struct {
	folder string
	root   *os.Root // the folder as it was opened
	// refused reports whether the build with an index file of that mark was refused.
	refused func(mark) bool
}

func openPages(folder string, refused func(mark) bool) (*pages, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open the folder of pages: %w", err)
	}
	return &pages{folder, root, refused}, nil
}

// close lets go of the folder. Files that were opened in it can be read on.
func (p *pages) close() { _ = p.root.Close() } // nothing was written

// find calls look with the folder. Where that finds no file and another build
// stands at the path now, find calls look with that. The error is errFolder where
// the folder is gone and nothing has taken its place, and where it cannot be read
// at the moment.
func (p *pages) find(look func(*os.Root) error) error {
	root := p.root
	for {
		err := look(root)
		if exhausted(err) {
			return fmt.Errorf("%w: %w", errFolder, err)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		next, openErr := os.OpenRoot(p.folder)
		if openErr != nil {
			return fmt.Errorf("%w: %w", errFolder, openErr)
		}
		defer func() { _ = next.Close() }() // nothing was written
		if sameFolder(root, next) {
			return err
		}
		if build := markIn(next); !build.isFile() || p.refused(build) {
			if markIn(root).isFile() {
				return err
			}
			return fmt.Errorf("%w: it was removed, and what stands in its place is not a build", errFolder)
		}
		root = next
	}
}

// exhausted reports whether an error is the machine's and not that of a file: it
// may pass.
func exhausted(err error) bool {
	for _, e := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EIO} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// sameFolder tells whether two are one, by whatever paths they were opened.
func sameFolder(a, b *os.Root) bool {
	one, err := a.Stat(".")
	if err != nil {
		return false
	}
	other, err := b.Stat(".")
	return err == nil && os.SameFile(one, other)
}

// fileKind is what a name in the folder stands for.
type fileKind int

const (
	nothing fileKind = iota
	regularFile
	folder
)

// kindOf returns what a name stands for. The error is that of the folder itself:
// a name that cannot be looked at, because it is too long or leads outside,
// stands for nothing.
func (p *pages) kindOf(name string) (fileKind, error) {
	var info fs.FileInfo
	err := p.find(func(root *os.Root) (err error) {
		info, err = root.Stat(name)
		return err
	})
	switch {
	case errors.Is(err, errFolder), errors.Is(err, os.ErrClosed):
		return nothing, err
	case err != nil:
		return nothing, nil
	case info.IsDir():
		return folder, nil
	case info.Mode().IsRegular():
		return regularFile, nil
	}
	return nothing, nil // a pipe would be waited for
}

// open opens a regular file. The error is fs.ErrNotExist where there is none.
func (p *pages) open(name string) (file *os.File, err error) {
	err = p.find(func(root *os.Root) (err error) {
		// Without O_NONBLOCK, opening a pipe would wait for a writer.
		if file, err = root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0); err != nil {
			return err
		}
		info, err := file.Stat()
		if err == nil && !info.Mode().IsRegular() {
			err = fs.ErrNotExist
		}
		if err != nil {
			_ = file.Close() // nothing was written
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open a page: %w", err)
	}
	return file, nil
}

func fileKey(e *edition, name string) formKey {
	return formKey{edition: e.identity, source: source{kind: fromFile, name: name}}
}

// keptFile returns the form of a file as it is now, where its body is kept, or
// nil. The one look at the file goes the short way, by its path: wherever that
// leads, it is the file that was once opened within the folder, or the form is not
// used.
func (s *Server) keptFile(e *edition, name string) *form {
	key := fileKey(e, name)
	f := s.forms.get(&key)
	if f == nil || f.body == nil {
		return nil
	}
	info, err := os.Stat(filepath.Join(e.pages.folder, filepath.FromSlash(name)))
	if err != nil || !sameFile(f.file, info) {
		return nil
	}
	return f
}

// loadFile returns the form of a regular file: with its body, or, where that is
// too large to keep, with the opened file, which the caller closes.
func (s *Server) loadFile(e *edition, name string) (*form, *os.File, error) {
	if f := s.keptFile(e, name); f != nil {
		return f, nil, nil
	}
	file, err := e.pages.open(name)
	if err != nil {
		return nil, nil, err
	}
	f, err := s.readFile(fileKey(e, name), file)
	if err != nil {
		_ = file.Close() // the error that matters is the first
		return nil, nil, fmt.Errorf("read a page: %w", err)
	}
	if f.body != nil {
		return f, nil, file.Close()
	}
	return f, file, nil
}

// readFile makes the form of an opened file and keeps it: with the body, or, where
// that is too large, with its tag alone.
func (s *Server) readFile(key formKey, file *os.File) (*form, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	name := key.source.name
	if info.Size() > maxKept {
		if f := s.forms.get(&key); f != nil && sameFile(f.file, info) {
			return f, nil
		}
		hash := sha256.New()
		if _, err := io.Copy(hash, file); err != nil {
			return nil, err
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		f := newForm(hex.EncodeToString(hash.Sum(nil)[:tagBytes]), contentType(name), info.Size(), false)
		f.file = info
		s.forms.keep(key, f)
		return f, nil
	}
	body := make([]byte, info.Size())
	n, err := io.ReadFull(file, body)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) { // it was cut short meanwhile
		return nil, err
	}
	body = body[:n]
	f := newForm(tagOf(body), contentType(name), int64(n), isText(name))
	f.file, f.body = info, body
	s.forms.keep(key, f)
	return f, nil
}

// sameFile tells whether a file is the one it was, of that size and time.
func sameFile(was, is fs.FileInfo) bool {
	return os.SameFile(was, is) && was.Size() == is.Size() && was.ModTime().Equal(is.ModTime())
}

// hostFiles are instructions of the build output to static hosts, not content.
var hostFiles = map[string]bool{"_headers": true, "_redirects": true}

// fileName returns the name below the folder that the segments of a path stand
// for; ok is false where no file may be served for them: dots that lead
// elsewhere, hidden files other than those of RFC 8615, characters that file
// systems take for separators.
func fileName(segments []string) (name string, ok bool) {
	for i, segment := range segments {
		hidden := strings.HasPrefix(segment, ".") && (i != 0 || segment != ".well-known")
		if segment == "" || hidden || strings.ContainsAny(segment, "/\\:\x00") || !utf8.ValidString(segment) {
			return "", false
		}
	}
	if len(segments) == 1 && hostFiles[segments[0]] {
		return "", false
	}
	return strings.Join(segments, "/"), true
}

// unknownType is that of a file whose name tells nothing.
const unknownType = "application/octet-stream"

// contentTypes of the files of a build output, by extension. The names of
// contentTypesByName count for more.
var contentTypes = map[string]string{
	".html":        "text/html; charset=utf-8",
	".md":          "text/markdown; charset=utf-8",
	".txt":         "text/plain; charset=utf-8",
	".css":         "text/css; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".mjs":         "text/javascript; charset=utf-8",
	".json":        "application/json",
	".xml":         "application/xml",
	".webmanifest": "application/manifest+json",
	".svg":         "image/svg+xml",
	".png":         "image/png",
	".jpg":         "image/jpeg",
	".jpeg":        "image/jpeg",
	".webp":        "image/webp",
	".avif":        "image/avif",
	".gif":         "image/gif",
	".ico":         "image/x-icon",
	".woff2":       "font/woff2",
}

var contentTypesByName = map[string]string{
	feedPage:                  "application/atom+xml",
	"opensearch.xml":          "application/opensearchdescription+xml",
	".well-known/api-catalog": headers.TypeAPICatalog,
}

// contentType returns the media type of a file of the build output.
func contentType(name string) string {
	if t, ok := contentTypesByName[name]; ok {
		return t
	}
	if path.Base(name) == feedPage { // each category has one of its own
		return contentTypesByName[feedPage]
	}
	if t, ok := contentTypes[strings.ToLower(path.Ext(name))]; ok {
		return t
	}
	return unknownType
}

// isText tells whether a file is text, which compressing makes smaller; images
// and fonts are compressed already.
func isText(name string) bool {
	t := contentType(name)
	return strings.HasPrefix(t, "text/") || strings.HasPrefix(t, "application/") && t != unknownType || t == "image/svg+xml"
}

// sendFile answers with the file of the route.
func (s *Server) sendFile(x *exchange) (*answer, error) {
	a, err := s.fileAnswer(x, x.route.asked, x.route.kept)
	if err != nil {
		return nil, fileError(x, err)
	}
	return a, nil
}

// fileError is the error of a file that was there when it was looked for.
func fileError(x *exchange, err error) error {
	if errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errFolder) {
		return nothingAt(x.request)
	}
	return err
}

// withFile makes a file the body of an answer that has one and is too large to be
// in memory.
func withFile(a *answer, file *os.File) *answer {
	switch {
	case file == nil:
	case a == nil || a.bodiless():
		_ = file.Close() // nothing was written
	default:
		a.file = file
	}
	return a
}

// missingAnswer is the page that says that there is none.
func (s *Server) missingAnswer(x *exchange) (*answer, error) {
	f, file, err := s.loadFile(x.edition, missingPage)
	if errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errFolder) {
		return textAnswer(http.StatusNotFound, "There is no such page.\n"), nil
	}
	if err != nil {
		return nil, err
	}
	accepts := identityOnly
	if f.shrinks {
		accepts = acceptanceOf(x.request.Header)
	}
	a, err := s.bodyAnswer(x, http.StatusNotFound, fileKey(x.edition, missingPage), f, &accepts)
	return withFile(a, file), err
}

// escapedPath returns the name of a file as a path of an address.
func escapedPath(name string) string {
	segments := strings.Split(name, "/")
	for i := range segments {
		segments[i] = url.PathEscape(segments[i])
	}
	return strings.Join(segments, "/")
}

// redirectToFolder leads from /x to /x/, where the page's relative links are
// right.
func redirectToFolder(segments []string) handler {
	return func(_ *Server, x *exchange) (*answer, error) {
		target := x.edition.settings.BasePath() + "/"
		if len(segments) > 0 {
			target += escapedPath(strings.Join(segments, "/")) + "/"
		}
		if x.request.URL.RawQuery != "" {
			target += "?" + x.request.URL.RawQuery
		}
		a := textAnswer(http.StatusPermanentRedirect, "The page has moved to "+target+"\n")
		a.set("Location", target)
		return a, nil
	}
}

// answerReady answers /readyz: a server exists only with an index, so that it is
// ready unless it drains.
func (s *Server) answerReady(x *exchange) (*answer, error) {
	if !s.draining.Load() {
		return s.answerOK(x)
	}
	a := textAnswer(http.StatusServiceUnavailable, "draining\n")
	a.cacheControl = notStored
	return a, nil
}

func (s *Server) answerOK(*exchange) (*answer, error) {
	a := textAnswer(http.StatusOK, "ok\n")
	a.cacheControl = notStored
	return a, nil
}
