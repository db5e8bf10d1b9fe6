package check

import (
	"net/http"
	"testing"

	"catalog.example/api/headers"
	"catalog.example/api/site"
)

// TestPolicies judges Content-Security-Policies of a right site and of wrong ones.
func TestPolicies(t *testing.T) {
	t.Parallel()
	const base = "https://catalog.example"
	policy := func(searchURL string) string {
		return headers.Page(&site.Settings{BaseURL: base + "/tools", SearchURL: searchURL})[0].Value
	}
	s := &session{base: base + "/tools", settings: site.Settings{BaseURL: base + "/tools"}}
	home := door{name: "home", fields: headers.Page(&s.settings)[:1]}
	for name, c := range map[string]struct {
		policies []string
		want     string
	}{
		"right":                  {[]string{policy("")}, OK},
		"search_url is base_url": {[]string{policy(base + "/tools")}, OK},
		"one more":               {[]string{policy(""), "default-src 'self'"}, Warning},
		"another":                {[]string{"default-src 'self'"}, Warning},
	} {
		a := answer{status: http.StatusOK, header: http.Header{"Content-Security-Policy": c.policies}}
		if found := s.judge(t.Context(), &home, &a); len(found) != 1 || found[0].Level != c.want {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
