package openapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/site"
	"github.com/google/jsonschema-go/jsonschema"
)

// components are the types that become schemas of the document, in its order. isUsed leaves
// out what a catalogue does not have.
var components = []reflect.Type{
	projectListType, reflect.TypeFor[api.ListPage](), projectType, projectDetailType,
	reflect.TypeFor[api.FactValues](), reflect.TypeFor[hardware.Setup](), reflect.TypeFor[hardware.Estimate](),
	reflect.TypeFor[api.InstallLink](), reflect.TypeFor[api.Release](),
	reflect.TypeFor[api.SearchResponse](), reflect.TypeFor[api.QueryEcho](), reflect.TypeFor[api.SortInfo](),
	reflect.TypeFor[api.NamedProduct](), hitType, reflect.TypeFor[hardware.Fit](), reflect.TypeFor[api.Match](),
	reflect.TypeFor[api.Facets](), reflect.TypeFor[api.FacetValue](), reflect.TypeFor[api.Warning](),
	reflect.TypeFor[api.Problem](), reflect.TypeFor[api.ParameterError](),
}

var (
	projectListType   = reflect.TypeFor[api.ProjectList]()
	projectType       = reflect.TypeFor[api.Project]()
	projectDetailType = reflect.TypeFor[api.ProjectDetail]()
	hitType           = reflect.TypeFor[api.Hit]()
)

// bases are the types that describe properties of others.
var bases = map[reflect.Type]reflect.Type{
	reflect.TypeFor[api.ListPage](): projectListType, projectDetailType: projectType, hitType: projectType,
}

// limits are what the tags of fields cannot say, by component and property.
var limits = map[string]jsonschema.Schema{
	"ProjectList.total":  {Minimum: new(0.0)},
	"ProjectList.limit":  {Minimum: new(1.0)},
	"ProjectList.offset": {Minimum: new(0.0)},

	"ListPage.page":  {Minimum: new(1.0)},
	"ListPage.pages": {Minimum: new(1.0)},
	"ListPage.next":  {Format: "uri"},

	"Project.slug":          {Pattern: api.SlugPattern, MaxLength: new(api.MaxSlug)},
	"Project.purpose":       {MaxLength: new(api.MaxPurpose)},
	"Project.stars":         {Minimum: new(0.0)},
	"Project.pageUrl":       {Format: "uri"},
	"Project.repositoryUrl": {Format: "uri"},
	"Project.homepageUrl":   {Format: "uri"},
	"Project.docsUrl":       {Format: "uri"},
	"Project.upkeep": {
		Description: "Whether it is worked on, as of checkedAt. " + api.UpkeepMeaning, Enum: anyOf(api.UpkeepValues),
	},

	"Setup.level":      {Enum: anyOf(hardware.Levels)},
	"InstallLink.kind": {Enum: anyOf(api.InstallKinds)},
	"InstallLink.url":  {Format: "uri"},

	"SearchResponse.total":  {Minimum: new(0.0)},
	"SearchResponse.limit":  {Minimum: new(1.0)},
	"SearchResponse.offset": {Minimum: new(0.0)},

	"NamedProduct.pageUrl":      {Format: "uri"},
	"NamedProduct.alternatives": {Minimum: new(1.0)},

	"SortInfo.requested": {Enum: anyOf(api.SortValues)},
	"SortInfo.applied": {Enum: slices.DeleteFunc(anyOf(api.SortValues), func(v any) bool {
		return v == api.SortTrending // which is applied as popular
	})},

	"Fit.verdict":      {Enum: []any{hardware.Fits, hardware.Likely, hardware.Unknown, hardware.Unlikely}},
	"Match.tier":       {Enum: anyOf(api.Tiers)},
	"FacetValue.count": {Minimum: new(0.0)},
	"Problem.type":     {Format: "uri"},
	"Problem.code":     {Enum: problemCodes()},
}

// anyOf returns the values of an enumeration.
func anyOf(values []string) []any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	return list
}

func problemCodes() (codes []any) {
	for _, kind := range api.ProblemKinds {
		if !slices.Contains(api.MCPProblems, kind) {
			codes = append(codes, kind.Code)
		}
	}
	return codes
}

// schemas makes the schemas of a catalogue.
type schemas struct {
	settings *site.Settings
	taxonomy *api.Taxonomy
}

// isUsed reports whether answers of the catalogue have values of a component.
func (s schemas) isUsed(component reflect.Type) bool {
	switch component.Name() {
	case "ListPage":
		return !s.settings.HasServer()
	case "InstallLink":
		return s.settings.Has("installLinks")
	case "Release":
		return s.settings.Has("release")
	case "Estimate":
		return s.settings.Has(api.EstimateKey)
	case "Setup":
		return s.taxonomy.HasSetups()
	case "Fit":
		return s.taxonomy.HasSetups() && s.settings.HasServer()
	case "SearchResponse", "QueryEcho", "SortInfo", "NamedProduct", "Hit", "Match", "Facets", "FacetValue",
		"Problem", "ParameterError":
		return s.settings.HasServer()
	}
	return true
}

