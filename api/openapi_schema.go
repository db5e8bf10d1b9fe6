package api

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// components are the types that become schemas of the OpenAPI document, under
// their Go names.
var components = []reflect.Type{
	reflect.TypeFor[ProjectList](), reflect.TypeFor[Project](), reflect.TypeFor[ProjectDetail](),
	reflect.TypeFor[FitNotes](), reflect.TypeFor[InstallLink](),
	reflect.TypeFor[SearchResponse](), reflect.TypeFor[QueryEcho](), reflect.TypeFor[SortInfo](),
	reflect.TypeFor[Hit](), reflect.TypeFor[Match](), reflect.TypeFor[Facets](), reflect.TypeFor[FacetValue](),
	reflect.TypeFor[Warning](), reflect.TypeFor[Problem](), reflect.TypeFor[ParameterError](),
}

// fieldNote is what a Go type does not tell about a property: what it means, and
// what its values are limited to.
type fieldNote struct {
	doc      string
	enum     []string
	format   string // a format of JSON Schema or of the OpenAPI registry
	pattern  string
	longest  int    // maxLength, in characters
	atLeast  *int   // minimum
	nullable bool   // null although the Go type is no pointer
	items    string // component of the elements of a list of raw JSON
}

func atLeast(n int) *int { return &n }

