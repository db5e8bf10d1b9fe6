package content

import (
	"encoding/json"
	"path"
	"reflect"
	"strings"

	"catalog.example/api"
)

// SchemaFile is where the JSON Schema of the front matter lies, below the
// content folder.
const SchemaFile = "listing.schema.json"

// Schema returns a JSON Schema (2020-12) of the front matter, made from the Go
// types and the taxonomy, as indented JSON with a line break at its end.
func Schema(t *api.Taxonomy) ([]byte, error) {
	schema := schemaOf(reflect.TypeFor[FrontMatter]())
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "Listing"
	schema["description"] = "The front matter of a listing. What is left out or null is unknown."
	schema["required"] = []string{"name", "purpose", "category", "repositoryUrl", "addedAt"}

	vocabulary := t.Vocabulary()
	var products []string
	for _, p := range t.Products {
		products = append(products, p.Name)
	}
	properties := schema["properties"].(map[string]any)
	at := func(path ...string) map[string]any {
		node := properties
		for i, key := range path {
			node = node[key].(map[string]any)
			if key != "items" && i+1 < len(path) && path[i+1] != "items" {
				node = node["properties"].(map[string]any)
			}
		}
		return node
	}
	text := func(limit int, path ...string) { n := at(path...); n["minLength"], n["maxLength"] = 1, limit }
	text(maxName, "name")
	text(maxPurpose, "purpose")
	text(maxShort, "language")
	text(maxLicense, "license")
	text(maxShort, "fitNotes", "memoryFor")
	for _, list := range []string{"aliases", "jobs", "topics"} {
		text(maxShort, list, "items")
	}
	text(maxShort, "fitNotes", "caveats", "items")
	at("category")["enum"] = vocabulary.Categories
	at("alsoIn", "items")["enum"] = vocabulary.Categories
	at("platforms", "items")["enum"] = vocabulary.Platforms
	if len(products) > 0 {
		at("replaces", "items")["enum"] = products
	}
	for _, list := range []string{"aliases", "jobs", "topics", "platforms", "alsoIn", "replaces"} {
		at(list)["uniqueItems"] = true
	}
	at("stars")["minimum"], at("stars")["maximum"] = 0, maxStars
	at("fitNotes", "gpu")["enum"] = orNull(api.GPUValues)
	at("fitNotes", "apiKey")["enum"] = orNull(api.APIKeyValues)
	for _, key := range []string{"minRamGb", "recommendedRamGb", "minVramGb", "recommendedVramGb"} {
		at("fitNotes", key)["exclusiveMinimum"] = 0
	}
	for _, key := range []string{"starsAsOf", "addedAt", "createdAt", "updatedAt"} {
		at(key)["format"] = "date"
	}
	link := at("installLinks", "items")
	link["required"] = []string{"kind", "label", "url"}
	linkProperties := link["properties"].(map[string]any)
	linkProperties["kind"].(map[string]any)["enum"] = api.InstallKinds
	for _, address := range []map[string]any{at("repositoryUrl"), at("homepageUrl"), at("docsUrl"), linkProperties["url"].(map[string]any)} {
		address["pattern"], address["maxLength"] = "^https://", maxAddress
	}
	at("sources")["propertyNames"] = map[string]any{"enum": factPaths}

	out, err := json.MarshalIndent(schema, "", "  ")
	return append(out, '\n'), err
}

// schemaComment begins the comment by which front matter leads editors to its
// schema.
const schemaComment = "# yaml-language-server: $schema="

// SchemaLine returns the line of a listing's file, from 1, that leads editors to
// SchemaFile, 0 where none does.
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

func orNull(values []string) []any {
	var list []any
	for _, v := range values {
		list = append(list, v)
	}
	return append(list, nil)
}

// schemaOf returns the schema of a Go type: names from yaml tags, texts from
// doc tags, pointers, lists and mappings may be null.
func schemaOf(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return nullable(schemaOf(t.Elem()))
	case reflect.Slice:
		return nullable(map[string]any{"type": "array", "items": schemaOf(t.Elem())})
	case reflect.Map:
		return nullable(map[string]any{"type": "object", "additionalProperties": schemaOf(t.Elem())})
	case reflect.Struct:
		properties := map[string]any{}
		for i := range t.NumField() {
			f := t.Field(i)
			key := f.Tag.Get("yaml")
			if key == "" {
				continue
			}
			property := schemaOf(f.Type)
			if f.Type.Kind() == reflect.Struct {
				property = nullable(property)
			}
			if doc := f.Tag.Get("doc"); doc != "" {
				property["description"] = strings.ToUpper(doc[:1]) + doc[1:] + "."
			}
			properties[key] = property
		}
		return map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	default:
		return map[string]any{"type": "string"}
	}
}

func nullable(schema map[string]any) map[string]any {
	schema["type"] = []string{schema["type"].(string), "null"}
	return schema
}
