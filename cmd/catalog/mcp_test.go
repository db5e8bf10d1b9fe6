//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/api/server/processtest"
	"catalog.example/api/site"
	"catalog.example/api/soak"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// startMCP starts catalog mcp and connects a client of the SDK.
func startMCP(t *testing.T, program, public string) (client *sdk.ClientSession, command *exec.Cmd, stderr *processtest.Output) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	t.Cleanup(cancel)
	command = exec.CommandContext(ctx, program, "mcp", "--public", public)
	stderr = &processtest.Output{}
	command.Stderr = stderr
	defer func() {
		if t.Failed() {
			t.Log(stderr)
		}
	}()
	return connectMCP(t, &sdk.CommandTransport{Command: command}), command, stderr
}

// connectMCP connects a client of the SDK, and closes it at the end of the test.
func connectMCP(t *testing.T, transport sdk.Transport) *sdk.ClientSession {
	t.Helper()
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() }) // fails if the test has closed it
	return client
}

// searchMCP calls search_catalog, and returns its brief answer and the result.
func searchMCP(t *testing.T, client *sdk.ClientSession, arguments map[string]any) (api.BriefSearchResponse, *sdk.CallToolResult) {
	t.Helper()
	r, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: api.ToolSearch, Arguments: arguments})
	if err != nil || r.IsError {
		t.Fatalf("%v: %+v %v", arguments, r, err)
	}
	if arguments["view"] == api.ViewFull {
		return api.BriefSearchResponse{}, r
	}
	return decodeJSON[api.BriefSearchResponse](t, r.Content[0].(*sdk.TextContent).Text), r
}

// writeMarkdown writes the Markdown version of a listing if the build output has none.
func writeMarkdown(t *testing.T, public, slug string) {
	t.Helper()
	file := filepath.Join(public, "projects", slug, "index.html.md")
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err := os.WriteFile(file, []byte("# Paper Lantern\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestMCPOnStandardInput runs the program as a client starts it. The client fails at any
// output that is not a message of the protocol.
func TestMCPOnStandardInput(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	program, public := buildSmall(t)
	client, command, stderr := startMCP(t, program, public)
	list, r := searchMCP(t, client, map[string]any{"q": "transcribe"})
	if len(list.Hits) != 1 || list.Hits[0].Slug != "paper-lantern" || !strings.Contains(r.Content[0].(*sdk.TextContent).Text, "/projects/paper-lantern/") {
		t.Errorf("%+v", list)
	}
	one, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: api.ToolProject, Arguments: map[string]any{"slug": "willow-bridge"}})
	if err != nil || one.IsError {
		t.Errorf("%+v %v", one, err)
	}
	guide, err := client.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "catalog://llms.txt"})
	if err != nil || !strings.Contains(guide.Contents[0].Text, api.ToolSearch) {
		t.Errorf("%+v %v", guide, err)
	}

	// A connected client gets answers from a new build.
	content := filepath.Join(t.TempDir(), "content")
	if err := os.CopyFS(content, os.DirFS("testdata/content")); err != nil {
		t.Fatal(err)
	}
	listing := filepath.Join(content, "projects", "paper-lantern.md")
	text, err := os.ReadFile(listing)
	if err != nil {
		t.Fatal(err)
	}
	renamed := strings.Replace(string(text), "name: Paper Lantern", "name: Tin Lantern", 1)
	if err := os.WriteFile(listing, []byte(renamed), 0o644); err != nil || renamed == string(text) {
		t.Fatalf("the listing is not renamed: %v", err)
	}
	if out, err := exec.CommandContext(t.Context(), program, "build", "--quiet", "--content", content, "--out", public).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for deadline := time.Now().Add(testTimeout); ; {
		if list, _ = searchMCP(t, client, map[string]any{"q": "transcribe"}); list.Hits[0].Name == "Tin Lantern" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the new build is not served: %s", stderr)
		}
		<-time.After(10 * time.Millisecond) // poll interval
	}
	if err := client.Close(); err != nil {
		t.Errorf("%v\n%s", err, stderr)
	}
	if status := command.ProcessState.ExitCode(); status != exitOK {
		t.Errorf("the program ends with status %d: %s", status, stderr)
	}
}

