package tokens

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"catalog.example/api"
	"catalog.example/api/mcp"
	"catalog.example/api/site"
)

// mcpServer returns the MCP server of a build.
func (s *builtSite) mcpServer() *mcp.Server {
	snapshot := mcp.NewSnapshot(s.index, site.Defaults(), func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join(s.public, filepath.FromSlash(name)))
	})
	return mcp.New(mcp.Options{
		Snapshot: func(context.Context) *mcp.Snapshot { return snapshot },
		Refusal:  func(context.Context) *api.ToolProblem { return nil },
		Observe:  func(string, mcp.Outcome) {},
		Fault: func(_ context.Context, cause any, _ []byte) *api.Problem {
			return api.NewProblem(api.Internal, fmt.Sprint(cause))
		},
	})
}

// ask sends a message to the MCP server and returns the result.
func (s *builtSite) ask(method string, params any) (json.RawMessage, error) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	r := httptest.NewRequest(http.MethodPost, "/mcp", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	s.mcp.ServeHTTP(w, r)
	var answer struct {
		Result json.RawMessage
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Result == nil {
		return nil, fmt.Errorf("the MCP server answers %s with %d: %s", method, w.Code, w.Body)
	}
	return answer.Result, nil
}

// listTools returns the size of the list of tools that a client reads.
func (s *builtSite) listTools() (int, error) {
	result, err := s.ask("tools/list", map[string]any{})
	return len(result), err
}

// callTool returns the size of a tool's complete answer: the text and, with view=full, the structured part. Many
// hosts pass on both.
func (s *builtSite) callTool(name string, arguments map[string]any) (int, error) {
	answer, err := s.ask("tools/call", map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		return 0, err
	}
	if !bytes.Contains(answer, []byte("/projects/")) {
		return 0, fmt.Errorf("the MCP server finds nothing with %s and %v: %s", name, arguments, answer)
	}
	return len(answer), nil
}

// searchTool returns a function that searches over MCP.
func searchTool(view string) func(*builtSite, int) (int, error) {
	return func(s *builtSite, i int) (int, error) {
		return s.callTool(api.ToolSearch, map[string]any{"q": s.queries[i].Text, "limit": limit, "view": view})
	}
}

// compareTool compares the first three hits over MCP.
func compareTool(s *builtSite, i int) (int, error) {
	answer, err := s.answer(s.queries[i].Text, api.ViewBrief)
	if err != nil {
		return 0, err
	}
	var list api.BriefSearchResponse
	if err := json.Unmarshal(answer, &list); err != nil {
		return 0, err
	}
	var slugs []string
	for _, hit := range list.Hits[:min(3, len(list.Hits))] {
		slugs = append(slugs, hit.Slug)
	}
	if len(slugs) < api.MinCompared { // a name finds one listing, and its similar ones are compared
		slugs = append(slugs, s.similar(slugs[0])...)
	}
	return s.callTool(api.ToolCompare, map[string]any{"slugs": slugs})
}

// similar returns the slugs of two listings that are similar to another.
func (s *builtSite) similar(slug string) []string {
	var p api.ProjectDetail
	text, _ := s.index.AppendProject(nil, slug)
	if err := json.Unmarshal(text, &p); err != nil {
		return nil
	}
	return p.Similar[:min(2, len(p.Similar))]
}
