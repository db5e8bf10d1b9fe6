package relevance

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"catalog.example/cmd/bench/shipped"
)

// Queries in other languages find something good among the first three hits, in most cases. The even
// ones were kept aside when the table of words was written.
func TestOtherLanguages(t *testing.T) {
	catalog, err := shippedCatalog()
	if err != nil {
		t.Fatal(err)
	}
	queries, err := shipped.Judged("../../../api/search/testdata/languages.jsonl", catalog.Projects)
	if err != nil {
		t.Fatal(err)
	}
	hits, err := askOurs(catalog, queries, false)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../../content/pages/ranking.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for part, name := range []string{"kept aside", "others"} {
		var of []shipped.Query
		var found [][]string
		for i := range queries {
			var language string
			var number int
			if n, err := fmt.Sscanf(queries[i].ID, "%2s-%d", &language, &number); n != 2 || language != queries[i].Kind {
				t.Fatalf("%s: %v", queries[i].ID, err)
			}
			keptAside := number%2 == 0 || number > 20 // those above 20 were written after the table
			if keptAside == (part == 0) {
				of, found = append(of, queries[i]), append(found, hits[i])
			}
		}
		f := measure(of, found)
		for kind, s := range f.byKind {
			t.Logf("%s, %s: %.2f of %d", name, kind, s.third, s.n)
		}
		said := fmt.Sprintf("Of %d queries in other languages that the authors of the table of words had not seen, "+
			"%.0f have a good hit among the first three.", len(of), f.overall.third*float64(len(of)))
		if part == 0 && !strings.Contains(page, said) {
			t.Errorf("ranking.md does not say %q", said)
		}
		if len(of) < 70 || len(f.byKind) != 7 || f.overall.third < 0.8 {
			t.Errorf("%s: %.3f of %d queries in %d languages have a good hit among the first three, want 0.8", name, f.overall.third, len(of), len(f.byKind))
		}
	}
}
