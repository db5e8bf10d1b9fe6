package render

import (
	"encoding/json"
	"testing"

	"catalog.example/api"
	"catalog.example/generator/content"
)

// The page code looks up what is said of a value, and which filters find it.
func TestTablesOfFacts(t *testing.T) {
	t.Parallel()
	for want, fact := range map[string]api.Fact{
		`{"key":"docker","kind":"yes-no","label":"Docker","texts":{"false":"no","true":"yes"},"chips":{"true":"Docker"},` +
			`"filter":"docker","finds":{"":["{value}"],"false":["0"],"true":["1"]},"decides":true}`: {
			Key: "docker", Kind: api.FactYesNo, Label: "Docker", Chip: map[string]string{"1": "Docker"},
			Filter: &api.FactFilter{Parameter: "docker"},
		},
		`{"key":"key","kind":"choices","label":"Key","texts":{"free":"free","none":"not needed"},` +
			`"filter":"key","finds":{"":["{value}"],"free":["none","free"]},"decides":true}`: {
			Key: "key", Kind: api.FactChoices, Label: "Key",
			Values: []api.FactOption{{Slug: "none", Label: "not needed"}, {Slug: "free", Label: "free"}},
			Filter: &api.FactFilter{Parameter: "key", Matches: map[string][]string{"none": {"none", "free"}}},
		},
		`{"key":"ram","kind":"number","label":"RAM","texts":{"":"{value} GB"},"chips":{"":"from {value} GB"},"decides":true}`: {
			Key: "ram", Kind: api.FactNumber, Label: "RAM", Unit: "GB", Chip: map[string]string{api.FactKnown: "from"},
		},
	} {
		got, err := json.Marshal((&Words{}).newScriptFact(&fact))
		if err != nil || string(got) != want {
			t.Errorf("got %s, want %s: %v", got, want, err)
		}
	}
}

// A value of the filter license finds the licences that it finds in a search.
func TestFamiliesOfLicenses(t *testing.T) {
	t.Parallel()
	s := &Shared{Site: &Site{}, Words: &Words{}}
	for _, license := range []string{"MIT OR AGPL-3.0-only", "AGPL-3.0-or-later", "GPL-2.0-only WITH x", "MIT AND LicenseRef-A"} {
		p := api.ProjectDetail{Project: api.Project{License: &license}}
		s.Listings = append(s.Listings, &content.Listing{ProjectDetail: p})
	}
	got, err := json.Marshal(s.licenseFamilies())
	const want = `{"agpl-3.0":["AGPL-3.0-only","AGPL-3.0-or-later"],` +
		`"gpl-2.0":["GPL-2.0-only WITH x"],"gpl-2.0-only":["GPL-2.0-only WITH x"]}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, want %s: %v", got, want, err)
	}
}
