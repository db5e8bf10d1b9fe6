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
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	indexPage   = "index.html"
	missingPage = "404.html"
	feedPage    = "feed.xml"
)

// pages are the files of a build output folder.
//
// The folder is opened for each request: a build replaces it as a whole, and a
// folder kept open would go on being the one that is gone. What is opened below
// it stays below it, whatever links or dots a path holds (os.Root).
type pages struct {
	folder string
	// tags holds the ETag of each file that was served, by name. It grows no
	// larger than the folder has files.
	tags sync.Map // string → fileTag
}

// fileTag is a file's ETag, and the file as it was when the tag was made.
type fileTag struct {
	info fs.FileInfo
	etag string
}

func openPages(folder string) (*pages, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open the folder of pages: %w", err)
	}
	return &pages{folder: folder}, root.Close()
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
	root, err := os.OpenRoot(p.folder)
	if err != nil {
		return nothing, fmt.Errorf("open the folder of pages: %w", err)
	}
	defer func() { _ = root.Close() }() // nothing was written
	info, err := root.Stat(name)
	switch {
	case err != nil:
		return nothing, nil
	case info.IsDir():
		return folder, nil
	case info.Mode().IsRegular():
		return regularFile, nil
	}
	return nothing, nil // a pipe would be waited for
}

// open returns a regular file, its size in bytes and its ETag. The caller closes
// the file.
func (p *pages) open(name string) (file *os.File, size int64, etag string, err error) {
	root, err := os.OpenRoot(p.folder)
	if err != nil {
		return nil, 0, "", fmt.Errorf("open the folder of pages: %w", err)
	}
	defer func() { _ = root.Close() }() // nothing was written
	file, err = root.Open(name)
	if err != nil {
		return nil, 0, "", fmt.Errorf("open a page: %w", err)
	}
	info, err := file.Stat()
	if err == nil {
		etag, err = p.etag(name, file, info)
	}
	if err != nil {
		_ = file.Close() // the error that matters is the first
		return nil, 0, "", fmt.Errorf("read a page: %w", err)
	}
	return file, info.Size(), etag, nil
}

// etag returns the hash of a file's bytes, which is kept for as long as the file
// is the same one, of that size and time.
func (p *pages) etag(name string, file *os.File, info fs.FileInfo) (string, error) {
	if kept, ok := p.tags.Load(name); ok {
		tag, ok := kept.(fileTag)
		if ok && os.SameFile(tag.info, info) && tag.info.Size() == info.Size() && tag.info.ModTime().Equal(info.ModTime()) {
			return tag.etag, nil
		}
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	etag := quoteETag(hash.Sum(nil))
	p.tags.Store(name, fileTag{info, etag})
	return etag, nil
}

// quoteETag makes a strong ETag of a hash. Half of a SHA-256 tells any two
// contents apart that will ever be compared.
func quoteETag(sum []byte) string { return `"` + hex.EncodeToString(sum[:16]) + `"` }

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
	".well-known/api-catalog": `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`,
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
	return "application/octet-stream"
}

func (s *Server) fileHandler(name string) handler {
	return func(*exchange) (*answer, error) { return s.fileAnswer(http.StatusOK, name) }
}

func (s *Server) fileAnswer(status int, name string) (*answer, error) {
	file, size, etag, err := s.pages.open(name)
	if err != nil {
		return nil, err
	}
	a := newAnswer(status)
	a.header.Set("Content-Type", contentType(name))
	a.file, a.size, a.etag = file, size, etag
	return a, nil
}

// missingAnswer is the page that says that there is none.
func (s *Server) missingAnswer() (*answer, error) {
	a, err := s.fileAnswer(http.StatusNotFound, missingPage)
	if errors.Is(err, fs.ErrNotExist) {
		return textAnswer(http.StatusNotFound, "There is no such page.\n"), nil
	}
	return a, err
}

// redirectToFolder leads from /x to /x/, where the page's relative links are
// right.
func (s *Server) redirectToFolder(segments []string) handler {
	return func(x *exchange) (*answer, error) {
		target := s.settings.BasePath() + "/"
		for _, segment := range segments {
			target += url.PathEscape(segment) + "/"
		}
		if x.request.URL.RawQuery != "" {
			target += "?" + x.request.URL.RawQuery
		}
		a := textAnswer(http.StatusPermanentRedirect, "The page has moved to "+target+"\n")
		a.header.Set("Location", target)
		return a, nil
	}
}

// answerReady answers /readyz: a server exists only with an index, so that it is
// ready unless it drains.
func (s *Server) answerReady(x *exchange) (*answer, error) {
	if !s.draining.Load() {
		return answerOK(x)
	}
	a := textAnswer(http.StatusServiceUnavailable, "draining\n")
	a.header.Set("Cache-Control", "no-store")
	return a, nil
}

func answerOK(*exchange) (*answer, error) {
	a := textAnswer(http.StatusOK, "ok\n")
	a.header.Set("Cache-Control", "no-store")
	return a, nil
}
