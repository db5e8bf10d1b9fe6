// Package search measures how fast our search is, from the shipped listings to a million
// synthetic ones. With up to a hundred thousand listings, it also measures Bleve and SQLite
// FTS5 in the same run, with the same listings and queries.
//
// The input is the content folder and a seed. The benchmark prints tables of
//
//	index      time to write it, its size, cold start
//	queries    latency, throughput, allocations, memory
//	kinds      latency by kind of query
//	growth     whether the time grows faster than the listings
//	worst      the queries that should take longest
//	peers      index and latency of the peers, and how many times slower they are
//	before     a comparison with another commit, with -before
//	aims       the targets and what was reached
//
// Queries are random words of the texts, as frequent as in the texts. A fifth are names, a
// tenth are misspelt, three in ten of each kind are filtered, and all are different. Answers
// are complete: hits, total and facets, as JSON. Nothing is cached between queries. Before
// anything is timed, every engine must find the listings that contain some words, which are
// counted without any engine (check.go). Our search runs in separate processes (ours.go), in
// one thread, with its pages in memory. The peers measure their own times.
//
//	bench search
//	bench search -sizes real -engines ours
//	bench search -sizes 100000 -engines ours -cpuprofile cpu.out
//	bench search -engines ours -before ../before/bin/bench
package search

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"catalog.example/cmd/bench/command"
	"catalog.example/cmd/bench/program"
	"catalog.example/cmd/bench/report"
)

// oursName is the name of catalog's own search in tables and flags.
const oursName = "ours"

// options holds the values of the flags.
type options struct {
	content       string // the content folder
	before        string // the bench program of another commit, or ""
	beforeContent string // its content folder; "" means content
	sizes         string // joined by commas
	engines       string // names, joined by commas
	queries       int
	passes        int
	seed          uint64
	worst         bool
	cpuProfile    string
}

// Benchmark defines the command bench search.
var Benchmark = command.Benchmark{
	Name: "search", Summary: "the speed of the search beside SQLite FTS5 and Bleve, up to a million listings",
	Timeout: time.Hour,
	Define: func(flags *flag.FlagSet) command.Run {
		var o options
		flags.StringVar(&o.content, "content", "content", "content `folder`")
		flags.StringVar(&o.before, "before", "",
			"measure the search of another commit too: a bench program, `file`, that was built there")
		flags.StringVar(&o.beforeContent, "before-content", "",
			"content `folder` that the other commit reads, where it cannot read this one")
		flags.StringVar(&o.sizes, "sizes", realSize+",10000,100000,1000000",
			"how many listings, a `list` joined by commas; "+realSize+": the shipped ones")
		flags.StringVar(&o.engines, "engines", strings.Join(engineNames(), ","),
			"which to measure, a `list` joined by commas")
		flags.IntVar(&o.queries, "queries", 4000, "how many different queries")
		flags.IntVar(&o.passes, "passes", 3, "how often ours is asked each of them")
		flags.Uint64Var(&o.seed, "seed", 1, "seed of listings and queries")
		flags.BoolVar(&o.worst, "worst", true, "measure the worst cases too")
		flags.StringVar(&o.cpuProfile, "cpuprofile", "",
			"write the CPU profile of our answers, at the last size, to this `file`")
		return func(ctx context.Context, out io.Writer) error { return run(ctx, o, out) }
	},
}

// engineNames returns the names of all engines, ours first.
func engineNames() []string { return append([]string{oursName}, peerNames...) }

// has reports whether an engine is measured.
func (o *options) has(engine string) bool {
	return slices.Contains(strings.Split(o.engines, ","), engine)
}

// check returns an error if the options are invalid or the -before program cannot be run.
func (o *options) check() error {
	if o.queries < 1 || o.passes < 1 {
		return errors.New("-queries and -passes must be at least 1")
	}
	return errors.Join(program.CheckBefore(o.before), command.CheckNames("-engines", o.engines, engineNames()))
}

// result holds all results for one size.
type result struct {
	name    string
	count   int
	queries []query
	worst   []worstCase
	measured
	right   int // checked words whose listings our search finds
	checked int
	peers   []*peerResult
	before  *measured // nil without -before
	beside  *measured // our search, measured in turn with before
}

// measured holds the measurements of one program.
type measured struct {
	index indexResult
	cold  []time.Duration // sorted
	ask   askResult
}

// questions holds the queries for the engines about one corpus.
type questions struct {
	queries []query
	worst   []worstCase
	words   []string // whose listings are counted
	ways    []peerRow
}

