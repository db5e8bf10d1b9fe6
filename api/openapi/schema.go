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
)

// components are the types that become schemas of the OpenAPI document. componentName
// returns their names.
var components = []reflect.Type{
	reflect.TypeFor[api.ProjectList](), reflect.TypeFor[api.Project](), reflect.TypeFor[api.ProjectDetail](),
	reflect.TypeFor[api.FactValues](), reflect.TypeFor[hardware.Setup](), reflect.TypeFor[hardware.Estimate](), reflect.TypeFor[api.InstallLink](), reflect.TypeFor[api.Release](),
	reflect.TypeFor[api.SearchResponse](), reflect.TypeFor[api.QueryEcho](), reflect.TypeFor[api.SortInfo](), reflect.TypeFor[api.NamedProduct](),
	reflect.TypeFor[api.Hit](), reflect.TypeFor[hardware.Fit](), reflect.TypeFor[api.Match](), reflect.TypeFor[api.Facets](), reflect.TypeFor[api.FacetValue](),
	reflect.TypeFor[api.Warning](), reflect.TypeFor[api.Problem](), reflect.TypeFor[api.ParameterError](),
}

// fieldNote is what a Go type does not say about a property: its meaning, and limits of
// its values.
type fieldNote struct {
	doc     string
	enum    []string
	format  string // a format of JSON Schema or of the OpenAPI registry
	pattern string
	maxLen  int // maxLength, in characters
	minimum *int
	items   string // component of the elements of a list of raw JSON
}

