package server

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/site"
)

// Origins are origins (RFC 6454) whose pages may use the MCP server, beside the
// site's own.
type Origins struct {
	any  bool
	list []string // as canonicalOrigin writes them
}

// ParseOrigins reads origins that are joined by commas, such as
// "https://app.example", or "*" for every one. All that is served is public and
// read-only, so that the star gives nothing away but the visitor's allowance; on a
// server that only the visitor's own machine or network reaches, it lets every site
// that they open read what is there.
func ParseOrigins(text string) (Origins, error) {
	var o Origins
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		switch origin, ok := canonicalOrigin(part); {
		case part == "":
		case part == "*":
			o.any = true
		case !ok:
			return Origins{}, fmt.Errorf("%q is not an origin such as https://app.example", part)
		default:
			o.list = append(o.list, origin)
		}
	}
	return o, nil
}

// canonicalOrigin returns scheme, host and port in the form in which they are
// compared: lower case, without the scheme's own port. ok is false for what is no
// origin of http or https, "null" among it.
func canonicalOrigin(text string) (origin string, ok bool) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || *u != (url.URL{Scheme: u.Scheme, Host: u.Host}) {
		return "", false
	}
	return originOf(u)
}

// originOf returns the origin of an address.
func originOf(u *url.URL) (origin string, ok bool) {
	port := u.Port()
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return "", false
	case u.Scheme == "http" && port == "80", u.Scheme == "https" && port == "443":
		port = ""
	}
	host := strings.ToLower(u.Hostname())
	if port == "" {
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		return u.Scheme + "://" + host, true
	}
	return u.Scheme + "://" + net.JoinHostPort(host, port), true
}

// ownOrigins are those of a site's pages: they may lie elsewhere than the search server.
func ownOrigins(s *site.Settings) (list []string) {
	for _, address := range []string{s.BaseURL, s.SearchURL} {
		u, err := url.Parse(address)
		if err != nil || address == "" {
			continue
		}
		if origin, ok := originOf(u); ok && !slices.Contains(list, origin) {
			list = append(list, origin)
		}
	}
	return list
}

// checkOrigin refuses requests from pages that may not use the MCP server, which is
// what the protocol asks of servers (MCP, transports, security warning): a page of
// another site must not reach the server of its visitor, nor one that a name of the
// attacker leads to (DNS rebinding).
func (s *Server) checkOrigin(req *request, next handler) (*response, error) {
	if !s.o.MCPOrigins.allow(req) {
		sent := shorten(strings.Join(req.r.Header["Origin"], ", "))
		return nil, api.NewProblem(api.OriginRefused,
			fmt.Sprintf("Pages of %s may not send messages to this server.", sent))
	}
	return next(req)
}

// allow reports whether the sender of a request may use the MCP server. Programs that
// are no browsers send no Origin.
func (o *Origins) allow(req *request) bool {
	sent := req.r.Header["Origin"]
	if len(sent) == 0 || o.any {
		return true
	}
	origin, ok := canonicalOrigin(sent[0])
	return ok && len(sent) == 1 && (slices.Contains(o.list, origin) || origin == loopbackOrigin(req.r) ||
		slices.Contains(ownOrigins(&req.snapshot.Settings), origin))
}

// loopbackOrigin is the server's own origin where it is asked under a name of the
// loopback, whatever the base address says: who tries a build out gets to it by
// another port. No attacker has a page there.
func loopbackOrigin(r *http.Request) string {
	u := url.URL{Scheme: "http", Host: r.Host}
	if r.TLS != nil {
		u.Scheme = "https"
	}
	host := u.Hostname()
	address, err := netip.ParseAddr(host)
	if !strings.EqualFold(host, "localhost") && (err != nil || !address.IsLoopback()) {
		return ""
	}
	origin, _ := canonicalOrigin(u.String())
	return origin
}

// What scripts of allowed origins may do with the MCP server (Fetch Standard). The
// request headers are those of the protocol's versions, and keys.
var (
	mcpRequestHeaders = "Content-Type, Authorization, X-Api-Key, MCP-Protocol-Version, Mcp-Method, Mcp-Name," +
		" Mcp-Session-Id, Last-Event-ID"
	mcpExposedHeaders = []string{"RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"}
)

// writeHeaders writes what lets an allowed origin read the response.
func (o *Origins) writeHeaders(h http.Header, req *request) {
	h["Vary"] = varyOrigin
	sent := req.r.Header["Origin"]
	switch {
	case o.any:
		h["Access-Control-Allow-Origin"] = anyOrigin
	case len(sent) > 0 && o.allow(req):
		h["Access-Control-Allow-Origin"] = sent
	default:
		return
	}
	h["Access-Control-Expose-Headers"] = mcpExposedHeaders
}

var varyOrigin = []string{"Origin"}
