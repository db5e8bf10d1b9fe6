package query

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"catalog.example/api"
	"catalog.example/api/apitest"
	"catalog.example/api/search/index"
)

// Hits, lists and single projects have the same JSON as the listings.
func TestAnswersContainListings(t *testing.T) {
	projects := apitest.Listings(40)
	ix := open(t, projects...)
	bySlug := map[string]api.ProjectDetail{}
	for _, p := range projects {
		bySlug[p.Slug] = p
	}
	var raw struct{ Hits []json.RawMessage }
	if err := json.Unmarshal(ix.AppendSearch(nil, api.SearchQuery{Limit: 50}), &raw); err != nil || len(raw.Hits) != 40 {
		t.Fatalf("%v, %d hits", err, len(raw.Hits))
	}
	for _, h := range raw.Hits {
		var hit api.Hit
		if err := json.Unmarshal(h, &hit); err != nil {
			t.Fatal(err)
		}
		p := bySlug[hit.Slug]
		want, _ := api.JSON(api.Hit{HitProject: p.HitProject(), Match: api.Match{Missing: []string{}}})
		if !bytes.Equal(h, want) {
			t.Errorf("hit\n%s\nwant\n%s", h, want)
		}
		body, _ := ix.AppendProject(nil, hit.Slug)
		if want, _ := api.JSON(p); !bytes.Equal(body, want) {
			t.Errorf("single project\n%s\nwant\n%s", body, want)
		}
	}
	for i, p := range listProjects(t, ix, 0, 50) {
		got, _ := api.JSON(p)
		if want, _ := api.JSON(bySlug[p.Slug].Project); !bytes.Equal(got, want) {
			t.Errorf("place %d of the list: %s, want %s", i, got, want)
		}
	}
}

// The answer equals the JSON of encoding/json.
func TestAnswerEqualsEncodingJSON(t *testing.T) {
	ix := openWith(t, apitest.ComputerTaxonomy(), apitest.Listings(60)...)
	for _, q := range []api.SearchQuery{
		{Limit: 3}, {Q: "chat \"image\" \\ \u2028 <&> \x7f \t é", Limit: 5}, {Q: "chta vidoe", Limit: 5},
		{Q: "image", Filters: api.Filters{Values: map[string][]string{"category": {"chat"}, "platform": {"linux"}, "license": {"MIT", "zlib\""}, "docker": {"0"}}}, Sort: "trending", Limit: 2},
		{Q: "image", Filters: apitest.Filters("ramGb=8&arch=arm64"), Limit: 4, Offset: 2},
	} {
		text := ix.AppendSearch(nil, q, api.Warning{Code: "c", Parameter: "p", Message: "m\n\x01"})
		var answer api.SearchResponse
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&answer); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		// Query and facets are maps, whose order is not that of the answer.
		var got, want any
		again, _ := api.JSON(answer)
		if json.Unmarshal(text, &got) != nil || json.Unmarshal(again, &want) != nil || !reflect.DeepEqual(got, want) || len(text) != len(again) {
			t.Errorf("%+v:\ngot  %s\nwant %s", q, text, again)
		}
	}
}

// Counting facets from members, non-members or lists gives the same results.
func TestWaysOfCountingFacetsAgree(t *testing.T) {
	ix := open(t, apitest.Listings(3000)...)
	r := rand.New(rand.NewPCG(7, 8))
	all := make([]index.Facet, len(ix.Facets.Names))
	for f := range all {
		all[f] = index.Facet(f)
	}
	for _, members := range []int{0, 1, 40, 1000, 1500, 2000, 2990, 3000} {
		w := ix.acquire()
		s := w.emptySet()
		for _, d := range r.Perm(ix.Len())[:members] {
			s.Add(d)
		}
		want := map[string]int{}
		s.Each(func(doc int) bool {
			for facet := range ix.Facets.Sets {
				number := ix.FacetNumber(min(facet, index.FacetColumns-1), doc)
				for _, v := range ix.Facets.Sets[facet].Values(number) {
					want[ix.Facets.Names[facet]+"="+ix.Facets.Values[facet][v].Value]++
				}
			}
			return true
		})
		for _, lists := range []index.ValueLists{{Overflow: true}, {Entries: 1 << 20}} { // only by lists; never by them
			for f := range ix.Facets.Lists {
				ix.Facets.Lists[f] = lists
			}
			w.countValues(s, all)
			got := map[string]int{}
			for f, values := range w.facets {
				last := 1 << 30
				for _, v := range values {
					if v.count() > last {
						t.Errorf("%s is out of order", ix.Facets.Names[f])
					}
					last = v.count()
					got[ix.Facets.Names[f]+"="+ix.Facets.Values[f][v.value()].Value] = v.count()
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%d members, %+v: got %v, want %v", members, lists, got, want)
			}
		}
		w.release()
	}
}

// Sums of weights of 64 listings at a time equal the sums of each.
func TestAddWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 200 {
		var words []partialWord
		var want [64]int
		const at = 3 // in the block
		for left := partialScale - 1; left > 0; {
			weight := r.IntN(min(left, 80) + 1)
			listings := r.Uint64()
			word := newPartialWord(uint8(weight), nil)
			word.block = &[index.BlockWords]uint64{at: listings}
			words = append(words, word)
			for i := range want {
				if listings>>i&1 != 0 {
					want[i] += weight
				}
			}
			left -= weight + 1
		}
		sum := addWeights(words, at, ^uint64(0))
		least := uint8(r.IntN(partialScale))
		got := atLeast(&sum, least)
		for i, n := range want {
			if (got>>i&1 != 0) != (n >= int(least)) {
				t.Fatalf("listing %d has %d: at least %d is %v", i, n, least, got>>i&1)
			}
		}
		candidates := r.Uint64() | 1
		step, same := sameStep(&sum, candidates)
		for i, n := range want {
			if (same>>i&1 != 0) != (candidates>>i&1 != 0 && n>>(partialBits-stepBits) == step) {
				t.Fatalf("listing %d has %d: step %d, alike %v", i, n, step, same>>i&1)
			}
		}
	}
}

