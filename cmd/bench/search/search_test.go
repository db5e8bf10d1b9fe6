package search

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"catalog.example/cmd/bench/command"
	"catalog.example/cmd/bench/peer"
	"catalog.example/cmd/bench/report"
	"catalog.example/generator/content"
)

// TestMain lets the test binary be what the program starts: our search, and a
// peer of a name that says how it behaves.
func TestMain(m *testing.M) {
	command.RunPart(map[string]command.Part{PartOurs: Ours, PartPeer: fakePeer})
	os.Exit(m.Run())
}

// fakePeer finds the listings one of whose words is the query. "blind" finds
// nothing, "deaf" only when it is asked for facets, "broken" says why it cannot.
func fakePeer(args []string, in io.Reader, out io.Writer) error {
	engine, dir := args[0], args[1]
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return errors.New("no folder")
	}
	messages, replies := json.NewDecoder(in), json.NewEncoder(out)
	found := map[string]int{}
	for {
		var m peer.SpeedMessage
		if err := messages.Decode(&m); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var r peer.SpeedReply
		switch {
		case engine == "broken":
			r.Error = "no room"
		case m.Finish:
			r.Elapsed, r.Bytes = time.Second, 1<<20
		case m.Ask == nil:
			r.Elapsed = time.Second
			for _, l := range m.Listings {
				words := map[string]bool{}
				for _, text := range l.Texts() {
					for w := range tokens(text) {
						words[w] = true
					}
				}
				for w := range words {
					found[w]++
				}
			}
		default:
			for _, q := range m.Ask.Queries {
				total := found[q.Q]
				if engine == "blind" || engine == "deaf" && m.Ask.Settings["facets"] == 0 {
					total = 0
				}
				r.Took, r.Totals = append(r.Took, time.Millisecond), append(r.Totals, total)
				r.Hits += min(total, m.Ask.Limit)
			}
		}
		if err := replies.Encode(r); err != nil {
			return err
		}
	}
}

