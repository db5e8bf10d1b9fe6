//go:build linux

// Package replicas measures several servers behind one nginx, as operators run them.
//
// The input is the content folder, the judged queries and deploy/replicas.conf. The benchmark
// prints tables of
//
//	replicas  requests a second and latency of 1, 2 and 4 replicas, and of nginx alone
//	updates   the same while builds, and then programs, are replaced under the load
//	counts    the same with allowances counted in memory and in Redis
//
// Processes run as an operator would run them: nginx uses the configuration in deploy/, and
// replicas follow the manifest of an origin and use at most one core each (GOMAXPROCS=1). nginx
// alone serves the same answers as files; no replica behind an nginx can be faster. wrk, from
// Debian, generates the load, over connections that stay open. wrk, nginx, Redis and the replicas
// share the cores of the machine, so more replicas are faster only if there are free cores.
// Contenders take turns, and figures, except failures, come from the round with the median
// throughput. The run fails if any request fails.
//
//	bench replicas
//	bench replicas -replicas 1,2,4,8 -duration 20s
//
//	servers.go  the origin, replicas, nginx and Redis
//	table.go    the printed tables
package replicas

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/cmd/bench/command"
	"catalog.example/cmd/bench/load"
	"catalog.example/cmd/bench/program"
	"catalog.example/cmd/bench/report"
	"catalog.example/cmd/bench/shipped"
)

// options holds the values of the flags.
type options struct {
	content     string // the content folder
	judged      string // file of the judged queries
	proxy       string // file of nginx's configuration
	replicas    string
	duration    time.Duration
	rounds      int
	connections int
}

// Benchmark defines the command bench replicas.
var Benchmark = command.Benchmark{
	Name: "replicas", Summary: "several servers behind nginx, while they are updated, and with shared counts",
	Timeout: time.Hour,
	Define: func(flags *flag.FlagSet) command.Run {
		var o options
		flags.StringVar(&o.content, "content", "content", "content `folder`")
		flags.StringVar(&o.judged, "judged", "api/search/testdata/judged.jsonl",
			"judged set, a `file` whose queries are asked for")
		flags.StringVar(&o.proxy, "proxy", "deploy/replicas.conf", "`file` of nginx's configuration")
		flags.StringVar(&o.replicas, "replicas", "1,2,4",
			"numbers of replicas, joined by commas; ratios are to the first")
		flags.DurationVar(&o.duration, "duration", 5*time.Second, "how long a measurement takes, in whole seconds")
		flags.IntVar(&o.rounds, "rounds", 3, "how often each is measured")
		flags.IntVar(&o.connections, "connections", 32, "connections that stay open")
		return func(ctx context.Context, out io.Writer) error { return run(ctx, o, out) }
	},
}

// maxReplicas limits -replicas. It is more than one machine can use.
const maxReplicas = 64

// parseCounts reads -replicas.
func parseCounts(list string) ([]int, error) {
	var counts []int
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxReplicas {
			return nil, fmt.Errorf("-replicas: %q is no number from 1 to %d", text, maxReplicas)
		}
		counts = append(counts, n)
	}
	return counts, nil
}

// check returns an error if the options are invalid or a program that the benchmark needs is
// missing.
func (o *options) check() error {
	if o.duration < time.Second || o.rounds < 1 || o.connections < 1 {
		return errors.New("-duration must be at least 1s, -rounds and -connections at least 1")
	}
	return program.Require("bench-replicas", "wrk", "nginx", "redis-server")
}

// updated is the number of replicas in the measurements of updates and of shared counts: the fewest
// with which one can be down.
const updated = 2

// bench is one run of the benchmark.
type bench struct {
	options
	*report.Progress
	dir     string // for temporary files
	program string // our program
	proxy   string // nginx's configuration
	origin  origin
	ask     []load.Request // searches
}

