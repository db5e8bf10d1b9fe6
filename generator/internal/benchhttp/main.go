//go:build linux

// Command benchhttp measures how many requests a second the server answers on one
// core, beside what could be hoped for at best.
//
// In go the content folder and a seed; out come tables of
//
//	speed   requests a second and latency of ours, the floor and nginx, by what is asked for
//	size    memory after the load, the binary, start to ready
//	aims    what issue 5 asks for, and what was reached
//
// The floor is a net/http handler that writes the same answers from memory, body
// and headers; the bare floor writes the body and its type alone. nginx serves the
// same bodies as files, with its cache of open files on. The load is wrk, from
// Debian, on a core of its own, over connections that are kept open. What is asked
// for cycles through at least a thousand addresses: listings and searches of
// made-up listings, pages that the generator built from the shipped ones. Nothing
// of a search is kept between requests. Figures are those of the round with the
// median throughput, of rounds in which the servers take turns. The ratios of CPU
// compare the processor time of a request: where the machine has other work, they
// say more than those of the throughput, by which the aims are judged.
//
//	main.go     flags, and the run from sites to tables
//	site.go     the build output that is served
//	asked.go    what is asked for
//	servers.go  ours, the floor and nginx as processes
//	load.go     wrk
//	table.go    from figures to text
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// options say what to measure.
type options struct {
	content     string // the content folder
	listings    int
	many        int // listings of the second measurement of memory; 0 leaves it out
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

func main() {
	if len(os.Args) == 3 && os.Args[1] == floorArgument {
		if err := serveFloor(os.Args[2], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "benchhttp:", err)
			os.Exit(1)
		}
		return
	}
	var o options
	flag.StringVar(&o.content, "content", "content", "content `folder`")
	flag.IntVar(&o.listings, "listings", 10_000, "how many listings are served")
	flag.IntVar(&o.many, "many", 100_000, "how many listings memory is measured with beside the shipped ones; 0: not measured")
	flag.IntVar(&o.addresses, "addresses", 2000, "how many addresses of a kind are cycled through; pages as many as there are, at most")
	flag.IntVar(&o.rounds, "rounds", 3, "how often each is measured")
	flag.IntVar(&o.starts, "starts", 11, "how often the server is started for the median")
	flag.IntVar(&o.seconds, "seconds", 3, "how long a measurement takes")
	flag.IntVar(&o.connections, "connections", 32, "connections that are kept open")
	flag.IntVar(&o.serverCore, "server-core", 0, "the core of the server that is measured")
	flag.IntVar(&o.loadCore, "load-core", 1, "the core of wrk")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of listings and searches")
	flag.StringVar(&o.only, "only", "", "measure this `kind` alone")
	flag.StringVar(&o.profile, "cpuprofile", "", "write the CPU profile of ours, in its last measurement, to this `file`")
	timeout := flag.Duration("timeout", time.Hour, "give up after this `time`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "benchhttp:", err)
		os.Exit(1)
	}
}

// check refuses what cannot be measured.
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
	for _, tool := range []string{"wrk", "nginx", "taskset", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%s is missing: run make bench-http, which installs it", tool)
		}
	}
	return nil
}

// bench is one run.
type bench struct {
	options
	dir     string // everything that is made on the way
	program string // ours
	out     io.Writer
	start   time.Time
}

// say tells how far the run is.
func (b *bench) say(format string, a ...any) {
	fmt.Fprintf(b.out, "%6.1f s  %s\n", time.Since(b.start).Seconds(), fmt.Sprintf(format, a...))
}

func run(ctx context.Context, o options, out io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "benchhttp-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // nothing of worth
	b := &bench{options: o, dir: dir, program: filepath.Join(dir, "catalog"), out: out, start: time.Now()}
	var r results
	if r.binary, err = b.compile(ctx); err != nil {
		return err
	}
	site, err := b.build(ctx)
	if err != nil {
		return err
	}
	b.say("%d shipped listings built", site.shipped)
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

// measureProcess measures what the process of the server takes: from its start
// until it is ready, and memory.
func (b *bench) measureProcess(ctx context.Context, site *site, r *results) error {
	var err error
	if r.ready, err = b.startToReady(ctx, site.public); err != nil {
		return err
	}
	b.say("started %d times", len(r.ready))
	few, err := b.memoryAfterLoad(ctx, site, site.shippedAsked())
	if err != nil {
		return err
	}
	r.memory = append(r.memory, few)
	b.say("memory measured with %d listings", few.listings)
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
	b.say("memory measured with %d listings", many.listings)
	return nil
}

// measureSpeed measures every kind of request with every server.
func (b *bench) measureSpeed(ctx context.Context, site *site) ([]speed, error) {
	made, err := b.fill(site, b.listings)
	if err != nil {
		return nil, err
	}
	b.say("%d listings made up", b.listings)
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
		b.say("%s: %.2f of the floor, %.2f of nginx", k.name, s.ratio(ours, floor), s.ratio(ours, nginx))
	}
	return speeds, nil
}
