package api_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"catalog.example/api"
)

// Problem.JSON writes every field under its tag: encoding/json decodes it to the same value.
func TestProblemJSON(t *testing.T) {
	t.Parallel()
	full := api.Problem{
		Type: "https://x.example/problems/a/", Title: "A \"title\"", Status: 400, Detail: "<detail> & more\n", Code: "a",
		Errors:      []api.ParameterError{{Parameter: "limit", Message: "is 0", Allowed: []string{"1", "2"}}, {Parameter: "q", Message: "is \u2028 long"}},
		Suggestions: []string{"b", "c"}, RequestID: "d",
	}
	for i := range reflect.TypeFor[api.Problem]().NumField() {
		if reflect.ValueOf(full).Field(i).IsZero() {
			t.Fatalf("this test has no value for %s", reflect.TypeFor[api.Problem]().Field(i).Name)
		}
	}
	for _, p := range []api.Problem{full, {}, {Errors: full.Errors[:1]}} {
		var got api.Problem
		if err := json.Unmarshal(p.JSON(), &got); err != nil || !reflect.DeepEqual(got, p) {
			t.Errorf("%s: %v", p.JSON(), err)
		}
	}
	if got, want := string((&api.Problem{}).JSON()), `{"type":"","title":"","status":0,"detail":"","code":""}`; got != want {
		t.Errorf("got %s, want %s: empty fields are left out", got, want)
	}
}