// TestMCPEndsOnSignals signals the program while its client is idle.
func TestMCPEndsOnSignals(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	program, public := buildSmall(t)
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
			defer cancel()
			command := exec.CommandContext(ctx, program, "mcp", "--public", public)
			stderr := &processtest.Output{}
			command.Stderr = stderr
			in, err := command.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := command.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(in, `{"jsonrpc":"2.0","id":7,"method":"ping"}`+"\n"); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(out)
			if !lines.Scan() || lines.Text() != `{"jsonrpc":"2.0","id":7,"result":{}}` {
				t.Errorf("the answer is %s", lines.Text())
			}
			if err := command.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			for lines.Scan() {
				t.Errorf("it says %s", lines.Text())
			}
			if err := command.Wait(); err != nil {
				t.Errorf("%v: %s", err, stderr)
			}
		})
	}
}

// inspect runs the official inspector against a server and returns what it prints.
func inspect(t *testing.T, server []string, method string, args ...string) string {
	t.Helper()
	node := processtest.Installed(t, "nodejs", "node")
	const inspector = "testdata/inspector/node_modules/.bin/mcp-inspector"
	if _, err := os.Stat(inspector); err != nil {
		t.Fatalf("%v: run make deps", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	all := slices.Concat([]string{inspector, "--cli"}, server, []string{"--method", method}, args)
	for tries := 1; ; tries++ {
		command := exec.CommandContext(ctx, node, all...)
		var stdout, stderr strings.Builder
		command.Stdout, command.Stderr = &stdout, &stderr
		err := command.Run()
		if err == nil {
			return stdout.String()
		}
		// On a busy machine, the inspector may not connect in the time that it allows itself.
		if tries == 3 || !strings.Contains(stderr.String(), "fetch failed") {
			t.Fatalf("%v: %v\n%s%s", all, err, stderr.String(), stdout.String())
		}
	}
}

// TestInspector uses every method of the server with the official inspector: those of tools
// over HTTP, and the others over standard input. Each call starts the inspector anew.
func TestInspector(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	program, public := buildSmall(t)
	writeMarkdown(t, public, "paper-lantern")
	// Each server starts in its subtest, which may wait for its turn.
	overHTTP := func(t *testing.T, args ...string) []string {
		address := startServe(t, program, "--public", public, "--addr", "127.0.0.1:0").address(t, "listening on")
		return append([]string{address + "/mcp", "--transport", "http"}, args...)
	}
	for name, serverArgs := range map[string]func(*testing.T) []string{
		"stdio": func(*testing.T) []string { return []string{program, "mcp", "--public", public} },
		"http":  func(t *testing.T) []string { return overHTTP(t, "--header", "X-Api-Key: catalog-sandbox") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serverArgs(t)
			used := 0
			for _, test := range []struct {
				method string
				args   []string
				want   []string
			}{
				{"tools/list", nil, []string{`"name": "search_catalog"`, `"name": "get_project"`, `"readOnlyHint": true`, `"default": "brief"`}},
				{"tools/call", []string{"--tool-name", "search_catalog", "--tool-arg", "q=transcribe meetings", "gpu=0", "limit=3", "view=full", `platform=["linux"]`}, []string{"1. Paper Lantern", `"structuredContent"`, `"gpu": false`, `"limit": 3`}},
				{"tools/call", []string{"--tool-name", "search_catalog", "--tool-arg", "q=transcribe meetings"}, []string{`\"name\":\"Paper Lantern\"`}},
				{"tools/call", []string{"--tool-name", "search_catalog", "--tool-arg", "gpu=2"}, []string{`"isError": true`, "invalid-parameter"}},
				{"tools/call", []string{"--tool-name", "get_project", "--tool-arg", "slug=paper-lantern"}, []string{`\"name\":\"Paper Lantern\"`, `\"repositoryUrl\"`}},
				{"tools/call", []string{"--tool-name", "get_project", "--tool-arg", "slug=paper-lantern", "view=full"}, []string{"Paper Lantern", `"installLinks"`}},
				{"tools/call", []string{"--tool-name", "get_project", "--tool-arg", "slug=paper-lanter"}, []string{"unknown-project", "Similar slugs: paper-lantern"}},
				{"resources/list", nil, []string{"catalog://llms.txt", "catalog://projects/paper-lantern"}},
				{"resources/templates/list", nil, []string{"catalog://projects/{slug}"}},
				{"resources/read", []string{"--uri", "catalog://projects/paper-lantern"}, []string{"# Paper Lantern", "text/markdown"}},
				{"prompts/list", nil, []string{"Shortlist for a job"}},
				{"prompts/get", []string{"--prompt-name", "shortlist", "--prompt-args", "job=transcribe meetings", "constraints=8 GB"}, []string{"transcribe meetings", "8 GB", "get_project"}},
			} {
				if strings.HasPrefix(test.method, "tools/") != (name == "http") && test.method != "tools/list" {
					continue
				}
				used++
				output := inspect(t, server, test.method, test.args...)
				for _, want := range test.want {
					if !strings.Contains(output, want) {
						t.Errorf("%s %q says nothing of %s: %.600s", test.method, test.args, want, output)
					}
				}
			}
			if used < 5 {
				t.Errorf("only %d calls", used)
			}
		})
	}
}

// TestServerJSON compares deploy/server.json with what the server says, and checks the
// bounds of the registries' schema.
func TestServerJSON(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deploy/server.json")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Schema                                        string `json:"$schema"`
		Name, Title, Description, Version, WebsiteURL string
		Remotes                                       []struct {
			Type, URL string
			Headers   []struct {
				Name, Default        string
				IsSecret, IsRequired bool
			}
		}
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	if err := d.Decode(&config); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`).MatchString(config.Name) || len(config.Description) > 100 || len(config.Title) > 100 || len(config.Remotes) != 1 {
		t.Fatalf("%+v", config)
	}
	settings := site.Defaults()
	contact, err := url.Parse(settings.Contact)
	if err != nil {
		t.Fatal(err)
	}
	remote, err := url.Parse(config.Remotes[0].URL)
	if err != nil || remote.Host != contact.Host || remote.Scheme != "https" || config.Remotes[0].Type != "streamable-http" {
		t.Errorf("the server is at %s: %v", config.Remotes[0].URL, err)
	}
	program, public := buildSmall(t)
	address := startServe(t, program, "--public", public, "--addr", "127.0.0.1:0").address(t, "listening on")
	header := config.Remotes[0].Headers[0]
	client := connectMCP(t, &sdk.StreamableClientTransport{
		Endpoint: address + remote.Path, HTTPClient: &http.Client{Transport: withHeader{header.Name, header.Default}},
	})
	info := client.InitializeResult().ServerInfo
	if _, name, _ := strings.Cut(config.Name, "/"); name != info.Name || config.Version != info.Version {
		t.Errorf("the file says %s %s, the server %s %s", config.Name, config.Version, info.Name, info.Version)
	}
	if header.IsSecret || header.IsRequired || header.Default != settings.SandboxKey {
		t.Errorf("the key is told as %+v", header)
	}
}

// TestMCPOnThePage connects with each client configuration of the page for agents, and runs
// its curl command. Only addresses and paths are replaced.
func TestMCPOnThePage(t *testing.T) {
	t.Parallel()
	processtest.Installed(t, "curl", "curl")
	text, err := os.ReadFile("../../content/pages/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	program, public := buildSmall(t)
	address := startServe(t, program, "--public", public, "--addr", "127.0.0.1:0").address(t, "listening on")
	page := strings.NewReplacer("/usr/local/bin/catalog", program, "/srv/catalog/public", public, "{search_url}", address).Replace(string(text))
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(blocks) != 2 {
		t.Fatalf("%d configurations", len(blocks))
	}
	for _, block := range blocks {
		for name, server := range decodeJSON[struct {
			Servers map[string]struct {
				Type, URL, Command string
				Args               []string
			} `json:"mcpServers"`
		}](t, block[1]).Servers {
			var transport sdk.Transport = &sdk.StreamableClientTransport{Endpoint: server.URL}
			if server.Command != "" {
				transport = &sdk.CommandTransport{Command: exec.CommandContext(t.Context(), server.Command, server.Args...)}
			}
			client := connectMCP(t, transport)
			if list, _ := searchMCP(t, client, map[string]any{"q": "transcribe meetings"}); list.Total == 0 {
				t.Errorf("%s finds nothing", name)
			}
			if err := client.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	line := regexp.MustCompile(`(?m)^curl \S+/mcp .*$`).FindString(page)
	out, err := exec.CommandContext(t.Context(), "sh", "-c", line).Output()
	if err != nil || !strings.Contains(string(out), `\"name\":\"Paper Lantern\"`) {
		t.Errorf("%s: %v %.600s", line, err, out)
	}
}

