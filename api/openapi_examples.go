package api

import (
	"encoding/json"
	"fmt"
)

// examples makes the bodies that the OpenAPI document shows. They are values of
// the types that the server sends, about a tool that does not exist, so that
// they can neither drift from the wire nor be taken for facts.
type examples struct {
	settings *Settings
	project  ProjectDetail
}

func newExamples(s *Settings, t *Taxonomy) *examples {
	yes, no := true, false
	stars, created, updated := 12345, Date("2024-02-01"), Date("2026-08-20")
	starsAsOf, ram := Date("2026-08-22"), 8.0
	text := func(s string) *string { return &s }

	const slug = "example-notes"
	p := ProjectDetail{
		Project: Project{
			Slug: slug, Name: "Example Notes", Aliases: []string{"ExNotes"},
			Purpose: "Keep notes on your own computer and find them again.",
			Jobs:    []string{"find what I wrote last year"}, Topics: []string{"notes", "search"},
			Language: text("Go"), License: text("MIT"), OSIApproved: &yes,
			Stars: &stars, StarsAsOf: &starsAsOf, Replaces: []string{"Example Notebook Pro"},
			FitNotes: FitNotes{
				Docker: &yes, Beginner: &yes, SelfHosted: &yes, GPU: text(GPUNone), MinRAMGB: &ram,
				MemoryFor: text("10,000 notes"), WorksOffline: &yes, APIKey: text(APIKeyNo),
			},
			InstallLinks:  []InstallLink{{Kind: "docs", Label: "Installation", URL: "https://example-notes.example/install"}},
			PageURL:       s.URL("/projects/" + slug + "/"),
			RepositoryURL: "https://code.example/example-notes",
			HomepageURL:   text("https://example-notes.example/"), Archived: &no,
			AddedAt: "2026-09-01", CreatedAt: &created, UpdatedAt: &updated,
		},
		Description: "Example Notes keeps what you write in files that stay on your machine.",
		Sources:     map[string]string{"license": "https://code.example/example-notes/LICENSE (2026-08-22)"},
	}
	// Taken from the taxonomy, so that an example is a request that works.
	if len(t.Categories) > 0 {
		p.Category = t.Categories[0].Slug
	}
	for _, platform := range t.Platforms[:min(2, len(t.Platforms))] {
		p.Platforms = append(p.Platforms, platform.Slug)
	}
	return &examples{settings: s, project: p.Normalized()}
}

func (e *examples) list() any {
	one, err := json.Marshal(e.project.Project)
	if err != nil { // strings, numbers and booleans always encode
		panic(err)
	}
	return ProjectList{Projects: []json.RawMessage{one}, Total: 1, Limit: 50, Warnings: []Warning{}}
}

func (e *examples) search() any {
	q, tier := "find my notes", TierPurpose
	query := SearchQuery{Q: q, Limit: 10}
	p := &e.project.Project
	count := func(value string) []FacetValue { return []FacetValue{{value, 1}} }
	platforms := []FacetValue{}
	for _, slug := range p.Platforms {
		platforms = append(platforms, FacetValue{slug, 1})
	}
	return SearchResponse{
		Query: query.Echo(q),
		Sort:  SortInfo{Applied: SortRelevance, Order: SortOrders[SortRelevance]},
		Total: 1,
		Hits:  []Hit{{p.HitProject(), Match{Tier: &tier}}},
		Facets: Facets{
			Category: count(p.Category), Platform: platforms, License: count(*p.License),
			Docker: count("1"), Beginner: count("1"), SelfHosted: count("1"),
			GPU: count("0"),
		},
		Warnings: []Warning{},
	}
}

// problemDetails is what an example of each kind says happened.
var problemDetails = map[string]string{
	URITooLong.Code:       "The address has 9000 bytes: at most 8192 are allowed.",
	UnknownEndpoint.Code:  "Nothing is served at /api/v2/projects.",
	MethodNotAllowed.Code: "POST is not allowed: use GET, HEAD or OPTIONS.",
	OriginRefused.Code:    "Pages of https://elsewhere.example may not send messages to this server.",
	BodyTooLarge.Code:     "The message is larger than 65536 bytes.",
	UnknownKey.Code:       "The API key that was presented is unknown. Anonymous reads need no key.",
	InvalidParameter.Code: "1 parameter is not valid: limit.",
	UnknownProject.Code:   `No listing has the slug "exmaple-notes".`,
	Overloaded.Code:       "The server is answering as many requests as it takes at once. Try again in 1 second.",
	Internal.Code:         "The fault is ours. Tell us the request id.",
}

// ExampleProblem returns an answer of a kind as the OpenAPI document shows it,
// for the page that explains the kind.
func ExampleProblem(s *Settings, t *Taxonomy, kind ProblemKind) *Problem {
	return newExamples(s, t).problem(kind)
}

func (e *examples) problem(kind ProblemKind) *Problem {
	p := NewProblem(kind, problemDetails[kind.Code]).WithBase(e.settings.BaseURL)
	switch kind.Code {
	case InvalidParameter.Code:
		_, _, p.Errors = ParseList("limit=1000")
	case UnknownProject.Code:
		p.Suggestions = []string{e.project.Slug}
	case RateLimited.Code:
		p.Detail = fmt.Sprintf("The allowance of %d requests in 60 seconds is used up. Try again in 17 seconds.", e.settings.AnonymousPerMinute)
	case Internal.Code:
		p.RequestID = "6QFPWLHTVXB7OQ5MZ4Q3WJ2KNE"
	}
	return p
}
