package api

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// SearchInputSchema returns a JSON Schema (2020-12) of the search parameters,
// all of them, for tools that agents call (contract 8): an object whose
// properties are the parameters, of the types that the OpenAPI document gives
// them.
func SearchInputSchema(t *Taxonomy) map[string]any {
	properties := map[string]any{}
	for _, p := range SearchParameters {
		s := map[string]any{"description": p.Description}
		for _, m := range parameterSchema(p, t) {
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
			"type": "string", "pattern": slugPattern, "maxLength": maxSlugLength,
			"description": "Identifier of the listing, as slug in the hits of " + ToolSearch + ".",
		}},
		"required": []string{"slug"}, "additionalProperties": false,
	}
}

// ToolOutputSchema returns a JSON Schema (2020-12) of what a tool answers with: a
// value of that type, which is one of the OpenAPI document's components or is
// made of them, or, where the call fails, a value of the type of problem. Its
// text is short, because agents pay for it: properties are described where their
// names do not tell what they mean.
func ToolOutputSchema(answer, problem reflect.Type) (json.RawMessage, error) {
	defs := object{}
	var names []string
	var add func(t reflect.Type) error
	add = func(t reflect.Type) error {
		if slices.Contains(names, t.Name()) {
			return nil
		}
		names = append(names, t.Name())
		schema, err := structSchema(t)
		if err != nil {
			return err
		}
		defs = append(defs, member{t.Name(), forTools(schema)})
		for _, f := range reflect.VisibleFields(t) {
			of := f.Type
			for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
				of = of.Elem()
			}
			if !f.Anonymous && of.Kind() == reflect.Struct {
				if err := add(of); err != nil {
					return err
				}
			}
		}
		return nil
	}
	either := make([]object, 2)
	for i, t := range []reflect.Type{answer, problem} {
		if err := add(t); err != nil {
			return nil, fmt.Errorf("make the schema of a tool's answers: %w", err)
		}
		either[i] = object{{"$ref", defsPrefix + t.Name()}}
	}
	return JSON(object{{"type", "object"}, {"anyOf", either}, {"$defs", defs}})
}

const (
	componentsPrefix = "#/components/schemas/"
	defsPrefix       = "#/$defs/"
)

// toldByTools are the properties that keep their descriptions in the schemas of
// tools: what is easily misread.
var toldByTools = []string{"stars", "fitNotes", "installLinks", "caveats", "memoryFor", "tier", "partial", "retryAfter"}

// forTools returns a component's schema with references as they are within a
// schema of its own, and without what only readers of documentation want.
func forTools(schema object) object {
	var short func(value any, described bool) any
	short = func(value any, described bool) any {
		switch v := value.(type) {
		case object:
			list := object{}
			for _, m := range v {
				switch name, isText := m.value.(string); {
				case m.name == "$ref" && isText:
					list = append(list, member{m.name, defsPrefix + strings.TrimPrefix(name, componentsPrefix)})
				case m.name == "properties":
					properties, _ := m.value.(object)
					kept := object{}
					for _, p := range properties {
						kept = append(kept, member{p.name, short(p.value, slices.Contains(toldByTools, p.name))})
					}
					list = append(list, member{m.name, kept})
				case m.name == "description" && isText && !described, m.name == "format", m.name == "pattern", m.name == "maxLength", m.name == "minimum":
				default:
					list = append(list, member{m.name, short(m.value, described)})
				}
			}
			return list
		case []any:
			list := make([]any, len(v))
			for i, e := range v {
				list[i] = short(e, described)
			}
			return list
		}
		return value
	}
	done, _ := short(schema, false).(object)
	return done
}
