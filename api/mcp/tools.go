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
	"reflect"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/openapi"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// DefaultLimit is how many fits search_catalog returns where limit is not given:
// 3 to 5 are what the specification asks for (spec 1), and each costs its reader.
const DefaultLimit = 5

// makeTools returns what tools/list tells. Names and parameters are those of the
// API, and of the tool that pages offer.
func (e *Snapshot) makeTools() ([]*sdk.Tool, error) {
	s, taxonomy := &e.settings, e.index.Taxonomy()
	found, err := openapi.ToolOutputSchema(s, taxonomy, reflect.TypeFor[api.Shortlist]())
	if err != nil {
		return nil, err
	}
	one, err := openapi.ToolOutputSchema(s, taxonomy, reflect.TypeFor[api.ProjectDetail]())
	if err != nil {
		return nil, err
	}
	input := openapi.SearchInputSchema(e.index.Parameters())
	if properties, ok := input["properties"].(map[string]any); ok {
		if limit, ok := properties["limit"].(map[string]any); ok {
			limit["default"] = DefaultLimit
		}
	}
	return []*sdk.Tool{
		{
			Name: api.ToolSearch, Title: "Search the catalogue",
			Description: api.SearchToolDescription(s) + " " + untrusted,
			InputSchema: input, OutputSchema: found, Annotations: reading(),
		},
		{
			Name: api.ToolProject, Title: "One listing in full",
			Description: "One listing: its facts, links, dates, description, similar listings and, in the structured part, the source of each fact. " + e.where("installLinks", "Hand on installLinks. "+noSteps) + untrusted,
			InputSchema: openapi.ProjectInputSchema(), OutputSchema: one, Annotations: reading(),
		},
	}, nil
}

// reading annotates a tool that only reads. The world is called open, which is
// what hosts take as a reason for care: people whom nobody knows wrote the
// projects that listings describe.
func reading() *sdk.ToolAnnotations {
	no, yes := false, true
	return &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &yes}
}

// callTool answers tools/call. Whatever is wrong with the arguments is a result,
// which models see and can mend, and no error of the protocol, which they do not.
func (s *Server) callTool(ctx context.Context, request *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	t := turnOf(ctx)
	answer := searchCatalog
	if request.Params.Name == api.ToolProject {
		answer = getProject
	}
	result, err := answer(t.snapshot, request.Params.Arguments)
	if err == nil {
		return result, nil
	}
	var problem *api.Problem
	if errors.As(err, &problem) {
		t.outcome = OutcomeWrong
	} else {
		t.outcome = OutcomeFault
		problem = s.o.Fault(ctx, err, nil)
	}
	return toolProblem(t.snapshot, &api.ToolProblem{Problem: *problem}), nil
}

// searchCatalog answers search_catalog as the API answers spec 4.3. The error is a
// *api.Problem, or a fault of ours.
func searchCatalog(e *Snapshot, arguments json.RawMessage) (*sdk.CallToolResult, error) {
	parameters := e.index.Parameters()
	raw, wrong, err := rawQuery(arguments, parameters)
	if err != nil {
		return nil, err
	}
	query, warnings, more := api.ParseSearch(raw, parameters)
	if wrong = append(wrong, more...); len(wrong) > 0 {
		return nil, api.InvalidParameters(inOrder(wrong, parameters))
	}
	query.NoFacets = true
	body := e.index.AppendSearch(nil, query, warnings...)
	var list api.Shortlist
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	return result(e.shortlistText(&list), body), nil
}

// getProject answers get_project as the API answers spec 4.2. The error is a
// *api.Problem, or a fault of ours.
func getProject(e *Snapshot, arguments json.RawMessage) (*sdk.CallToolResult, error) {
	raw, wrong, err := rawQuery(arguments, slugParameter)
	if err != nil {
		return nil, err
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, err
	}
	slug := values.Get(slugParameter[0].Name)
	if slug == "" && len(wrong) == 0 {
		wrong = []api.ParameterError{{Parameter: slugParameter[0].Name, Message: "is missing: give the slug of a listing, as in the hits of " + api.ToolSearch}}
	}
	if len(wrong) > 0 {
		return nil, api.InvalidParameters(wrong)
	}
	p, err := e.project(slug)
	if err != nil {
		return nil, err
	}
	p.Description = withoutHTML(p.Description)
	body, err := api.ProjectJSON(&e.settings, p)
	if err != nil {
		return nil, err
	}
	return result(e.projectText(p), body), nil
}

