package api

import (
	"fmt"

	"catalog.example/api/site"
)

// The names of the tools that agents call: by MCP (package api/mcp), and the
// first by WebMCP on the pages too (contract 8, spec 1).
const (
	ToolSearch  = "search_catalog"
	ToolProject = "get_project"
)

// SearchToolDescription tells agents what ToolSearch does.
func SearchToolDescription(s *site.Settings) string {
	by, handOn := "job or name", "hand on pageUrl and the facts"
	if s.Has("replaces") {
		by = "job, name or product to replace"
	}
	if s.Has("installLinks") {
		handOn += "; never invent install steps"
	}
	return fmt.Sprintf("Searches the catalogue %q (%s) by %s, with filters for what people choose by. Answers with hits: %s.", s.Title, s.Description, by, handOn)
}

// Shortlist is what ToolSearch answers with: a SearchResponse without its facets,
// which take a quarter of it, and which who wants 3 to 5 fits has no use for.
type Shortlist struct {
	Query      QueryEcho `json:"query"`
	Sort       SortInfo  `json:"sort"`
	Total      int       `json:"total"`
	Hits       []Hit     `json:"hits"`
	DidYouMean *string   `json:"didYouMean"`
	Warnings   []Warning `json:"warnings"`
}

// ToolProblem is what a tool answers a wrong or refused call with: the API's
// problem, and when to call again, which HTTP says in Retry-After.
type ToolProblem struct {
	Problem
	RetryAfter int `json:"retryAfter,omitempty"` // seconds, at least 1; 0 where trying again does not help
}
