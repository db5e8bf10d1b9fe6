package server

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Handler returns the handler of the public address: pages, API, MCP server,
// /healthz and /readyz.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

// handler decides how a request is answered. Its error is a *api.Problem, or a
// fault of ours.
type handler func(*request) (*response, error)

// middleware does something before the next handler, or answers in its place.
type middleware func(req *request, next handler) (*response, error)

// route says what answers requests for a pattern of paths.
type route struct {
	pattern    string
	name       string // see routeNames
	area       *area
	middleware []middleware
	handler    handler
}

// routes returns the routes of the public address. A request passes the middleware of its
// route from top to bottom, and then reaches the handler.
//
// The order is: path, method, key, allowance; handlers check parameters (api/README.md). A
// request that finds the server full is refused first and is not counted.
// Every other request below /api/ and to /mcp is counted, wrong ones too. OPTIONS and
// the probes are answered even when the server is full. A message is counted in one slot
// and answered in another, because reading it may take long.
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
	return []route{
		{"/healthz", routeHealth, &pageArea, probes, answerOK},
		{"/readyz", routeReady, &pageArea, probes, s.answerReady},
		{"/api/v1/projects", routeList, &apiArea, endpoints, s.listProjects},
		{"/api/v1/projects/{slug}", routeProject, &apiArea, endpoints, s.getProject},
		{"/api/v1/search", routeSearch, &apiArea, endpoints, s.searchCatalog},
		{"/api/v1/openapi", routeOpenAPI, &apiArea, endpoints, s.sendOpenAPI},
		// Without the next one, ServeMux would redirect to the trailing slash below.
		{"/api/v1/taxonomy", routeUnknownEndpoint, &apiArea, endpoints, s.sendFile},
		{"/api", routeUnknownEndpoint, &apiArea, endpoints, s.sendFile},
		{"/api/", routeUnknownEndpoint, &apiArea, endpoints, s.sendFile},
		{"/mcp", routeMCP, &mcpArea, messages, s.answerMCP},
		// Endpoints with a trailing slash.
		{"/healthz/{$}", routeHealth, &pageArea, probes, dropTrailingSlash},
		{"/readyz/{$}", routeReady, &pageArea, probes, dropTrailingSlash},
		{"/api/v1/projects/{$}", routeList, &apiArea, endpoints, dropTrailingSlash},
		{"/api/v1/projects/{slug}/{$}", routeProject, &apiArea, endpoints, dropTrailingSlash},
		{"/api/v1/search/{$}", routeSearch, &apiArea, endpoints, dropTrailingSlash},
		{"/api/v1/openapi/{$}", routeOpenAPI, &apiArea, endpoints, dropTrailingSlash},
		{"/api/v1/taxonomy/{$}", routeOpenAPI, &apiArea, endpoints, dropTrailingSlash},
		{"/mcp/{$}", routeMCP, &mcpArea, messages, dropTrailingSlash},
		{"/", routePage, &pageArea, pages, s.sendPage},
	}
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

// area is a part of the site whose responses are alike.
type area struct {
	methods    []string // that are allowed
	methodHint string   // what to do where another one was used
	// problemDetails: errors are JSON for programs (RFC 9457), not text for people.
	problemDetails bool
	// requestHeaders are those that browsers let scripts of other origins send; "" for
	// an area that is not for such scripts.
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
	// A server without sessions has nothing to stream and nothing to delete (MCP,
	// Streamable HTTP).
	mcpArea = area{
		methods: []string{http.MethodPost, http.MethodOptions}, problemDetails: true, requestHeaders: mcpRequestHeaders,
		methodHint: "send messages of the Model Context Protocol by POST." +
			" Nothing is streamed, and there are no sessions.",
	}
)

// serve answers a request on the public address. The mux hands the request on as its
// http.ResponseWriter, beside one whose path is below the base address.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	req := s.begin(w, r)
	defer s.end(req)
	routed := s.belowBase(req)
	if isClean(routed.URL) && r.RequestURI != "*" {
		s.mux.ServeHTTP(req, routed)
		return
	}
	// The mux would answer by itself. Nothing is served at such a path.
	pattern := "/"
	if strings.HasPrefix(routed.URL.Path, "/api/") {
		pattern = "/api/"
	}
	missing, _ := s.mux.Handler(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: pattern}})
	missing.ServeHTTP(req, routed)
}

// isClean reports whether the mux takes a path as it is, and does not redirect. Dots are
// escaped already, by belowBase.
func isClean(u *url.URL) bool {
	p := u.EscapedPath()
	return strings.HasPrefix(p, "/") && !strings.Contains(p, "//")
}
