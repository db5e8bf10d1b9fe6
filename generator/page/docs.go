package page

import (
	"bytes"
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
	"catalog.example/generator/render"
)

// ordered is a JSON object whose members keep their order.
type ordered[T any] []named[T]

type named[T any] struct {
	Name  string
	Value T
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *ordered[T]) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		m := named[T]{Name: fmt.Sprint(name)}
		if err := d.Decode(&m.Value); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		*o = append(*o, m)
	}
	return nil
}

func (o ordered[T]) get(name string) (value T, ok bool) {
	i := slices.IndexFunc(o, func(m named[T]) bool { return m.Name == name })
	if i < 0 {
		return value, false
	}
	return o[i].Value, true
}

// openAPIDocument has the parts of an OpenAPI document (OpenAPI 3.1.0, section 4.8) that the
// documentation shows.
type openAPIDocument struct {
	Info       struct{ Title, Version, Description string }
	Paths      ordered[struct{ Get openAPIOperation }]
	Components struct {
		Schemas   ordered[openAPISchema]
		Headers   ordered[openAPIHeader]
		Responses ordered[openAPIResponse]
	}
}

type openAPIOperation struct {
	OperationID          string
	Summary, Description string
	Parameters           []openAPIParameter
	Responses            ordered[openAPIResponse]
}

type openAPIParameter struct {
	Name, In, Description string
	Required              bool
	Schema                openAPISchema
	Example               any
}

type openAPIHeader struct {
	Description string
	Example     any
}

type openAPIResponse struct {
	Ref         string `json:"$ref"`
	Description string
	Headers     ordered[json.RawMessage]
	Content     ordered[struct {
		Schema  openAPISchema
		Example json.RawMessage
	}]
}

type openAPISchema struct {
	Ref                  string `json:"$ref"`
	Type                 any    // a string, or several in a list
	Description          string
	Format, Pattern      string
	Enum                 []any
	Minimum, Maximum     *float64
	MaxLength            *int
	Default              any
	Items                *openAPISchema
	Properties           ordered[openAPISchema]
	AdditionalProperties any
}

// docsView is the view of the documentation of the API.
type docsView struct {
	Title, Version string
	About          []template.HTML // paragraphs
	Info           []string        // what About renders, for the Markdown version
	Operations     []operationView
	Common         []responseView // responses of all operations
	Headers        []fieldView
	Schemas        []schemaView
	Key            string
	KeySample      string // curl with the key
	Steps          string // the intended use, one line of curl a step
	// Guide is the site's own text for agents, if it has one. GuideProse is the same for the
	// Markdown version.
	Guide      template.HTML
	GuideProse render.Markdown
	Problems   []api.ProblemKind
}

// described is a text of the OpenAPI document, as HTML and as it is for the Markdown
// version.
type described struct {
	Description template.HTML
	Source      string
}

func (r docsPage) describe(text string) described {
	text = r.T(text)
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

// docsPage is the documentation of the API.
type docsPage struct{ *catalog }

// show makes the documentation from the OpenAPI document.
func (r docsPage) show() (*render.Page, error) {
	text, err := openapi.Document(r.Settings, &r.Content.Taxonomy)
	if err != nil {
		return nil, fmt.Errorf("documentation of the API: %w", err)
	}
	var d openAPIDocument
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("documentation of the API: read the OpenAPI document: %w", err)
	}
	view := docsView{Title: d.Info.Title, Version: d.Info.Version, Key: r.Settings.SandboxKey}
	for _, k := range r.problemKinds() {
		k.Title, k.Explanation = r.T(k.Title), r.T(k.Explanation)
		view.Problems = append(view.Problems, k)
	}
	for paragraph := range strings.SplitSeq(d.Info.Description, "\n\n") {
		paragraph = r.T(paragraph)
		view.About, view.Info = append(view.About, withCode(paragraph)), append(view.Info, paragraph)
	}
	for _, path := range d.Paths {
		o, err := r.operationView(&d, path.Name, &path.Value.Get)
		if err != nil {
			return nil, err
		}
		view.Operations = append(view.Operations, o)
	}
	for _, response := range d.Components.Responses {
		v, err := r.responseOf("", response.Name, &response.Value)
		if err != nil {
			return nil, err
		}
		view.Common = append(view.Common, v)
	}
	for _, h := range d.Components.Headers {
		if !strings.HasSuffix(h.Name, "-if-counted") { // a variant of a header that may be missing
			view.Headers = append(view.Headers, fieldView{Name: h.Name, described: r.describe(h.Value.Description), Allowed: fmt.Sprint(h.Value.Example)})
		}
	}
	for _, s := range d.Components.Schemas {
		view.Schemas = append(view.Schemas, schemaView{s.Name, r.propertiesOf(&s.Value)})
	}
	if view.Key != "" && r.Settings.HasServer() {
		view.KeySample = "curl -sS --fail-with-body -H " + shellQuoted("X-Api-Key: "+view.Key) + " " + shellQuoted(r.Settings.SearchBase()+r.exampleSearch(false))
	}
	step := func(address string) string { return "curl -sS --fail-with-body " + shellQuoted(address) + "\n" }
	view.Steps = step(r.Settings.URL("/llms.txt")) + step(r.exampleStep())
	for _, o := range view.Operations {
		if o.ID == "getProject" {
			view.Steps += strings.TrimSuffix(step(o.Example), "\n")
		}
	}
	if i := slices.IndexFunc(r.Content.Pages, func(p *content.Page) bool { return p.Slug == guidePage }); i >= 0 {
		p := r.Content.Pages[i]
		sections := p.Sections
		if len(sections) > 1 && sections[0].Offset < 0 { // it repeats the three steps of this page
			sections = sections[1:]
		}
		view.Guide, view.GuideProse = template.HTML(withoutHeadingIDs(content.HTMLOf(sections))), render.Markdown(content.MarkdownOf(sections)) // #nosec G203 -- rendered by goldmark without raw HTML
	}
	return &render.Page{
		Kind: "docs", Title: r.T("API"), Description: r.T("How to read the catalogue from a program."), Path: "/docs/",
		Crumbs: render.Crumbs(r.T("API")), Data: view,
	}, nil
}

