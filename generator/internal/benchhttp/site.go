//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/generator"
	"catalog.example/generator/content"
	"catalog.example/generator/synthetic"
)

// site is a build output: pages of the shipped listings, and an index that is
// replaced as the measurement asks.
type site struct {
	public   string
	taxonomy api.Taxonomy
	shipped  int // listings
	listings *sample
	pages    []string // paths
	count    int      // listings of the index that lies there now
}

// compile builds the program as it is released, and returns its size in bytes.
func (b *bench) compile(ctx context.Context) (int64, error) {
	c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", b.program, "./cmd/catalog") // #nosec G204 -- fixed program
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := c.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build the program: %w\n%s", err, text)
	}
	info, err := os.Stat(b.program)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// build builds the site of the shipped listings.
func (b *bench) build(ctx context.Context) (*site, error) {
	settings, now := api.DefaultSettings(), time.Now()
	s := &site{public: filepath.Join(b.dir, "public"), listings: newSample(b.addresses)}
	report, err := generator.Build(ctx, generator.Options{Content: b.content, Out: s.public, Settings: settings, Now: now})
	if err != nil {
		return nil, fmt.Errorf("build the site: %w", err)
	}
	loaded, _, err := content.Load(ctx, content.Options{Dir: b.content, Settings: settings, Jobs: 2, Today: api.DateOf(now)})
	if err != nil {
		return nil, err
	}
	s.taxonomy, s.shipped, s.count = loaded.Taxonomy, report.Listings, report.Listings
	for _, l := range loaded.Listings {
		s.listings.take(&l.ProjectDetail)
	}
	s.pages, err = pagesIn(s.public)
	return s, err
}

// fill replaces the index by one of so many made-up listings, and returns some of
// them.
func (b *bench) fill(s *site, count int) (*sample, error) {
	builder, kept := search.NewBuilder(api.DefaultSettings(), s.taxonomy), newSample(b.addresses)
	const batchSize = 5000 // bounds how many are in memory at a time
	batch := make([]api.ProjectDetail, 0, batchSize)
	for p := range synthetic.Listings(synthetic.Options{Count: count, Seed: b.seed, Taxonomy: &s.taxonomy}) {
		kept.take(&p)
		if batch = append(batch, p); len(batch) == batchSize {
			if err := builder.Add(batch...); err != nil {
				return nil, err
			}
			batch = batch[:0]
		}
	}
	if err := builder.Add(batch...); err != nil {
		return nil, err
	}
	path := filepath.Join(s.public, filepath.FromSlash(search.FileName))
	file, err := os.Create(path + ".new") // #nosec G304 -- in a folder of our own
	if err != nil {
		return nil, err
	}
	if _, err := builder.WriteTo(file); err != nil {
		_ = file.Close() // the error that matters is the first
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	s.count = count
	return kept, os.Rename(path+".new", path)
}
