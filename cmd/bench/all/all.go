// Package all runs the benchmarks of speed, size and memory one after the other, and prints what they
// aim at and what was reached in one table, beside the program of another commit.
//
//	bench all -before ../before/bin/catalog
//	bench all -parts build,http
package all

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"catalog.example/cmd/bench/command"
	"catalog.example/cmd/bench/program"
	"catalog.example/cmd/bench/report"
)

// part is a benchmark to run.
type part struct {
	name      string
	args      []string
	hasBefore bool // whether it has the flag -before
}

var parts = []part{
	{"build", nil, true},
	{"http", nil, true},
	{"search", []string{"-sizes", "real,10000,100000,1000000", "-engines", "ours"}, true},
	{"scale", nil, false},
	{"browser", nil, false},
}

// Of returns the benchmark that runs others, which it takes from a list.
func Of(benchmarks []command.Benchmark) command.Benchmark {
	return command.Benchmark{
		Name: "all", Summary: "what the other benchmarks aim at, in one table", Timeout: 6 * time.Hour,
		Define: func(flags *flag.FlagSet) command.Run {
			before := flags.String("before", "",
				"measure another commit too: a catalog program, `file`, that was built there")
			var names []string
			for _, p := range parts {
				names = append(names, p.name)
			}
			chosen := flags.String("parts", strings.Join(names, ","),
				"the benchmarks to run, a `list` joined by commas")
			return func(ctx context.Context, out io.Writer) error {
				err := errors.Join(command.CheckNames("-parts", *chosen, names), program.CheckBefore(*before))
				if err != nil {
					return err
				}
				return run(ctx, benchmarks, strings.Split(*chosen, ","), *before, out)
			}
		},
	}
}

// run runs the parts with the given names. One that fails does not stop the others.
func run(ctx context.Context, benchmarks []command.Benchmark, names []string, before string, out io.Writer) error {
	var (
		aims []report.Aim
		errs []error
	)
	for _, p := range parts {
		if !slices.Contains(names, p.name) {
			continue
		}
		c := report.Collector{Writer: out}
		if err := p.run(ctx, benchmarks, before, &c); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", p.name, err))
		}
		for _, a := range c.Aims {
			a.Name = p.name + ": " + a.Name
			aims = append(aims, a)
		}
	}
	return errors.Join(append(errs, report.PrintAims(out, aims))...)
}

func (p *part) run(ctx context.Context, benchmarks []command.Benchmark, before string, out io.Writer) error {
	i := slices.IndexFunc(benchmarks, func(b command.Benchmark) bool { return b.Name == p.name })
	if i < 0 {
		return errors.New("it does not run on this system")
	}
	flags := flag.NewFlagSet(p.name, flag.ContinueOnError)
	run, args := benchmarks[i].Define(flags), slices.Clone(p.args)
	if p.hasBefore && before != "" {
		args = append(args, "-before", before)
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nbench %s %s\n", p.name, strings.Join(args, " "))
	return run(ctx, out)
}
