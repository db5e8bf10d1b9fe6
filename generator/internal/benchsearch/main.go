// Command benchsearch measures how fast the search is: ours from the shipped
// listings to a million made-up ones, and over the same listings and queries in
// the same run Bleve and SQLite FTS5 up to a hundred thousand.
//
// In go the content folder and a seed; out come tables of
//
//	index      time to write it, its size, cold start
//	queries    latency, throughput, postings, allocations, memory
//	kinds      latency by kind of query
//	growth     whether the cost grows faster than the postings touched
//	worst      the queries that touch most
//	peers      index and latency of the peers, and how often ours fits in
//	aims       what issue 4 asks for, and what was reached
//
// Queries are drawn by the law of the texts' words: a fifth are names, a tenth
// misspelt, three in ten of each kind filtered, all different. Answers are whole:
// hits, total and facets, as JSON; nothing is kept between queries. Before
// anything is timed, every engine has to find the listings that hold some words,
// counted without any engine (check.go). Ours runs in processes of its own
// (child.go), one thread, pages in memory; the peers take their times themselves.
//
//	go run ./generator/internal/benchsearch                         everything
//	go run ./generator/internal/benchsearch -sizes real -engines ours
//	go run ./generator/internal/benchsearch -sizes 100000 -engines ours -cpuprofile cpu.out
//
//	main.go     flags, and the run from sizes to tables
//	corpus.go   the listings
//	queries.go  what is asked
//	worst.go    what is asked of the worst
//	check.go    what must be found
//	child.go    ours, measured
//	peers.go    the peers, measured
//	stats.go    from times to figures
//	table.go    from figures to text
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"catalog.example/api"
	"catalog.example/generator/internal/peer"
)

// oursName is what the catalog's own search is called in tables and flags.
const oursName = "ours"

// options say what to measure.
type options struct {
	content    string // the content folder
	peers      string // the folder with the peers' sources
	sizes      string // joined by commas
	engines    string // names, joined by commas
	queries    int
	passes     int
	seed       uint64
	worst      bool
	cpuProfile string
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == childArgument {
		os.Exit(childMain(os.Args[2], os.Stdin, os.Stdout))
	}
	var o options
	flag.StringVar(&o.content, "content", "content", "content `folder`")
	flag.StringVar(&o.peers, "peers", "generator/internal/benchrelevance/peers", "`folder` with the peers' sources")
	flag.StringVar(&o.sizes, "sizes", realSize+",10000,100000,1000000", "how many listings, a `list` joined by commas; "+realSize+": the shipped ones")
	flag.StringVar(&o.engines, "engines", strings.Join(engineNames(), ","), "which to measure, a `list` joined by commas")
	flag.IntVar(&o.queries, "queries", 4000, "how many different queries")
	flag.IntVar(&o.passes, "passes", 3, "how often ours is asked each of them")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of listings and queries")
	flag.BoolVar(&o.worst, "worst", true, "measure the worst cases too")
	flag.StringVar(&o.cpuProfile, "cpuprofile", "", "write the CPU profile of our answers, at the last size, to this `file`")
	timeout := flag.Duration("timeout", time.Hour, "give up after this `time`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "benchsearch:", err)
		os.Exit(1)
	}
}

// engineNames returns the names of all engines, ours first.
func engineNames() []string { return append([]string{oursName}, peerNames...) }

// has tells whether an engine is to be measured.
func (o *options) has(engine string) bool {
	return slices.Contains(strings.Split(o.engines, ","), engine)
}

// check refuses what cannot be measured.
func (o *options) check() error {
	if o.queries < 1 || o.passes < 1 {
		return errors.New("-queries and -passes must be at least 1")
	}
	for _, name := range strings.Split(o.engines, ",") {
		if !slices.Contains(engineNames(), name) {
			return fmt.Errorf("-engines: no engine is called %q; there are %s", name, strings.Join(engineNames(), ", "))
		}
	}
	return nil
}

// result is everything about one size.
type result struct {
	name    string
	count   int
	queries []query
	worst   []worstCase
	index   indexResult
	cold    []time.Duration
	ask     askResult
	right   int // checked words whose listings ours finds
	checked int
	peers   []*peerResult
}

// questions are what the engines are asked about one corpus.
type questions struct {
	queries []query
	worst   []worstCase
	words   []string // whose listings are counted
	ways    []peerRow
	limit   int
}

