package page

import (
	"fmt"
	"io/fs"
	"strings"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/api/openapi"
	"catalog.example/generator/render"
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

// discovery writes the files that help programs and browsers find the site.
type discovery struct{ *catalog }

// apiCatalog writes the linkset of api-catalog (RFC 9727). Programs that know only the host use it
// to find the JSON API and, if there is one, the MCP endpoint.
func (s discovery) apiCatalog() error {
	set := &s.Settings
	root := api.Address(set, api.PathIndex)
	guide := linkTarget{set.URL("/llms.txt"), "text/plain", "Guide for agents"}
	list := linkContext{
		Anchor: set.URL(headers.PathAPICatalog), Item: []linkTarget{{root, "application/json", "JSON API"}},
	}
	files := linkContext{
		Anchor:      root,
		ServiceDesc: []linkTarget{{api.Address(set, api.PathOpenAPI), "application/json", "OpenAPI 3.1"}},
		ServiceDoc: []linkTarget{
			{set.URL("/docs/"), "text/html", ""}, {set.URL("/docs/" + render.MarkdownFile), "text/markdown", ""}, guide,
		},
	}
	contexts := []linkContext{list, files}
	if set.HasServer() { // only a server has a status endpoint
		tools := set.SearchBase() + "/mcp"
		contexts[0].Item = append(contexts[0].Item, linkTarget{tools, "", "Model Context Protocol (Streamable HTTP)"})
		contexts[1].Status = []linkTarget{{set.SearchBase() + "/healthz", "text/plain", ""}}
		contexts = append(contexts, linkContext{Anchor: tools, ServiceDoc: []linkTarget{guide}})
	}
	return s.writeJSON(headers.PathAPICatalog[1:], linkset{contexts})
}

func (s discovery) openAPI() error {
	doc, err := openapi.Document(s.Settings, &s.Content.Taxonomy)
	if err != nil {
		return fmt.Errorf("OpenAPI document: %w", err)
	}
	text, err := s.Minify("openapi.json", doc)
	if err != nil {
		return err
	}
	return s.write("api/v1/openapi.json", text)
}

// The longest texts that OpenSearch 1.1 allows, in characters.
const (
	maxShortName             = 16
	maxOpenSearchDescription = 1024
)

// openSearch writes an OpenSearch 1.1 description, which browsers use to add the site to their
// search engines.
func (s discovery) openSearch() error {
	return s.writeXML(render.OpenSearchPath, "opensearch.xml", struct{ ShortName, Description, Lang string }{
		render.Shortened(s.Settings.Title, maxShortName),
		render.Shortened(s.Settings.Description, maxOpenSearchDescription), s.Settings.Lang,
	})
}

// webManifest is a web application manifest (W3C).
type webManifest struct {
	Name        string         `json:"name"`
	ShortName   string         `json:"short_name"`
	Description string         `json:"description,omitempty"`
	Lang        string         `json:"lang"`
	Dir         string         `json:"dir,omitempty"`
	ID          string         `json:"id"`
	StartURL    string         `json:"start_url"`
	Scope       string         `json:"scope"`
	Display     string         `json:"display"`
	Icons       []manifestIcon `json:"icons"`
}

type manifestIcon struct {
	Src   string `json:"src"`
	Sizes string `json:"sizes"`
	Type  string `json:"type"`
}

func (s discovery) webManifest() error {
	home := s.View.Base + "/"
	// Pages need the browser's address line and back button.
	return s.writeJSON(strings.TrimPrefix(render.ManifestPath, "/"), webManifest{
		Name: s.Settings.Title, ShortName: render.Shortened(s.Settings.Title, maxShortName),
		Description: s.Settings.Description, Lang: s.View.Lang, Dir: s.View.Dir,
		ID: home, StartURL: home, Scope: home, Display: "browser",
		Icons: []manifestIcon{{home + s.View.Icon, "any", "image/svg+xml"}},
	})
}

// favicon writes the icon that browsers request if a page does not name one.
func (s discovery) favicon() error {
	icon, err := fs.ReadFile(s.Site.Templates, "assets/favicon.ico")
	if err != nil {
		return fmt.Errorf("templates: %w", err)
	}
	return s.write("favicon.ico", icon)
}

const securityTextPath = ".well-known/security.txt"

// hasSecurityText reports whether there is a security.txt. There is one if the settings name a
// contact and a listing has a date.
func (s discovery) hasSecurityText() bool { return s.Settings.Contact != "" && s.latest != "" }

// securityText writes security.txt (RFC 9116), which expires a year after the latest date of any
// fact. It does not use the clock, because no file may depend on the clock.
func (s discovery) securityText() error {
	expires := api.DateOf(s.latest.Time().AddDate(1, 0, 0))
	return s.write(securityTextPath, fmt.Appendf(nil, `Contact: %s
Expires: %sT00:00:00Z
Preferred-Languages: %s
Canonical: %s
`, s.Settings.Contact, expires, s.Settings.Lang, s.Settings.URL("/"+securityTextPath)))
}
