// Command catalog builds a catalog's site from a folder of listings, checks
// the listings, and serves the built site with its search API.
//
//	catalog build    content/ → public/
//	catalog serve    public/ → pages and API
//	catalog mcp      public/ → tools for agents, on standard input and output
//	catalog lint     what is wrong with content/
//	catalog fmt      the canonical form of its listings
//	catalog search   ask the built index
//	catalog show     one listing of it
//	catalog new      a listing to fill in
//	catalog refresh  facts of the listings, from the forges
//	catalog init     a new catalog to begin from
//
// The exit status is 0, 1 where errors were found or the work failed, and 2
// for wrong use.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"catalog.example/api/invisible"
	"catalog.example/api/spelling"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Exit statuses.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

func main() {
	os.Exit(run(os.Args[1:], environment{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, lookup: os.LookupEnv, now: time.Now, numCPU: runtime.GOMAXPROCS(0),
	}))
}

// environment is what a command sees of the world around it.
type environment struct {
	args           []string // of the command line, without the name of the program
	stdin          io.ReadCloser
	stdout, stderr io.Writer
	lookup         func(string) (string, bool) // environment variables
	now            func() time.Time
	numCPU         int
}

// run runs a command line and returns its exit status.
func run(args []string, env environment) int {
	env.args = args
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals) // a second signal ends the program at once
			cancel(&stopSignal{s})
		case <-ctx.Done():
		}
	}()
	root := newRoot(env)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var usage *usageError
	switch {
	case errors.As(err, &usage):
		_, _ = fmt.Fprintf(env.stderr, "catalog: %s\nRun '%s --help' for usage.\n", invisible.EscapeLines(err.Error()), usage.command)
		return exitUsage
	case errors.Is(err, errReported):
	case errors.Is(err, context.Canceled):
		_, _ = fmt.Fprintln(env.stderr, "catalog: interrupted")
	default:
		_, _ = fmt.Fprintf(env.stderr, "catalog: %s\n", invisible.EscapeLines(err.Error()))
	}
	return exitError
}

// stopSignal is the cause by which the context of a command ends: the user or the
// system asked the program to stop.
type stopSignal struct{ signal os.Signal }

// Error implements error.
func (s *stopSignal) Error() string { return "stopped by the signal " + s.signal.String() }

// Unwrap makes it context.Canceled, for whoever reports the cause and not the
// context's own error.
func (s *stopSignal) Unwrap() error { return context.Canceled }

// newRoot returns the whole command tree.
func newRoot(env environment) *cobra.Command {
	root := &cobra.Command{
		Use:   "catalog",
		Short: "Build, check, search and serve a catalog of listings",
		Long: `catalog makes a website and a search API of a folder of listings.

Begin with 'catalog build' in a folder that holds content/, then 'catalog serve'.`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		Args:              cobra.NoArgs,
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetOut(env.stdout)
	root.SetErr(env.stderr)
	root.AddCommand(newBuild(env), newServe(env), newMCP(env), newLint(env), newFmt(env), newSchema(env), newSearch(env), newShow(env), newNew(env), newRefresh(env), newInit(env), newVersion(env))
	addMan(root)
	addCobraCommands(root)
	wrongUse(root)
	return root
}

// addCobraCommands adds the commands that cobra would add on execution, so that
// wrong use of them is told as that of our own is. By itself, cobra answers an
// unknown topic or shell with a help text and success.
func addCobraCommands(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				topic, rest, err := root.Find(args)
				if err == nil && len(rest) > 0 {
					err = fmt.Errorf("unknown command %q for %q", rest[0], topic.CommandPath())
				}
				return err
			}
		case "completion":
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
			for _, shell := range c.Commands() {
				if f := shell.Flags().Lookup("no-descriptions"); f != nil {
					f.Usage += " (default false)"
				}
			}
		}
	}
}

// usageError is a mistake in how a command was called.
type usageError struct {
	command string // its path, such as "catalog build"
	err     error
}

// Error implements error.
func (e *usageError) Error() string { return e.err.Error() }

// Unwrap implements errors.Unwrap.
func (e *usageError) Unwrap() error { return e.err }

// errReported tells that the error has been shown already.
var errReported = errors.New("errors were found")

// wrongUse turns what cobra says about flags and arguments into usage errors,
// for a command and all below it.
func wrongUse(c *cobra.Command) {
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return &usageError{c.CommandPath(), nearFlag(c, err)} })
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return &usageError{c.CommandPath(), err}
			}
			return nil
		}
	}
	for _, sub := range c.Commands() {
		wrongUse(sub)
	}
}

// nearFlag adds to the error of an unknown flag the nearest one that there is.
func nearFlag(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := spelling.Nearest(unknown.GetSpecifiedName(), names, 1); len(near) > 0 {
		return fmt.Errorf("%w; did you mean --%s?", err, near[0])
	}
	return err
}

// wrong returns a usage error of a command.
func wrong(c *cobra.Command, format string, args ...any) error {
	return &usageError{c.CommandPath(), fmt.Errorf(format, args...)}
}

// oneArgument takes one argument at most, and least at least. name is what the
// usage line calls it.
func oneArgument(name string, least int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("%s is missing: %s", name, c.UseLine())
		case len(args) > 1:
			return fmt.Errorf("%d arguments were given, and one %s is expected; quotation marks hold words together", len(args), name)
		}
		return nil
	}
}