func run(ctx context.Context, o options, out io.Writer) error {
	counts, err := parseCounts(o.replicas)
	if err := errors.Join(err, o.check()); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-replicas-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{options: o, dir: dir, Progress: report.NewProgress(out)}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	files, err := b.startFiles(ctx)
	if err != nil {
		return err
	}
	defer files.Stop()
	redis, err := b.startRedis(ctx)
	if err != nil {
		return err
	}
	defer redis.Stop()

	numbers := table{title: "Replicas behind nginx", to: 1, rows: []row{
		{name: "nginx alone, files", measure: func(ctx context.Context) (load.Figures, error) {
			return b.load(ctx, files.Address, load.Numbered("/", len(b.ask)))
		}},
	}}
	for _, n := range counts {
		numbers.rows = append(numbers.rows, row{name: plural(n), measure: b.measured(n, nil)})
	}
	updates := table{title: fmt.Sprintf("Updates under load, %s", plural(updated)), rows: []row{
		{name: "no updates", measure: b.measured(updated, nil)},
		{name: fmt.Sprintf("%d builds", builds-1), measure: b.measured(updated, (*fleet).updateBuild)},
		{name: "each program once", measure: b.measured(updated, (*fleet).updateProgram)},
	}}
	shared := table{title: fmt.Sprintf("Counts of requests, %s", plural(updated)), rows: []row{
		{name: "in memory", measure: b.measured(updated, nil)},
		{name: "in Redis", measure: b.measured(updated, nil, "--rate-store", "redis://"+redis.Address)},
	}}
	tables := []*table{&numbers, &updates, &shared}
	for _, t := range tables {
		if err := b.fill(ctx, t); err != nil {
			return err
		}
	}
	calls, err := counted(ctx, redis.Address)
	if err != nil {
		return err
	}
	return b.print(out, tables, calls, shared.rows[1].requests())
}

// prepare compiles the program, builds the site, and chooses the requests.
func (b *bench) prepare(ctx context.Context) error {
	var err error
	if b.program, err = program.Compile(ctx, b.dir); err != nil {
		return err
	}
	text, err := os.ReadFile(b.options.proxy)
	if err != nil {
		return err
	}
	b.proxy = string(text)
	if err := b.pack(ctx); err != nil {
		return err
	}
	loaded, err := shipped.Content(ctx, b.content)
	if err != nil {
		return err
	}
	queries, err := shipped.Judged(b.judged, shipped.Projects(loaded))
	if err != nil {
		return err
	}
	for i := range queries {
		b.ask = append(b.ask, load.Request{Path: api.PathSearch + "?q=" + url.QueryEscape(queries[i].Text)})
	}
	b.Say("%d builds packed, %d searches to ask for", builds, len(b.ask))
	return nil
}

// fill measures the rows of a table in turn.
func (b *bench) fill(ctx context.Context, t *table) error {
	for round := range b.rounds {
		for i := range t.rows {
			r := &t.rows[i]
			f, err := r.measure(ctx)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", t.title, r.name, err)
			}
			r.rounds = append(r.rounds, f)
			b.Say("%s, %s, round %d of %d: %.0f requests/s", t.title, r.name, round+1, b.rounds, f.PerSecond())
		}
	}
	return nil
}

// load sends requests to a server for the duration.
func (b *bench) load(ctx context.Context, address string, ask []load.Request) (load.Figures, error) {
	f, err := b.wrk(int(b.duration.Seconds())).Run(ctx, address, ask)
	return f, errors.Join(err, ctx.Err())
}

func (b *bench) wrk(seconds int) load.Wrk {
	return load.Wrk{Dir: b.dir, Connections: b.connections, Seconds: seconds}
}

// measured returns a function that starts n replicas with more arguments, and measures them under
// load for the duration or until an update is over.
func (b *bench) measured(n int, update func(*fleet, context.Context) error, more ...string) func(context.Context) (
	load.Figures, error) {
	return func(ctx context.Context) (load.Figures, error) {
		caches := filepath.Join(b.dir, "caches")
		if update != nil {
			caches = "" // with old caches, replicas would have the builds already
		}
		f, err := b.start(ctx, caches, n, more...)
		if err != nil {
			return load.Figures{}, err
		}
		defer f.stop()
		if update != nil {
			return b.loadDuring(ctx, f, update)
		}
		began, err := f.processorTime()
		if err != nil {
			return load.Figures{}, err
		}
		got, err := b.load(ctx, f.nginx.Address, b.ask)
		if err != nil {
			return got, err
		}
		ended, err := f.processorTime()
		got.Processor = ended - began
		return got, err
	}
}

// settle is how long the load runs before and after an update.
const settle = time.Second

// loadDuring sends requests to a fleet until an update is over.
func (b *bench) loadDuring(ctx context.Context, f *fleet, update func(*fleet, context.Context) error) (load.Figures,
	error) {
	limited, end := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		defer end()
		done <- errors.Join(pause(ctx, settle), update(f, ctx), pause(ctx, settle))
	}()
	got, err := b.wrk(int(time.Hour.Seconds())).Run(limited, f.nginx.Address, b.ask)
	return got, errors.Join(err, <-done)
}

// pause waits for a duration, or until the context ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