// components returns the schemas of the document.
func (s schemas) components() (list Ordered[*jsonschema.Schema], err error) {
	for _, t := range components {
		if !s.isUsed(t) {
			continue
		}
		schema, err := s.of(t)
		if err != nil {
			return nil, err
		}
		list = append(list, Named[*jsonschema.Schema]{componentName(t), schema})
	}
	return list, nil
}

func componentName(t reflect.Type) string {
	if t == reflect.TypeFor[api.FactValues]() {
		return "FitNotes"
	}
	return t.Name()
}

// SchemaPath begins the reference to a schema of the document.
const SchemaPath = "#/components/schemas/"

func reference(component string) *jsonschema.Schema {
	return &jsonschema.Schema{Ref: SchemaPath + component}
}

// of returns the schema of a type. It refers to components that the type's fields have.
func (s schemas) of(t reflect.Type) (*jsonschema.Schema, error) {
	switch t {
	case reflect.TypeFor[api.FactValues]():
		return objectOf(s.taxonomy.FactKeys(), func(key string) *jsonschema.Schema {
			return factSchema(s.taxonomy.Fact(key))
		}), nil
	case reflect.TypeFor[api.QueryEcho]():
		return s.queryEcho(), nil
	case reflect.TypeFor[api.Facets]():
		return s.facets(), nil
	}
	known := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[api.Date]():        {Type: "string", Format: "date"},
		reflect.TypeFor[json.RawMessage](): reference("Project"),
	}
	for _, c := range components {
		if c != t && c != bases[t] {
			known[c] = reference(componentName(c))
		}
	}
	schema, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		return nil, fmt.Errorf("make the schema of %s: %w", t, err)
	}
	schema.AdditionalProperties = nil // clients must accept what later versions add
	return schema, s.complete(t, schema)
}

// complete removes what the catalogue does not have from the schema of a type, and adds what
// tags of its fields cannot say.
func (s schemas) complete(t reflect.Type, schema *jsonschema.Schema) error {
	for name, property := range schema.Properties {
		isListing := t == projectType || bases[t] == projectType
		if isListing && !s.settings.HasKey(name) || t == hitType && name == "fit" && !s.taxonomy.HasSetups() {
			Remove(schema, name)
			continue
		}
		s.completeProperty(property, s.settings.IsOptional(name), limits[t.Name()+"."+name])
	}
	if bases[t] == nil {
		return nil
	}
	base, err := s.of(bases[t])
	if err != nil {
		return err
	}
	for name := range schema.Properties {
		if property, ok := base.Properties[name]; ok {
			schema.Properties[name] = property
		}
	}
	return nil
}

func (s schemas) completeProperty(p *jsonschema.Schema, isOptional bool, limit jsonschema.Schema) {
	switch {
	case p.Items != nil: // the library allows null for nil, which we never send
		p.Type, p.Types = "array", nil
	case p.Ref != "" && p.Types != nil:
		p.AnyOf, p.Ref, p.Types = []*jsonschema.Schema{{Ref: p.Ref}, {Type: "null"}}, "", nil
	case p.Types != nil:
		slices.Reverse(p.Types) // null comes last
	case isOptional:
		p.Type, p.Types = "", []string{p.Type, "null"}
	}
	if limit.Description != "" {
		p.Description = limit.Description
	}
	if limit.Format != "" {
		p.Format = limit.Format
	}
	p.Pattern, p.MaxLength, p.Minimum, p.Enum = limit.Pattern, limit.MaxLength, limit.Minimum, limit.Enum
	if p.Enum != nil && p.Types != nil {
		p.Enum = append(slices.Clip(p.Enum), nil)
	}
}

// Remove removes a property from the schema of an object.
func Remove(schema *jsonschema.Schema, property string) {
	delete(schema.Properties, property)
	isIt := func(name string) bool { return name == property }
	schema.Required = slices.DeleteFunc(schema.Required, isIt)
	schema.PropertyOrder = slices.DeleteFunc(schema.PropertyOrder, isIt)
}

// objectOf describes an object. All its properties are required.
func objectOf(names []string, property func(name string) *jsonschema.Schema) *jsonschema.Schema {
	properties := map[string]*jsonschema.Schema{}
	for _, name := range names {
		properties[name] = property(name)
	}
	return &jsonschema.Schema{
		Type: "object", Required: slices.Clone(names), Properties: properties, PropertyOrder: slices.Clone(names),
	}
}

