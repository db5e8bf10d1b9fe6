package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/api/openapi"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// tool is a tool as a snapshot has it.
type tool struct {
	api.Tool
	listed *sdk.Tool // for tools/list
	// answer returns the result of a call. An error that is not an *api.Problem is a fault in the server.
	answer func(*Snapshot, *arguments) (*sdk.CallToolResult, error)
}

// newTools returns the tools, by name. Their names and parameters are the same as in the API and in pages (WebMCP).
//
// They have no output schemas, which would require each answer to have a structured part. Many hosts
// pass on both parts to their models, so that a brief answer would cost twice as much. Hints that say what
// hosts assume anyway, or that are for tools that write, are left out.
func (snap *Snapshot) newTools() (tools []tool) {
	for _, t := range api.Tools(&snap.settings, snap.index.Parameters()) {
		answer := searchCatalog
		switch t.Name {
		case api.ToolProject:
			answer = getProject
		case api.ToolCompare:
			answer = compareProjects
		}
		tools = append(tools, tool{t, &sdk.Tool{
			Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: openapi.InputSchema(&t),
			Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true},
		}, answer})
	}
	return tools
}

// listTools returns the tools for tools/list.
func (snap *Snapshot) listTools() []*sdk.Tool {
	list := make([]*sdk.Tool, len(snap.tools))
	for i := range snap.tools {
		list[i] = snap.tools[i].listed
	}
	return list
}

// callTool answers tools/call. Wrong arguments give a failed result, so that the model sees it
// and can correct the call. Models do not see errors of the protocol.
func (s *Server) callTool(ctx context.Context, request *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	c := callFrom(ctx)
	result, err := c.snapshot.answer(request.Params)
	if err == nil {
		return result, nil
	}
	problem, ok := errors.AsType[*api.Problem](err)
	if ok {
		c.outcome = OutcomeWrong
	} else {
		c.outcome = OutcomeFault
		problem = s.o.Fault(ctx, err, nil)
	}
	return toolProblem(c.snapshot, &api.ToolProblem{Problem: *problem}), nil
}

// compareProjects answers compare_projects.
func compareProjects(snap *Snapshot, given *arguments) (*sdk.CallToolResult, error) {
	slugs, warnings, wrong := api.ParseCompareTool(given.query)
	if err := given.check(wrong); err != nil {
		return nil, err
	}
	slugs, former := snap.index.PresentSlugs("slugs", slugs...)
	if err := given.check(api.CheckCompared(slugs)); err != nil { // a former slug may be another name of a present one
		return nil, err
	}
	projects, err := snap.projects(slugs...)
	if err != nil {
		return nil, err
	}
	hits, _, _ := snap.index.AppendBriefListings(nil, slugs)
	list, err := api.Compare(&snap.settings, snap.index.Taxonomy(), projects, hits)
	if err != nil {
		return nil, err
	}
	list.Warnings = slices.Concat(given.warnings, warnings, former)
	body, err := api.JSON(list)
	return briefResult(body), err
}

// answer answers a call of a tool that there is.
func (snap *Snapshot) answer(call *sdk.CallToolParamsRaw) (*sdk.CallToolResult, error) {
	t := snap.tools[slices.IndexFunc(snap.tools, func(t tool) bool { return t.Name == call.Name })]
	given, err := parseArguments(call.Arguments, t.Parameters)
	if err != nil {
		return nil, err
	}
	return t.answer(snap, given)
}

// searchCatalog answers search_catalog as the API answers a search.
func searchCatalog(snap *Snapshot, given *arguments) (*sdk.CallToolResult, error) {
	query, warnings, wrong := api.ParseSearch(given.query, given.parameters)
	if err := given.check(wrong); err != nil {
		return nil, err
	}
	query.NoFacets = true
	body := snap.index.AppendSearch(nil, query, append(given.warnings, warnings...)...)
	if query.Brief {
		return briefResult(body), nil
	}
	var list api.Shortlist
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	return result(snap.shortlistText(&list), body), nil
}

