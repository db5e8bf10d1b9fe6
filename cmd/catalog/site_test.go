package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/search/index"
	"catalog.example/api/server"
	"catalog.example/api/server/artifact"
	"catalog.example/api/server/ratestore"
	"catalog.example/api/server/snapshot"
	"catalog.example/api/site"
	"catalog.example/generator"
	"catalog.example/generator/content"
	"catalog.example/generator/engine/enginetest"
)

// testSite is a content folder that has been built with the settings of this repository
// and is served.
type testSite struct {
	settings site.Settings
	public   string           // build output
	content  *content.Content // source of the build
	base     string           // address of the test server
	builtAt  time.Time        // time of the build
	document *apitest.Document
}

// TestShipped checks the shipped catalog against the specification, the contract that
// completes it, and what people and browsers expect of pages.
func TestShipped(t *testing.T) {
	t.Parallel()
	s := newSite(t, "../../content")
	for name, test := range map[string]func(*testing.T){
		"specification": s.specification, "contract": s.contract, "pages": s.checkPages, "sets": s.checkSets, "markup": s.checkMarkup, "browser": s.checkInBrowser, "page kinds": s.checkPageKinds, "MCP costs": s.checkMCPCosts, "client": s.checkGeneratedClient, "worked example": s.checkWorkedExample, "computer words": s.checkComputerWords, "computer names": s.checkComputerNames, "archive for agents": s.checkAgentsArchive, "readiness": s.checkReadiness,
		"tour": func(t *testing.T) { s.checkTour(t, false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

// newSite builds and serves a content folder with the settings of this repository, after
// changes. Its clock advances by a second with each request, so that no rate limit is
// ever reached.
func newSite(t *testing.T, folder string, changes ...func(*site.Settings)) *testSite {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	settings, err := generator.LoadSettings("../../catalog.yml", func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	if folder != "../../content" { // of which this repository asks no more than of others
		settings.Rules, settings.Shares = nil, nil
	}
	s := &testSite{settings: settings, public: filepath.Join(t.TempDir(), "public"), base: "http://" + listener.Addr().String(), builtAt: time.Now()}
	s.settings.BaseURL = s.base
	for _, change := range changes {
		change(&s.settings)
	}
	now := s.builtAt
	pictures := generator.PicturesAuto
	if testing.Short() || !s.settings.HasServer() || folder != "../../content" {
		pictures = generator.PicturesOff // they take most of a build
	}
	options := generator.Options{Content: folder, Out: s.public, Settings: s.settings, Pictures: pictures, Now: now}
	if s.settings.SearchesInBrowser() {
		options.Engine = enginetest.Compile(t)
	}
	report, err := generator.Build(t.Context(), options)
	if err != nil {
		t.Fatalf("%v: %v", err, report.Findings)
	}
	s.content, _, err = content.Load(t.Context(), content.Options{Dir: folder, Settings: s.settings, Jobs: 2, Today: api.DateOf(now)})
	if err != nil {
		t.Fatal(err)
	}
	httpServer := httptest.NewUnstartedServer(s.server(t, (&steppingClock{current: now, step: time.Second}).now).Handler())
	_ = httpServer.Listener.Close() // replaced by ours, whose address is in the pages
	httpServer.Listener = listener
	httpServer.Start()
	t.Cleanup(httpServer.Close)
	s.document, err = apitest.Parse([]byte(s.getUnchecked(t, api.PathOpenAPI).body))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// known returns the listing with a slug or former slug. If it has left, it returns the most
// popular one that is none of the others, so that no test fails because a listing goes.
func (s *testSite) known(t *testing.T, slug string, others ...*content.Listing) *content.Listing {
	t.Helper()
	var best *content.Listing
	for _, l := range s.content.Listings {
		if slices.Contains(others, l) {
			continue
		}
		if l.Slug == slug || slices.Contains(l.Formerly, slug) {
			return l
		}
		if best == nil || index.ComparePopular(&l.Project, &best.Project) < 0 {
			best = l
		}
	}
	return best
}

// server returns a server of the build output whose rate limits use a clock.
func (s *testSite) server(t *testing.T, now func() time.Time) *server.Server {
	t.Helper()
	source, err := snapshot.Open(snapshot.Options{Build: artifact.Build{Folder: s.public}})
	if err != nil {
		t.Fatal(err)
	}
	srv, err := server.New(server.Options{Snapshot: source.Current, RateStore: ratestore.NewMemory(0, now)})
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// parameters returns the parameters of a search.
func (s *testSite) parameters() []api.Parameter {
	return api.SearchParameters(&s.settings, &s.content.Taxonomy)
}

// parameter returns one parameter of a search.
func (s *testSite) parameter(t *testing.T, name string) api.Parameter {
	t.Helper()
	parameters := s.parameters()
	i := slices.IndexFunc(parameters, func(p api.Parameter) bool { return p.Name == name })
	if i < 0 {
		t.Fatalf("there is no parameter %s", name)
	}
	return parameters[i]
}

// withHandler returns a copy of the site that is served by another handler.
func (s *testSite) withHandler(t *testing.T, handler http.Handler) *testSite {
	t.Helper()
	httpServer := httptest.NewServer(handler)
	t.Cleanup(httpServer.Close)
	clone := *s
	clone.base = httpServer.URL
	return &clone
}

// stoppedClock is a clock that only advance moves.
type stoppedClock struct {
	mu      sync.Mutex
	current time.Time
}

func (c *stoppedClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current
}

func (c *stoppedClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current = c.current.Add(d)
}

// reply is a response whose body has been read.
type reply struct {
	status int
	header http.Header
	body   string
}

// do sends a request for a path below the base address or for an absolute address, and
// checks the response against the OpenAPI document. Headers are pairs of name and value.
func (s *testSite) do(t *testing.T, method, target string, headers ...string) reply {
	t.Helper()
	return sendRequest(t, s.document, method, s.address(target), headers...)
}

// getUnchecked is do with GET, without the check against the OpenAPI document.
func (s *testSite) getUnchecked(t *testing.T, target string) reply {
	t.Helper()
	return sendRequest(t, nil, http.MethodGet, s.address(target))
}

// address returns the absolute address of a path below the base address.
func (s *testSite) address(target string) string {
	if strings.HasPrefix(target, "/") {
		return s.base + target
	}
	return target
}

// sendRequest sends a request and checks the response against document, if it is not
// nil. It follows no redirects.
func sendRequest(t *testing.T, document *apitest.Document, method, target string, headers ...string) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	if document != nil {
		if err := document.Check(request, response); err != nil {
			t.Error(err)
		}
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, string(body)}
}

// getJSON gets and decodes a JSON response with status 200.
func getJSON[T any](t *testing.T, s *testSite, target string, headers ...string) T {
	t.Helper()
	r := s.do(t, http.MethodGet, target, headers...)
	if r.status != http.StatusOK {
		t.Fatalf("%s answers %d: %.300s", target, r.status, r.body)
	}
	return decodeJSON[T](t, r.body)
}

// problem sends a request that must fail, and checks status and code of the problem.
func (s *testSite) problem(t *testing.T, method, target string, status int, code string, headers ...string) (api.Problem, http.Header) {
	t.Helper()
	r := s.do(t, method, target, headers...)
	if r.status != status {
		t.Fatalf("%s %s answers %d, want %d: %.300s", method, target, r.status, status, r.body)
	}
	if method == http.MethodHead {
		return api.Problem{}, r.header
	}
	p := decodeJSON[api.Problem](t, r.body)
	if p.Code != code {
		t.Errorf("%s %s answers with the code %q, want %q", method, target, p.Code, code)
	}
	return p, r.header
}

func decodeJSON[T any](t *testing.T, body string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%v: %.300s", err, body)
	}
	return v
}

// search searches the catalogue. Parameters are pairs of name and value.
func (s *testSite) search(t *testing.T, parameters ...string) api.SearchResponse {
	t.Helper()
	return getJSON[api.SearchResponse](t, s, searchPath(parameters...))
}

func searchPath(parameters ...string) string {
	values := url.Values{}
	for i := 0; i < len(parameters); i += 2 {
		values.Set(parameters[i], parameters[i+1])
	}
	return api.PathSearch + "?" + values.Encode()
}

// links returns the targets of a Link header by relation (RFC 8288).
func links(t *testing.T, h http.Header) map[string]string {
	t.Helper()
	targets := map[string]string{}
	for link := range strings.SplitSeq(h.Get("Link"), ", ") {
		target, relation, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(link, "<"), `"`), `>; rel="`)
		if !ok {
			t.Fatalf("the Link header is %q", h.Get("Link"))
		}
		targets[relation] = target
	}
	return targets
}