// fieldNotes is keyed by component and property. A property of Hit that is not
// here means what it means in Project, and so does one of ProjectDetail.
var fieldNotes = map[string]fieldNote{
	"ProjectList.projects": {doc: "The page of projects; empty past the end.", items: "Project"},
	"ProjectList.total":    {doc: "How many projects the catalog holds.", atLeast: atLeast(0)},
	"ProjectList.limit":    {doc: "The limit that was applied.", atLeast: atLeast(1)},
	"ProjectList.offset":   {doc: "The offset that was applied.", atLeast: atLeast(0)},
	"ProjectList.warnings": {doc: "Unknown parameters that were ignored."},

	"Project.slug":          {doc: "Identifier of the listing.", pattern: SlugPattern, longest: MaxSlug},
	"Project.name":          {doc: "Display name."},
	"Project.aliases":       {doc: "Other names that people type."},
	"Project.purpose":       {doc: "One sentence: the job the tool does.", longest: MaxPurpose},
	"Project.jobs":          {doc: "Jobs to be done, as a user would put them."},
	"Project.category":      {doc: "Home category: a value of the parameter category."},
	"Project.alsoIn":        {doc: "Other categories whose pages show the listing."},
	"Project.topics":        {doc: "Lower-case keywords."},
	"Project.platforms":     {doc: "Platforms that the tool runs on: values of the parameter platform."},
	"Project.language":      {doc: "Main programming language."},
	"Project.license":       {doc: "SPDX expression, or LicenseRef-… for terms outside SPDX."},
	"Project.osiApproved":   {doc: "Whether the Open Source Initiative approves the licence; false for fair-code and non-commercial terms."},
	"Project.stars":         {doc: "Popularity count: attention, not quality. Null where there is no star data; such listings sort last.", atLeast: atLeast(0)},
	"Project.starsAsOf":     {doc: "Day on which the stars were read. Null exactly when stars is."},
	"Project.replaces":      {doc: "Proprietary products that the tool stands in for."},
	"Project.fitNotes":      {doc: "Facts that decide whether the tool fits a person and a machine."},
	"Project.installLinks":  {doc: "Where its makers document or publish the tool. Links only: hand them on, never invent a step."},
	"Project.pageUrl":       {doc: "Human-readable page of the listing.", format: "uri"},
	"Project.repositoryUrl": {doc: "Source repository of the project.", format: "uri"},
	"Project.homepageUrl":   {doc: "The project's own site.", format: "uri"},
	"Project.docsUrl":       {doc: "The project's documentation.", format: "uri"},
	"Project.archived":      {doc: "Whether upstream is archived or abandoned."},
	"Project.addedAt":       {doc: "Day on which the listing joined the catalog."},
	"Project.createdAt":     {doc: "Day of upstream's first commit."},
	"Project.updatedAt":     {doc: "Day of upstream's latest commit or release."},

	"ProjectDetail.description": {doc: "The listing's text as Markdown source."},
	"ProjectDetail.similar":     {doc: "Up to five slugs of listings that do a related job, nearest first."},
	"ProjectDetail.sources":     {doc: "For a field, the URL or citation it was read from, with its date where known."},

	"FitNotes.docker":            {doc: "Its makers publish an image, a Compose file or a Dockerfile; false: looked for and not found."},
	"FitNotes.beginner":          {doc: "Someone who does not program gets a first result from an installer, an app store or one pasted command."},
	"FitNotes.selfHosted":        {doc: "It runs on a machine of one's own."},
	"FitNotes.gpu":               {doc: "none: has no use for a GPU; optional: runs without, can use one; required: does not run without.", enum: GPUValues},
	"FitNotes.minRamGb":          {doc: "Least main memory, in gigabytes, as its makers state it.", atLeast: atLeast(0)},
	"FitNotes.recommendedRamGb":  {doc: "Recommended main memory, in gigabytes.", atLeast: atLeast(0)},
	"FitNotes.minVramGb":         {doc: "Least graphics memory, in gigabytes.", atLeast: atLeast(0)},
	"FitNotes.recommendedVramGb": {doc: "Recommended graphics memory, in gigabytes.", atLeast: atLeast(0)},
	"FitNotes.memoryFor":         {doc: "What the memory figures are stated for, such as a model size or a number of users."},
	"FitNotes.worksOffline":      {doc: "It does its job without a network once installed."},
	"FitNotes.apiKey":            {doc: "Whether it needs a paid provider's API key.", enum: APIKeyValues},
	"FitNotes.caveats":           {doc: "Things to know before choosing."},

	"InstallLink.kind":  {doc: "What the link leads to.", enum: InstallKinds},
	"InstallLink.label": {doc: "Text of the link."},
	"InstallLink.url":   {doc: "Where its makers document or publish it.", format: "uri"},

	"SearchResponse.query":      {doc: "What was understood of the request."},
	"SearchResponse.sort":       {doc: "How the hits are ordered."},
	"SearchResponse.total":      {doc: "How many listings matched, before limit.", atLeast: atLeast(0)},
	"SearchResponse.hits":       {doc: "The best of them, in order."},
	"SearchResponse.facets":     {doc: "For each filter, how many matches hold each value; counted with every filter but its own. Left out with facets=0."},
	"SearchResponse.didYouMean": {doc: "A spelling of q that finds more."},
	"SearchResponse.warnings":   {doc: "What was ignored or could be asked better."},

	"QueryEcho.q":          {doc: "The free text; null where there is none."},
	"QueryEcho.category":   {doc: "The filter; null where it was not given.", nullable: true},
	"QueryEcho.platform":   {doc: "The filter; null where it was not given.", nullable: true},
	"QueryEcho.license":    {doc: "The filter; null where it was not given.", nullable: true},
	"QueryEcho.docker":     {doc: "The filter; null where it was not given."},
	"QueryEcho.beginner":   {doc: "The filter; null where it was not given."},
	"QueryEcho.gpu":        {doc: "The filter; null where it was not given. False: runs without a GPU; true: can use one."},
	"QueryEcho.selfHosted": {doc: "The filter; null where it was not given."},
	"QueryEcho.limit":      {doc: "The limit that was applied.", atLeast: atLeast(1)},

	"SortInfo.requested":  {doc: "The order that was asked for; null where none was.", enum: SortValues},
	"SortInfo.applied":    {doc: "The order that was applied.", enum: slices.DeleteFunc(slices.Clone(SortValues), func(v string) bool { return v == SortTrending })},
	"SortInfo.deprecated": {doc: "True for trending, which is served as popular."},
	"SortInfo.order":      {doc: "The applied order in one plain sentence."},

	"Hit.match":     {doc: "Why the listing is a hit."},
	"Match.tier":    {doc: "The strongest group of fields that covers the query; null where no q was given.", enum: Tiers},
	"Match.partial": {doc: "True where not every word of the query is covered."},

	"Facets.category":   {doc: "Home categories, highest count first."},
	"Facets.platform":   {doc: "Platforms, highest count first."},
	"Facets.license":    {doc: "Licences, highest count first."},
	"Facets.docker":     {doc: "0 and 1, highest count first."},
	"Facets.beginner":   {doc: "0 and 1, highest count first."},
	"Facets.gpu":        {doc: "0 and 1, highest count first."},
	"Facets.selfHosted": {doc: "0 and 1, highest count first."},

	"FacetValue.value": {doc: "A value that the parameter of the facet's name accepts."},
	"FacetValue.count": {doc: "How many matches hold it.", atLeast: atLeast(0)},

	"Warning.code":      {doc: "Stable and machine-readable, such as unknown-parameter."},
	"Warning.parameter": {doc: "The parameter that the warning is about."},
	"Warning.message":   {doc: "The warning in a sentence or two."},

	"Problem.type":        {doc: "Address of a page that explains the kind of problem.", format: "uri"},
	"Problem.title":       {doc: "The kind of problem in a few words."},
	"Problem.status":      {doc: "The HTTP status of the answer."},
	"Problem.detail":      {doc: "What happened this time."},
	"Problem.code":        {doc: "The kind of problem: stable and machine-readable.", enum: problemCodes()},
	"Problem.errors":      {doc: "With invalid-parameter: every wrong parameter."},
	"Problem.suggestions": {doc: "With unknown-project: near slugs, where there are any."},
	"Problem.requestId":   {doc: "With internal: names the request in our logs."},

	"ToolProblem.retryAfter": {doc: "In how many seconds to try again; only where trying again helps.", atLeast: atLeast(1)},

	"ParameterError.parameter": {doc: "Name of the parameter."},
	"ParameterError.message":   {doc: "What was given and what is allowed."},
	"ParameterError.allowed":   {doc: "The allowed values, where they can be listed."},
}

