package server

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/api/server/indexfile"
	"catalog.example/api/server/snapshot"
	"catalog.example/api/site"
)

// File names in the build output.
const (
	indexFile      = "index.html"
	missingFile    = "404.html"
	pageSuffix     = ".html"
	markdownSuffix = ".md" // appended to a page's name: its Markdown version
)

// maxKept is the size in bytes of the largest file that is read into memory, where it can be
// compressed and cached. A larger file is sent from disk.
const maxKept = maxCompressed

// sharedBytes is the size in bytes of the largest body of a file that does not count as unsent
// memory, if all readers share one copy. That much fits into the buffer of a socket.
const sharedBytes = 64 << 10

// maxReread is the size in bytes of the largest file that each response reads again, uncompressed.
// The kernel keeps files in memory, too, and gives that memory back when it is needed.
const maxReread = sharedBytes

// file is a requested file of the build output.
type file struct {
	name string // slash-separated; "" if there is no such file
	// isFolder means that the path names the folder of a page, without the trailing slash.
	isFolder bool
	// kept is the representation of the file; nil if it is not known. If it is unchecked, it may be
	// that of a former file.
	kept      *representation
	unchecked bool
}

// errChanged means that a file is not the one that an unchecked representation was made of.
var errChanged = errors.New("the file has changed")

// findUnchecked returns the file that answers a path if it is known, without looking whether it has
// changed. If it has, fileResponse returns errChanged. That saves a system call, because sending the
// file shows that, too.
func (reps *representations) findUnchecked(snap *snapshot.Snapshot, u *url.URL) (f file, ok bool) {
	if name, ok := fileName(u); ok && jsonFiles[u.Path] == "" {
		f = file{name: name, kept: reps.knownFile(snap, name), unchecked: true}
	}
	return f, f.kept != nil
}

// find looks for the file that answers a path. With onlyJSON, it looks only for JSON pages. The
// file's name is empty if there is none. An error means a fault of the server.
func (reps *representations) find(snap *snapshot.Snapshot, u *url.URL, onlyJSON bool) (file, error) {
	if u.Path == "" { // the base address without its trailing slash
		return file{name: indexFile, isFolder: true}, nil
	}
	name, ok := jsonFiles[u.Path]
	if ext := path.Ext(u.Path); !ok && (!onlyJSON || ext == ".json" || ext == ".jsonl") {
		name, ok = fileName(u)
	}
	if !ok {
		return file{}, nil
	}
	if kept := reps.keptFile(snap, name); kept != nil {
		return file{name: name, kept: kept}, nil
	}
	found, err := snap.Stat(name)
	isFolder := err == nil && found.IsDir() && !onlyJSON && !strings.HasSuffix(u.Path, "/")
	if isFolder {
		name += "/" + indexFile
		found, err = snap.Stat(name)
	}
	if errors.Is(err, fs.ErrNotExist) || err == nil && !found.Mode().IsRegular() {
		return file{}, nil
	}
	return file{name: name, isFolder: isFolder}, err
}

// jsonFiles maps those paths of the API that are not file names to their files.
var jsonFiles = map[string]string{
	api.PathIndex:                          fileOf(api.PathIndex),
	strings.TrimSuffix(api.PathIndex, "/"): fileOf(api.PathIndex),
	api.PathTaxonomy:                       fileOf(api.PathTaxonomy),
	"/mcp/server-card":                     headers.PathServerCard[1:],
}

func fileOf(path string) string { return strings.TrimPrefix(api.FilePath(path), "/") }

// hostFiles lists files of the build output that configure static hosts, and are not content.
var hostFiles = map[string]bool{"_headers": true, "_redirects": true, "_moved.conf": true, "_moved.caddy": true}

