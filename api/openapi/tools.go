package openapi

import (
	"encoding/json"
	"reflect"

	"catalog.example/api"
	"catalog.example/api/site"
	"github.com/google/jsonschema-go/jsonschema"
)

// SearchInputSchema returns a JSON Schema (2020-12) of the arguments of ToolSearch: an object with
// a property for each parameter that is not NotForTools. Types are the same as in the OpenAPI
// document. What all filters have in common is described only once, in api.SearchToolDescription.
func SearchInputSchema(parameters []api.Parameter) map[string]any {
	properties := map[string]any{}
	for _, p := range parameters {
		if !p.NotForTools {
			schema := parameterSchema(&p)
			schema.Description = p.Description
			properties[p.Name] = keywords(schema)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
}

// keywords returns a schema as a map, so that its JSON has sorted keys.
func keywords(schema *jsonschema.Schema) (members map[string]json.RawMessage) {
	text, err := json.Marshal(schema)
	if err == nil {
		err = json.Unmarshal(text, &members)
	}
	if err != nil { // cannot happen: schemas contain only strings and finite numbers
		panic(err)
	}
	return members
}

// ProjectInputSchema returns a JSON Schema (2020-12) of the arguments of ToolProject: the
// parameter of getProject.
func ProjectInputSchema() *jsonschema.Schema {
	slug := slugSchema()
	slug.Description = "Identifier of the listing, as slug in the hits of " + api.ToolSearch + "."
	return &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{"slug": slug}, Required: []string{"slug"},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
}

// ToolOutputSchema returns a JSON Schema (2020-12) of what a tool returns: a value of the type
// answer, or a problem if the call fails. The schema is short, because it costs tokens in every
// conversation: it names the properties, and describes only those that are easily misread. The
// OpenAPI document has the rest.
func ToolOutputSchema(s *site.Settings, t *api.Taxonomy, answer reflect.Type) (*jsonschema.Schema, error) {
	schema, err := schemas{s, t}.tool(answer)
	if err != nil {
		return nil, err
	}
	failed := &jsonschema.Schema{
		Required:   []string{"code", "detail"},
		Properties: map[string]*jsonschema.Schema{"retryAfter": {Type: "integer", Description: "Seconds."}},
	}
	return &jsonschema.Schema{Type: "object", AnyOf: []*jsonschema.Schema{schema, failed}}, nil
}

// misreadProperties maps properties that are easily misread to their descriptions.
var misreadProperties = map[string]string{
	"stars":        "Attention, not quality.",
	"fitNotes":     "Facts that decide the fit. Null is unknown.",
	"installLinks": "Hand them on; never invent a step.",
}

// tool returns the short schema of a type for ToolOutputSchema.
func (s schemas) tool(t reflect.Type) (*jsonschema.Schema, error) {
	full, err := s.of(t)
	if err != nil {
		return nil, err
	}
	properties := map[string]*jsonschema.Schema{}
	for name, p := range full.Properties {
		if name == "hits" {
			hit, err := s.tool(hitType)
			if err != nil {
				return nil, err
			}
			hit.Type = "object"
			properties[name] = listOf(hit, "")
		} else if text, misread := misreadProperties[name]; misread {
			properties[name] = &jsonschema.Schema{Type: p.Type, Types: p.Types, Description: text}
			if p.Ref != "" {
				properties[name].Type = "object"
			}
		}
	}
	return &jsonschema.Schema{Required: full.Required, Properties: properties, PropertyOrder: full.PropertyOrder}, nil
}