// project returns the listing of a slug. The error is a *api.Problem where there
// is none.
func (e *Snapshot) project(slug string) (*api.ProjectDetail, error) {
	body, ok := e.index.AppendProject(nil, slug)
	if !ok {
		return nil, api.NoSuchProject(slug, e.index.NearSlugs(slug, api.MaxSuggestions))
	}
	var p api.ProjectDetail
	if err := json.Unmarshal(body, &p); err != nil {
		return nil, fmt.Errorf("decode the listing %s: %w", slug, err)
	}
	return &p, nil
}

// slugParameter is the one of get_project.
var slugParameter = []api.Parameter{{Name: "slug", Kind: api.KindText}}

// rawQuery returns arguments as the query string that a client of the API would
// send, so that the same code reads both. Beside texts, it takes numbers and
// booleans where they mean one, lists for what may have several values, and null
// for what is absent: models send all of them. wrong names parameters whose values
// have no such form; the error is the problem that there are no arguments at all.
func rawQuery(arguments json.RawMessage, known []api.Parameter) (raw string, wrong []api.ParameterError, err error) {
	given := map[string]any{}
	if len(bytes.TrimSpace(arguments)) > 0 {
		d := json.NewDecoder(bytes.NewReader(arguments))
		d.UseNumber()
		if err := d.Decode(&given); err != nil || d.Decode(&struct{}{}) != io.EOF {
			return "", nil, api.NewProblem(api.InvalidParameter, "The arguments are no JSON object whose keys are parameters.")
		}
	}
	query := url.Values{}
	for name, value := range given {
		kind := api.KindText
		if i := slices.IndexFunc(known, func(p api.Parameter) bool { return p.Name == name }); i >= 0 {
			kind = known[i].Kind
		}
		text, absent, message := asText(value, kind)
		switch {
		case message != "":
			wrong = append(wrong, api.ParameterError{Parameter: shortened(name), Message: message})
		case !absent:
			query.Set(name, text)
		}
	}
	if limit := slices.IndexFunc(known, func(p api.Parameter) bool { return p.Name == "limit" }); limit >= 0 && !query.Has("limit") {
		query.Set("limit", strconv.Itoa(DefaultLimit))
	}
	return query.Encode(), wrong, nil
}

// asText returns a value of JSON as the text that stands for it in a query
// string; message says what is wrong with it, where it has none.
func asText(value any, kind api.ParameterKind) (text string, absent bool, message string) {
	switch v := value.(type) {
	case nil:
		return "", true, ""
	case string:
		return v, false, ""
	case json.Number:
		if kind == api.KindInteger || kind == api.KindFlag {
			return wholeNumber(v), false, ""
		}
		return v.String(), false, ""
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
			part, none, message := asText(element, api.KindText)
			if _, nested := element.([]any); nested || message != "" || none {
				return "", false, "is a list of something else than texts"
			}
			parts = append(parts, part)
		}
		return strings.Join(parts, ","), len(parts) == 0, ""
	}
	return "", false, "is an object: give one value"
}

// wholeNumber returns a number without fraction and exponent if it is whole: 5.0 and
// 5e0 are integers of JSON Schema. What is not whole stays, to be told.
func wholeNumber(n json.Number) string {
	value, err := n.Float64()
	if err != nil || value != math.Trunc(value) || math.Abs(value) > maxID {
		return n.String()
	}
	return strconv.FormatInt(int64(value), 10)
}

// maxName bounds what is repeated of a parameter's name, in bytes.
const maxName = 80

func shortened(name string) string {
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "") + "…"
	}
	return name
}

// inOrder sorts errors as the parameters are, unknown ones last, by name.
func inOrder(wrong []api.ParameterError, known []api.Parameter) []api.ParameterError {
	place := func(e api.ParameterError) int {
		if i := slices.IndexFunc(known, func(p api.Parameter) bool { return p.Name == e.Parameter }); i >= 0 {
			return i
		}
		return len(known)
	}
	slices.SortStableFunc(wrong, func(a, b api.ParameterError) int {
		if c := place(a) - place(b); c != 0 {
			return c
		}
		return strings.Compare(a.Parameter, b.Parameter)
	})
	return wrong
}

// result is an answer in words, and the same with everything for programs.
func result(text string, structured json.RawMessage) *sdk.CallToolResult {
	return &sdk.CallToolResult{
		Meta:    untrustedMeta(),
		Content: []sdk.Content{&sdk.TextContent{Text: text}}, StructuredContent: structured,
	}
}

// toolProblem is the result of a call that is wrong, refused or failed.
func toolProblem(e *Snapshot, p *api.ToolProblem) *sdk.CallToolResult {
	p.WithBase(e.settings.BaseURL)
	structured, err := api.JSON(p)
	if err != nil { // only strings and integers are in it
		panic(err)
	}
	return &sdk.CallToolResult{
		IsError: true,
		Content: []sdk.Content{&sdk.TextContent{Text: problemText(p)}}, StructuredContent: json.RawMessage(structured),
	}
}
