// Package forgetest is a fake forge on loopback for tests. It implements the parts
// of the REST APIs of GitHub, GitLab and Codeberg that a catalogue uses, with ETags,
// redirects of renamed repositories and rate limits. It also serves package
// registries. It can inject faults, and records requests.
package forgetest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Repository is a repository of the fake forge. Times are RFC 3339, or empty.
type Repository struct {
	Name        string   `json:"name"` // owner/name
	FormerNames []string `json:"old"`  // former names
	Stars       int      `json:"stars"`
	Archived    bool     `json:"archived"`
	License     string   `json:"license"` // SPDX identifier or NOASSERTION
	Commit      string   `json:"commit"`
	Release     string   `json:"release"`
	Language    string   `json:"language"`
	Homepage    string   `json:"homepage"`
	Topics      []string `json:"topics"`

	Fault
}

// Package is what a registry answers about a package.
type Package struct {
	// Path is the escaped path of its API, below a name of the registry: npm, go, pypi, crates,
	// homebrew or docker-hub. "npm/@a%2Fb" is the package @a/b of npm.
	Path   string `json:"path"`
	Answer string `json:"answer"`

	Fault
}

// Fault is how requests for a repository or package fail. The zero Fault is none.
type Fault struct {
	// Kind is one of Faults, or "".
	Kind string `json:"fault"`
	// Times is how often the fault happens; 0 means always.
	Times int `json:"times"`
	// RetryAfter is what the faults secondary and 503 send, in seconds.
	RetryAfter int `json:"retryAfter"`
	// Elsewhere is the URL that the fault elsewhere redirects to.
	Elsewhere string `json:"elsewhere"`
}

// Faults are the values of Fault.Kind: a status, "blocked" for GitHub's 403 for a repository that
// was taken down, the rate limits "primary" and "secondary", invalid JSON, no response, and a
// redirect to another host.
var Faults = []string{"401", "403", "404", "410", "451", "500", "502", "503", "blocked", "primary", "secondary", "html",
	"truncated", "cut-off", "types", "empty", "nothing", "huge", "hang", "elsewhere"}

// Request is a recorded request with the status of its response.
type Request struct {
	Path          string
	Authorization string
	IfNoneMatch   string
	Status        int
}

// Forge is a running fake forge.
type Forge struct {
	// URL is its base address; each API has its own prefix below it.
	URL string

	server *httptest.Server
	closed chan struct{}

	mu           sync.Mutex
	now          func() time.Time
	repositories []*Repository
	packages     map[string]*Package // by path
	requests     []Request
	gate         func(*http.Request) // called at the start of each request
	allowance    int                 // requests an hour; 0 means no limit
	used         int
	reset        time.Time
}

// New starts a fake forge. Close ends it.
func New(repositories ...Repository) *Forge {
	f := &Forge{closed: make(chan struct{}), now: time.Now}
	f.Set(repositories...)
	// URL is set before the first request can read it.
	f.server = httptest.NewUnstartedServer(f)
	f.URL = "http://" + f.server.Listener.Addr().String()
	f.server.Start()
	return f
}

// Close stops the forge and ends hanging requests.
func (f *Forge) Close() {
	close(f.closed)
	f.server.Close()
}

// prefixes are the paths of the APIs, by the environment variable that sets the address of each.
var prefixes = map[string]string{
	"CATALOG_GITHUB_API": "/github", "CATALOG_GITLAB_API": "/gitlab/api/v4", "CATALOG_CODEBERG_API": "/codeberg/api/v1",
	"CATALOG_NPM_API": "/npm", "CATALOG_GO_API": "/go", "CATALOG_PYPI_API": "/pypi", "CATALOG_CRATES_API": "/crates",
	"CATALOG_HOMEBREW_API": "/homebrew", "CATALOG_DOCKER_HUB_API": "/docker-hub",
}

// Variables returns the names of the environment variables that Lookup knows, in order.
func Variables() []string { return slices.Sorted(maps.Keys(prefixes)) }

// Lookup returns the environment variables that make the catalog command use this
// forge.
func (f *Forge) Lookup(key string) (string, bool) {
	prefix, ok := prefixes[key]
	return f.URL + prefix, ok
}

// check panics if the fault is unknown.
func (f *Fault) check() {
	if f.Kind != "" && !slices.Contains(Faults, f.Kind) {
		panic("forgetest: unknown fault " + f.Kind)
	}
}

