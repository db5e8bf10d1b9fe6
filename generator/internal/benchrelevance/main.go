// Command benchrelevance measures how well a search orders the shipped
// listings for the judged queries of api/search/testdata: ours, and over the
// same listings in the same run SQLite FTS5, Bleve, MiniSearch and Pagefind.
//
// In goes the content folder and the judged set; out come nDCG@5, MRR,
// success@1 and success@3 as tables by kind of query, and for the queries that
// should find nothing the share that does. The peers are processes that are
// asked in lines of JSON (peer.go); their sources and pinned versions lie in
// the folder peers, which is a Go module of its own, so that neither Bleve nor
// SQLite is among what the catalog's own module has to fetch, vet and build.
// Their weights (knobs.go) were chosen with -tune on the part of the judged set
// that may be looked at. The held-out third is measured with -held-out, and only
// measured: it cannot be tuned on, and its misses cannot be shown.
//
//	go run ./generator/internal/benchrelevance                  the training part
//	go run ./generator/internal/benchrelevance -held-out        the third kept aside
//	go run ./generator/internal/benchrelevance -engines ours -v what we miss
//	go run ./generator/internal/benchrelevance -tune fts5       better weights for a peer
//
//	main.go     flags, and the run from listings to tables
//	judged.go   the judged set, and what is wrong with it
//	measure.go  from hits and grades to figures
//	table.go    from figures to text
//	engine.go   what is asked: our index
//	peer.go     what is asked: another process
//	knobs.go    how the peers are set
//	tune.go     how their settings were found
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

// hitLimit is how many hits each engine is asked for: what the API gives
// without a limit. MRR looks no further.
const hitLimit = 10

// options say what to measure.
type options struct {
	content string // the content folder
	judged  string // the judged set
	peers   string // the folder with the peers' sources
	engines string // names, joined by commas
	heldOut bool
	misses  bool
	tune    string // name of the peer to tune, or ""
}

func main() {
	var o options
	flag.StringVar(&o.content, "content", "content", "content `folder`")
	flag.StringVar(&o.judged, "judged", "api/search/testdata/judged.jsonl", "judged set, a `file`")
	flag.StringVar(&o.peers, "peers", "generator/internal/benchrelevance/peers", "`folder` with the peers' sources")
	flag.StringVar(&o.engines, "engines", strings.Join(engineNames(), ","), "which to measure, a `list` joined by commas")
	flag.BoolVar(&o.heldOut, "held-out", false, "measure the third that is kept aside instead of the training part")
	flag.BoolVar(&o.misses, "v", false, "show the queries whose first hit of ours is no good one (training part only)")
	flag.StringVar(&o.tune, "tune", "", "search better settings for the `peer` on the training part, and print them")
	timeout := flag.Duration("timeout", 30*time.Minute, "give up after this `time`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "benchrelevance:", err)
		os.Exit(1)
	}
}

// check refuses what would tune on the held-out queries, and unknown names.
func (o *options) check() error {
	if o.heldOut && (o.misses || o.tune != "") {
		return errors.New("the held-out queries are for measuring only: -held-out goes with neither -v nor -tune")
	}
	if o.tune != "" {
		if _, ok := peerNamed(o.tune); !ok {
			return fmt.Errorf("-tune: no peer is called %q; there are %s", o.tune, strings.Join(engineNames()[1:], ", "))
		}
	}
	for _, name := range strings.Split(o.engines, ",") {
		if !slices.Contains(engineNames(), name) {
			return fmt.Errorf("-engines: no engine is called %q; there are %s", name, strings.Join(engineNames(), ", "))
		}
	}
	return nil
}

// engineNames returns the names of all engines, ours first.
func engineNames() []string {
	names := []string{oursName}
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
	queries, err := loadJudged(o.judged, catalog)
	if err != nil {
		return err
	}
	queries = slices.DeleteFunc(queries, func(q query) bool { return q.heldOut() != o.heldOut })
	documents := documentsOf(catalog)
	if o.tune != "" {
		return tuneNamed(ctx, o, documents, queries, out)
	}

	var results []result
	for _, name := range strings.Split(o.engines, ",") {
		hits, err := askNamed(ctx, name, o, catalog, documents, queries)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if name == oursName && o.misses {
			printMisses(out, queries, hits)
		}
		results = append(results, result{name, measure(queries, hits)})
	}
	part := "training part"
	if o.heldOut {
		part = "held-out part"
	}
	fmt.Fprintf(out, "%d listings, %d queries of the %s\n", len(documents), len(queries), part)
	return printTables(out, results)
}
