package query

import (
	"encoding/json"
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/search/index"
	"catalog.example/api/site"
)

// open builds and opens an index of the listings.
func open(t testing.TB, projects ...api.ProjectDetail) *Engine {
	t.Helper()
	return openWith(t, apitest.Taxonomy(), projects...)
}

// openWith does the same with another taxonomy.
func openWith(t testing.TB, taxonomy api.Taxonomy, projects ...api.ProjectDetail) *Engine {
	t.Helper()
	file, err := index.Encode(index.Catalog{Settings: site.Defaults(), Taxonomy: taxonomy, Projects: projects})
	if err != nil {
		t.Fatal(err)
	}
	ix, err := index.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	return New(ix)
}

func searchText(ix *Engine, q string) api.SearchResponse {
	return search(ix, api.SearchQuery{Q: q, Limit: 50})
}

// slugs returns the slugs of hits, with a star after those of partial matches.
func slugs(answer api.SearchResponse) []string {
	list := []string{}
	for _, h := range answer.Hits {
		s := h.Slug
		if h.Match.Partial {
			s += "*"
		}
		list = append(list, s)
	}
	return list
}

func search(ix *Engine, q api.SearchQuery) api.SearchResponse {
	var answer api.SearchResponse
	if err := json.Unmarshal(ix.AppendSearch(nil, q), &answer); err != nil {
		panic(err)
	}
	return answer
}