// fieldNotes is keyed by component and property. Properties of Hit and ProjectDetail that
// are not listed have the notes of Project.
var fieldNotes = map[string]fieldNote{
	"ProjectList.projects": {doc: "The page of projects; empty past the end.", items: "Project"},
	"ProjectList.total":    {doc: "How many projects the catalogue has.", minimum: new(0)},
	"ProjectList.limit":    {doc: "The limit that was applied.", minimum: new(1)},
	"ProjectList.offset":   {doc: "The offset that was applied.", minimum: new(0)},
	"ProjectList.warnings": {doc: "Unknown parameters that were ignored."},

	"ListPage.page":  {doc: "The number of the page.", minimum: new(1)},
	"ListPage.pages": {doc: "How many pages there are.", minimum: new(1)},
	"ListPage.next":  {doc: "Address of the next page; null on the last.", format: "uri"},

	"Project.slug":          {doc: "Identifier of the listing.", pattern: api.SlugPattern, maxLen: api.MaxSlug},
	"Project.name":          {doc: "Display name."},
	"Project.aliases":       {doc: "Other names that people type."},
	"Project.purpose":       {doc: "One sentence: the job it does.", maxLen: api.MaxPurpose},
	"Project.jobs":          {doc: "Jobs to be done, as a user would put them."},
	"Project.category":      {doc: "Home category: a value of the parameter category."},
	"Project.alsoIn":        {doc: "Other categories whose pages show the listing."},
	"Project.topics":        {doc: "Lower-case keywords."},
	"Project.platforms":     {doc: "Platforms that it runs on: values of the parameter platform."},
	"Project.language":      {doc: "Main programming language."},
	"Project.license":       {doc: "SPDX expression, or LicenseRef-… for terms outside SPDX."},
	"Project.osiApproved":   {doc: "Whether the Open Source Initiative approves the licence; false for fair-code and non-commercial terms."},
	"Project.stars":         {doc: "Popularity count: attention, not quality. Null if there is no star data; such listings sort last.", minimum: new(0)},
	"Project.starsAsOf":     {doc: "Day on which the stars were read; null if stars is null."},
	"Project.replaces":      {doc: "Proprietary products that it stands in for."},
	"Project.fitNotes":      {doc: "Facts that decide whether it fits."},
	"Project.installLinks":  {doc: "Where its makers document or publish it. Links only: hand them on, never invent a step."},
	"Project.pageUrl":       {doc: "Human-readable page of the listing.", format: "uri"},
	"Project.repositoryUrl": {doc: "Source repository of the project.", format: "uri"},
	"Project.homepageUrl":   {doc: "The project's own site.", format: "uri"},
	"Project.docsUrl":       {doc: "The project's documentation.", format: "uri"},
	"Project.archived":      {doc: "Whether its repository is archived, or its makers have stopped."},
	"Project.addedAt":       {doc: "Day on which the listing was added to the catalogue."},
	"Project.checkedAt":     {doc: "Day on which somebody last read the facts at their sources."},
	"Project.createdAt":     {doc: "Day of the first commit."},
	"Project.updatedAt":     {doc: "Day of the latest commit or release."},
	"Project.release":       {doc: "The latest release."},
	"Project.estimate":      {doc: "What an editor judges its main job to need, where its makers state nothing; null if there is no estimate. Call it an estimate."},
	"Project.upkeep":        {doc: "Whether it is worked on, as of checkedAt. " + api.UpkeepMeaning, enum: api.UpkeepValues},

	"Release.version": {doc: "As its makers write it."},
	"Release.date":    {doc: "Day of the release."},

	"ProjectDetail.description": {doc: "The listing's text as Markdown source."},
	"ProjectDetail.similar":     {doc: "Up to five slugs of listings that do a related job, nearest first."},
	"ProjectDetail.sources":     {doc: "For a field, the URL or citation it was read from, with its date where known."},

	"InstallLink.kind":    {doc: "What the link leads to.", enum: api.InstallKinds},
	"InstallLink.label":   {doc: "Text of the link."},
	"InstallLink.url":     {doc: "Where its makers document or publish it.", format: "uri"},
	"InstallLink.command": {doc: "The makers' own command on one line, quoted exactly from the page at url; null if there is none."},

	"SearchResponse.query":      {doc: "The request as it was understood."},
	"SearchResponse.sort":       {doc: "How the hits are ordered."},
	"SearchResponse.total":      {doc: "How many listings matched, before offset and limit.", minimum: new(0)},
	"SearchResponse.limit":      {doc: "The limit that was applied.", minimum: new(1)},
	"SearchResponse.offset":     {doc: "The offset that was applied.", minimum: new(0)},
	"SearchResponse.products":   {doc: "The products that q names and listings replace, at most 3, in the order of q."},
	"SearchResponse.hits":       {doc: "The best matches, in order."},
	"SearchResponse.facets":     {doc: "For each filter, how many matches have each value. A filter does not restrict its own counts. Left out with facets=0."},
	"SearchResponse.didYouMean": {doc: "q with its misspelt words corrected, as it was searched for; null if nothing was corrected."},
	"SearchResponse.warnings":   {doc: "What was ignored, or how to ask better."},

	"NamedProduct.name":         {doc: "Name of the product."},
	"NamedProduct.pageUrl":      {doc: "Page of the listings that replace it.", format: "uri"},
	"NamedProduct.alternatives": {doc: "How many listings replace it, without regard to filters.", minimum: new(1)},

	"SortInfo.requested":  {doc: "The order that was asked for; null if none was.", enum: api.SortValues},
	"SortInfo.applied":    {doc: "The order that was applied.", enum: slices.DeleteFunc(slices.Clone(api.SortValues), func(v string) bool { return v == api.SortTrending })},
	"SortInfo.deprecated": {doc: "True for trending, which is served as popular."},
	"SortInfo.order":      {doc: "The applied order in one plain sentence."},

	"Setup.for":             {doc: "The use that the figures are stated for."},
	"Setup.ramGb":           {doc: "RAM in gigabytes; null if not stated."},
	"Setup.vramGb":          {doc: "Graphics memory (VRAM) in gigabytes; null if not stated."},
	"Setup.diskGb":          {doc: "Disk space in gigabytes; null if not stated."},
	"Setup.system":          {doc: "The operating systems that the figures hold for; empty for any."},
	"Setup.gpuVendor":       {doc: "Maker of the graphics card that this use needs; null for any."},
	"Setup.modelsElsewhere": {doc: "True if the figures do not cover the tool together with its model, which runs in another program or on a service. They decide no fit."},
	"Setup.level":           {doc: "minimum: the least with which it does something useful; recommended: what its makers advise; example: what one use took, which rules out no computer.", enum: hardware.Levels},
	"Setup.source":          {doc: "URL or citation that the figures were read from; null if sources.setups has it."},

	"Estimate.ramGb":   {doc: "RAM in gigabytes; null where its makers state it."},
	"Estimate.vramGb":  {doc: "Graphics memory (VRAM) in gigabytes; 0: it works well without a graphics card; null where its makers state it."},
	"Estimate.because": {doc: "The reason, in a few words."},

	"Fit.verdict":  {doc: "Whether it runs on the computer that the search names. fits: its makers say so; likely: an estimate says so; unknown: nobody says; unlikely: an estimate, or all that its makers tried, says no.", enum: []string{string(hardware.Fits), string(hardware.Likely), string(hardware.Unknown), string(hardware.Unlikely)}},
	"Fit.setups":   {doc: "The uses whose needs that computer meets."},
	"Fit.estimate": {doc: "The estimate that the verdict rests on; null if it rests on what its makers state. Call it an estimate."},
	"Fit.unasked":  {doc: "Parameters that the search does not give, and that the uses state on which the verdict rests: ask the user."},

	"Hit.fit":       {doc: "Whether it runs on the computer that the search names; null if it names none."},
	"Hit.match":     {doc: "Why the listing is a hit."},
	"Match.tier":    {doc: "The strongest group of fields that covers the query; null without q.", enum: api.Tiers},
	"Match.partial": {doc: "True if the listing lacks a word of the query, or has the words of a longer query only in different texts."},
	"Match.missing": {doc: "The words of the query that the listing lacks."},

	"FacetValue.value": {doc: "A value of the parameter with the facet's name."},
	"FacetValue.count": {doc: "How many matches have it.", minimum: new(0)},

	"Warning.code":      {doc: "Stable and machine-readable, such as unknown-parameter."},
	"Warning.parameter": {doc: "The parameter that the warning is about."},
	"Warning.message":   {doc: "The warning in a sentence or two."},
	"Warning.value":     {doc: "With suggested-filter: the value of the parameter that leaves only what fits."},

	"Problem.type":        {doc: "Address of a page that explains the kind of problem.", format: "uri"},
	"Problem.title":       {doc: "The kind of problem in a few words."},
	"Problem.status":      {doc: "The HTTP status of the answer."},
	"Problem.detail":      {doc: "What happened this time."},
	"Problem.code":        {doc: "The kind of problem: stable and machine-readable.", enum: problemCodes()},
	"Problem.errors":      {doc: "With invalid-parameter: every wrong parameter."},
	"Problem.suggestions": {doc: "With unknown-project: similar slugs, if there are any."},
	"Problem.requestId":   {doc: "With internal: names the request in our logs."},

	"ToolProblem.retryAfter": {doc: "Seconds to wait before trying again; only if that helps.", minimum: new(1)},

	"ParameterError.parameter": {doc: "Name of the parameter."},
	"ParameterError.message":   {doc: "What was given and what is allowed."},
	"ParameterError.allowed":   {doc: "The allowed values, if they can be listed."},
}