// SetPackages replaces the packages.
func (f *Forge) SetPackages(packages ...Package) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.packages = map[string]*Package{}
	for _, p := range packages {
		p.check()
		f.packages[p.Path] = &p
	}
}

// Set replaces the repositories.
func (f *Forge) Set(repositories ...Repository) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.repositories = nil
	for _, r := range repositories {
		r.check()
		f.repositories = append(f.repositories, &r)
	}
}

// Clock sets the clock that resets rate limits.
func (f *Forge) Clock(now func() time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = now
}

// SetRateLimit sets the rate limit in requests an hour, 0 for none. Responses with status
// 304 do not count.
func (f *Forge) SetRateLimit(requests int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.allowance, f.used, f.reset = requests, 0, f.now().Add(time.Hour)
}

// OnRequest sets a function that is called at the start of each request and may block.
func (f *Forge) OnRequest(gate func(*http.Request)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gate = gate
}

// Requests returns the requests since the last call.
func (f *Forge) Requests() []Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := f.requests
	f.requests = nil
	return list
}

// statusRecorder records the status of a response.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (r *statusRecorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// ServeHTTP implements http.Handler.
func (f *Forge) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	f.mu.Lock()
	gate := f.gate
	f.mu.Unlock()
	if gate != nil {
		gate(req)
	}
	recorder := &statusRecorder{w, http.StatusOK}
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.requests = append(f.requests, Request{req.URL.EscapedPath(), req.Header.Get("Authorization"),
			req.Header.Get("If-None-Match"), recorder.status})
	}()
	kind, rest, _ := strings.Cut(strings.TrimPrefix(req.URL.EscapedPath(), "/"), "/")
	if f.rateLimited(recorder) {
		return
	}
	switch kind {
	case "github":
		f.github(recorder, req, rest)
	case "gitlab":
		f.gitlab(recorder, req, strings.TrimPrefix(rest, "api/v4/"))
	case "codeberg":
		f.codeberg(recorder, req, strings.TrimPrefix(rest, "api/v1/"))
	default:
		f.registry(recorder, req, kind+"/"+rest)
	}
}

// registry answers at a path of a registry.
func (f *Forge) registry(w http.ResponseWriter, req *http.Request, path string) {
	f.mu.Lock()
	p, ok := f.packages[path]
	f.mu.Unlock()
	if !ok {
		notFound(w)
		return
	}
	if !f.injectFault(w, req, p.Path, &p.Fault) {
		f.send(w, req, []byte(p.Answer))
	}
}

// rateLimited counts a request, and refuses it if the limit is exceeded.
func (f *Forge) rateLimited(w http.ResponseWriter) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.allowance == 0 {
		return false
	}
	if !f.now().Before(f.reset) {
		f.used, f.reset = 0, f.now().Add(time.Hour)
	}
	over := f.used >= f.allowance
	if !over {
		f.used++
	}
	w.Header().Set("X-RateLimit-Remaining", strconv.Itoa(f.allowance-f.used))
	w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(f.reset.Unix(), 10))
	if over {
		writeJSON(w, http.StatusForbidden, map[string]any{"message": "API rate limit exceeded"})
	}
	return over
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // the client may have gone
}

func notFound(w http.ResponseWriter) {
	writeJSON(w, http.StatusNotFound, map[string]any{"message": "Not Found"})
}

// find returns the repository with a name, and whether that is a former name.
func (f *Forge) find(name string) (r *Repository, old bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.repositories {
		if strings.EqualFold(r.Name, name) {
			return r, false
		}
		if slices.ContainsFunc(r.FormerNames, func(o string) bool { return strings.EqualFold(o, name) }) {
			return r, true
		}
	}
	return nil, false
}

// id returns the number of a repository.
func (f *Forge) id(r *Repository) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strconv.Itoa(1000 + slices.Index(f.repositories, r))
}

func (f *Forge) byID(id string) *Repository {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n, err := strconv.Atoi(id); err == nil && n >= 1000 && n-1000 < len(f.repositories) {
		return f.repositories[n-1000]
	}
	return nil
}

// respond sends a value as JSON with an ETag, unless the repository has a fault.
func (f *Forge) respond(w http.ResponseWriter, req *http.Request, r *Repository, value any) {
	if f.injectFault(w, req, r.Name, &r.Fault) {
		return
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // of maps and texts
	}
	f.send(w, req, text)
}

