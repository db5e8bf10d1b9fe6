package main

import (
	"path/filepath"
	"testing"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/api/site"
)

// TestExplain checks that an explanation names each word, where it was found, and the parts
// of the grade.
func TestExplain(t *testing.T) {
	t.Parallel()
	p := api.ProjectDetail{Project: api.Project{
		Slug: "denoiser", Name: "Denoiser", Purpose: "Cleans recordings.", Category: "audio", Asks: []string{"hiss on grandad's cassette"},
		Platforms: []string{"linux"}, RepositoryURL: "https://code.example.org/x", PageURL: "https://x.example/", AddedAt: "2026-01-01",
	}}.Normalized()
	index, err := search.Encode(search.Catalog{
		Settings: site.Defaults(), Projects: []api.ProjectDetail{p},
		Taxonomy: api.Taxonomy{
			Categories: []api.Category{{Slug: "audio", Name: "Audio", Description: "Sound.", Group: "All", Asks: []string{"too much noise"}}},
			Platforms:  []api.Platform{{Slug: "linux", Name: "Linux", Suggested: []string{"linux"}}},
			Words:      api.Words{Technical: []string{"api"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	public := t.TempDir()
	writeText(t, filepath.Join(public, filepath.FromSlash(search.FileName)), string(index))
	checkContains(t, "the explanation", runCommand(t, 0, "search", "noise and hiss recording linux upside", "--explain", "--public", public),
		"No listing seems to do this", "required, or platform=linux",
		"1. denoiser: tier description, grade 0 of 64 (0 is the best)\n", "by itself", "from its category",
		"word in ask 0.35: hiss grandads cassette", "word in ask of the category 0.25: much noise", "stem in purpose", "fact 0.30: platform=linux",
		"upside           0.00  missing\n", "arrangement")
	checkContains(t, "without words", runCommand(t, 0, "search", "--explain", "--public", public), "1. denoiser\n")
	checkContains(t, "without hits", runCommand(t, 0, "search", "zebra", "--explain", "--public", public), "Nothing found.")
	checkContains(t, "both forms", runCommand(t, exitUsage, "search", "hiss", "--explain", "--json", "--public", public), "explain", "json")
}
