package refresh

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// Facts are what a forge says of a repository.
type Facts struct {
	Forge      string // name of the forge, such as GitHub
	Repository string // the name it has now: owner/name
	URL        string // its address by that name
	Stars      int
	Archived   *bool    // nil where the forge does not say
	License    string   // SPDX identifier; empty where the forge knows none
	Updated    api.Date // latest commit of the default branch or release; may be empty
	Language   string   // main programming language; may be empty
	Homepage   string   // as its owners wrote it; may be empty or no address at all
	Topics     []string // in lower case
}

// Source is how a fact that was read on a day is cited.
func (f *Facts) Source(day api.Date) string { return fmt.Sprintf("%s API (%s)", f.Forge, day) }

// Forge is a site that hosts repositories and answers questions about them.
type Forge struct {
	Name string // as people write it, such as GitHub
	Host string // of repositories' addresses
	API  string // prefix of the addresses that are asked
	// Token is sent along with requests to API, and nowhere else; it may be
	// empty.
	Token string

	ask    asker
	header map[string]string // of every request to API, besides what all forges get
}

// asker asks one kind of forge. It is given a caller of that forge and the
// path of a repository.
type asker func(ctx context.Context, s *caller, repository string) (Facts, error)

// Forges returns the forges that are known. The addresses of their APIs can be
// set by the environment variables CATALOG_GITHUB_API, CATALOG_GITLAB_API and
// CATALOG_CODEBERG_API; the token, which may be empty, is GitHub's.
func Forges(lookup func(string) (string, bool), token string) ([]Forge, error) {
	forges := []Forge{
		{Name: "GitHub", Host: "github.com", API: "https://api.github.com", Token: token, ask: askGitHub, header: gitHubHeader},
		{Name: "GitLab", Host: "gitlab.com", API: "https://gitlab.com/api/v4", ask: askGitLab},
		{Name: "Codeberg", Host: "codeberg.org", API: "https://codeberg.org/api/v1", ask: askForgejo},
	}
	for i := range forges {
		f := &forges[i]
		key := "CATALOG_" + strings.ToUpper(f.Name) + "_API"
		if given, ok := lookup(key); ok && given != "" {
			f.API = strings.TrimRight(given, "/")
		}
		u, err := url.Parse(f.API)
		if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
			return nil, fmt.Errorf("%s: %q is no https address of an API", key, f.API)
		}
	}
	return forges, nil
}

// loopback tells whether a host is this machine: there http will do.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// fullName is a repository's name with its owner, or the groups that it is in.
var fullName = regexp.MustCompile(`^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+$`)

// place is a repository's address taken apart.
type place struct {
	forge      *Forge
	repository string // owner/name
	rest       string // what follows it in the address, such as /tree/main/part
}

// errNoForge tells that a repository lies on a host that nobody knows how to
// ask.
var errNoForge = errors.New("no known forge")

// locate finds the forge of an address.
func locate(forges []Forge, address string) (place, error) {
	u, err := url.Parse(address)
	if err != nil {
		return place{}, fmt.Errorf("%q is no address", address)
	}
	host := strings.TrimPrefix(strings.ToLower(u.Host), "www.")
	for i := range forges {
		f := &forges[i]
		if f.Host != host {
			continue
		}
		parts := strings.Split(strings.Trim(u.Path, "/"), "/")
		n := 2
		if f.Host == "gitlab.com" { // groups may lie in groups; /-/ ends them
			for n = 0; n < len(parts) && parts[n] != "-"; n++ {
			}
		}
		if len(parts) < n || n < 2 {
			return place{}, fmt.Errorf("%s is no address of a repository", address)
		}
		name := strings.TrimSuffix(strings.Join(parts[:n], "/"), ".git")
		if !fullName.MatchString(name) || path.Clean("/"+name) != "/"+name {
			return place{}, fmt.Errorf("%s is no address of a repository", address)
		}
		rest := ""
		if len(parts) > n {
			rest = "/" + strings.Join(parts[n:], "/")
		}
		return place{f, name, rest}, nil
	}
	return place{}, errNoForge
}

// caller is a forge with the means to ask it. It is safe for concurrent use.
type caller struct {
	*Forge
	client *http.Client
	cache  *cache
}

func newCaller(f *Forge, o *Options, c *cache) (*caller, error) {
	u, err := url.Parse(f.API)
	if err != nil {
		return nil, err
	}
	return &caller{f, &http.Client{Transport: &courier{
		forge: f.Name, origin: u, token: f.Token, base: o.Transport,
		timeout: o.Timeout, patient: o.Patience, now: o.Now, wait: o.Wait, waiting: o.Waiting,
	}}, c}, nil
}

// facts asks for all facts of a repository, and makes sure that they can be
// meant.
func (s *caller) facts(ctx context.Context, repository string, now time.Time) (Facts, error) {
	f, err := s.ask(ctx, s, repository)
	if err != nil {
		return Facts{}, plainError(err)
	}
	if !fullName.MatchString(f.Repository) || path.Clean("/"+f.Repository) != "/"+f.Repository || f.Stars < 0 {
		return Facts{}, errors.New("the answer describes no repository")
	}
	f.Forge, f.URL = s.Name, "https://"+s.Host+"/"+f.Repository
	f.License = content.ListedLicense(f.License) // empty for NOASSERTION and the like
	if f.Updated > api.DateOf(now) {
		f.Updated = "" // a clock that went wrong, or a joke
	}
	for i := range f.Topics {
		f.Topics[i] = strings.ToLower(f.Topics[i])
	}
	return f, nil
}

