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

// softwareWord matches words that a catalogue of board games does not need.
var softwareWord = regexp.MustCompile(`\b(AI|LLMs?|RAM)\b|GPT|(?i:\b(stars?|starred|memory|platforms?|install\w*|tools?|machines?|job|computers?|makers?|products? to replace)\b|gpu|vram|docker|licen[cs]|repositor|open[- ]?source|software|self-?host|programming|hardware|proprietary|transcri|\bchat|neural)`)

// ignoredText matches invisible text, and tool as a word of the MCP.
var ignoredText = regexp.MustCompile("class=\"[^\"]*\"|tool `search_catalog`|The same tool and `get_project`|call of a tool|machine-readable")

// checkWords reports each word of software in a text.
func checkWords(t *testing.T, name, text string) {
	t.Helper()
	text = ignoredText.ReplaceAllString(text, "")
	seen := map[string]bool{}
	for _, match := range softwareWord.FindAllStringIndex(text, -1) {
		if excerpt := text[max(0, match[0]-60):min(len(text), match[1]+40)]; !seen[text[match[0]:match[1]]] {
			seen[text[match[0]:match[1]]] = true
			t.Errorf("%s mentions %q: …%s…", name, text[match[0]:match[1]], excerpt)
		}
	}
}

// Pages, the API and the MCP server do not mention software. Styles and the index are
// not checked, and of the script only its configuration, because the rest is the same
// in every catalogue.
func TestNoWordsOfSoftware(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	public, _ := build(t, scaffold.Examples[0].Title)
	checked := map[string]int{}
	for _, name := range files(t, public) {
		if extension := path.Ext(name); !slices.Contains([]string{".js", ".css", ".png", ".svg", ".idx"}, extension) {
			checked[extension]++
			// The licence of the catalogue itself is no word of software.
			checkWords(t, name, strings.Replace(read(t, filepath.Join(public, filepath.FromSlash(name))), `"license":null,"total"`, `"total"`, 1))
		}
	}
	for _, extension := range []string{".html", ".md", ".txt", ".json", ".xml"} {
		if checked[extension] == 0 {
			t.Errorf("no %s file was looked at", extension)
		}
	}
	script := read(t, filepath.Join(public, glob(t, public, "assets/app-*.js")))
	config := regexp.MustCompile(`^\(\(\)=>\{"use strict";const \w+=\{.*?\},\w+=null,`).FindString(script)
	if config == "" {
		t.Error("the script has no configuration")
	}
	checkWords(t, "the script", regexp.MustCompile(`has:\{[^}]*\}|platforms:\{\}`).ReplaceAllString(config, ""))
	agents := read(t, filepath.Join(public, glob(t, public, "assets/agents-*.js")))
	constants := regexp.MustCompile(`^const AGENTS=\{.*?\},known=`).FindString(agents)
	if constants == "" {
		t.Error("the module for agents has no constants")
	}
	checkWords(t, "the module for agents", strings.ReplaceAll(constants, `tools:'Use "slugs"`, "")) // an argument that models try
	schema := filepath.Join(public, "..", "content", "listing.schema.json")
	checkWords(t, "listing.schema.json", read(t, schema))

	site := serve(t, public)
	for _, address := range []string{
		api.PathSearch, api.PathSearch + "?q=two+players", api.PathSearch + "?q=dice&sort=newest", api.PathSearch + "?sort=none&cooperative=2&players=x",
		api.PathProjects, api.PathProjects + "/go", api.PathProjects + "/gone", "/api/v1/openapi", "/gone",
	} {
		checkWords(t, address, getBody(t, site.URL+address))
	}

	client, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: site.URL + "/mcp", DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }() // the session is over
	checkWords(t, "the instructions of the MCP server", client.InitializeResult().Instructions)
	checkAnswer := func(what string, answer any, err error) {
		t.Helper()
		text, failed := json.Marshal(answer)
		if err != nil || failed != nil {
			t.Fatalf("%s: %v, %v", what, err, failed)
		}
		checkWords(t, what, strings.ReplaceAll(string(text), `\n`, "\n"))
	}
	tools, err := client.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) == 0 {
		t.Fatalf("%+v, %v", tools, err)
	}
	for _, tool := range tools.Tools {
		checkAnswer("the tool "+tool.Name, tool, nil)
	}
	prompts, err := client.ListPrompts(t.Context(), nil)
	if err != nil || len(prompts.Prompts) == 0 {
		t.Fatalf("%+v, %v", prompts, err)
	}
	for _, prompt := range prompts.Prompts {
		checkAnswer("the prompt "+prompt.Name, prompt, nil)
		arguments := map[string]string{}
		for _, argument := range prompt.Arguments {
			arguments[argument.Name] = "two players"
		}
		answer, err := client.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: prompt.Name, Arguments: arguments})
		checkAnswer("the text of the prompt "+prompt.Name, answer, err)
	}
	resources, err := client.ListResources(t.Context(), nil)
	checkAnswer("the resources", resources, err)
	for _, call := range []sdk.CallToolParams{
		{Name: api.ToolSearch, Arguments: map[string]any{"q": "two players without luck"}},
		{Name: api.ToolSearch, Arguments: map[string]any{"q": "nothing of the kind"}},
		{Name: api.ToolSearch, Arguments: map[string]any{"players": "many"}},
		{Name: api.ToolProject, Arguments: map[string]any{"slug": "pandemic"}},
		{Name: api.ToolProject, Arguments: map[string]any{"slug": "gone"}},
	} {
		answer, err := client.CallTool(t.Context(), &call)
		checkAnswer("the answer of "+call.Name, answer, err)
	}
}

// getBody returns the body of a response with any status.
func getBody(t *testing.T, address string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }() // the body was read
	body, err := io.ReadAll(response.Body)
	if err != nil || len(body) == 0 {
		t.Fatalf("%s answers nothing: %v", address, err)
	}
	return string(body)
}
