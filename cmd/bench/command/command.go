// Package command runs one of several benchmarks from the command line.
//
// The input is a table of benchmarks and the arguments of the program. Each benchmark defines its
// flags. This package parses them, stops the run at an interrupt or a timeout, and prints errors.
//
// Some benchmarks start this program again, so that the benchmark's own memory and time are not
// measured. The new process runs a [Part] instead of a benchmark.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Benchmark is one subcommand.
type Benchmark struct {
	Name    string        // the subcommand, and the end of its make target: search in make bench-search
	Summary string        // one line that says what is compared
	Timeout time.Duration // the default of -timeout
	// Define defines the flags and returns the function that runs the benchmark. The function is
	// called after the flags have been parsed.
	Define func(*flag.FlagSet) Run
}

// Run runs a benchmark and prints its tables.
type Run func(ctx context.Context, out io.Writer) error

// Part is a task that this program performs in a process started by a benchmark.
type Part func(args []string, in io.Reader, out io.Writer) error

// Exit statuses of the program.
const (
	exitFailed = 1
	exitUsage  = 2
)

// Main runs the benchmark or the part that the arguments name, and returns the exit status: 1
// after a failure, 2 for wrong arguments.
func Main(benchmarks []Benchmark, parts map[string]Part, args []string, in io.Reader, out, errs io.Writer) int {
	if len(args) == 0 {
		printUsage(errs, benchmarks)
		return exitUsage
	}
	name, args := args[0], args[1:]
	for i := range benchmarks {
		if benchmarks[i].Name == name {
			return benchmarks[i].main(args, out, errs)
		}
	}
	if part, ok := parts[name]; ok {
		return report(errs, name, part(args, in, out))
	}
	switch name {
	case "help", "-h", "-help", "--help":
		printUsage(out, benchmarks)
		return 0
	}
	fmt.Fprintf(errs, "bench: there is no benchmark %q\n\n", name)
	printUsage(errs, benchmarks)
	return exitUsage
}

func printUsage(out io.Writer, benchmarks []Benchmark) {
	fmt.Fprint(out, "Usage: bench BENCHMARK [flags]\nRun it in the root folder of the project.\n\n")
	for _, b := range benchmarks {
		fmt.Fprintf(out, "  %-10s %s\n", b.Name, b.Summary)
	}
	fmt.Fprint(out, "\nbench BENCHMARK -h lists the flags.\n")
}

func (b *Benchmark) main(args []string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("bench "+b.Name, flag.ContinueOnError)
	flags.SetOutput(errs)
	timeout := flags.Duration("timeout", b.Timeout, "give up after this `time`")
	run := b.Define(flags)
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil: // Parse has printed it
		return exitUsage
	case flags.NArg() > 0:
		fmt.Fprintf(errs, "bench %s: unexpected argument %q: all options are flags\n", b.Name, flags.Arg(0))
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	return report(errs, b.Name, run(ctx, out))
}

// report prints an error and returns the exit status.
func report(errs io.Writer, name string, err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintf(errs, "bench %s: %v\n", name, err)
	return exitFailed
}

// Self returns a command that starts this program again to run a part.
func Self(ctx context.Context, part string, args ...string) (*exec.Cmd, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return exec.CommandContext(ctx, program, append([]string{part}, args...)...), nil
}

// RunPart runs the part that the arguments of the process name, and exits. If they name no part, it
// returns. TestMain functions call it, so that a test binary can start itself again as the program
// does.
func RunPart(parts map[string]Part) {
	if len(os.Args) < 2 {
		return
	}
	if part, ok := parts[os.Args[1]]; ok {
		os.Exit(report(os.Stderr, os.Args[1], part(os.Args[2:], os.Stdin, os.Stdout)))
	}
}

// CheckNames returns an error if a comma-separated list contains an unknown name. The error begins
// with the name of the flag.
func CheckNames(flagName, list string, known []string) error {
	for _, name := range strings.Split(list, ",") {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%s: there is no %q; there are %s", flagName, name, strings.Join(known, ", "))
		}
	}
	return nil
}
