package openapi

import (
	"encoding/json"

	"catalog.example/api"
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

// ProjectInputSchema returns a JSON Schema (2020-12) of the arguments of ToolProject.
func ProjectInputSchema() map[string]any {
	schema := SearchInputSchema(api.ProjectToolParameters)
	slug := slugSchema()
	slug.Description = api.ProjectToolParameters[0].Description
	properties, _ := schema["properties"].(map[string]any)
	properties["slug"] = keywords(slug)
	schema["required"] = []string{"slug"}
	return schema
}