// headingID matches the identifier of a heading in a rendered text.
var headingID = regexp.MustCompile(`(<h[1-6]) id="[^"]*"`)

// withoutHeadingIDs returns a rendered text for a page that has identifiers of its own. Links
// to headings lead to the page of the text.
func withoutHeadingIDs(html string) string { return headingID.ReplaceAllString(html, "$1") }

func (r docsPage) operationView(d *openAPIDocument, path string, o *openAPIOperation) (operationView, error) {
	base, example := r.Settings.BaseURL, path
	switch path {
	case api.PathSearch:
		base, example = r.Settings.SearchBase(), r.exampleSearch(true)
	case api.PathProjects:
		example += "?limit=5"
	default:
		example = r.filledIn(path)
	}
	v := operationView{ID: o.OperationID, Path: path, Summary: r.T(o.Summary), described: r.describe(o.Description), Example: base + example}
	parameters := o.Parameters
	if path == api.PathSearch {
		undescribed, err := r.undescribed()
		if err != nil {
			return v, err
		}
		parameters = append(parameters, undescribed...)
	}
	for _, p := range parameters {
		f := fieldView{
			Name: p.Name, described: r.describe(p.Description), Type: r.typeOf(&p.Schema), TypeName: r.typeName(&p.Schema), Allowed: r.allowedOf(&p.Schema), Default: textOf(p.Schema.Default),
		}
		v.Parameters = append(v.Parameters, f)
		if p.In == "query" {
			v.Action = base + path
			v.Fields = append(v.Fields, tryFieldOf(&p))
		}
	}
	for _, response := range o.Responses {
		if name, isCommon := strings.CutPrefix(response.Value.Ref, "#/components/responses/"); isCommon {
			common, ok := d.Components.Responses.get(name)
			if !ok {
				return v, fmt.Errorf("documentation of the API: %s: no response %s", o.OperationID, name)
			}
			v.Common = append(v.Common, responseView{Status: response.Name, Code: name, described: r.describe(common.Description)})
			continue
		}
		one, err := r.responseOf(response.Name, "", &response.Value)
		if err != nil {
			return v, err
		}
		v.Responses = append(v.Responses, one)
	}
	v.Samples = samplesOf(o.OperationID, base+example, r.Settings.HasServer())
	return v, nil
}

// filledIn returns a path with values of this catalogue for the parts in braces.
func (r docsPage) filledIn(path string) string {
	slug, category := "example-notes", "example"
	if len(r.Listings) > 0 {
		slug, category = r.Listings[0].Slug, r.Listings[0].Category
	}
	return strings.NewReplacer("{slug}", slug, "{category}", category, "{order}", api.SortNewest, "{page}", "1").Replace(path)
}

// exampleStep returns the address with which an agent finds listings for a job.
func (r docsPage) exampleStep() string {
	if !r.Settings.HasServer() {
		return r.Settings.URL(r.filledIn(api.PathCategoryList))
	}
	return r.Settings.SearchBase() + r.exampleSearch(true)
}

// undescribed returns the parameters of a search that the OpenAPI document leaves out
// , in its format.
func (r docsPage) undescribed() (list []openAPIParameter, err error) {
	parameters := slices.DeleteFunc(r.SearchParameters(), func(p api.Parameter) bool { return !p.Undescribed })
	text, err := json.Marshal(openapi.SearchInputSchema(parameters))
	if err != nil {
		return nil, fmt.Errorf("documentation of the API: %w", err)
	}
	var schema openAPISchema
	if err := json.Unmarshal(text, &schema); err != nil {
		return nil, fmt.Errorf("documentation of the API: %w", err)
	}
	for _, p := range parameters {
		s, _ := schema.Properties.get(p.Name)
		list = append(list, openAPIParameter{Name: p.Name, In: "query", Description: p.Text(), Schema: s})
	}
	return list, nil
}

