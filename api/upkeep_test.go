package api_test

import (
	"testing"

	"catalog.example/api"
)

func TestUpkeep(t *testing.T) {
	yes, no := true, false
	day := func(s api.Date) *api.Date { return &s }
	seen := func(updated, asOf api.Date) api.Project {
		return api.Project{CheckedAt: day("2026-11-24"), UpkeepAsOf: &asOf, UpdatedAt: &updated}
	}
	for _, c := range []struct {
		project api.Project
		want    string
	}{
		{api.Project{}, ""},
		{api.Project{UpdatedAt: day("2026-11-01"), UpkeepAsOf: day("2026-11-02")}, ""},
		{api.Project{CheckedAt: day("2026-11-24"), UpkeepAsOf: day("2026-11-24")}, ""},
		{api.Project{CheckedAt: day("2026-11-24"), UpdatedAt: day("2026-11-01")}, ""},
		{api.Project{Archived: &yes}, "archived"},
		{seen("2026-05-24", "2026-11-24"), "active"},
		{seen("2026-05-23", "2026-11-24"), "slow"},
		{seen("2025-05-24", "2026-11-24"), "slow"},
		{seen("2025-05-23", "2026-11-24"), "dormant"},
		{seen("2026-02-22", "2026-08-22"), "active"},
		{seen("2026-05-20", "2026-05-24"), "active"},
		{seen("2026-05-20", "2026-05-23"), ""}, // who knows what happened in the 6 months before 24 November
		{api.Project{Archived: &no, CheckedAt: day("2026-11-24"), UpkeepAsOf: day("2026-11-24"), UpdatedAt: day("2025-05-23"),
			Release: &api.Release{Version: "v1", Date: "2026-06-01"}}, "active"},
		{api.Project{CheckedAt: day("2026-11-24"), UpkeepAsOf: day("2026-11-24"), Release: &api.Release{Version: "v1", Date: "2024-06-01"}}, "dormant"},
	} {
		got := c.project.UpkeepThen()
		if got == nil && c.want != "" || got != nil && *got != c.want {
			t.Errorf("%+v: %v, want %q", c.project, got, c.want)
		}
	}
}
