package openapi

import (
	"cmp"
	"encoding/json"
	"slices"

	"catalog.example/api"
	"github.com/google/jsonschema-go/jsonschema"
)

// InputSchema returns a JSON Schema (2020-12) of the arguments of a tool for agents: an object with a property
// for each parameter that is not NotForTools. Types are the same as in the OpenAPI document. What all filters
// have in common is described only once, in the tool's description. Each token of the schema is paid for in
// every conversation, so bounds that only the server needs are left out, and the sort that is deprecated.
// Other properties are not forbidden: the server takes other names of its parameters (api.RightNames).
func InputSchema(t *api.Tool) map[string]any {
	properties := map[string]any{}
	for _, p := range t.Parameters {
		if !p.NotForTools {
			schema := parameterSchema(&p)
			schema.Description, schema.MaxItems, schema.MaxLength = cmp.Or(p.Short, p.Description), nil, nil
			schema.Enum = slices.DeleteFunc(schema.Enum, isTrending)
			if p.Kind == api.KindNumber {
				schema.Minimum, schema.Maximum = nil, nil
			}
			properties[p.Name] = keywords(schema)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties}
	if t.Required != "" {
		schema["required"] = []string{t.Required}
	}
	return schema
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
