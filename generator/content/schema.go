package content

import (
	"encoding/json"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/openapi"
)

// SchemaFile is the path of the JSON Schema of the front matter, below the content folder.
const SchemaFile = "listing.schema.json"

// Schema returns a JSON Schema (2020-12) of the front matter, made from that of the
// API's project and the taxonomy, as indented JSON with a line break at its end.
func (m *FrontMatter) Schema() ([]byte, error) {
	t := m.taxonomy
	schema, err := openapi.JSONSchema(m.settings, t, reflect.TypeFor[api.ProjectDetail]())
	if err != nil {
		return nil, err
	}
	required := []any{"name", "purpose", "category", "addedAt"}
	if m.Requires("repositoryUrl") {
		required = append(required, "repositoryUrl")
	}
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "Listing"
	schema["description"] = "The front matter of a listing. A value that is left out or null is unknown."
	inFrontMatter(schema, required)
	properties := schema["properties"].(map[string]any)
	maps.DeleteFunc(properties, func(key string, _ any) bool { return !slices.Contains(m.Keys(), key) })
	fitNotes := properties["fitNotes"].(map[string]any)
	inFrontMatter(fitNotes, nil)
	properties["formerly"] = map[string]any{
		"type": []string{"array", "null"}, "description": "Former slugs of the listing: old addresses lead here.", "uniqueItems": true,
		"items": map[string]any{"type": "string", "pattern": api.SlugPattern, "maxLength": api.MaxSlug},
	}
	properties["asks"] = map[string]any{
		"type": []string{"array", "null"}, "description": "Phrases of people who do not know the listing: what they ask for or complain about.", "uniqueItems": true,
		"items": map[string]any{"type": "string", "minLength": 1, "maxLength": maxShort},
	}
	for i := range t.Facts {
		f := &t.Facts[i]
		facts := fitNotes["properties"].(map[string]any)
		if f.Kind == api.FactSetups {
			properties[api.SetupsKey] = setupsSchema(facts[f.Key].(map[string]any), t)
			estimateSchema(properties[api.EstimateKey])
		}
		if !f.IsStated() {
			delete(facts, f.Key)
		}
	}

	// set adds keywords to the schema of a key, or of the entries of a list.
	set := func(in map[string]any, key string, keywords map[string]any) {
		property, ok := in["properties"].(map[string]any)[key].(map[string]any)
		if !ok { // of what listings do not have
			return
		}
		if items, ok := property["items"].(map[string]any); ok && keywords["uniqueItems"] == nil {
			property = items
		}
		maps.Copy(property, keywords)
	}
	text := func(in map[string]any, key string, limit int) {
		set(in, key, map[string]any{"minLength": 1, "maxLength": limit})
	}
	text(schema, "name", maxName)
	text(schema, "purpose", api.MaxPurpose)
	text(schema, "language", maxShort)
	text(schema, "license", maxLicense)
	for _, f := range t.Facts {
		switch f.Kind {
		case api.FactText, api.FactTexts:
			text(fitNotes, f.Key, maxShort)
		case api.FactChoices:
			set(fitNotes, f.Key, map[string]any{"uniqueItems": true})
		}
	}
	for _, list := range []string{"aliases", "jobs", "topics"} {
		text(schema, list, maxShort)
	}
	var categories, platforms, products []string
	for _, c := range t.Categories {
		categories = append(categories, c.Slug)
	}
	for _, p := range t.Platforms {
		platforms = append(platforms, p.Slug)
	}
	for _, p := range t.Products {
		products = append(products, p.Name)
	}
	for key, values := range map[string][]string{"category": categories, "alsoIn": categories, "platforms": platforms, "replaces": products} {
		if len(values) > 0 {
			set(schema, key, map[string]any{"enum": values})
		}
	}
	for _, list := range []string{"aliases", "jobs", "topics", "platforms", "alsoIn", "replaces"} {
		set(schema, list, map[string]any{"uniqueItems": true})
	}
	set(schema, "stars", map[string]any{"maximum": maxStars})
	for _, key := range []string{"repositoryUrl", "homepageUrl", "docsUrl"} {
		set(schema, key, map[string]any{"pattern": "^https://", "maxLength": maxAddress})
	}
	if links, ok := properties["installLinks"].(map[string]any); ok {
		link := links["items"].(map[string]any)
		inFrontMatter(link, []any{"kind", "label", "url"})
		set(link, "url", map[string]any{"pattern": "^https://", "maxLength": maxAddress})
	}
	properties["sources"].(map[string]any)["propertyNames"] = map[string]any{"enum": m.sourceKeys()}

	out, err := json.MarshalIndent(schema, "", "  ")
	return append(out, '\n'), err
}

