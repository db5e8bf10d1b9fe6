// Package report prints the results of benchmarks: tables, numbers with units, and the
// progress of a run.
package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Table is a table of text. The first column is aligned to the left, all others
// to the right.
type Table struct {
	out  io.Writer
	rows [][]string
}

// NewTable returns a table with a title, which may be empty, and the names of its
// columns.
func NewTable(out io.Writer, title string, columns ...string) *Table {
	if title != "" {
		_, _ = fmt.Fprintf(out, "\n%s\n", title) // Print reports write errors
	}
	return &Table{out, [][]string{columns}}
}

// Row adds a row. It has a cell for each column.
func (t *Table) Row(cells ...string) { t.rows = append(t.rows, cells) }

// Print writes the table after an empty line.
func (t *Table) Print() error {
	widths := make([]int, len(t.rows[0])) // in characters
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var text strings.Builder
	for _, row := range t.rows {
		line := fmt.Sprintf("%-*s", widths[0], row[0])
		for i, cell := range row[1:] {
			line += fmt.Sprintf("  %*s", widths[i+1], cell)
		}
		text.WriteString("\n" + strings.TrimRight(line, " "))
	}
	_, err := fmt.Fprintln(t.out, text.String())
	return err
}

// Progress prints the steps of a run, with the seconds since its beginning.
type Progress struct {
	out   io.Writer
	start time.Time
}

// NewProgress returns the progress of a run that begins now.
func NewProgress(out io.Writer) *Progress { return &Progress{out, time.Now()} }

// Say prints one line of progress. Write errors are ignored.
func (p *Progress) Say(format string, a ...any) {
	_, _ = fmt.Fprintf(p.out, "%6.1f s  %s\n", time.Since(p.start).Seconds(), fmt.Sprintf(format, a...))
}

// Aim is a figure that the project wants to reach.
type Aim struct {
	Name    string // the name of the figure
	Wanted  string // the limit, in words: "at least 0.80"
	Before  string // the figure of the program of another commit; "" if it was not measured
	Reached string // the figure
	Met     bool
}

// Collector is the output of several benchmarks, whose aims it collects.
type Collector struct {
	io.Writer
	Aims []Aim
}

// PrintAims prints which aims were reached. It prints nothing if there are no aims. If out is a
// Collector, it also collects them.
func PrintAims(out io.Writer, aims []Aim) error {
	if len(aims) == 0 {
		return nil
	}
	if c, ok := out.(*Collector); ok {
		c.Aims = append(c.Aims, aims...)
	}
	hasBefore := slices.ContainsFunc(aims, func(a Aim) bool { return a.Before != "" })
	row := func(name, wanted, before, reached, verdict string) []string {
		if hasBefore {
			return []string{name, wanted, before, reached, verdict}
		}
		return []string{name, wanted, reached, verdict}
	}
	t := NewTable(out, "Aims", row("aim", "wanted", "before", "reached", "")...)
	for _, a := range aims {
		t.Row(row(a.Name, a.Wanted, a.Before, a.Reached, Verdict(a.Met))...)
	}
	return t.Print()
}

// Verdict says whether an aim was reached.
func Verdict(met bool) string {
	if met {
		return "met"
	}
	return "missed"
}

// Fixed formats a number with the given number of decimals.
func Fixed(value float64, decimals int) string { return strconv.FormatFloat(value, 'f', decimals, 64) }

// MiB formats a number of bytes in mebibytes, without the unit.
func MiB(bytes int64) string { return Fixed(float64(bytes)/(1<<20), 1) }

// Thousands formats a number with commas between groups of three digits.
func Thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Duration formats a duration with three significant digits, in µs, ms or s.
func Duration(d time.Duration) string {
	value, unit := float64(d)/1e3, "µs"
	switch {
	case d >= time.Second:
		value, unit = d.Seconds(), "s"
	case d >= time.Millisecond:
		value, unit = float64(d)/1e6, "ms"
	}
	decimals := 2
	switch {
	case value >= 100:
		decimals = 0
	case value >= 10:
		decimals = 1
	}
	return Fixed(value, decimals) + " " + unit
}

// Times formats the quotient of a and b: 53× or 1.8×. It returns a dash if b is 0.
func Times(a, b float64) string {
	switch {
	case b == 0:
		return "–"
	case a/b >= 10:
		return Fixed(a/b, 0) + "×"
	}
	return Fixed(a/b, 1) + "×"
}

// Percentile returns the smallest value that at least the share p of the values does not exceed
// (nearest rank). The values are in ascending order. Without values, it returns the zero value.
func Percentile[T any](sorted []T, p float64) T {
	var none T
	if len(sorted) == 0 {
		return none
	}
	// Subtract a little, so that rounding does not turn 0.999 of 1000 into the last value.
	rank := int(math.Ceil(p*float64(len(sorted)) - 1e-9))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// Median returns the median of values in any order. For an even number of values, it returns
// the lower of the two in the middle, and without values the zero value.
func Median[T cmp.Ordered](values []T) T {
	return Percentile(slices.Sorted(slices.Values(values)), 0.5)
}

// Mean returns the mean of the values, or 0 if there are none.
func Mean[T ~int | ~int64](values []T) float64 {
	sum := 0.0
	for _, v := range values {
		sum += float64(v)
	}
	return sum / float64(max(1, len(values)))
}
