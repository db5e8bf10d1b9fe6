package api_test

import (
	"slices"
	"testing"

	"catalog.example/api"
	"catalog.example/api/hardware"
)

// Of each kind of fact it is decided whether values can be compared. What follows from setups is not.
func TestIsCompared(t *testing.T) {
	t.Parallel()
	alone := []api.FactKind{api.FactText, api.FactTexts, api.FactPicture, api.FactSetups, api.FactPlace, api.FactRelation, api.FactLink}
	for _, kind := range api.FactKinds {
		f := api.Fact{Key: "x", Kind: kind}
		if f.IsCompared() == slices.Contains(alone, kind) {
			t.Errorf("%s: %v", kind, f.IsCompared())
		}
	}
	if f := (api.Fact{Key: "x", Kind: api.FactNumber, Derived: &hardware.Derivation{}}); f.IsCompared() {
		t.Error("a fact that follows from setups is compared")
	}
}