// withHeader sends a header with each request.
type withHeader struct{ name, value string }

// RoundTrip implements http.RoundTripper.
func (h withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(h.name, h.value)
	return http.DefaultTransport.RoundTrip(r)
}

// Limits in tokens for a call with limit 5, the list of tools, and the instructions. They are a
// tenth above what the shipped listings need, so that more facts and longer listings pass.
const (
	bytesPerToken        = 4
	maxCallTokens        = 950
	maxToolsTokens       = 1485
	maxInstructionTokens = 250
)

// countTokens returns the size of a value's JSON in tokens.
func countTokens(t *testing.T, value any) int {
	t.Helper()
	body, err := api.JSON(value)
	if err != nil {
		t.Fatal(err)
	}
	return int(math.Ceil(float64(len(body)) / bytesPerToken))
}

// mcpClient returns a client of the MCP server.
func (s *testSite) mcpClient(t *testing.T) *sdk.ClientSession {
	t.Helper()
	return connectMCP(t, &sdk.StreamableClientTransport{Endpoint: s.base + "/mcp"})
}

// checkMCPCosts measures the tokens of calls over HTTP.
func (s *testSite) checkMCPCosts(t *testing.T) {
	client := s.mcpClient(t)
	var callTokens []int
	for _, arguments := range agentQueries {
		arguments := map[string]any(arguments)
		list, r := searchMCP(t, client, arguments)
		if len(list.Hits) == 0 || len(list.Hits) > api.ToolLimit {
			t.Errorf("%v finds %d", arguments, len(list.Hits))
		}
		text := r.Content[0].(*sdk.TextContent).Text
		for _, h := range list.Hits {
			if !strings.Contains(text, h.PageURL) {
				t.Errorf("%v: the text lacks %s", arguments, h.PageURL)
			}
		}
		tokens := countTokens(t, r)
		if tokens > maxCallTokens {
			t.Errorf("%v costs %d tokens, more than %d", arguments, tokens, maxCallTokens)
		}
		callTokens = append(callTokens, tokens)
	}
	if len(callTokens) < 30 {
		t.Fatalf("only %d queries", len(callTokens))
	}
	slices.Sort(callTokens)
	t.Logf("a call of search_catalog costs %d tokens at the median, %d at worst", callTokens[len(callTokens)/2], callTokens[len(callTokens)-1])
	tools, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := countTokens(t, tools); n > maxToolsTokens {
		t.Errorf("the list of tools costs %d tokens", n)
	} else {
		t.Logf("the list of tools costs %d tokens", n)
	}
	if n := countTokens(t, client.InitializeResult().Instructions); n > maxInstructionTokens {
		t.Errorf("the instructions cost %d tokens", n)
	} else {
		t.Logf("the instructions cost %d tokens", n)
	}
	s.checkPageTools(t, tools.Tools)
}

