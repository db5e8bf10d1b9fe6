package server

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/server/ratestore"
)

// exchange is one request on its way to an answer.
type exchange struct {
	request *http.Request
	id      string   // of the request, in X-Request-Id and in logs
	edition *edition // what is answered from; nil once the answer is decided
	route   route
	// admission is nil where nothing is counted, and until it is.
	admission *admission
	// holdsSlot: the request is one of those that are decided at once.
	holdsSlot bool
	sent      int64 // bytes of body
}

// letGo gives the edition back, if that was not done.
func (x *exchange) letGo() {
	if x.edition != nil {
		x.edition.leave()
		x.edition = nil
	}
}

// route is what a path leads to.
type route struct {
	name routeName
	// api: the path lies below /api/, so that requests count, any origin may read
	// the answers, and errors are problem details.
	api bool
	// handle answers a GET; nil where nothing is at the path.
	handle handler
}

// handler answers a request that has passed every check but those of its
// parameters. Its error is a *api.Problem, or a fault of ours.
type handler func(*exchange) (*answer, error)

// admission is what keys and allowances say to a request.
type admission struct {
	policy   policy
	limit    int
	verdict  ratestore.Verdict
	knownKey bool
}

// maxURI is the longest address that is answered, in bytes (contract 5).
const maxURI = 8 << 10

// allowedMethods are those of every path (contract 7).
const allowedMethods = "GET, HEAD, OPTIONS"

