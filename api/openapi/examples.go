package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"

	"catalog.example/api"
	"catalog.example/api/site"
)

// examples makes the example bodies of the OpenAPI document. The bodies are values of the types
// that the server sends, so they stay correct. The listing in them is fictitious, so that nobody
// takes it for fact.
type examples struct {
	settings *site.Settings
	taxonomy *api.Taxonomy
	project  api.ProjectDetail
}

func newExamples(s *site.Settings, t *api.Taxonomy) *examples {
	const slug = "example"
	p := api.ProjectDetail{
		Project: api.Project{
			Slug: slug, Name: "Example", Aliases: []string{"Sample"},
			Purpose: "Shows what a listing says.",
			Jobs:    []string{"show what a listing says"}, Topics: []string{"example"},
			Language: new("Go"), License: new("MIT"), OSIApproved: new(true),
			Stars: new(12345), StarsAsOf: new(api.Date("2026-08-22")), Replaces: []string{"Example Pro"},
			FitNotes: exampleFacts(t.Facts),
			InstallLinks: []api.InstallLink{
				{Kind: "docs", Label: "Installation", URL: "https://example.example/install"},
			},
			PageURL:       s.URL("/projects/" + slug + "/"),
			RepositoryURL: "https://code.example/example",
			HomepageURL:   new("https://example.example/"), Archived: new(false),
			AddedAt: "2026-09-01", CheckedAt: new(api.Date("2026-09-01")),
			CreatedAt: new(api.Date("2024-02-01")), UpdatedAt: new(api.Date("2026-08-20")),
			Release: &api.Release{Version: "v1.2.0", Date: "2026-08-02"},
		},
		Description: "Example stands for a listing.",
		Sources:     map[string]string{"name": "https://example.example/ (2026-08-22)"},
	}
	p.UpkeepAsOf = p.CheckedAt
	p.Upkeep = p.UpkeepThen()
	// These values come from the taxonomy, so that requests like the example work.
	if len(t.Categories) > 0 {
		p.Category = t.Categories[0].Slug
	}
	for _, platform := range t.Platforms[:min(2, len(t.Platforms))] {
		p.Platforms = append(p.Platforms, platform.Slug)
	}
	return &examples{settings: s, taxonomy: t, project: p.Normalized()}
}

// exampleFacts returns valid values for facts.
func exampleFacts(facts []api.Fact) api.FactValues {
	values := api.UnknownFacts(facts)
	for i := range facts {
		values[i].Value = facts[i].Example()
	}
	return values
}

// json encodes a Project, a ProjectDetail or a Hit.
func (e *examples) json(project any) json.RawMessage {
	text, err := api.ProjectJSON(e.settings, project)
	if err != nil { // cannot happen: all numbers are finite
		panic(err)
	}
	return text
}

func (e *examples) list(limit int) api.ProjectList {
	return api.ProjectList{
		Projects: []json.RawMessage{e.json(e.project.Project)}, Total: 1, Limit: limit, Warnings: []api.Warning{},
	}
}

func (e *examples) listPage() api.ListPage {
	return api.ListPage{ProjectList: e.list(api.ListPageSize), Page: 1, Pages: 1}
}

func (e *examples) search() any {
	p, echo, facets := &e.project.Project, object{}, object{}
	matching := map[string][]string{"category": {p.Category}, "platform": p.Platforms, "license": {*p.License}}
	parameters := api.SearchParameters(e.settings, e.taxonomy)
	for _, parameter := range parameters {
		switch {
		case parameter.Name == "q":
			echo.add("q", p.Jobs[0])
		case parameter.Name == "limit":
			echo.add("limit", 10)
		case parameter.IsFilter():
			echo.add(parameter.Name, nil)
		}
		if parameter.Fact != nil {
			matching[parameter.Name] = parameter.Fact.MatchingFilterValues(p.SearchFact(parameter.Fact))
		}
	}
	for _, name := range facetNames(parameters) {
		counts := []api.FacetValue{}
		for _, value := range matching[name] {
			counts = append(counts, api.FacetValue{Value: value, Count: 1})
		}
		facets.add(name, counts)
	}
	if e.taxonomy.HasSetups() {
		facets.add(api.FitFacet, []api.FacetValue{})
	}
	match := api.Match{Tier: new(api.TierPurpose), Missing: []string{}}
	hit := e.json(api.Hit{HitProject: p.HitProject(), Match: match})
	if !e.taxonomy.HasSetups() {
		hit = bytes.Replace(hit, []byte(`"fit":null,`), nil, 1)
	}
	return object{
		{"query", echo},
		{"sort", api.SortInfo{Applied: api.SortRelevance,
			Order: e.taxonomy.SortOrder(e.settings, api.SortRelevance, true)}},
		{"total", 1}, {"limit", 10}, {"offset", 0}, {"products", []api.NamedProduct{}},
		{"hits", []json.RawMessage{hit}}, {"facets", facets}, {"didYouMean", nil}, {"warnings", []api.Warning{}},
	}
}

// problemDetails maps the code of a problem to an example of its detail.
var problemDetails = map[string]string{
	api.URITooLong.Code:       "The address has 9000 bytes: at most 8192 are allowed.",
	api.UnknownEndpoint.Code:  "Nothing is served at /api/v2/projects.",
	api.MethodNotAllowed.Code: "POST is not allowed: use GET, HEAD or OPTIONS.",
	api.OriginRefused.Code:    "Pages of https://elsewhere.example may not send messages to this server.",
	api.BodyTooLarge.Code:     "The message is larger than 65536 bytes.",
	api.UnknownKey.Code:       "The API key is unknown. Anonymous reads need no key: leave the header out.",
	api.InvalidParameter.Code: "1 parameter is not valid: limit.",
	api.UnknownProject.Code:   `No listing has the slug "exmaple-notes".`,
	api.Overloaded.Code: "The server is already answering as many requests as it can at once. " +
		"Try again in 1 second.",
	api.Internal.Code: "The fault is ours. Tell us the request id.",
}

// ExampleProblem returns the OpenAPI document's example of a problem, for the page that
// explains its kind.
func ExampleProblem(s *site.Settings, t *api.Taxonomy, kind api.ProblemKind) *api.Problem {
	return newExamples(s, t).problem(kind)
}

func (e *examples) problem(kind api.ProblemKind) *api.Problem {
	p := api.NewProblem(kind, problemDetails[kind.Code]).WithBase(e.settings.BaseURL)
	switch kind.Code {
	case api.InvalidParameter.Code:
		_, _, p.Errors = api.ParseList("limit=1000")
	case api.UnknownProject.Code:
		p.Suggestions = []string{e.project.Slug}
	case api.RateLimited.Code:
		p.Detail = fmt.Sprintf("The allowance of %d requests in 60 seconds is used up. Try again in 17 seconds.",
			e.settings.AnonymousPerMinute)
	case api.Internal.Code:
		p.RequestID = "6QFPWLHTVXB7OQ5MZ4Q3WJ2KNE"
	}
	return p
}
