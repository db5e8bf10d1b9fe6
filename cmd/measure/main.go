// Command measure installs published packages of listings, runs them in a sandbox, and says how
// much memory and disk space they take.
//
// A recipe in content/measure/ says for one listing which package is installed from npm, Debian or
// the Go module proxy, how it is started, and which small job it does. Installing may use the
// network. The program itself runs in bubblewrap without network: it sees itself, a read-only
// system, and empty folders for its files. Where the job needs a model, a mock model on loopback
// answers every chat with the same text.
//
// With -write, the figures go into the setups of the listing.
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
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) == 3 && os.Args[1] == insideCommand { // in the sandbox
		if err := inside(ctx, os.Args[2], os.Stdout, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, "measure:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "measure:", err)
		}
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	content string
	write   bool
	verbose bool
	runs    int
	keep    string
	day     string
}

// run measures the listings that args name, or all that have a recipe.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var o options
	flags := flag.NewFlagSet("measure", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.content, "content", "content", "folder with the listings and their recipes")
	flags.BoolVar(&o.write, "write", false, "write the figures into the listings")
	flags.BoolVar(&o.verbose, "v", false, "show what the programs print")
	flags.IntVar(&o.runs, "runs", 2, "how often each program runs; the largest memory and the shortest time count")
	flags.StringVar(&o.keep, "keep", "", "folder that keeps what is installed, for the next run")
	flags.StringVar(&o.day, "day", time.Now().UTC().Format(time.DateOnly), "the day that -write writes")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "Usage: measure [flags] [SLUG …]")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.runs < 1 {
		return fmt.Errorf("-runs %d: write 1 or more", o.runs)
	}
	recipes, err := loadRecipes(o.content)
	if err != nil {
		return err
	}
	if recipes, err = choose(recipes, flags.Args(), o.content); err != nil {
		return err
	}
	if _, err := exec.LookPath(bubblewrap); err != nil {
		return fmt.Errorf("%s runs the programs in a sandbox, and is missing: apt-get install bubblewrap", bubblewrap)
	}
	return o.measure(ctx, recipes, stdout, stderr)
}

// choose returns the recipes of the given listings, or all if none is given.
func choose(recipes []*Recipe, slugs []string, content string) (chosen []*Recipe, err error) {
	if len(slugs) == 0 {
		return recipes, nil
	}
	var unknown []string
	for _, slug := range slugs {
		i := slices.IndexFunc(recipes, func(r *Recipe) bool { return r.slug == slug })
		if i < 0 {
			unknown = append(unknown, slug)
			continue
		}
		chosen = append(chosen, recipes[i])
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("no recipe for %s: write %s", strings.Join(unknown, ", "),
			filepath.Join(content, recipeFolder, "SLUG.yml"))
	}
	return chosen, nil
}

// measure measures, prints a table, and writes the figures if that is asked for. A program that
// fails is named at the end, and does not stop the others.
func (o *options) measure(ctx context.Context, recipes []*Recipe, stdout, stderr io.Writer) error {
	keep := o.keep
	if keep == "" {
		folder, err := os.MkdirTemp("", "measure-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		keep = folder
	}
	keep, err := filepath.Abs(keep)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	defer table.Flush()
	fmt.Fprintln(table, "listing\tversion\tstarted MB\tpeak MB\tdisk MB\tready\tjob")
	var failed []string
	for i, r := range recipes {
		fmt.Fprintf(stderr, "%d of %d: %s\n", i+1, len(recipes), r.slug)
		figures, err := o.one(ctx, r, keep, stderr)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			fmt.Fprintf(stderr, "%s: %v\n", r.slug, err)
			failed = append(failed, r.slug)
			continue
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\t%s\t%s\n", r.slug, r.Version, figures.Started>>20, figures.Peak>>20,
			figures.Disk/1e6, figures.readyText(), r.jobText())
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d could not be measured: %s", len(failed), len(recipes), strings.Join(failed, ", "))
	}
	return nil
}

// one installs and measures one listing.
func (o *options) one(ctx context.Context, r *Recipe, keep string, stderr io.Writer) (*Figures, error) {
	log := io.Discard
	if o.verbose {
		log = stderr
	}
	for _, program := range r.Uses {
		if _, err := exec.LookPath(program); err != nil {
			return nil, fmt.Errorf("uses %s, which is missing: install it, such as with apt-get", program)
		}
	}
	place := &install{recipe: r, folder: filepath.Join(keep, r.slug), shared: keep, log: log}
	if err := place.ensure(ctx); err != nil {
		return nil, fmt.Errorf("installing %s %s: %w", r.Package, r.Version, err)
	}
	var all Figures
	for range o.runs {
		figures, err := place.run(ctx)
		if err != nil {
			return nil, err
		}
		all.include(figures)
	}
	disk, err := diskOf(place.folder)
	if err != nil {
		return nil, err
	}
	all.Disk = disk
	if o.write {
		if err := write(o.content, r, &all, o.day); err != nil {
			return nil, err
		}
	}
	return &all, nil
}
