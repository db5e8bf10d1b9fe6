package pages

import (
	"errors"
	"fmt"
	"io"

	"catalog.example/cmd/bench/report"
)

// result holds the measurements of a page.
type result struct {
	page
	visit
}

// missed returns how many of a page's scores are lower than wanted.
func (r *result) missed() int {
	n := 0
	for i, c := range categories {
		if r.scores[i] < c.aim {
			n++
		}
	}
	return n
}

func printTables(out io.Writer, heading string, results []result) error {
	fmt.Fprintf(out, "\n%s\n", heading)
	scores, loading, weight := []string{"scores"}, []string{"loading"}, report.NewTable(out, "", "bytes on the wire",
		"HTML", "CSS", "JavaScript", "other", "total")
	wanted, good, limits := []string{"wanted"}, []string{"Lighthouse: good from"}, []string{"Lighthouse: good up to"}
	for _, c := range categories {
		scores, wanted, good = append(scores, c.title), append(wanted, report.Fixed(c.aim, 0)), append(good, "90")
	}
	for _, m := range metrics {
		loading, limits = append(loading, m.title), append(limits, figure(m.good, m.unit))
	}
	scoreTable, loadingTable := report.NewTable(out, "", append(scores, "")...), report.NewTable(out, "", loading...)
	for i := range results {
		r := &results[i]
		row := []string{r.name}
		for _, score := range r.scores {
			row = append(row, report.Fixed(score, 0))
		}
		verdict := report.Verdict(true)
		if n := r.missed(); n > 0 {
			verdict = fmt.Sprintf("%d missed", n)
		}
		scoreTable.Row(append(row, verdict)...)

		row = []string{r.name}
		for i, m := range metrics {
			row = append(row, figure(r.metrics[i], m.unit))
		}
		loadingTable.Row(row...)

		row = []string{r.name}
		total := 0.0
		for _, n := range r.bytes {
			row = append(row, report.Fixed(n, 0))
			total += n
		}
		weight.Row(append(row, report.Fixed(total, 0))...)
	}
	scoreTable.Row(append(wanted, "")...)
	scoreTable.Row(append(good, "")...)
	loadingTable.Row(limits...)
	if err := errors.Join(scoreTable.Print(), loadingTable.Print(), weight.Print()); err != nil {
		return err
	}
	for _, r := range results {
		for _, lost := range r.lost {
			fmt.Fprintf(out, "\n%s loses points: %s", r.name, lost)
		}
	}
	_, err := fmt.Fprintln(out)
	return err
}

// figure formats a number with its unit. A number without a unit has three decimals.
func figure(value float64, unit string) string {
	if unit == "" {
		return report.Fixed(value, 3)
	}
	return report.Fixed(value, 0) + " " + unit
}
