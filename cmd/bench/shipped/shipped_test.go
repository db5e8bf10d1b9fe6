package shipped

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"

	"catalog.example/api"
)

func TestParseJudged(t *testing.T) {
	slugs := map[string]string{"ollama": "ollama", "jan": "jan", "jan-ai": "jan"}
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
		{"grade out of range", `{"id":"a","kind":"job","query":"x","grades":{"jan":4}}`, []string{"jan has grade 4"}},
		{"nothing good", `{"id":"a","kind":"job","query":"x","grades":{"jan":1}}`, []string{"no engine could succeed"}},
		{"nothing with grades", `{"id":"a","kind":"nothing","query":"x","grades":{"jan":1}}`, []string{"has no grades"}},
		{
			"all mistakes at once", "oops\n" + `{"id":"a","kind":"job","query":"x","grades":{"jan":1}}`,
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

// Listings that have moved or left stay in the set.
func TestJudgedListingsMayGo(t *testing.T) {
	queries, err := parseJudged("judged", []byte(`{"id":"a","kind":"job","query":"x","grades":{"jan-ai":3,"gone":2,"ollama":1}}`+"\n"+
		`{"id":"b","kind":"job","query":"y","grades":{"gone":3,"jan":1}}`+"\n"+`{"id":"c","kind":"nothing","query":"z","grades":{}}`), map[string]string{"jan": "jan", "jan-ai": "jan", "ollama": "ollama"})
	if err != nil || len(queries) != 2 || !maps.Equal(queries[0].Grades, map[string]int{"jan": 3, "ollama": 1}) || queries[1].ID != "c" {
		t.Errorf("%v, %+v", err, queries)
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
	// Each judged slug is that of a listing, or of one that has left.
	known := map[string]bool{}
	for _, l := range loaded.Listings {
		for _, slug := range append(l.Formerly, l.Slug) {
			known[slug] = true
		}
	}
	for i := range loaded.Retired {
		for _, slug := range loaded.Retired[i].Slugs() {
			known[slug] = true
		}
	}
	text, err := os.ReadFile("../../../api/search/testdata/judged.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var q Query
		if err := json.Unmarshal(line, &q); err != nil {
			t.Fatal(err)
		}
		for slug := range q.Grades {
			if !known[slug] {
				t.Errorf("%s: there is and was no listing %q", q.ID, slug)
			}
		}
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
