package headers

import (
	"strings"

	"catalog.example/api"
	"catalog.example/api/site"
)

// PathAPICatalog is the path of the list of a host's APIs (RFC 9727, section 2), and
// TypeAPICatalog its content type (section 4).
const (
	PathAPICatalog = "/.well-known/api-catalog"
	TypeAPICatalog = `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`
)

// Where agents find the search server.
const (
	WellKnown         = "/.well-known/"
	PathAICatalog     = WellKnown + "ai-catalog.json"      // an AI Catalog
	PathServerCard    = WellKnown + "mcp/server-card.json" // the MCP Server Card
	PathRegistryEntry = WellKnown + "mcp/server.json"      // the entry for registries of MCP servers
	SkillsFolder      = ".well-known/agent-skills/"        // Agent Skills Discovery

	TypeAICatalog  = "application/ai-catalog+json"
	TypeServerCard = "application/mcp-server-card+json"
)

// IsWellKnown reports whether a file of the build output is one that programs of any site may read
// because they look for it there (RFC 8615).
func IsWellKnown(name string) bool { return strings.HasPrefix(name, WellKnown[1:]) }

// Links returns the value of the Link header (RFC 8288) of the home page and of unknown
// endpoints. It links to the descriptions of the API (RFC 8631) and the list of APIs (RFC
// 9727), with absolute addresses. No two links have the same relation: some readers keep only the last.
func Links(s *site.Settings) string {
	return `<` + api.Address(s, api.PathOpenAPI) + `>; rel="service-desc"; type="application/json", ` +
		`<` + s.URL("/docs/") + `>; rel="service-doc"; type="text/html", ` +
		`<` + s.URL("/llms.txt") + `>; rel="describedby"; type="text/plain", ` +
		`<` + s.URL(PathAPICatalog) + `>; rel="api-catalog"`
}