func run(ctx context.Context, o options, out io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "benchsearch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if o.cpuProfile != "" {
		if o.cpuProfile, err = filepath.Abs(o.cpuProfile); err != nil {
			return err
		}
	}
	progress := report.NewProgress(out)
	var results []*result
	sizes := strings.Split(o.sizes, ",")
	for i, size := range sizes {
		b := &bench{options: o, dir: filepath.Join(dir, fmt.Sprint(i)), size: size, self: self, Progress: progress}
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
	*report.Progress
	dir  string
	size string
	self string // this program
}

func (b *bench) run(ctx context.Context) (*result, error) {
	if err := os.Mkdir(b.dir, 0o750); err != nil {
		return nil, err
	}
	defer os.RemoveAll(b.dir)
	c, err := openCorpus(ctx, b.content, b.size, b.seed)
	if err != nil {
		return nil, err
	}
	about, err := b.questions(c)
	if err != nil {
		return nil, err
	}
	b.Say("%s listings, %s queries", c.name(), report.Thousands(len(about.queries)))
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
		b.Say("%s", name)
		p, err := measurePeer(ctx, name, b.dir, c, counts, about)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		r.peers = append(r.peers, p)
	}
	return r, nil
}

// countWords counts the listings that contain words. It is used if our index, whose measurement
// also counts them, is not written.
func countWords(c *corpus, words []string) wordCounts {
	counter := newWordCounter(words)
	for p := range c.listings() {
		counter.take(p, &c.taxonomy)
	}
	return counter.counts
}

func (b *bench) questions(c *corpus) (*questions, error) {
	p, err := newPool(c, poolSize)
	if err != nil {
		return nil, err
	}
	queries, err := p.draw(b.queries, b.seed)
	if err != nil {
		return nil, err
	}
	about := &questions{queries: queries, words: p.checkedWords(), ways: peerRows}
	if b.worst {
		about.worst = p.worstCases(b.seed)
	}
	return about, nil
}

// coldStarts is the number of cold starts from which the median is taken.
const coldStarts = 11

// mostBeside is the largest number of listings with which another commit is measured, too: a million would take hours.
const mostBeside = 100_000

// ours measures our search, and also that of another commit.
func (b *bench) ours(ctx context.Context, about *questions, r *result) error {
	ours := contender{b.self, b.content}
	var err error
	if r.measured, err = b.measure(ctx, ours, about, r); err != nil || b.before == "" || r.count > mostBeside {
		return err
	}
	other := contender{b.before, b.content}
	if b.beforeContent != "" {
		other.content = b.beforeContent
	}
	for range besideRounds { // in turn, so that other work on the machine slows both
		for _, turn := range []struct {
			contender
			best **measured
		}{{other, &r.before}, {ours, &r.beside}} {
			m, err := b.measure(ctx, turn.contender, about, r)
			if err != nil {
				return fmt.Errorf("%s: %w", turn.program, err)
			}
			if *turn.best == nil || m.ask.Elapsed < (*turn.best).ask.Elapsed {
				*turn.best = &m
			}
		}
	}
	return nil
}

// besideRounds is the number of rounds in which both programs are measured with -before. The
// fastest rounds are compared.
const besideRounds = 3

// measure measures one program, and checks that it finds the listings.
func (b *bench) measure(ctx context.Context, c contender, about *questions, r *result) (measured, error) {
	var m measured
	task := indexTask{Content: c.content, Size: b.size, Seed: b.seed, Dir: b.dir, Words: about.words}
	if err := c.run(ctx, "index", task, &m.index); err != nil {
		return m, err
	}
	b.Say("index written in %s", report.Duration(m.index.Add+m.index.Write))

	ask := askTask{Dir: b.dir, Passes: b.passes, CPUProfile: b.cpuProfile}
	for i := range about.queries {
		ask.Queries = append(ask.Queries, about.queries[i].Encode())
	}
	ask.Machine = machineQueries(about.queries)
	for _, w := range about.words {
		ask.Check = append(ask.Check, url.Values{"q": {w}}.Encode())
	}
	for _, w := range about.worst {
		ask.Worst = append(ask.Worst, w.Query.Encode())
	}
	if err := c.run(ctx, "ask", ask, &m.ask); err != nil {
		return m, err
	}
	var err error
	if r.right, err = m.index.Counts.check(about.words, m.ask.Totals); err != nil {
		return m, err
	}
	b.Say("queries answered in %s", report.Duration(m.ask.Elapsed))
	for i := range coldStarts {
		took, err := c.coldStart(ctx, coldTask{b.dir, about.queries[i%len(about.queries)].Encode()})
		if err != nil {
			return m, err
		}
		m.cold = append(m.cold, took)
	}
	slices.Sort(m.cold)
	return m, nil
}
