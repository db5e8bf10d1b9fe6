package api_test

import (
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/site"
)

// searchParameters are those of a catalogue with setups.
func searchParameters(t *testing.T) []api.Parameter {
	t.Helper()
	settings := site.Defaults()
	facts := []api.Fact{{Key: "setups", Kind: api.FactSetups}, {Key: api.ArchKey, Kind: api.FactChoices,
		Values: []api.FactOption{{Slug: "amd64"}}}, {Key: "selfHosted", Kind: api.FactYesNo, Filter: &api.FactFilter{Parameter: "selfHosted"}}}
	return api.SearchParameters(&settings, &api.Taxonomy{Facts: facts, Platforms: []api.Platform{{Slug: "linux", System: true}}})
}

// Names that models try for arguments are taken, or lead to the right name.
func TestRightNames(t *testing.T) {
	known := searchParameters(t)
	for _, test := range []struct {
		given, right string // right is "" if the argument is refused
		says         string
	}{
		{"query", "q", `The argument "query" was taken as "q": use that name.`},
		{"text", "q", `as "q"`}, {"search", "q", `as "q"`},
		{"max_results", "limit", `as "limit"`}, {"maxResults", "limit", `as "limit"`}, {"top_k", "limit", `as "limit"`},
		{"licence", "license", `as "license"`}, {"platforms", "platform", `as "platform"`},
		{"ram_gb", "ramGb", `as "ramGb"`}, {"RAM-GB", "ramGb", `as "ramGb"`}, {"gpu_memory_gb", "vramGb", `as "vramGb"`},
		{"self_hosted", "selfHosted", `as "selfHosted"`}, {"architecture", "arch", `as "arch"`},
		{"ram", "", `is not an argument. Use "ramGb": the computer's RAM in GB.`}, {"memory", "", `Use "ramGb"`},
		{"vram", "", `Use "vramGb": its VRAM in GB; 0 for none.`}, {"gpu_memory", "", `Use "vramGb"`},
		{"os", "", `Use "system"`}, {"page", "", `Use "offset"`},
		{"catgory", "catgory", ""}, {"unheard", "unheard", ""}, {strings.Repeat("q", 90), strings.Repeat("q", 90), ""},
	} {
		named, warnings, wrong := api.RightNames(map[string]any{test.given: "8"}, known)
		switch said := append(slices.Clone(warnings), api.Warning{}); {
		case test.right == "":
			if len(named)+len(warnings) != 0 || len(wrong) != 1 || wrong[0].Parameter != test.given || !strings.Contains(wrong[0].Message, test.says) {
				t.Errorf("%s: %v %v %v", test.given, named, warnings, wrong)
			}
		case named[test.right] != "8" || len(wrong) > 0 || (test.says == "") != (len(warnings) == 0) || !strings.Contains(said[0].Message, test.says):
			t.Errorf("%s: %v %v %v", test.given, named, warnings, wrong)
		}
	}
}

// The parameter's own name counts, and of other names the first.
func TestRightNamesTwice(t *testing.T) {
	known := searchParameters(t)
	named, warnings, wrong := api.RightNames(map[string]any{"q": "a", "query": "b"}, known)
	if named["q"] != "a" || len(warnings) != 0 || len(wrong) != 1 || wrong[0].Parameter != "query" {
		t.Errorf("%v %v %v", named, warnings, wrong)
	}
	named, warnings, wrong = api.RightNames(map[string]any{"text": "a", "query": "b"}, known)
	if named["q"] != "b" || len(warnings) != 1 || len(wrong) != 1 || wrong[0].Parameter != "text" {
		t.Errorf("%v %v %v", named, warnings, wrong)
	}
}

// An argument that is null is absent: it takes no place, and its name is not refused.
func TestRightNamesOfNull(t *testing.T) {
	known := searchParameters(t)
	named, warnings, wrong := api.RightNames(map[string]any{"q": nil, "query": "chat", "ram": nil}, known)
	if len(named) != 1 || named["q"] != "chat" || len(warnings) != 1 || len(wrong) != 0 {
		t.Errorf("%v %v %v", named, warnings, wrong)
	}
	named, warnings, wrong = api.RightNames(map[string]any{"q": "chat", "query": nil, "unheard": nil}, known)
	if len(named) != 1 || named["q"] != "chat" || len(warnings)+len(wrong) != 0 {
		t.Errorf("%v %v %v", named, warnings, wrong)
	}
}

// The API ignores other names, and its warnings name the right one.
func TestWarningsNameTheRightParameter(t *testing.T) {
	for raw, want := range map[string]string{
		"query=chat": `The parameter "query" is unknown and was ignored. Use "q".`,
		"ram=8":      `The parameter "ram" is unknown and was ignored. Use "ramGb": the computer's RAM in GB.`,
		"RAM_GB=8":   `The parameter "RAM_GB" is unknown and was ignored. Use "ramGb".`,
		"lymit=8":    `The parameter "lymit" is unknown and was ignored. The nearest known one is "limit".`,
	} {
		q, warnings, wrong := api.ParseSearch(raw, searchParameters(t))
		if len(wrong) > 0 || q.Q != "" || len(warnings) != 1 || warnings[0].Message != want || warnings[0].Code != api.WarnUnknownParameter {
			t.Errorf("%s: %v %v", raw, warnings, wrong)
		}
	}
}

// Page code has the same table.
func TestOtherNames(t *testing.T) {
	same, advice := api.OtherNames(searchParameters(t))
	if same["query"] != "q" || same["ramgb"] != "ramGb" || same["q"] != "q" || !strings.Contains(advice["ram"], `"ramGb"`) || same["ram"] != "" || same["slug"] != "" {
		t.Errorf("%v %v", same, advice)
	}
}
