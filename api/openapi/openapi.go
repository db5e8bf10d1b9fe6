// Package openapi makes the OpenAPI document of a catalogue, and the JSON Schemas of the
// arguments and answers of tools for agents. Both are made from the types and parameters of
// package api, so that they match the server.
package openapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/site"
	"github.com/google/jsonschema-go/jsonschema"
)

// Document returns Describe's description as compact JSON.
func Document(s site.Settings, t *api.Taxonomy) ([]byte, error) {
	d, err := Describe(&s, t)
	if err != nil {
		return nil, fmt.Errorf("make the OpenAPI document: %w", err)
	}
	body, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("encode the OpenAPI document: %w", err)
	}
	return body, nil
}

// Describe returns the OpenAPI 3.1 description of the API.
//
// Parameters come from ListParameters and SearchParameters, their enums from the
// taxonomy, schemas from the Go types, problems from ProblemKinds. With an empty sandbox
// key no key is accepted, and the document has no key and no security scheme. Without a
// search server, it describes the files of the build output.
func Describe(s *site.Settings, t *api.Taxonomy) (*API, error) {
	e := newExamples(s, t)
	d := &API{
		OpenAPI:      "3.1.0",
		Info:         info(s, t),
		Servers:      []map[string]string{{"url": s.BaseURL}},
		Tags:         []map[string]string{{"name": catalogTag, "description": "All operations. The catalogue is read-only."}},
		ExternalDocs: map[string]string{"description": "The interface, explained for people", "url": s.URL("/docs/")},
	}
	for _, o := range operations(s, t, e) {
		o.Tags = []string{catalogTag}
		if s.HasServer() {
			o.Responses = o.responses(e)
		} else {
			o.Responses = o.fileResponses()
		}
		item := PathItem{Get: o}
		if o.server != "" && o.server != s.BaseURL {
			item.Servers = []map[string]string{{"url": o.server}}
		}
		d.Paths.add(o.path, item)
	}
	var err error
	if d.Components.Schemas, err = (schemas{s, t}).components(d.Paths); err != nil || !s.HasServer() {
		return d, err
	}
	d.Components.Headers = componentHeaders(s)
	for _, kind := range commonProblems {
		d.Components.Responses.add(kind.Code, problemResponse(kind, e))
	}
	if s.SandboxKey != "" {
		d.SandboxKey, d.Components.SecuritySchemes = s.SandboxKey, securitySchemes(s)
		// Any of these suffices; the empty one is anonymous access.
		d.Security = []map[string][]string{{}, {bearerScheme: {}}, {headerScheme: {}}}
	}
	return d, nil
}

const (
	catalogTag   = "catalog"
	bearerScheme = "sandboxBearer"
	headerScheme = "sandboxApiKey"
	apiTitle     = "Catalog API"
)

func info(s *site.Settings, t *api.Taxonomy) Info {
	contact := map[string]string{"name": s.Title}
	if email, ok := strings.CutPrefix(s.Contact, "mailto:"); ok {
		contact["email"] = email
	} else if s.Contact != "" {
		contact["url"] = s.Contact
	}
	paragraphs := serverText(s, t)
	if !s.HasServer() {
		paragraphs = fileText(s, t)
	}
	return Info{
		Title: apiTitle, Version: api.InterfaceVersion, Summary: "The public, read-only interface of " + s.Title + ".",
		Description: strings.Join(paragraphs, "\n\n"), Contact: contact,
	}
}

// serverText is the description of the document where there is a search server.
func serverText(s *site.Settings, t *api.Taxonomy) []string {
	return []string{
		s.Description,
		"All operations are reads (GET; HEAD works too, without a body). " +
			"Nothing can be changed through this interface.",
		"Intended use: " + strings.Join(t.Steps("`searchCatalog`", "Call `getProject` for one listing."), " "),
		answerNotes(s),
		allowanceText(s),
		"Errors are problem details (RFC 9457, `application/problem+json`); `code` is stable and `type` leads " +
			"to a page that explains it. An unknown query parameter is ignored, and `warnings` says so. " +
			"A list of values may be joined by commas or repeated (`category=a&category=b`); " +
			"any other parameter given twice is an error.",
		"Answers have a strong `ETag`. Send it back in `If-None-Match`: an unchanged answer is 304 without a body. " +
			"Any origin may read the answers from a browser.",
		"The version of the interface is in the path. " +
			"One deprecation is in force: `sort=trending` is served exactly as `sort=popular`.",
	}
}

