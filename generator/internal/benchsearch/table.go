package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// table writes rows whose cells are aligned: the first on the left, all others
// on the right. It reports the first error when it is closed.
type table struct{ w *tabwriter.Writer }

func newTable(out io.Writer, title string, columns ...string) *table {
	fmt.Fprintf(out, "\n%s\n\n", title)
	t := &table{tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)}
	t.row(columns...)
	return t
}

// nameWidth is what the first column is filled up to: the writer aligns all
// columns to the same side.
const nameWidth = 30

func (t *table) row(cells ...string) {
	cells[0] = fmt.Sprintf("%-*s", nameWidth, cells[0])
	_, _ = fmt.Fprintln(t.w, strings.Join(cells, "\t")+"\t") // Flush tells of an error
}

func (t *table) close() error { return t.w.Flush() }

func fixed(value float64, digits int) string { return fmt.Sprintf("%.*f", digits, value) }

// printTables writes everything that was measured.
func printTables(out io.Writer, o *options, results []*result) error {
	fmt.Fprintf(out, "\n%d cores, %s, seed %d; %s different queries, ours asked %d times each\n",
		runtime.GOMAXPROCS(0), runtime.Version(), o.seed, thousands(o.queries), o.passes)
	ours := slices.DeleteFunc(slices.Clone(results), func(r *result) bool { return len(r.ask.Took) == 0 })
	for _, print := range []func(io.Writer, []*result) error{printIndex, printQueries, printKinds, printGrowth, printWorst} {
		if len(ours) > 0 {
			if err := print(out, ours); err != nil {
				return err
			}
		}
	}
	if err := printPeers(out, results); err != nil {
		return err
	}
	return printAims(out, ours)
}

func printIndex(out io.Writer, results []*result) error {
	t := newTable(out, "Index of ours (time from the builder to the file closed, without the making of listings; ratio of the file to the listings' JSON)",
		"listings", "JSON MiB", "median B", "add", "write", "index", "listings/s", "file MiB", "B/listing", "ratio", "peak MiB", "open", "cold start")
	for _, r := range results {
		x := &r.index
		total := x.Add + x.Write
		t.row(r.name, mib(x.JSONBytes), thousands(x.MedianJSON), short(x.Add), short(x.Write), short(total),
			thousands(int(float64(r.count)/total.Seconds())), mib(x.FileBytes), thousands(int(x.FileBytes)/r.count),
			fixed(float64(x.FileBytes)/float64(x.JSONBytes), 2), mib(x.Peak), short(r.ask.Open), short(percentile(r.cold, 0.5)))
	}
	return t.close()
}

func printQueries(out io.Writer, results []*result) error {
	t := newTable(out, "Queries of ours (one thread; whole answers)",
		"listings", "p50", "p99", "p99.9", "max", "queries/s", "answer B", "checked")
	for _, r := range results {
		l := summarise(r.ask.Took)
		t.row(r.name, short(l.p50), short(l.p99), short(l.p999), short(l.max), thousands(int(float64(l.n)/r.ask.Elapsed.Seconds())),
			thousands(int(r.ask.Answer)), fmt.Sprintf("%d of %d", r.right, r.checked))
	}
	if err := t.close(); err != nil {
		return err
	}
	t = newTable(out, "What a query of ours takes (anonymous memory of the process after the queries, and after freed memory was given back)",
		"listings", "postings", "p99", "graded", "p99", "allocs", "bytes", "GCs", "GC pause", "anon MiB", "freed MiB")
	for _, r := range results {
		postings, graded := r.costs()
		a := &r.ask
		t.row(r.name, thousands(int(mean(postings))), thousands(percentile(slices.Sorted(slices.Values(postings)), 0.99)),
			thousands(int(mean(graded))), thousands(percentile(slices.Sorted(slices.Values(graded)), 0.99)),
			fixed(a.Allocs, 1), thousands(int(a.Bytes)), fmt.Sprint(a.GCs), short(a.GCPause), mib(a.Anon), mib(a.AnonFree))
	}
	return t.close()
}

