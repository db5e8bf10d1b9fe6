package relevance

import (
	"fmt"
	"strings"

	"catalog.example/cmd/bench/report"
	"catalog.example/cmd/bench/shipped"
)

// titles holds the names of the engines in the tables of content/pages/ranking.md.
var titles = map[string]string{
	oursName: "this search", noAsksName: "without asks", "fts5": "SQLite FTS5", "bleve": "Bleve",
	"minisearch": "MiniSearch", "pagefind": "Pagefind",
}

// pageTables returns the tables of the page about ranking, in Markdown: the results of each engine
// over all queries, and nDCG@5 by kind of query.
func pageTables(results []result) string {
	var out strings.Builder
	line := func(cells []string) { fmt.Fprintf(&out, "| %s |\n", strings.Join(cells, " | ")) }
	head := func(first string, more ...string) {
		cells, rule := append([]string{first}, more...), []string{"---"}
		for range more {
			rule = append(rule, "---:")
		}
		for _, r := range results {
			cells, rule = append(cells, titles[r.engine]), append(rule, "---:")
		}
		line(cells)
		line(rule)
	}
	row := func(name []string, value func(result) float64) {
		for _, r := range results {
			name = append(name, report.Fixed(value(r), 3))
		}
		line(name)
	}
	head("all queries")
	for _, m := range metrics {
		row([]string{m.title}, func(r result) float64 { return m.of(r.overall) })
	}
	row([]string{"no full match where nothing fits"},
		func(r result) float64 { return r.byKind[shipped.KindNothing].nothing })
	out.WriteString("\n")
	head("nDCG@5 by kind", "queries")
	for _, kind := range results[0].kinds {
		row([]string{kind, fmt.Sprint(results[0].byKind[kind].n)},
			func(r result) float64 { return r.byKind[kind].ndcg })
	}
	return out.String()
}
