package render

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/openapi"
	"catalog.example/generator/content"
	"catalog.example/generator/labels"
	"github.com/google/jsonschema-go/jsonschema"
)

// docsView is the view of the documentation of the API.
type docsView struct {
	Title, Version string
	About          []described // paragraphs
	Operations     []operationView
	Common         []responseView // responses of all operations
	Headers        []fieldView
	Schemas        []schemaView
	KeySample      string // curl with the key
	Steps          string // the intended use, one line of curl a step
	// Guide is the site's own text for agents, if it has one. GuideProse is the same for the
	// Markdown version.
	Guide      template.HTML
	GuideProse markdown
	Problems   []api.ProblemKind
}

// described is a text of the OpenAPI document, as HTML and as it is for the Markdown
// version.
type described struct {
	Description template.HTML
	Source      string
}

func (r *renderer) describe(text string) described {
	text = r.t(text)
	return described{withCode(text), text}
}

type operationView struct {
	ID, Path, Summary string
	described
	Parameters []fieldView
	Responses  []responseView
	Samples    []sampleView
	Example    string     // address of an example
	Action     string     // address of the form; "" for none
	Fields     []tryField // of the form
	Common     []responseView
}

// fieldView is a parameter, a header or a property.
type fieldView struct {
	Name string
	described
	Type     template.HTML
	TypeName string // what Type renders, for the Markdown version
	Allowed  string
	Default  string
}

type responseView struct {
	Status, Code string // Code is a problem's; "" for none
	described
	Headers   []string
	MediaType string
	Schema    template.HTML
	TypeName  string // what Schema renders, for the Markdown version
	Example   string // indented JSON
}

type schemaView struct {
	Name   string
	Fields []fieldView
}

// tryField is a field of the form that tries an operation.
type tryField struct {
	Name, Kind string   // Kind: text, number, choice or flag
	Allowed    []string // of a choice or a flag
	Default    string
	Min, Max   string // of a number
	Step       string // of a number that need not be whole
	MaxLength  int    // of a text; 0 for none
}

// guidePage is the slug of the page for agents that a site may have.
const guidePage = "agents"

// docs writes the documentation of the API, from its description.
func (r *renderer) docs() error {
	d, err := openapi.Describe(&r.Settings, &r.Content.Taxonomy)
	if err != nil {
		return fmt.Errorf("documentation of the API: %w", err)
	}
	view := docsView{Title: d.Info.Title, Version: d.Info.Version}
	for _, k := range r.problemKinds() {
		k.Title, k.Explanation = r.t(k.Title), r.t(k.Explanation)
		view.Problems = append(view.Problems, k)
	}
	for paragraph := range strings.SplitSeq(d.Info.Description, "\n\n") {
		view.About = append(view.About, r.describe(paragraph))
	}
	curl := func(address string) string { return "curl -sS --fail-with-body " + shellQuoted(address) }
	steps := []string{curl(r.Settings.URL("/llms.txt")), curl(r.exampleStep())}
	for _, path := range d.Paths {
		o, err := r.operationView(d, path.Name, path.Value.Get)
		if err != nil {
			return fmt.Errorf("documentation of the API: %s: %w", o.ID, err)
		}
		if view.Operations = append(view.Operations, o); o.ID == "getProject" {
			steps = append(steps, curl(o.Example))
		}
	}
	view.Steps = strings.Join(steps, "\n")
	for _, response := range d.Components.Responses {
		v, err := r.responseOf("", response.Name, &response.Value)
		if err != nil {
			return fmt.Errorf("documentation of the API: %s: %w", response.Name, err)
		}
		view.Common = append(view.Common, v)
	}
	for _, h := range d.Components.Headers {
		if !strings.HasSuffix(h.Name, openapi.IfCounted) { // a variant of a header that may be missing
			view.Headers = append(view.Headers, fieldView{
				Name: h.Name, described: r.describe(h.Value.Description), Allowed: fmt.Sprint(h.Value.Example),
			})
		}
	}
	for _, s := range d.Components.Schemas {
		view.Schemas = append(view.Schemas, schemaView{s.Name, r.propertiesOf(s.Value)})
	}
	if key := r.Settings.SandboxKey; key != "" && r.Settings.HasServer() {
		view.KeySample = "curl -sS --fail-with-body -H " + shellQuoted("X-Api-Key: "+key) + " " +
			shellQuoted(r.Settings.SearchBase()+r.exampleSearch(false))
	}
	view.Guide, view.GuideProse = r.guide()
	return r.page("docs", pageView{
		Title: r.t("API"), Description: r.t("How to read the catalogue from a program."), Path: "/docs/",
		Crumbs: []crumbView{{r.t("API"), ""}}, Data: view,
	})
}

