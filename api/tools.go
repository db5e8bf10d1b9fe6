package api

import (
	"fmt"
	"slices"

	"catalog.example/api/site"
)

// The names of the MCP tools (package api/mcp). Pages also offer ToolSearch through WebMCP.
const (
	ToolSearch  = "search_catalog"
	ToolProject = "get_project"
)

// SearchToolDescription describes ToolSearch to agents.
func SearchToolDescription(s *site.Settings) string {
	by, results := "job or name", "pass on pageUrl and the facts"
	if s.Has("replaces") {
		by = "job, name or product to replace"
	}
	if s.Has("installLinks") {
		results += "; never invent install steps"
	}
	return fmt.Sprintf("Searches the catalogue %q (%s) by %s, with filters for what people choose by. Several values "+
		"of a filter mean any of them; an unknown fact matches none. Answers with brief hits (view=full: all facts), "+
		"which leave out what is unknown or no obstacle: %s.", s.Title, s.Description, by, results)
}

// ToolParameters returns the parameters of a search with the defaults of the tools for agents, whose
// answers are brief.
func ToolParameters(parameters []Parameter) []Parameter {
	list := slices.Clone(parameters)
	for i := range list {
		if list[i].Name == "view" {
			list[i].Default = ViewBrief
		}
	}
	return list
}

// ProjectToolParameters lists the parameters of ToolProject.
var ProjectToolParameters = ToolParameters([]Parameter{
	{Name: "slug", Kind: KindText,
		Description: "Identifier of the listing, as slug in the hits of " + ToolSearch + "."},
	viewParameter,
})

// ParseProjectTool parses the arguments of ToolProject, written as a query string. The errors name
// every wrong parameter.
func ParseProjectTool(rawQuery string) (slug string, isBrief bool, errs []ParameterError) {
	p := parseQuery(rawQuery, ProjectToolParameters)
	if slug = p.values["slug"]; slug == "" && !slices.ContainsFunc(p.errors, func(e ParameterError) bool {
		return e.Parameter == "slug"
	}) {
		p.fail("slug", "is missing: give the slug of a listing, as in the hits of "+ToolSearch, nil)
	}
	return slug, p.isBrief(), p.sortedErrors()
}

// Shortlist is the answer of ToolSearch with view=full: a SearchResponse without its facets. Facets make up a
// quarter of a response, and agents that return 3 to 5 hits do not need them.
type Shortlist struct {
	Query      QueryEcho      `json:"query"`
	Sort       SortInfo       `json:"sort"`
	Total      int            `json:"total"`
	Limit      int            `json:"limit"`
	Offset     int            `json:"offset"`
	Products   []NamedProduct `json:"products"`
	Hits       []Hit          `json:"hits"`
	DidYouMean *string        `json:"didYouMean"`
	Warnings   []Warning      `json:"warnings"`
}

// ToolProblem is the answer to a wrong or refused call of a tool: the API's problem, and the
// value that HTTP sends as Retry-After.
type ToolProblem struct {
	Problem
	RetryAfter int `json:"retryAfter,omitempty"` // seconds, at least 1; 0 if trying again does not help
}
