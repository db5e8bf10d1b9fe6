package openapi

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/site"
)

// Clients and agents read of every property what it means. Bounds, formats and enumerations
// that no property has would do nothing.
func TestPropertiesAreDescribedAndBounded(t *testing.T) {
	s := site.Defaults()
	list, err := schemas{&s, &api.Taxonomy{Facts: apitest.Facts()}}.all()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, component := range list {
		for name, property := range component.Value.Properties {
			known[name], known[component.Name+"."+name] = true, true
			if property.Description == "" {
				t.Errorf("%s.%s has no description: add a jsonschema tag to its field", component.Name, name)
			}
			if enumerations[component.Name+"."+name] != nil && property.Enum == nil {
				t.Errorf("%s.%s allows all values", component.Name, name)
			}
		}
	}
	names := slices.AppendSeq(slices.Clone(addresses), maps.Keys(least))
	for _, name := range slices.AppendSeq(names, maps.Keys(enumerations)) {
		if !known[name] {
			t.Errorf("no property has the name %s", name)
		}
	}
}

// An enumeration without null would refuse answers with unknown values.
func TestNullableEnumerationsAllowNull(t *testing.T) {
	s := site.Defaults()
	list, err := schemas{&s, &api.Taxonomy{}}.all()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Project.upkeep", "Hit.upkeep", "Match.tier", "SortInfo.requested"} {
		component, property, _ := strings.Cut(name, ".")
		if p := list.Get(component).Properties[property]; !slices.Contains(p.Enum, nil) {
			t.Errorf("%s does not allow null: %v", name, p.Enum)
		}
	}
}
