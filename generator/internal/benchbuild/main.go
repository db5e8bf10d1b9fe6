//go:build linux

// Command benchbuild measures a build beside Hugo's, for the same listings.
//
// In goes the shipped content folder, whose medians the synthetic listings must
// reach; out comes a table of times, memory and sizes of
//
//	catalog build
//	hugo --minify    the same job: a page, its Markdown twin and JSON for each listing, lists, minified
//	hugo             without minifying, for comparison
//
// Each runs several times, in turn, with content and output in memory. What both
// wrote is compared before anything is claimed: the JSON of every listing, the
// elements, attributes and text of its whole page with its structured data, its
// twin, and the listings that each list shows, in their order. A second table
// tells which files both write, and which only catalog does: the search index, the
// lists as JSON, the facts that filters read, feeds, the guides for agents. That
// is left out of Hugo's work, not of ours. It ends with an error where catalog
// takes more than a third of Hugo's time.
//
//	go run ./generator/internal/benchbuild
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
	"slices"
	"text/tabwriter"
	"time"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/synthetic"
)

// hugoModule is what is measured against: installed by version, built here.
const hugoModule = "github.com/gohugoio/hugo@v0.165.0"

// target is how much of Hugo's time a build may take.
const target = 1.0 / 3

// insteadOfPicture is how many bytes longer synthetic descriptions are: pages of
// the shipped listings name a picture, which is not drawn for so many.
const insteadOfPicture = 128

// options say what to measure.
type options struct {
	content  string // the shipped content folder
	dir      string // where everything is written; a file system in memory
	listings int
	seed     uint64
	runs     int
	keep     bool
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == measureArgument {
		os.Exit(measureMain(os.Args[2:]))
	}
	var o options
	flag.StringVar(&o.content, "content", "content", "shipped content folder")
	flag.StringVar(&o.dir, "dir", "/dev/shm", "folder in memory to work in")
	flag.IntVar(&o.listings, "listings", 10_000, "how many listings to make")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the listings")
	flag.IntVar(&o.runs, "runs", 3, "runs of each tool")
	flag.BoolVar(&o.keep, "keep", false, "leave the working folder")
	flag.Parse()
	if o.runs < 1 || o.listings < 1 {
		fmt.Fprintln(os.Stderr, "benchbuild: -runs and -listings must be at least 1")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "benchbuild:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, out io.Writer) error {
	dir, err := os.MkdirTemp(o.dir, "benchbuild-")
	if err != nil {
		return err
	}
	if o.keep {
		fmt.Fprintln(out, "working in", dir)
	} else {
		defer os.RemoveAll(dir) //nolint:errcheck // in memory
	}
	b := &bench{options: o, dir: dir, out: out}
	for _, step := range []func(context.Context) error{b.install, b.real, b.generate, b.warmUp, b.measure} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return b.report()
}

// bench is one comparison.
type bench struct {
	options
	dir      string
	out      io.Writer
	realSize medians
	madeSize medians
	tools    []*tool
}

// tool is a program that builds the site.
type tool struct {
	name    string
	command []string
	output  string
	site    site    // what it wrote last
	usages  []usage // of its runs
}

// medians are the sizes that synthetic content must reach, in bytes.
type medians struct{ listing, body, page int64 }

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

// install builds both programs, into the working folder.
func (b *bench) install(ctx context.Context) error {
	if err := writeFile(b.dir, "catalog.yml", siteSettings); err != nil {
		return err
	}
	fmt.Fprintln(b.out, "installing", hugoModule)
	if err := command(ctx, []string{"GOBIN=" + b.path("bin")}, "go", "install", hugoModule); err != nil {
		return err
	}
	return command(ctx, []string{"CGO_ENABLED=0"}, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", b.path("bin/catalog"), "./cmd/catalog")
}

func command(ctx context.Context, env []string, name string, args ...string) error {
	c := exec.CommandContext(ctx, name, args...) // #nosec G204 -- fixed programs
	c.Env = append(os.Environ(), env...)
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s %v: %w", name, args, err)
	}
	return nil
}

// catalogBuild is the command line of a build.
func (b *bench) catalogBuild(content, out string) []string {
	return []string{b.path("bin/catalog"), "build", "--content", content, "--out", out, "--config", b.path("catalog.yml"), "--quiet"}
}

// real builds the shipped content, and takes its measure.
func (b *bench) real(ctx context.Context) error {
	args := b.catalogBuild(b.options.content, b.path("real"))
	if err := command(ctx, nil, args[0], args[1:]...); err != nil {
		return err
	}
	var err error
	b.realSize, err = measureContent(b.options.content, b.path("real"))
	return err
}

// generate writes the listings, once for each tool. Hugo is given the similar
// listings, which it need not find.
func (b *bench) generate(ctx context.Context) error {
	loaded, findings, err := content.Load(ctx, content.Options{Dir: b.options.content, Settings: api.DefaultSettings(), Jobs: runtime.GOMAXPROCS(0), Today: api.DateOf(time.Now())})
	if err != nil {
		return err
	}
	if content.HasErrors(findings) {
		return fmt.Errorf("%s has errors: run catalog lint", b.options.content)
	}
	listings := synthetic.Listings(synthetic.Options{
		Count: b.listings, Seed: b.seed, Taxonomy: &loaded.Taxonomy, BodyBytes: int(b.realSize.body) + insteadOfPicture,
	})
	if err := synthetic.WriteContent(b.path("content"), b.options.content, listings); err != nil {
		return err
	}
	if err := command(ctx, nil, b.path("bin/catalog"), "lint", "--content", b.path("content")); err != nil {
		return err
	}
	args := b.catalogBuild(b.path("content"), b.path("out-catalog"))
	if err := command(ctx, nil, args[0], args[1:]...); err != nil {
		return err
	}
	built, err := readProjects(b.path("out-catalog"))
	if err != nil {
		return err
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
			b.path("bin/hugo"), "--source", b.path("hugo"), "--destination", b.path("out-hugo"), "--cacheDir", b.path("hugo-cache"),
			"--noTimes", "--noChmod", "--noBuildLock", "--quiet",
		}, minify...)}
	}
	b.tools = []*tool{
		{name: "catalog build", output: b.path("out-catalog"), command: args},
		hugo("hugo --minify", "--minify"),
		hugo("hugo"),
	}
	return nil
}

