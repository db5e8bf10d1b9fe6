package server

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/site"
)

// Origins lists origins (RFC 6454) whose pages may use the MCP server, besides the site's own.
type Origins struct {
	any  bool
	list []string // as canonicalOrigin returns them
}

// ParseOrigins parses origins like "https://app.example", separated by commas, or "*" for all. All
// responses are public and read-only, so "*" only lets other sites use up a visitor's allowance.
// But on a server that only the visitor's machine or network can reach, it lets every site that the
// visitor opens read the catalogue.
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

// canonicalOrigin returns an origin in the form in which origins are compared: in lower case, and
// without the scheme's default port. ok is false unless the text is an http or https origin; "null"
// is not.
func canonicalOrigin(text string) (origin string, ok bool) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || *u != (url.URL{Scheme: u.Scheme, Host: u.Host}) {
		return "", false
	}
	return originOf(u)
}

// originOf returns the origin of an address.
func originOf(u *url.URL) (origin string, ok bool) {
	if u.Scheme != "http" && u.Scheme != "https" {
		return "", false
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	isDefault := u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443"
	if port != "" && !isDefault {
		host += ":" + port
	}
	return u.Scheme + "://" + host, true
}

// ownOrigins returns the origins of a site's pages and of its search server, which may differ.
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

// checkOrigin refuses requests from pages that may not use the MCP server, as the protocol requires
// (MCP, transports, security warning). A page of another site must not reach a server on its
// visitor's network, not even through a host name that resolves to that server (DNS rebinding).
func (s *Server) checkOrigin(req *request, next handler) (*response, error) {
	if !s.o.MCPOrigins.allow(req) {
		sent := shorten(strings.Join(req.r.Header["Origin"], ", "))
		return nil, api.NewProblem(api.OriginRefused,
			fmt.Sprintf("Pages of %s may not send messages to this server.", sent))
	}
	return next(req)
}

// allow reports whether the sender of a request may use the MCP server. Only browsers send Origin,
// so a request without it is allowed.
func (o *Origins) allow(req *request) bool {
	sent := req.r.Header["Origin"]
	if len(sent) == 0 || o.any {
		return true
	}
	origin, ok := canonicalOrigin(sent[0])
	return ok && len(sent) == 1 && (slices.Contains(o.list, origin) || origin == loopbackOrigin(req.r) ||
		slices.Contains(ownOrigins(&req.snapshot.Settings), origin))
}

// loopbackOrigin returns the server's own origin if the request is to a loopback address, and ""
// otherwise. People who try out a build open it at such an address, whatever its base address is.
// No attacker has a page there.
func loopbackOrigin(r *http.Request) string {
	u := url.URL{Scheme: "http", Host: r.Host}
	if r.TLS != nil {
		u.Scheme = "https"
	}
	if !api.IsLoopback(strings.ToLower(u.Hostname())) {
		return ""
	}
	origin, _ := canonicalOrigin(u.String())
	return origin
}

// mcpRequestHeaders lists the headers that scripts of allowed origins may send to the MCP server:
// those of all versions of the protocol, and those for keys.
const mcpRequestHeaders = "Content-Type, Authorization, X-Api-Key, MCP-Protocol-Version, Mcp-Method, Mcp-Name," +
	" Mcp-Session-Id, Last-Event-ID"

// writeHeaders writes the headers that let scripts of an allowed origin read the response (Fetch
// Standard).
func (o *Origins) writeHeaders(req *request) {
	req.put("Vary", "Origin")
	origin := req.r.Header.Get("Origin")
	if o.any {
		origin = "*"
	} else if origin == "" || !o.allow(req) {
		return
	}
	req.put("Access-Control-Allow-Origin", origin)
	req.put("Access-Control-Expose-Headers", "RateLimit, RateLimit-Policy, Retry-After, X-Request-Id")
}
