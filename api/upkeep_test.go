package api_test

import (
	"testing"

	"catalog.example/api"
)

func TestUpkeep(t *testing.T) {
	yes, no := true, false
	day := func(s api.Date) *api.Date { return &s }
	for _, c := range []struct {
		project api.Project
		want    string
	}{
		{api.Project{}, ""},
		{api.Project{UpdatedAt: day("2026-11-01")}, ""},
		{api.Project{CheckedAt: day("2026-11-24")}, ""},
		{api.Project{Archived: &yes}, "archived"},
		{api.Project{Archived: &no, CheckedAt: day("2026-11-24"), UpdatedAt: day("2026-05-24")}, "active"},
		{api.Project{CheckedAt: day("2026-11-24"), UpdatedAt: day("2026-05-23")}, "slow"},
		{api.Project{CheckedAt: day("2026-11-24"), UpdatedAt: day("2025-05-24")}, "slow"},
		{api.Project{CheckedAt: day("2026-11-24"), UpdatedAt: day("2025-05-23")}, "dormant"},
		{api.Project{CheckedAt: day("2026-11-24"), UpdatedAt: day("2025-05-23"), Release: &api.Release{Version: "v1", Date: "2026-06-01"}}, "active"},
		{api.Project{CheckedAt: day("2026-11-24"), Release: &api.Release{Version: "v1", Date: "2024-06-01"}}, "dormant"},
	} {
		got := c.project.UpkeepThen()
		if got == nil && c.want != "" || got != nil && *got != c.want {
			t.Errorf("%+v: %v, want %q", c.project, got, c.want)
		}
	}
}
