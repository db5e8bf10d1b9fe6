package artifact

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"catalog.example/api"
)

// Limits on requests to the origin.
const (
	manifestTimeout = 30 * time.Second
	// downloadTimeout bounds one download of an archive. The part that has arrived by then is kept.
	downloadTimeout = 15 * time.Minute
	// stallTimeout is how long a download may go without data.
	stallTimeout = 30 * time.Second
	maxRedirects = 5
	// maxResumes bounds how often one download is resumed.
	maxResumes = 100
	// maxRetryAfter bounds the Retry-After of an origin.
	maxRetryAfter = time.Hour
)

// Origin is the address of a manifest.
type Origin struct{ url *url.URL }

// ParseOrigin parses the address of a manifest: https://…, file:///…, or http://… on this machine.
// The error does not quote a password.
func ParseOrigin(text string) (Origin, error) {
	u, err := url.Parse(text)
	if err != nil {
		return Origin{}, errors.New("this is not an address: give one such as https://origin.example/" + ManifestName)
	}
	o := Origin{u}
	switch {
	case u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") && strings.HasPrefix(u.Path, "/"):
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		const format = "%s is not an address such as https://origin.example/%s or file:///srv/builds/%[2]s"
		return Origin{}, fmt.Errorf(format, o, ManifestName)
	case !allowed(u):
		return Origin{}, fmt.Errorf("%s is read without encryption: use https://, or http:// only for localhost", o)
	}
	if strings.HasSuffix(u.Path, Extension) {
		return Origin{}, fmt.Errorf("%s is the address of an archive: give that of %s beside it", o, ManifestName)
	}
	if u.Fragment != "" || strings.HasSuffix(u.Path, "/") || u.Path == "" {
		return Origin{}, fmt.Errorf("%s does not name a file: give the address of %s", o, ManifestName)
	}
	return o, nil
}

// String returns the address without its password and query, which may be secret.
func (o Origin) String() string {
	shown := *o.url
	shown.RawQuery = ""
	return shown.Redacted()
}

// allowed reports whether requests may be sent to an address: with encryption, or to this machine.
func allowed(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && api.IsLoopback(u.Hostname())
}

// client sends requests to an origin.
type client struct {
	origin Origin
	http   *http.Client
	agent  string        // User-Agent
	stall  time.Duration // how long a download may go without data

	tag  string // the ETag of the last manifest
	last []byte // the last manifest
	// notBefore is the earliest time of the next request, if the origin sent Retry-After.
	notBefore time.Time
}

func newClient(origin Origin, version string, transport http.RoundTripper) *client {
	if transport == nil {
		transport = &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
			TLSHandshakeTimeout:   10 * time.Second,
			ResponseHeaderTimeout: manifestTimeout,
			IdleConnTimeout:       90 * time.Second,
			DisableCompression:    true, // ranges must be of the file itself, not of a compressed form
			ForceAttemptHTTP2:     true,
		}
	}
	return &client{
		origin: origin, agent: "catalog/" + version, stall: stallTimeout,
		http: &http.Client{Transport: transport, CheckRedirect: checkRedirect},
	}
}

func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("there are more than %d redirects", maxRedirects)
	}
	if !allowed(r.URL) || via[0].URL.Scheme == "https" && r.URL.Scheme != "https" {
		return errors.New("the redirect leads to an address without encryption")
	}
	return nil
}

// manifest returns the current text of the manifest.
func (c *client) manifest(ctx context.Context) ([]byte, error) {
	if c.origin.url.Scheme == "file" {
		file, err := os.Open(c.path(""))
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }() // opened read-only: a close error is harmless
		return readManifest(file)
	}
	ctx, cancel := context.WithTimeout(ctx, manifestTimeout)
	defer cancel()
	header := http.Header{}
	if c.tag != "" {
		header.Set("If-None-Match", c.tag)
	}
	response, err := c.get(ctx, c.origin.url, header)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // only read from: a close error is harmless
	switch response.StatusCode {
	case http.StatusOK:
		text, err := readManifest(response.Body)
		if err != nil {
			return nil, err
		}
		c.tag, c.last = response.Header.Get("ETag"), text
		return text, nil
	case http.StatusNotModified:
		if c.tag != "" {
			return c.last, nil
		}
	}
	return nil, c.statusError(response)
}

func readManifest(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxManifest+1))
	if err == nil && len(text) > maxManifest {
		err = fmt.Errorf("the manifest has more than %d bytes", maxManifest)
	}
	return text, err
}

