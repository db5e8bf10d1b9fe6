package query

import (
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
)

// An answer without its quotes is shorter, and becomes the same answer again.
func TestQuotes(t *testing.T) {
	ix := open(t, apitest.Listings(40)...)
	for _, c := range []struct {
		query  api.SearchQuery
		quotes int
	}{
		{api.SearchQuery{Limit: 10}, 10},
		{api.SearchQuery{Q: "image", Limit: 2}, 2},
		{api.SearchQuery{Q: "image", Limit: 2, Brief: true}, 0},
		{api.SearchQuery{Q: "zzzz", Limit: 2}, 0},
	} {
		a := ix.Search([]byte("before "), c.query)
		text := a.Unquoted()
		if len(a.Quotes) != c.quotes || c.quotes > 0 && len(text) >= len(a.JSON) {
			t.Errorf("%+v: %d quotes, %d of %d bytes", c.query, len(a.Quotes), len(text), len(a.JSON))
		}
		if again := ix.AppendRequoted([]byte("and "), text, a.Quotes); string(again) != "and "+string(a.JSON) {
			t.Errorf("%+v: %s, want %s", c.query, again, a.JSON)
		}
	}
}
