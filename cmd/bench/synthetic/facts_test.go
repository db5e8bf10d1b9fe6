package synthetic

import (
	"reflect"
	"slices"
	"testing"

	"catalog.example/api"
)

// machines are facts of another subject, one of each kind and some that others limit.
func machines() []api.Fact {
	number := func(n float64) *float64 { return &n }
	options := []api.FactOption{{Slug: "single"}, {Slug: "dual"}, {Slug: "none"}}
	return []api.Fact{
		{Key: "grinder", Kind: api.FactYesNo, Sourced: true},
		{Key: "boiler", Kind: api.FactChoice, Values: options},
		{Key: "pods", Kind: api.FactChoices, Values: options},
		{Key: "price", Kind: api.FactNumber, Least: number(100), Checks: api.FactChecks{NotAbove: "dearest"}},
		{Key: "dearest", Kind: api.FactNumber},
		{Key: "litres", Kind: api.FactNumber, Least: number(0.1), Most: number(3)},
		{Key: "bars", Kind: api.FactNumber, Checks: api.FactChecks{Needs: map[string][]string{"boiler": {"single", "dual"}}}},
		{Key: "note", Kind: api.FactText, Checks: api.FactChecks{Needs: map[string][]string{"bars": {api.FactKnown}}}},
		{Key: "warnings", Kind: api.FactTexts},
	}
}

// Facts that nobody thought of here are drawn within their bounds, in about the shares
// of the shipped ones.
func TestFactsFollowTheirDefinitions(t *testing.T) {
	real, _ := load(t, shipped)
	taxonomy := real.Taxonomy
	taxonomy.Facts = machines()
	const count = 2000
	known := map[string]int{}
	seen := map[string]map[any]bool{}
	for p := range Listings(Options{Count: count, Seed: 1, Taxonomy: &taxonomy}) {
		n := p.FitNotes
		for i := range taxonomy.Facts {
			f := &taxonomy.Facts[i]
			value := n.Get(f.Key)
			if !api.Known(value) {
				continue
			}
			known[f.Key]++
			if seen[f.Key] == nil {
				seen[f.Key] = map[any]bool{}
			}
			if list, ok := value.([]string); ok {
				value = list[0]
			}
			seen[f.Key][value] = true
		}
		if dearest, ok := n.Get("dearest").(float64); ok && n.Get("price") != nil && n.Get("price").(float64) > dearest {
			t.Errorf("%s: price %v above %v", p.Slug, n.Get("price"), dearest)
		}
		if n.Get("bars") != nil && (n.Get("boiler") == nil || n.Get("boiler") == "none") || n.Get("note") != nil && n.Get("bars") == nil {
			t.Errorf("%s: a fact without what it needs: %+v", p.Slug, n)
		}
		if litres, ok := n.Get("litres").(float64); ok && (litres < 0.1 || litres > 3) {
			t.Errorf("%s: %v litres", p.Slug, litres)
		}
		if _, sourced := p.Sources["fitNotes.grinder"]; sourced != (n.Get("grinder") != nil) {
			t.Errorf("%s: sources %v for %v", p.Slug, p.Sources, n.Get("grinder"))
		}
	}
	for key, share := range map[string]float64{
		"grinder": 1 - unknownYesNo, "boiler": knownChoice, "pods": knownChoice, "price": knownNumber, "litres": knownNumber, "warnings": 1,
	} {
		if got := float64(known[key]) / count; got < share-0.05 || got > share+0.05 {
			t.Errorf("%s is known in %.2f of the listings, want %.2f", key, got, share)
		}
	}
	for key, values := range map[string]int{"grinder": 2, "boiler": 3, "pods": 3, "litres": 2} {
		if len(seen[key]) != values {
			t.Errorf("%s has the values %v, want %d", key, seen[key], values)
		}
	}
	if known["note"] == 0 || known["bars"] == 0 {
		t.Error("what needs another fact is never known")
	}
}

// Other facts leave the rest of a listing as it is, so that benchmarks before and after
// a change of the definitions measure the same texts.
func TestOtherFactsSameListings(t *testing.T) {
	real, _ := load(t, shipped)
	take := func(facts []api.Fact) []api.ProjectDetail {
		taxonomy := real.Taxonomy
		taxonomy.Facts = facts
		list := slices.Collect(Listings(Options{Count: 20, Seed: 1, Taxonomy: &taxonomy}))
		for i := range list {
			list[i].FitNotes, list[i].Setups, list[i].Estimate, list[i].Sources = nil, nil, nil, nil
			list[i].Upkeep, list[i].UpkeepAsOf = nil, nil // they follow from sources
		}
		return list
	}
	if !reflect.DeepEqual(take(real.Taxonomy.Facts), take(machines())) {
		t.Error("other facts give other listings")
	}
}

// Every kind of fact survives being written and decoded.
func TestFactsAreWritten(t *testing.T) {
	var w yamlWriter
	for _, fact := range []api.FactValue{
		{Key: "a", Value: true}, {Key: "b", Value: 0.5}, {Key: "c", Value: "no"}, {Key: "d"},
		{Key: "e", Kind: api.FactChoices, Value: []string{"x", "z"}}, {Key: "f", Kind: api.FactChoices, Value: []string{}},
		{Key: "g", Kind: api.FactTexts, Value: []string{"One.", "two: three"}}, {Key: "h", Value: []string{}},
	} {
		w.fact(fact)
	}
	const want = "  a: true\n  b: 0.5\n  c: \"no\"\n  d: null\n  e: [x, z]\n  f: []\n  g:\n    - One.\n    - \"two: three\"\n  h: []\n"
	if got := w.String(); got != want {
		t.Errorf("written was\n%s\nwant\n%s", got, want)
	}
}
