package main

import (
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"github.com/chromedp/chromedp"
)

// pageTool is what a page tells the browser of a tool.
type pageTool struct {
	Name, Title, Description, InputSchema string
	Annotations                           struct{ ReadOnlyHint, UntrustedContentHint bool }
}

// checkTools calls the tools that pages give to agents in the browser.
func (s *testSite) checkTools(t *testing.T, b *browser) {
	t.Run("tools for agents", func(t *testing.T) {
		b.do(t, chromedp.Navigate(s.base+"/"), chromedp.WaitVisible("main h1"))
		b.waitFor(t, `document.modelContext.getTools().then((tools) => tools.length >= 3)`)
		tools := evaluate[[]pageTool](t, b, `document.modelContext.getTools().then((tools) => tools.map(({name, title, description, inputSchema, annotations}) => ({
			Name: name, Title: title, Description: description, InputSchema: typeof inputSchema === "string" ? inputSchema : JSON.stringify(inputSchema),
			Annotations: {ReadOnlyHint: annotations.readOnlyHint, UntrustedContentHint: annotations.untrustedContentHint}})))`)
		for _, want := range api.Tools(&s.settings, api.SearchParameters(&s.settings, &s.content.Taxonomy)) {
			i := slices.IndexFunc(tools, func(tool pageTool) bool { return tool.Name == want.Name })
			if i < 0 || tools[i].Title != want.Title || tools[i].Description != want.Description || !tools[i].Annotations.ReadOnlyHint || !tools[i].Annotations.UntrustedContentHint {
				t.Fatalf("the tools are %+v, want %s", tools, want.Name)
			}
			schema := decodeJSON[struct{ Properties map[string]any }](t, tools[i].InputSchema)
			for _, p := range want.Parameters {
				if (schema.Properties[p.Name] == nil) != p.NotForTools {
					t.Errorf("the schema of %s has %s: %v", want.Name, p.Name, schema.Properties[p.Name])
				}
			}
		}
	})
	t.Run("search_catalog", func(t *testing.T) { s.checkSearchTool(t, b) })
	t.Run("get_project and compare_projects", func(t *testing.T) { s.checkListingTools(t, b) })
}

func (s *testSite) checkSearchTool(t *testing.T, b *browser) {
	// The value reaches the caller as JSON. The text of an exception would not.
	execute := func(input string) string {
		t.Helper()
		return b.callTool(t, api.ToolSearch, input)
	}
	if brief := execute(`{q: "transcribe meetings", gpu: "0", limit: 3}`); strings.Contains(brief, `"fitNotes"`) || !strings.Contains(brief, `"caveat"`) {
		t.Errorf("without a view the tool answers %s", brief)
	}
	want := s.search(t, "q", "transcribe meetings", "gpu", "0", "limit", "3")
	got := decodeJSON[toolAnswer](t, execute(`{q: "transcribe meetings", gpu: "0", limit: 3, view: "full"}`))
	if len(got.Hits) != 3 || got.Total != want.Total {
		t.Fatalf("the tool answers %+v, want the hits %s", got, asJSON(want.Hits))
	}
	for i, hit := range got.Hits {
		w := want.Hits[i]
		if hit.Slug != w.Slug || hit.PageURL != w.PageURL || asJSON(hit.License) != asJSON(w.License) || asJSON(hit.FitNotes) != asJSON(w.FitNotes) || hit.Match.Partial != w.Match.Partial {
			t.Errorf("hit %d of the tool is %+v, want %s", i, hit, asJSON(w))
		}
	}
	if everything := decodeJSON[toolAnswer](t, execute(`{}`)); len(everything.Hits) != api.ToolLimit {
		t.Errorf("without input the tool answers %+v", everything)
	}
	// Other names of arguments, and booleans, do as over MCP.
	named := execute(`{query: "transcribe meetings", gpu: false, max_results: 3, view: "full"}`)
	if same := decodeJSON[toolAnswer](t, named); asJSON(same.Hits) != asJSON(got.Hits) || strings.Count(named, "was taken as") != 2 {
		t.Errorf("with other names the tool answers %s", named)
	}
	if doubtful := execute(`{q: "chat", ram: 8}`); !strings.Contains(doubtful, `"error":"ram is not an argument. Use`) || !strings.Contains(doubtful, "ramGb") {
		t.Errorf("to a name in doubt the tool answers %s", doubtful)
	}
	b.report(t)
	bad := execute(`{q: "transcribe meetings", limit: 999, platform: "toaster"}`)
	for _, want := range []string{`"error":`, `no such platform`, `is out of bounds: a whole number from 1 to 50 is allowed`} {
		if !strings.Contains(bad, want) {
			t.Errorf("to wrong input the tool answers %q without %q", bad, want)
		}
	}
	b.clearFaults() // of the request that was answered 400
	// The tool stops when the agent does.
	aborted := evaluate[string](t, b, `(async () => {
		const tool = (await document.modelContext.getTools()).find((t) => t.name === "search_catalog"), stop = new AbortController();
		const call = document.modelContext.executeTool(tool, {q: "chat"}, {signal: stop.signal}).catch((error) => error.name);
		stop.abort();
		return call;
	})()`)
	if aborted != "AbortError" {
		t.Errorf("a call that is stopped ends with %s", aborted)
	}
	b.clearFaults()
}

func (s *testSite) checkListingTools(t *testing.T, b *browser) {
	one, other := s.content.Listings[0], s.content.Listings[1]
	brief := b.callTool(t, api.ToolProject, `{slug: "`+one.Slug+`"}`)
	if want := s.do(t, "GET", api.PathProjects+"/"+one.Slug+"?view=brief").body; asJSON(decodeJSON[any](t, brief)) != asJSON(decodeJSON[any](t, want)) {
		t.Errorf("get_project answers %s, want %s", brief, want)
	}
	if same := b.callTool(t, api.ToolProject, `{slug: " `+strings.ToUpper(one.Slug)+` "}`); same != brief {
		t.Errorf("the slug in capitals is answered %s", same)
	}
	found := b.callTool(t, api.ToolCompare, `{slugs: ["`+strings.ToUpper(one.Slug)+`", "`+other.Slug+`"]}`)
	list := decodeJSON[api.Comparison](t, found)
	if len(list.Projects) != 2 || list.Projects[0].Slug != one.Slug || list.Projects[1].PageURL != other.PageURL || len(list.Projects[0].FitNotes) == 0 {
		t.Errorf("compare_projects answers %s", found)
	}
	if few := b.callTool(t, api.ToolCompare, `{slugs: "`+one.Slug+`"}`); !strings.Contains(few, `"error":"slugs names 1 listing: give 2 to 5 different slugs, as in the hits of search_catalog."`) {
		t.Errorf("one slug is answered %s", few)
	}
	b.report(t)
	if none := b.callTool(t, api.ToolProject, `{slug: "nosuch"}`); !strings.Contains(none, `"error":`) || !strings.Contains(none, "nosuch") {
		t.Errorf("an unknown slug is answered %s", none)
	}
	b.clearFaults() // of the request that was answered 404
}