// checkPageTools checks that the tools of the pages and those of the MCP server have the
// same names and descriptions.
func (s *testSite) checkPageTools(t *testing.T, tools []*sdk.Tool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.public, "assets", "agents-*.js"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the tools of the pages are %v, %v", files, err)
	}
	code, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for i, tool := range tools {
		// The minifier may change quotation marks, so compare from behind the title.
		_, rest, hasTitle := strings.Cut(tool.Description, s.settings.Title)
		if !hasTitle {
			rest = "." + tool.Description
		}
		if tool.Name != api.ToolNames[i] || !bytes.Contains(code, []byte(tool.Name)) || !bytes.Contains(code, []byte(rest[1:])) {
			t.Errorf("the pages register no tool %s that says %s", tool.Name, tool.Description)
		}
	}
}

// agentQueries are arguments of search_catalog for typical requests to agents.
var agentQueries = []map[string]any{
	{"q": "transcribe meetings", "gpu": "0"},
	{"q": "ChatGPT alternative", "selfHosted": "1"},
	{"q": "run a language model on a laptop", "gpu": "0"},
	{"q": "generate images without a GPU"},
	{"q": "make subtitles for a film"},
	{"q": "chat with my PDF documents"},
	{"q": "replace GitHub Copilot", "license": []string{"MIT", "Apache-2.0"}},
	{"q": "voice assistant for the home"},
	{"q": "remove the background of photos"},
	{"q": "n8n"},
	{"q": "Zapier alternative", "docker": "1"},
	{"q": "text to speech", "platform": []string{"windows"}},
	{"q": "clone a voice", "gpu": "1"},
	{"q": "search my notes", "beginner": "1"},
	{"q": "scrape a website into markdown"},
	{"q": "vector database", "license": []string{"Apache-2.0"}},
	{"q": "fine-tune a model on one graphics card"},
	{"q": "label images for training"},
	{"q": "OCR scanned invoices"},
	{"q": "translate documents offline"},
	{"q": "agent framework for Python"},
	{"q": "monitor calls of language models"},
	{"q": "guard against prompt injection"},
	{"q": "Midjourney"},
	{"q": "compose music from text"},
	{"q": "browser automation with AI"},
	{"q": "Notion replacement", "selfHosted": "1", "docker": "1"},
	{"q": "whispr"},
	{"category": []string{"image-generation"}, "sort": "newest"},
	{"platform": []string{"android"}},
	{},
	{"sort": "trending", "gpu": "0", "beginner": "1"},
}