// sharedNotes maps types to the component whose notes they share.
var sharedNotes = map[string]string{"Shortlist": "SearchResponse", "ToolProblem": "Problem", "ListPage": "ProjectList"}

func problemCodes() []string {
	var codes []string
	for _, kind := range api.ProblemKinds {
		if !slices.Contains(api.MCPProblems, kind) {
			codes = append(codes, kind.Code)
		}
	}
	return codes
}

// noteOf returns the note of a component's property. A missing note is an error.
func noteOf(component, property string) (fieldNote, error) {
	if note, ok := fieldNotes[component+"."+property]; ok {
		return note, nil
	}
	if note, ok := fieldNotes["Project."+property]; ok && (component == "Hit" || component == "ProjectDetail") {
		return note, nil
	}
	if shared, ok := sharedNotes[component]; ok {
		return noteOf(shared, property)
	}
	return fieldNote{}, fmt.Errorf("the property %s.%s has no note: describe it in fieldNotes", component, property)
}

// componentName returns the name of a component.
func componentName(t reflect.Type) string {
	if t == reflect.TypeFor[api.FactValues]() {
		return "FitNotes"
	}
	return t.Name()
}

// schemas makes the schemas of a catalogue.
type schemas struct {
	settings *site.Settings
	taxonomy *api.Taxonomy
}

// components returns all components by name.
func (s schemas) components() (object, error) {
	named := object{}
	types := components
	if !s.settings.HasServer() {
		types = fileComponents
	}
	for _, t := range types {
		if t == reflect.TypeFor[api.InstallLink]() && !s.settings.Has("installLinks") ||
			t == reflect.TypeFor[api.Release]() && !s.settings.Has("release") ||
			t == reflect.TypeFor[hardware.Estimate]() && !s.settings.Has(api.EstimateKey) ||
			(t == reflect.TypeFor[hardware.Setup]() || t == reflect.TypeFor[hardware.Fit]()) && !s.taxonomy.HasSetups() {
			continue
		}
		schema, err := s.component(t)
		if err != nil {
			return nil, err
		}
		named = append(named, member{componentName(t), schema})
	}
	return named, nil
}

// component returns the schema of one component.
func (s schemas) component(t reflect.Type) (object, error) {
	switch t {
	case reflect.TypeFor[api.FactValues]():
		return objectSchema(s.taxonomy.FactKeys(), func(key string) object { return factSchema(s.taxonomy.Fact(key)) }), nil
	case reflect.TypeFor[api.QueryEcho]():
		return s.queryEcho(), nil
	case reflect.TypeFor[api.Facets]():
		return s.facets(), nil
	}
	return s.structSchema(t)
}

