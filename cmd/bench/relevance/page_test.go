package relevance

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"catalog.example/cmd/bench/shipped"
)

// The page about the ranking shows what is measured. MiniSearch and Pagefind need Node.js,
// so only make bench-relevance measures their columns.
func TestRankingPage(t *testing.T) {
	page, err := os.ReadFile("../../../content/pages/ranking.md")
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := loadCatalog(t.Context(), "../../../content")
	if err != nil {
		t.Fatal(err)
	}
	all, err := shipped.Judged("../../../api/search/testdata/judged.jsonl", catalog.Projects)
	if err != nil {
		t.Fatal(err)
	}
	queries := slices.DeleteFunc(slices.Clone(all), func(q shipped.Query) bool { return !q.HeldOut() })
	var results []result
	for _, name := range []string{oursName, noAsksName, "fts5", "bleve"} {
		hits, err := askNamed(t.Context(), name, options{}, catalog, documentsOf(catalog), queries)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		results = append(results, result{name, measure(queries, hits)})
	}
	measured := markdownRows(pageTables(results))
	shown := markdownRows(string(page))
	for _, want := range measured {
		if !slices.ContainsFunc(shown, func(row []string) bool {
			return len(row) == len(want)+2 && slices.Equal(row[:len(want)], want)
		}) {
			t.Errorf("the page has no row %q: put the tables there that `make bench-relevance ARGS='-held-out -page'` prints", want)
		}
	}
	counts := results[0].byKind[shipped.KindNothing].n
	for _, want := range []string{fmt.Sprintf("%d judged queries", len(all)), fmt.Sprintf("%d queries", len(queries)), fmt.Sprintf("%d of them have no good answer", counts)} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page does not say that there are %s", want)
		}
	}
	// The README has the first row of the page.
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	first := shown[1]
	short := fmt.Sprintf("for queries that it was not tuned with: %s. Without the everyday phrases that editors add %s; on the same texts MiniSearch %s, SQLite FTS5 %s, Bleve %s, Pagefind %s", first[1], first[2], first[5], first[3], first[4], first[6])
	if !strings.Contains(string(readme), short) {
		t.Errorf("the README does not say %q", short)
	}
	if len(measured) < 15 {
		t.Errorf("only %d rows were measured", len(measured))
	}
}

// markdownRows returns the cells of all tables of a Markdown text, without their rules.
func markdownRows(text string) (rows [][]string) {
	for line := range strings.Lines(text) {
		if cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|"); strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| ---") {
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			rows = append(rows, cells)
		}
	}
	return rows
}
