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

// components lists the types that become schemas of the document, in the order of the document,
// which omits types that no answer refers to.
var components = slices.Concat([]reflect.Type{
	projectListType, reflect.TypeFor[api.ListPage](), projectType, projectDetailType,
	reflect.TypeFor[api.FactValues](),
}, typesWithParts(), []reflect.Type{
	reflect.TypeFor[hardware.Setup](), reflect.TypeFor[hardware.Measured](),
	reflect.TypeFor[hardware.Estimate](),
	reflect.TypeFor[api.InstallLink](), reflect.TypeFor[api.Release](),
	reflect.TypeFor[api.Advisories](), reflect.TypeFor[api.AdvisedPackage](), reflect.TypeFor[api.Advisory](),
	reflect.TypeFor[api.BriefList](), reflect.TypeFor[api.BriefSearchResponse](), briefHitType,
	briefProjectType, reflect.TypeFor[api.BriefInstallLink](),
	reflect.TypeFor[hardware.Memory](), reflect.TypeFor[hardware.BriefFit](), reflect.TypeFor[hardware.BriefEstimate](),
	reflect.TypeFor[api.BriefMatch](),
	reflect.TypeFor[api.SearchResponse](), reflect.TypeFor[api.QueryEcho](), reflect.TypeFor[api.SortInfo](),
	reflect.TypeFor[api.NamedProduct](), hitType, fitType, reflect.TypeFor[hardware.LargestModel](),
	reflect.TypeFor[api.Match](),
	reflect.TypeFor[api.Facets](), reflect.TypeFor[api.FacetValue](), reflect.TypeFor[api.Warning](),
	reflect.TypeFor[api.Problem](), reflect.TypeFor[api.ParameterError](),
})

// typesWithParts returns the types of the values of facts that are objects.
func typesWithParts() []reflect.Type {
	return slices.DeleteFunc(api.FactTypes(), func(t reflect.Type) bool { return t.Kind() != reflect.Struct })
}

var (
	projectListType   = reflect.TypeFor[api.ProjectList]()
	projectType       = reflect.TypeFor[api.Project]()
	projectDetailType = reflect.TypeFor[api.ProjectDetail]()
	hitType           = reflect.TypeFor[api.Hit]()
	briefHitType      = reflect.TypeFor[api.BriefHit]()
	briefProjectType  = reflect.TypeFor[api.BriefProject]()
	fitType           = reflect.TypeFor[hardware.Fit]()
)

// bases maps a type to the type from which it takes the schemas of their common properties.
var bases = map[reflect.Type]reflect.Type{
	reflect.TypeFor[api.ListPage](): projectListType, projectDetailType: projectType, hitType: projectType,
	briefProjectType: briefHitType,
}

// What the tags of fields cannot express: the least value and the format of properties, by name,
// and the values of an enumeration, by component and property.
var (
	least = map[string]float64{
		"total": 0, "offset": 0, "stars": 0, "count": 0, "limit": 1, "page": 1, "pages": 1, "alternatives": 1,
	}
	addresses    = []string{"next", "pageUrl", "repositoryUrl", "homepageUrl", "docsUrl", "url", "type"}
	enumerations = map[string][]any{
		"Project.upkeep":   enumOf(api.UpkeepValues),
		"Setup.level":      enumOf(hardware.Levels),
		"InstallLink.kind": enumOf(api.InstallKinds),

		"AdvisedPackage.ecosystem": enumOf(api.Ecosystems),
		"Advisory.ecosystem":       enumOf(api.Ecosystems),
		"Advisory.severity":        enumOf(api.Severities),

		"Fit.verdict":      {hardware.Fits, hardware.Likely, hardware.Unknown, hardware.Unlikely},
		"Match.tier":       enumOf(api.Tiers),
		"BriefHit.upkeep":  {api.UpkeepArchived, api.UpkeepDormant},
		"BriefHit.gpu":     {hardware.GPURequired},
		"BriefFit.verdict": {hardware.Fits, hardware.Likely, hardware.Unknown, hardware.Unlikely},
		"Memory.ramBasis":  enumOf(hardware.Bases),
		"Memory.vramBasis": enumOf(hardware.Bases),
		"Problem.code":     problemCodes(),
	}
)