// fileName returns the name of the file for a path. If the path ends with a slash, that is its
// index.html. ok is false if no file may be served: for dot segments and empty ones, for host
// files, for hidden files except those of RFC 8615, and for characters that file systems treat as
// separators.
func fileName(u *url.URL) (name string, ok bool) {
	name, ok = strings.CutPrefix(u.Path, "/")
	separates := strings.Contains(strings.ToLower(u.RawPath), "%2f") || strings.ContainsAny(name, "\\:\x00")
	if !ok || separates || !utf8.ValidString(name) || hostFiles[name] {
		return "", false
	}
	if name == "" || strings.HasSuffix(name, "/") {
		name += indexFile
	}
	if headers.IsHidden(name) || strings.HasPrefix(name, "/") || strings.Contains(name, "//") {
		return "", false
	}
	return name, true
}

func fileKey(snap *snapshot.Snapshot, name string) cacheKey {
	return cacheKey{snapshot: snap.Identity, source: source{kind: fromFile, name: name}}
}

// knownFile returns the representation of a file as it once was, or nil if it is not known or is
// sent from disk.
func (reps *representations) knownFile(snap *snapshot.Snapshot, name string) *representation {
	if rep := reps.cache.get(fileKey(snap, name)); rep != nil && !rep.isLarge() {
		return rep
	}
	return nil
}

// keptFile returns the representation of a file if it is known and the file has not changed, or else
// nil.
func (reps *representations) keptFile(snap *snapshot.Snapshot, name string) *representation {
	rep := reps.knownFile(snap, name)
	if rep == nil || !reps.isCurrent(snap, name, rep) {
		return nil
	}
	return rep
}

// isCurrent reports whether a file has not changed since its representation was made. For speed, it
// looks at the file's path without os.Root. That is safe even if links lead outside the folder: the
// file was read within it, and is sent only while the path leads to it.
func (reps *representations) isCurrent(snap *snapshot.Snapshot, name string, rep *representation) bool {
	info, err := snap.Files.StatPath(name)
	return err == nil && indexfile.SameFile(rep.file, info)
}

// reread appends the content of a file to dst, if it is still what the representation was made of.
func (reps *representations) reread(
	dst []byte, snap *snapshot.Snapshot, name string, rep *representation,
) (body []byte, ok bool) {
	begin := len(dst)
	dst, ok = snap.Files.AppendSame(dst, name, rep.file)
	return dst, ok && maphash.Bytes(reps.seed, dst[begin:]) == rep.sum
}

// loadFile returns the representation of a regular file with its body. If the body is too large to
// keep, it is left out, and the opened file is returned too, which the caller closes.
func (reps *representations) loadFile(snap *snapshot.Snapshot, name string) (*representation, *os.File, error) {
	opened, err := snap.Open(name)
	if err != nil {
		return nil, nil, err
	}
	rep, err := reps.readFile(snap, name, opened)
	if err == nil && rep.body == nil {
		return rep, opened, nil
	}
	_ = opened.Close() // opened read-only: a close error is harmless
	if err != nil {
		return nil, nil, fmt.Errorf("read a page: %w", err)
	}
	return rep, nil, nil
}

// readFile makes and caches the representation of an opened file. It returns it with the body, unless
// that is too large to keep. The cache does not get the body if responses read it again.
func (reps *representations) readFile(snap *snapshot.Snapshot, name string, opened *os.File) (*representation, error) {
	key := fileKey(snap, name)
	info, err := opened.Stat()
	if err != nil {
		return nil, err
	}
	rep := &representation{contentType: headers.ContentType(name), link: linksOf(&snap.Settings, name), file: info}
	if info.Size() > maxKept {
		if kept := reps.cache.get(key); kept != nil && indexfile.SameFile(kept.file, info) {
			return kept, nil
		}
		hash := sha256.New()
		if _, err := io.Copy(hash, opened); err != nil {
			return nil, err
		}
		if _, err := opened.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		rep.tag, rep.size = hex.EncodeToString(hash.Sum(nil)[:tagBytes]), info.Size()
	} else {
		body := make([]byte, info.Size())
		n, err := io.ReadFull(opened, body)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) { // EOF: it became shorter
			return nil, err
		}
		rep.tag, rep.size, rep.body, rep.shrinks = tagOf(body[:n]), int64(n), body[:n], isText(name)
		rep.sum = maphash.Bytes(reps.seed, rep.body)
	}
	if rep.size > maxReread {
		reps.cache.keep(key, rep)
	} else {
		known := *rep
		known.body = nil
		reps.cache.keep(key, &known)
	}
	return rep, nil
}

