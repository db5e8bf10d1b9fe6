package relevance

import (
	"strings"
	"testing"

	"catalog.example/cmd/bench/shipped"
)

func TestPrintTables(t *testing.T) {
	queries := []shipped.Query{
		{Kind: "job", Grades: map[string]int{"a": 3}},
		{Kind: "typo", Grades: map[string]int{"b": 3}},
		{Kind: shipped.KindNothing},
	}
	var out strings.Builder
	err := printTables(&out, []result{
		{"ours", measure(queries, [][]string{{"a"}, {"x", "b"}, nil})},
		{"peer", measure(queries, [][]string{{"a"}, {"b"}, {"a"}})},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `nDCG@5 n ours peer
job 1 1.000* 1.000*
typo 1 0.631 1.000*
overall 2 0.815 1.000*

MRR n ours peer
job 1 1.000* 1.000*
typo 1 0.500 1.000*
overall 2 0.750 1.000*

success@1 n ours peer
job 1 1.000* 1.000*
typo 1 0.000 1.000*
overall 2 0.500 1.000*

success@3 n ours peer
job 1 1.000* 1.000*
typo 1 1.000* 1.000*
overall 2 1.000* 1.000*

no full match n ours peer
nothing 1 1.000* 0.000`
	// How wide a column is, is not the matter here.
	var got []string
	for line := range strings.Lines(out.String()) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	if got := strings.TrimSpace(strings.Join(got, "\n")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPrintMisses(t *testing.T) {
	grades := map[string]int{"a": 3, "b": 2, "c": 1}
	queries := []shipped.Query{
		{ID: "hit", Kind: "job", Grades: grades},
		{ID: "low", Kind: "job", Text: "q", Grades: grades},
		{ID: "none", Kind: "job", Grades: grades},
		{ID: "rightly-none", Kind: shipped.KindNothing},
		{ID: "wrongly-some", Kind: shipped.KindNothing},
	}
	var out strings.Builder
	printMisses(&out, queries, [][]string{{"b"}, {"c", "a"}, nil, nil, {"a"}})
	want := `low "q": got [c:1 a:3], wanted [a]
none "": got [], wanted [a]
wrongly-some "": got [a:0], wanted []
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

// Hits without a grade are listed once and by slug; a grade of 0 is one, too.
func TestPrintPool(t *testing.T) {
	queries := []shipped.Query{
		{ID: "some", Text: "q", Grades: map[string]int{"a": 3, "b": 0}},
		{ID: "none", Text: "r", Grades: map[string]int{"a": 3}},
	}
	var out strings.Builder
	if err := printPool(&out, queries, [][]string{{"d", "a", "c", "b", "d"}, {"a"}}); err != nil {
		t.Fatal(err)
	}
	if want := `{"id":"some","query":"q","ungraded":["c","d"]}` + "\n"; out.String() != want {
		t.Errorf("got %swant %s", out.String(), want)
	}
}
