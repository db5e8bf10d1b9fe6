package content

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/openapi"
	"github.com/google/jsonschema-go/jsonschema"
)

// SchemaFile is the path of the JSON Schema of the front matter, below the content folder.
const SchemaFile = "listing.schema.json"

// Schema returns a JSON Schema (2020-12) of the front matter, derived from the taxonomy and the
// API's schema of a project. It is indented JSON with a line break at its end.
func (m *FrontMatter) Schema() ([]byte, error) {
	schema, err := openapi.Listing(m.settings, m.taxonomy)
	if err != nil {
		return nil, err
	}
	schema.Schema = "https://json-schema.org/draft/2020-12/schema"
	schema.Title = "Listing"
	schema.Description = "The front matter of a listing. A value that is left out or null is unknown."
	maps.DeleteFunc(schema.Properties, func(key string, _ *jsonschema.Schema) bool {
		return !slices.Contains(m.Keys(), key)
	})
	required := []string{"name", "purpose", "category", "addedAt"}
	if m.Requires("repositoryUrl") {
		required = append(required, "repositoryUrl")
	}
	inFrontMatter(schema, required...)
	m.boundFields(schema)
	m.boundFacts(schema)
	list := func(key, about string, items jsonschema.Schema) {
		items.Type = "string"
		schema.Properties[key] = &jsonschema.Schema{
			Types: []string{"array", "null"}, Description: about, Items: &items, UniqueItems: true,
		}
	}
	list("formerly", "Former slugs of the listing: old addresses lead here.",
		jsonschema.Schema{Pattern: api.SlugPattern, MaxLength: new(api.MaxSlug)})
	list("asks", "Phrases of people who do not know the listing: what they ask for or complain about.",
		jsonschema.Schema{MinLength: new(1), MaxLength: new(maxShort)})
	return sortedJSON(schema)
}

// sortedJSON returns a schema as indented JSON with its keys in alphabetical order.
func sortedJSON(schema *jsonschema.Schema) ([]byte, error) {
	text, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	var sorted map[string]any
	if err := json.Unmarshal(text, &sorted); err != nil {
		return nil, err
	}
	text, err = json.MarshalIndent(sorted, "", "  ")
	return append(text, '\n'), err
}

// boundFields restricts each field to the values that listings may have.
func (m *FrontMatter) boundFields(schema *jsonschema.Schema) {
	var products []string
	for _, p := range m.taxonomy.Products {
		products = append(products, p.Name)
	}
	bound(schema, textUpTo(maxName), "name")
	bound(schema, textUpTo(api.MaxPurpose), "purpose")
	bound(schema, textUpTo(maxLicense), "license")
	bound(schema, textUpTo(maxShort), "language", "aliases", "jobs", "topics")
	bound(schema, oneOf(m.taxonomy.CategorySlugs()), "category", "alsoIn")
	bound(schema, oneOf(m.taxonomy.PlatformSlugs()), "platforms")
	bound(schema, oneOf(products), "replaces")
	bound(schema, unique, "aliases", "jobs", "topics", "platforms", "alsoIn", "replaces")
	bound(schema, slugList, api.RunsWithKey)
	bound(schema, func(p *jsonschema.Schema) { p.Maximum = new(float64(maxStars)) }, "stars")
	bound(schema, address, "repositoryUrl", "homepageUrl", "docsUrl")
	bound(schema, func(p *jsonschema.Schema) {
		inFrontMatter(p.Items, "kind", "label", "url")
		bound(p.Items, address, "url")
	}, "installLinks")
	bound(schema, boundAdvisories, api.AdvisoriesKey)
	schema.Properties["sources"].PropertyNames = &jsonschema.Schema{}
	oneOf(m.sourceKeys())(schema.Properties["sources"].PropertyNames)
}

