package api

import (
	"slices"
	"testing"
)

func TestPathsOfFiles(t *testing.T) {
	for name, want := range map[string][]string{
		"index.html":                    {"/"},
		"projects/ollama/index.html":    {"/projects/ollama/"},
		"projects/ollama/index.html.md": {"/projects/ollama/index.html.md"},
		"404.html":                      {"/404.html"},
		"_headers":                      nil,
		"api/v1/projects/ollama.json":   {"/api/v1/projects/ollama", "/api/v1/projects/ollama.json"},
		"api/v1/projects/index.json":    {"/api/v1/projects", "/api/v1/projects/index.json"},
		"api/v1/index.json":             {"/api/v1/", "/api/v1/index.json"},
		"api/v1/openapi.json":           {"/api/v1/openapi", "/api/v1/openapi.json"},
		"api/v1/lists/newest/1.json":    {"/api/v1/lists/newest/1.json"},
		".well-known/api-catalog":       {"/.well-known/api-catalog"},
	} {
		if got := Paths(name); !slices.Equal(got, want) {
			t.Errorf("Paths(%q) = %q, want %q", name, got, want)
		}
	}
}