// path returns the path of a file:// origin, or of a file next to it.
func (c *client) path(beside string) string {
	name := c.origin.url.Path
	if runtime.GOOS == "windows" { // file:///C:/builds
		name = strings.TrimPrefix(name, "/")
	}
	name = filepath.FromSlash(name)
	if beside != "" {
		name = filepath.Join(filepath.Dir(name), beside)
	}
	return name
}

// archive opens an archive next to the manifest. If the origin supports range requests, the body
// starts at offset from, otherwise at 0.
func (c *client) archive(ctx context.Context, name string, from int64) (body io.ReadCloser, begin int64, err error) {
	if c.origin.url.Scheme == "file" {
		file, err := os.Open(c.path(name))
		if err != nil {
			return nil, 0, err
		}
		if _, err := file.Seek(from, io.SeekStart); err != nil {
			return nil, 0, errors.Join(err, file.Close())
		}
		return file, from, nil
	}
	u := c.origin.url.ResolveReference(&url.URL{Path: name, RawQuery: c.origin.url.RawQuery})
	header := http.Header{}
	if from > 0 {
		header.Set("Range", "bytes="+strconv.FormatInt(from, 10)+"-")
	}
	response, err := c.get(ctx, u, header)
	if err != nil {
		return nil, 0, err
	}
	begins := fmt.Sprintf("bytes %d-", from)
	switch {
	case response.StatusCode == http.StatusOK:
		return response.Body, 0, nil
	case response.StatusCode == http.StatusPartialContent && from > 0 &&
		strings.HasPrefix(response.Header.Get("Content-Range"), begins):
		return response.Body, from, nil
	}
	return nil, 0, errors.Join(c.statusError(response), response.Body.Close())
}

func (c *client) get(ctx context.Context, u *url.URL, header http.Header) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	header.Set("User-Agent", c.agent)
	request.Header = header
	response, err := c.http.Do(request)
	// The text of a url.Error contains the address with its query, which may contain a secret.
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return nil, wrapped.Err
	}
	return response, err
}

// statusError returns the error for an unexpected status, and heeds Retry-After.
func (c *client) statusError(response *http.Response) error {
	if wait, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && wait > 0 {
		c.notBefore = time.Now().Add(min(time.Duration(wait)*time.Second, maxRetryAfter))
	}
	what := response.Request.URL.Path
	return fmt.Errorf("the origin answered %s with the status %s", what, response.Status)
}

// download appends the missing part of an archive to a file. A download that stops is resumed, as
// long as each attempt brings some data.
func (c *client) download(ctx context.Context, m *BuildManifest, to *os.File) error {
	tooLong := fmt.Errorf("the download took longer than %v", downloadTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, downloadTimeout, tooLong)
	defer cancel()
	for range maxResumes {
		info, err := to.Stat()
		if err != nil || info.Size() >= m.Size {
			return err
		}
		begin, after := info.Size(), int64(0)
		err = c.append(ctx, m, to, begin)
		if info, statErr := to.Stat(); statErr == nil {
			after = info.Size()
		}
		switch {
		case after >= m.Size:
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil && after <= begin:
			return fmt.Errorf("%s: the origin sent %d of %d bytes", m.Archive, after, m.Size)
		case after <= begin:
			return fmt.Errorf("%s: %w", m.Archive, err)
		}
	}
	return fmt.Errorf("%s: the origin ended the connection %d times", m.Archive, maxResumes)
}

// append sends one request for an archive from the given byte on, and writes what arrives to a
// file.
func (c *client) append(ctx context.Context, m *BuildManifest, to *os.File, from int64) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := time.AfterFunc(c.stall, func() { cancel(fmt.Errorf("no data arrived for %v", c.stall)) })
	defer stalled.Stop()
	body, begin, err := c.archive(ctx, m.Archive, from)
	if err != nil {
		return cause(ctx, err)
	}
	defer func() { _ = body.Close() }() // only read from: a close error is harmless
	if begin != from {
		if err := to.Truncate(begin); err != nil {
			return err
		}
	}
	if _, err := to.Seek(begin, io.SeekStart); err != nil {
		return err
	}
	// Reading one byte more than the manifest states is enough to notice that an archive is too
	// long.
	_, err = io.Copy(to, &watched{io.LimitReader(body, m.Size-begin+1), stalled, c.stall})
	return cause(ctx, err)
}

// cause returns an error as it is, or the cause of the context instead if the context has ended.
func cause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// watched resets a timer on each read that returns data.
type watched struct {
	from  io.Reader
	timer *time.Timer
	delay time.Duration
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	if n > 0 {
		w.timer.Reset(w.delay)
	}
	return n, err
}