// fileText is the description of the document where there is no search server.
func fileText(s *site.Settings, t *api.Taxonomy) []string {
	reads := "All operations are reads (GET) of files: there are no parameters except those in the path, no keys and " +
		"no allowances. Nothing can be changed through this interface, and there is no HTTP search."
	if s.SearchesInBrowser() {
		reads += " The pages search in the browser: " + s.URL("/search/") + " has the parameters `q`, `category` and " +
			"others, and pages offer the tool `" + api.ToolSearch + "` to agents in the browser (WebMCP)."
	}
	return []string{
		s.Description,
		reads,
		"Intended use: " + strings.Join(t.FileSteps(s), " "),
		answerNotes(s),
		"The version of the interface is in the path.",
	}
}

// answerNotes tells agents what to know about answers.
func answerNotes(s *site.Settings) string {
	text := "Send people to `pageUrl`"
	if s.Has("repositoryUrl") {
		text += " and `repositoryUrl`"
	}
	if s.Has("installLinks") {
		text += "; pass on the install links and never invent install steps"
	}
	if s.Has("stars") {
		text += ". Stars measure attention, not quality"
	}
	return text + ". A null fact is unknown, never \"no\"."
}

func allowanceText(s *site.Settings) string {
	text := fmt.Sprintf("Without a key, each client address (an IPv4 address or an IPv6 /64) may send %d requests "+
		"in any 60 seconds.", s.AnonymousPerMinute)
	if s.SandboxKey == "" {
		return text + " No keys are issued: a request with a key is answered 401."
	}
	return text + fmt.Sprintf(" With the public sandbox key `%s`, in `Authorization: Bearer` or `X-Api-Key`, it may "+
		"send %d. Because the key is public, its allowance is counted for each client address, too. An unknown key is "+
		"answered 401: to read without a key, leave the header out.", s.SandboxKey, s.SandboxPerMinute)
}

func securitySchemes(s *site.Settings) map[string]map[string]string {
	description := fmt.Sprintf("Optional. The public sandbox key, `%s`: %d requests in any 60 seconds for each client "+
		"address.", s.SandboxKey, s.SandboxPerMinute)
	return map[string]map[string]string{
		bearerScheme: {"type": "http", "scheme": "bearer", "description": description},
		headerScheme: {"type": "apiKey", "in": "header", "name": "X-Api-Key", "description": description},
	}
}

// QueryParameters describes parameters of the query.
func QueryParameters(parameters []api.Parameter) []Parameter {
	list := make([]Parameter, len(parameters))
	for i, p := range parameters {
		list[i] = Parameter{Name: p.Name, In: "query", Description: p.Text(), Schema: parameterSchema(&p)}
		if p.Kind == api.KindChoices { // name=a&name=b; name=a,b works too
			list[i].Style, list[i].Explode = "form", true
		}
	}
	return list
}

// described returns the parameters that the document describes.
func described(parameters []api.Parameter) []Parameter {
	return QueryParameters(slices.DeleteFunc(slices.Clone(parameters), func(p api.Parameter) bool { return p.Undescribed }))
}

func parameterSchema(p *api.Parameter) *jsonschema.Schema {
	schema := &jsonschema.Schema{Type: "string"}
	switch p.Kind {
	case api.KindInteger:
		schema.Type, schema.Minimum = "integer", new(float64(p.Min))
		if p.HasMax {
			schema.Maximum = new(float64(p.Max))
		}
	case api.KindNumber:
		schema.Type, schema.Minimum, schema.Maximum = "number", p.Least, p.Most
	case api.KindFlag:
		schema.Enum = []any{"0", "1"}
	case api.KindChoice:
		schema.Enum = enumOf(p.Allowed)
	case api.KindChoices:
		*schema = jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string"}, MaxItems: new(api.MaxListValues)}
		if len(p.Allowed) > 0 {
			schema.Items.Enum = enumOf(p.Allowed)
		}
	default:
		schema.MaxLength = new(api.MaxQueryLength)
	}
	if p.Default != nil {
		schema.Default, _ = json.Marshal(p.Default) // a number or a text
	}
	return schema
}
