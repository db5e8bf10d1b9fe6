package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// result is what a page was measured to.
type result struct {
	page
	visit
}

// missed returns how many scores of a page are below what issue 6 asks for.
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
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "\nscores")
	for _, c := range categories {
		fmt.Fprintf(w, "\t%s", c.title)
	}
	fmt.Fprintln(w, "\t")
	for i := range results {
		r := &results[i]
		fmt.Fprint(w, r.name)
		for _, score := range r.scores {
			fmt.Fprintf(w, "\t%.0f", score)
		}
		verdict := "met"
		if n := r.missed(); n > 0 {
			verdict = fmt.Sprintf("%d missed", n)
		}
		fmt.Fprintf(w, "\t%s\n", verdict)
	}
	fmt.Fprint(w, "asked for")
	for _, c := range categories {
		fmt.Fprintf(w, "\t%.0f", c.aim)
	}
	fmt.Fprint(w, "\t\nLighthouse: good from\t90\t90\t90\t90\t\n\nloading")
	for _, m := range metrics {
		fmt.Fprintf(w, "\t%s", m.title)
	}
	fmt.Fprintln(w)
	for _, r := range results {
		fmt.Fprint(w, r.name)
		for i, m := range metrics {
			fmt.Fprintf(w, "\t%s", figure(r.metrics[i], m.unit))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "Lighthouse: good up to")
	for _, m := range metrics {
		fmt.Fprintf(w, "\t%s", figure(m.good, m.unit))
	}
	fmt.Fprintln(w, "\n\nbytes on the wire\tHTML\tCSS\tJavaScript\tother\ttotal")
	for _, r := range results {
		fmt.Fprint(w, r.name)
		total := 0.0
		for _, n := range r.bytes {
			fmt.Fprintf(w, "\t%.0f", n)
			total += n
		}
		fmt.Fprintf(w, "\t%.0f\n", total)
	}
	if err := w.Flush(); err != nil {
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

// figure writes a number with its unit; one without a unit has three decimals.
func figure(value float64, unit string) string {
	if unit == "" {
		return fmt.Sprintf("%.3f", value)
	}
	return fmt.Sprintf("%.0f %s", value, unit)
}
