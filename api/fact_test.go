package api

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestFoundBy(t *testing.T) {
	options := []FactOption{{Slug: "none"}, {Slug: "optional"}, {Slug: "required"}}
	flag := &FactFilter{Parameter: "gpu", Zero: []string{"none", "optional"}, One: []string{"optional", "required"}}
	for _, test := range []struct {
		fact  Fact
		value any
		want  []string
	}{
		{Fact{Kind: FactYesNo}, true, []string{"1"}},
		{Fact{Kind: FactYesNo}, false, []string{"0"}},
		{Fact{Kind: FactYesNo}, nil, nil},
		{Fact{Kind: FactChoice, Values: options}, "none", []string{"none"}},
		{Fact{Kind: FactChoice, Values: options, Filter: flag}, "none", []string{"0"}},
		{Fact{Kind: FactChoice, Values: options, Filter: flag}, "optional", []string{"0", "1"}},
		{Fact{Kind: FactChoice, Values: options, Filter: flag}, "required", []string{"1"}},
		{Fact{Kind: FactChoice, Values: options, Filter: flag}, nil, nil},
		{Fact{Kind: FactChoices, Values: options}, []string{"none", "required"}, []string{"none", "required"}},
		{Fact{Kind: FactChoices, Values: options, Filter: flag}, []string{"none", "required"}, []string{"0", "1"}},
		{Fact{Kind: FactNumber}, 8.0, nil},
		{Fact{Kind: FactText}, "a", nil},
	} {
		if got := test.fact.MatchingFilterValues(test.value); !slices.Equal(got, test.want) {
			t.Errorf("%v of a %s: %q, want %q", test.value, test.fact.Kind, got, test.want)
		}
	}
}

func TestFactValuesJSON(t *testing.T) {
	for _, text := range []string{`{}`, `{"b":true,"a":null,"c":[],"d":["x","<y>"],"e":0.5,"f":"z"}`, `{"\u0007":"` + "\U0001F600" + `"}`} {
		var values FactValues
		if err := json.Unmarshal([]byte(text), &values); err != nil {
			t.Errorf("%s: %v", text, err)
		} else if encoded, err := values.MarshalJSON(); err != nil || string(encoded) != text {
			t.Errorf("%s became %s, %v", text, encoded, err)
		}
	}
	var values struct{ Facts FactValues }
	if err := json.Unmarshal([]byte(`{"Facts":null}`), &values); err != nil || values.Facts != nil {
		t.Errorf("null became %v, %v", values.Facts, err)
	}
	if err := json.Unmarshal([]byte(`{"Facts":[]}`), &values); err == nil {
		t.Error("a list was read as facts")
	}
}

// A fact may follow from others, and from what the licence leaves of those that are unknown.
func TestSetFollowing(t *testing.T) {
	facts := []Fact{
		{Key: "openness", Kind: FactChoice, Values: []FactOption{{Slug: "open"}, {Slug: "core"}, {Slug: "limited"}, {Slug: "private"}},
			Checks: FactChecks{OSIApproved: map[string]bool{"open": true, "core": true, "limited": false, "private": false}}},
		{Key: "models", Kind: FactChoice, Values: []FactOption{{Slug: "free"}, {Slug: "study"}}},
		{Key: "commercial", Kind: FactYesNo, Follows: map[string][]string{"openness": {"open", "core", "limited"}, "models": {"free"}}},
	}
	for _, c := range []struct {
		openness, models, osiApproved, want any
	}{
		{"open", "free", nil, true}, {"limited", "free", false, true}, {"private", "free", nil, false}, {"open", "study", nil, false},
		{nil, "study", nil, false}, {"open", nil, true, nil}, {nil, "free", nil, nil}, {nil, "free", true, true}, {nil, "free", false, nil},
		{nil, nil, nil, nil},
	} {
		p := Project{FitNotes: UnknownFacts(facts)}
		p.FitNotes.Set("openness", c.openness)
		p.FitNotes.Set("models", c.models)
		if b, ok := c.osiApproved.(bool); ok {
			p.OSIApproved = &b
		}
		if p.SetFollowing(facts); p.FitNotes.Get("commercial") != c.want {
			t.Errorf("%v: got %v", c, p.FitNotes.Get("commercial"))
		}
	}
	if hint := UnknownFacts(facts).MappingHint("commercial"); !strings.Contains(hint, "remove it") {
		t.Errorf("a listing that states it is told %q", hint)
	}
	// A definition may be wrong.
	p := Project{FitNotes: UnknownFacts(facts[2:])}
	if p.SetFollowing(facts[2:]); p.FitNotes.Get("commercial") != nil {
		t.Errorf("without the facts that it follows from: %v", p.FitNotes.Get("commercial"))
	}
}

// A fact may follow from install links. Links to the documentation and the source leave it unknown.
func TestSetFollowingFromLinks(t *testing.T) {
	facts := []Fact{{Key: "installer", Kind: FactYesNo, Follows: map[string][]string{LinksKey: {"installer", "store"}}}}
	for _, c := range []struct {
		kinds []string
		want  any
	}{
		{nil, nil}, {[]string{"docs", "source"}, nil}, {[]string{"docs", "pip"}, false}, {[]string{"store"}, true},
		{[]string{"pip", "docs", "installer"}, true},
	} {
		p := Project{FitNotes: UnknownFacts(facts)}
		for _, kind := range c.kinds {
			p.InstallLinks = append(p.InstallLinks, InstallLink{Kind: kind})
		}
		if p.SetFollowing(facts); p.FitNotes.Get("installer") != c.want {
			t.Errorf("%v: got %v", c, p.FitNotes.Get("installer"))
		}
	}
}
