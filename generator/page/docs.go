package page

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
	"catalog.example/generator/render"
	"github.com/google/jsonschema-go/jsonschema"
)

// docsView is the view of the documentation of the API.
type docsView struct {
	Title, Version string
	About          []string // paragraphs
	Operations     []operationView
	Common         []responseView // responses of all operations
	Headers        []fieldView
	Schemas        []schemaView
	KeySample      string // a curl command with the key
	Steps          string // the intended use, one line of curl a step
	// Guide is the site's own text for agents, if it has one. GuideProse is the same for the
	// Markdown version.
	Guide      template.HTML
	GuideProse render.Markdown
	Problems   []api.ProblemKind
}

type operationView struct {
	ID, Path, Summary, Description string
	Parameters                     []fieldView
	Responses                      []responseView
	Samples                        []sampleView
	Example                        string     // address of an example
	Action                         string     // address of the form; "" for none
	Fields                         []tryField // of the form
	Common                         []responseView
}

// fieldView is a parameter, a header or a property.
type fieldView struct {
	Name, Description string
	Type              template.HTML
	TypeName          string // what Type renders, for the Markdown version
	Allowed, Default  string
}

type responseView struct {
	Status, Code string // Code is the code of a problem; "" for none
	Description  string
	Headers      []string
	MediaType    string
	Schema       template.HTML
	TypeName     string // what Schema renders, for the Markdown version
	Example      string // indented JSON
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

// show builds the documentation from the description of the API.
func (r docsPage) show() (*render.Page, error) {
	d, err := openapi.Describe(&r.Settings, &r.Content.Taxonomy)
	if err != nil {
		return nil, fmt.Errorf("documentation of the API: %w", err)
	}
	view := docsView{Title: d.Info.Title, Version: d.Info.Version}
	for _, k := range r.problemKinds() {
		k.Title, k.Explanation = r.T(k.Title), r.Prose(k.Explanation)
		view.Problems = append(view.Problems, k)
	}
	for paragraph := range strings.SplitSeq(d.Info.Description, "\n\n") {
		view.About = append(view.About, r.Prose(paragraph))
	}
	curl := func(address string) string { return "curl -sS --fail-with-body " + shellQuoted(address) }
	steps := []string{curl(r.Settings.URL("/llms.txt")), curl(r.exampleStep())}
	for _, path := range d.Paths {
		o, err := r.operationView(d, path.Name, path.Value.Get)
		if err != nil {
			return nil, fmt.Errorf("documentation of the API: %s: %w", path.Name, err)
		}
		if view.Operations = append(view.Operations, o); o.ID == "getProject" {
			steps = append(steps, curl(o.Example))
		}
	}
	view.Steps = strings.Join(steps, "\n")
	if err := r.addComponents(&view, &d.Components); err != nil {
		return nil, fmt.Errorf("documentation of the API: %w", err)
	}
	if key := r.Settings.SandboxKey; key != "" && r.Settings.HasServer() {
		view.KeySample = "curl -sS --fail-with-body -H " + shellQuoted("X-Api-Key: "+key) + " " +
			shellQuoted(r.Settings.SearchBase()+r.exampleSearch(false))
	}
	view.Guide, view.GuideProse = r.guide()
	return &render.Page{
		Kind: "docs", Title: r.T("API"), Description: r.T("How to read the catalogue from a program."), Path: "/docs/",
		Crumbs: render.Crumbs(r.T("API")), Data: view,
	}, nil
}

// addComponents adds what several operations have in common.
func (r docsPage) addComponents(view *docsView, c *openapi.Components) error {
	for _, response := range c.Responses {
		v, err := r.responseOf("", response.Name, &response.Value)
		if err != nil {
			return err
		}
		view.Common = append(view.Common, v)
	}
	for _, h := range c.Headers {
		if !strings.HasSuffix(h.Name, openapi.IfCounted) { // a variant of a header that may be missing
			view.Headers = append(view.Headers, fieldView{
				Name: h.Name, Description: r.Prose(h.Value.Description), Allowed: fmt.Sprint(h.Value.Example),
			})
		}
	}
	for _, s := range c.Schemas {
		fields := make([]fieldView, len(s.Value.PropertyOrder))
		for i, name := range s.Value.PropertyOrder {
			fields[i] = r.fieldOf(name, s.Value.Properties[name])
		}
		view.Schemas = append(view.Schemas, schemaView{s.Name, fields})
	}
	return nil
}

// guide returns the site's own text for agents, as HTML and as Markdown.
func (r docsPage) guide() (template.HTML, render.Markdown) {
	i := slices.IndexFunc(r.Content.Pages, func(p *content.Page) bool { return p.Slug == guidePage })
	if i < 0 {
		return "", ""
	}
	sections := r.Content.Pages[i].Sections
	if len(sections) > 1 && sections[0].Offset < 0 { // the first section repeats the three steps of this page
		sections = sections[1:]
	}
	html := template.HTML(withoutHeadingIDs(content.HTMLOf(sections))) // #nosec G203 -- by goldmark without raw HTML
	return html, render.Markdown(content.MarkdownOf(sections))
}

// headingID matches the identifier of a heading in a rendered text.
var headingID = regexp.MustCompile(`(<h[1-6]) id="[^"]*"`)

// withoutHeadingIDs removes the identifiers of headings from a rendered text, for a page that has
// identifiers of its own. Links to those headings lead to the text's own page.
func withoutHeadingIDs(html string) string { return headingID.ReplaceAllString(html, "$1") }

func (r docsPage) operationView(d *openapi.API, path string, o *openapi.Operation) (operationView, error) {
	base, example := r.Settings.BaseURL, r.filledIn(path)
	parameters := o.Parameters
	switch path {
	case api.PathSearch:
		base, example = r.Settings.SearchBase(), r.exampleSearch(true)
		// This page also has the parameters that the OpenAPI document leaves out.
		parameters = append(parameters, openapi.QueryParameters(slices.DeleteFunc(
			r.SearchParameters(), func(p api.Parameter) bool { return !p.Undescribed },
		))...)
	case api.PathProjects:
		example += "?limit=5"
	}
	v := operationView{
		ID: o.ID, Path: path, Summary: r.Prose(o.Summary), Description: r.Prose(o.Description), Example: base + example,
	}
	var err error
	if v.Samples, err = samplesOf(o.ID, v.Example, r.Settings.HasServer()); err != nil {
		return v, err
	}
	for _, p := range parameters {
		field := r.fieldOf(p.Name, p.Schema)
		field.Description, field.Default = r.Prose(p.Description), defaultOf(p.Schema)
		v.Parameters = append(v.Parameters, field)
		if p.In == "query" {
			if !strings.Contains(path, "{") { // a form cannot fill in the path
				v.Action = base + path
			}
			if p.Name != "slugs" { // a form sends limit and offset, too, which do not go with it
				v.Fields = append(v.Fields, tryFieldOf(&p))
			}
		}
	}
	for _, response := range o.Responses {
		if code, isCommon := strings.CutPrefix(response.Value.Ref, openapi.ResponsePath); isCommon {
			about := r.Prose(d.Components.Responses.Get(code).Description)
			v.Common = append(v.Common, responseView{Status: response.Name, Code: code, Description: about})
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

// filledIn replaces the parts in braces of a path with values from this catalogue.
func (r docsPage) filledIn(path string) string {
	slug, category := "example-notes", "example"
	if len(r.Listings) > 0 {
		slug, category = r.Listings[0].Slug, r.Listings[0].Category
	}
	values := strings.NewReplacer("{slug}", slug, "{category}", category, "{order}", api.SortNewest, "{page}", "1")
	return values.Replace(path)
}

// exampleStep returns an address at which an agent finds listings for a job.
func (r docsPage) exampleStep() string {
	if !r.Settings.HasServer() {
		return r.Settings.URL(r.filledIn(api.PathCategoryList))
	}
	return r.Settings.SearchBase() + r.exampleSearch(true) + "&view=" + api.ViewBrief
}

func (r docsPage) responseOf(status, code string, response *openapi.Response) (responseView, error) {
	v := responseView{Status: status, Code: code, Description: r.Prose(response.Description)}
	for _, h := range response.Headers {
		v.Headers = append(v.Headers, h.Name)
	}
	for mediaType, body := range response.Content {
		example, err := json.MarshalIndent(body.Example, "", "  ")
		if err != nil {
			return v, err
		}
		v.MediaType, v.Example = mediaType, string(example)
		v.Schema, v.TypeName = r.typeOf(body.Schema)
	}
	return v, nil
}

// fieldOf describes a value according to its schema.
func (r docsPage) fieldOf(name string, s *jsonschema.Schema) fieldView {
	f := fieldView{Name: name, Description: r.Prose(s.Description), Allowed: r.allowedOf(s)}
	f.Type, f.TypeName = r.typeOf(s)
	return f
}

// typeOf returns a schema's type in words: as HTML with a link to the schema that it refers to, and
// as text.
func (r docsPage) typeOf(s *jsonschema.Schema) (html template.HTML, text string) {
	if name, ok := strings.CutPrefix(s.Ref, openapi.SchemaPath); ok {
		return render.HTMLf(`<a href="#schema-%[1]s">%[1]s</a>`, name), name
	}
	for i, one := range s.AnyOf {
		oneHTML, oneText := r.typeOf(one)
		if i > 0 {
			html, text = html+render.HTMLf(" %s ", r.T("or")), text+" "+r.T("or")+" "
		}
		html, text = html+oneHTML, text+oneText
	}
	if text != "" {
		return html, text
	}
	text = cmp.Or(s.Type, strings.Join(s.Types, " "+r.T("or")+" "))
	html = render.HTMLf("%s", text)
	if s.Items != nil {
		itemsHTML, items := r.typeOf(s.Items)
		html = render.FilledHTML(r.Labels.Form("{list} of {items}"), "list", html, "items", itemsHTML)
		text = r.T("{list} of {items}", "list", text, "items", items)
	}
	return html, text
}

// allowedOf returns the bounds of a schema in words.
func (r docsPage) allowedOf(s *jsonschema.Schema) string {
	if s.Items != nil {
		return r.allowedOf(s.Items)
	}
	var parts []string
	if values := valuesOf(s); len(values) > 0 {
		parts = append(parts, strings.Join(values, ", "))
	}
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		parts = append(parts, r.T("{least} to {most}", "least", numberOf(s.Minimum), "most", numberOf(s.Maximum)))
	case s.Minimum != nil:
		parts = append(parts, r.T("at least {least}", "least", numberOf(s.Minimum)))
	}
	if s.MaxLength != nil {
		parts = append(parts, r.N(*s.MaxLength, "at most {n} character", "at most {n} characters"))
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

// tryFieldOf returns the form field of a parameter. A flag is a pair of radio buttons, because
// forms send all other fields even if they are empty, and the API does not accept an empty flag.
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

// exampleSearch returns the path of a search that finds something in this catalogue: the first job
// of the most popular listing with jobs. If filtered is set, the search has a filter that the
// listing matches.
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
