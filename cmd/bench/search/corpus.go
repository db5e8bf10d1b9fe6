package search

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/cmd/bench/report"
	"catalog.example/cmd/bench/shipped"
	"catalog.example/cmd/bench/synthetic"
	"catalog.example/generator/content"
)

// corpus is a set of listings to search: the shipped or synthetic ones.
type corpus struct {
	real     []api.ProjectDetail // nil for synthetic listings
	taxonomy api.Taxonomy
	// parameters lists the parameters of a search in the corpus.
	parameters []api.Parameter
	count      int
	seed       uint64
}

// realSize is the name of the shipped listings in -sizes.
const realSize = "real"

// openCorpus reads the content folder: its taxonomy, and for realSize its listings.
func openCorpus(ctx context.Context, dir, size string, seed uint64) (*corpus, error) {
	loaded, err := shipped.Content(ctx, dir)
	if err != nil {
		return nil, err
	}
	return corpusOf(loaded, size, seed)
}

// corpusOf returns the corpus of the given size for a loaded content folder.
func corpusOf(loaded *content.Content, size string, seed uint64) (*corpus, error) {
	listings, taxonomy := shipped.WithoutAsks(shipped.Projects(loaded), loaded.Taxonomy)
	c := &corpus{taxonomy: taxonomy, seed: seed}
	settings := site.Defaults()
	c.parameters = api.SearchParameters(&settings, &c.taxonomy)
	if size != realSize {
		var err error
		c.count, err = strconv.Atoi(size)
		if err != nil || c.count < 1 || c.count > synthetic.MaxCount {
			return nil, fmt.Errorf("-sizes: %q is neither %s nor a number from 1 to %d", size, realSize,
				synthetic.MaxCount)
		}
		return c, nil
	}
	c.real = listings
	c.count = len(c.real)
	return c, nil
}

// name returns the name of the corpus in tables: 389 (real) or 10,000.
func (c *corpus) name() string {
	if c.real != nil {
		return report.Thousands(c.count) + " (real)"
	}
	return report.Thousands(c.count)
}

// listings returns all listings, the same ones in each call.
func (c *corpus) listings() iter.Seq[api.ProjectDetail] { return c.first(c.count) }

// first returns all shipped listings or n synthetic ones. Synthetic listings mention each other.
// Except for these mentions, they equal the first n listings of a larger corpus.
func (c *corpus) first(n int) iter.Seq[api.ProjectDetail] {
	listings := slices.Values(c.real)
	if c.real == nil {
		listings = synthetic.Listings(synthetic.Options{Count: n, Seed: c.seed, Taxonomy: &c.taxonomy})
	}
	return func(yield func(api.ProjectDetail) bool) {
		for p := range listings {
			p.Topics = append(slices.Clone(p.Topics), everyListing)
			if !yield(p) {
				return
			}
		}
	}
}

// everyListing is a topic added to every listing, for the worst case of a word in all listings.
// Some engines skip the other words that are as common.
const everyListing = "everywhere"

// batchSize is the greatest number of synthetic listings in memory at a time.
const batchSize = 10_000

// batches returns the listings in slices of at most n. Each slice overwrites the one before.
func (c *corpus) batches(n int) iter.Seq[[]api.ProjectDetail] {
	return func(yield func([]api.ProjectDetail) bool) {
		batch := make([]api.ProjectDetail, 0, min(n, c.count))
		for p := range c.listings() {
			if batch = append(batch, p); len(batch) == n {
				if !yield(batch) {
					return
				}
				batch = batch[:0]
			}
		}
		if len(batch) > 0 {
			yield(batch)
		}
	}
}

// tokens returns the words of a text for the check and the queries: runs of ASCII letters and
// digits, in lower case.
func tokens(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}
