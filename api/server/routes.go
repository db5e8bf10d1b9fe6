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
	// wholeBody: the body of the request was read to its end, which nobody can take
	// for another one.
	wholeBody bool
	sent      int64 // bytes of body
	// writer is that of the request.
	writer http.ResponseWriter

	// Room for the segments of the path, and for values of headers that only this
	// answer has.
	segments [6]string
	ownID    [1]string
	ownRates [2]string
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
	// mcp: the path is that of the MCP server, so that calls count, and errors are
	// problem details.
	mcp bool
	// redirect: the answer leads to another path.
	redirect bool
	// asked is what of the route is asked for: the slug of a listing, or the name of
	// a file of the build output.
	asked string
	// kept is that file as it is now, where it is in memory; or nil.
	kept *form
	// handle answers a GET; nil where nothing is at the path.
	handle handler
}

// handler answers a request that has passed every check but those of its
// parameters. Its error is a *api.Problem, or a fault of ours.
type handler func(*Server, *exchange) (*answer, error)

// admission is what keys and allowances say to a request.
type admission struct {
	policy   policy
	limit    int
	verdict  ratestore.Verdict
	knownKey bool
}

// maxURI is the longest address that is answered, in bytes (contract 5).
const maxURI = 8 << 10

// allowedMethods are those of every path (contract 7) but that of the MCP server.
const allowedMethods = "GET, HEAD, OPTIONS"

// allowed are the methods of the route.
func (r *route) allowed() string {
	if r.mcp {
		return mcpMethods
	}
	return allowedMethods
}

// problemDetails tells that errors are answered to programs (RFC 9457), and not to
// people.
func (r *route) problemDetails() bool { return r.api || r.mcp }