// latest returns the day of the latest of some moments, empty where there is
// none.
func latest(times ...time.Time) api.Date {
	var last time.Time
	for _, t := range times {
		last = later(t, last)
	}
	if last.IsZero() {
		return ""
	}
	return api.DateOf(last)
}

// statusError is an answer that is no success.
type statusError struct {
	status  int
	message string // of the forge; may be empty
}

// Error implements error.
func (e *statusError) Error() string {
	text := fmt.Sprintf("the answer is %d %s", e.status, http.StatusText(e.status))
	if e.message != "" && e.message != http.StatusText(e.status) {
		text += fmt.Sprintf(": %.200q", e.message)
	}
	return text
}

// gone tells whether an answer means that there is no such repository: any
// more, for anybody, or for legal reasons.
func gone(err error) (status int, ok bool) {
	var e *statusError
	if !errors.As(err, &e) {
		return 0, false
	}
	switch e.status {
	case http.StatusNotFound, http.StatusGone, http.StatusUnavailableForLegalReasons:
		return e.status, true
	}
	return 0, false
}

// plainError takes the address off a client's error: the repository is told
// beside it anyway.
func plainError(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the answer cannot be read: %w", err)
	}
	return err
}

// getJSON asks for an address below the API and decodes the JSON of an answer 200
// into what. Any other answer is a statusError, with the response. etag is the
// validator of a known answer, or empty.
func (s *caller) getJSON(ctx context.Context, address, etag string, what any) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.API+address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	for name, value := range s.header {
		req.Header.Set(name, value)
	}
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	response, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		var said struct {
			Message string
			Block   struct{ Reason string } // GitHub's, of a repository that was taken down
		}
		_ = json.NewDecoder(response.Body).Decode(&said) // the status says enough
		status := response.StatusCode
		if said.Block.Reason != "" { // GitHub answers 403 for some reasons, 451 for others
			status = http.StatusUnavailableForLegalReasons
		}
		return response, &statusError{status, said.Message}
	}
	err = json.NewDecoder(response.Body).Decode(what)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return response, err
}

// askJSON asks for an address below the API, or returns what was said last time
// if that still holds. digest makes of an answer what is kept of it.
func askJSON[A, T any](ctx context.Context, s *caller, address string, digest func(A) (T, error)) (T, error) {
	var none, known T
	etag, ok := s.cache.get(s.API+address, &known)
	var answer A
	response, err := s.getJSON(ctx, address, etag, &answer)
	if ok && response != nil && response.StatusCode == http.StatusNotModified {
		return known, nil
	}
	if err != nil {
		return none, err
	}
	said, err := digest(answer)
	if err != nil {
		return none, err
	}
	return said, s.cache.put(s.API+address, response.Header.Get("ETag"), said)
}

// updated returns facts with the day of the latest commit or release. The query asks
// for one commit. The answers of GitHub and of Forgejo have the same form.
func updated(ctx context.Context, s *caller, facts Facts, query string) (Facts, error) {
	if !fullName.MatchString(facts.Repository) {
		return Facts{}, errNoRepository
	}
	// The repository may have been renamed. Its new name saves a redirect for each
	// further request, and redirects count against the allowance.
	address := "/repos/" + facts.Repository
	committed, err := moment(askJSON(ctx, s, address+"/commits?"+query, func(list []struct {
		Commit struct {
			Committer struct {
				Date time.Time `json:"date"`
			} `json:"committer"`
		} `json:"commit"`
	}) (time.Time, error) {
		if len(list) == 0 {
			return time.Time{}, nil
		}
		return list[0].Commit.Committer.Date, nil
	}))
	if err != nil {
		return Facts{}, err
	}
	released, err := moment(askJSON(ctx, s, address+"/releases/latest", func(r struct {
		PublishedAt time.Time `json:"published_at"`
	}) (time.Time, error) {
		return r.PublishedAt, nil
	}))
	facts.Updated = latest(committed, released)
	return facts, err
}

// moment asks for the time of a latest commit or release; no such thing, or an
// empty repository, is the zero time.
func moment(said time.Time, err error) (time.Time, error) {
	var e *statusError
	if errors.As(err, &e) && (e.status == http.StatusNotFound || e.status == http.StatusConflict) {
		return time.Time{}, nil
	}
	return said, err
}

// errNoRepository tells that an answer lacks what every repository has.
var errNoRepository = errors.New("the answer describes no repository")

// languageOf returns the language with the largest share, the first by name of
// several.
func languageOf(shares map[string]float64) string {
	best := ""
	for name, share := range shares {
		if best == "" || cmp.Or(cmp.Compare(share, shares[best]), cmp.Compare(best, name)) > 0 {
			best = name
		}
	}
	return best
}