func run(ctx context.Context, o options, out io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "benchsearch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // nothing of worth
	program := ""
	if slices.ContainsFunc(peerNames, o.has) {
		if program, err = peer.Build(ctx, o.peers, dir); err != nil {
			return err
		}
	}
	if o.cpuProfile != "" {
		if o.cpuProfile, err = filepath.Abs(o.cpuProfile); err != nil {
			return err
		}
	}
	var results []*result
	sizes := strings.Split(o.sizes, ",")
	for i, size := range sizes {
		b := &bench{options: o, dir: filepath.Join(dir, fmt.Sprint(i)), size: size, program: program, out: out, start: time.Now()}
		if i < len(sizes)-1 {
			b.cpuProfile = ""
		}
		r, err := b.run(ctx)
		if err != nil {
			return fmt.Errorf("%s listings: %w", size, err)
		}
		results = append(results, r)
	}
	return printTables(out, &o, results)
}

// bench measures one size.
type bench struct {
	options
	dir     string
	size    string
	program string // of the peers
	out     io.Writer
	start   time.Time
}

// say tells how far the run is.
func (b *bench) say(format string, a ...any) {
	fmt.Fprintf(b.out, "%6.1f s  %s\n", time.Since(b.start).Seconds(), fmt.Sprintf(format, a...))
}

func (b *bench) run(ctx context.Context) (*result, error) {
	if err := os.Mkdir(b.dir, 0o750); err != nil {
		return nil, err
	}
	defer os.RemoveAll(b.dir) //nolint:errcheck // the disk of the largest size is needed again
	c, err := openCorpus(ctx, b.content, b.size, b.seed)
	if err != nil {
		return nil, err
	}
	about, err := b.questions(c)
	if err != nil {
		return nil, err
	}
	b.say("%s listings, %s queries", c.name(), thousands(len(about.queries)))
	r := &result{name: c.name(), count: c.count, queries: about.queries, worst: about.worst, checked: len(about.words)}
	if b.has(oursName) {
		if err := b.ours(ctx, about, r); err != nil {
			return nil, fmt.Errorf("ours: %w", err)
		}
	}
	if c.count > maxPeerListings {
		return r, nil
	}
	counts := r.index.Counts
	for _, name := range peerNames {
		if !b.has(name) {
			continue
		}
		if counts == nil {
			counts = countWords(c, about.words)
		}
		b.say("%s", name)
		p, err := measurePeer(ctx, b.program, name, b.dir, c, counts, about)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		r.peers = append(r.peers, p)
	}
	return r, nil
}

// countWords counts the listings of words where no index is written meanwhile.
func countWords(c *corpus, words []string) wordCounts {
	counter := newWordCounter(words)
	for p := range c.listings() {
		counter.take(p, &c.taxonomy)
	}
	return counter.counts
}

func (b *bench) questions(c *corpus) (*questions, error) {
	p := newPool(c, poolSize)
	queries, err := p.draw(b.queries, b.seed)
	if err != nil {
		return nil, err
	}
	about := &questions{queries: queries, words: p.checkedWords(), ways: peerRows, limit: p.limit}
	if b.worst {
		about.worst = p.worstCases(b.seed)
	}
	return about, nil
}

// coldStarts is how many processes are started for the median.
const coldStarts = 11

func (b *bench) ours(ctx context.Context, about *questions, r *result) error {
	task := indexTask{Content: b.content, Size: b.size, Seed: b.seed, Dir: b.dir, Words: about.words}
	if err := runChild(ctx, "index", task, &r.index); err != nil {
		return err
	}
	b.say("index written in %s", short(r.index.Add+r.index.Write))

	ask := askTask{Dir: b.dir, Passes: b.passes, CPUProfile: b.cpuProfile}
	for i := range about.queries {
		ask.Queries = append(ask.Queries, about.queries[i].SearchQuery)
	}
	for _, w := range about.words {
		ask.Check = append(ask.Check, api.SearchQuery{Q: w, Limit: about.limit})
	}
	for _, w := range about.worst {
		ask.Worst = append(ask.Worst, w.Query)
	}
	if err := runChild(ctx, "ask", ask, &r.ask); err != nil {
		return err
	}
	var err error
	if r.right, err = r.index.Counts.check(about.words, r.ask.Totals); err != nil {
		return err
	}
	b.say("queries answered in %s", short(r.ask.Elapsed))
	for i := range coldStarts {
		took, err := coldStart(ctx, coldTask{b.dir, about.queries[i%len(about.queries)].SearchQuery})
		if err != nil {
			return err
		}
		r.cold = append(r.cold, took)
	}
	slices.Sort(r.cold)
	return nil
}