// enumOf returns the values of an enumeration; nil for none.
func enumOf(values []string) (list []any) {
	for _, v := range values {
		list = append(list, v)
	}
	return list
}

// isTrending reports whether a sort is SortTrending, which is never the applied sort, because it is
// served as popular.
func isTrending(sort any) bool { return sort == api.SortTrending }

func problemCodes() (codes []any) {
	for _, kind := range api.ProblemKinds {
		if !slices.Contains(api.MCPProblems, kind) {
			codes = append(codes, kind.Code)
		}
	}
	return codes
}

// schemas makes the schemas for one catalogue.
type schemas struct {
	settings *site.Settings
	taxonomy *api.Taxonomy
}

// all returns the schemas of all components.
func (s schemas) all() (list Schemas, err error) {
	for _, t := range components {
		schema, err := s.of(t)
		if err != nil {
			return nil, err
		}
		list.add(componentName(t), schema)
	}
	return list, nil
}

// components returns the schemas that operations refer to, directly or through other schemas.
func (s schemas) components(paths Ordered[PathItem]) (Schemas, error) {
	list, err := s.all()
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	var use func(*jsonschema.Schema)
	use = func(schema *jsonschema.Schema) {
		if name, ok := strings.CutPrefix(schema.Ref, SchemaPath); ok && !used[name] {
			used[name] = true
			each(list.Get(name), use)
		}
	}
	for _, path := range paths {
		for _, response := range path.Value.Get.Responses {
			for _, body := range response.Value.Content {
				each(body.Schema, use)
			}
		}
	}
	return slices.DeleteFunc(list, func(m Named[*jsonschema.Schema]) bool { return !used[m.Name] }), nil
}

// each visits a schema and all schemas nested in it.
func each(schema *jsonschema.Schema, visit func(*jsonschema.Schema)) {
	visit(schema)
	for _, property := range schema.Properties {
		each(property, visit)
	}
	for _, choice := range schema.AnyOf {
		each(choice, visit)
	}
	if schema.Items != nil {
		each(schema.Items, visit)
	}
}

// Listing returns the JSON Schema (2020-12) of a listing in full: api.ProjectDetail, with the
// schemas of its parts in place of references to them.
func Listing(settings *site.Settings, taxonomy *api.Taxonomy) (*jsonschema.Schema, error) {
	list, err := schemas{settings, taxonomy}.all()
	if err != nil {
		return nil, err
	}
	listing := list.Get("ProjectDetail")
	each(listing, func(p *jsonschema.Schema) {
		if name, ok := strings.CutPrefix(p.Ref, SchemaPath); ok {
			description := p.Description
			*p = *list.Get(name).CloneSchemas()
			p.Description = description
		}
	})
	return listing, nil
}

func componentName(t reflect.Type) string {
	if t == reflect.TypeFor[api.FactValues]() {
		return "FitNotes"
	}
	return t.Name()
}

// SchemaPath is the prefix of references to schemas in the document.
const SchemaPath = "#/components/schemas/"

func reference(component string) *jsonschema.Schema {
	return &jsonschema.Schema{Ref: SchemaPath + component}
}

