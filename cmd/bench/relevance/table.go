package relevance

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"catalog.example/cmd/bench/report"
	"catalog.example/cmd/bench/shipped"
)

// result holds the figures of one engine.
type result struct {
	engine string
	figures
}

// metrics lists the metrics in the order of their tables.
var metrics = []struct {
	title string
	of    func(score) float64
}{
	{"nDCG@5", func(s score) float64 { return s.ndcg }},
	{"MRR", func(s score) float64 { return s.mrr }},
	{"success@1", func(s score) float64 { return s.first }},
	{"success@3", func(s score) float64 { return s.third }},
}

// printTables prints a table for each metric, with a row for each kind of query, a column for each
// engine, and a star beside the best figure of a row. All results are for the same queries.
func printTables(out io.Writer, results []result) error {
	columns := []string{"n"}
	for _, r := range results {
		columns = append(columns, r.engine+" ") // as wide as a figure with its star
	}
	for _, m := range metrics {
		t := report.NewTable(out, "", append([]string{m.title}, columns...)...)
		for _, kind := range results[0].kinds {
			t.Row(values(kind, results, func(r result) score { return r.byKind[kind] }, m.of)...)
		}
		t.Row(values("overall", results, func(r result) score { return r.overall }, m.of)...)
		if err := t.Print(); err != nil {
			return err
		}
	}
	t := report.NewTable(out, "", append([]string{"no full match"}, columns...)...)
	t.Row(values(shipped.KindNothing, results, func(r result) score { return r.byKind[shipped.KindNothing] },
		func(s score) float64 { return s.nothing })...)
	return t.Print()
}

// values returns a row of figures, with a star beside the best.
func values(name string, results []result, part func(result) score, of func(score) float64) []string {
	best := 0.0
	for _, r := range results {
		best = max(best, of(part(r)))
	}
	cells := []string{name, fmt.Sprint(part(results[0]).n)}
	for _, r := range results {
		value := of(part(r))
		mark := " "
		if value == best && value > 0 && len(results) > 1 {
			mark = "*"
		}
		cells = append(cells, report.Fixed(value, 3)+mark)
	}
	return cells
}

// printMisses prints the queries whose first hit is not good, and the queries that should find
// nothing but find something.
func printMisses(out io.Writer, queries []shipped.Query, hits [][]string) {
	for i, q := range queries {
		if q.Kind == shipped.KindNothing && len(hits[i]) == 0 {
			continue
		}
		if len(hits[i]) > 0 && q.Grades[hits[i][0]] >= shipped.GoodGrade {
			continue
		}
		var got, wanted []string
		for _, slug := range hits[i][:min(ndcgDepth, len(hits[i]))] {
			got = append(got, fmt.Sprintf("%s:%d", slug, q.Grades[slug]))
		}
		for _, slug := range slices.Sorted(maps.Keys(q.Grades)) {
			if q.Grades[slug] == shipped.MaxGrade {
				wanted = append(wanted, slug)
			}
		}
		fmt.Fprintf(out, "%s %q: got %v, wanted %v\n", q.ID, q.Text, got, wanted)
	}
}

// printPool prints a line of JSON for each query with hits that have no grade: its id, its text,
// and these hits. The hits are sorted by slug, so that the order does not depend on an engine.
func printPool(out io.Writer, queries []shipped.Query, hits [][]string) error {
	lines := json.NewEncoder(out)
	for i, q := range queries {
		var ungraded []string
		for _, slug := range hits[i] {
			if _, graded := q.Grades[slug]; !graded && !slices.Contains(ungraded, slug) {
				ungraded = append(ungraded, slug)
			}
		}
		if len(ungraded) == 0 {
			continue
		}
		slices.Sort(ungraded)
		if err := lines.Encode(struct {
			ID       string   `json:"id"`
			Text     string   `json:"query"`
			Ungraded []string `json:"ungraded"`
		}{q.ID, q.Text, ungraded}); err != nil {
			return err
		}
	}
	return nil
}
