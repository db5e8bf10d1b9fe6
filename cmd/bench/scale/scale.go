//go:build linux

// Package scale measures how the cost of a build grows with the number of listings.
//
// The input is the taxonomy of the shipped content and numbers of synthetic listings. The benchmark
// prints a table with a row for each number: the files of the output and their size, and the time,
// the processor time and the peak memory of a cold `catalog build`. Pictures are not drawn. Content
// and output are in memory.
//
// The table is printed after each size, so that a run that ends early shows its results. Last come the
// aims.
// deploy/SCALING.md lists the figures.
//
//	bench scale
//	bench scale -sizes 100,1000
package scale

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/cmd/bench/build"
	"catalog.example/cmd/bench/command"
	"catalog.example/cmd/bench/program"
	"catalog.example/cmd/bench/report"
	"catalog.example/cmd/bench/shipped"
	"catalog.example/cmd/bench/synthetic"
)

// Benchmark defines the command bench scale.
var Benchmark = command.Benchmark{
	Name: "scale", Summary: "builds of 100 to 100,000 listings", Timeout: time.Hour,
	Define: func(flags *flag.FlagSet) command.Run {
		var b bench
		flags.StringVar(&b.content, "content", "content", "content `folder` with the taxonomy")
		flags.StringVar(&b.dir, "dir", "/dev/shm", "`folder` in memory to work in")
		sizes := flags.String("sizes", "100,1000,10000,100000", "how many listings, a `list` joined by commas")
		flags.Uint64Var(&b.seed, "seed", 1, "seed of the listings")
		flags.IntVar(&b.runs, "runs", 1, "builds of each size; the one with the least processor time counts")
		return func(ctx context.Context, out io.Writer) error {
			counts, err := parseSizes(*sizes)
			if err != nil {
				return err
			}
			if b.runs < 1 {
				return errors.New("-runs must be at least 1")
			}
			return b.run(ctx, counts, out)
		}
	},
}

// What the build of the most listings aims at.
const (
	aimPeak   = 60.0 // KiB of memory a listing
	aimGrowth = 1.3  // the processor time a listing, divided by that of the size before
)

type bench struct {
	content, dir string
	seed         uint64
	runs         int
	taxonomy     *api.Taxonomy
}

// parseSizes parses a comma-separated list of numbers of listings.
func parseSizes(list string) ([]int, error) {
	var counts []int
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > synthetic.MaxCount {
			return nil, fmt.Errorf("-sizes: %q is not a number from 1 to %d", text, synthetic.MaxCount)
		}
		counts = append(counts, n)
	}
	return counts, nil
}

func (b *bench) run(ctx context.Context, counts []int, out io.Writer) (err error) {
	if b.dir, err = os.MkdirTemp(b.dir, "bench-scale-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	loaded, err := shipped.Content(ctx, b.content)
	if err != nil {
		return err
	}
	b.taxonomy = &loaded.Taxonomy
	catalog, err := program.Compile(ctx, b.dir)
	if err != nil {
		return err
	}
	table := report.NewTable(out, "", "listings", "files", "MiB", "index MiB", "wall s", "CPU s", "CPU ms/listing",
		"peak MiB", "peak KiB/listing")
	var sizes []measured
	for _, n := range counts {
		m, err := b.measure(ctx, catalog, n)
		if err != nil {
			return fmt.Errorf("%d listings: %w", n, err)
		}
		table.Row(m.row(n)...)
		if err := table.Print(); err != nil {
			return err
		}
		sizes = append(sizes, m)
	}
	return report.PrintAims(out, aims(counts, sizes))
}

// aims compares the last size with what it aims at.
func aims(counts []int, sizes []measured) []report.Aim {
	last := len(sizes) - 1
	perListing := func(i int) float64 { return sizes[i].CPU.Seconds() / float64(counts[i]) }
	peak := float64(sizes[last].Peak) / 1024 / float64(counts[last])
	list := []report.Aim{{Name: "peak memory a listing, " + report.Thousands(counts[last]) + " listings",
		Wanted: "at most " + report.Fixed(aimPeak, 0) + " KiB", Reached: report.Fixed(peak, 1) + " KiB",
		Met: peak <= aimPeak}}
	if last == 0 {
		return list
	}
	growth := perListing(last) / perListing(last-1)
	return append(list, report.Aim{
		Name:   "CPU a listing, " + report.Thousands(counts[last]) + " listings to " + report.Thousands(counts[last-1]),
		Wanted: "at most " + report.Fixed(aimGrowth, 1) + "×", Reached: report.Fixed(growth, 2) + "×",
		Met: growth <= aimGrowth,
	})
}

// measured holds the cost and the output size of building one number of listings.
type measured struct {
	build.Cost
	written
}

func (m *measured) row(listings int) []string {
	n := float64(listings)
	return []string{
		report.Thousands(listings), report.Thousands(m.files), report.MiB(m.bytes), report.MiB(m.index),
		report.Fixed(m.Wall.Seconds(), 2), report.Fixed(m.CPU.Seconds(), 2), report.Fixed(m.CPU.Seconds()*1000/n, 2),
		report.MiB(m.Peak), report.Fixed(float64(m.Peak)/1024/n, 1),
	}
}

// measure builds n listings in new folders, and removes them.
func (b *bench) measure(ctx context.Context, catalog string, n int) (m measured, err error) {
	dir := filepath.Join(b.dir, strconv.Itoa(n))
	content, output := filepath.Join(dir, "content"), filepath.Join(dir, "public")
	defer os.RemoveAll(dir)
	listings := synthetic.Listings(synthetic.Options{Count: n, Seed: b.seed, Taxonomy: b.taxonomy})
	if err := synthetic.WriteContent(content, b.content, listings); err != nil {
		return m, err
	}
	for i := range b.runs {
		if err := os.RemoveAll(output); err != nil {
			return m, err
		}
		cost, err := build.Measure(ctx, []string{catalog, "build", "--content", content, "--out", output,
			"--pictures=off", "--cache=", "--quiet"})
		if err != nil {
			return m, err
		}
		if i == 0 || cost.CPU < m.CPU {
			m.Cost = cost
		}
	}
	m.written, err = count(output)
	return m, err
}

// written is the number and size of the files that a build wrote.
type written struct {
	files        int
	bytes, index int64 // bytes includes index, the search index
}

// count counts the files in a folder and their bytes.
func count(dir string) (w written, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		w.files++
		w.bytes += info.Size()
		if strings.HasSuffix(path, ".idx") {
			w.index += info.Size()
		}
		return nil
	})
	return w, err
}