func (r docsPage) responseOf(status, code string, response *openAPIResponse) (responseView, error) {
	v := responseView{Status: status, Code: code, described: r.describe(response.Description)}
	for _, h := range response.Headers {
		v.Headers = append(v.Headers, strings.TrimSuffix(h.Name, "-if-counted"))
	}
	for _, c := range response.Content {
		var out bytes.Buffer
		if err := json.Indent(&out, c.Value.Example, "", "  "); err != nil {
			return v, fmt.Errorf("documentation of the API: example of %s%s: %w", status, code, err)
		}
		v.MediaType, v.Schema, v.TypeName, v.Example = c.Name, r.typeOf(&c.Value.Schema), r.typeName(&c.Value.Schema), out.String()
	}
	return v, nil
}

func (r docsPage) propertiesOf(s *openAPISchema) []fieldView {
	var fields []fieldView
	for _, p := range s.Properties {
		fields = append(fields, fieldView{
			Name: p.Name, described: r.describe(p.Value.Description), Type: r.typeOf(&p.Value), TypeName: r.typeName(&p.Value), Allowed: r.allowedOf(&p.Value),
		})
	}
	return fields
}

// typeOf returns a schema's type in words, with a link to the schema that it refers to.
func (r docsPage) typeOf(s *openAPISchema) template.HTML {
	if name, ok := schemaName(s); ok {
		name = template.HTMLEscapeString(name)
		return template.HTML(`<a href="#schema-` + name + `">` + name + `</a>`) // #nosec G203 -- escaped
	}
	text := template.HTML(template.HTMLEscapeString(r.ownType(s))) // #nosec G203 -- escaped
	if s.Items != nil {
		return render.FilledHTML(r.Labels.Form("{list} of {items}"), "list", text, "items", r.typeOf(s.Items))
	}
	return text
}

// typeName returns a schema's type in words.
func (r docsPage) typeName(s *openAPISchema) string {
	if name, ok := schemaName(s); ok {
		return name
	}
	if s.Items != nil {
		return r.T("{list} of {items}", "list", r.ownType(s), "items", r.typeName(s.Items))
	}
	return r.ownType(s)
}

// schemaName returns the name of the schema that s refers to.
func schemaName(s *openAPISchema) (string, bool) {
	return strings.CutPrefix(s.Ref, "#/components/schemas/")
}

// ownType returns the type of a schema without that of its items.
func (r docsPage) ownType(s *openAPISchema) string {
	var names []string
	switch t := s.Type.(type) {
	case string:
		names = []string{t}
	case []any:
		for _, one := range t {
			names = append(names, fmt.Sprint(one))
		}
	}
	return strings.Join(names, " "+r.T("or")+" ")
}

// allowedOf returns the bounds of a schema in words.
func (r docsPage) allowedOf(s *openAPISchema) string {
	if s.Items != nil {
		return r.allowedOf(s.Items)
	}
	var parts []string
	if len(s.Enum) > 0 {
		var values []string
		for _, v := range s.Enum {
			if v != nil { // the type already says so
				values = append(values, textOf(v))
			}
		}
		parts = append(parts, strings.Join(values, ", "))
	}
	number := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		parts = append(parts, r.T("{least} to {most}", "least", number(*s.Minimum), "most", number(*s.Maximum)))
	case s.Minimum != nil:
		parts = append(parts, r.T("at least {least}", "least", number(*s.Minimum)))
	}
	if s.MaxLength != nil {
		parts = append(parts, r.N(*s.MaxLength, "at most {n} character", "at most {n} characters"))
	}
	if s.Format != "" {
		parts = append(parts, s.Format)
	}
	return strings.Join(parts, "; ")
}

func textOf(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}

// tryFieldOf returns the form field of a parameter. A flag is a pair of radio buttons,
// because forms send all other fields, also empty ones, and the API takes no empty flag.
func tryFieldOf(p *openAPIParameter) tryField {
	s := &p.Schema
	f := tryField{Name: p.Name, Kind: "text", Default: textOf(s.Default)}
	values := s.Enum
	if s.Items != nil {
		values = s.Items.Enum
	}
	for _, v := range values {
		f.Allowed = append(f.Allowed, textOf(v))
	}
	switch {
	case slices.Equal(f.Allowed, []string{"0", "1"}):
		f.Kind = "flag"
	case len(f.Allowed) > 0:
		f.Kind = "choice"
	case s.Type == "integer", s.Type == "number":
		f.Kind = "number"
		if s.Type == "number" {
			f.Step = "any"
		}
		if s.Minimum != nil {
			f.Min = textOf(*s.Minimum)
		}
		if s.Maximum != nil {
			f.Max = textOf(*s.Maximum)
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
func (r *catalog) exampleSearch(filtered bool) string {
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
