package api

import (
	"fmt"

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
		"of a filter mean any of them; an unknown fact matches none. Answers with hits: %s.", s.Title, s.Description,
		by, results)
}

// Shortlist is the answer of ToolSearch: a SearchResponse without its facets. Facets make up a
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
