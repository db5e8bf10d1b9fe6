package content

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/site"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

var updateSchema = flag.Bool("update-schema", false, "write the JSON Schema of the shipped content anew")

const shippedContent = "../../content"

func loadShipped(t *testing.T) *Content {
	t.Helper()
	c, _, err := Load(context.Background(), Options{Dir: shippedContent, Settings: site.Defaults(), Jobs: 2, Today: api.DateOf(time.Now())})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The schema beside the shipped listings is the one that the types and the
// taxonomy give.
func TestSchemaIsCurrent(t *testing.T) {
	want, err := loadShipped(t).FrontMatter.Schema()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(shippedContent, SchemaFile)
	if *updateSchema {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Errorf("%s is not current; run: make schema", file)
	}
}

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(shippedContent, SchemaFile))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("listing.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("listing.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// asJSON reads front matter as an editor does that validates by the schema.
func asJSON(t *testing.T, frontMatter string) any {
	t.Helper()
	var value any
	if err := yaml.Load([]byte(frontMatter), &value); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(withDays(value))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// withDays writes times as days: YAML reads 2026-01-01 as a time.
func withDays(value any) any {
	switch v := value.(type) {
	case time.Time:
		return v.Format(time.DateOnly)
	case map[string]any:
		for key := range v {
			v[key] = withDays(v[key])
		}
	case []any:
		for i := range v {
			v[i] = withDays(v[i])
		}
	}
	return value
}

func TestSchemaAcceptsTheShippedListings(t *testing.T) {
	schema := compileSchema(t)
	files, err := filepath.Glob(filepath.Join(shippedContent, "projects", "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parts, message := splitFrontMatter(text)
		if message != "" {
			t.Fatalf("%s: %s", file, message)
		}
		if err := schema.Validate(asJSON(t, string(parts.frontMatter))); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if !strings.HasPrefix(string(parts.frontMatter), "# yaml-language-server: $schema=../"+SchemaFile+"\n") {
			t.Errorf("%s: the line that leads editors to the schema is missing", file)
		}
	}
}

func TestSchemaRefusesMistakes(t *testing.T) {
	schema := compileSchema(t)
	const good = "name: A\npurpose: Does a thing.\ncategory: chat-interfaces\nrepositoryUrl: https://forge.example/a\naddedAt: 2026-01-01\n"
	if err := schema.Validate(asJSON(t, good)); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{
		"nonsense: 1", "stars: many", "stars: -1", "stars: 10000001", "language: ''", "license: LicenseRef-" + strings.Repeat("a", 110), "jobs: ['']", "license: 5", "platforms: [amiga]", "alsoIn: [nothing]", "replaces: [No Such Product]",
		"fitNotes: {gpu: maybe}", "fitNotes: {minRamGb: 0}", "fitNotes: {docker: perhaps}", "fitNotes: {nonsense: 1}",
		"installLinks: [{kind: floppy, label: A, url: https://a.example}]", "installLinks: [{kind: docs, label: A}]",
		"homepageUrl: http://a.example", "createdAt: yesterday", "topics: [a, a]", "sources: {nonsense: here}",
	} {
		if err := schema.Validate(asJSON(t, good+wrong+"\n")); err == nil {
			t.Errorf("accepted: %s", wrong)
		}
	}
	if err := schema.Validate(asJSON(t, strings.Replace(good, "name: A\n", "", 1))); err == nil {
		t.Error("accepted without a name")
	}
}
