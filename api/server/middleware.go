package server

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/server/ratestore"
)

// maxURI is the maximum length of an address, in bytes.
const maxURI = 8 << 10

// answerOptions answers OPTIONS for every path, so that a browser script that then requests a wrong
// path can read the problem. Browsers may cache for a day which headers scripts may send.
func answerOptions(req *request, next handler) (*response, error) {
	if req.r.Method != http.MethodOptions {
		return next(req)
	}
	req.route = routeOptions
	res, methods := &response{status: http.StatusNoContent}, req.area.allow()
	res.set("Allow", methods)
	if req.area.requestHeaders != "" {
		res.set("Access-Control-Allow-Methods", methods)
		res.set("Access-Control-Allow-Headers", req.area.requestHeaders)
		res.set("Access-Control-Max-Age", "86400")
	}
	return res, nil
}

// allow returns the value of the Allow header.
func (a *area) allow() string { return strings.Join(a.methods, ", ") }

// limitConcurrency holds a slot until the response is ready, not until it is sent. Otherwise,
// clients that do not read could take all slots.
func (s *Server) limitConcurrency(req *request, next handler) (*response, error) {
	if !s.slots.take(1) {
		return nil, s.metrics.full(overloadSlots)
	}
	defer s.slots.release(1)
	return next(req)
}

// allowance is the result of counting a request.
type allowance struct {
	policy   policy
	limit    int
	verdict  ratestore.Verdict
	knownKey bool
}

// countRequest counts a request. checkKey and checkAllowance use the result, after path and method
// have been checked.
func (s *Server) countRequest(req *request, next handler) (*response, error) {
	_, _ = s.count(req)
	return next(req)
}

// countInSlot counts a request, and holds a slot only while counting.
func (s *Server) countInSlot(req *request, next handler) (*response, error) {
	if _, err := s.limitConcurrency(req, s.count); err != nil {
		return nil, err
	}
	return next(req)
}

// count checks the keys of a request, and counts it. It is a handler, so that it can run in a slot,
// but returns no response.
func (s *Server) count(req *request) (*response, error) {
	settings := &req.snapshot.Settings
	a := &allowance{limit: settings.AnonymousPerMinute}
	a.policy, a.knownKey = identify(req.r.Header, settings.SandboxKey)
	key := ratestore.NewKey(uint8(a.policy), s.proxies.client(req.r))
	if a.policy == sandbox {
		a.limit = settings.SandboxPerMinute
		if s.o.SandboxScope == ScopeKey {
			key.Client = [16]byte{}
		}
	}
	a.verdict = s.o.RateStore.Take(req.r.Context(), key, a.limit)
	req.allowance = a
	return nil, nil
}

// limitAddress refuses addresses of more than maxURI bytes.
func limitAddress(req *request, next handler) (*response, error) {
	sent := req.r.RequestURI
	if sent == "" { // only in tests
		sent = req.r.URL.RequestURI()
	}
	if len(sent) > maxURI {
		return nil, api.NewProblem(api.URITooLong,
			fmt.Sprintf("The address has %d bytes: at most %d are allowed.", len(sent), maxURI))
	}
	return next(req)
}

// findPage looks for the file of a path, or redirects if its page has moved.
func (s *Server) findPage(req *request, next handler) (res *response, err error) {
	if target := req.snapshot.MovedTo(req.url.Path); target != "" {
		return redirectMoved(req, target), nil
	}
	known, ok := s.reps.findUnchecked(req.snapshot, req.url)
	if ok && req.r.Method == http.MethodGet { // another method may be refused, but only where there is a page
		req.file = known
		if res, err = next(req); !errors.Is(err, errChanged) {
			return res, err
		}
	}
	if req.file, err = s.reps.find(req.snapshot, req.url, false); err != nil {
		return nil, err
	}
	if req.file.name == "" {
		req.route = routeMissingPage
		return nil, nothingAt(req.r)
	}
	return next(req)
}

// findJSONPage looks for the file of a path below /api/. If there is none, the path must be an
// endpoint.
func (s *Server) findJSONPage(req *request, next handler) (res *response, err error) {
	if req.file, err = s.reps.find(req.snapshot, req.url, true); err != nil {
		return nil, err
	}
	if req.file.name != "" {
		req.route = routeJSONPage
	} else if req.route == routeUnknownEndpoint {
		return nil, nothingAt(req.r)
	}
	return next(req)
}

// nothingAt returns the problem for a path where nothing is served.
func nothingAt(r *http.Request) *api.Problem {
	return api.NewProblem(api.UnknownEndpoint, fmt.Sprintf("Nothing is served at %s.", shorten(r.URL.EscapedPath())))
}

// checkMethod refuses methods that the area does not allow.
func checkMethod(req *request, next handler) (*response, error) {
	if !slices.Contains(req.area.methods, req.r.Method) {
		return nil, api.NewProblem(api.MethodNotAllowed,
			fmt.Sprintf("%s is not allowed: %s", shorten(req.r.Method), req.area.methodHint))
	}
	return next(req)
}

// checkKey refuses requests that present an unknown key.
func checkKey(req *request, next handler) (*response, error) {
	if !req.allowance.knownKey {
		return nil, api.NewProblem(api.UnknownKey,
			"The API key is unknown. Anonymous reads need no key: leave the header out.")
	}
	return next(req)
}

// checkAllowance refuses requests that are over their allowance.
func checkAllowance(req *request, next handler) (*response, error) {
	if !req.allowance.verdict.Allowed {
		return nil, req.allowance.refusal()
	}
	return next(req)
}

// refusal returns the problem for a request that is over its allowance.
func (a *allowance) refusal() *api.Problem {
	return api.NewProblem(api.RateLimited,
		fmt.Sprintf("The allowance of %d requests in 60 seconds is used up. Try again in %s.",
			a.limit, api.Count(a.verdict.Reset, "second")))
}
