//go:build linux

// Package build compares our builds with Hugo's, for the same listings.
//
// The input is the shipped content folder. The benchmark builds synthetic listings, whose median
// sizes must not be below those of the shipped ones. It prints a table of times, memory and sizes
// for
//
//	catalog build
//	hugo --minify    the same job with simpler pages, minified: for each listing a page, its Markdown version
//	                 and JSON, and lists
//	hugo             without minifying, for comparison
//
// It also measures builds after one listing has changed, which use the cache of the last
// build, and how long `catalog dev` and `hugo server` take to show a saved listing. -previews
// measures only the latter.
//
// The programs run several times, in turn, with content and output in memory. Before anything is
// measured, their outputs are compared. The JSON of every listing must be equal. Its page and its
// Markdown version must contain its name, purpose and jobs, the addresses of its install links and
// sources, and the labels of its known facts. Each list must have the same listings in the same
// order. In other respects Hugo's pages are simpler than ours, which saves Hugo work. A second
// table shows how many bytes both write, and the files that only catalog writes: the search index,
// lists as JSON, the facts that filters read, feeds, the guides for agents. Writing these counts
// towards our time. Last come the aims, and what was reached.
//
//	bench build
//	bench build -before ../before/bin/catalog   also measures the build of another commit
package build

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"catalog.example/cmd/bench/command"
	"catalog.example/cmd/bench/program"
	"catalog.example/cmd/bench/report"
	"catalog.example/cmd/bench/shipped"
	"catalog.example/cmd/bench/synthetic"
)

// hugoModule is the Hugo module to compare with, at a fixed version. The benchmark compiles it.
const hugoModule = "github.com/gohugoio/hugo@v0.165.0"

// What builds of 10,000 listings aim at.
const (
	aimTime    = 0.30      // of the time of hugo --minify
	aimCPU     = 0.35      // of its processor time
	aimBefore  = 0.45      // of the processor time of the other commit
	aimWritten = 420 << 20 // bytes
)

// insteadOfPicture is the number of bytes added to each synthetic description. They make up for the
// picture that the page of a shipped listing names: pictures are not drawn for so many listings.
const insteadOfPicture = 128

// options holds the values of the flags.
type options struct {
	content      string // the shipped content folder
	before       string // the program of another commit, or ""
	dir          string // for all output, on a file system in memory
	listings     int
	seed         uint64
	runs         int
	keep         bool
	previewsOnly bool
}

// Benchmark defines the command bench build.
var Benchmark = command.Benchmark{
	Name: "build", Summary: "builds of 10,000 listings beside Hugo", Timeout: time.Hour,
	Define: func(flags *flag.FlagSet) command.Run {
		var o options
		flags.StringVar(&o.content, "content", "content", "shipped content `folder`")
		flags.StringVar(&o.before, "before", "",
			"measure the build of another commit too: a catalog program, `file`, that was built there; "+
				"-content must be a folder that it can read")
		flags.StringVar(&o.dir, "dir", "/dev/shm", "`folder` in memory to work in")
		flags.IntVar(&o.listings, "listings", 10_000, "how many listings to make")
		flags.Uint64Var(&o.seed, "seed", 1, "seed of the listings")
		flags.IntVar(&o.runs, "runs", 3, "runs of each tool")
		flags.BoolVar(&o.keep, "keep", false, "leave the working folder")
		flags.BoolVar(&o.previewsOnly, "previews", false,
			"measure only previews; without Hugo where it cannot be installed")
		return func(ctx context.Context, out io.Writer) error { return run(ctx, o, out) }
	},
}