// setupsSchema returns the schema of setups in front matter from that of the API.
func setupsSchema(schema map[string]any, t *api.Taxonomy) map[string]any {
	setup := schema["items"].(map[string]any)
	inFrontMatter(setup, []any{"for"})
	setup["anyOf"] = []any{}
	for _, key := range []string{"ramGb", "vramGb", "diskGb"} {
		setup["anyOf"] = append(setup["anyOf"].([]any), map[string]any{"required": []string{key}})
	}
	for key, keywords := range map[string]map[string]any{
		"for": {"minLength": 1, "maxLength": maxShort}, "source": {"minLength": 1, "maxLength": maxSource},
		"ramGb": {"minimum": minGb, "maximum": hardware.MaxGb}, "vramGb": {"minimum": minGb, "maximum": hardware.MaxGb}, "diskGb": {"minimum": minGb, "maximum": hardware.MaxDiskGb},
	} {
		maps.Copy(setup["properties"].(map[string]any)[key].(map[string]any), keywords)
	}
	if f := t.Fact(api.GPUVendorsKey); f != nil {
		makers := []any{nil}
		for _, slug := range f.Options() {
			makers = append(makers, slug)
		}
		setup["properties"].(map[string]any)["gpuVendor"].(map[string]any)["enum"] = makers
	}
	var systems []string
	for _, p := range t.Platforms {
		if p.System {
			systems = append(systems, p.Slug)
		}
	}
	if system := setup["properties"].(map[string]any)["system"].(map[string]any); len(systems) > 0 {
		system["uniqueItems"], system["items"].(map[string]any)["enum"] = true, systems
	}
	schema["type"] = []string{"array", "null"}
	return schema
}

// estimateSchema changes the schema of an estimate to that of front matter. It is nil if
// listings have none.
func estimateSchema(schema any) {
	object, ok := schema.(map[string]any)
	if !ok {
		return
	}
	estimate := object["anyOf"].([]any)[0].(map[string]any)
	inFrontMatter(estimate, []any{"because"})
	properties := estimate["properties"].(map[string]any)
	maps.Copy(properties["because"].(map[string]any), map[string]any{"minLength": 1, "maxLength": maxShort})
	steps := []any{nil}
	for _, gb := range hardware.Steps {
		steps = append(steps, gb)
	}
	properties[hardware.DeriveRAM].(map[string]any)["enum"] = steps
	properties[hardware.DeriveVRAM].(map[string]any)["enum"] = slices.Insert(slices.Clone(steps), 1, any(0))
}

// inFrontMatter changes the schema of an answer to one of front matter: only required keys
// must be present, others may be null, and no further keys are allowed.
func inFrontMatter(schema map[string]any, required []any) {
	delete(schema, "required")
	if len(required) > 0 {
		schema["required"] = required
	}
	schema["additionalProperties"] = false
	for key, value := range schema["properties"].(map[string]any) {
		property := value.(map[string]any)
		kind, single := property["type"].(string)
		if !single || slices.Contains(required, any(key)) {
			continue
		}
		property["type"] = []string{kind, "null"}
		if enum, ok := property["enum"].([]any); ok {
			property["enum"] = append(enum, nil)
		}
	}
}

// schemaComment begins the comment that names the schema for editors.
const schemaComment = "# yaml-language-server: $schema="

// SchemaLine returns the line of a listing's file, from 1, that names SchemaFile, or 0.
func (l *Listing) SchemaLine() int {
	line := frontMatterLine
	for text := range strings.Lines(string(l.frontMatter)) {
		if address, ok := strings.CutPrefix(strings.TrimSpace(text), schemaComment); ok && path.Base(address) == SchemaFile {
			return line
		}
		line++
	}
	return 0
}
