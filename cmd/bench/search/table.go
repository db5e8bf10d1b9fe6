package search

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"catalog.example/cmd/bench/report"
)

// printTables prints all results.
func printTables(out io.Writer, o *options, results []*result) error {
	fmt.Fprintf(out, "\n%d cores, %s, seed %d; %s different queries, ours asked %d times each\n",
		runtime.GOMAXPROCS(0), runtime.Version(), o.seed, report.Thousands(o.queries), o.passes)
	ours := slices.DeleteFunc(slices.Clone(results), func(r *result) bool { return len(r.ask.Took) == 0 })
	for _, print := range []func(io.Writer, []*result) error{printIndex, printQueries, printKinds, printGrowth,
		printWorst} {
		if len(ours) > 0 {
			if err := print(out, ours); err != nil {
				return err
			}
		}
	}
	if err := printPeers(out, results); err != nil {
		return err
	}
	if err := printBefore(out, ours); err != nil {
		return err
	}
	return printAims(out, ours)
}

// printBefore prints a comparison with the search of another commit.
func printBefore(out io.Writer, results []*result) error {
	if !slices.ContainsFunc(results, func(r *result) bool { return r.before != nil }) {
		return nil
	}
	t := report.NewTable(out, fmt.Sprintf(
		"Before (the fastest of %d rounds of each program; a ratio below 1: ours is faster now)", besideRounds),
		"listings", "figure", "before", "now", "now / before")
	for _, r := range results {
		if r.before == nil {
			continue
		}
		name := r.name
		for _, f := range []struct {
			name string
			of   func(*measured) float64
			show func(float64) string
		}{
			{"index", func(m *measured) float64 { return float64(m.index.Add + m.index.Write) }, showDuration},
			{"index MiB", func(m *measured) float64 { return float64(m.index.FileBytes) },
				func(n float64) string { return report.MiB(int64(n)) }},
			{"open", func(m *measured) float64 { return float64(m.ask.Open) }, showDuration},
			{"cold start", func(m *measured) float64 { return float64(report.Percentile(m.cold, 0.5)) }, showDuration},
			{"p50", func(m *measured) float64 { return float64(summarise(m.ask.Took).p50) }, showDuration},
			{"p99", func(m *measured) float64 { return float64(summarise(m.ask.Took).p99) }, showDuration},
			{"mean", func(m *measured) float64 { return report.Mean(m.ask.Took) }, showDuration},
			{"allocations", func(m *measured) float64 { return m.ask.Allocs },
				func(n float64) string { return report.Fixed(n, 1) }},
			{"anonymous MiB", func(m *measured) float64 { return float64(m.ask.Anon) },
				func(n float64) string { return report.MiB(int64(n)) }},
		} {
			before, now := f.of(r.before), f.of(r.beside)
			t.Row(name, f.name, f.show(before), f.show(now), report.Fixed(now/before, 3))
			name = ""
		}
	}
	return t.Print()
}

func showDuration(n float64) string { return report.Duration(time.Duration(n)) }

func printIndex(out io.Writer, results []*result) error {
	t := report.NewTable(out, "Index of ours (time from the builder to the file closed, without the making of "+
		"listings; ratio of the file to the listings' JSON)",
		"listings", "JSON MiB", "median B", "add", "write", "index", "listings/s", "file MiB", "B/listing", "ratio",
		"peak MiB", "open", "cold start")
	for _, r := range results {
		x := &r.index
		total := x.Add + x.Write
		t.Row(r.name, report.MiB(x.JSONBytes), report.Thousands(x.MedianJSON), report.Duration(x.Add),
			report.Duration(x.Write), report.Duration(total),
			report.Thousands(int(float64(r.count)/total.Seconds())), report.MiB(x.FileBytes),
			report.Thousands(int(x.FileBytes)/r.count),
			report.Fixed(float64(x.FileBytes)/float64(x.JSONBytes), 2), report.MiB(x.Peak), report.Duration(r.ask.Open),
			report.Duration(report.Percentile(r.cold, 0.5)))
	}
	return t.Print()
}

func printQueries(out io.Writer, results []*result) error {
	t := report.NewTable(out, "Queries of ours (one thread; whole answers)",
		"listings", "p50", "p99", "p99.9", "max", "queries/s", "answer B", "checked")
	for _, r := range results {
		l := summarise(r.ask.Took)
		t.Row(r.name, report.Duration(l.p50), report.Duration(l.p99), report.Duration(l.p999), report.Duration(l.max),
			report.Thousands(int(float64(l.n)/r.ask.Elapsed.Seconds())),
			report.Thousands(int(r.ask.Answer)), fmt.Sprintf("%d of %d", r.right, r.checked))
	}
	if err := t.Print(); err != nil {
		return err
	}
	t = report.NewTable(out, "What a query of ours takes (anonymous memory of the process after the queries, and "+
		"after freed memory was given back)",
		"listings", "allocs", "bytes", "GCs", "GC pause", "anon MiB", "freed MiB")
	for _, r := range results {
		a := &r.ask
		t.Row(r.name, report.Fixed(a.Allocs, 1), report.Thousands(int(a.Bytes)), fmt.Sprint(a.GCs),
			report.Duration(a.GCPause), report.MiB(a.Anon), report.MiB(a.AnonFree))
	}
	return t.Print()
}

