package server

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Handler returns the handler of the public address: pages, API, MCP server, /healthz and /readyz.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

// handler decides how to answer a request. Its error is an *api.Problem, or else a fault of the
// server.
type handler func(*request) (*response, error)

// middleware does something before the next handler, or answers instead of it.
type middleware func(req *request, next handler) (*response, error)

// route says how requests for a pattern of paths are answered.
type route struct {
	pattern    string
	name       string // see routeNames
	area       *area
	middleware []middleware
	handler    handler
}

// routes returns the routes of the public address. A request passes through the middleware of its
// route from top to bottom, and then reaches the handler.
//
// Path, method, key and allowance are checked in this order; then handlers check parameters
// (api/README.md). A request that is refused because the server is full does not count. All other
// requests below /api/ count, even invalid ones, and so do requests to /mcp whose origin and
// address length are allowed. OPTIONS requests and probes do not count, and are answered even by a
// full server. A message is counted in one slot and answered in another, because reading it may
// take long.
func (s *Server) routes() []route {
	probes := []middleware{
		answerOptions,
		limitAddress,
		checkMethod,
	}
	pages := []middleware{
		answerOptions,
		s.limitConcurrency,
		limitAddress,
		s.findPage,
		checkMethod,
	}
	endpoints := []middleware{
		answerOptions,
		s.limitConcurrency,
		s.countRequest,
		limitAddress,
		s.findJSONPage,
		checkMethod,
		checkKey,
		checkAllowance,
	}
	messages := []middleware{
		s.checkOrigin,
		limitAddress,
		answerOptions,
		s.countInSlot,
		checkMethod,
		checkKey,
	}
	routes := []route{
		{"/healthz", routeHealth, &pageArea, probes, answerOK},
		{"/readyz", routeReady, &pageArea, probes, s.answerReady},
		{"/api/v1/projects", routeList, &apiArea, endpoints, inChosenLanguage(s.listProjects)},
		{"/api/v1/projects/{slug}", routeProject, &apiArea, endpoints, inChosenLanguage(s.getProject)},
		{"/api/v1/search", routeSearch, &apiArea, endpoints, inChosenLanguage(s.searchCatalog)},
		{"/api/v1/openapi", routeOpenAPI, &apiArea, endpoints, s.sendOpenAPI},
		{"/mcp", routeMCP, &mcpArea, messages, s.answerMCP},
	}
	for _, r := range routes {
		routes = append(routes, route{r.pattern + "/{$}", r.name, r.area, r.middleware, dropTrailingSlash})
	}
	return append(routes,
		route{"/api/v1/taxonomy/{$}", routeOpenAPI, &apiArea, endpoints, dropTrailingSlash},
		// Without the next route, ServeMux would redirect to the path with a trailing slash.
		route{"/api/v1/taxonomy", routeUnknownEndpoint, &apiArea, endpoints, s.sendFile},
		route{"/api", routeUnknownEndpoint, &apiArea, endpoints, s.sendFile},
		route{"/api/", routeUnknownEndpoint, &apiArea, endpoints, s.sendFile},
		route{"/", routePage, &pageArea, pages, s.sendPage})
}

// newMux returns the mux of the public address.
func (s *Server) newMux() *http.ServeMux {
	mux := http.NewServeMux()
	for _, r := range s.routes() {
		h := r.handler
		for _, m := range slices.Backward(r.middleware) {
			next := h
			h = func(req *request) (*response, error) { return m(req, next) }
		}
		mux.HandleFunc(r.pattern, func(w http.ResponseWriter, routed *http.Request) {
			req, _ := w.(*request) // see serve
			req.route, req.area, req.url, req.slug = r.name, r.area, routed.URL, routed.PathValue("slug")
			s.respond(req, h)
		})
	}
	return mux
}

// area is a part of the site whose responses are of one kind.
type area struct {
	methods    []string // the allowed ones
	methodHint string   // advice for clients that use another method
	// problemDetails means that errors are JSON for programs (RFC 9457), not text for people.
	problemDetails bool
	// requestHeaders lists the headers that scripts of other origins may send; "" if the area is
	// not for such scripts.
	requestHeaders string
}

var (
	pageArea = area{
		methods:    []string{http.MethodGet, http.MethodHead, http.MethodOptions},
		methodHint: "use GET, HEAD or OPTIONS.",
	}
	apiArea = area{
		methods: pageArea.methods, methodHint: pageArea.methodHint, problemDetails: true,
		requestHeaders: "Authorization, X-Api-Key, If-None-Match",
	}
	// Without sessions, there is nothing to stream and nothing to delete, so GET and DELETE are not
	// allowed (MCP, Streamable HTTP).
	mcpArea = area{
		methods: []string{http.MethodPost, http.MethodOptions}, problemDetails: true, requestHeaders: mcpRequestHeaders,
		methodHint: "send messages of the Model Context Protocol by POST." +
			" Nothing is streamed, and there are no sessions.",
	}
)

// serve answers a request on the public address. The mux gets req as its http.ResponseWriter, and
// an http.Request whose path is relative to the base address.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	req := s.begin(w, r)
	defer s.end(req)
	routed := req.inLanguage(s.belowBase(req))
	if isClean(routed.URL) && r.RequestURI != "*" {
		s.mux.ServeHTTP(req, routed)
		return
	}
	// The mux would redirect or refuse such a request by itself. Instead, it is answered like any
	// request for a path where nothing is served.
	pattern := "/"
	if strings.HasPrefix(routed.URL.Path, "/api/") {
		pattern = "/api/"
	}
	missing, _ := s.mux.Handler(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: pattern}})
	missing.ServeHTTP(req, routed)
}

// isClean reports whether the mux handles a path without a redirect. belowBase has already escaped
// dot segments.
func isClean(u *url.URL) bool {
	p := u.EscapedPath()
	return strings.HasPrefix(p, "/") && !strings.Contains(p, "//")
}
