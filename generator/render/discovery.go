package render

import (
	"encoding/json"
	"fmt"

	"catalog.example/api"
	"catalog.example/api/headers"
)

// linkset is a set of links in JSON (RFC 9264, section 4.2).
type linkset struct {
	Linkset []linkContext `json:"linkset"`
}

// linkContext has the links of one resource, by relation.
type linkContext struct {
	Anchor      string       `json:"anchor"`
	Item        []linkTarget `json:"item,omitempty"`         // RFC 6573: an endpoint of an API
	ServiceDesc []linkTarget `json:"service-desc,omitempty"` // RFC 8631: for programs
	ServiceDoc  []linkTarget `json:"service-doc,omitempty"`  // RFC 8631: for readers
	Status      []linkTarget `json:"status,omitempty"`       // RFC 8631
}

type linkTarget struct {
	Href  string `json:"href"`
	Type  string `json:"type,omitempty"`
	Title string `json:"title,omitempty"`
}

// apiCatalog writes the catalog of the site's APIs (RFC 9727), with which programs that
// know only the host find the JSON API and the MCP endpoint.
func (r *renderer) apiCatalog() error {
	s := &r.Settings
	root, tools := s.URL("/api/v1/"), s.SearchBase()+"/mcp"
	guide := linkTarget{s.URL("/llms.txt"), "text/plain", "Guide for agents"}
	catalog := linkset{[]linkContext{
		{Anchor: s.URL(headers.PathAPICatalog), Item: []linkTarget{{root, "application/json", "JSON API"}, {tools, "", "Model Context Protocol (Streamable HTTP)"}}},
		{
			Anchor:      root,
			ServiceDesc: []linkTarget{{s.URL(api.PathOpenAPI), "application/json", "OpenAPI 3.1"}},
			ServiceDoc: []linkTarget{
				{s.URL("/docs/"), "text/html", ""}, {s.URL("/docs/" + markdownFile), "text/markdown", ""}, guide,
			},
			// Static files have no status; the search server has.
			Status: []linkTarget{{s.SearchBase() + "/healthz", "text/plain", ""}},
		},
		{Anchor: tools, ServiceDoc: []linkTarget{guide}},
	}}
	text, err := json.Marshal(catalog)
	if err != nil {
		return fmt.Errorf("%s: %w", headers.PathAPICatalog, err)
	}
	return r.write(headers.PathAPICatalog[1:], text)
}