// guide returns the site's own text for agents, as HTML and as Markdown.
func (r *renderer) guide() (template.HTML, markdown) {
	i := slices.IndexFunc(r.Content.Pages, func(p *content.Page) bool { return p.Slug == guidePage })
	if i < 0 {
		return "", ""
	}
	sections := r.Content.Pages[i].Sections
	if len(sections) > 1 && sections[0].Offset < 0 { // it repeats the three steps of this page
		sections = sections[1:]
	}
	html := template.HTML(withoutHeadingIDs(content.HTMLOf(sections))) // #nosec G203 -- rendered by goldmark without raw HTML
	return html, markdown(content.MarkdownOf(sections))
}

// headingID matches the identifier of a heading in a rendered text.
var headingID = regexp.MustCompile(`(<h[1-6]) id="[^"]*"`)

// withoutHeadingIDs returns a rendered text for a page that has identifiers of its own. Links
// to headings lead to the page of the text.
func withoutHeadingIDs(html string) string { return headingID.ReplaceAllString(html, "$1") }

func (r *renderer) operationView(d *openapi.API, path string, o *openapi.Operation) (operationView, error) {
	base, example := r.Settings.BaseURL, r.filledIn(path)
	parameters := o.Parameters
	switch path {
	case api.PathSearch:
		base, example = r.Settings.SearchBase(), r.exampleSearch(true)
		// This page has the parameters that the OpenAPI document leaves out, too.
		parameters = append(parameters, openapi.QueryParameters(slices.DeleteFunc(
			r.searchParameters(), func(p api.Parameter) bool { return !p.Undescribed },
		))...)
	case api.PathProjects:
		example += "?limit=5"
	}
	v := operationView{
		ID: o.ID, Path: path, Summary: r.t(o.Summary), described: r.describe(o.Description), Example: base + example,
		Samples: samplesOf(o.ID, base+example, r.Settings.HasServer()),
	}
	for _, p := range parameters {
		field := r.fieldOf(p.Name, p.Schema)
		field.described, field.Default = r.describe(p.Description), defaultOf(p.Schema)
		v.Parameters = append(v.Parameters, field)
		if p.In == "query" {
			v.Action = base + path
			v.Fields = append(v.Fields, tryFieldOf(&p))
		}
	}
	for _, response := range o.Responses {
		if code, isCommon := strings.CutPrefix(response.Value.Ref, openapi.ResponsePath); isCommon {
			about := r.describe(d.Components.Responses.Get(code).Description)
			v.Common = append(v.Common, responseView{Status: response.Name, Code: code, described: about})
			continue
		}
		one, err := r.responseOf(response.Name, "", &response.Value)
		if err != nil {
			return v, err
		}
		v.Responses = append(v.Responses, one)
	}
	return v, nil
}

// filledIn returns a path with values of this catalogue for the parts in braces.
func (r *renderer) filledIn(path string) string {
	slug, category := "example-notes", "example"
	if len(r.Listings) > 0 {
		slug, category = r.Listings[0].Slug, r.Listings[0].Category
	}
	values := strings.NewReplacer("{slug}", slug, "{category}", category, "{order}", api.SortNewest, "{page}", "1")
	return values.Replace(path)
}

// exampleStep returns the address with which an agent finds listings for a job.
func (r *renderer) exampleStep() string {
	if !r.Settings.HasServer() {
		return r.Settings.URL(r.filledIn(api.PathCategoryList))
	}
	return r.Settings.SearchBase() + r.exampleSearch(true)
}

func (r *renderer) responseOf(status, code string, response *openapi.Response) (responseView, error) {
	v := responseView{Status: status, Code: code, described: r.describe(response.Description)}
	for _, h := range response.Headers {
		v.Headers = append(v.Headers, h.Name)
	}
	for mediaType, body := range response.Content {
		example, err := json.MarshalIndent(body.Example, "", "  ")
		if err != nil {
			return v, err
		}
		v.MediaType, v.Example = mediaType, string(example)
		v.Schema, v.TypeName = r.typeOf(body.Schema), r.typeName(body.Schema)
	}
	return v, nil
}

func (r *renderer) propertiesOf(s *jsonschema.Schema) (fields []fieldView) {
	for _, name := range s.PropertyOrder {
		fields = append(fields, r.fieldOf(name, s.Properties[name]))
	}
	return fields
}

// fieldOf describes a value by its schema.
func (r *renderer) fieldOf(name string, s *jsonschema.Schema) fieldView {
	return fieldView{
		Name: name, described: r.describe(s.Description),
		Type: r.typeOf(s), TypeName: r.typeName(s), Allowed: r.allowedOf(s),
	}
}

