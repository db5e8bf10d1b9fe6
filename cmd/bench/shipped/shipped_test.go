package shipped

import (
	"catalog.example/api"
	"strings"
	"testing"
)

func TestParseJudged(t *testing.T) {
	slugs := map[string]bool{"ollama": true, "jan": true}
	const good = `{"id":"a-1","kind":"job","query":"run a model","grades":{"ollama":3,"jan":1}}` + "\n"
	tests := []struct {
		name, text string
		want       []string // parts of the error; none: no error
	}{
		{"one query", good, nil},
		{"empty lines", "\n" + good + "\n", nil},
		{"nothing has no grades", `{"id":"n-1","kind":"nothing","query":"bread recipe","grades":{}}`, nil},
		{"empty", "", []string{"no queries"}},
		{"not JSON", good + "oops", []string{"judged:2:"}},
		{"unknown key", `{"id":"a","kind":"job","query":"x","grade":{}}`, []string{`judged:1:`, `"grade"`}},
		{"no text", `{"id":"a","kind":"job","query":"","grades":{"jan":3}}`, []string{"must not be empty"}},
		{"id twice", good + good, []string{`judged:2: the id "a-1" occurs twice`}},
		{"unknown slug", `{"id":"a","kind":"job","query":"x","grades":{"jan":3,"gone":1}}`, []string{`no listing has the slug "gone"`}},
		{"grade out of range", `{"id":"a","kind":"job","query":"x","grades":{"jan":4}}`, []string{"jan has grade 4"}},
		{"nothing good", `{"id":"a","kind":"job","query":"x","grades":{"jan":1}}`, []string{"no engine could succeed"}},
		{"nothing with grades", `{"id":"a","kind":"nothing","query":"x","grades":{"jan":1}}`, []string{"has no grades"}},
		{
			"all mistakes at once", "oops\n" + `{"id":"a","kind":"job","query":"x","grades":{"gone":2}}`,
			[]string{"judged:1:", "judged:2:"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := parseJudged("judged", []byte(test.text), slugs)
			if (err != nil) != (test.want != nil) {
				t.Fatalf("error is %v, want %q", err, test.want)
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q", err, part)
				}
			}
		})
	}
}

// The rule is written down in the judged set's README; these hashes were
// computed by another implementation of FNV-1a.
func TestHeldOut(t *testing.T) {
	for id, want := range map[string]bool{
		"job-001": false, "job-002": false, "job-003": true, "job-005": true, "name-001": false, "none-004": true, "hw-010": true,
	} {
		if got := (&Query{ID: id}).HeldOut(); got != want {
			t.Errorf("%s held out: %v, want %v", id, got, want)
		}
	}
}

// The shipped judged set fits the shipped listings, and its parts have about
// the sizes that they should: 2 to 1.
func TestShippedJudgedSet(t *testing.T) {
	loaded, err := Content(t.Context(), "../../../content")
	if err != nil {
		t.Fatal(err)
	}
	queries, err := Judged("../../../api/search/testdata/judged.jsonl", Projects(loaded))
	if err != nil {
		t.Fatal(err)
	}
	held, nothing := 0, 0
	for _, q := range queries {
		if q.HeldOut() {
			held++
		}
		if q.Kind == KindNothing {
			nothing++
		}
	}
	if len(queries) < 200 || nothing < 20 {
		t.Errorf("%d queries, %d of them to find nothing; want at least 200 and 20", len(queries), nothing)
	}
	if share := float64(held) / float64(len(queries)); share < 0.25 || share > 0.42 {
		t.Errorf("%d of %d queries are held out, want about a third", held, len(queries))
	}
}

func TestWithoutAsks(t *testing.T) {
	projects := []api.ProjectDetail{{Project: api.Project{Asks: []string{"a"}}}}
	taxonomy := api.Taxonomy{Categories: []api.Category{{Asks: []string{"b"}}}}
	bareProjects, bareTaxonomy := WithoutAsks(projects, taxonomy)
	if bareProjects[0].Asks != nil || bareTaxonomy.Categories[0].Asks != nil {
		t.Errorf("asks are left: %+v, %+v", bareProjects, bareTaxonomy.Categories)
	}
	if projects[0].Asks == nil || taxonomy.Categories[0].Asks == nil {
		t.Error("what was given has changed")
	}
}
