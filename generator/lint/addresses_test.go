package lint

import (
	"slices"
	"testing"
)

func TestAddressesIn(t *testing.T) {
	for source, want := range map[string][]string{
		"":                                          nil,
		"the maker, by email (2026-11-24)":          nil,
		"https://a.example/b (2026-11-24)":          {"https://a.example/b"},
		"https://a.example/b":                       {"https://a.example/b"},
		"https://a.example/\"b\" (2026-11-24)":      {"https://a.example/"},
		"https://a.example/<b>\thttps://c.example":  {"https://a.example/", "https://c.example"},
		"HTTPS://a.example and http://b.example/c":  {"HTTPS://a.example", "http://b.example/c"},
		"https://a.example?to=https://b.example c":  {"https://a.example?to=https://b.example"},
		"see https://a.example, not xhttps://b":     {"https://a.example,"},
		"https://a.example http://b.example (2026)": {"https://a.example", "http://b.example"},
	} {
		if got := addressesIn(source); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", source, got, want)
		}
	}
}
