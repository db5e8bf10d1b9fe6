// Command catalog builds the site of a catalogue from a folder of listings, checks
// the listings, and serves the built site with its search API.
//
//	catalog build      content/ → public/
//	catalog dev        show the site while content/ is edited
//	catalog serve      public/ → pages and API
//	catalog mcp        public/ → tools for agents, on standard input and output
//	catalog lint       report errors in content/
//	catalog fmt        write listings in their canonical form
//	catalog translated mark translations as up to date
//	catalog schema     print the JSON Schema of a listing's front matter
//	catalog search     search the built index
//	catalog computer   print what this computer has, to search with
//	catalog show       show one listing of the index
//	catalog new        write a draft of a listing
//	catalog import     make listings of a table, JSON, YAML or Markdown
//	catalog rename     give a listing another slug
//	catalog retire     remove a listing
//	catalog refresh    update facts of the listings from forges and registries
//	catalog init       write a new catalogue
//	catalog pack       public/ → an archive for an origin that servers follow
//	catalog keygen     make a key pair that signs archives
//	catalog templates  copy shipped templates, and list outdated copies
//	catalog check      check a deployed site
//	catalog version    print the version
//
// The exit status is 0 for success, 1 for errors in content or at run time, and 2
// for wrong usage.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
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
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, lookup: os.LookupEnv, now: time.Now,
	}))
}

// environment is the input and output of a command. Tests replace it.
type environment struct {
	args           []string // command-line arguments, without the program name
	stdin          io.ReadCloser
	stdout, stderr io.Writer
	lookup         func(string) (string, bool) // environment variables
	now            func() time.Time
}

// print writes to standard output.
func (e *environment) print(format string, args ...any) error {
	_, err := fmt.Fprintf(e.stdout, format, args...)
	return err
}

// note writes to standard error. A failure to write there cannot be reported.
func (e *environment) note(format string, args ...any) { _, _ = fmt.Fprintf(e.stderr, format, args...) }

// run executes a command line and returns its exit status.
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
	if usage, ok := errors.AsType[*usageError](err); ok {
		env.note("catalog: %s\nRun '%s --help' for usage.\n", invisible.EscapeLines(err.Error()), usage.command)
		return exitUsage
	}
	switch {
	case errors.Is(err, errReported):
	case errors.Is(err, context.Canceled):
		env.note("catalog: interrupted\n")
	default:
		env.note("catalog: %s\n", invisible.EscapeLines(err.Error()))
	}
	return exitError
}

// stopSignal is the cause of a cancelled command context: the program received a
// signal to stop.
type stopSignal struct{ signal os.Signal }

// Error implements error.
func (s *stopSignal) Error() string { return "stopped by the signal " + s.signal.String() }

// Unwrap returns context.Canceled, so that errors.Is treats the cause as the
// context's own error.
func (s *stopSignal) Unwrap() error { return context.Canceled }

// newRoot returns the root command with all subcommands.
func newRoot(env environment) *cobra.Command {
	root := &cobra.Command{
		Use:   "catalog",
		Short: "Build, check, search and serve a catalogue of listings",
		Long: `catalog makes a website and a search API from a folder of listings.

To start a new catalogue, run 'catalog init'. In a folder that has content/, run
'catalog build' and then 'catalog serve'.`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		Args:              unknownCommand,
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
		Version:           versionLine(),
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetOut(env.stdout)
	root.SetErr(env.stderr)
	for _, command := range []func(environment) *cobra.Command{
		newBuild, newDev, newServe, newPack, newKeygen, newMCP, newLint, newFmt, newSchema, newSearch, newShow, newNew,
		newComputer, newRename, newRetire, newTranslated, newImport, newRefresh, newInit, newTemplates, newCheck,
		newVersion,
	} {
		root.AddCommand(command(env))
	}
	addMan(root)
	addCobraCommands(root)
	wrapUsageErrors(root)
	return root
}

// addCobraCommands adds cobra's help and completion commands before cobra does, so
// that wrong usage of them is an error. Cobra itself prints a help text for an unknown
// topic or shell, and reports success.
func addCobraCommands(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				topic, rest, err := root.Find(args)
				if err != nil {
					return err
				}
				return unknownCommand(topic, rest)
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

// unknownCommand reports an argument that is not a subcommand of c, and suggests the nearest.
func unknownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		names = append(names, sub.Name())
	}
	return fmt.Errorf("unknown command %q for %q%s", args[0], c.CommandPath(), spelling.Hint(args[0], names))
}

// usageError reports wrong flags or arguments.
type usageError struct {
	command string // command path, such as "catalog build"
	err     error
}

// Error implements error.
func (e *usageError) Error() string { return e.err.Error() }

// Unwrap implements errors.Unwrap.
func (e *usageError) Unwrap() error { return e.err }

// errReported means that the errors have been printed already.
var errReported = errors.New("errors were found")

// wrapUsageErrors makes a command and its subcommands return usage errors for
// wrong flags and arguments.
func wrapUsageErrors(c *cobra.Command) {
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usageError{c.CommandPath(), suggestFlag(c, err)}
	})
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return &usageError{c.CommandPath(), err}
			}
			return nil
		}
	}
	for _, sub := range c.Commands() {
		wrapUsageErrors(sub)
	}
}

// suggestFlag adds the nearest existing flag to the error of an unknown flag.
func suggestFlag(c *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	if unknown.GetSpecifiedName() == "port" && c.Flags().Lookup("addr") != nil {
		return fmt.Errorf("%w; give host and port together, such as --addr localhost:9000", err)
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := spelling.Nearest(unknown.GetSpecifiedName(), names, 1); len(near) > 0 {
		return fmt.Errorf("%w; did you mean --%s?", err, near[0])
	}
	return err
}

// usageErrorf returns a usage error of a command.
func usageErrorf(c *cobra.Command, format string, args ...any) error {
	return &usageError{c.CommandPath(), fmt.Errorf(format, args...)}
}

// noArguments accepts no arguments. cobra.NoArgs calls them unknown commands.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q: %s takes only flags; write the value of a flag as --flag=value",
			args[0], c.CommandPath())
	}
	return nil
}

// arguments accepts at least minimum arguments, and at most one for each name. The usage line shows
// the same names.
func arguments(minimum int, names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch most := len(names); {
		case len(args) < minimum:
			return fmt.Errorf("%s is missing: %s", names[len(args)], c.UseLine())
		case len(args) > most && most == 1:
			return fmt.Errorf("%d arguments were given, but only one %s is expected; put quotation marks around a "+
				"%[2]s with spaces", len(args), names[0])
		case len(args) > most:
			return fmt.Errorf("unexpected argument %q: %s", args[most], c.UseLine())
		}
		return nil
	}
}