func run(ctx context.Context, o options, out io.Writer) error {
	if o.runs < 1 || o.listings < 1 {
		return errors.New("-runs and -listings must be at least 1")
	}
	if err := program.CheckBefore(o.before); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(o.dir, "bench-build-")
	if err != nil {
		return err
	}
	if o.keep {
		fmt.Fprintln(out, "working in", dir)
	} else {
		defer os.RemoveAll(dir)
	}
	b := &bench{options: o, dir: dir, out: out}
	steps := []func(context.Context) error{b.install, b.real, b.generate, b.warmUp, b.measure}
	if o.previewsOnly {
		steps = []func(context.Context) error{b.install, b.real, b.generate, b.previews}
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if o.previewsOnly {
		return nil
	}
	err = errors.Join(b.report(), b.again(ctx), b.pictures(ctx), b.previews(ctx))
	return errors.Join(err, report.PrintAims(out, b.aims))
}

// bench is one comparison.
type bench struct {
	options
	dir      string
	out      io.Writer
	realSize medians
	madeSize medians
	tools    []*tool
	texts    map[string][]wanted // by slug: the texts that both tools must show
	noHugo   error               // why Hugo is missing; nil if it is installed
	aims     []report.Aim
}

// tool is a program that builds a site.
type tool struct {
	name    string
	command []string
	output  string
	site    site   // its last output
	usages  []Cost // one for each run
}

// medians holds the median sizes of listings, their descriptions and their pages, in bytes.
type medians struct{ listing, body, page int64 }

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

// install builds both programs in the working folder.
func (b *bench) install(ctx context.Context) error {
	if err := writeFile(b.dir, "catalog.yml", siteSettings); err != nil {
		return err
	}
	fmt.Fprintln(b.out, "installing", hugoModule)
	install := exec.CommandContext(ctx, "go", "install", hugoModule)
	install.Env = append(os.Environ(), "GOBIN="+b.path("hugo-bin"))
	if text, err := install.CombinedOutput(); err != nil {
		if b.noHugo = fmt.Errorf("%s: %w\n%s", install, err, text); !b.previewsOnly {
			return b.noHugo
		}
	}
	_, err := program.Compile(ctx, b.dir)
	return err
}

// catalogBuild returns the command line for a build with a catalog program.
func (b *bench) catalogBuild(file, content, out string) []string {
	return []string{file, "build", "--content", content, "--out", out, "--config", b.path("catalog.yml"), "--quiet"}
}

// real builds the shipped content and measures its median sizes.
func (b *bench) real(ctx context.Context) error {
	args := append(b.catalogBuild(b.path("catalog"), b.options.content, b.path("real")), "--cache=")
	if err := program.Run(ctx, args[0], args[1:]...); err != nil {
		return err
	}
	var err error
	b.realSize, err = measureContent(b.options.content, b.path("real"))
	return err
}

// generate writes the listings once for each tool. Hugo is given each listing's similar listings,
// so it does not have to find them.
func (b *bench) generate(ctx context.Context) error {
	loaded, err := shipped.Content(ctx, b.options.content)
	if err != nil {
		return err
	}
	listings := synthetic.Listings(synthetic.Options{
		Count: b.listings, Seed: b.seed, Taxonomy: &loaded.Taxonomy, BodyBytes: int(b.realSize.body) + insteadOfPicture,
	})
	if err := synthetic.WriteContent(b.path("content"), b.options.content, listings); err != nil {
		return err
	}
	if err := program.Run(ctx, b.path("catalog"), "lint", "--content", b.path("content")); err != nil {
		return err
	}
	args := append(b.catalogBuild(b.path("catalog"), b.path("content"), b.path("out-catalog")), "--pictures=off",
		"--cache=")
	if err := program.Run(ctx, args[0], args[1:]...); err != nil {
		return err
	}
	built, err := readProjects(b.path("out-catalog"))
	if err != nil {
		return err
	}
	b.texts = map[string][]wanted{}
	for i := range built {
		b.texts[built[i].Slug] = wantedOf(&built[i], loaded.Taxonomy.Facts)
	}
	if err := writeHugoSite(b.path("hugo"), &loaded.Taxonomy, built); err != nil {
		return err
	}
	b.madeSize, err = measureContent(b.path("content"), b.path("out-catalog"))
	if err != nil {
		return err
	}
	hugo := func(name string, minify ...string) *tool {
		return &tool{name: name, output: b.path("out-hugo"), command: append([]string{
			b.path("hugo-bin/hugo"), "--source", b.path("hugo"), "--destination", b.path("out-hugo"), "--cacheDir",
			b.path("hugo-cache"),
			"--noTimes", "--noChmod", "--noBuildLock", "--quiet",
		}, minify...)}
	}
	b.tools = []*tool{
		{name: "catalog build", output: b.path("out-catalog"), command: args},
		hugo("hugo --minify", "--minify"),
		hugo("hugo"),
	}
	if b.before != "" {
		b.addBefore(ctx)
	}
	return nil
}

// addBefore adds the program of another commit.
func (b *bench) addBefore(ctx context.Context) {
	before := append(b.catalogBuild(b.before, b.path("content"), b.path("out-before")), "--pictures=off")
	if help, err := exec.CommandContext(ctx, b.before, "build", "--help").Output(); err == nil &&
		strings.Contains(string(help), "--cache ") {
		before = append(before, "--cache=")
	}
	b.tools = append(b.tools, &tool{name: "catalog before", output: b.path("out-before"), command: before})
}

// warmUp runs each tool once, without measuring, and compares their outputs.
func (b *bench) warmUp(ctx context.Context) error {
	fmt.Fprintln(b.out, "comparing what both write")
	var ours site
	for i, t := range b.tools {
		if _, err := b.once(ctx, t); err != nil {
			return err
		}
		texts := b.texts
		if t.command[0] == b.before {
			texts = nil // its output may differ from this program's
		}
		if err := t.site.read(t.output, b.listings, texts); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		if i == 0 {
			ours = t.site
		} else if texts != nil {
			if err := ours.equal(&t.site); err != nil {
				return fmt.Errorf("%s wrote something else than %s: %w", t.name, b.tools[0].name, err)
			}
		}
		t.site.projects, t.site.lists, t.site.markdown = nil, nil, nil
	}
	return nil
}

// once runs a tool after deleting its output folder, and returns the cost.
func (b *bench) once(ctx context.Context, t *tool) (Cost, error) {
	if err := os.RemoveAll(t.output); err != nil {
		return Cost{}, err
	}
	u, err := Measure(ctx, t.command)
	if err != nil {
		return u, fmt.Errorf("%s: %w", t.name, err)
	}
	return u, nil
}

// measure runs the tools in turn, so that other work on the machine affects all of them alike.
func (b *bench) measure(ctx context.Context) error {
	for i := range b.runs {
		for _, t := range b.tools {
			u, err := b.once(ctx, t)
			if err != nil {
				return err
			}
			t.usages = append(t.usages, u)
			fmt.Fprintf(b.out, "run %d: %-14s %6.2f s\n", i+1, t.name, u.Wall.Seconds())
		}
	}
	return nil
}

// report prints the table, and returns an error if a target is missed.
func (b *bench) report() error {
	fmt.Fprintf(b.out, "\n%d listings, %d cores, %d runs each in turn, in %s\n\n", b.listings, runtime.GOMAXPROCS(0),
		b.runs, b.options.dir)
	table := report.NewTable(b.out, "", "tool", "files", "MiB", "median page", "best s", "median s", "CPU s",
		"peak MiB", "ours / best", "/ median", "/ CPU")
	ours := b.tools[0]
	for _, t := range b.tools {
		total := t.site.total()
		table.Row(t.name, fmt.Sprint(total.files), report.MiB(total.bytes), fmt.Sprint(t.site.medianPage),
			report.Fixed(t.best().Seconds(), 2), report.Fixed(t.median().Seconds(), 2),
			report.Fixed(t.cpu().Seconds(), 2), report.MiB(t.peak()),
			report.Fixed(ratio(ours.best(), t.best()), 3), report.Fixed(ratio(ours.median(), t.median()), 3),
			report.Fixed(ratio(ours.cpu(), t.cpu()), 3))
	}
	if err := table.Print(); err != nil {
		return err
	}
	if err := b.reportFiles(); err != nil {
		return err
	}
	table = report.NewTable(b.out, "", "median bytes", "shipped", "synthetic")
	short := false
	for _, m := range []struct {
		name       string
		real, made int64
	}{
		{"listing", b.realSize.listing, b.madeSize.listing}, {"description", b.realSize.body, b.madeSize.body},
		{"page", b.realSize.page, b.madeSize.page},
	} {
		table.Row(m.name, fmt.Sprint(m.real), fmt.Sprint(m.made))
		short = short || m.made < m.real
	}
	if err := table.Print(); err != nil {
		return err
	}
	if short {
		return errors.New("the synthetic listings are smaller than the shipped ones: the comparison says nothing")
	}
	b.compare()
	return nil
}

// compare sets the aims of builds from nothing. The best runs are compared, because other work on the
// machine disturbed them least.
func (b *bench) compare() {
	ours, hugo := b.tools[0], b.tools[1]
	var before *tool
	if b.before != "" {
		before = b.tools[len(b.tools)-1]
	}
	b.aim("cold build, of the time of hugo --minify", aimTime, hugo.best(), ours.best(), before, (*tool).best)
	b.aim("cold build, of the CPU of hugo --minify", aimCPU, hugo.cpu(), ours.cpu(), before, (*tool).cpu)
	written := report.Aim{Name: "written", Wanted: "at most " + report.MiB(aimWritten) + " MiB"}
	bytes := ours.site.total().bytes
	written.Reached, written.Met = report.MiB(bytes)+" MiB", bytes <= aimWritten
	if before != nil {
		written.Before = report.MiB(before.site.total().bytes) + " MiB"
		b.aim("cold build, of the CPU before", aimBefore, before.cpu(), ours.cpu(), nil, nil)
	}
	b.aims = append(b.aims, written)
}

// aim adds a ratio that should be at most a limit: of our time, and of that before, to the time of
// another program. before is nil if there is none.
func (b *bench) aim(name string, most float64, of, ours time.Duration, before *tool, figure func(*tool) time.Duration) {
	a := report.Aim{Name: name, Wanted: "at most " + report.Fixed(most, 2), Reached: report.Fixed(ratio(ours, of), 3),
		Met: ratio(ours, of) <= most}
	if before != nil {
		a.Before = report.Fixed(ratio(figure(before), of), 3)
	}
	b.aims = append(b.aims, a)
}

// reportFiles prints which files each of the first two tools writes.
func (b *bench) reportFiles() error {
	table := report.NewTable(b.out, "", "files", b.tools[0].name, "MiB", b.tools[1].name, "MiB", "compared")
	for g := range groups {
		ours, theirs := b.tools[0].site.groups[g], b.tools[1].site.groups[g]
		compared := "no"
		if g <= lastCompared {
			compared = "yes"
		}
		table.Row(groupNames[g], fmt.Sprint(ours.files), report.MiB(ours.bytes), fmt.Sprint(theirs.files),
			report.MiB(theirs.bytes), compared)
	}
	if err := table.Print(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(b.out,
		"\nHugo's pages are simpler than ours. Both sites have the same JSON, names, purposes, jobs, addresses and "+
			"labels of facts,\nand the same lists. What else our pages hold takes time that counts as ours.\n")
	return err
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

// of returns the given figure of each run.
func (t *tool) of(figure func(Cost) time.Duration) []time.Duration {
	list := make([]time.Duration, len(t.usages))
	for i, u := range t.usages {
		list[i] = figure(u)
	}
	return list
}

func wall(u Cost) time.Duration { return u.Wall }

func (t *tool) best() time.Duration   { return slices.Min(t.of(wall)) }
func (t *tool) median() time.Duration { return report.Median(t.of(wall)) }

// cpu returns the median CPU time, user and system together.
func (t *tool) cpu() time.Duration {
	return report.Median(t.of(func(u Cost) time.Duration { return u.CPU }))
}

// peak returns the greatest memory use of any run, in bytes.
func (t *tool) peak() int64 {
	var peak int64
	for _, u := range t.usages {
		peak = max(peak, u.Peak)
	}
	return peak
}