// isText reports whether a file is text, which is worth compressing. Images and fonts are already
// compressed.
func isText(name string) bool {
	t := headers.ContentType(name)
	isProgram := strings.HasPrefix(t, "application/") && t != headers.UnknownType && t != headers.TypeGzip
	return strings.HasPrefix(t, "text/") || t == "image/svg+xml" || isProgram
}

// sendFile answers with the file that was found.
func (s *Server) sendFile(req *request) (*response, error) {
	res, err := s.reps.fileResponse(req, req.file)
	if errors.Is(err, fs.ErrNotExist) { // removed since it was found
		return nil, nothingAt(req.r)
	}
	if err == nil {
		res.cacheControl = headers.CacheOf(req.file.name)
	}
	return res, err
}

// sendPage answers with a file outside the API: a page, the Markdown version of one, or any other
// file. The path of a folder redirects to its page, so that relative links work.
func (s *Server) sendPage(req *request) (*response, error) {
	name := req.file.name
	switch {
	case req.file.isFolder:
		return redirectToFolder(req), nil
	case strings.HasSuffix(name, pageSuffix):
		return s.negotiatePage(req)
	}
	return s.sendFile(req)
}

// linksOf returns the Link header of a file. A page links to the guide for agents and to its
// Markdown version, and the home page also to the description of the API. A Markdown version links
// to its page, because search engines should send people there (RFC 6596). Other files have no Link
// header.
func linksOf(settings *site.Settings, name string) string {
	page, isMarkdown := strings.CutSuffix(name, markdownSuffix)
	if path.Base(page) != indexFile {
		return ""
	}
	if isMarkdown {
		return "<" + settings.URL("/"+escapedPath(strings.TrimSuffix(page, indexFile))) + `>; rel="canonical"`
	}
	links := "<" + settings.URL("/llms.txt") + `>; rel="describedby"; type="text/plain"`
	if name == indexFile {
		links = headers.Links(settings) // these include llms.txt
	}
	version := settings.URL("/" + escapedPath(name) + markdownSuffix)
	return links + ", <" + version + `>; rel="alternate"; type="text/markdown"`
}

// negotiatePage answers with a page, or with its Markdown version if there is one and the client
// prefers it (RFC 9110, section 12.5.1).
func (s *Server) negotiatePage(req *request) (*response, error) {
	res, err := (*response)(nil), fs.ErrNotExist
	if prefersMarkdown(req.r.Header) {
		name := req.file.name + markdownSuffix
		res, err = s.reps.fileResponse(req, file{name: name, kept: s.reps.keptFile(req.snapshot, name)})
	}
	if err != nil && !errors.Is(err, snapshot.ErrFolder) {
		if !errors.Is(err, fs.ErrNotExist) {
			s.log.Warn("the Markdown version of a page cannot be read; sending the HTML page instead",
				"page", req.file.name, "error", err)
		}
		if res, err = s.reps.searchPage(req); res == nil && err == nil {
			res, err = s.sendFile(req)
		}
	}
	if err != nil {
		return nil, err
	}
	res.vary = "Accept, Accept-Encoding"
	return res, nil
}

