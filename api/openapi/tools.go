package openapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"catalog.example/api"
	"catalog.example/api/site"
)

// SearchInputSchema returns a JSON Schema (2020-12) of the arguments of ToolSearch
// (contract 8): an object with a property for each parameter except those that are
// NotForTools. Types are those of the OpenAPI document. What filters have in common is in
// api.SearchToolDescription, told once.
func SearchInputSchema(parameters []api.Parameter) map[string]any {
	properties := map[string]any{}
	for _, p := range parameters {
		if p.NotForTools {
			continue
		}
		schema := map[string]any{"description": p.Description}
		for _, m := range parameterSchema(&p) {
			schema[m.name] = m.value
		}
		properties[p.Name] = schema
	}
	return map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
}

// ProjectInputSchema returns a JSON Schema (2020-12) of the arguments of
// ToolProject: the path parameter of getProject (spec 4.2).
func ProjectInputSchema() map[string]any {
	return map[string]any{
		"type": "object",
		"properties": map[string]any{"slug": map[string]any{
			"type": "string", "pattern": api.SlugPattern, "maxLength": api.MaxSlug,
			"description": "Identifier of the listing, as slug in the hits of " + api.ToolSearch + ".",
		}},
		"required": []string{"slug"}, "additionalProperties": false,
	}
}

// ToolOutputSchema returns a JSON Schema (2020-12) of the answer of a tool: a value of
// that type, or a problem if the call fails. It is short, because it costs tokens in every
// conversation: it names the properties, and describes those that are easily misread. The
// OpenAPI document has the rest.
func ToolOutputSchema(s *site.Settings, t *api.Taxonomy, answer reflect.Type) (json.RawMessage, error) {
	schema, err := schemas{s, t}.tool(answer)
	if err != nil {
		return nil, fmt.Errorf("make the schema of a tool's answers: %w", err)
	}
	failed := object{{"required", []string{"code", "detail"}}, {"properties", object{{"retryAfter", object{{"type", "integer"}, {"description", "Seconds."}}}}}}
	return api.JSON(object{{"type", "object"}, {"anyOf", []object{schema, failed}}})
}

// misreadProperties describes properties that are easily misread.
var misreadProperties = map[string]string{
	"stars":        "Attention, not quality.",
	"fitNotes":     "Facts that decide the fit. Null is unknown.",
	"installLinks": "Hand them on; never invent a step.",
}

// tool returns the short schema of a type for ToolOutputSchema.
func (s schemas) tool(t reflect.Type) (object, error) {
	schema, err := s.structSchema(t)
	if err != nil {
		return nil, err
	}
	properties := object{}
	members, _ := memberOf(schema, "properties").(object)
	for _, p := range members {
		full, _ := p.value.(object)
		kind := memberOf(full, "type")
		text, misread := misreadProperties[p.name]
		switch {
		case p.name == "hits":
			hit, err := s.tool(reflect.TypeFor[api.Hit]())
			if err != nil {
				return nil, err
			}
			properties = append(properties, member{p.name, object{{"type", kind}, {"items", append(object{{"type", "object"}}, hit...)}}})
		case misread && kind == nil: // a reference
			properties = append(properties, member{p.name, object{{"type", "object"}, {"description", text}}})
		case misread:
			properties = append(properties, member{p.name, object{{"type", kind}, {"description", text}}})
		}
	}
	return object{{"required", memberOf(schema, "required")}, {"properties", properties}}, nil
}

// memberOf returns the value of a member, or nil.
func memberOf(o object, name string) any {
	if i := slices.IndexFunc(o, func(m member) bool { return m.name == name }); i >= 0 {
		return o[i].value
	}
	return nil
}
