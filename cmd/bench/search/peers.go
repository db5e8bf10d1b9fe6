package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"catalog.example/api"
	"catalog.example/cmd/bench/command"
	"catalog.example/cmd/bench/peer"
)

// maxPeerListings is the largest corpus that the peers are measured with : beyond it, writing their index alone takes longer than everything else.
const maxPeerListings = 100_000

// PartPeer is the part of the program in which a peer is measured.
const PartPeer = "search-peer"

// peerWeights are the weights of fields that benchrelevance found best for each
// peer, and what else it sets.
var peerWeights = map[string]map[string]float64{
	"fts5": {
		"name": 8, "aliases": 8, "replaces": 8, "purpose": 2, "jobs": 2, "category": 2, "topics": 2, "description": 0.1,
	},
	"bleve": {
		"name": 0.25, "aliases": 1, "replaces": 4, "purpose": 0.25, "jobs": 2, "category": 0.5, "topics": 1, "description": 4,
		"fuzziness": 2,
	},
}

// peerRow is one way of asking a peer.
type peerRow struct {
	engine string
	how    string
	set    map[string]float64
	// budget bounds the time of a row; what it leaves out is told by the row's n.
	budget time.Duration
}

// peerRows begin, for each peer, with the whole answer as ours gives it. The
// further rows take work away from it, so that nobody can say it was the facets,
// or that any of the words is enough; Bleve's last one is how it ranks best.
var peerRows = []peerRow{
	{"fts5", "hits and facets", map[string]float64{"facets": 1}, 100 * time.Second},
	{"fts5", "hits alone", nil, 20 * time.Second},
	{"fts5", "hits alone, all words", map[string]float64{"all": 1}, 20 * time.Second},
	{"bleve", "hits and facets", map[string]float64{"facets": 1}, 100 * time.Second},
	{"bleve", "hits alone", nil, 20 * time.Second},
	{"bleve", "hits alone, all words", map[string]float64{"all": 1}, 20 * time.Second},
	{"bleve", "hits, facets, typos", map[string]float64{"facets": 1, "fuzzy": 1}, 20 * time.Second},
}

// peerQueries is how many of the queries the peers are asked, once each: they
// come in no order, so that the first ones stand for all.
const peerQueries = 1_000

// peerNames are the peers that there are.
var peerNames = []string{"fts5", "bleve"}

// settings are the engine's weights with the row's own settings.
func (r *peerRow) settings() map[string]float64 {
	m := map[string]float64{}
	maps.Copy(m, peerWeights[r.engine])
	maps.Copy(m, r.set)
	return m
}

// peerResult is what a peer took for one corpus.
type peerResult struct {
	engine string
	index  time.Duration
	bytes  int64
	right  int // checked words whose listings it finds
	rows   []peerRowResult
}

type peerRowResult struct {
	peerRow
	took []time.Duration // by query, the first ones of all
	hits int
}

// peerBatch is how many listings go in one message, and for Bleve into one
// batch of its index.
const peerBatch = 2_000

// measurePeer fills a peer with a corpus and asks it the queries. The peer's files
// are below dir while it runs.
func measurePeer(ctx context.Context, engine, dir string, c *corpus, counts wordCounts, about *questions) (*peerResult, error) {
	dir = filepath.Join(dir, engine)
	if err := os.Mkdir(dir, 0o750); err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	self, err := command.Self(ctx, PartPeer, engine, dir)
	if err != nil {
		return nil, err
	}
	process, err := peer.Start(self)
	if err != nil {
		return nil, err
	}
	defer process.Close()
	say := func(m peer.SpeedMessage) (peer.SpeedReply, error) {
		var r peer.SpeedReply
		if err := process.RoundTrip(m, &r); err != nil {
			return r, err
		}
		if r.Error != "" {
			return r, errors.New(r.Error)
		}
		return r, nil
	}
	facets, described := facetsOf(c.parameters), peer.SpeedMessage{}
	for _, f := range facets {
		described.Facets = append(described.Facets, f.forPeer())
	}
	if _, err := say(described); err != nil {
		return nil, err
	}
	result := &peerResult{engine: engine}
	for batch := range c.batches(peerBatch) {
		var m peer.SpeedMessage
		for _, p := range batch {
			l, err := speedListingOf(p, &c.taxonomy, facets)
			if err != nil {
				return nil, err
			}
			m.Listings = append(m.Listings, l)
		}
		r, err := say(m)
		if err != nil {
			return nil, err
		}
		result.index += r.Elapsed
	}
	finished, err := say(peer.SpeedMessage{Finish: true})
	if err != nil {
		return nil, err
	}
	result.index += finished.Elapsed
	result.bytes = finished.Bytes

	ask := func(row peerRow, queries []peer.SpeedQuery) (peer.SpeedReply, error) {
		return say(peer.SpeedMessage{Ask: &peer.SpeedRequest{Settings: row.settings(), Queries: queries, Limit: limitOf(c.parameters).Default.(int), Budget: row.budget}})
	}
	var asked []peer.SpeedQuery
	for _, w := range about.words {
		asked = append(asked, peer.SpeedQuery{Q: w})
	}
	whole := peerRow{engine: engine, set: map[string]float64{"facets": 1}, budget: 10 * time.Minute}
	checked, err := ask(whole, asked)
	if err != nil {
		return nil, err
	}
	if result.right, err = counts.check(about.words, checked.Totals); err != nil {
		return nil, err
	}

	asked = nil
	for i := range min(len(about.queries), peerQueries) {
		asked = append(asked, peer.SpeedQuery{Q: about.queries[i].Get("q"), Filters: about.queries[i].filters(facets)})
	}
	for _, row := range about.ways {
		if row.engine != engine {
			continue
		}
		// Some queries untimed, so that the pages are in memory.
		if _, err := ask(peerRow{engine, "", row.set, row.budget / 20}, asked); err != nil {
			return nil, err
		}
		r, err := ask(row, asked)
		if err != nil {
			return nil, err
		}
		if r.Hits == 0 {
			return nil, fmt.Errorf("%s: no query has a hit", row.how)
		}
		result.rows = append(result.rows, peerRowResult{row, r.Took, r.Hits})
	}
	return result, nil
}

// speedListingOf returns what a peer gets of a listing: its texts, its facets,
// and the hit that an answer carries.
func speedListingOf(p api.ProjectDetail, taxonomy *api.Taxonomy, facets []facet) (peer.SpeedListing, error) {
	p = p.Normalized()
	hit, err := json.Marshal(api.Hit{HitProject: p.HitProject()})
	if err != nil {
		return peer.SpeedListing{}, err
	}
	l := peer.SpeedListing{Document: peer.DocumentOf(p, taxonomy), JSON: string(hit), Facets: map[string][]string{}}
	for _, f := range facets {
		l.Facets[f.Name] = f.values(&p.Project)
	}
	return l, nil
}