// costs returns what each query touched.
func (r *result) costs() (postings, graded []int) {
	for _, c := range r.ask.Cost {
		postings, graded = append(postings, c.Postings), append(graded, c.Graded)
	}
	return postings, graded
}

// tookOf returns the latencies, of all passes, of the queries that are chosen.
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
	t := newTable(out, "Latency of ours by kind (words: unfiltered; filtered: of all kinds)",
		"listings", "kind", "n", "p50", "p99", "p99.9", "postings", "p99")
	for _, r := range results {
		name := r.name
		for _, kind := range append(slices.Clone(wordKinds), kindFiltered, kindMisspelt, kindNames) {
			l := summarise(r.tookOf(func(i int) bool { return r.queries[i].is(kind) }))
			var postings []int
			for i := range r.queries {
				if r.queries[i].is(kind) {
					postings = append(postings, r.ask.Cost[i].Postings)
				}
			}
			slices.Sort(postings)
			t.row(name, kind, fmt.Sprint(len(postings)), short(l.p50), short(l.p99), short(l.p999),
				thousands(int(mean(postings))), thousands(percentile(postings, 0.99)))
			name = ""
		}
	}
	return t.close()
}

func printGrowth(out io.Writer, results []*result) error {
	t := newTable(out, "Growth of the cost of ours (each size beside the one above; time may grow as postings do)",
		"listings", "mean time", "postings", "ns/posting", "p50 ns/posting", "time grows", "postings grow", "share")
	for i, r := range results {
		g := growthOf(r)
		cells := []string{r.name, short(time.Duration(g.time)), thousands(int(g.postings)), fixed(g.time/max(1, g.postings), 1), fixed(g.typical, 1), "–", "–", "–"}
		if i > 0 {
			before := growthOf(results[i-1])
			cells[5], cells[6] = times(g.time, before.time), times(g.postings, before.postings)
			cells[7] = fixed(g.time/before.time/(g.postings/before.postings), 2)
		}
		t.row(cells...)
	}
	return t.close()
}

// growth is what the queries of a size cost in the mean.
type growth struct {
	time     float64 // nanoseconds
	postings float64
	typical  float64 // median over queries of nanoseconds for each posting
}

func growthOf(r *result) growth {
	postings, _ := r.costs()
	var each []float64
	for i, took := range r.ask.Took {
		if n := postings[i%len(postings)]; n > 0 {
			each = append(each, float64(took)/float64(n))
		}
	}
	slices.Sort(each)
	return growth{mean(r.ask.Took), mean(postings), percentile(each, 0.5)}
}

func printWorst(out io.Writer, results []*result) error {
	if len(results[0].ask.Worst) == 0 {
		return nil
	}
	t := newTable(out, fmt.Sprintf("Worst cases of ours (%d repetitions each)", worstRepetitions),
		"query", "listings", "median", "max", "postings", "graded", "total")
	for at, w := range results[0].worst {
		name := w.Name
		for _, r := range results {
			x := &r.ask.Worst[at]
			t.row(name, r.name, short(x.Median), short(x.Max), thousands(x.Postings), thousands(x.Graded), thousands(x.Total))
			name = ""
		}
	}
	return t.close()
}

