package headers

import (
	"catalog.example/api"
	"catalog.example/api/site"
)

// PathAPICatalog is where programs that know only a host find its APIs (RFC 9727,
// section 2), and TypeAPICatalog what is there (section 4).
const (
	PathAPICatalog = "/.well-known/api-catalog"
	TypeAPICatalog = `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`
)

// Links returns the value of the Link header (RFC 8288) that leads from
// the home page, and from what is no endpoint, to the description of the API (RFC
// 8631) and to the catalog of APIs (RFC 9727). Addresses are absolute.
func Links(s *site.Settings) string {
	return `<` + s.URL(api.PathOpenAPI) + `>; rel="service-desc"; type="application/json", ` +
		`<` + s.URL("/docs/") + `>; rel="service-doc"; type="text/html", ` +
		`<` + s.URL("/llms.txt") + `>; rel="service-doc"; type="text/plain", ` +
		`<` + s.URL(PathAPICatalog) + `>; rel="api-catalog"`
}
