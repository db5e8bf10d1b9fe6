//go:build linux

package http

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/api/site"
	"catalog.example/cmd/bench/program"
	"catalog.example/cmd/bench/shipped"
	"catalog.example/cmd/bench/synthetic"
	"catalog.example/generator"
)

// builtSite is a build output with the pages of the shipped listings, and with an index that
// measurements replace.
type builtSite struct {
	public string
	// publicBefore holds the same pages, and an index that the -before program can read.
	publicBefore string
	taxonomy     api.Taxonomy
	shipped      int // listings
	listings     *sample
	pages        []string // paths
	count        int      // listings in the current index
}

// build builds the site of the shipped listings.
func (b *bench) build(ctx context.Context) (*builtSite, error) {
	s := &builtSite{public: filepath.Join(b.dir, "public"), listings: newSample(b.addresses)}
	report, err := generator.Build(ctx, generator.Options{Content: b.content, Out: s.public, Settings: site.Defaults(),
		Now: time.Now()})
	if err != nil {
		return nil, fmt.Errorf("build the site: %w", err)
	}
	loaded, err := shipped.Content(ctx, b.content)
	if err != nil {
		return nil, err
	}
	s.taxonomy, s.shipped, s.count = loaded.Taxonomy, report.Listings, report.Listings
	for _, p := range shipped.Projects(loaded) {
		s.listings.take(&p)
	}
	s.pages, err = pagesIn(s.public)
	return s, err
}

// fill replaces the index with one of synthetic listings, and returns a sample of them.
func (b *bench) fill(s *builtSite, count int) (*sample, error) {
	builder, kept := search.NewBuilder(site.Defaults(), s.taxonomy), newSample(b.addresses)
	const batchSize = 5000 // limits how many are in memory at a time
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
	file, err := os.Create(path + ".new")
	if err != nil {
		return nil, err
	}
	if _, err := builder.WriteTo(file); err != nil {
		_ = file.Close() // the first error is returned
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	s.count = count
	return kept, os.Rename(path+".new", path)
}

// fillBefore creates the files that the -before program serves: the same pages, and an index of the
// same synthetic listings. That program builds its own index, because it may be unable to read
// ours.
func (b *bench) fillBefore(ctx context.Context, s *builtSite) error {
	if b.before == "" {
		return nil
	}
	content, out := filepath.Join(b.dir, "content-before"), filepath.Join(b.dir, "out-before")
	listings := synthetic.Listings(synthetic.Options{Count: s.count, Seed: b.seed, Taxonomy: &s.taxonomy})
	if err := synthetic.WriteContent(content, b.content, listings); err != nil {
		return err
	}
	// The settings of this repository may have keys that the other program does not know.
	settings := filepath.Join(b.dir, "settings-before.yml")
	if err := os.WriteFile(settings, []byte("title: Catalog\n"), 0o644); err != nil {
		return err
	}
	err := program.Run(ctx, b.before, "build", "--quiet", "--content", content, "--out", out, "--config", settings)
	if err != nil {
		return err
	}
	s.publicBefore = filepath.Join(b.dir, "public-before")
	if err := os.CopyFS(s.publicBefore, os.DirFS(s.public)); err != nil {
		return err
	}
	index := filepath.FromSlash(search.FileName)
	return os.Rename(filepath.Join(out, index), filepath.Join(s.publicBefore, index))
}