func printPeers(out io.Writer, results []*result) error {
	if !slices.ContainsFunc(results, func(r *result) bool { return len(r.peers) > 0 }) {
		return nil
	}
	t := newTable(out, "Peers (× is how often ours fits in, for the same queries)",
		"engine", "listings", "index", "×", "MiB", "×", "checked")
	for _, r := range results {
		own := r.index.Add + r.index.Write
		if own > 0 {
			t.row(oursName, r.name, short(own), "", mib(r.index.FileBytes), "", fmt.Sprintf("%d of %d", r.right, r.checked))
		}
		for _, p := range r.peers {
			t.row(p.engine, r.name, short(p.index), times(float64(p.index), float64(own)),
				mib(p.bytes), times(float64(p.bytes), float64(r.index.FileBytes)), fmt.Sprintf("%d of %d", p.right, r.checked))
		}
	}
	if err := t.close(); err != nil {
		return err
	}
	t = newTable(out, "Queries of the peers (n: fewer than 1,000 where more did not fit into the row's time; ours: the same n)",
		"engine", "listings", "n", "hits", "p50", "ours", "×", "p99", "ours", "×")
	for _, r := range results {
		for _, p := range r.peers {
			for _, row := range p.rows {
				l, own := summarise(row.took), r.first(len(row.took))
				t.row(p.engine+": "+row.how, r.name, thousands(l.n), fixed(float64(row.hits)/float64(l.n), 1),
					short(l.p50), short(own.p50), times(float64(l.p50), float64(own.p50)),
					short(l.p99), short(own.p99), times(float64(l.p99), float64(own.p99)))
			}
		}
	}
	return t.close()
}

// first summarises ours for the first n queries.
func (r *result) first(n int) latencies {
	return summarise(r.tookOf(func(i int) bool { return i < n }))
}

// aim is one figure that issue 4 asks for.
type aim struct {
	count int // listings
	what  string
	// reached returns the figure, whether it is good, and whether it was measured.
	reached func(*result) (figure string, good, measured bool)
}

func atMost(limit time.Duration, of func(*result) time.Duration) func(*result) (string, bool, bool) {
	return func(r *result) (string, bool, bool) { d := of(r); return short(d), d <= limit, true }
}

// aheadOf compares with the whole answers of a peer, at p50.
func aheadOf(engine string, least float64) func(*result) (string, bool, bool) {
	return func(r *result) (string, bool, bool) {
		for _, p := range r.peers {
			if p.engine == engine {
				row := p.rows[0]
				theirs, own := summarise(row.took).p50, r.first(len(row.took)).p50
				return times(float64(theirs), float64(own)), float64(theirs) >= least*float64(own), true
			}
		}
		return "", false, false
	}
}

var aims = []aim{
	{100_000, "index within 5 s", atMost(5*time.Second, func(r *result) time.Duration { return r.index.Add + r.index.Write })},
	{100_000, "cold start under 100 ms", atMost(100*time.Millisecond, func(r *result) time.Duration { return percentile(r.cold, 0.5) })},
	{100_000, "p50 under 100 µs", atMost(100*time.Microsecond, func(r *result) time.Duration { return summarise(r.ask.Took).p50 })},
	{100_000, "p99 under 1 ms", atMost(time.Millisecond, func(r *result) time.Duration { return summarise(r.ask.Took).p99 })},
	{100_000, "50 times faster than Bleve", aheadOf("bleve", 50)},
	{100_000, "10 times faster than FTS5", aheadOf("fts5", 10)},
	{1_000_000, "p99 under 10 ms", atMost(10*time.Millisecond, func(r *result) time.Duration { return summarise(r.ask.Took).p99 })},
	{1_000_000, "index within 1.5 times the JSON", func(r *result) (string, bool, bool) {
		ratio := float64(r.index.FileBytes) / float64(r.index.JSONBytes)
		return fixed(ratio, 2), ratio <= 1.5, true
	}},
	{1_000_000, "anonymous memory under 1 GiB", func(r *result) (string, bool, bool) {
		return mib(r.ask.Anon) + " MiB", r.ask.Anon < 1<<30, r.ask.Anon > 0
	}},
}

func printAims(out io.Writer, results []*result) error {
	var rows [][]string
	for _, a := range aims {
		for _, r := range results {
			if r.count != a.count {
				continue
			}
			if figure, good, measured := a.reached(r); measured {
				rows = append(rows, []string{a.what, r.name, figure, map[bool]string{true: "met", false: "missed"}[good]})
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	t := newTable(out, "Aims", "aim", "listings", "reached", "")
	for _, row := range rows {
		t.row(row...)
	}
	return t.close()
}