// send sends a text with an ETag.
func (f *Forge) send(w http.ResponseWriter, req *http.Request, text []byte) {
	etag := fmt.Sprintf(`W/"%x"`, sha256.Sum256(text))
	w.Header().Set("ETag", etag)
	if req.Header.Get("If-None-Match") == etag {
		f.mu.Lock()
		f.used--
		f.mu.Unlock()
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(text) // the client may have gone
}

// injectFault sends the fault of a repository or package with that name, if it has one.
func (f *Forge) injectFault(w http.ResponseWriter, req *http.Request, name string, fault *Fault) bool {
	f.mu.Lock()
	kind, now := fault.Kind, f.now()
	if fault.Times > 0 && kind != "" {
		if fault.Times--; fault.Times == 0 {
			fault.Kind = ""
		}
	}
	f.mu.Unlock()
	if fault.RetryAfter > 0 && (kind == "secondary" || kind == "503") {
		w.Header().Set("Retry-After", strconv.Itoa(fault.RetryAfter))
	}
	if status, err := strconv.Atoi(kind); err == nil {
		writeJSON(w, status, map[string]any{"message": http.StatusText(status)})
		return true
	}
	switch kind {
	case "":
		return false
	case "blocked":
		writeJSON(w, http.StatusForbidden, map[string]any{"message": "Repository access blocked",
			"block": map[string]any{"reason": "tos", "created_at": "2026-01-02T03:04:05Z"}})
	case "primary":
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(now.Add(40*time.Minute).Unix(), 10))
		writeJSON(w, http.StatusForbidden, map[string]any{"message": "API rate limit exceeded"})
	case "secondary":
		status := http.StatusTooManyRequests
		if fault.RetryAfter == 0 {
			status = http.StatusForbidden
		}
		writeJSON(w, status, map[string]any{"message": "You have exceeded a secondary rate limit."})
	case "html":
		_, _ = fmt.Fprint(w, "<!doctype html><title>Please log in to this network</title>")
	case "truncated":
		_, _ = fmt.Fprint(w, `{"full_name": "`+name+`", "stargazers_count": 12`)
	case "cut-off": // the connection breaks
		w.Header().Set("Content-Length", "4096")
		_, _ = fmt.Fprint(w, `{"full_name": "`)
	case "types":
		_, _ = fmt.Fprint(w, `{"full_name": 7, "path_with_namespace": 7, "stargazers_count": "many", "star_count": "many", "stars_count": "many", "archived": "perhaps"}`)
	case "empty":
		_, _ = fmt.Fprint(w, `{}`)
	case "nothing":
		w.WriteHeader(http.StatusOK)
	case "huge":
		_, _ = io.WriteString(w, strings.Repeat(" ", 16<<20))
	case "hang":
		select {
		case <-req.Context().Done():
		case <-f.closed:
		}
	case "elsewhere":
		http.Redirect(w, req, fault.Elsewhere, http.StatusMovedPermanently)
	}
	return true
}

func (f *Forge) github(w http.ResponseWriter, req *http.Request, path string) {
	if version := req.Header.Get("X-GitHub-Api-Version"); version != "2022-11-28" ||
		req.Header.Get("Accept") != "application/vnd.github+json" {
		writeJSON(w, http.StatusBadRequest,
			map[string]any{"message": "The fake forge supports only version 2022-11-28 of the API."})
		return
	}
	parts := strings.Split(path, "/")
	var r *Repository
	var below []string
	switch {
	case len(parts) >= 2 && parts[0] == "repositories":
		r, below = f.byID(parts[1]), parts[2:]
	case len(parts) >= 3 && parts[0] == "repos":
		var old bool
		below = parts[3:]
		if r, old = f.find(parts[1] + "/" + parts[2]); old {
			to := f.URL + "/github/repositories/" + strings.Join(append([]string{f.id(r)}, below...), "/")
			http.Redirect(w, req, to, http.StatusMovedPermanently)
			return
		}
	}
	if r == nil {
		notFound(w)
		return
	}
	var license any
	if r.License != "" {
		license = map[string]any{"key": strings.ToLower(r.License), "spdx_id": r.License, "name": r.License}
	}
	f.respondBelow(w, req, r, below, map[string]any{
		"id": 1, "full_name": r.Name, "html_url": "https://github.com/" + r.Name, "stargazers_count": r.Stars,
		"archived": r.Archived, "license": license, "default_branch": "main", "language": nullable(r.Language),
		"homepage": nullable(r.Homepage), "topics": r.Topics, "description": "Words of its owners.",
		"created_at": "2020-01-02T03:04:05Z", "pushed_at": "2026-01-02T03:04:05Z",
	})
}

