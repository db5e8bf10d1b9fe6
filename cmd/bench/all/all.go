// Package all runs the benchmarks of speed, size and memory one after the other, and prints what they
// aim at and what was reached in one table, beside the program of another commit.
//
//	bench all -before ../before
//	bench all -parts build,http
package all

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"catalog.example/cmd/bench/command"
	"catalog.example/cmd/bench/program"
	"catalog.example/cmd/bench/report"
)

// part is a benchmark to run.
type part struct {
	name string
	args []string
	// before maps flags to files and folders of the checkout of another commit, which they name.
	before map[string]string
}

var parts = []part{
	{"build", nil, map[string]string{"-before": "bin/catalog", "-content": "content"}},
	{"http", nil, map[string]string{"-before": "bin/catalog", "-content": "content"}},
	{"search", []string{"-sizes", "real,10000,100000,1000000", "-engines", "ours"},
		map[string]string{"-before": "bin/bench", "-before-content": "content"}},
	{"scale", nil, nil},
	{"browser", nil, nil},
}

// Of returns the benchmark that runs others, which it takes from a list.
func Of(benchmarks []command.Benchmark) command.Benchmark {
	return command.Benchmark{
		Name: "all", Summary: "what the other benchmarks aim at, in one table", Timeout: 6 * time.Hour,
		Define: func(flags *flag.FlagSet) command.Run {
			before := flags.String("before", "", "measure another commit too: its checkout, a `folder` in which "+
				"make build bin/bench has run")
			var names []string
			for _, p := range parts {
				names = append(names, p.name)
			}
			chosen := flags.String("parts", strings.Join(names, ","),
				"the benchmarks to run, a `list` joined by commas")
			return func(ctx context.Context, out io.Writer) error {
				err := command.CheckNames("-parts", *chosen, names)
				if *before != "" {
					err = errors.Join(err, program.CheckBefore(filepath.Join(*before, "bin/catalog")),
						program.CheckBefore(filepath.Join(*before, "bin/bench")))
				}
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
	if before != "" {
		for _, name := range slices.Sorted(maps.Keys(p.before)) {
			args = append(args, name, filepath.Join(before, p.before[name]))
		}
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nbench %s %s\n", p.name, strings.Join(args, " "))
	return run(ctx, out)
}