// of returns the schema of a type. Fields whose types are components become references.
func (s schemas) of(t reflect.Type) (*jsonschema.Schema, error) {
	switch t {
	case reflect.TypeFor[api.FactValues]():
		return s.fitNotes(), nil
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

// complete removes properties that the catalogue does not have from the schema of a type, and adds
// what the tags of fields cannot express.
func (s schemas) complete(t reflect.Type, schema *jsonschema.Schema) error {
	for name, p := range schema.Properties {
		if s.lacks(t, name) {
			remove(schema, name)
			continue
		}
		s.completeNull(p, s.settings.IsOptional(name))
		if len(p.AnyOf) > 0 && !slices.Contains(schema.Required, name) { // left out rather than null
			p.Ref, p.AnyOf = p.AnyOf[0].Ref, nil
		}
		if n, ok := least[name]; ok {
			p.Minimum = &n
		}
		if slices.Contains(addresses, name) {
			p.Format = "uri"
		}
		if p.Enum = s.enumeration(t.Name() + "." + name); p.Enum != nil && p.Types != nil {
			p.Enum = append(slices.Clip(p.Enum), nil)
		}
		switch t.Name() + "." + name {
		case "Project.slug":
			p.Pattern, p.MaxLength = api.SlugPattern, new(api.MaxSlug)
		case "SearchResponse.products":
			if !s.settings.Has("replaces") {
				p.Description = "Always empty, because listings replace no products."
			}
		case "BriefHit.fitNotes", "BriefProject.fitNotes":
			if t == briefProjectType && !s.taxonomy.HasSetups() {
				p.Description = "The known facts."
			}
			*p = *openObject(p.Description)
		case "Money.currency":
			p.Pattern = "^[A-Z]{3}$"
		case "Place.latitude":
			p.Minimum, p.Maximum = new(-90.0), new(90.0)
		case "Place.longitude":
			p.Minimum, p.Maximum = new(-180.0), new(180.0)
		case "Dates.from", "Dates.to":
			p.Pattern = api.DatePattern
		case "Project.purpose":
			p.MaxLength = new(api.MaxPurpose)
		case "Project.upkeep":
			p.Description += " " + api.UpkeepMeaning
		}
	}
	if bases[t] == nil {
		return nil
	}
	base, err := s.of(bases[t])
	if err != nil {
		return err
	}
	for name := range schema.Properties {
		if p := base.Properties[name]; p != nil && (t != briefProjectType || name != "fitNotes") {
			schema.Properties[name] = p
		}
	}
	return nil
}

// enumeration returns the values of a property, named as in enumerations; nil for none.
func (s schemas) enumeration(property string) []any {
	sorts := enumOf(s.taxonomy.Sorts())
	switch property {
	case "SortInfo.requested":
		return sorts
	case "SortInfo.applied":
		return slices.DeleteFunc(sorts, isTrending)
	}
	return enumerations[property]
}

// lacks reports whether values of a type never have a property in this catalogue.
func (s schemas) lacks(t reflect.Type, property string) bool {
	isBrief := t == briefHitType || t == briefProjectType
	isListing := t == projectType || bases[t] == projectType || isBrief
	switch property {
	case "fit", "memory":
		return isListing && !s.taxonomy.HasSetups()
	case "setups":
		return isBrief && !s.taxonomy.HasSetups()
	case "fitNotes":
		return t == briefHitType && len(s.taxonomy.BriefFacts()) == 0
	case "products":
		return t == reflect.TypeFor[api.BriefSearchResponse]() && !s.settings.Has("replaces")
	case "largestModel":
		return !s.taxonomy.HasModels()
	case "caveat":
		return isBrief && s.taxonomy.Fact(api.CaveatsKey) == nil
	case api.ModelLicenseKey, api.GPUKey:
		return isBrief && s.taxonomy.Fact(property) == nil
	case api.OpennessKey:
		return isBrief && s.taxonomy.Fact(property) == nil && !s.settings.HasKey("osiApproved")
	}
	return isListing && !s.settings.HasKey(property)
}

// completeNull corrects how the library treats null: a list is never null in an answer, and a
// property that is a reference can be null.
func (s schemas) completeNull(p *jsonschema.Schema, isOptional bool) {
	switch {
	case p.Items != nil:
		p.Type, p.Types = "array", nil
	case p.Ref != "" && p.Types != nil:
		p.AnyOf, p.Ref, p.Types = []*jsonschema.Schema{{Ref: p.Ref}, {Type: "null"}}, "", nil
	case p.Types != nil:
		slices.Reverse(p.Types) // null comes last
	case isOptional:
		p.Type, p.Types = "", []string{p.Type, "null"}
	}
}

// remove removes a property from the schema of an object.
func remove(schema *jsonschema.Schema, property string) {
	delete(schema.Properties, property)
	isIt := func(name string) bool { return name == property }
	schema.Required = slices.DeleteFunc(schema.Required, isIt)
	schema.PropertyOrder = slices.DeleteFunc(schema.PropertyOrder, isIt)
}

// objectOf describes an object whose properties are all required.
func objectOf(properties Schemas) *jsonschema.Schema {
	schema := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for _, p := range properties {
		schema.Required = append(schema.Required, p.Name)
		schema.Properties[p.Name] = p.Value
	}
	schema.PropertyOrder = schema.Required
	return schema
}

// listOf describes a list.
func listOf(items *jsonschema.Schema, description string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: items, Description: description}
}

// nullable describes a value that may be null.
func nullable(kind, description string) *jsonschema.Schema {
	return &jsonschema.Schema{Types: []string{kind, "null"}, Description: description}
}

// fitNotes returns the schema of api.FactValues.
func (s schemas) fitNotes() *jsonschema.Schema {
	var properties Schemas
	for i := range s.taxonomy.Facts {
		f := &s.taxonomy.Facts[i]
		properties.add(f.Key, factSchema(f))
	}
	return objectOf(properties)
}

// factSchema describes the values of a fact.
func factSchema(f *api.Fact) *jsonschema.Schema {
	options := enumOf(f.Options())
	var labels []string
	for _, o := range f.Values {
		labels = append(labels, o.Slug+": "+o.Label)
	}
	meaning := strings.TrimSpace(api.MeaningOf(f) + " " + strings.Join(labels, "; "))
	t := f.Kind.Type()
	if t.Kind() == reflect.Slice {
		if items := t.Elem(); items.Kind() == reflect.Struct {
			return listOf(reference(componentName(items)), meaning)
		}
		return listOf(&jsonschema.Schema{Type: "string", Enum: options}, meaning)
	}
	switch t.Kind() {
	case reflect.Bool:
		return nullable("boolean", meaning)
	case reflect.Float64:
		schema := nullable("number", meaning)
		schema.Minimum, schema.Maximum = f.Least, f.Most
		return schema
	case reflect.Struct:
		return &jsonschema.Schema{Description: meaning,
			AnyOf: []*jsonschema.Schema{reference(componentName(t)), {Type: "null"}}}
	}
	schema := nullable("string", meaning)
	if f.Kind == api.FactDate {
		schema.Pattern = api.DatePattern
	}
	if options != nil {
		schema.Enum = append(options, nil)
	}
	return schema
}

// queryEcho returns the schema of api.QueryEcho.
func (s schemas) queryEcho() *jsonschema.Schema {
	kinds := map[api.ParameterKind]string{
		api.KindNumber: "number", api.KindDate: "string", api.KindPlace: "string", api.KindFlag: "boolean",
		api.KindChoice: "string", api.KindChoices: "array",
	}
	var properties Schemas
	for _, p := range api.SearchParameters(s.settings, s.taxonomy) {
		schema := nullable(kinds[p.Kind], "The filter; null if it was not given.")
		switch {
		case p.Name == "q":
			schema = nullable("string", "The free text; null if there is none.")
		case p.Name == "limit":
			schema = &jsonschema.Schema{Type: "integer", Description: "The limit that was applied.", Minimum: new(1.0)}
		case !p.IsFilter():
			continue
		case p.Kind == api.KindChoices:
			schema.Items = &jsonschema.Schema{Type: "string"}
		}
		properties.add(p.Name, schema)
	}
	return objectOf(properties)
}

// facets returns the schema of api.Facets.
func (s schemas) facets() *jsonschema.Schema {
	var properties Schemas
	for _, name := range facetNames(api.SearchParameters(s.settings, s.taxonomy)) {
		properties.add(name, listOf(reference("FacetValue"), "Values of the parameter "+name+", highest count first."))
	}
	if s.taxonomy.HasSetups() {
		properties.add(api.FitFacet, listOf(reference("FacetValue"), "How many matches run on the user's computer, "+
			"how many may, and how many need more; empty if the search names no computer."))
	}
	return objectOf(properties)
}

// facetNames returns the names of the parameters that have a facet, in the order of the parameters.
func facetNames(parameters []api.Parameter) (names []string) {
	for _, p := range parameters {
		if p.Kind == api.KindChoices || p.Kind == api.KindFlag && p.Fact != nil {
			names = append(names, p.Name)
		}
	}
	return names
}
