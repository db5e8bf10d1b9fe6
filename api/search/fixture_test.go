package search

import (
	"encoding/json"
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/site"
)

// listing returns a small valid listing; change may be nil.
func listing(slug string, change func(*api.ProjectDetail)) api.ProjectDetail {
	p := api.ProjectDetail{Project: api.Project{
		FitNotes: apitest.FitNotes(),
		Slug:     slug, Name: slug, Purpose: "Does a thing nobody asks for.", Category: "chat",
		PageURL: "http://localhost:8080/projects/" + slug + "/", RepositoryURL: "https://github.com/x/" + slug, AddedAt: "2026-01-01",
	}}
	if change != nil {
		change(&p)
	}
	return p.Normalized()
}

func testTaxonomy() api.Taxonomy {
	return api.Taxonomy{
		Categories: []api.Category{{Slug: "chat", Name: "Chat apps", Description: "d", Group: "g", Asks: []string{"someone to keep me company"}}, {Slug: "speech", Name: "Speech to text", Description: "d", Group: "g"}},
		Platforms: []api.Platform{
			{Slug: "linux", Name: "Linux", Suggested: []string{"linux"}}, {Slug: "macos", Name: "macOS", Suggested: []string{"mac", "m1 mac"}},
			{Slug: "windows", Name: "Windows", Suggested: []string{"windows"}}, {Slug: "android", Name: "Android", Suggested: []string{"android phone"}},
		},
		Facts: apitest.Facts(), Words: apitest.Words(),

		Products: []api.Product{{Slug: "chatgpt", Name: "ChatGPT", Aliases: []string{"gpt4o"}, Maker: "OpenAI"}, {Slug: "otter", Name: "Otter.ai", Aliases: []string{}, Maker: "Otter"}},
		Synonyms: [][]string{{"stt", "speech to text", "transcription"}, {"picture", "image"},
			{"diarization", "who spoke when", "speaker labels"}},
	}
}

// computerTaxonomy is testTaxonomy with what is known of computers.
func computerTaxonomy() api.Taxonomy {
	t := testTaxonomy()
	t.Hardware = apitest.Hardware()
	for i := range t.Platforms {
		t.Platforms[i].System = true
	}
	return t
}

// open builds and opens an index of the listings.
func open(t testing.TB, projects ...api.ProjectDetail) *Index {
	t.Helper()
	return openWith(t, testTaxonomy(), projects...)
}

// filters parses the filters of a query string.
func filters(rawQuery string) api.Filters {
	settings, taxonomy := site.Defaults(), computerTaxonomy()
	query, _, wrong := api.ParseSearch(rawQuery, api.SearchParameters(&settings, &taxonomy))
	if len(wrong) > 0 {
		panic(wrong[0].Message)
	}
	return query.Filters
}

// openWith does the same with another taxonomy.
func openWith(t testing.TB, taxonomy api.Taxonomy, projects ...api.ProjectDetail) *Index {
	t.Helper()
	file, err := Encode(Catalog{Settings: site.Defaults(), Taxonomy: taxonomy, Projects: projects})
	if err != nil {
		t.Fatal(err)
	}
	ix, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

func searchText(ix *Index, q string) api.SearchResponse {
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

func search(ix *Index, q api.SearchQuery) api.SearchResponse {
	var answer api.SearchResponse
	if err := json.Unmarshal(ix.AppendSearch(nil, q), &answer); err != nil {
		panic(err)
	}
	return answer
}
