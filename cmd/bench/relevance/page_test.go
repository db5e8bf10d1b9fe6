package relevance

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"catalog.example/cmd/bench/shipped"
)

// The page about the ranking shows what is measured, or nearly: the figures change a little
// with each listing that comes or goes. MiniSearch and Pagefind need Node.js, so only make
// bench-relevance measures their columns.
func TestRankingPage(t *testing.T) {
	page, err := os.ReadFile("../../../content/pages/ranking.md")
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := shippedCatalog()
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
			return len(row) == len(want)+2 && nearly(row[:len(want)], want)
		}) {
			t.Errorf("the page has no row %q: put the tables there that `make bench-relevance ARGS='-held-out -page'` prints", want)
		}
	}
	counts := results[0].byKind[shipped.KindNothing].n
	for pattern, want := range map[string]int{`(\d+) judged queries`: len(all), `other third, (\d+) queries`: len(queries), `(\d+) of them have no good answer`: counts} {
		m := regexp.MustCompile(pattern).FindStringSubmatch(string(page))
		if m == nil || !nearly(m[1:], []string{strconv.Itoa(want)}) {
			t.Errorf("the page says %q, and there are %d", m, want)
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

// What a figure on the page may differ from what is measured: a mean of all queries, one of a
// few, and a count of queries, in percent.
const nearMean, nearKind, nearCount = 0.03, 0.15, 5

// nearly reports whether the cells of a row are equal, except that figures may differ a little.
// A row whose second cell is a count is of one kind of query.
func nearly(shown, want []string) bool {
	near := nearMean
	if len(want) > 1 && !strings.Contains(want[1], ".") {
		near = nearKind
	}
	for i := range want {
		a, errA := strconv.ParseFloat(shown[i], 64)
		b, errB := strconv.ParseFloat(want[i], 64)
		switch {
		case errA != nil || errB != nil:
			if shown[i] != want[i] {
				return false
			}
		case strings.Contains(want[i], ".") && math.Abs(a-b) > near, !strings.Contains(want[i], ".") && math.Abs(a-b) > math.Ceil(b*nearCount/100):
			return false
		}
	}
	return true
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
