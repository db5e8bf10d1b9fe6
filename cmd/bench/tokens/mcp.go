package tokens

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
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

// callTool returns the size of the tool's complete answer to a query: the text and, with view=full, the
// structured part. Many hosts pass on both. The call has these arguments besides the query.
func (s *builtSite) callTool(i int, more map[string]any) (int, error) {
	arguments := map[string]any{"q": s.queries[i].Text, "limit": limit}
	maps.Copy(arguments, more)
	answer, err := s.ask("tools/call", map[string]any{"name": api.ToolSearch, "arguments": arguments})
	if err != nil {
		return 0, err
	}
	if !bytes.Contains(answer, []byte("/projects/")) {
		return 0, fmt.Errorf("the MCP server finds nothing for %q: %s", s.queries[i].Text, answer)
	}
	return len(answer), nil
}
