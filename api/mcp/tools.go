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

// DefaultLimit is the limit of search_catalog if the call gives none. People want 3 to 5 listings
// that fit, and each listing costs the model tokens.
const DefaultLimit = 5

// newTools returns the tools for tools/list. Their names and parameters are the same as in the
// API and in the tool that pages offer (WebMCP).
//
// They have no output schemas, which would require each answer to have a structured part. Many hosts
// pass on both parts to their models, so that a brief answer would cost twice as much.
func (snap *Snapshot) newTools() []*sdk.Tool {
	s, parameters := &snap.settings, toolParameters(snap.index.Parameters())
	return []*sdk.Tool{
		{
			Name: api.ToolSearch, Title: "Search the catalogue",
			Description: api.SearchToolDescription(s) + " " + untrusted,
			InputSchema: openapi.SearchInputSchema(parameters), Annotations: readOnly(),
		},
		{
			Name: api.ToolProject, Title: "One listing",
			Description: "One listing: its facts and links; with view=full also its description and, in the " +
				"structured part, every field and the source of each fact. " +
				snap.ifHas("installLinks", "Pass on installLinks. "+noSteps) + untrusted,
			InputSchema: openapi.ProjectInputSchema(), Annotations: readOnly(),
		},
	}
}

// toolParameters returns the parameters of a search with the defaults of this server.
func toolParameters(parameters []api.Parameter) []api.Parameter {
	list := api.ToolParameters(parameters)
	for i := range list {
		if list[i].Name == "limit" {
			list[i].Default = DefaultLimit
		}
	}
	return list
}

// readOnly annotates a tool that only reads. The open-world hint makes hosts careful:
// strangers wrote the projects that listings describe.
func readOnly() *sdk.ToolAnnotations {
	no, yes := false, true
	return &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &yes}
}

// callTool answers tools/call. Wrong arguments give a failed result, so that the model sees it
// and can correct the call. Models do not see errors of the protocol.
func (s *Server) callTool(ctx context.Context, request *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	c := callFrom(ctx)
	answer := searchCatalog
	if request.Params.Name == api.ToolProject {
		answer = getProject
	}
	result, err := answer(c.snapshot, request.Params.Arguments)
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

// searchCatalog answers search_catalog as the API answers a search. An error that is not an
// *api.Problem is a fault in the server.
func searchCatalog(snap *Snapshot, arguments json.RawMessage) (*sdk.CallToolResult, error) {
	parameters := toolParameters(snap.index.Parameters())
	raw, wrong, err := rawQuery(arguments, parameters)
	if err != nil {
		return nil, err
	}
	query, warnings, more := api.ParseSearch(raw, parameters)
	if wrong = append(wrong, more...); len(wrong) > 0 {
		return nil, api.NewInvalidParameters(sortErrors(wrong, parameters))
	}
	query.NoFacets = true
	body := snap.index.AppendSearch(nil, query, warnings...)
	if query.Brief {
		return briefResult(body), nil
	}
	var list api.Shortlist
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	return result(snap.shortlistText(&list), body), nil
}

// getProject answers get_project as the API answers a request for a listing. An error that is not
// an *api.Problem is a fault in the server.
func getProject(snap *Snapshot, arguments json.RawMessage) (*sdk.CallToolResult, error) {
	raw, wrong, err := rawQuery(arguments, api.ProjectToolParameters)
	if err != nil {
		return nil, err
	}
	slug, isBrief, more := api.ParseProjectTool(raw)
	if len(wrong) == 0 {
		wrong = more
	}
	if len(wrong) > 0 {
		return nil, api.NewInvalidParameters(sortErrors(wrong, api.ProjectToolParameters))
	}
	p, err := snap.project(slug)
	if err != nil {
		return nil, err
	}
	if isBrief {
		return snap.briefProject(p)
	}
	p.Description = withoutHTML(p.Description)
	body, err := api.ProjectJSON(&snap.settings, p)
	if err != nil {
		return nil, err
	}
	return result(snap.projectText(p), body), nil
}

// briefProject returns the brief answer of get_project: an api.BriefProject.
func (snap *Snapshot) briefProject(p *api.ProjectDetail) (*sdk.CallToolResult, error) {
	var hit api.BriefHit
	list, _, _ := snap.index.AppendBriefListings(nil, []string{p.Slug})
	if err := json.Unmarshal(list, &hit); err != nil {
		return nil, fmt.Errorf("decode the listing %s: %w", p.Slug, err)
	}
	body, err := api.ProjectJSON(&snap.settings, p.BriefProject(hit, snap.index.Taxonomy().Facts))
	if err != nil {
		return nil, err
	}
	return briefResult(body), nil
}

// project returns the listing with a slug. The error is an *api.Problem if there is none.
func (snap *Snapshot) project(slug string) (*api.ProjectDetail, error) {
	body, ok := snap.index.AppendProject(nil, slug)
	if !ok {
		return nil, api.NewUnknownProject(slug, snap.index.NearSlugs(slug, api.MaxSuggestions))
	}
	var p api.ProjectDetail
	if err := json.Unmarshal(body, &p); err != nil {
		return nil, fmt.Errorf("decode the listing %s: %w", slug, err)
	}
	return &p, nil
}

// rawQuery returns arguments as the query string that a client of the API would send, so that
// the same code parses both. Models also send numbers, booleans, lists and null where the API
// takes texts, so rawQuery accepts these too. wrong lists parameters whose values cannot be
// written in a query string. The error is an *api.Problem if arguments is not a JSON object.
func rawQuery(arguments json.RawMessage, known []api.Parameter) (raw string, wrong []api.ParameterError, err error) {
	values := map[string]any{}
	if len(bytes.TrimSpace(arguments)) > 0 {
		d := json.NewDecoder(bytes.NewReader(arguments))
		d.UseNumber()
		if err := d.Decode(&values); err != nil || d.Decode(&struct{}{}) != io.EOF {
			return "", nil, api.NewProblem(api.InvalidParameter,
				"The arguments are not a JSON object whose keys are parameters.")
		}
	}
	query := url.Values{}
	for name, value := range values {
		kind := api.KindText
		if i := slices.IndexFunc(known, func(p api.Parameter) bool { return p.Name == name }); i >= 0 {
			kind = known[i].Kind
		}
		text, absent, message := queryValue(value, kind)
		switch {
		case message != "":
			wrong = append(wrong, api.ParameterError{Parameter: api.Shorten(name, maxName), Message: message})
		case !absent:
			query.Set(name, text)
		}
	}
	return query.Encode(), wrong, nil
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
		if kind == api.KindInteger || kind == api.KindFlag {
			return integerText(v), false, ""
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

// integerText returns a whole number without fraction and exponent, because 5.0 and 5e0 are
// integers in JSON Schema. It returns other numbers unchanged, for the error message.
func integerText(n json.Number) string {
	value, err := n.Float64()
	if err != nil || value != math.Trunc(value) || math.Abs(value) > maxID {
		return n.String()
	}
	return strconv.FormatInt(int64(value), 10)
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
