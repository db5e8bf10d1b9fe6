// Package openapi makes the OpenAPI document of a catalogue, and the JSON Schemas of the arguments
// and answers of tools for agents. Both are derived from the types and parameters of package api,
// so that they match the server.
package openapi

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"catalog.example/api"
	"catalog.example/api/site"
	"github.com/google/jsonschema-go/jsonschema"
)

// Document returns the description of the API (see Describe) as compact JSON.
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
		ExternalDocs: map[string]string{"description": "The interface, explained for people", "url": s.URL("/docs/")},
		Tags: []map[string]string{
			{"name": catalogTag, "description": tagDescription(s)},
		},
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

// tagDescription describes all operations. It says what the names of operations and objects call a project.
func tagDescription(s *site.Settings) string {
	const all = "All operations. The catalogue is read-only."
	if s.IsSoftware() {
		return all
	}
	return all + " A project is one of its listings."
}

func info(s *site.Settings, t *api.Taxonomy) Info {
	contact := map[string]string{"name": s.Title}
	if email, ok := strings.CutPrefix(s.Contact, "mailto:"); ok {
		contact["email"] = email
	} else if s.Contact != "" {
		contact["url"] = s.Contact
	}
	return Info{
		Title: apiTitle, Version: api.InterfaceVersion, Summary: "The public, read-only interface of " + s.Title + ".",
		Description: description(s, t), Contact: contact,
	}
}

//go:embed description.md
var descriptionText string

// descriptionTemplate is the template of the description. The lines of each paragraph are
// joined into one line.
var descriptionTemplate = template.Must(template.New("description.md").Parse(
	regexp.MustCompile(`([^\n}])\n([^\n])`).ReplaceAllString(descriptionText, "$1 $2")))

// description returns the description of the document: paragraphs.
func description(s *site.Settings, t *api.Taxonomy) string {
	steps := t.FileSteps(s)
	if s.HasServer() {
		steps = t.Steps(s, "`searchCatalog`", "Call `getProject` for one listing.")
	}
	var text strings.Builder
	err := descriptionTemplate.Execute(&text, struct {
		*site.Settings
		Steps, Tool string
	}{s, strings.Join(steps, " "), api.ToolSearch})
	if err != nil { // cannot happen: a strings.Builder never fails, and all fields of the template exist
		panic(err)
	}
	return strings.TrimSpace(text.String())
}

func securitySchemes(s *site.Settings) map[string]map[string]string {
	description := fmt.Sprintf("Optional. The public sandbox key, `%s`: %d requests in any 60 seconds for each client "+
		"address.", s.SandboxKey, s.SandboxPerMinute)
	return map[string]map[string]string{
		bearerScheme: {"type": "http", "scheme": "bearer", "description": description},
		headerScheme: {"type": "apiKey", "in": "header", "name": "X-Api-Key", "description": description},
	}
}

// QueryParameters describes query parameters.
func QueryParameters(parameters []api.Parameter) []Parameter {
	list := make([]Parameter, len(parameters))
	for i, p := range parameters {
		list[i] = Parameter{Name: p.Name, In: "query", Description: p.Text(), Schema: parameterSchema(&p)}
		if p.Kind == api.KindChoices { // name=a&name=b; the server also accepts name=a,b
			list[i].Style, list[i].Explode = "form", true
		}
	}
	return list
}

// described describes the query parameters that the document shows, which are not Undescribed.
func described(parameters []api.Parameter) []Parameter {
	isHidden := func(p api.Parameter) bool { return p.Undescribed }
	return QueryParameters(slices.DeleteFunc(slices.Clone(parameters), isHidden))
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
	case api.KindDate:
		schema.Pattern = api.DatePattern
	case api.KindPlace:
		schema.Pattern = api.PlacePattern
	case api.KindFlag:
		schema.Enum = []any{"0", "1"}
	case api.KindChoice:
		schema.Enum = enumOf(p.Allowed)
	case api.KindChoices:
		schema = listOf(&jsonschema.Schema{Type: "string", Enum: enumOf(p.Allowed)}, "")
		schema.MaxItems = new(api.MaxListValues)
	default:
		schema.MaxLength = new(api.MaxQueryLength)
	}
	if p.Default != nil {
		schema.Default, _ = json.Marshal(p.Default) // a number or a string: cannot fail
	}
	return schema
}
