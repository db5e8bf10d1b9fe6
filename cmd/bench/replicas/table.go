//go:build linux

package replicas

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"time"

	"catalog.example/cmd/bench/load"
	"catalog.example/cmd/bench/report"
)

// row is one contender in a table.
type row struct {
	name    string
	measure func(context.Context) (load.Figures, error)
	rounds  []load.Figures
}

// failures returns the number of failed requests in all rounds.
func (r *row) failures() int {
	n := 0
	for _, f := range r.rounds {
		n += f.Refused + f.Failed
	}
	return n
}

// requests returns the number of answered requests in all rounds.
func (r *row) requests() int {
	n := 0
	for _, f := range r.rounds {
		n += f.Requests
	}
	return n
}

// table compares contenders.
type table struct {
	title string
	to    int // the row that ratios refer to
	rows  []row
}

func (t *table) print(out io.Writer) error {
	base := load.Median(t.rows[t.to].rounds)
	lines := report.NewTable(out, t.title, "", "requests/s", "p50", "p99", "p99.9", "CPU/request", "failed",
		"requests/s ratio", "p99 ratio", "CPU ratio")
	for i := range t.rows {
		r := &t.rows[i]
		f := load.Median(r.rounds)
		spent, ratio := "–", "–" // unknown for nginx and for replicas that have ended
		if f.Processor > 0 {
			spent, ratio = report.Duration(f.PerRequest()),
				quotient(float64(f.PerRequest()), float64(base.PerRequest()))
		}
		lines.Row(r.name, report.Fixed(f.PerSecond(), 0), report.Duration(f.P50), report.Duration(f.P99),
			report.Duration(f.P999), spent,
			strconv.Itoa(r.failures()), quotient(f.PerSecond(), base.PerSecond()),
			quotient(float64(f.P99), float64(base.P99)), ratio)
	}
	return lines.Print()
}

// quotient formats a/b, or a dash if b is 0.
func quotient(a, b float64) string {
	if b == 0 {
		return "–"
	}
	return report.Fixed(a/b, 2)
}

func plural(replicas int) string {
	if replicas == 1 {
		return "1 replica"
	}
	return fmt.Sprintf("%d replicas", replicas)
}

// print prints all tables, and the number of requests that Redis has counted. It returns an
// error if requests have failed.
func (b *bench) print(out io.Writer, tables []*table, counted, requests int) error {
	fmt.Fprintf(out, "\n%s; %d connections stay open, %s, median of %d rounds; CPU is that of the replicas\n",
		runtime.Version(), b.connections, b.duration.Truncate(time.Second), b.rounds)
	fmt.Fprintf(out, "This machine has %d cores, which wrk, nginx, Redis and all replicas share: more replicas "+
		"cannot be faster than there are cores left for them.\n", runtime.NumCPU())
	var failed error
	for _, t := range tables {
		if err := t.print(out); err != nil {
			return err
		}
		for i := range t.rows {
			if n := t.rows[i].failures(); n > 0 {
				failed = errors.Join(failed, fmt.Errorf("%s, %s: %d requests failed", t.title, t.rows[i].name, n))
			}
		}
	}
	_, err := fmt.Fprintf(out,
		"\nRedis counted %s of %s requests. Replicas count in memory while it answers too late.\n",
		report.Thousands(counted), report.Thousands(requests))
	return errors.Join(failed, err)
}
