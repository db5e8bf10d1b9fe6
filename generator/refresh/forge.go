package refresh

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// Facts are what a forge knows about a repository.
type Facts struct {
	Forge      string // name of the forge, such as GitHub
	Repository string // its current name: owner/name
	URL        string // its address under that name
	Stars      int
	Archived   *bool        // nil if the forge does not say
	License    string       // SPDX identifier; may be empty
	Updated    api.Date     // latest commit of the default branch or release; may be empty
	Release    *api.Release // the latest; nil if there is none
	Language   string       // main programming language; may be empty
	Homepage   string       // as its owners wrote it; may be empty or not a URL
	Topics     []string     // in lower case
}

// Source returns the citation of a fact that was read on a day.
func (f *Facts) Source(day api.Date) string { return fmt.Sprintf("%s API (%s)", f.Forge, day) }

// Forge is a site that hosts repositories and has an API.
type Forge struct {
	Name string // as people write it, such as GitHub
	Host string // of repository URLs
	API  *url.URL
	// Token is sent with requests to API only; it may be empty.
	Token string

	fetch     fetcher
	header    map[string]string // sent with every request to API
	oneCommit string            // the query that limits a list of commits to the latest
}

// fetcher fetches the facts of the repository owner/name from one kind of forge.
type fetcher func(ctx context.Context, c *client, repository string) (Facts, error)

// Forges returns the known forges. The environment variables CATALOG_GITHUB_API,
// CATALOG_GITLAB_API and CATALOG_CODEBERG_API replace the addresses of their
// APIs. token is GitHub's and may be empty.
func Forges(lookup func(string) (string, bool), token string) ([]Forge, error) {
	forges := []Forge{
		{Name: "GitHub", Host: "github.com", API: &url.URL{Scheme: "https", Host: "api.github.com"}, Token: token,
			fetch: fetchGitHub, header: gitHubHeader, oneCommit: "per_page=1"},
		{Name: "GitLab", Host: "gitlab.com", API: &url.URL{Scheme: "https", Host: "gitlab.com", Path: "/api/v4"},
			fetch: fetchGitLab},
		{Name: "Codeberg", Host: "codeberg.org", API: &url.URL{Scheme: "https", Host: "codeberg.org", Path: "/api/v1"},
			fetch: fetchGitHub, oneCommit: "limit=1&stat=false&verification=false&files=false"},
	}
	for i := range forges {
		key := "CATALOG_" + strings.ToUpper(forges[i].Name) + "_API"
		address, ok := lookup(key)
		if !ok || address == "" {
			continue
		}
		address = strings.TrimRight(address, "/")
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !api.IsLoopback(u.Hostname())) {
			return nil, fmt.Errorf("%s: %q is not the https address of an API", key, address)
		}
		forges[i].API = u
	}
	return forges, nil
}

// repositoryName is a name with its owner or groups: owner/name.
var repositoryName = regexp.MustCompile(`^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+$`)

func isRepositoryName(name string) bool {
	return repositoryName.MatchString(name) && path.Clean("/"+name) == "/"+name
}

// location is a parsed repository URL.
type location struct {
	forge      *Forge
	repository string // owner/name
	rest       string // of the path, such as /tree/main/part
}

// errNoForge reports that no known forge has the repository's host.
var errNoForge = errors.New("the host of the repository is not GitHub, GitLab or Codeberg")

// locate parses a repository URL and finds its forge.
func locate(forges []Forge, address string) (location, error) {
	u, err := url.Parse(address)
	if err != nil {
		return location{}, fmt.Errorf("%q is not an address", address)
	}
	host := strings.TrimPrefix(strings.ToLower(u.Host), "www.")
	i := slices.IndexFunc(forges, func(f Forge) bool { return f.Host == host })
	if i < 0 {
		return location{}, errNoForge
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	n := min(2, len(parts))
	if host == "gitlab.com" { // groups may be nested; /-/ ends them
		if n = slices.Index(parts, "-"); n < 0 {
			n = len(parts)
		}
	}
	name, rest := strings.TrimSuffix(strings.Join(parts[:n], "/"), ".git"), ""
	if !isRepositoryName(name) {
		return location{}, fmt.Errorf("%s is not the address of a repository", address)
	}
	if n < len(parts) {
		rest = "/" + strings.Join(parts[n:], "/")
	}
	return location{&forges[i], name, rest}, nil
}

// client sends requests to one forge. It is safe for concurrent use.
type client struct {
	*Forge
	http  *http.Client
	cache *cache

	mu         sync.Mutex
	unanswered int   // consecutive repositories without an answer; stays at MaxUnanswered
	reason     error // why the last of them got no answer
}

func newClient(f *Forge, o *Options, cache *cache) *client {
	return &client{Forge: f, http: &http.Client{Transport: &transport{Forge: f, Options: o}}, cache: cache}
}

// gaveUp returns why the forge gets no more requests, or nil.
func (c *client) gaveUp() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unanswered < MaxUnanswered {
		return nil
	}
	return c.reason
}