// fileResponse returns a response with a file. The error is errChanged if what is known of the file
// was unchecked and is wrong.
func (reps *representations) fileResponse(req *request, f file) (*response, error) {
	key := fileKey(req.snapshot, f.name)
	if f.kept != nil {
		res := reps.represent(req, key, f.kept)
		// A body in a buffer was just read.
		if res != nil && (!f.unchecked || res.buffer != nil || reps.isCurrent(req.snapshot, f.name, f.kept)) {
			return res, nil
		}
		if f.unchecked {
			if res != nil {
				reps.release(res)
			}
			return nil, errChanged
		}
	}
	rep, opened, err := reps.loadFile(req.snapshot, f.name)
	if err != nil {
		return nil, err
	}
	res := reps.represent(req, key, rep)
	if opened != nil && res.hasBody() {
		res.file = opened
	} else if opened != nil {
		_ = opened.Close() // opened read-only: a close error is harmless
	}
	return res, nil
}

// missingPage returns a 404 response with the build's own page for it, or else with a line of text.
func (reps *representations) missingPage(req *request) (*response, error) {
	key := fileKey(req.snapshot, missingFile)
	if kept := reps.keptFile(req.snapshot, missingFile); kept != nil {
		accepts := kept.acceptance(req.r.Header)
		if res := reps.representBody(req, http.StatusNotFound, key, kept, &accepts); res != nil {
			return res, nil
		}
	}
	rep, opened, err := reps.loadFile(req.snapshot, missingFile)
	if opened != nil { // larger than maxKept
		_ = opened.Close()
		err = fs.ErrNotExist
	}
	if errors.Is(err, fs.ErrNotExist) {
		return textResponse(http.StatusNotFound, "There is no such page.\n"), nil
	}
	if err != nil {
		return nil, err
	}
	accepts := rep.acceptance(req.r.Header)
	return reps.representBody(req, http.StatusNotFound, key, rep, &accepts), nil
}

// redirect redirects to another path, and keeps the query of the request.
func redirect(req *request, status int, path string) *response {
	if req.r.URL.RawQuery != "" {
		path += "?" + req.r.URL.RawQuery
	}
	res := &response{status: status}
	if !req.area.problemDetails { // programs need no text
		res = textResponse(status, "Moved to "+path+"\n")
	}
	res.set("Location", path)
	return res
}

// redirectToFolder redirects from /x to /x/.
func redirectToFolder(req *request) *response {
	folder := escapedPath(strings.TrimSuffix(req.file.name, indexFile))
	return redirect(req, http.StatusPermanentRedirect, req.snapshot.Settings.BasePath()+"/"+folder)
}

// dropTrailingSlash redirects from an endpoint's path with a trailing slash to the one without. The
// client keeps the method (RFC 9110, section 15.4.9).
func dropTrailingSlash(req *request) (*response, error) {
	return redirect(req, http.StatusPermanentRedirect, strings.TrimRight(req.r.URL.EscapedPath(), "/")), nil
}

// redirectMoved redirects from a former address to the current path.
func redirectMoved(req *request, path string) *response {
	return redirect(req, http.StatusMovedPermanently, req.snapshot.Settings.BasePath()+escapedPath(path))
}

// escapedPath escapes each segment of a path for use in an address.
func escapedPath(name string) string {
	segments := strings.Split(name, "/")
	for i := range segments {
		segments[i] = url.PathEscape(segments[i])
	}
	return strings.Join(segments, "/")
}

// answerReady answers /readyz. A server always has a build, so it is ready unless it is draining.
// The lines after the first give the version and the age of the build.
func (s *Server) answerReady(req *request) (*response, error) {
	status, text := http.StatusOK, "ok\n"
	if s.draining.Load() {
		status, text = http.StatusServiceUnavailable, "draining\n"
	}
	text += "version " + req.snapshot.Version() + "\n"
	if created := req.snapshot.Created(); !created.IsZero() {
		age := max(s.o.Now().Sub(created), 0).Truncate(time.Second)
		text += "age " + strconv.FormatInt(int64(age.Seconds()), 10) + " seconds\n"
	}
	res := textResponse(status, text)
	res.cacheControl = notStored
	return res, nil
}

// answerOK answers /healthz.
func answerOK(*request) (*response, error) {
	res := textResponse(http.StatusOK, "ok\n")
	res.cacheControl = notStored
	return res, nil
}