// typeOf returns a schema's type in words, with a link to the schema that it refers to.
func (r *renderer) typeOf(s *jsonschema.Schema) template.HTML {
	if name, ok := strings.CutPrefix(s.Ref, openapi.SchemaPath); ok {
		name = template.HTMLEscapeString(name)
		return template.HTML(`<a href="#schema-` + name + `">` + name + `</a>`) // #nosec G203 -- escaped
	}
	text := template.HTML(template.HTMLEscapeString(r.ownType(s))) // #nosec G203 -- escaped
	if s.Items != nil {
		return filledHTML(r.labels.Form("{list} of {items}"), "list", text, "items", r.typeOf(s.Items))
	}
	return text
}

// typeName returns a schema's type in words.
func (r *renderer) typeName(s *jsonschema.Schema) string {
	if name, ok := strings.CutPrefix(s.Ref, openapi.SchemaPath); ok {
		return name
	}
	if s.Items != nil {
		return r.t("{list} of {items}", "list", r.ownType(s), "items", r.typeName(s.Items))
	}
	return r.ownType(s)
}

// ownType returns the type of a schema without that of its items.
func (r *renderer) ownType(s *jsonschema.Schema) string {
	return cmp.Or(s.Type, strings.Join(s.Types, " "+r.t("or")+" "))
}

// allowedOf returns the bounds of a schema in words.
func (r *renderer) allowedOf(s *jsonschema.Schema) string {
	if s.Items != nil {
		return r.allowedOf(s.Items)
	}
	var parts []string
	if values := valuesOf(s); len(values) > 0 {
		parts = append(parts, strings.Join(values, ", "))
	}
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		parts = append(parts, r.t("{least} to {most}", "least", numberOf(s.Minimum), "most", numberOf(s.Maximum)))
	case s.Minimum != nil:
		parts = append(parts, r.t("at least {least}", "least", numberOf(s.Minimum)))
	}
	if s.MaxLength != nil {
		parts = append(parts, r.n(*s.MaxLength, "at most {n} character", "at most {n} characters"))
	}
	if s.Format != "" {
		parts = append(parts, s.Format)
	}
	return strings.Join(parts, "; ")
}

// valuesOf returns the values of an enumeration without null, which the type already names.
func valuesOf(s *jsonschema.Schema) (values []string) {
	for _, v := range s.Enum {
		if v != nil {
			values = append(values, fmt.Sprint(v))
		}
	}
	return values
}

// defaultOf returns the default of a parameter, which is a number or a text.
func defaultOf(s *jsonschema.Schema) string { return strings.Trim(string(s.Default), `"`) }

// numberOf returns a bound as JSON writes it, or "" for none.
func numberOf(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

// tryFieldOf returns the form field of a parameter. A flag is a pair of radio buttons,
// because forms send all other fields, also empty ones, and the API takes no empty flag.
func tryFieldOf(p *openapi.Parameter) tryField {
	s := p.Schema
	f := tryField{Name: p.Name, Kind: "text", Default: defaultOf(s)}
	if f.Allowed = valuesOf(s); s.Items != nil {
		f.Allowed = valuesOf(s.Items)
	}
	switch {
	case slices.Equal(f.Allowed, []string{"0", "1"}):
		f.Kind = "flag"
	case len(f.Allowed) > 0:
		f.Kind = "choice"
	case s.Type == "integer", s.Type == "number":
		f.Kind, f.Min, f.Max = "number", numberOf(s.Minimum), numberOf(s.Maximum)
		if s.Type == "number" {
			f.Step = "any"
		}
	case s.MaxLength != nil:
		f.MaxLength = *s.MaxLength
	}
	return f
}

// withCode returns HTML in which text between backticks is code.
func withCode(text string) template.HTML {
	var out strings.Builder
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			out.WriteString("<code>" + template.HTMLEscapeString(part) + "</code>")
		} else {
			out.WriteString(template.HTMLEscapeString(part))
		}
	}
	return template.HTML(out.String()) // #nosec G203 -- escaped piece by piece
}

// sampleView is an example program.
type sampleView struct {
	Language string // its name for people
	ID       string // its name in the page's addresses
	Code     string
}

// sampleShape is the code that handles the answer in the examples of an operation, by
// language.
type sampleShape struct{ javaScript, python, golang, goPrint string }

// listShape handles lists of projects.
var listShape = sampleShape{
	"for (const project of answer.projects) console.log(project.name, project.purpose, project.pageUrl);",
	"for project in answer[\"projects\"]:\n    print(project[\"name\"], project[\"purpose\"], project[\"pageUrl\"])",
	"Projects []struct{ Name, PageURL string }",
	"for _, project := range answer.Projects {\n\t\tfmt.Println(project.Name, project.PageURL)\n\t}",
}

