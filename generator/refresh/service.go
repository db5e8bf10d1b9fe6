package refresh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"catalog.example/api"
)

// Service is a site with an API.
type Service struct {
	Name string // as people write it, such as GitHub
	API  *url.URL
	// Token is sent with requests to API only; it may be empty.
	Token string

	variable string            // the environment variable that replaces the address of API
	header   map[string]string // sent with every request to API
	// maxResponse bounds what is read of a response, in bytes. The default is maxResponse.
	maxResponse int64
	interval    time.Duration // from the start of a request to the next; 0 for none
}

// https returns the address of an API from its host and path.
func https(hostAndPath string) *url.URL {
	host, path, _ := strings.Cut(hostAndPath, "/")
	u := &url.URL{Scheme: "https", Host: host}
	if path != "" {
		u.Path = "/" + path
	}
	return u
}

// citation returns the source of what a service said on a day.
func citation(service string, day api.Date) string { return fmt.Sprintf("%s API (%s)", service, day) }

// overrideAPI sets the address of the API from its environment variable, if that is set. The
// address must be https, or on loopback.
func (s *Service) overrideAPI(lookup func(string) (string, bool)) error {
	address, ok := lookup(s.variable)
	if !ok || address == "" {
		return nil
	}
	address = strings.TrimRight(address, "/")
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !api.IsLoopback(u.Hostname())) {
		return fmt.Errorf("%s: %q is not the https address of an API", s.variable, address)
	}
	s.API = u
	return nil
}

// client sends requests to one service. It is safe for concurrent use.
type client struct {
	*Service
	http  *http.Client
	cache *cache
	slots chan struct{} // bounds the lookups under way

	mu         sync.Mutex
	unanswered int   // consecutive lookups without an answer; stays at MaxUnanswered
	reason     error // why the last of them got no answer
}

func newClient(s *Service, o *Options, cache *cache) *client {
	return &client{Service: s, http: &http.Client{Transport: &transport{Service: s, Options: o}}, cache: cache,
		slots: make(chan struct{}, max(1, o.Jobs))}
}

// gaveUpError reports that the service gets no more requests. It holds the last failure.
type gaveUpError struct{ error }

// gaveUp returns a gaveUpError if the service gets no more requests.
func (c *client) gaveUp() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unanswered < MaxUnanswered {
		return nil
	}
	return gaveUpError{c.reason}
}

// ask calls fetch, which asks the service about one repository or package, when its turn has come.
// It counts consecutive calls that got no answer. After MaxUnanswered of them it returns a
// gaveUpError, and calls fetch no more.
func ask[T any](ctx context.Context, c *client, fetch func() (T, error)) (value T, err error) {
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return value, context.Cause(ctx)
	}
	defer func() { <-c.slots }()
	if err := c.gaveUp(); err != nil {
		return value, err
	}
	value, err = fetch()
	err = simplifyError(err)
	if ctx.Err() != nil {
		return value, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	status, hasStatus := errors.AsType[*statusError](err)
	_, tooLarge := errors.AsType[tooLargeError](err)
	switch answered := err == nil || tooLarge || hasStatus && status.status < http.StatusInternalServerError; {
	case c.unanswered == MaxUnanswered:
	case answered:
		c.unanswered = 0
	default:
		c.unanswered, c.reason = c.unanswered+1, err
	}
	return value, err
}

// statusError is a response whose status is not 200.
type statusError struct {
	status  int
	message string // of the service; may be empty
}

// Error implements error.
func (e *statusError) Error() string {
	text := fmt.Sprintf("the status is %d %s", e.status, http.StatusText(e.status))
	if e.message != "" && e.message != http.StatusText(e.status) {
		text += fmt.Sprintf(": %.200q", e.message)
	}
	return text
}

// goneStatus reports whether a status means that what was asked about does not exist,
// is private or was taken down, and returns that status.
func goneStatus(err error) (status int, ok bool) {
	if e, ok := errors.AsType[*statusError](err); ok {
		switch e.status {
		case http.StatusNotFound, http.StatusGone, http.StatusUnavailableForLegalReasons:
			return e.status, true
		}
	}
	return 0, false
}

// simplifyError removes the URL from an http.Client's error: the report names
// what was asked about already.
func simplifyError(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	_, isSyntax := errors.AsType[*json.SyntaxError](err)
	_, isMismatch := errors.AsType[*json.UnmarshalTypeError](err)
	if isSyntax || isMismatch || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("cannot read the response: %w", err)
	}
	return err
}

// get requests a path of the API and decodes a 200 response into value: its text if value is a
// *string, else its JSON. For any other status it returns the response and a statusError. etag is
// the ETag of a cached response, or empty.
func (c *client) get(ctx context.Context, path, etag string, value any) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.API.String()+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	for name, content := range c.header {
		req.Header.Set(name, content)
	}
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	response, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		var body struct {
			Message string
			Block   struct{ Reason string } // GitHub's, if a repository was taken down
		}
		_ = json.NewDecoder(response.Body).Decode(&body) // the body is optional
		status := response.StatusCode
		if body.Block.Reason != "" { // GitHub answers 403 for some reasons, 451 for others
			status = http.StatusUnavailableForLegalReasons
		}
		return response, &statusError{status, body.Message}
	}
	if text, ok := value.(*string); ok {
		body, err := io.ReadAll(response.Body)
		*text = string(body)
		return response, err
	}
	err = json.NewDecoder(response.Body).Decode(value)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return response, err
}

// fetch requests a path of the API and extracts a value from the response. If the response has
// not changed, it returns the cached value.
func fetch[R, T any](ctx context.Context, c *client, path string, extract func(R) (T, error)) (T, error) {
	var zero, cached T
	address := c.API.String() + path
	etag, ok := c.cache.get(address, &cached)
	var body R
	response, err := c.get(ctx, path, etag, &body)
	if ok && response != nil && response.StatusCode == http.StatusNotModified {
		return cached, nil
	}
	if err != nil {
		return zero, err
	}
	value, err := extract(body)
	if err != nil {
		return zero, err
	}
	return value, c.cache.put(address, response.Header.Get("ETag"), value)
}
