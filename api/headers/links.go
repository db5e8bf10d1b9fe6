package headers

import (
	"catalog.example/api"
	"catalog.example/api/site"
)

// PathAPICatalog is the path of the list of a host's APIs (RFC 9727, section 2), and
// TypeAPICatalog its content type (section 4).
const (
	PathAPICatalog = "/.well-known/api-catalog"
	TypeAPICatalog = `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`
)

// Links returns the value of the Link header (RFC 8288) of the home page and of unknown
// endpoints. It links to the descriptions of the API (RFC 8631) and the list of APIs (RFC
// 9727), with absolute addresses.
func Links(s *site.Settings) string {
	return `<` + api.Address(s, api.PathOpenAPI) + `>; rel="service-desc"; type="application/json", ` +
		`<` + s.URL("/docs/") + `>; rel="service-doc"; type="text/html", ` +
		`<` + s.URL("/llms.txt") + `>; rel="service-doc describedby"; type="text/plain", ` +
		`<` + s.URL(PathAPICatalog) + `>; rel="api-catalog"`
}