// objectSchema describes an object. All its properties are required.
func objectSchema(names []string, property func(name string) object) object {
	properties := object{}
	for _, name := range names {
		properties = append(properties, member{name, property(name)})
	}
	return object{{"type", "object"}, {"required", append([]string{}, names...)}, {"properties", properties}}
}

// factSchema describes the values of a fact.
func factSchema(f *api.Fact) object {
	nullable := func(kind string) object { return object{{"type", []any{kind, "null"}}, {"description", f.Meaning}} }
	var slugs []any
	var labels []string
	for _, o := range f.Values {
		slugs = append(slugs, o.Slug)
		labels = append(labels, o.Slug+": "+o.Label)
	}
	meaning := strings.TrimSpace(f.Meaning + " " + strings.Join(labels, "; "))
	switch f.Kind {
	case api.FactYesNo:
		return nullable("boolean")
	case api.FactNumber:
		schema := nullable("number")
		if f.Least != nil {
			schema = append(schema, member{"minimum", *f.Least})
		}
		if f.Most != nil {
			schema = append(schema, member{"maximum", *f.Most})
		}
		return schema
	case api.FactChoice:
		return object{{"type", []any{"string", "null"}}, {"description", meaning}, {"enum", append(slugs, nil)}}
	case api.FactChoices:
		return object{{"type", "array"}, {"items", object{{"type", "string"}, {"enum", slugs}}}, {"description", meaning}}
	case api.FactTexts:
		return object{{"type", "array"}, {"items", object{{"type", "string"}}}, {"description", f.Meaning}}
	case api.FactSetups:
		return object{{"type", "array"}, {"items", reference("schemas", "Setup")}, {"description", f.Meaning}}
	}
	return nullable("string")
}

// queryEcho returns the schema of api.QueryEcho.
func (s schemas) queryEcho() object {
	parameters := api.SearchParameters(s.settings, s.taxonomy)
	parameters = slices.DeleteFunc(parameters, func(p api.Parameter) bool { return p.Name != "q" && p.Name != "limit" && !p.IsFilter() })
	names := make([]string, len(parameters))
	properties := map[string]object{}
	for i, p := range parameters {
		names[i] = p.Name
		note := member{"description", "The filter; null if it was not given."}
		switch p.Kind {
		case api.KindText:
			properties[p.Name] = object{{"type", []any{"string", "null"}}, {"description", "The free text; null if there is none."}}
		case api.KindInteger:
			properties[p.Name] = object{{"type", "integer"}, {"description", "The limit that was applied."}, {"minimum", p.Min}}
		case api.KindNumber:
			properties[p.Name] = object{{"type", []any{"number", "null"}}, note}
		case api.KindFlag:
			properties[p.Name] = object{{"type", []any{"boolean", "null"}}, note}
		case api.KindChoice:
			properties[p.Name] = object{{"type", []any{"string", "null"}}, note}
		default:
			properties[p.Name] = object{{"type", []any{"array", "null"}}, {"items", object{{"type", "string"}}}, note}
		}
	}
	return objectSchema(names, func(name string) object { return properties[name] })
}

// facets returns the schema of api.Facets.
func (s schemas) facets() object {
	names := FacetNames(api.SearchParameters(s.settings, s.taxonomy))
	if s.taxonomy.HasSetups() {
		names = append(names, api.FitFacet)
	}
	return objectSchema(names, func(name string) object {
		about := "Values of the parameter " + name + ", highest count first."
		if name == api.FitFacet {
			about = "How many matches run on the user's computer, how many may, and how many need more; empty if the search names no computer."
		}
		return object{{"type", "array"}, {"items", reference("schemas", "FacetValue")}, {"description", about}}
	})
}

// FacetNames returns the names of the parameters that have a facet, in their order.
func FacetNames(parameters []api.Parameter) (names []string) {
	for _, p := range parameters {
		if p.Kind == api.KindChoices || p.Kind == api.KindFlag && p.Fact != nil {
			names = append(names, p.Name)
		}
	}
	return names
}