// boundFacts restricts fitNotes, setups and the estimate to the values that listings may have.
func (m *FrontMatter) boundFacts(schema *jsonschema.Schema) {
	fitNotes := schema.Properties[factsKey]
	inFrontMatter(fitNotes)
	for _, f := range m.taxonomy.Facts {
		switch f.Kind {
		case api.FactText, api.FactTexts:
			bound(fitNotes, textUpTo(maxShort), f.Key)
		case api.FactChoices:
			bound(fitNotes, unique, f.Key)
		case api.FactRelation:
			bound(fitNotes, slugList, f.Key)
		case api.FactPicture:
			fitNotes.Properties[f.Key] = pictureSchema(api.MeaningOf(&f))
		case api.FactSetups:
			setups := fitNotes.Properties[f.Key]
			m.boundSetup(setups.Items)
			schema.Properties[api.SetupsKey] = setups
			bound(schema, func(p *jsonschema.Schema) { boundEstimate(p.AnyOf[0]) }, api.EstimateKey)
		default:
			bound(fitNotes, asStated(&f), f.Key)
		}
		if !f.IsStated() {
			delete(fitNotes.Properties, f.Key)
		}
	}
}

// asStated turns the schema of a value in answers into that of what front matter may state.
func asStated(f *api.Fact) func(*jsonschema.Schema) {
	required, short := f.StatedForms()
	return func(p *jsonschema.Schema) {
		if len(p.AnyOf) > 0 {
			inFrontMatter(p.AnyOf[0], required...)
			bound(p.AnyOf[0], address, "url")
			bound(p.AnyOf[0], textUpTo(maxShort), "label", "name")
			// The bounds of money are only for amounts in the currency of the definition.
			bound(p.AnyOf[0], func(end *jsonschema.Schema) { end.Minimum, end.Maximum = f.Least, f.Most }, "from", "to")
		}
		switch {
		case short == "":
		case f.Kind.IsDated() && len(p.AnyOf) > 0:
			for _, date := range p.AnyOf[0].Properties {
				date.Type, date.Types = "", []string{"string", short}
			}
		case len(p.AnyOf) > 0:
			p.AnyOf = append(p.AnyOf, &jsonschema.Schema{Type: short, Minimum: f.Least, Maximum: f.Most})
		default:
			p.Types = slices.Insert(p.Types, 1, short)
		}
	}
}

func (m *FrontMatter) boundSetup(setup *jsonschema.Schema) {
	inFrontMatter(setup, "for")
	figure := func(most float64) func(*jsonschema.Schema) {
		return func(p *jsonschema.Schema) { p.Minimum, p.Maximum = new(minGb), &most }
	}
	bound(setup, figure(hardware.MaxGb), "ramGb", "vramGb")
	bound(setup, figure(hardware.MaxDiskGb), "diskGb")
	for _, key := range []string{"ramGb", "vramGb", "diskGb"} { // at least one of these is required
		setup.AnyOf = append(setup.AnyOf, &jsonschema.Schema{Required: []string{key}})
	}
	bound(setup, textUpTo(maxShort), "for")
	bound(setup, textUpTo(maxSource), "source")
	boundMeasured(setup.Properties["measured"].AnyOf[0])
	if f := m.taxonomy.Fact(api.GPUVendorsKey); f != nil {
		setup.Properties["gpuVendor"].Enum = []any{nil}
		bound(setup, oneOf(f.Options()), "gpuVendor")
	}
	if systems := m.taxonomy.SystemSlugs(); len(systems) > 0 {
		bound(setup, oneOf(systems), "system")
		bound(setup, unique, "system")
	}
}

// pictureSchema describes an api.PictureFile that may be null.
func pictureSchema(meaning string) *jsonschema.Schema {
	text := func(least, most int, about string) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", MinLength: &least, MaxLength: &most, Description: about}
	}
	file := &jsonschema.Schema{Type: "string", Pattern: pictureFile.String(),
		Description: "Path of the picture below the content folder."}
	return &jsonschema.Schema{
		Types: []string{"object", "null"}, Description: meaning, Required: []string{"file", "alt", "source"},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
		Properties: map[string]*jsonschema.Schema{
			"file": file, "alt": text(minAlt, maxAlt, "What one sees, in words."),
			"source": text(1, maxSource, "Where the picture is from: a URL or a citation."),
		},
	}
}

func boundMeasured(measured *jsonschema.Schema) {
	inFrontMatter(measured, "version", "date", "os", "how")
	bound(measured, textUpTo(maxShort), "version", "os", "how", "job")
}

