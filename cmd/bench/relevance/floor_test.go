package relevance

import (
	"slices"
	"testing"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/api/search/token"
	"catalog.example/cmd/bench/shipped"
)

// floor is what the search must reach: a little less than what it did when the
// ranking was last changed, so that listings may come and go and no change makes
// it worse unseen. Raise it with the ranking.
type floor struct {
	heldOut                      bool
	ndcg, mrr, success3, nothing float64
}

// TestRelevanceDoesNotFall measures the shipped listings with the judged set, as
// bench-relevance does.
func TestRelevanceDoesNotFall(t *testing.T) {
	catalog, err := shippedCatalog()
	if err != nil {
		t.Fatal(err)
	}
	all, err := shipped.Judged("../../../api/search/testdata/judged.jsonl", catalog.Projects)
	if err != nil {
		t.Fatal(err)
	}
	for _, least := range []floor{
		{heldOut: false, ndcg: 0.78, mrr: 0.89, success3: 0.94, nothing: 0.9},
		{heldOut: true, ndcg: 0.75, mrr: 0.87, success3: 0.92, nothing: 0.95},
	} {
		queries := slices.DeleteFunc(slices.Clone(all), func(q shipped.Query) bool { return q.HeldOut() != least.heldOut })
		hits, err := askOurs(catalog, queries, false)
		if err != nil {
			t.Fatal(err)
		}
		f := measure(queries, hits)
		for _, c := range []struct {
			name       string
			got, least float64
		}{
			{"nDCG@5", f.overall.ndcg, least.ndcg}, {"MRR", f.overall.mrr, least.mrr},
			{"success@3", f.overall.third, least.success3}, {"no full match where nothing fits", f.byKind[shipped.KindNothing].nothing, least.nothing},
		} {
			if c.got < c.least {
				t.Errorf("held out %t: %s is %.3f, less than %.3f", least.heldOut, c.name, c.got, c.least)
			}
		}
		// An exact name comes first, always.
		names := 0
		for i, q := range queries {
			if q.Kind != "name" || !isCalled(catalog, &q) { // or what was called so has left
				continue
			}
			names++
			if len(hits[i]) == 0 || q.Grades[hits[i][0]] < shipped.MaxGrade {
				t.Errorf("held out %t: the first hit is not what is called so", least.heldOut)
			}
		}
		if names < 8 {
			t.Errorf("held out %t: only %d names are asked for", least.heldOut, names)
		}
	}
}

// isCalled reports whether a listing with the best grade has the name that a query asks for.
func isCalled(catalog *search.Catalog, q *shipped.Query) bool {
	return slices.ContainsFunc(catalog.Projects, func(p api.ProjectDetail) bool {
		return q.Grades[p.Slug] == shipped.MaxGrade && slices.ContainsFunc(append([]string{p.Name}, p.Aliases...), func(name string) bool {
			return slices.Equal(token.Of(name), token.Of(q.Text))
		})
	})
}