var sampleShapes = map[string]sampleShape{
	"searchCatalog": {
		"for (const hit of answer.hits) console.log(hit.name, hit.fitNotes, hit.pageUrl);",
		"for hit in answer[\"hits\"]:\n    print(hit[\"name\"], hit[\"fitNotes\"], hit[\"pageUrl\"])",
		"Hits []struct {\n\t\t\tName, PageURL string\n\t\t\tFitNotes      map[string]any // nil: unknown\n\t\t}",
		"for _, hit := range answer.Hits {\n\t\tfmt.Println(hit.Name, hit.PageURL)\n\t}",
	},
	"listProjects": listShape,
	"getProject": {
		"console.log(answer.name, answer.pageUrl, answer.fitNotes);",
		"print(answer[\"name\"], answer[\"pageUrl\"], answer[\"fitNotes\"])",
		"Name, PageURL string\n\t\tFitNotes      map[string]any // nil: unknown",
		"fmt.Println(answer.Name, answer.PageURL, answer.FitNotes)",
	},
	"getList": listShape, "getCategoryList": listShape,
	"getOpenAPI": {
		"console.log(answer.info.title, Object.keys(answer.paths));",
		"print(answer[\"info\"][\"title\"], list(answer[\"paths\"]))",
		"Info struct{ Title string }",
		"fmt.Println(answer.Info.Title)",
	},
}

// samplesOf returns complete programs that request an address and need only the standard
// library of their language.
func samplesOf(operation, address string, hasServer bool) []sampleView {
	failure := "(await response.json()).detail"
	if !hasServer { // a host of files answers with a page
		failure = "`status ${response.status}`"
	}
	shape, ok := sampleShapes[operation]
	samples := []sampleView{{"curl", "curl", "curl -sS --fail-with-body " + shellQuoted(address)}}
	if !ok {
		return samples
	}
	quoted := strconv.Quote(address)
	return append(samples,
		sampleView{"JavaScript", "javascript", `const response = await fetch(` + quoted + `);
if (!response.ok) throw new Error(` + failure + `);
const answer = await response.json();
` + shape.javaScript},
		sampleView{"Python", "python", `import json
import urllib.request

with urllib.request.urlopen(` + quoted + `) as response:
    answer = json.load(response)
` + shape.python},
		sampleView{"Go", "go", `package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
)

func main() {
	response, err := http.Get(` + quoted + `)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		log.Fatal(response.Status)
	}
	var answer struct {
		` + shape.golang + `
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		log.Fatal(err)
	}
	` + shape.goPrint + `
}`})
}

// shellQuoted quotes a word for a POSIX shell.
func shellQuoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// parameterView is a parameter in words.
type parameterView struct{ Name, Description, Allowed, Default string }

// exampleSearch returns the path of a search with hits in this catalogue: the first job of
// the most popular listing with jobs. If filtered is set, it has a filter that matches it.
func (r *renderer) exampleSearch(filtered bool) string {
	for _, l := range r.Listings {
		if len(l.Jobs) == 0 {
			continue
		}
		query := "q=" + url.QueryEscape(l.Jobs[0])
		if filtered && len(l.Platforms) > 0 {
			query += "&platform=" + l.Platforms[0]
		}
		return api.PathSearch + "?" + query + "&limit=5"
	}
	return api.PathSearch + "?limit=5"
}

// searchParameters returns the parameters of a search in this catalogue.
func (r *renderer) searchParameters() []api.Parameter {
	return api.SearchParameters(&r.Settings, &r.Content.Taxonomy)
}

// parameters returns parameters in words.
func parameters(l *labels.Labels, list []api.Parameter) []parameterView {
	var views []parameterView
	for _, p := range list {
		v := parameterView{Name: p.Name, Description: l.Text(p.Description)}
		switch {
		case p.Kind == api.KindFlag:
			v.Allowed = "0, 1"
		case p.Kind == api.KindInteger && p.HasMax:
			v.Allowed = l.Text("{least} to {most}", "least", p.Min, "most", p.Max)
		case p.Kind == api.KindInteger:
			v.Allowed = l.Text("at least {least}", "least", p.Min)
		case p.Kind == api.KindNumber && p.Least != nil && p.Most != nil:
			v.Allowed = l.Text("{least} to {most}", "least", *p.Least, "most", *p.Most)
		case p.Kind == api.KindNumber:
			v.Allowed = l.Text(api.NumberBounds(p.Least, p.Most))
		default:
			v.Allowed = strings.Join(p.Allowed, ", ")
		}
		if p.Default != nil {
			v.Default = fmt.Sprint(p.Default)
		}
		views = append(views, v)
	}
	return views
}