// listOf describes a list.
func listOf(items *jsonschema.Schema, description string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: items, Description: description}
}

// nullable describes a value that may be null.
func nullable(kind, description string) *jsonschema.Schema {
	return &jsonschema.Schema{Types: []string{kind, "null"}, Description: description}
}

// factSchema describes the values of a fact.
func factSchema(f *api.Fact) *jsonschema.Schema {
	options := anyOf(f.Options())
	var labels []string
	for _, o := range f.Values {
		labels = append(labels, o.Slug+": "+o.Label)
	}
	meaning := strings.TrimSpace(f.Meaning + " " + strings.Join(labels, "; "))
	switch f.Kind {
	case api.FactYesNo:
		return nullable("boolean", f.Meaning)
	case api.FactNumber:
		schema := nullable("number", f.Meaning)
		schema.Minimum, schema.Maximum = f.Least, f.Most
		return schema
	case api.FactChoice:
		schema := nullable("string", meaning)
		schema.Enum = append(options, nil)
		return schema
	case api.FactChoices:
		return listOf(&jsonschema.Schema{Type: "string", Enum: options}, meaning)
	case api.FactTexts:
		return listOf(&jsonschema.Schema{Type: "string"}, f.Meaning)
	case api.FactSetups:
		return listOf(reference("Setup"), f.Meaning)
	}
	return nullable("string", f.Meaning)
}

// queryEcho returns the schema of api.QueryEcho.
func (s schemas) queryEcho() *jsonschema.Schema {
	var names []string
	properties := map[string]*jsonschema.Schema{}
	for _, p := range api.SearchParameters(s.settings, s.taxonomy) {
		const about = "The filter; null if it was not given."
		var schema *jsonschema.Schema
		switch {
		case p.Name == "q":
			schema = nullable("string", "The free text; null if there is none.")
		case p.Name == "limit":
			schema = &jsonschema.Schema{
				Type: "integer", Description: "The limit that was applied.", Minimum: new(float64(p.Min)),
			}
		case !p.IsFilter():
			continue
		case p.Kind == api.KindNumber:
			schema = nullable("number", about)
		case p.Kind == api.KindFlag:
			schema = nullable("boolean", about)
		case p.Kind == api.KindChoice:
			schema = nullable("string", about)
		default:
			schema = nullable("array", about)
			schema.Items = &jsonschema.Schema{Type: "string"}
		}
		names, properties[p.Name] = append(names, p.Name), schema
	}
	return objectOf(names, func(name string) *jsonschema.Schema { return properties[name] })
}

// facets returns the schema of api.Facets.
func (s schemas) facets() *jsonschema.Schema {
	names := facetNames(api.SearchParameters(s.settings, s.taxonomy))
	if s.taxonomy.HasSetups() {
		names = append(names, api.FitFacet)
	}
	return objectOf(names, func(name string) *jsonschema.Schema {
		about := "Values of the parameter " + name + ", highest count first."
		if name == api.FitFacet {
			about = "How many matches run on the user's computer, how many may, and how many need more; " +
				"empty if the search names no computer."
		}
		return listOf(reference("FacetValue"), about)
	})
}

// facetNames returns the names of the parameters that have a facet, in their order.
func facetNames(parameters []api.Parameter) (names []string) {
	for _, p := range parameters {
		if p.Kind == api.KindChoices || p.Kind == api.KindFlag && p.Fact != nil {
			names = append(names, p.Name)
		}
	}
	return names
}

// Listing returns the JSON Schema (2020-12) of a listing in full: api.ProjectDetail, with the
// schemas of its parts in place of references to them.
func Listing(settings *site.Settings, taxonomy *api.Taxonomy) (*jsonschema.Schema, error) {
	s := schemas{settings, taxonomy}
	schema, err := s.of(projectDetailType)
	if err != nil {
		return nil, err
	}
	return schema, s.inline(schema)
}

// inline replaces references by the schemas that they refer to, at any depth.
func (s schemas) inline(schema *jsonschema.Schema) error {
	if schema.Ref != "" {
		i := slices.IndexFunc(components, func(t reflect.Type) bool { return schema.Ref == SchemaPath+componentName(t) })
		target, err := s.of(components[i])
		if err != nil {
			return err
		}
		target.Description = schema.Description
		*schema = *target
	}
	parts := slices.Clone(schema.AnyOf)
	if schema.Items != nil {
		parts = append(parts, schema.Items)
	}
	for _, p := range schema.Properties {
		parts = append(parts, p)
	}
	for _, p := range parts {
		if err := s.inline(p); err != nil {
			return err
		}
	}
	return nil
}
