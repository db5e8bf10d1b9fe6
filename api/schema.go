package api

import (
	"fmt"
	"strings"
)

// SearchInputSchema returns a JSON Schema (2020-12) of the search parameters,
// all of them, for tools that agents call (contract 8): an object whose
// properties are the parameters.
func SearchInputSchema(t *Taxonomy) map[string]any {
	vocabulary := t.Vocabulary()
	properties := map[string]any{}
	for _, p := range SearchParameters {
		s := map[string]any{"type": "string", "description": p.Description}
		switch p.Kind {
		case KindText:
			s["maxLength"] = MaxQueryLength
		case KindInteger:
			s["type"], s["minimum"] = "integer", p.Min
			if p.HasMax {
				s["maximum"] = p.Max
			}
			s["default"] = p.Default
		case KindFlag:
			s["enum"] = []string{"0", "1"}
		case KindChoice:
			s["enum"] = p.Allowed
		case KindChoices:
			switch p.Name {
			case "category":
				s["description"] = fmt.Sprintf("%s One of: %s.", p.Description, strings.Join(vocabulary.Categories, ", "))
			case "platform":
				s["description"] = fmt.Sprintf("%s One of: %s.", p.Description, strings.Join(vocabulary.Platforms, ", "))
			}
		}
		properties[p.Name] = s
	}
	return map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
}