// warmUp runs each tool once, unmeasured, and compares what they wrote.
func (b *bench) warmUp(ctx context.Context) error {
	fmt.Fprintln(b.out, "comparing what both write")
	var ours site
	for i, t := range b.tools {
		if _, err := b.once(ctx, t); err != nil {
			return err
		}
		if err := t.site.read(t.output, b.listings); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		if i == 0 {
			ours = t.site
		} else if err := ours.equal(&t.site); err != nil {
			return fmt.Errorf("%s wrote something else than %s: %w", t.name, b.tools[0].name, err)
		}
		t.site.projects, t.site.shapes, t.site.twins, t.site.lists = nil, nil, nil, nil
	}
	return nil
}

// once runs a tool into an empty output folder.
func (b *bench) once(ctx context.Context, t *tool) (usage, error) {
	if err := os.RemoveAll(t.output); err != nil {
		return usage{}, err
	}
	u, err := measure(ctx, t.command)
	if err != nil {
		return u, fmt.Errorf("%s: %w", t.name, err)
	}
	return u, nil
}

// measure runs the tools in turn, so that what else the machine does meets all
// of them.
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

// report prints the table and judges.
func (b *bench) report() error {
	fmt.Fprintf(b.out, "\n%d listings, %d cores, %d runs each in turn, in %s\n\n", b.listings, runtime.GOMAXPROCS(0), b.runs, b.options.dir)
	w := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "tool\tfiles\tMiB\tmedian page\tbest s\tmedian s\tCPU s\tpeak MiB\tours / best\t/ median\t/ CPU\t")
	ours := b.tools[0]
	for _, t := range b.tools {
		fmt.Fprintf(w, "%s\t%d\t%.1f\t%d\t%.2f\t%.2f\t%.2f\t%.0f\t%.3f\t%.3f\t%.3f\t\n", t.name, t.site.total().files, mib(t.site.total().bytes), t.site.medianPage,
			t.best().Seconds(), t.median().Seconds(), t.cpu().Seconds(), mib(t.peak()),
			ratio(ours.best(), t.best()), ratio(ours.median(), t.median()), ratio(ours.cpu(), t.cpu()))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := b.reportFiles(); err != nil {
		return err
	}
	fmt.Fprintln(b.out)
	w = tabwriter.NewWriter(b.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "median bytes\tshipped\tsynthetic\t")
	short := false
	for _, m := range []struct {
		name       string
		real, made int64
	}{
		{"listing", b.realSize.listing, b.madeSize.listing}, {"description", b.realSize.body, b.madeSize.body}, {"page", b.realSize.page, b.madeSize.page},
	} {
		fmt.Fprintf(w, "%s\t%d\t%d\t\n", m.name, m.real, m.made)
		short = short || m.made < m.real
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if short {
		return errors.New("the synthetic listings are smaller than the shipped ones: the comparison says nothing")
	}
	// The best run is the one that the machine's other work disturbed least.
	share := ratio(ours.best(), b.tools[1].best())
	fmt.Fprintf(b.out, "\ncatalog takes %.3f of the time of %s; the target is at most %.3f\n", share, b.tools[1].name, target)
	if share > target {
		return errors.New("the target is missed")
	}
	return nil
}

// reportFiles prints which files each of the first two tools writes.
func (b *bench) reportFiles() error {
	fmt.Fprintln(b.out)
	w := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "files\t%s\tMiB\t%s\tMiB\tcompared\t\n", b.tools[0].name, b.tools[1].name)
	for g := range groups {
		ours, theirs := b.tools[0].site.groups[g], b.tools[1].site.groups[g]
		compared := "no"
		if g <= lastCompared {
			compared = "yes"
		}
		fmt.Fprintf(w, "%s\t%d\t%.1f\t%d\t%.1f\t%s\t\n", groupNames[g], ours.files, mib(ours.bytes), theirs.files, mib(theirs.bytes), compared)
	}
	return w.Flush()
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

func mib(n int64) float64 { return float64(n) / (1 << 20) }

func median[T int64 | time.Duration](list []T) T {
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// of returns one figure of each run.
func (t *tool) of(figure func(usage) time.Duration) []time.Duration {
	list := make([]time.Duration, len(t.usages))
	for i, u := range t.usages {
		list[i] = figure(u)
	}
	return list
}

func wall(u usage) time.Duration { return u.Wall }

func (t *tool) best() time.Duration   { return slices.Min(t.of(wall)) }
func (t *tool) median() time.Duration { return median(t.of(wall)) }

// cpu is the median of user and system time.
func (t *tool) cpu() time.Duration { return median(t.of(func(u usage) time.Duration { return u.CPU })) }

// peak is the most memory that any run held, in bytes.
func (t *tool) peak() int64 {
	var peak int64
	for _, u := range t.usages {
		peak = max(peak, u.Peak)
	}
	return peak
}
