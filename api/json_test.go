package api_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"catalog.example/api"
)

func TestEachMember(t *testing.T) {
	want := map[string]any{
		"plain": "a", "empty": "", "marks": `say "a, b": {c}`, "slashes": `\`, "two slashes": `\\`, "both": `\"`,
		"list": []any{`x"],`, "}"}, "object": map[string]any{"list": []any{}, "text": `\","y":1`}, "number": 1.0, "null": nil,
	}
	object, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	err = api.EachMember(object, func(key []byte, start, end int) {
		var member map[string]any
		if err := json.Unmarshal([]byte("{"+string(object[start:end])+"}"), &member); err != nil {
			t.Errorf("%s: %v", object[start:end], err)
		} else if _, ok := member[string(key)]; !ok || len(member) != 1 {
			t.Errorf("got the key %q for %s", key, object[start:end])
		}
		keys = append(keys, string(key))
	})
	if err != nil || !slices.Equal(keys, slices.Sorted(maps.Keys(want))) {
		t.Errorf("got %q, %v", keys, err)
	}
	for _, damaged := range []string{`{"a":"b`, `{"a":"b\`, `{"a":"b\"`, `{"`, `"`} {
		if err := api.EachMember([]byte(damaged), func([]byte, int, int) {}); err != nil {
			t.Errorf("%s: %v", damaged, err)
		}
	}
	if api.EachMember([]byte(`{1}`), func([]byte, int, int) {}) == nil {
		t.Error("a member without a key is no error")
	}
}
