// Package relevance measures how well searches order the shipped listings for the judged
// queries of api/search/testdata: our search, our search without the asks of listings and
// categories, and in the same run SQLite FTS5, Bleve, MiniSearch and Pagefind.
//
// The input is the content folder and the judged set. The benchmark prints tables of nDCG@5, MRR,
// success@1 and success@3 by kind of query. For queries that should find nothing, it prints the
// share without a full match.
//
// The settings of the peers (knobs.go) were found with -tune on the training part of the
// judged set. A third of the set is held out: -held-out measures it, but it cannot be used for
// tuning, and its misses cannot be printed.
//
//	bench relevance                    the training part
//	bench relevance -held-out          the held-out part
//	bench relevance -held-out -page    the same, as the tables of the page about the ranking
//	bench relevance -engines ours -v   the queries that our search misses
//	bench relevance -machines          our search with and without a computer, over the whole set
//	bench relevance -pool              the hits to grade before new queries are measured
//	bench relevance -tune fts5         better settings for a peer
package relevance

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/api/search/index"
	"catalog.example/api/site"
	"catalog.example/cmd/bench/command"
	"catalog.example/cmd/bench/peer"
	"catalog.example/cmd/bench/shipped"
)

// hitLimit is the number of hits requested from each engine: the default of the API. MRR ignores
// hits beyond it.
const hitLimit = 10

// options holds the values of the flags.
type options struct {
	content string // the content folder
	judged  string // the judged set
	scripts string // the folder with the programs for Node.js
	engines string // names, joined by commas
	heldOut bool
	misses  bool
	pool    bool
	page    bool
	machine bool   // measure our search with and without a computer
	tune    string // name of the peer to tune, or ""
}

// Benchmark defines the command bench relevance.
var Benchmark = command.Benchmark{
	Name: "relevance", Summary: "the order of search results beside SQLite FTS5, Bleve, MiniSearch and Pagefind",
	Timeout: 30 * time.Minute,
	Define: func(flags *flag.FlagSet) command.Run {
		var o options
		flags.StringVar(&o.content, "content", "content", "content `folder`")
		flags.StringVar(&o.judged, "judged", "api/search/testdata/judged.jsonl", "judged set, a `file`")
		flags.StringVar(&o.scripts, "scripts", "cmd/bench/engine",
			"`folder` with the peers for Node.js and their packages")
		flags.StringVar(&o.engines, "engines", strings.Join(engineNames(), ","),
			"which to measure, a `list` joined by commas")
		flags.BoolVar(&o.heldOut, "held-out", false, "measure the held-out part instead of the training part")
		flags.BoolVar(&o.misses, "v", false,
			"print the queries whose first hit of ours is not a good one (training part only)")
		flags.BoolVar(&o.pool, "pool", false,
			"print for each query the listings to grade: those among the first five hits of an engine that have no "+
				"grade")
		flags.BoolVar(&o.page, "page", false, "print the tables of content/pages/ranking.md")
		flags.BoolVar(&o.machine, "machines", false,
			"ask all queries of both parts with and without some computers, and print the ratios")
		flags.StringVar(&o.tune, "tune", "", "find better settings for the `peer` on the training part, and print them")
		return func(ctx context.Context, out io.Writer) error { return run(ctx, o, out) }
	},
}

// check returns an error for unknown names, and if -held-out is combined with -v or -tune.
func (o *options) check() error {
	if o.heldOut && (o.misses || o.tune != "") {
		return errors.New("the held-out queries are for measuring only: -held-out cannot be used with -v or -tune")
	}
	if o.tune != "" {
		if _, ok := peerNamed(o.tune); !ok {
			return fmt.Errorf("-tune: there is no peer %q; there are %s", o.tune, strings.Join(peerNames(), ", "))
		}
	}
	return command.CheckNames("-engines", o.engines, engineNames())
}

// engineNames returns the names of all engines, ours first.
func engineNames() []string { return append([]string{oursName, noAsksName}, peerNames()...) }

func peerNames() (names []string) {
	for _, p := range peers {
		names = append(names, p.name)
	}
	return names
}

func run(ctx context.Context, o options, out io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	catalog, err := loadCatalog(ctx, o.content)
	if err != nil {
		return err
	}
	queries, err := shipped.Judged(o.judged, catalog.Projects)
	if err != nil {
		return err
	}
	if o.machine {
		results, err := measureMachines(catalog, queries)
		if err != nil {
			return err
		}
		return printMachines(out, results)
	}
	queries = slices.DeleteFunc(queries, func(q shipped.Query) bool { return q.HeldOut() != o.heldOut })
	documents := documentsOf(catalog)
	if o.tune != "" {
		return tuneNamed(ctx, o, documents, queries, out)
	}

	var results []result
	pooled := make([][]string, len(queries))
	for _, name := range strings.Split(o.engines, ",") {
		hits, err := askNamed(ctx, name, o, catalog, documents, queries)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if name == oursName && o.misses {
			printMisses(out, queries, hits)
		}
		results = append(results, result{name, measure(queries, hits)})
		for i := range hits {
			pooled[i] = append(pooled[i], hits[i][:min(ndcgDepth, len(hits[i]))]...)
		}
	}
	if o.pool {
		return printPool(out, queries, pooled)
	}
	if o.page {
		_, err := io.WriteString(out, pageTables(results))
		return err
	}
	part := "training part"
	if o.heldOut {
		part = "held-out part"
	}
	fmt.Fprintf(out, "%d listings, %d queries of the %s\n", len(documents), len(queries), part)
	return printTables(out, results)
}

// loadCatalog reads a content folder and returns what an index is built from.
func loadCatalog(ctx context.Context, dir string) (*search.Catalog, error) {
	loaded, err := shipped.Content(ctx, dir)
	if err != nil {
		return nil, err
	}
	return &search.Catalog{Settings: site.Defaults(), Taxonomy: loaded.Taxonomy, Projects: shipped.Projects(loaded)},
		nil
}

// documentsOf returns the listings, most popular first, so that an engine that
// breaks ties by position breaks them as ours does.
func documentsOf(catalog *search.Catalog) []peer.Document {
	projects := slices.Clone(catalog.Projects)
	slices.SortFunc(projects, func(a, b api.ProjectDetail) int { return index.ComparePopular(&a.Project, &b.Project) })
	documents := make([]peer.Document, len(projects))
	for i, p := range projects {
		documents[i] = peer.DocumentOf(p, &catalog.Taxonomy)
	}
	return documents
}
