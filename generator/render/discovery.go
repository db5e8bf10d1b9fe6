package render

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"

	"catalog.example/api"
	"catalog.example/api/headers"
	"catalog.example/api/openapi"
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
// know only the host find the JSON API and the MCP endpoint, if there is one.
func (r *renderer) apiCatalog() error {
	s := &r.Settings
	root := api.Address(s, api.PathIndex)
	guide := linkTarget{s.URL("/llms.txt"), "text/plain", "Guide for agents"}
	list := linkContext{Anchor: s.URL(headers.PathAPICatalog), Item: []linkTarget{{root, "application/json", "JSON API"}}}
	files := linkContext{
		Anchor:      root,
		ServiceDesc: []linkTarget{{api.Address(s, api.PathOpenAPI), "application/json", "OpenAPI 3.1"}},
		ServiceDoc: []linkTarget{
			{s.URL("/docs/"), "text/html", ""}, {s.URL("/docs/" + markdownFile), "text/markdown", ""}, guide,
		},
	}
	contexts := []linkContext{list, files}
	if s.HasServer() { // which has a status; static files have none
		tools := s.SearchBase() + "/mcp"
		contexts[0].Item = append(contexts[0].Item, linkTarget{tools, "", "Model Context Protocol (Streamable HTTP)"})
		contexts[1].Status = []linkTarget{{s.SearchBase() + "/healthz", "text/plain", ""}}
		contexts = append(contexts, linkContext{Anchor: tools, ServiceDoc: []linkTarget{guide}})
	}
	text, err := json.Marshal(linkset{contexts})
	if err != nil {
		return fmt.Errorf("%s: %w", headers.PathAPICatalog, err)
	}
	return r.write(headers.PathAPICatalog[1:], text)
}

func (r *renderer) openAPI() error {
	doc, err := openapi.Document(r.Settings, &r.Content.Taxonomy)
	if err != nil {
		return fmt.Errorf("OpenAPI document: %w", err)
	}
	return r.file("api/v1/openapi.json", doc)
}

// openSearchDescription is a description in OpenSearch 1.1, with which browsers add a site
// to their search engines.
type openSearchDescription struct {
	XMLName       xml.Name            `xml:"http://a9.com/-/spec/opensearch/1.1/ OpenSearchDescription"`
	ShortName     string              `xml:"ShortName"`
	Description   string              `xml:"Description"`
	Language      string              `xml:"Language"`
	InputEncoding string              `xml:"InputEncoding"`
	Image         openSearchImage     `xml:"Image"`
	URLs          []openSearchAddress `xml:"Url"`
}

type openSearchImage struct {
	Width  int    `xml:"width,attr"` // in pixels, as Height
	Height int    `xml:"height,attr"`
	Type   string `xml:"type,attr"`
	Href   string `xml:",chardata"`
}

type openSearchAddress struct {
	Type     string `xml:"type,attr"`
	Method   string `xml:"method,attr,omitempty"`
	Rel      string `xml:"rel,attr"`
	Template string `xml:"template,attr"`
}

// The longest texts that OpenSearch 1.1 allows, in characters.
const (
	maxShortName              = 16
	maxOpenSearchDescription  = 1024
	openSearchPath            = "/opensearch.xml"
	manifestPath              = "/site.webmanifest"
	openSearchDescriptionType = "application/opensearchdescription+xml"
)

func (r *renderer) openSearch() error {
	return r.marshalXML(openSearchPath, openSearchDescription{
		ShortName: shortened(r.Settings.Title, maxShortName), Description: shortened(r.Settings.Description, maxOpenSearchDescription), Language: r.Settings.Lang, InputEncoding: "UTF-8",
		Image: openSearchImage{faviconSize, faviconSize, "image/x-icon", r.Settings.URL("/favicon.ico")},
		URLs: []openSearchAddress{
			{"text/html", "get", "results", r.Settings.URL("/search/?q={searchTerms}")},
			{openSearchDescriptionType, "", "self", r.Settings.URL(openSearchPath)},
		},
	})
}

// shortened returns the first words of a text that fit into maxLength characters, or the
// beginning of the first word if it is longer.
func shortened(text string, maxLength int) string {
	characters := []rune(text)
	if len(characters) <= maxLength {
		return text
	}
	cut := string(characters[:maxLength+1])
	if i := strings.LastIndexByte(cut, ' '); i > 0 {
		return strings.TrimRight(cut[:i], " ,;:-–")
	}
	return string(characters[:maxLength])
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

func (r *renderer) manifest() error {
	home := r.view.Base + "/"
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	// Pages need the browser's address line and back button.
	err := enc.Encode(webManifest{
		Name: r.Settings.Title, ShortName: shortened(r.Settings.Title, maxShortName), Description: r.Settings.Description, Lang: r.view.Lang, Dir: r.view.Dir,
		ID: home, StartURL: home, Scope: home, Display: "browser", Icons: []manifestIcon{{home + r.view.Icon, "any", "image/svg+xml"}},
	})
	if err != nil {
		return fmt.Errorf("%s: %w", manifestPath, err)
	}
	return r.write(strings.TrimPrefix(manifestPath, "/"), bytes.TrimSuffix(out.Bytes(), []byte("\n")))
}