// decide finds the answer to a request, or the error that answers it, in the
// order of contract 5: path, method, key, allowance; parameters are the
// handler's. Every request below /api/ is counted, wrong ones too; but one that
// finds the server full says nothing of the request, comes first, and costs its
// client nothing. OPTIONS and the probes are answered from memory, full or not.
// Messages to the MCP server have a way of their own.
func (s *Server) decide(x *exchange) (*answer, error) {
	r := x.request
	path := x.edition.readPath(x.segments[:0], r.URL)
	if path.is(isMCP) {
		return s.decideMCP(x)
	}
	x.route.api = path.is(isAPI)
	if r.Method == http.MethodOptions {
		x.route.name = routeOptions
		return optionsAnswer(x.route.api), nil
	}
	if !path.is(isProbe) {
		if err := s.occupy(x); err != nil {
			return nil, err
		}
	}
	var fault error
	x.route, fault = s.routeOf(x.edition, path)
	if x.route.api {
		x.admission = s.admit(x.request, x.edition)
	}
	switch {
	case fault != nil:
		return nil, fault
	case addressLength(r) > maxURI:
		return nil, tooLong(r)
	case x.route.handle == nil:
		return nil, nothingAt(r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return nil, api.NewProblem(api.MethodNotAllowed, fmt.Sprintf("%s is not allowed: use GET, HEAD or OPTIONS.", shown(r.Method)))
	case x.admission != nil && !x.admission.knownKey:
		return nil, unknownKey()
	case x.admission != nil && !x.admission.verdict.Allowed:
		return nil, x.admission.refusal()
	}
	return x.route.handle(s, x)
}

func tooLong(r *http.Request) *api.Problem {
	return api.NewProblem(api.URITooLong, fmt.Sprintf("The address has %d bytes: at most %d are allowed.", addressLength(r), maxURI))
}

func unknownKey() *api.Problem {
	return api.NewProblem(api.UnknownKey, "The API key that was presented is unknown. Anonymous reads need no key.")
}

// refusal is the problem of a request that is over its allowance.
func (a *admission) refusal() *api.Problem {
	return api.NewProblem(api.RateLimited, fmt.Sprintf("The allowance of %d requests in 60 seconds is used up. Try again in %s.",
		a.limit, count(a.verdict.Reset, "second")))
}

// nothingAt is the problem of a path at which nothing is.
func nothingAt(r *http.Request) *api.Problem {
	return api.NewProblem(api.UnknownEndpoint, fmt.Sprintf("Nothing is served at %s.", shown(r.URL.EscapedPath())))
}

// admit looks at the keys of a request and counts it.
func (s *Server) admit(r *http.Request, e *edition) *admission {
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
	a.verdict = s.rates.Take(r.Context(), payer, a.limit)
	return a
}

// requestPath is the decoded path of a request. Proxies may have taken the path of
// the base address off or left it on, and which is not known where the path begins
// as the base does: with the base /projects, /projects/ollama/ is the page of that
// name behind a proxy that has taken the base off.
type requestPath struct {
	below []string // without the base; as it was sent where it does not begin with that
	whole []string // as it was sent
}

// readPath appends the segments of an address's path to room.
func (e *edition) readPath(room []string, u *url.URL) requestPath {
	segments, err := pathSegments(room, u)
	if err != nil { // net/http lets no such address through
		segments = []string{""}
	}
	p := requestPath{segments, segments}
	if base := len(e.basePath); len(segments) >= base && slices.Equal(segments[:base], e.basePath) {
		p.below = segments[base:]
	}
	return p
}

// is reports whether the path may be of a kind.
func (p requestPath) is(kind func(segments []string) bool) bool {
	return kind(p.below) || kind(p.whole)
}

func isMCP(segments []string) bool { return len(segments) == 1 && segments[0] == mcpPath }

func isAPI(segments []string) bool { return len(segments) > 0 && segments[0] == "api" }

func isProbe(segments []string) bool {
	return len(segments) == 1 && (segments[0] == "healthz" || segments[0] == "readyz")
}

// pathSegments returns the decoded segments of an address's path: "/a/b%2Fc/"
// has the segments a, b/c and an empty one. They are appended to room.
func pathSegments(room []string, u *url.URL) ([]string, error) {
	rest, more := strings.TrimPrefix(u.EscapedPath(), "/"), true
	for more {
		var segment string
		segment, rest, more = strings.Cut(rest, "/")
		decoded, err := url.PathUnescape(segment)
		if err != nil {
			return nil, err
		}
		room = append(room, decoded)
	}
	return room, nil
}

// routeOf returns what a path leads to: without the base address, or, where nothing
// is there, as it was sent. What is there goes before a redirect to it, and that
// before nothing. The error is a fault of ours.
func (s *Server) routeOf(e *edition, path requestPath) (route, error) {
	below, err := s.routeAt(e, path.below)
	if err != nil || len(path.below) == len(path.whole) || below.handle != nil && !below.redirect {
		return below, err
	}
	whole, err := s.routeAt(e, path.whole)
	if err != nil || whole.handle != nil && (below.handle == nil || !whole.redirect) {
		return whole, err
	}
	return below, nil
}

// routeAt returns what the segments of a path below the base address lead to.
// The error is a fault of ours.
func (s *Server) routeAt(e *edition, segments []string) (route, error) {
	switch {
	case len(segments) == 0: // the base address without its slash
		return route{name: routePage, redirect: true, handle: redirectToFolder(nil)}, nil
	case isAPI(segments):
		return s.apiRoute(e, segments)
	case isProbe(segments) && segments[0] == "healthz":
		return route{name: routeHealth, handle: (*Server).answerOK}, nil
	case isProbe(segments):
		return route{name: routeReady, handle: (*Server).answerReady}, nil
	}
	return s.pageRoute(e, segments)
}

// apiRoute returns what a path below /api/ leads to: an endpoint (spec 4), a
// JSON page of the build output (contract 8), or nothing.
func (s *Server) apiRoute(e *edition, segments []string) (route, error) {
	last := segments[len(segments)-1]
	below := len(segments) > 2 && segments[1] == "v1" // nothing else is an endpoint
	if below && len(segments) == 3 {
		switch last {
		case "projects":
			return route{name: routeList, api: true, handle: (*Server).listProjects}, nil
		case "search":
			return route{name: routeSearch, api: true, handle: (*Server).searchCatalog}, nil
		case "openapi":
			return route{name: routeOpenAPI, api: true, handle: (*Server).describe}, nil
		}
	}
	if strings.HasSuffix(last, ".json") {
		if name, ok := fileName(segments); ok {
			page := route{name: routeJSONPage, api: true, asked: name, kept: s.keptFile(e, name), handle: (*Server).sendFile}
			if page.kept != nil {
				return page, nil
			}
			if kind, err := e.pages.kindOf(name); err != nil || kind == regularFile {
				return page, err
			}
		}
	}
	if below && len(segments) == 4 && segments[2] == "projects" && last != "" {
		return route{name: routeProject, api: true, asked: last, handle: (*Server).getProject}, nil
	}
	return route{name: routeUnknownEndpoint, api: true}, nil
}

// pageRoute returns what a path leads to in the build output: a page or an asset,
// or nothing.
func (s *Server) pageRoute(e *edition, segments []string) (route, error) {
	last := len(segments) - 1
	isFolder := segments[last] == ""
	if isFolder {
		segments = append(slices.Clone(segments[:last]), indexPage)
	}
	missing := route{name: routeMissingPage}
	name, ok := fileName(segments)
	if !ok {
		return missing, nil
	}
	page := route{name: routePage, asked: name, kept: s.keptFile(e, name), handle: fileHandler(name)}
	if page.kept != nil {
		return page, nil
	}
	kind, err := e.pages.kindOf(name)
	switch {
	case err != nil:
		return missing, err
	case kind == regularFile:
		return page, nil
	case kind == folder && !isFolder:
		if kind, err = e.pages.kindOf(name + "/" + indexPage); err != nil {
			return missing, err
		}
		if kind == regularFile {
			return route{name: routePage, redirect: true, handle: redirectToFolder(segments)}, nil
		}
	}
	return missing, nil
}

// addressLength is that of the address as it was sent.
func addressLength(r *http.Request) int {
	if r.RequestURI == "" { // a request that no server has read
		return len(r.URL.RequestURI())
	}
	return len(r.RequestURI)
}