// structSchema describes a struct as encoding/json writes it: embedded structs are
// flattened, and properties with omitempty or omitzero are optional.
func (s schemas) structSchema(t reflect.Type) (object, error) {
	properties := object{}
	var required []string
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !s.settings.HasKey(name) && (t == reflect.TypeFor[api.Project]() || t == reflect.TypeFor[api.ProjectDetail]() || t == reflect.TypeFor[api.Hit]()) ||
			name == "-" || t == reflect.TypeFor[api.Hit]() && name == "fit" && !s.taxonomy.HasSetups() {
			continue
		}
		note, err := noteOf(t.Name(), name)
		if err != nil {
			return nil, err
		}
		fieldType := f.Type
		if s.settings.IsOptional(name) { // null where it is empty
			fieldType = reflect.PointerTo(fieldType)
		}
		schema, err := fieldSchema(fieldType, note)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t.Name(), name, err)
		}
		properties = append(properties, member{name, schema})
		if options == "" {
			required = append(required, name)
		}
	}
	return object{{"type", "object"}, {"required", required}, {"properties", properties}}, nil
}

// fieldSchema describes a property of that Go type. Pointers are nullable.
func fieldSchema(t reflect.Type, note fieldNote) (object, error) {
	nullable := t.Kind() == reflect.Pointer
	if nullable {
		t = t.Elem()
	}
	schema, err := typeSchema(t, note)
	if err != nil {
		return nil, err
	}
	switch { // typeSchema puts the type first
	case nullable && schema[0].name == "$ref":
		schema = object{{"anyOf", []object{schema, {{"type", "null"}}}}}
	case nullable:
		schema[0].value = []any{schema[0].value, "null"}
	}
	schema = append(schema, member{"description", note.doc})
	if note.enum != nil {
		values := []any{}
		for _, v := range note.enum {
			values = append(values, v)
		}
		if nullable {
			values = append(values, nil)
		}
		schema = append(schema, member{"enum", values})
	}
	if note.format != "" {
		schema = append(schema, member{"format", note.format})
	}
	if note.pattern != "" {
		schema = append(schema, member{"pattern", note.pattern})
	}
	if note.maxLen > 0 {
		schema = append(schema, member{"maxLength", note.maxLen})
	}
	if note.minimum != nil {
		schema = append(schema, member{"minimum", *note.minimum})
	}
	return schema, nil
}

// JSONSchema returns a JSON Schema (2020-12) of a struct of package api: that of the
// OpenAPI document, with references replaced by the schemas that they refer to.
func JSONSchema(settings *site.Settings, taxonomy *api.Taxonomy, t reflect.Type) (map[string]any, error) {
	return schemas{settings, taxonomy}.resolved(t)
}

func (s schemas) resolved(t reflect.Type) (map[string]any, error) {
	schema, err := s.component(t)
	if err != nil {
		return nil, fmt.Errorf("make the schema of %s: %w", t, err)
	}
	text, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	var resolved map[string]any
	if err := json.Unmarshal(text, &resolved); err != nil {
		return nil, err
	}
	return resolved, s.resolve(resolved)
}

// resolve replaces references by the schemas that they refer to, at any depth. Members
// beside a reference override those of its schema.
func (s schemas) resolve(schema map[string]any) error {
	if name, ok := schema["$ref"].(string); ok {
		i := slices.IndexFunc(components, func(t reflect.Type) bool { return strings.HasSuffix(name, "/"+componentName(t)) })
		if i < 0 {
			return fmt.Errorf("no component has the name %s", name)
		}
		target, err := s.resolved(components[i])
		if err != nil {
			return err
		}
		delete(schema, "$ref")
		for key, value := range target {
			if _, overridden := schema[key]; !overridden {
				schema[key] = value
			}
		}
		return nil
	}
	for _, value := range schema {
		values, isList := value.([]any)
		if !isList {
			values = []any{value}
		}
		for _, value := range values {
			if inner, ok := value.(map[string]any); ok {
				if err := s.resolve(inner); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// typeSchema describes a Go type. The first member is "type" or "$ref".
func typeSchema(t reflect.Type, note fieldNote) (object, error) {
	if t == reflect.TypeFor[api.Date]() {
		return object{{"type", "string"}, {"format", "date"}}, nil
	}
	if slices.Contains(components, t) {
		return reference("schemas", componentName(t)), nil
	}
	if t == reflect.TypeFor[json.RawMessage]() {
		return reference("schemas", note.items), nil
	}
	switch t.Kind() {
	case reflect.String:
		return object{{"type", "string"}}, nil
	case reflect.Bool:
		return object{{"type", "boolean"}}, nil
	case reflect.Int:
		return object{{"type", "integer"}}, nil
	case reflect.Float64:
		return object{{"type", "number"}}, nil
	case reflect.Slice:
		items, err := typeSchema(t.Elem(), note)
		return object{{"type", "array"}, {"items", items}}, err
	case reflect.Map:
		values, err := typeSchema(t.Elem(), note)
		return object{{"type", "object"}, {"additionalProperties", values}}, err
	}
	return nil, fmt.Errorf("the type %s is not described", t)
}
