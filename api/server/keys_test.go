package server

import (
	"net/http"
	"testing"
)

func TestIdentify(t *testing.T) {
	const known = "catalog-sandbox"
	tests := []struct {
		name    string
		headers http.Header
		want    policy
		ok      bool
	}{
		{"no header", http.Header{}, anonymous, true},
		{"bearer", http.Header{"Authorization": {"Bearer catalog-sandbox"}}, sandbox, true},
		{"scheme in any case", http.Header{"Authorization": {"bEARER   catalog-sandbox "}}, sandbox, true},
		{"header", http.Header{"X-Api-Key": {"catalog-sandbox"}}, sandbox, true},
		{"both", http.Header{"Authorization": {"Bearer catalog-sandbox"}, "X-Api-Key": {"catalog-sandbox"}}, sandbox, true},
		{"twice the same", http.Header{"X-Api-Key": {known, known}}, sandbox, true},
		{"empty header", http.Header{"X-Api-Key": {""}, "Authorization": {""}}, anonymous, true},
		{"bearer of nothing", http.Header{"Authorization": {"Bearer"}}, anonymous, true},
		{"another scheme", http.Header{"Authorization": {"Basic Y2F0YWxvZzpzYW5kYm94"}}, anonymous, true},
		{"another scheme beside a key", http.Header{"Authorization": {"Basic eA=="}, "X-Api-Key": {known}}, sandbox, true},
		{"unknown bearer", http.Header{"Authorization": {"Bearer nope"}}, anonymous, false},
		{"unknown header", http.Header{"X-Api-Key": {"nope"}}, anonymous, false},
		{"key in another case", http.Header{"X-Api-Key": {"Catalog-Sandbox"}}, anonymous, false},
		{"beginning of the key", http.Header{"X-Api-Key": {"catalog"}}, anonymous, false},
		{"differ, known first", http.Header{"Authorization": {"Bearer catalog-sandbox"}, "X-Api-Key": {"nope"}}, anonymous, false},
		{"differ, known last", http.Header{"Authorization": {"Bearer nope"}, "X-Api-Key": {known}}, anonymous, false},
		{"one of several values unknown", http.Header{"X-Api-Key": {known, "nope"}}, anonymous, false},
		{"two bearers, one unknown", http.Header{"Authorization": {"Bearer catalog-sandbox", "Bearer nope"}}, anonymous, false},
		{"list in one value", http.Header{"X-Api-Key": {"catalog-sandbox, catalog-sandbox"}}, anonymous, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got, ok := identify(test.headers, known); got != test.want || ok != test.ok {
				t.Errorf("identify is %v, %v; want %v, %v", got, ok, test.want, test.ok)
			}
		})
	}
}

func TestIdentifyWithoutAKey(t *testing.T) {
	for _, headers := range []http.Header{{"X-Api-Key": {"catalog-sandbox"}}, {"Authorization": {"Bearer x"}}} {
		if _, ok := identify(headers, ""); ok {
			t.Errorf("%v is taken for a known key", headers)
		}
	}
	if p, ok := identify(http.Header{"X-Api-Key": {""}}, ""); p != anonymous || !ok {
		t.Errorf("an empty header is %v, %v", p, ok)
	}
}
