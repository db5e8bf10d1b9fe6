package relevance

import (
	"math"
	"testing"

	"catalog.example/cmd/bench/shipped"
)

func TestMeasure(t *testing.T) {
	grades := map[string]int{"best": 3, "good": 2, "related": 1}
	// Gains are 7, 3 and 1; discounts log2 of 2, 3 and 4.
	ideal := 7 + 3/math.Log2(3) + 1.0/2
	job := func(grades map[string]int) shipped.Query { return shipped.Query{Kind: "job", Grades: grades} }
	tests := []struct {
		name  string
		query shipped.Query
		hits  []string
		want  score
	}{
		{"ideal order", job(grades), []string{"best", "good", "related"}, score{1, 1, 1, 1, 1, 0}},
		{"no hit", job(grades), nil, score{1, 0, 0, 0, 0, 1}},
		{"nothing relevant", job(grades), []string{"x", "y"}, score{1, 0, 0, 0, 0, 0}},
		{"good one first", job(grades), []string{"good", "x", "best"}, score{1, (3 + 7.0/2) / ideal, 1, 1, 1, 0}},
		{"related is no success", job(grades), []string{"related"}, score{1, 1 / ideal, 0, 0, 0, 0}},
		{"third", job(grades), []string{"related", "x", "best"}, score{1, (1 + 7.0/2) / ideal, 1.0 / 3, 0, 1, 0}},
		{"fourth", job(grades), []string{"x", "y", "z", "best"}, score{1, 7 / math.Log2(5) / ideal, 1.0 / 4, 0, 0, 0}},
		{"sixth counts for MRR alone", job(grades), []string{"a", "b", "c", "d", "e", "best"}, score{1, 0, 1.0 / 6, 0, 0, 0}},
		{
			"more relevant listings than the depth", job(map[string]int{"a": 3, "b": 3, "c": 3, "d": 3, "e": 3, "f": 3}),
			[]string{"f", "e", "d", "c", "b"}, score{1, 1, 1, 1, 1, 0},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := measure([]shipped.Query{test.query}, [][]string{test.hits})
			for name, got := range map[string]score{"overall": f.overall, "job": f.byKind["job"]} {
				if !near(got, test.want) {
					t.Errorf("%s is %+v, want %+v", name, got, test.want)
				}
			}
		})
	}
}

// Means are of the queries of a kind; those that should find nothing are not
// among the overall ones.
func TestMeasureMeans(t *testing.T) {
	queries := []shipped.Query{
		{Kind: "name", Grades: map[string]int{"a": 3}},
		{Kind: "job", Grades: map[string]int{"a": 3}},
		{Kind: "job", Grades: map[string]int{"b": 3}},
		{Kind: shipped.KindNothing},
		{Kind: shipped.KindNothing},
	}
	f := measure(queries, [][]string{{"a"}, {"a"}, {"a"}, nil, {"a"}})
	for kind, want := range map[string]score{
		"name":              {1, 1, 1, 1, 1, 0},
		"job":               {2, 0.5, 0.5, 0.5, 0.5, 0},
		shipped.KindNothing: {2, 0, 0, 0, 0, 0.5},
	} {
		if got := f.byKind[kind]; !near(got, want) {
			t.Errorf("%s is %+v, want %+v", kind, got, want)
		}
	}
	if want := (score{3, 2.0 / 3, 2.0 / 3, 2.0 / 3, 2.0 / 3, 0}); !near(f.overall, want) {
		t.Errorf("overall is %+v, want %+v", f.overall, want)
	}
	if len(f.kinds) != 2 || f.kinds[0] != "name" || f.kinds[1] != "job" {
		t.Errorf("kinds are %v, want name, job", f.kinds)
	}
}

func near(a, b score) bool {
	const tolerance = 1e-12
	return a.n == b.n && math.Abs(a.ndcg-b.ndcg) < tolerance && math.Abs(a.mrr-b.mrr) < tolerance &&
		math.Abs(a.first-b.first) < tolerance && math.Abs(a.third-b.third) < tolerance && math.Abs(a.nothing-b.nothing) < tolerance
}