// facts fetches and validates the facts of a repository. It counts consecutive repositories for
// which the forge did not answer.
func (c *client) facts(ctx context.Context, repository string, now time.Time) (Facts, error) {
	facts, err := c.fetchFacts(ctx, repository, now)
	if ctx.Err() != nil {
		return facts, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	status, hasStatus := errors.AsType[*statusError](err)
	switch answered := err == nil || hasStatus && status.status < http.StatusInternalServerError; {
	case c.unanswered == MaxUnanswered:
	case answered:
		c.unanswered = 0
	default:
		c.unanswered, c.reason = c.unanswered+1, err
	}
	return facts, err
}

func (c *client) fetchFacts(ctx context.Context, repository string, now time.Time) (Facts, error) {
	f, err := c.fetch(ctx, c, repository)
	if err != nil {
		return Facts{}, simplifyError(err)
	}
	if !isRepositoryName(f.Repository) || f.Stars < 0 {
		return Facts{}, errNotRepository
	}
	f.Forge, f.URL = c.Name, "https://"+c.Host+"/"+f.Repository
	f.License = content.ListedLicense(f.License) // empty for NOASSERTION and similar values
	if f.Updated > api.DateOf(now) {
		f.Updated = "" // a commit may claim any date
	}
	if f.Release != nil && (f.Release.Date > api.DateOf(now) || !content.IsShortLine(f.Release.Version)) {
		f.Release = nil
	}
	for i := range f.Topics {
		f.Topics[i] = strings.ToLower(f.Topics[i])
	}
	return f, nil
}

// release is the latest release of a repository. It is zero if there is none.
type release struct {
	Version string    `json:"version"`
	Time    time.Time `json:"time"`
}

// setLatest sets the facts that follow from the latest commit and release.
func (f *Facts) setLatest(commit time.Time, latest release) {
	if last := later(commit, latest.Time); !last.IsZero() {
		f.Updated = api.DateOf(last)
	}
	if latest.Version != "" && !latest.Time.IsZero() {
		f.Release = &api.Release{Version: latest.Version, Date: api.DateOf(latest.Time)}
	}
}

// statusError is a response whose status is not 200.
type statusError struct {
	status  int
	message string // of the forge; may be empty
}

// Error implements error.
func (e *statusError) Error() string {
	text := fmt.Sprintf("the status is %d %s", e.status, http.StatusText(e.status))
	if e.message != "" && e.message != http.StatusText(e.status) {
		text += fmt.Sprintf(": %.200q", e.message)
	}
	return text
}

// goneStatus reports whether a status means that the repository does not exist,
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
// the repository already.
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

// getJSON requests a path of the API and decodes the JSON of a 200 response into value. For any
// other status it returns the response and a statusError. etag is the ETag of a cached response, or
// empty.
func (c *client) getJSON(ctx context.Context, path, etag string, value any) (*http.Response, error) {
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
	err = json.NewDecoder(response.Body).Decode(value)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return response, err
}

// fetchJSON requests a path of the API and extracts a value from the response. If the response has
// not changed, it returns the cached value.
func fetchJSON[R, T any](ctx context.Context, c *client, path string, extract func(R) (T, error)) (T, error) {
	var zero, cached T
	address := c.API.String() + path
	etag, ok := c.cache.get(address, &cached)
	var body R
	response, err := c.getJSON(ctx, path, etag, &body)
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

// zeroIfMissing returns the zero value without an error if a repository is empty
// or has no release.
func zeroIfMissing[T any](value T, err error) (T, error) {
	if e, ok := errors.AsType[*statusError](err); ok && (e.status == http.StatusNotFound ||
		e.status == http.StatusConflict) {
		var zero T
		return zero, nil
	}
	return value, err
}

// first returns the first value of a list, or the zero value.
func first[T any](list []T) (value T) {
	if len(list) > 0 {
		value = list[0]
	}
	return value
}

// errNotRepository reports a response without the fields of a repository.
var errNotRepository = errors.New("the response does not describe a repository")

// mainLanguage returns the language with the largest share. In a tie, it returns the first by name.
func mainLanguage(shares map[string]float64) string {
	best := ""
	for name, share := range shares {
		if best == "" || cmp.Or(cmp.Compare(share, shares[best]), cmp.Compare(best, name)) > 0 {
			best = name
		}
	}
	return best
}