// respondBelow responds at a path below a repository of GitHub or Codeberg. value is the repository.
func (f *Forge) respondBelow(
	w http.ResponseWriter, req *http.Request, r *Repository, path []string, value map[string]any,
) {
	switch below := strings.Join(path, "/"); {
	case below == "":
		f.respond(w, req, r, value)
	case below == "commits" && r.Commit == "":
		writeJSON(w, http.StatusConflict, map[string]any{"message": "Git Repository is empty."})
	case below == "commits":
		f.respond(w, req, r, []any{map[string]any{"sha": "c0ffee",
			"commit": map[string]any{"author": map[string]any{"date": "2001-02-03T04:05:06Z"},
				"committer": map[string]any{"date": r.Commit}}}})
	case below == "releases/latest" && r.Release != "":
		f.respond(w, req, r, map[string]any{"tag_name": "v1", "published_at": r.Release,
			"created_at": "2001-02-03T04:05:06Z"})
	default:
		notFound(w)
	}
}

func (f *Forge) gitlab(w http.ResponseWriter, req *http.Request, path string) {
	escaped, below, _ := strings.Cut(strings.TrimPrefix(path, "projects/"), "/")
	name, err := url.PathUnescape(escaped)
	r, old := f.find(name)
	if err != nil || r == nil {
		notFound(w)
		return
	}
	if old {
		to := *req.URL
		to.RawPath = strings.Replace(req.URL.EscapedPath(), escaped, url.PathEscape(r.Name), 1)
		to.Path, _ = url.PathUnescape(to.RawPath)
		http.Redirect(w, req, to.String(), http.StatusMovedPermanently)
		return
	}
	switch below {
	case "":
		value := map[string]any{"id": 1, "path_with_namespace": r.Name, "star_count": r.Stars, "topics": r.Topics,
			"description": "Words of its owners.", "last_activity_at": "2026-01-02T03:04:05.678Z"}
		if r.License != "" && req.URL.Query().Get("license") == "true" {
			value["license"] = map[string]any{"key": strings.ToLower(r.License), "name": r.License}
		}
		if r.Archived { // GitLab sends it to members only; a test needs both
			value["archived"] = true
		}
		f.respond(w, req, r, value)
	case "languages":
		shares := map[string]any{}
		if r.Language != "" {
			shares = map[string]any{r.Language: 71.5, "Makefile": 28.5}
		}
		f.respond(w, req, r, shares)
	case "repository/commits":
		f.respond(w, req, r, listUnless(r.Commit == "", map[string]any{"id": "c0ffee",
			"authored_date": "2001-02-03T04:05:06.000+00:00", "committed_date": r.Commit}))
	case "releases":
		f.respond(w, req, r, listUnless(r.Release == "", map[string]any{"tag_name": "v1", "released_at": r.Release,
			"upcoming_release": false}))
	default:
		notFound(w)
	}
}

func (f *Forge) codeberg(w http.ResponseWriter, req *http.Request, path string) {
	parts := strings.Split(path, "/")
	if len(parts) < 3 || parts[0] != "repos" {
		notFound(w)
		return
	}
	r, old := f.find(parts[1] + "/" + parts[2])
	below := parts[3:]
	switch {
	case r == nil:
		notFound(w)
		return
	case old:
		to := f.URL + "/codeberg/api/v1/" + strings.Join(append([]string{"repos", r.Name}, below...), "/")
		http.Redirect(w, req, to, http.StatusTemporaryRedirect)
		return
	}
	value := map[string]any{"id": 1, "full_name": r.Name, "stars_count": r.Stars, "archived": r.Archived,
		"language": r.Language, "website": r.Homepage, "topics": r.Topics, "description": "Words of its owners."}
	if r.License != "" {
		value["licenses"] = strings.Split(r.License, ",")
	}
	f.respondBelow(w, req, r, below, value)
}

func nullable(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// listUnless returns a list of one value, or an empty list.
func listUnless(empty bool, value any) []any {
	if empty {
		return []any{}
	}
	return []any{value}
}
