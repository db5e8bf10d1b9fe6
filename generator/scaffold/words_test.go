package scaffold_test

import (
	"encoding/json"
	"io"
	"net/http"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/soak"
	"catalog.example/generator/scaffold"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// foreign are words of software, for which a catalog of board games has no use.
var foreign = regexp.MustCompile(`\b(AI|LLMs?|RAM)\b|GPT|(?i:\b(stars?|starred|memory|platforms?|install\w*|tools?|machines?|products? to replace)\b|gpu|vram|docker|licen[cs]|repositor|open[- ]?source|software|self-?host|programming|hardware|proprietary|transcri|\bchat|neural)`)

// notRead is what of a page nobody reads, and what is no word of software: tool is
// the word of the protocol.
var notRead = regexp.MustCompile("class=\"[^\"]*\"|tool `search_catalog`|The same tool and `get_project`|call of a tool|machine-readable")

// foreignIn tells of each foreign word in a text.
func foreignIn(t *testing.T, name, text string) {
	t.Helper()
	text = notRead.ReplaceAllString(text, "")
	seen := map[string]bool{}
	for _, at := range foreign.FindAllStringIndex(text, -1) {
		if around := text[max(0, at[0]-60):min(len(text), at[1]+40)]; !seen[text[at[0]:at[1]]] {
			seen[text[at[0]:at[1]]] = true
			t.Errorf("%s speaks of %q: …%s…", name, text[at[0]:at[1]], around)
		}
	}
}

// A catalog reads as if the program had been made for its subject: no template, no
// text of the API and none of the MCP server speaks of another. Styles and the script
// are the same in every catalog and are left out, but for what the script is told of
// this one, as is the index, which holds the settings.
func TestSpeaksOfItsSubjectAlone(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	public, _ := build(t, scaffold.DefaultTitle)
	looked := map[string]int{}
	for _, name := range files(t, public) {
		if extension := path.Ext(name); !slices.Contains([]string{".js", ".css", ".png", ".svg", ".idx"}, extension) {
			looked[extension]++
			foreignIn(t, name, read(t, filepath.Join(public, filepath.FromSlash(name))))
		}
	}
	for _, extension := range []string{".html", ".md", ".txt", ".json", ".xml"} {
		if looked[extension] == 0 {
			t.Errorf("no %s file was looked at", extension)
		}
	}
	script := read(t, filepath.Join(public, glob(t, public, "assets/app.*.js")))
	told := regexp.MustCompile(`const CATALOG=\{.*?\};`).FindString(script)
	if told == "" {
		t.Error("the script is told nothing of the catalog")
	}
	foreignIn(t, "the script", regexp.MustCompile(`has:\{[^}]*\}|platforms:\{\}`).ReplaceAllString(told, ""))
	schema := filepath.Join(public, "..", "content", "listing.schema.json")
	foreignIn(t, "listing.schema.json", read(t, schema))

	site := serve(t, public)
	for _, address := range []string{
		api.PathSearch, api.PathSearch + "?q=two+players", api.PathSearch + "?q=dice&sort=newest", api.PathSearch + "?sort=none&cooperative=2&players=x",
		api.PathProjects, api.PathProjects + "/go", api.PathProjects + "/gone", "/api/v1/openapi", "/gone",
	} {
		foreignIn(t, address, answered(t, site.URL+address))
	}

	client, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: site.URL + "/mcp", DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }() // it has only asked
	foreignIn(t, "the instructions of the MCP server", client.InitializeResult().Instructions)
	said := func(what string, answer any, err error) {
		t.Helper()
		text, failed := json.Marshal(answer)
		if err != nil || failed != nil {
			t.Fatalf("%s: %v, %v", what, err, failed)
		}
		foreignIn(t, what, strings.ReplaceAll(string(text), `\n`, "\n"))
	}
	tools, err := client.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) == 0 {
		t.Fatalf("%+v, %v", tools, err)
	}
	for _, tool := range tools.Tools {
		said("the tool "+tool.Name, tool, nil)
	}
	prompts, err := client.ListPrompts(t.Context(), nil)
	if err != nil || len(prompts.Prompts) == 0 {
		t.Fatalf("%+v, %v", prompts, err)
	}
	for _, prompt := range prompts.Prompts {
		said("the prompt "+prompt.Name, prompt, nil)
		arguments := map[string]string{}
		for _, argument := range prompt.Arguments {
			arguments[argument.Name] = "two players"
		}
		answer, err := client.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: prompt.Name, Arguments: arguments})
		said("the text of the prompt "+prompt.Name, answer, err)
	}
	resources, err := client.ListResources(t.Context(), nil)
	said("the resources", resources, err)
	for _, call := range []sdk.CallToolParams{
		{Name: api.ToolSearch, Arguments: map[string]any{"q": "two players without luck"}},
		{Name: api.ToolSearch, Arguments: map[string]any{"q": "nothing of the kind"}},
		{Name: api.ToolSearch, Arguments: map[string]any{"players": "many"}},
		{Name: api.ToolProject, Arguments: map[string]any{"slug": "pandemic"}},
		{Name: api.ToolProject, Arguments: map[string]any{"slug": "gone"}},
	} {
		answer, err := client.CallTool(t.Context(), &call)
		said("the answer of "+call.Name, answer, err)
	}
}

// answered returns what is answered at an address, whatever its status.
func answered(t *testing.T, address string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	body, err := io.ReadAll(response.Body)
	if err != nil || len(body) == 0 {
		t.Fatalf("%s answers nothing: %v", address, err)
	}
	return string(body)
}