// boundAdvisories restricts api.Advisories to the values that listings may have.
func boundAdvisories(p *jsonschema.Schema) {
	all := p.AnyOf[0]
	inFrontMatter(all, "read")
	bound(all, func(read *jsonschema.Schema) {
		inFrontMatter(read.Items, "ecosystem", "package", "asOf", "total")
		bound(read.Items, textUpTo(maxShort), "package", "checkedVersion")
	}, "read")
	bound(all, func(known *jsonschema.Schema) {
		inFrontMatter(known.Items, "id", "ecosystem", "package", "modified")
		delete(known.Items.Properties, "url")
		bound(known.Items, textUpTo(maxShort), "package", "summary")
		bound(known.Items, func(id *jsonschema.Schema) {
			id.Pattern, id.MaxLength = api.AdvisoryIDPattern, new(maxName)
		}, "id")
		bound(known.Items, func(fixed *jsonschema.Schema) { fixed.Items.Pattern = api.PackageVersionPattern }, "fixed")
	}, "known")
}

func boundEstimate(estimate *jsonschema.Schema) {
	inFrontMatter(estimate, "because")
	bound(estimate, textUpTo(maxShort), "because")
	steps := []any{nil}
	for _, gb := range hardware.Steps {
		steps = append(steps, gb)
	}
	estimate.Properties[hardware.DeriveRAM].Enum = steps
	estimate.Properties[hardware.DeriveVRAM].Enum = slices.Insert(slices.Clone(steps), 1, any(0))
}

// bound applies change to the schemas of the given keys, except those that listings do not have.
func bound(in *jsonschema.Schema, change func(*jsonschema.Schema), keys ...string) {
	for _, key := range keys {
		if property := in.Properties[key]; property != nil {
			change(property)
		}
	}
}

// entries returns the schema of a list's entries, or, for a value that is not a list, the schema
// itself.
func entries(property *jsonschema.Schema) *jsonschema.Schema { return cmp.Or(property.Items, property) }

// textUpTo limits the length of a text, or of each text of a list.
func textUpTo(most int) func(*jsonschema.Schema) {
	return func(p *jsonschema.Schema) { entries(p).MinLength, entries(p).MaxLength = new(1), &most }
}

// oneOf restricts a text, or each text of a list, to the given values. If there are none, it
// restricts nothing.
func oneOf(values []string) func(*jsonschema.Schema) {
	return func(p *jsonschema.Schema) {
		for _, v := range values {
			entries(p).Enum = append(entries(p).Enum, v)
		}
	}
}

// slugList restricts a list to slugs of listings, each once.
func slugList(p *jsonschema.Schema) {
	p.UniqueItems, p.Items.Pattern, p.Items.MaxLength = true, api.SlugPattern, new(api.MaxSlug)
}

func unique(p *jsonschema.Schema) { p.UniqueItems = true }

func address(p *jsonschema.Schema) { p.Pattern, p.MaxLength = "^https://", new(maxAddress) }

// inFrontMatter turns the schema of an API answer into one of front matter: only the required keys
// must be present, other values may be null, and unknown keys are not allowed.
func inFrontMatter(schema *jsonschema.Schema, required ...string) {
	schema.Required = required
	schema.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	for key, p := range schema.Properties {
		if p.Type == "" || slices.Contains(required, key) {
			continue
		}
		p.Type, p.Types = "", []string{p.Type, "null"}
		if p.Enum != nil {
			p.Enum = append(slices.Clip(p.Enum), nil)
		}
	}
}

// schemaComment begins the comment that tells editors which schema to use.
const schemaComment = "# yaml-language-server: $schema="

// SchemaLine returns the line of the listing's file, from 1, that names SchemaFile; 0 if there is
// none.
func (l *Listing) SchemaLine() int {
	line := frontMatterLine
	for text := range strings.Lines(string(l.frontMatter)) {
		name, ok := strings.CutPrefix(strings.TrimSpace(text), schemaComment)
		if ok && path.Base(name) == SchemaFile {
			return line
		}
		line++
	}
	return 0
}
