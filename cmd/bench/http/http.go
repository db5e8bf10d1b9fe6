//go:build linux

// Package http measures how many requests a second the server answers on one core, and compares
// this with the best possible.
//
// The input is the content folder and a seed. The benchmark prints tables of
//
//	speed   requests a second and latency of our server, the floor and nginx, by kind of request
//	aims    the targets and what was reached: speed, memory after the load, the
//	        binary, the time from start to ready
//
// The floor is a net/http handler that writes the same answers from memory, body and headers. The
// bare floor writes only the body and its type. nginx serves the same bodies as files, with its
// cache of open files on. wrk, from Debian, generates the load on another core, over connections
// that stay open. Requests cycle through at least a thousand addresses: listings and searches of
// synthetic listings, and pages that the generator built from the shipped listings. Searches are not
// cached, because so many others come between, except those asked before. The servers take turns, and
// all figures come from the round with the median throughput. CPU ratios compare the processor time
// per request. Other work on the machine affects them less than it affects throughput, but the aims
// are set for throughput.
//
//	bench http
//	bench http -only project -many 0
//	bench http -before ../before/bin/catalog   also measures the server of another commit
//
//	site.go      the build output that is served
//	requests.go  the requests
//	servers.go   our server, the floor and nginx as processes
//	table.go     the printed tables
package http

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"catalog.example/cmd/bench/command"
	"catalog.example/cmd/bench/program"
	"catalog.example/cmd/bench/report"
)

// options holds the values of the flags.
type options struct {
	content     string // the content folder
	before      string // the program of another commit, or ""
	listings    int
	many        int // listings in the second measurement of memory; 0 for none
	addresses   int
	rounds      int
	starts      int
	seconds     int
	connections int
	serverCore  int
	loadCore    int
	seed        uint64
	only        string // a kind, or "" for all
	profile     string
}

// Benchmark defines the command bench http.
var Benchmark = command.Benchmark{
	Name: "http", Summary: "requests a second on one core, beside nginx and a bare net/http server", Timeout: time.Hour,
	Define: func(flags *flag.FlagSet) command.Run {
		var o options
		flags.StringVar(&o.content, "content", "content", "content `folder`")
		flags.StringVar(&o.before, "before", "",
			"measure the server of another commit too: a catalog program, `file`, that was built there; "+
				"-content must be a folder that it can read")
		flags.IntVar(&o.listings, "listings", 10_000, "how many listings are served")
		flags.IntVar(&o.many, "many", 100_000,
			"how many listings memory is measured with beside the shipped ones; 0: not measured")
		flags.IntVar(&o.addresses, "addresses", 2000,
			"how many addresses of each kind are asked for; at most as many pages as there are")
		flags.IntVar(&o.rounds, "rounds", 3, "how often each is measured")
		flags.IntVar(&o.starts, "starts", 11, "how often the server is started for the median")
		flags.IntVar(&o.seconds, "seconds", 3, "how long a measurement takes")
		flags.IntVar(&o.connections, "connections", 32, "connections that stay open")
		flags.IntVar(&o.serverCore, "server-core", 0, "the core of the server that is measured")
		flags.IntVar(&o.loadCore, "load-core", 1, "the core of wrk")
		flags.Uint64Var(&o.seed, "seed", 1, "seed of listings and searches")
		flags.StringVar(&o.only, "only", "", "measure only this `kind` of request")
		flags.StringVar(&o.profile, "cpuprofile", "",
			"write the CPU profile of our server, in its last measurement, to this `file`")
		return func(ctx context.Context, out io.Writer) error { return run(ctx, o, out) }
	},
}

// check returns an error if the options are invalid or a program that the benchmark needs is
// missing.
func (o *options) check() error {
	if runtime.NumCPU() < 2 {
		return errors.New("two cores are needed: one for the server, one for the load")
	}
	if o.serverCore == o.loadCore {
		return errors.New("-server-core and -load-core must differ")
	}
	if o.rounds < 1 || o.starts < 1 || o.seconds < 1 || o.connections < 1 {
		return errors.New("-rounds, -starts, -seconds and -connections must be at least 1")
	}
	if o.addresses < minAddresses || o.addresses > o.listings {
		return fmt.Errorf("-addresses must be from %d to the number of listings", minAddresses)
	}
	return errors.Join(program.CheckBefore(o.before), program.Require("bench-http", "wrk", "nginx", "taskset", "go"))
}

// bench is one run of the benchmark.
type bench struct {
	options
	*report.Progress
	dir     string // for temporary files
	program string // our program
}

func run(ctx context.Context, o options, out io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-http-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{options: o, dir: dir, Progress: report.NewProgress(out)}
	if b.program, err = program.Compile(ctx, dir); err != nil {
		return err
	}
	info, err := os.Stat(b.program)
	if err != nil {
		return err
	}
	r := results{binary: info.Size()}
	site, err := b.build(ctx)
	if err != nil {
		return err
	}
	b.Say("%d shipped listings built", site.shipped)
	if o.only == "" {
		if err := b.measureProcess(ctx, site, &r); err != nil {
			return err
		}
	}
	if r.speeds, err = b.measureSpeed(ctx, site); err != nil {
		return err
	}
	return r.print(out, &o)
}

// measureProcess measures the memory of the server's process, and the time from its start
// until it is ready.
func (b *bench) measureProcess(ctx context.Context, site *builtSite, r *results) error {
	var err error
	if r.ready, err = b.startToReady(ctx, site.public); err != nil {
		return err
	}
	b.Say("started %d times", len(r.ready))
	few, err := b.memoryAfterLoad(ctx, site, site.shippedAsked())
	if err != nil {
		return err
	}
	r.memory = append(r.memory, few)
	b.Say("memory measured with %d listings", few.listings)
	if b.many == 0 {
		return nil
	}
	made, err := b.fill(site, b.many)
	if err != nil {
		return err
	}
	many, err := b.memoryAfterLoad(ctx, site, made.asked(b.addresses, b.seed))
	if err != nil {
		return err
	}
	r.memory = append(r.memory, many)
	b.Say("memory measured with %d listings", many.listings)
	return nil
}

// measureSpeed measures every kind of request with every server.
func (b *bench) measureSpeed(ctx context.Context, site *builtSite) ([]speed, error) {
	made, err := b.fill(site, b.listings)
	if err != nil {
		return nil, err
	}
	b.Say("%d listings made up", b.listings)
	if err := b.fillBefore(ctx, site); err != nil {
		return nil, fmt.Errorf("%s: %w", b.before, err)
	}
	kinds := append(made.asked(b.addresses, b.seed), site.pagesAsked(b.addresses))
	var speeds []speed
	for _, k := range kinds {
		if b.only != "" && k.name != b.only {
			continue
		}
		if len(k.addresses) < minAddresses {
			return nil, fmt.Errorf("%s: %d addresses, at least %d are needed", k.name, len(k.addresses), minAddresses)
		}
		s, err := b.compare(ctx, site, k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.name, err)
		}
		speeds = append(speeds, s)
		b.Say("%s: %.2f of the floor, %.2f of nginx", k.name, s.ratio(ours, floor), s.ratio(ours, nginx))
		if b.before != "" {
			b.Say("%s: %.3f of before, %.3f in processor time", k.name, s.ratio(ours, before),
				s.processorRatio(ours, before))
		}
	}
	return speeds, nil
}