// tookOf returns the latencies of the chosen queries in all passes.
func (r *result) tookOf(chosen func(int) bool) []time.Duration {
	var list []time.Duration
	for i, took := range r.ask.Took {
		if chosen(i % len(r.queries)) {
			list = append(list, took)
		}
	}
	return list
}

func printKinds(out io.Writer, results []*result) error {
	t := report.NewTable(out, "Latency of ours by kind (words: unfiltered; filtered: of all kinds; with a computer: "+
		"the filtered ones, with a computer instead of their filters)",
		"listings", "kind", "n", "p50", "p99", "p99.9")
	for _, r := range results {
		name := r.name
		for _, kind := range append(slices.Clone(wordKinds), kindFiltered, kindMisspelt, kindNames) {
			l, n := summarise(r.tookOf(func(i int) bool { return r.queries[i].is(kind) })), 0
			for i := range r.queries {
				if r.queries[i].is(kind) {
					n++
				}
			}
			t.Row(name, kind, fmt.Sprint(n), report.Duration(l.p50), report.Duration(l.p99), report.Duration(l.p999))
			name = ""
		}
		for kind, took := range map[string][]time.Duration{kindMachine: r.ask.Machine,
			"the same without one": r.ask.Plain} {
			if l := summarise(took); l.n > 0 {
				t.Row("", kind, fmt.Sprint(len(machineQueries(r.queries))), report.Duration(l.p50),
					report.Duration(l.p99), report.Duration(l.p999))
			}
		}
		if len(r.ask.Plain) > 0 {
			t.Row("", "their ratio, by means", "", report.Fixed(report.Mean(r.ask.Machine)/report.Mean(r.ask.Plain), 2),
				"", "")
		}
	}
	return t.Print()
}

func printGrowth(out io.Writer, results []*result) error {
	t := report.NewTable(out, "Growth of the cost of ours (each size beside the one above; time should grow less "+
		"than listings)",
		"listings", "mean time", "time grows", "listings grow", "share")
	for i, r := range results {
		mean := report.Mean(r.ask.Took)
		cells := []string{r.name, report.Duration(time.Duration(mean)), "–", "–", "–"}
		if i > 0 {
			before := results[i-1]
			time, listings := mean/report.Mean(before.ask.Took), float64(r.count)/float64(before.count)
			cells[2], cells[3], cells[4] = report.Times(time, 1), report.Times(listings, 1),
				report.Fixed(time/listings, 2)
		}
		t.Row(cells...)
	}
	return t.Print()
}

func printWorst(out io.Writer, results []*result) error {
	if len(results[0].ask.Worst) == 0 {
		return nil
	}
	t := report.NewTable(out, fmt.Sprintf("Worst cases of ours (%d repetitions each)", worstRepetitions),
		"query", "listings", "median", "max", "total")
	for at, w := range results[0].worst {
		name := w.Name
		for _, r := range results {
			x := &r.ask.Worst[at]
			t.Row(name, r.name, report.Duration(x.Median), report.Duration(x.Max), report.Thousands(x.Total))
			name = ""
		}
	}
	return t.Print()
}

func printPeers(out io.Writer, results []*result) error {
	if !slices.ContainsFunc(results, func(r *result) bool { return len(r.peers) > 0 }) {
		return nil
	}
	t := report.NewTable(out, "Peers (× is how often ours fits in, for the same queries)",
		"engine", "listings", "index", "×", "MiB", "×", "checked")
	for _, r := range results {
		own := r.index.Add + r.index.Write
		if own > 0 {
			t.Row(oursName, r.name, report.Duration(own), "", report.MiB(r.index.FileBytes), "",
				fmt.Sprintf("%d of %d", r.right, r.checked))
		}
		for _, p := range r.peers {
			t.Row(p.engine, r.name, report.Duration(p.index), report.Times(float64(p.index), float64(own)),
				report.MiB(p.bytes), report.Times(float64(p.bytes), float64(r.index.FileBytes)),
				fmt.Sprintf("%d of %d", p.right, r.checked))
		}
	}
	if err := t.Print(); err != nil {
		return err
	}
	t = report.NewTable(out, "Queries of the peers (n: fewer than 1,000 where more did not fit into the row's time; "+
		"ours: the same n)",
		"engine", "listings", "n", "hits", "p50", "ours", "×", "p99", "ours", "×")
	for _, r := range results {
		for _, p := range r.peers {
			for _, row := range p.rows {
				l, own := summarise(row.took), r.first(len(row.took))
				t.Row(p.engine+": "+row.how, r.name, report.Thousands(l.n), report.Fixed(float64(row.hits)/float64(l.n),
					1),
					report.Duration(l.p50), report.Duration(own.p50), report.Times(float64(l.p50), float64(own.p50)),
					report.Duration(l.p99), report.Duration(own.p99), report.Times(float64(l.p99), float64(own.p99)))
			}
		}
	}
	return t.Print()
}