// If too many listings match to grade all, the first hits are still the best.
func TestFirstHitsWithFewGraded(t *testing.T) {
	projects := apitest.Listings(3000)
	exact, few := open(t, projects...), open(t, projects...)
	exact.maxGraded, few.maxGraded = len(projects), 100
	for _, q := range []string{"chat", "image", "transcribe", "chatgpt", "imag", "speach", "studio", "chat no gpu", "otter ai"} {
		query := api.SearchQuery{Q: q, Limit: 10}
		a, b := search(exact, query), search(few, query)
		if !slices.Equal(slugs(a), slugs(b)) || a.Total != b.Total {
			t.Errorf("%q: %d of %v, graded in part: %d of %v", q, a.Total, slugs(a), b.Total, slugs(b))
		}
		w := few.acquire()
		w.answer(&query)
		if w.read > 4*100 {
			t.Errorf("%q: %d are graded", q, w.read)
		}
		w.release()
	}
}

// Every sort is a total order, whether few or many listings match.
func TestSortsAreTotal(t *testing.T) {
	projects := apitest.Listings(2000)
	ix := open(t, projects...)
	for sort, compare := range map[string]func(a, b *api.Project) int{
		api.SortPopular: index.ComparePopular, api.SortNewest: index.CompareNewest, api.SortRecentlyUpdated: index.CompareRecentlyUpdated,
	} {
		for _, category := range [][]string{nil, {"chat"}} {
			for _, license := range [][]string{nil, {"AGPL-3.0"}} {
				for _, q := range []string{"", "tool", "game chat", "tool1999"} {
					answer := search(ix, api.SearchQuery{Q: q, Sort: sort, Filters: api.Filters{Values: map[string][]string{"category": category, "license": license}}, Limit: 50})
					if len(answer.Hits) != min(50, answer.Total) {
						t.Errorf("%s %q: %d hits of %d", sort, q, len(answer.Hits), answer.Total)
					}
					for i := 1; i < len(answer.Hits); i++ {
						a, b := findProject(projects, answer.Hits[i-1].Slug), findProject(projects, answer.Hits[i].Slug)
						if compare(a, b) >= 0 {
							t.Errorf("%s %q: %s stands before %s", sort, q, a.Slug, b.Slug)
						}
					}
				}
			}
		}
	}
}

func findProject(list []api.ProjectDetail, slug string) *api.Project {
	i := slices.IndexFunc(list, func(p api.ProjectDetail) bool { return p.Slug == slug })
	return &list[i].Project
}

// Function words can form a name when joined, or be a whole text.
func TestTextsOfFunctionWords(t *testing.T) {
	ix := open(t,
		apitest.Listing("into", func(p *api.ProjectDetail) { p.Name = "In To" }),
		apitest.Listing("doit", func(p *api.ProjectDetail) { p.Aliases = []string{"do", "it"}; p.Jobs = []string{"do it"} }),
	)
	if got := slugs(searchText(ix, "into")); !slices.Equal(got, []string{"into"}) {
		t.Errorf("into: %v", got)
	}
	if got := slugs(searchText(ix, "do")); !slices.Equal(got, []string{"doit"}) {
		t.Errorf("do: %v", got)
	}
}
