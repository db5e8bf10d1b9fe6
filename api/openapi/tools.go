package openapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"catalog.example/api"

	"catalog.example/api/site"
)

// SearchInputSchema returns a JSON Schema (2020-12) of the search parameters for
// tools that agents call (contract 8), but those that tools do not have: an object
// whose properties are the parameters, of the types that the OpenAPI document
// gives them.
func SearchInputSchema(parameters []api.Parameter) map[string]any {
	properties := map[string]any{}
	for _, p := range parameters {
		if p.NotForTools {
			continue
		}
		s := map[string]any{"description": p.Description}
		for _, m := range parameterSchema(&p) {
			s[m.name] = m.value
		}
		properties[p.Name] = s
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

// ToolOutputSchema returns a JSON Schema (2020-12) of what a tool answers with: a
// value of that type or, where the call fails, a problem. It is short, because agents
// pay for it with each conversation: it names the properties, and describes those whose
// names are easily misread. The OpenAPI document has the rest.
func ToolOutputSchema(s *site.Settings, t *api.Taxonomy, answer reflect.Type) (json.RawMessage, error) {
	schema, err := schemas{s, t}.tool(answer)
	if err != nil {
		return nil, fmt.Errorf("make the schema of a tool's answers: %w", err)
	}
	failed := object{{"required", []string{"code", "detail"}}, {"properties", object{{"retryAfter", object{{"type", "integer"}, {"description", "Seconds."}}}}}}
	return api.JSON(object{{"type", "object"}, {"anyOf", []object{schema, failed}}})
}

// toldByTools says what is easily misread.
var toldByTools = map[string]string{
	"stars":        "Attention, not quality.",
	"fitNotes":     "Facts that decide the fit. Null is unknown.",
	"installLinks": "Hand them on; never invent a step.",
}

// tool returns what tools tell of a type: the names of its properties, and more about
// some.
func (s schemas) tool(t reflect.Type) (object, error) {
	schema, err := s.structSchema(t)
	if err != nil {
		return nil, err
	}
	told := object{}
	members, _ := memberOf(schema, "properties").(object)
	for _, p := range members {
		whole, _ := p.value.(object)
		kind := memberOf(whole, "type")
		text, misread := toldByTools[p.name]
		switch {
		case p.name == "hits":
			hit, err := s.tool(reflect.TypeFor[api.Hit]())
			if err != nil {
				return nil, err
			}
			told = append(told, member{p.name, object{{"type", kind}, {"items", append(object{{"type", "object"}}, hit...)}}})
		case misread && kind == nil: // a reference
			told = append(told, member{p.name, object{{"type", "object"}, {"description", text}}})
		case misread:
			told = append(told, member{p.name, object{{"type", kind}, {"description", text}}})
		}
	}
	return object{{"required", memberOf(schema, "required")}, {"properties", told}}, nil
}

// memberOf returns the value of a member, or nil.
func memberOf(o object, name string) any {
	if i := slices.IndexFunc(o, func(m member) bool { return m.name == name }); i >= 0 {
		return o[i].value
	}
	return nil
}