// first returns our latencies for the first n queries.
func (r *result) first(n int) latencies {
	return summarise(r.tookOf(func(i int) bool { return i < n }))
}

// aim is a figure that a corpus of one size should reach.
type aim struct {
	count  int // listings
	name   string
	wanted string
	// reached returns the figure, whether it is good, and whether it was measured.
	reached func(*result) (figure string, good, measured bool)
}

func atMost(limit time.Duration, of func(*result) time.Duration) func(*result) (string, bool, bool) {
	return func(r *result) (string, bool, bool) { d := of(r); return report.Duration(d), d <= limit, true }
}

func p50AtMost(limit time.Duration) func(*result) (string, bool, bool) {
	return atMost(limit, func(r *result) time.Duration { return summarise(r.ask.Took).p50 })
}

func p99AtMost(limit time.Duration) func(*result) (string, bool, bool) {
	return atMost(limit, func(r *result) time.Duration { return summarise(r.ask.Took).p99 })
}

// aheadOf compares our p50 with that of a peer's complete answers.
func aheadOf(engine string, least float64) func(*result) (string, bool, bool) {
	return func(r *result) (string, bool, bool) {
		for _, p := range r.peers {
			if p.engine == engine {
				row := p.rows[0]
				theirs, own := summarise(row.took).p50, r.first(len(row.took)).p50
				return report.Times(float64(theirs), float64(own)), float64(theirs) >= least*float64(own), true
			}
		}
		return "", false, false
	}
}

var aims = []aim{
	{100_000, "index", "at most 5 s",
		atMost(5*time.Second, func(r *result) time.Duration { return r.index.Add + r.index.Write })},
	{100_000, "cold start", "at most 100 ms",
		atMost(100*time.Millisecond, func(r *result) time.Duration { return report.Percentile(r.cold, 0.5) })},
	{10_000, "p50", "at most 100 µs", p50AtMost(100 * time.Microsecond)},
	{10_000, "p99", "at most 300 µs", p99AtMost(300 * time.Microsecond)},
	{100_000, "p50", "at most 200 µs", p50AtMost(200 * time.Microsecond)},
	{100_000, "p99", "at most 800 µs", p99AtMost(800 * time.Microsecond)},
	{100_000, "faster than Bleve", "at least 50×", aheadOf("bleve", 50)},
	{100_000, "faster than FTS5", "at least 10×", aheadOf("fts5", 10)},
	{1_000_000, "index", "at most 5 min",
		atMost(5*time.Minute, func(r *result) time.Duration { return r.index.Add + r.index.Write })},
	{1_000_000, "p99", "at most 10 ms", p99AtMost(10 * time.Millisecond)},
	{1_000_000, "memory while the index is written", "at most 8 GiB", func(r *result) (string, bool, bool) {
		return report.MiB(r.index.Peak) + " MiB", r.index.Peak <= 8<<30, r.index.Peak > 0
	}},
	{1_000_000, "index beside the JSON", "at most 1.5×", func(r *result) (string, bool, bool) {
		ratio := float64(r.index.FileBytes) / float64(r.index.JSONBytes)
		return report.Fixed(ratio, 2) + "×", ratio <= 1.5, true
	}},
	{1_000_000, "anonymous memory", "under 1 GiB", func(r *result) (string, bool, bool) {
		return report.MiB(r.ask.Anon) + " MiB", r.ask.Anon < 1<<30, r.ask.Anon > 0
	}},
}

func printAims(out io.Writer, results []*result) error {
	var list []report.Aim
	for _, a := range aims {
		for _, r := range results {
			if r.count != a.count {
				continue
			}
			if figure, good, measured := a.reached(r); measured {
				list = append(list, report.Aim{Name: a.name + ", " + r.name, Wanted: a.wanted, Reached: figure,
					Met: good})
			}
		}
	}
	return report.PrintAims(out, list)
}