// getProject answers get_project as the API answers a request for a listing.
func getProject(snap *Snapshot, given *arguments) (*sdk.CallToolResult, error) {
	slug, isBrief, warnings, wrong := api.ParseProjectTool(given.query)
	if err := given.check(wrong); err != nil {
		return nil, err
	}
	slugs, former := snap.index.PresentSlugs("slug", slug)
	projects, err := snap.projects(slugs...)
	if err != nil {
		return nil, err
	}
	p := projects[0]
	warnings = slices.Concat(given.warnings, warnings, former)
	if isBrief {
		hit, _, _ := snap.index.AppendBriefListings(nil, []string{p.Slug})
		brief, err := p.BriefProject(hit, snap.index.Taxonomy().Facts)
		if err != nil {
			return nil, err
		}
		brief.Warnings = warnings
		body, err := api.ProjectJSON(&snap.settings, brief)
		return briefResult(body), err
	}
	p.Description = withoutHTML(p.Description)
	body, err := api.ProjectJSON(&snap.settings, p)
	if err != nil {
		return nil, err
	}
	return result(warningLines(warnings)+snap.projectText(p), body), nil
}

// projects returns the listings with slugs. The error is an *api.Problem that names those that no listing has.
func (snap *Snapshot) projects(slugs ...string) (list []*api.ProjectDetail, err error) {
	var unknown []string
	for _, slug := range slugs {
		body, ok := snap.index.AppendProject(nil, slug)
		if !ok {
			unknown = append(unknown, slug)
			continue
		}
		var p api.ProjectDetail
		if err := json.Unmarshal(body, &p); err != nil {
			return nil, fmt.Errorf("decode the listing %s: %w", slug, err)
		}
		list = append(list, &p)
	}
	if len(unknown) > 0 {
		return nil, api.NewUnknownProject(snap.index.NearSlugs, unknown...)
	}
	return list, nil
}

// arguments are those of a call.
type arguments struct {
	parameters []api.Parameter // of the tool
	query      string          // as the query string that a client of the API would send
	warnings   []api.Warning   // about other names of parameters
	wrong      []api.ParameterError
}

// parseArguments returns arguments as a query string, so that the same code parses those of the API. Models also
// send numbers, booleans, lists and null where the API takes texts, and other names of parameters; parseArguments
// accepts these too. The error is an *api.Problem if text is not a JSON object.
func parseArguments(text json.RawMessage, parameters []api.Parameter) (*arguments, error) {
	values := map[string]any{}
	if len(bytes.TrimSpace(text)) > 0 {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&values); err != nil || d.Decode(&struct{}{}) != io.EOF {
			return nil, api.NewProblem(api.InvalidParameter,
				"The arguments are not a JSON object whose keys are parameters.")
		}
	}
	a := &arguments{parameters: parameters}
	values, a.warnings, a.wrong = api.RightNames(values, parameters)
	query := url.Values{}
	for name, value := range values {
		kind := api.KindText
		if i := slices.IndexFunc(parameters, func(p api.Parameter) bool { return p.Name == name }); i >= 0 {
			kind = parameters[i].Kind
		}
		text, absent, message := queryValue(value, kind)
		switch {
		case message != "":
			a.wrong = append(a.wrong, api.ParameterError{Parameter: api.Shorten(name, maxName), Message: message})
		case !absent:
			query.Set(name, text)
		}
	}
	a.query = query.Encode()
	return a, nil
}

