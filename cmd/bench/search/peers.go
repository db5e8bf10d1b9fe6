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

// maxPeerListings is the size of the largest corpus for the peers. For larger ones, writing the
// peers' indexes would take longer than everything else.
const maxPeerListings = 100_000

// PartPeer is the name of the part of the program that measures a peer.
const PartPeer = "search-peer"

// peerWeights holds each peer's best field weights and other settings, as found by bench relevance.
var peerWeights = map[string]map[string]float64{
	"fts5": {
		"name": 8, "aliases": 8, "replaces": 8, "purpose": 2, "jobs": 2, "category": 2, "topics": 2, "description": 0.1,
	},
	"bleve": {
		"name": 0.25, "aliases": 1, "replaces": 4, "purpose": 0.25, "jobs": 2, "category": 0.5, "topics": 1,
		"description": 4,
		"fuzziness":   2,
	},
}

// peerRow is one way of querying a peer.
type peerRow struct {
	engine string
	how    string
	set    map[string]float64
	// budget limits the time of a row. The column n says how many queries fitted in.
	budget time.Duration
}

// peerRows lists the measured ways of querying. The first of each peer gives complete answers, as
// our search does. Others leave out work, to show that neither facets nor disjunctions of words
// explain the difference. In the last row, Bleve tolerates typos, which gives its best ranking.
var peerRows = []peerRow{
	{"fts5", "hits and facets", map[string]float64{"facets": 1}, 100 * time.Second},
	{"fts5", "hits alone", nil, 20 * time.Second},
	{"fts5", "hits alone, all words", map[string]float64{"all": 1}, 20 * time.Second},
	{"bleve", "hits and facets", map[string]float64{"facets": 1}, 100 * time.Second},
	{"bleve", "hits alone", nil, 20 * time.Second},
	{"bleve", "hits alone, all words", map[string]float64{"all": 1}, 20 * time.Second},
	{"bleve", "hits, facets, typos", map[string]float64{"facets": 1, "fuzzy": 1}, 20 * time.Second},
}

// peerQueries is the number of queries for the peers, each run once. Queries are in random
// order, so the first ones represent all.
const peerQueries = 1_000

// peerNames lists the names of the peers.
var peerNames = []string{"fts5", "bleve"}

// settings returns the weights of the engine and the settings of the row.
func (r *peerRow) settings() map[string]float64 {
	m := map[string]float64{}
	maps.Copy(m, peerWeights[r.engine])
	maps.Copy(m, r.set)
	return m
}

// peerResult holds the measurements of a peer for one corpus.
type peerResult struct {
	engine string
	index  time.Duration
	bytes  int64
	right  int // checked words whose listings it finds
	rows   []peerRowResult
}

type peerRowResult struct {
	peerRow
	took []time.Duration // by query, for those that fitted in
	hits int
}

// peerBatch is the number of listings in one message, and for Bleve in one batch of its index.
const peerBatch = 2_000

// measurePeer gives a corpus to a peer and runs the queries. The files of the peer are below
// dir while it runs.
func measurePeer(ctx context.Context, engine, dir string, c *corpus, counts wordCounts, about *questions) (*peerResult,
	error) {
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
	result := &peerResult{engine: engine}
	talk := conversation{process, c, facetsOf(c.parameters)}
	if err := talk.fill(result); err != nil {
		return nil, err
	}
	return result, talk.askAll(result, counts, about)
}

// conversation is an exchange of messages with the process of a peer about a corpus.
type conversation struct {
	process *peer.Process
	corpus  *corpus
	facets  []facet
}

// say sends a message and returns the reply. An error message in the reply becomes an error.
func (c conversation) say(m peer.SpeedMessage) (peer.SpeedReply, error) {
	var r peer.SpeedReply
	if err := c.process.RoundTrip(m, &r); err != nil {
		return r, err
	}
	if r.Error != "" {
		return r, errors.New(r.Error)
	}
	return r, nil
}

// fill gives the corpus to the peer, and records the time and size of its index.
func (c conversation) fill(result *peerResult) error {
	var described peer.SpeedMessage
	for _, f := range c.facets {
		described.Facets = append(described.Facets, f.forPeer())
	}
	if _, err := c.say(described); err != nil {
		return err
	}
	for batch := range c.corpus.batches(peerBatch) {
		var m peer.SpeedMessage
		for _, p := range batch {
			l, err := speedListingOf(p, &c.corpus.taxonomy, c.facets)
			if err != nil {
				return err
			}
			m.Listings = append(m.Listings, l)
		}
		r, err := c.say(m)
		if err != nil {
			return err
		}
		result.index += r.Elapsed
	}
	finished, err := c.say(peer.SpeedMessage{Finish: true})
	result.index += finished.Elapsed
	result.bytes = finished.Bytes
	return err
}

// ask sends queries with the settings of a row.
func (c conversation) ask(row peerRow, queries []peer.SpeedQuery) (peer.SpeedReply, error) {
	return c.say(peer.SpeedMessage{Ask: &peer.SpeedRequest{
		Settings: row.settings(), Queries: queries, Limit: limitOf(c.corpus.parameters).Default.(int),
		Budget: row.budget,
	}})
}

// askAll checks that the peer finds the right number of listings, and times it for each row.
func (c conversation) askAll(result *peerResult, counts wordCounts, about *questions) error {
	engine := result.engine
	var asked []peer.SpeedQuery
	for _, w := range about.words {
		asked = append(asked, peer.SpeedQuery{Q: w})
	}
	whole := peerRow{engine: engine, set: map[string]float64{"facets": 1}, budget: 10 * time.Minute}
	checked, err := c.ask(whole, asked)
	if err != nil {
		return err
	}
	if result.right, err = counts.check(about.words, checked.Totals); err != nil {
		return err
	}

	asked = nil
	for i := range min(len(about.queries), peerQueries) {
		asked = append(asked, peer.SpeedQuery{Q: about.queries[i].Get("q"),
			Filters: about.queries[i].filters(c.facets)})
	}
	for _, row := range about.ways {
		if row.engine != engine {
			continue
		}
		// Run some queries without timing, to load the pages into memory.
		if _, err := c.ask(peerRow{engine, "", row.set, row.budget / 20}, asked); err != nil {
			return err
		}
		r, err := c.ask(row, asked)
		if err != nil {
			return err
		}
		if r.Hits == 0 {
			return fmt.Errorf("%s: no query has a hit", row.how)
		}
		result.rows = append(result.rows, peerRowResult{row, r.Took, r.Hits})
	}
	return nil
}

// speedListingOf converts a listing for a peer: its texts, its facets, and the hit for answers.
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
