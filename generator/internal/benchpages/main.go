// Command benchpages measures pages of the shipped catalog with Lighthouse in a
// real Chromium, which loads them from the real program.
//
// In goes the content folder; out come tables of
//
//	scores   performance, accessibility, best practices and SEO of home, search,
//	         category and listing, beside what issue 6 asks for
//	loading  the measurements that the performance is made of, beside the limits
//	         up to which Lighthouse itself calls them good
//	weight   bytes on the wire, compressed and with headers, by kind of file
//	lost     the audits that cost points
//
// Lighthouse emulates a middling telephone on a slow network, or a desktop
// computer. Pages are visited in turn with an empty cache, round after round; each
// figure is the median of the rounds. Lighthouse's sources come from npm; versions
// are pinned in the folder lighthouse.
//
//	go run ./generator/internal/benchpages -rounds 3
//	go run ./generator/internal/benchpages -device desktop
//
//	main.go        flags, and the run from site to tables
//	site.go        the program that serves, and the pages to measure
//	lighthouse.go  one visit, and what is taken from its report
//	table.go       from figures to text
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
	"syscall"
	"time"
)

// options say what to measure.
type options struct {
	content    string // the content folder
	lighthouse string // the folder with Lighthouse's packages
	device     string // one of devices
	rounds     int
}

// devices are those that Lighthouse emulates, with the arguments that tell it to.
var devices = map[string][]string{"mobile": nil, "desktop": {"--preset=desktop"}}

func main() {
	var o options
	flag.StringVar(&o.content, "content", "content", "content `folder`")
	flag.StringVar(&o.lighthouse, "lighthouse", "generator/internal/benchpages/lighthouse", "`folder` with Lighthouse's packages")
	flag.StringVar(&o.device, "device", "mobile", "what is emulated: mobile or desktop")
	flag.IntVar(&o.rounds, "rounds", 3, "how often each page is measured")
	timeout := flag.Duration("timeout", 30*time.Minute, "give up after this `time`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "benchpages:", err)
		os.Exit(1)
	}
}

// check refuses what cannot be measured.
func (o *options) check() error {
	if _, ok := devices[o.device]; !ok {
		return fmt.Errorf("-device: %q is neither mobile nor desktop", o.device)
	}
	if o.rounds < 1 {
		return errors.New("-rounds must be at least 1")
	}
	for _, tool := range []string{"chromium", "node", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%s is missing: run make bench-pages, which installs it", tool)
		}
	}
	if _, err := os.Stat(filepath.Join(o.lighthouse, program)); err != nil {
		return fmt.Errorf("lighthouse is missing: run npm ci --ignore-scripts --prefix %s", o.lighthouse)
	}
	return nil
}

func run(ctx context.Context, o options, out io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "benchpages-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // nothing in it is needed again
	begin := time.Now()
	say := func(format string, a ...any) {
		fmt.Fprintf(out, "%6.1f s  %s\n", time.Since(begin).Seconds(), fmt.Sprintf(format, a...))
	}
	s, err := serve(ctx, o.content, dir)
	if err != nil {
		return err
	}
	defer s.stop()
	say("%s serves %d listings", s.base, s.listings)
	visits := make([][]visit, len(s.pages))
	version := ""
	for round := range o.rounds {
		for i, p := range s.pages {
			v, err := measure(ctx, &o, dir, s.base+p.path)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			visits[i], version = append(visits[i], v), v.version
			say("round %d, %s: performance %.0f", round+1, p.name, v.scores[performance])
		}
	}
	results := make([]result, len(s.pages))
	for i, p := range s.pages {
		results[i] = result{p, median(visits[i])}
	}
	return printTables(out, fmt.Sprintf("Lighthouse %s, %s, median of %d rounds", version, o.device, o.rounds), results)
}