// check returns the problem of wrong arguments, or nil: those that were found here, and those that the parser
// of the query string found, unless they are about the same parameter. If a parameter came under another name,
// its error has that name, too.
func (a *arguments) check(parsed []api.ParameterError) error {
	wrong := a.wrong
	for _, e := range parsed {
		if !slices.ContainsFunc(a.wrong, func(w api.ParameterError) bool { return w.Parameter == e.Parameter }) {
			wrong = append(wrong, e)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	for i := range wrong {
		if name := api.GivenAs(wrong[i].Parameter, a.warnings); name != "" {
			wrong[i].Message += " (given as " + strconv.Quote(name) + ")"
		}
	}
	return api.NewInvalidParameters(sortErrors(wrong, a.parameters))
}

// queryValue returns the text of a JSON value in a query string. absent reports whether it
// is null or an empty list. message says what is wrong with a value that has no text.
func queryValue(value any, kind api.ParameterKind) (text string, absent bool, message string) {
	switch v := value.(type) {
	case nil:
		return "", true, ""
	case string:
		return v, false, ""
	case json.Number:
		return numberText(v, kind), false, ""
	case bool:
		if kind == api.KindFlag {
			return map[bool]string{false: "0", true: "1"}[v], false, ""
		}
		return strconv.FormatBool(v), false, ""
	case []any:
		if kind != api.KindChoices {
			return "", false, "is a list: give one value"
		}
		var parts []string
		for _, element := range v {
			part, none, message := queryValue(element, api.KindText)
			if _, nested := element.([]any); nested || message != "" || none {
				return "", false, "is not a list of texts: give texts only"
			}
			parts = append(parts, part)
		}
		return strings.Join(parts, ","), len(parts) == 0, ""
	}
	return "", false, "is an object: give one value"
}

// numberText returns a number as the API reads it: without an exponent and, if the parameter is an integer,
// without a fraction, because 5.0 and 5e0 are integers in JSON Schema. It returns other numbers unchanged, for
// the error message.
func numberText(n json.Number, kind api.ParameterKind) string {
	value, err := n.Float64()
	isInteger := kind == api.KindInteger || kind == api.KindFlag
	if err != nil || math.Abs(value) > maxID || !isInteger && kind != api.KindNumber ||
		isInteger && value != math.Trunc(value) {
		return n.String()
	}
	return strconv.FormatFloat(value, 'f', -1, 64)
}

// maxName bounds the name of a parameter in an error, in characters.
const maxName = 80

// sortErrors sorts errors in the order of the parameters, then unknown ones by name.
func sortErrors(wrong []api.ParameterError, known []api.Parameter) []api.ParameterError {
	position := func(e api.ParameterError) int {
		if i := slices.IndexFunc(known, func(p api.Parameter) bool { return p.Name == e.Parameter }); i >= 0 {
			return i
		}
		return len(known)
	}
	slices.SortStableFunc(wrong, func(a, b api.ParameterError) int {
		if c := position(a) - position(b); c != 0 {
			return c
		}
		return strings.Compare(a.Parameter, b.Parameter)
	})
	return wrong
}

// result returns a full answer as text for models, with the full answer for programs.
func result(text string, structured json.RawMessage) *sdk.CallToolResult {
	return &sdk.CallToolResult{
		Meta:    untrustedMeta(),
		Content: []sdk.Content{&sdk.TextContent{Text: text}}, StructuredContent: structured,
	}
}

// briefResult returns a brief answer, whose only part is its JSON as text.
func briefResult(body []byte) *sdk.CallToolResult {
	text := &sdk.TextContent{Text: invisible.Remove(string(body))}
	return &sdk.CallToolResult{Meta: untrustedMeta(), Content: []sdk.Content{text}}
}

// toolProblem returns the result of a call that failed.
func toolProblem(snap *Snapshot, p *api.ToolProblem) *sdk.CallToolResult {
	p.WithBase(snap.settings.BaseURL)
	structured, err := api.JSON(p)
	if err != nil { // cannot happen: a problem has only strings and integers
		panic(err)
	}
	return &sdk.CallToolResult{
		IsError: true,
		Content: []sdk.Content{&sdk.TextContent{Text: problemText(p)}}, StructuredContent: json.RawMessage(structured),
	}
}
