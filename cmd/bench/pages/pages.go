// Package pages measures pages of the shipped catalogue with Lighthouse in a real Chromium, which
// loads them from our server.
//
// The input is the content folder. The benchmark prints tables of
//
//	lists    how long a list of 400 rows takes to be ordered and filtered, compared with List.js
//	scores   performance, accessibility, best practices and SEO of home, search,
//	         category, alternatives, listing, comparison and sets, compared with the wanted scores
//	loading  the measurements that make up performance, compared with the limits up to
//	         which Lighthouse itself calls them good
//	weight   bytes on the wire, compressed and with headers, by kind of file
//	lost     the audits that cost points
//
// Lighthouse emulates a mid-range phone on a slow network, or a desktop computer. Pages are
// visited in turn with an empty cache, round after round. Each figure is the median of the
// rounds. Lighthouse comes from npm; the folder lighthouse pins its version.
//
//	bench pages -rounds 3
//	bench pages -device desktop
//
//	site.go        the program that serves, and the pages to measure
//	lists.go       ordering and filtering a list, with lighthouse/lists.mjs
//	lighthouse.go  one visit, and the figures from its report
//	table.go       the printed tables
package pages

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"catalog.example/cmd/bench/command"
	"catalog.example/cmd/bench/program"
	"catalog.example/cmd/bench/report"
)

// options holds the values of the flags.
type options struct {
	content    string // the content folder
	lighthouse string // the folder with Lighthouse's packages
	device     string // one of devices
	rounds     int
}

// devices maps each device that Lighthouse can emulate to the arguments that select it.
var devices = map[string][]string{"mobile": nil, "desktop": {"--preset=desktop"}}

// Benchmark defines the command bench pages.
var Benchmark = command.Benchmark{
	Name: "pages", Summary: "pages in Lighthouse, beside its own limits, and their weight", Timeout: 30 * time.Minute,
	Define: func(flags *flag.FlagSet) command.Run {
		var o options
		flags.StringVar(&o.content, "content", "content", "content `folder`")
		flags.StringVar(&o.lighthouse, "lighthouse", "cmd/bench/pages/lighthouse",
			"`folder` with Lighthouse's packages")
		flags.StringVar(&o.device, "device", "mobile", "what is emulated: mobile or desktop")
		flags.IntVar(&o.rounds, "rounds", 3, "how often each page is measured")
		return func(ctx context.Context, out io.Writer) error { return run(ctx, o, out) }
	},
}

// check returns an error if the options are invalid or a program that the benchmark needs is
// missing.
func (o *options) check() error {
	if _, ok := devices[o.device]; !ok {
		return fmt.Errorf("-device: %q is neither mobile nor desktop", o.device)
	}
	if o.rounds < 1 {
		return errors.New("-rounds must be at least 1")
	}
	if err := program.Require("bench-pages", "chromium", "node", "go"); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(o.lighthouse, lighthouseProgram)); err != nil {
		return fmt.Errorf("lighthouse is missing: run npm ci --ignore-scripts --prefix %s", o.lighthouse)
	}
	return nil
}

func run(ctx context.Context, o options, out io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-pages-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // leftover temporary files are harmless
	progress := report.NewProgress(out)
	s, err := serve(ctx, o.content, dir)
	if err != nil {
		return err
	}
	defer s.Stop()
	progress.Say("%s serves %d listings", s.Address, s.listings)
	visits := make([][]visit, len(s.pages))
	version := ""
	for round := range o.rounds {
		for i, p := range s.pages {
			v, err := measure(ctx, &o, dir, s.base()+p.path)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			visits[i], version = append(visits[i], v), v.version
			progress.Say("round %d, %s: performance %.0f", round+1, p.name, v.scores[performance])
		}
	}
	results := make([]result, len(s.pages))
	for i, p := range s.pages {
		results[i] = result{p, median(visits[i])}
	}
	err = printTables(out, fmt.Sprintf("Lighthouse %s, %s, median of %d rounds", version, o.device, o.rounds), results)
	steps, failed := measureLists(ctx, &o, dir, s.base())
	if failed != nil {
		return errors.Join(err, failed)
	}
	return errors.Join(err, printLists(out, &steps))
}
