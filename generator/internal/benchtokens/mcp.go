package main

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
)

// mcpServer returns the MCP server of a build.
func (s *site) mcpServer() (*mcp.Server, error) {
	edition, err := mcp.NewEdition(s.index, api.DefaultSettings(), func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join(s.public, filepath.FromSlash(name))) // #nosec G304 -- of the build output
	})
	if err != nil {
		return nil, err
	}
	return mcp.New(mcp.Options{Edition: func(context.Context) (*mcp.Edition, func()) { return edition, func() {} }}), nil
}

// callTool returns the size of all that the MCP server's tool answers to a query:
// the text and the structured part, which many hosts hand on both.
func (s *site) callTool(i int) (int, error) {
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": api.ToolSearch, "arguments": map[string]any{"q": s.queries[i].Text, "limit": limit}},
	})
	if err != nil {
		return 0, err
	}
	r := httptest.NewRequest(http.MethodPost, "/mcp", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	s.mcp.ServeHTTP(w, r)
	var answer struct {
		Result json.RawMessage
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		return 0, fmt.Errorf("the MCP server answers %d: %w", w.Code, err)
	}
	var result struct{ StructuredContent struct{ Hits []any } }
	if err := json.Unmarshal(answer.Result, &result); err != nil || len(result.StructuredContent.Hits) == 0 {
		return 0, fmt.Errorf("the MCP server finds nothing for %q: %s", s.queries[i].Text, w.Body)
	}
	return len(answer.Result), nil
}
