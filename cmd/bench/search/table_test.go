package search

import (
	"strings"
	"testing"
	"time"
)

// tableResult is a result whose figures can be worked out by hand: ten queries
// that take 1 to 10 times unit.
func tableResult(name string, count int, unit time.Duration) *result {
	r := &result{
		name: name, count: count, checked: 50, right: 49,
		measured: measured{index: indexResult{Add: 3 * time.Second, Write: time.Second, FileBytes: 3 << 20, JSONBytes: 2 << 20, MedianJSON: 2900, Peak: 64 << 20},
			cold: []time.Duration{10 * time.Millisecond, 20 * time.Millisecond, 90 * time.Millisecond}},
		worst: []worstCase{{Name: "one letter"}},
	}
	for i := range 10 {
		q := query{Kind: wordKinds[0]}
		switch i {
		case 8:
			q.Kind = kindNames
		case 9:
			q.Kind, q.Filtered = kindMisspelt, true
		}
		r.queries = append(r.queries, q)
		r.ask.Took = append(r.ask.Took, time.Duration(i+1)*unit)
		r.ask.Elapsed += time.Duration(i+1) * unit
	}
	r.ask.Allocs, r.ask.Bytes, r.ask.Anon, r.ask.AnonFree = 2.5, 1234, 2<<20, 1<<20
	r.ask.Worst = []worstResult{{Median: unit, Max: 2 * unit, Total: 9}}
	r.peers = []*peerResult{{engine: "fts5", index: 8 * time.Second, bytes: 6 << 20, right: 50, rows: []peerRowResult{
		{peerRow{how: "hits and facets"}, []time.Duration{30 * unit, 10 * unit, 20 * unit, 10 * unit}, 8},
	}}}
	return r
}

func TestPrintTables(t *testing.T) {
	var out strings.Builder
	o := &options{queries: 10, passes: 1, seed: 1}
	if err := printTables(&out, o, []*result{tableResult("389 (real)", 389, time.Microsecond), tableResult("100,000", 100_000, 20*time.Microsecond)}); err != nil {
		t.Fatal(err)
	}
	// How wide a column is, is not the matter here; the first line names the machine.
	var lines []string
	for line := range strings.Lines(out.String()) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	got := strings.Join(lines[1:], "\n")
	want := `Index of ours (time from the builder to the file closed, without the making of listings; ratio of the file to the listings' JSON)
listings JSON MiB median B add write index listings/s file MiB B/listing ratio peak MiB open cold start
389 (real) 2.0 2,900 3.00 s 1.00 s 4.00 s 97 3.0 8,086 1.50 64.0 0.00 µs 20.0 ms
100,000 2.0 2,900 3.00 s 1.00 s 4.00 s 25,000 3.0 31 1.50 64.0 0.00 µs 20.0 ms
Queries of ours (one thread; whole answers)
listings p50 p99 p99.9 max queries/s answer B checked
389 (real) 5.00 µs 10.0 µs 10.0 µs 10.0 µs 181,818 0 49 of 50
100,000 100 µs 200 µs 200 µs 200 µs 9,090 0 49 of 50
What a query of ours takes (anonymous memory of the process after the queries, and after freed memory was given back)
listings allocs bytes GCs GC pause anon MiB freed MiB
389 (real) 2.5 1,234 0 0.00 µs 2.0 1.0
100,000 2.5 1,234 0 0.00 µs 2.0 1.0
Latency of ours by kind (words: unfiltered; filtered: of all kinds; with a computer: the filtered ones, with a computer instead of their filters)
listings kind n p50 p99 p99.9
389 (real) 1 word 8 4.00 µs 8.00 µs 8.00 µs
2 words 0 0.00 µs 0.00 µs 0.00 µs
3 words 0 0.00 µs 0.00 µs 0.00 µs
4 words 0 0.00 µs 0.00 µs 0.00 µs
filtered 1 10.0 µs 10.0 µs 10.0 µs
misspelt 1 10.0 µs 10.0 µs 10.0 µs
names 1 9.00 µs 9.00 µs 9.00 µs
100,000 1 word 8 80.0 µs 160 µs 160 µs
2 words 0 0.00 µs 0.00 µs 0.00 µs
3 words 0 0.00 µs 0.00 µs 0.00 µs
4 words 0 0.00 µs 0.00 µs 0.00 µs
filtered 1 200 µs 200 µs 200 µs
misspelt 1 200 µs 200 µs 200 µs
names 1 180 µs 180 µs 180 µs
Growth of the cost of ours (each size beside the one above; time should grow less than listings)
listings mean time time grows listings grow share
389 (real) 5.50 µs – – –
100,000 110 µs 20× 257× 0.08
Worst cases of ours (200 repetitions each)
query listings median max total
one letter 389 (real) 1.00 µs 2.00 µs 9
100,000 20.0 µs 40.0 µs 9
Peers (× is how often ours fits in, for the same queries)
engine listings index × MiB × checked
ours 389 (real) 4.00 s 3.0 49 of 50
fts5 389 (real) 8.00 s 2.0× 6.0 2.0× 50 of 50
ours 100,000 4.00 s 3.0 49 of 50
fts5 100,000 8.00 s 2.0× 6.0 2.0× 50 of 50
Queries of the peers (n: fewer than 1,000 where more did not fit into the row's time; ours: the same n)
engine listings n hits p50 ours × p99 ours ×
fts5: hits and facets 389 (real) 4 2.0 10.0 µs 2.00 µs 5.0× 30.0 µs 4.00 µs 7.5×
fts5: hits and facets 100,000 4 2.0 200 µs 40.0 µs 5.0× 600 µs 80.0 µs 7.5×
Aims
aim wanted reached
index, 100,000 at most 5 s 4.00 s met
cold start, 100,000 at most 100 ms 20.0 ms met
p50, 100,000 at most 200 µs 100 µs met
p99, 100,000 at most 800 µs 200 µs met
faster than FTS5, 100,000 at least 10× 5.0× missed`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
