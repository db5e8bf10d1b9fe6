package api_test

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"catalog.example/api"
	"catalog.example/api/site"
)

// The page code is held to the same cases: cmd/catalog/compare_browser_test.go.
func TestSuits(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/suits.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Taxonomy api.Taxonomy
		Cases    []struct {
			Name     string
			Listings []*api.Project
			Want     [][]string
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Cases {
		got := make([][]string, len(c.Listings))
		for i, suits := range file.Taxonomy.Suits(&site.Settings{}, c.Listings) {
			got[i] = []string{}
			for _, s := range suits {
				got[i] = append(got[i], s.Text())
			}
		}
		if !reflect.DeepEqual(got, c.Want) {
			t.Errorf("%s:\n got %q\nwant %q", c.Name, got, c.Want)
		}
	}
}

// Fields that the owner left out say nothing.
func TestSuitsOfFieldsLeftOut(t *testing.T) {
	t.Parallel()
	taxonomy := api.Taxonomy{Platforms: []api.Platform{{Slug: "linux", Name: "Linux", System: true}, {Slug: "macos", Name: "macOS", System: true}}}
	listings := []*api.Project{
		{Platforms: []string{"linux"}, Upkeep: new("active"), OSIApproved: new(true)},
		{Platforms: []string{"macos"}, Upkeep: new("dormant"), OSIApproved: new(false)},
	}
	s := &site.Settings{}
	if got := len(taxonomy.Suits(s, listings)[0]); got != 3 {
		t.Errorf("there are %d reasons, want 3", got)
	}
	s.Without = []string{"platforms", "license", "updatedAt", "archived"}
	if got := taxonomy.Suits(s, listings)[0]; len(got) > 0 {
		t.Errorf("without these fields, there are still reasons: %v", got)
	}
}
