package render

import (
	"cmp"

	"catalog.example/api"
	"catalog.example/api/openapi"
)

// pageTool is what pages tell the browser of a tool for agents, and what the module agents.js needs to call it.
type pageTool struct {
	Name        string            `json:"name"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	InputSchema map[string]any    `json:"inputSchema"`
	Defaults    map[string]any    `json:"defaults"` // of arguments
	Same        map[string]string `json:"same"`     // as api.OtherNames
	Advice      map[string]string `json:"advice"`
}

// newPageTools returns what the module agents.js needs.
func (s *Shared) newPageTools() map[string]any {
	constants := map[string]any{
		"code": api.WarnUnknownParameter, "no": api.NoArgument, "fewest": api.MinCompared, "most": api.MaxCompared,
		"says": map[string]string{ // in English, as over MCP
			"taken": api.TakenAs("{given}", "{right}"),
			"twice": api.GivenTwice("{right}"),
			"slug":  `"{slug}" is no slug: give that of a hit.`,
			"none":  `There is no listing "{slug}", or it cannot be loaded just now.`,
			"one":   "slugs " + api.ComparedCount("{n}", true) + ".",
			"count": "slugs " + api.ComparedCount("{n}", false) + ".",
			"pages": "Every listing is in the pages below " + s.Settings.URL("/categories/") + ".",
		},
	}
	var list []pageTool
	for _, t := range api.Tools(&s.Settings, s.SearchParameters()) {
		p := pageTool{Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: openapi.InputSchema(&t),
			Defaults: map[string]any{}}
		for i := range t.Parameters {
			if value := t.Parameters[i].Default; value != nil && !t.Parameters[i].NotForTools {
				p.Defaults[t.Parameters[i].Name] = value
			}
		}
		p.Same, p.Advice = api.OtherNames(t.Parameters)
		list = append(list, p)
	}
	constants["list"] = list
	constants["projects"] = s.View.Base + api.PathProjects + "/"
	if s.Settings.HasServer() {
		constants["server"] = cmp.Or(s.Settings.SearchURL, s.View.Base) + api.PathProjects + "/"
		constants["key"] = s.Settings.SandboxKey
	}
	compared := []string{}
	for i := range s.Content.Taxonomy.Facts {
		if f := &s.Content.Taxonomy.Facts[i]; f.IsCompared() || f.Derived != nil {
			compared = append(compared, f.Key)
		}
	}
	constants["compared"], constants["caveats"] = compared, api.CaveatsKey
	return constants
}