// decide finds the answer to a request, or the error that answers it, in the
// order of contract 5: path, method, key, allowance; parameters are the
// handler's. Every request below /api/ is counted, wrong ones too; but one that
// finds the server full says nothing of the request, comes first, and costs its
// client nothing. OPTIONS and the probes are answered from memory, full or not.
func (s *Server) decide(x *exchange) (*answer, error) {
	r := x.request
	segments := x.edition.segmentsBelowBase(r.URL)
	x.route.api = len(segments) > 0 && segments[0] == "api"
	if r.Method == http.MethodOptions {
		x.route.name = routeOptions
		return optionsAnswer(x.route.api), nil
	}
	if !isProbe(segments) {
		if err := s.occupy(x); err != nil {
			return nil, err
		}
	}
	var fault error
	x.route, fault = s.routeOf(x.edition, segments)
	if x.route.api {
		x.admission = s.admit(x)
	}
	switch {
	case fault != nil:
		return nil, fault
	case addressLength(r) > maxURI:
		return nil, api.NewProblem(api.URITooLong, fmt.Sprintf("The address has %d bytes: at most %d are allowed.", addressLength(r), maxURI))
	case x.route.handle == nil:
		return nil, nothingAt(r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return nil, api.NewProblem(api.MethodNotAllowed, fmt.Sprintf("%s is not allowed: use GET, HEAD or OPTIONS.", shown(r.Method)))
	case x.admission != nil && !x.admission.knownKey:
		return nil, api.NewProblem(api.UnknownKey, "The API key that was presented is unknown. Anonymous reads need no key.")
	case x.admission != nil && !x.admission.verdict.Allowed:
		return nil, api.NewProblem(api.RateLimited, fmt.Sprintf("The allowance of %d requests in 60 seconds is used up. Try again in %s.",
			x.admission.limit, count(x.admission.verdict.Reset, "second")))
	}
	return x.route.handle(x)
}

// nothingAt is the problem of a path at which nothing is.
func nothingAt(r *http.Request) *api.Problem {
	return api.NewProblem(api.UnknownEndpoint, fmt.Sprintf("Nothing is served at %s.", shown(r.URL.EscapedPath())))
}

// admit looks at the keys of a request and counts it.
func (s *Server) admit(x *exchange) *admission {
	r, e := x.request, x.edition
	a := &admission{limit: e.settings.AnonymousPerMinute}
	a.policy, a.knownKey = e.keys.identify(r.Header)
	client := s.proxies.client(r)
	payer := ratestore.NewPayer(uint8(a.policy), client)
	if a.policy == sandbox {
		a.limit = e.settings.SandboxPerMinute
		if s.scope == ScopeKey {
			payer.Client = [16]byte{}
		}
	}
	a.verdict = s.rates.Take(payer, a.limit)
	return a
}

// segmentsBelowBase returns the decoded segments of an address's path below the
// base address. Proxies may have taken the base path off or left it on.
func (e *edition) segmentsBelowBase(u *url.URL) []string {
	segments, err := pathSegments(u)
	if err != nil { // net/http lets no such address through
		return []string{""}
	}
	if len(e.basePath) > 0 && len(segments) >= len(e.basePath) && slices.Equal(segments[:len(e.basePath)], e.basePath) {
		segments = segments[len(e.basePath):]
	}
	return segments
}

func isProbe(segments []string) bool {
	return len(segments) == 1 && (segments[0] == "healthz" || segments[0] == "readyz")
}

// pathSegments returns the decoded segments of an address's path: "/a/b%2Fc/"
// has the segments a, b/c and an empty one.
func pathSegments(u *url.URL) ([]string, error) {
	segments := strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	for i, segment := range segments {
		decoded, err := url.PathUnescape(segment)
		if err != nil {
			return nil, err
		}
		segments[i] = decoded
	}
	return segments, nil
}

// routeOf returns what the segments of a path below the base address lead to.
// The error is a fault of ours.
func (s *Server) routeOf(e *edition, segments []string) (route, error) {
	switch {
	case len(segments) == 0: // the base address without its slash
		return route{name: routePage, handle: s.redirectToFolder(nil)}, nil
	case segments[0] == "api":
		return s.apiRoute(e, segments)
	case isProbe(segments) && segments[0] == "healthz":
		return route{name: routeHealth, handle: answerOK}, nil
	case isProbe(segments):
		return route{name: routeReady, handle: s.answerReady}, nil
	}
	handle, err := s.pageHandler(e, segments)
	if handle == nil {
		return route{name: routeMissingPage}, err
	}
	return route{name: routePage, handle: handle}, err
}

// apiRoute returns what a path below /api/ leads to: an endpoint (spec 4), a
// JSON page of the build output (contract 8), or nothing.
func (s *Server) apiRoute(e *edition, segments []string) (route, error) {
	switch strings.Join(segments, "/") {
	case "api/v1/projects":
		return route{routeList, true, s.listProjects}, nil
	case "api/v1/search":
		return route{routeSearch, true, s.searchCatalog}, nil
	case "api/v1/openapi":
		return route{routeOpenAPI, true, s.describe}, nil
	}
	if strings.HasSuffix(segments[len(segments)-1], ".json") {
		if name, ok := fileName(segments); ok {
			kind, err := e.pages.kindOf(name)
			if err != nil || kind == regularFile {
				return route{routeJSONPage, true, s.fileHandler(name)}, err
			}
		}
	}
	if len(segments) == 4 && segments[1] == "v1" && segments[2] == "projects" && segments[3] != "" {
		slug := segments[3]
		return route{routeProject, true, func(x *exchange) (*answer, error) { return s.getProject(x, slug) }}, nil
	}
	return route{routeUnknownEndpoint, true, nil}, nil
}

// pageHandler returns the handler of a page or asset of the build output, or nil.
func (s *Server) pageHandler(e *edition, segments []string) (handler, error) {
	last := len(segments) - 1
	isFolder := segments[last] == ""
	if isFolder {
		segments = append(slices.Clone(segments[:last]), indexPage)
	}
	name, ok := fileName(segments)
	if !ok {
		return nil, nil
	}
	kind, err := e.pages.kindOf(name)
	switch {
	case err != nil:
		return nil, err
	case kind == regularFile:
		return s.fileHandler(name), nil
	case kind == folder && !isFolder:
		if kind, err = e.pages.kindOf(name + "/" + indexPage); err != nil || kind == regularFile {
			return s.redirectToFolder(segments), err
		}
	}
	return nil, nil
}

// addressLength is that of the address as it was sent.
func addressLength(r *http.Request) int {
	if r.RequestURI == "" { // a request that no server has read
		return len(r.URL.RequestURI())
	}
	return len(r.RequestURI)
}