func TestOptions(t *testing.T) {
	good := options{engines: "ours,fts5,bleve", queries: 1, passes: 1}
	tests := []struct {
		name   string
		change func(*options)
		want   string // part of the error; "": none
	}{
		{"good", func(*options) {}, ""},
		{"no queries", func(o *options) { o.queries = 0 }, "-queries"},
		{"no passes", func(o *options) { o.passes = 0 }, "-passes"},
		{"program of before", func(o *options) { o.before = "/nowhere/bench" }, "-before"},
		{"unknown engine", func(o *options) { o.engines = "ours,lucene" }, `no "lucene"; there are ours, fts5, bleve`},
	}
	for _, test := range tests {
		o := good
		test.change(&o)
		if err := o.check(); (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	for _, size := range []string{"", "0", "-5", "many", "99999999999"} {
		if _, err := corpusOf(&content.Content{}, size, 1); err == nil || !strings.Contains(err.Error(), "-sizes") {
			t.Errorf("size %q: %v", size, err)
		}
	}
}

func TestBatches(t *testing.T) {
	c := testCorpus(t, "25")
	var sizes []int
	var slugs []string
	for batch := range c.batches(10) {
		sizes = append(sizes, len(batch))
		for _, p := range batch {
			slugs = append(slugs, p.Slug)
		}
	}
	var want []string
	for p := range c.listings() {
		want = append(want, p.Slug)
	}
	if !slices.Equal(sizes, []int{10, 10, 5}) || !slices.Equal(slugs, want) {
		t.Errorf("batches of %v with %d listings", sizes, len(slugs))
	}
}

// testBench is a bench with fake peers and few queries.
func testBench(t *testing.T, size, engines string) *bench {
	t.Helper()
	return &bench{
		options: options{content: shippedContent, engines: engines, queries: 60, passes: 2, seed: 1, worst: true},
		dir:     filepath.Join(t.TempDir(), "work"), size: size, self: os.Args[0], Progress: report.NewProgress(io.Discard),
	}
}

func testContext(t *testing.T) context.Context {
	t.Helper()
	// A child that hangs must not hang the tests.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// The whole way: ours in its processes, the peers fake.
func TestRun(t *testing.T) {
	b := testBench(t, "300", "ours,fts5,bleve")
	b.cpuProfile = filepath.Join(t.TempDir(), "cpu.out")
	r, err := b.run(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	x, a := &r.index, &r.ask
	if x.Listings != 300 || x.Add+x.Write <= 0 || x.FileBytes < 1000 || x.JSONBytes < 300*1000 || x.MedianJSON < 1000 {
		t.Errorf("index: %+v", *x)
	}
	if len(a.Took) != 120 || len(a.Worst) != len(r.worst) || len(r.cold) != coldStarts || !slices.IsSorted(r.cold) {
		t.Errorf("%d times, %d worst cases, %d cold starts", len(a.Took), len(a.Worst), len(r.cold))
	}
	if a.Elapsed <= 0 || a.Answer < 100 || a.Allocs < 0 || a.Anon <= 0 || a.AnonFree <= 0 || a.Open <= 0 {
		t.Errorf("answers: %v elapsed, %v bytes, %v allocations, %d and %d anonymous", a.Elapsed, a.Answer, a.Allocs, a.Anon, a.AnonFree)
	}
	if w := a.Worst[0]; w.Total != 300 || w.Median <= 0 || w.Max < w.Median {
		t.Errorf("a word of every listing: %+v", w)
	}
	if info, err := os.Stat(b.cpuProfile); err != nil || info.Size() == 0 {
		t.Errorf("no CPU profile: %v", err)
	}
	if r.right < r.checked*9/10 || r.checked == 0 {
		t.Errorf("%d of %d words are right", r.right, r.checked)
	}
	if len(r.peers) != 2 || len(r.peers[0].rows) != 3 || len(r.peers[1].rows) != 4 {
		t.Fatalf("peers: %+v", r.peers)
	}
	if p := r.peers[0]; p.index != 2*time.Second || p.bytes != 1<<20 || p.right != r.checked || len(p.rows[0].took) != 60 || p.rows[0].hits == 0 {
		t.Errorf("peer: %+v", p)
	}
	if _, err := os.Stat(b.dir); !os.IsNotExist(err) {
		t.Errorf("the working folder is left behind: %v", err)
	}
	var out strings.Builder
	if err := printTables(&out, &b.options, []*result{r}); err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{"Index of ours", "Queries of ours", "What a query", "Latency of ours by kind", "Growth", "Worst cases", "Peers", "Queries of the peers"} {
		if !strings.Contains(out.String(), "\n"+title) {
			t.Errorf("no table %q in\n%s", title, out.String())
		}
	}
}

// Peers alone, and no worst cases.
func TestRunPeersAlone(t *testing.T) {
	b := testBench(t, "100", "fts5")
	b.worst = false
	r, err := b.run(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.peers) != 1 || len(r.ask.Took) != 0 {
		t.Errorf("%d peers, %d answers of ours", len(r.peers), len(r.ask.Took))
	}
	var out strings.Builder
	if err := printTables(&out, &b.options, []*result{r}); err != nil || strings.Contains(out.String(), "of ours") {
		t.Errorf("%v; tables of ours although it was not measured:\n%s", err, out.String())
	}
}

// What would make a comparison worthless is an error.
func TestPeersThatCannotBeCompared(t *testing.T) {
	b := testBench(t, "300", "")
	c := testCorpus(t, b.size)
	about, err := b.questions(c)
	if err != nil {
		t.Fatal(err)
	}
	counts := countWords(c, about.words)
	for engine, want := range map[string]string{
		"blind": "finds other listings", "deaf": "no query has a hit", "broken": "no room",
	} {
		about.ways = []peerRow{{engine: engine, how: "hits alone", budget: time.Second}}
		_, err := measurePeer(testContext(t), engine, t.TempDir(), c, counts, about)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", engine, err, want)
		}
	}
}

// A task that cannot be done is an error, and nothing is printed.
func TestTasksThatFail(t *testing.T) {
	for _, args := range [][]string{nil, {"none"}, {"ask"}, {"cold"}, {"index"}, {"ask", "ask"}} {
		var out strings.Builder
		if err := Ours(args, strings.NewReader(`{"Dir":"nowhere","Content":"nowhere"}`), &out); err == nil || out.Len() > 0 {
			t.Errorf("%q: %v; output %q", args, err, out.String())
		}
	}
	for _, body := range []string{"", "{}", `{"total":"3"}`, `{"total":1`} {
		if _, err := totalOf([]byte(body)); err == nil {
			t.Errorf("a total in %q", body)
		}
	}
	if n, err := totalOf([]byte(`{"total":3}`)); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// With -before, both programs are measured in turn. Here they are the same one.
func TestBefore(t *testing.T) {
	b := testBench(t, "200", "ours")
	b.worst, b.before = false, os.Args[0]
	r, err := b.run(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.before.ask.Took) != len(r.ask.Took) || len(r.beside.cold) != coldStarts {
		t.Errorf("%d answers before, %d cold starts beside them", len(r.before.ask.Took), len(r.beside.cold))
	}
	var out strings.Builder
	if err := printTables(&out, &b.options, []*result{r}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"\nBefore (", "now / before", "cold start"} {
		if !strings.Contains(out.String(), text) {
			t.Errorf("no %q in\n%s", text, out.String())
		}
	}
}
