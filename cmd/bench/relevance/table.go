package relevance

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"catalog.example/cmd/bench/shipped"
)

// result is what one engine has reached.
type result struct {
	engine string
	figures
}

// metrics are the tables, in order; each has a row for each kind of query.
var metrics = []struct {
	title string
	of    func(score) float64
}{
	{"nDCG@5", func(s score) float64 { return s.ndcg }},
	{"MRR", func(s score) float64 { return s.mrr }},
	{"success@1", func(s score) float64 { return s.first }},
	{"success@3", func(s score) float64 { return s.third }},
}

// printTables writes a table for each metric: kinds of query down, engines
// across, with a star at the best of a row. All results are of the same queries.
func printTables(out io.Writer, results []result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	engines := make([]string, len(results))
	for i, r := range results {
		engines[i] = r.engine + " " // as wide as figures with their marks
	}
	for _, m := range metrics {
		_, _ = fmt.Fprintln(w)
		row(w, m.title, append([]string{"n"}, engines...)...)
		for _, kind := range results[0].kinds {
			values(w, kind, results, func(r result) score { return r.byKind[kind] }, m.of)
		}
		values(w, "overall", results, func(r result) score { return r.overall }, m.of)
	}
	_, _ = fmt.Fprintln(w)
	row(w, "no hit", append([]string{"n"}, engines...)...)
	values(w, shipped.KindNothing, results, func(r result) score { return r.byKind[shipped.KindNothing] }, func(s score) float64 { return s.nothing })
	return w.Flush()
}

// values writes a row of figures.
func values(w io.Writer, name string, results []result, part func(result) score, of func(score) float64) {
	best := 0.0
	for _, r := range results {
		best = max(best, of(part(r)))
	}
	cells := []string{fmt.Sprint(part(results[0]).n)}
	for _, r := range results {
		value := of(part(r))
		mark := " "
		if value == best && value > 0 && len(results) > 1 {
			mark = "*"
		}
		cells = append(cells, fmt.Sprintf("%.3f%s", value, mark))
	}
	row(w, name, cells...)
}

// row writes cells; the writer reports an error when it is flushed. The first
// stands on the left, all others on the right.
func row(w io.Writer, name string, cells ...string) {
	_, _ = fmt.Fprintf(w, "%-12s\t", name)
	for _, c := range cells {
		_, _ = fmt.Fprint(w, c, "\t")
	}
	_, _ = fmt.Fprintln(w)
}

// printMisses writes the queries whose first hit is not a good one, and of
// those that should find nothing the ones that find something.
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