// likeComponent names, for a type that only tools answer with, the component
// whose properties its own are.
var likeComponent = map[string]string{"Shortlist": "SearchResponse", "ToolProblem": "Problem"}

func problemCodes() []string {
	var codes []string
	for _, kind := range ProblemKinds {
		if !slices.Contains(mcpProblems, kind) {
			codes = append(codes, kind.Code)
		}
	}
	return codes
}

// noteOf returns the note of a component's property.
func noteOf(component, property string) (fieldNote, error) {
	if note, ok := fieldNotes[component+"."+property]; ok {
		return note, nil
	}
	if note, ok := fieldNotes["Project."+property]; ok && (component == "Hit" || component == "ProjectDetail") {
		return note, nil
	}
	if like, ok := likeComponent[component]; ok {
		return noteOf(like, property)
	}
	return fieldNote{}, fmt.Errorf("the property %s.%s has no note: describe it in fieldNotes", component, property)
}

func componentSchemas() (object, error) {
	schemas := object{}
	for _, t := range components {
		schema, err := structSchema(t)
		if err != nil {
			return nil, err
		}
		schemas = append(schemas, member{t.Name(), schema})
	}
	return schemas, nil
}

// structSchema describes a struct as encoding/json writes it: embedded structs
// are flattened, and every property is required but those that may be left out.
func structSchema(t reflect.Type) (object, error) {
	properties := object{}
	var required []string
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		note, err := noteOf(t.Name(), name)
		if err != nil {
			return nil, err
		}
		schema, err := fieldSchema(f.Type, note)
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

// fieldSchema describes a property of that Go type.
func fieldSchema(t reflect.Type, note fieldNote) (object, error) {
	nullable := note.nullable
	if t.Kind() == reflect.Pointer {
		t, nullable = t.Elem(), true
	}
	schema, err := typeSchema(t, note)
	if err != nil {
		return nil, err
	}
	if nullable {
		schema[0].value = []any{schema[0].value, "null"} // the type, see typeSchema
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
	if note.longest > 0 {
		schema = append(schema, member{"maxLength", note.longest})
	}
	if note.atLeast != nil {
		schema = append(schema, member{"minimum", *note.atLeast})
	}
	return schema, nil
}

// JSONSchema returns a JSON Schema (2020-12) of a struct of the wire contract: that of
// the OpenAPI document, with the schemas that it refers to in the place of references.
func JSONSchema(t reflect.Type) (map[string]any, error) {
	schema, err := structSchema(t)
	if err != nil {
		return nil, fmt.Errorf("make the schema of %s: %w", t, err)
	}
	text, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	var whole map[string]any
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, err
	}
	return whole, resolve(whole)
}

// resolve puts schemas into the place of references to them.
func resolve(schema map[string]any) error {
	if name, ok := schema["$ref"].(string); ok {
		i := slices.IndexFunc(components, func(t reflect.Type) bool { return strings.HasSuffix(name, "/"+t.Name()) })
		if i < 0 {
			return fmt.Errorf("no component has the name %s", name)
		}
		whole, err := JSONSchema(components[i])
		if err != nil {
			return err
		}
		delete(schema, "$ref")
		for key, value := range whole {
			if _, own := schema[key]; !own {
				schema[key] = value
			}
		}
		return nil
	}
	for _, value := range schema {
		if inner, ok := value.(map[string]any); ok {
			if err := resolve(inner); err != nil {
				return err
			}
		}
	}
	return nil
}

// typeSchema describes a Go type; the first member is its type, or a reference.
func typeSchema(t reflect.Type, note fieldNote) (object, error) {
	if t == reflect.TypeFor[Date]() {
		return object{{"type", "string"}, {"format", "date"}}, nil
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
	case reflect.Struct:
		if slices.Contains(components, t) {
			return reference("schemas", t.Name()), nil
		}
	}
	return nil, fmt.Errorf("the type %s is not described", t)
}
