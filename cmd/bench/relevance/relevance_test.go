package relevance

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"catalog.example/api"
	"catalog.example/api/search"
)

// shippedCatalog loads and indexes the shipped listings, once for all tests.
var shippedCatalog = sync.OnceValues(func() (*search.Catalog, error) { return loadCatalog(context.Background(), "../../../content") })

func TestOptions(t *testing.T) {
	tests := []struct {
		name string
		o    options
		want string // part of the error; "": none
	}{
		{"default", options{engines: "ours,fts5,bleve,minisearch,pagefind"}, ""},
		{"held out", options{engines: "ours", heldOut: true}, ""},
		{"misses", options{engines: "ours", misses: true}, ""},
		{"tune", options{engines: "ours", tune: "bleve"}, ""},
		{"held-out misses", options{engines: "ours", heldOut: true, misses: true}, "for measuring only"},
		{"held-out tuning", options{engines: "ours", heldOut: true, tune: "bleve"}, "for measuring only"},
		{"unknown engine", options{engines: "ours,lucene"}, `"lucene"; there are ours, no-asks, fts5`},
		{"ours cannot be tuned", options{engines: "ours", tune: "ours"}, `"ours"; there are fts5`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := test.o.check()
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error is %v, want %q", err, test.want)
			}
		})
	}
}

// The whole way for ours, over the shipped listings and two judged queries: the
// first is of the training part, the second is held out.
func TestRunOurs(t *testing.T) {
	judged := filepath.Join(t.TempDir(), "judged.jsonl")
	const training, heldOut = "job-001", "job-003"
	text := `{"id":"` + training + `","kind":"name","query":"ollama","grades":{"ollama":3}}
{"id":"` + heldOut + `","kind":"product","query":"ollama","grades":{"ollama":3}}
`
	if err := os.WriteFile(judged, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, part := range []struct {
		heldOut        bool
		wanted, absent string
	}{
		{false, "name", "product"},
		{true, "product", "name"},
	} {
		var out strings.Builder
		o := options{content: "../../../content", judged: judged, engines: oursName, heldOut: part.heldOut}
		if err := run(context.Background(), o, &out); err != nil {
			t.Fatal(err)
		}
		rows := strings.Split(out.String(), "\n")
		row := slices.IndexFunc(rows, func(r string) bool { return strings.HasPrefix(strings.TrimSpace(r), part.wanted) })
		if row < 0 || !slices.Equal(strings.Fields(rows[row]), []string{part.wanted, "1", "1.000"}) {
			t.Errorf("held out %v: no row of %q with 1 query and 1.000 in\n%s", part.heldOut, part.wanted, out.String())
		}
		if strings.Contains(out.String(), part.absent) {
			t.Errorf("held out %v: %q is measured too:\n%s", part.heldOut, part.absent, out.String())
		}
	}
}

// What the peers get holds every text that our index searches.
func TestDocuments(t *testing.T) {
	catalog, err := shippedCatalog()
	if err != nil {
		t.Fatal(err)
	}
	documents := documentsOf(catalog)
	if len(documents) != len(catalog.Projects) {
		t.Fatalf("%d documents of %d listings", len(documents), len(catalog.Projects))
	}
	stars := map[string]int{}
	aliased := 0
	for _, p := range catalog.Projects {
		stars[p.Slug] = -1
		if p.Stars != nil {
			stars[p.Slug] = *p.Stars
		}
	}
	for i, d := range documents {
		if i > 0 && stars[documents[i-1].Slug] < stars[d.Slug] {
			t.Errorf("%s stands before the more popular %s", documents[i-1].Slug, d.Slug)
		}
		if d.Name == "" || d.Purpose == "" || len(d.Jobs) == 0 || len(d.Category) != 2 || d.Description == "" {
			t.Errorf("%s has gaps: %+v", d.Slug, d)
		}
		if strings.Contains(d.Description, "](") {
			t.Errorf("%s has the target of a link in its description", d.Slug)
		}
		at := slices.IndexFunc(catalog.Projects, func(p api.ProjectDetail) bool { return p.Slug == d.Slug })
		if len(d.Replaces) > len(catalog.Projects[at].Replaces) {
			aliased++
		}
	}
	if aliased == 0 {
		t.Error("no document has another name of a product that it replaces")
	}
}
