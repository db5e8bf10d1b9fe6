package relevance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/cmd/bench/engine"
	"catalog.example/cmd/bench/peer"
	"catalog.example/cmd/bench/shipped"
)

// The names of catalog's own search in tables and flags: as it is, and without the asks of listings
// and categories.
const (
	oursName   = "ours"
	noAsksName = "no-asks"
)

// open encodes the index of a catalogue and opens it.
func open(catalog *search.Catalog) (*search.Index, error) {
	file, err := search.Encode(*catalog)
	if err != nil {
		return nil, err
	}
	return search.Open(file)
}

// askOurs answers the queries with our search. For queries that should find nothing, it leaves out
// partial matches, because answers mark them as such; if all is set, it returns them too.
func askOurs(catalog *search.Catalog, queries []shipped.Query, all bool) ([][]string, error) {
	index, err := open(catalog)
	if err != nil {
		return nil, err
	}
	hits := make([][]string, len(queries))
	for i, q := range queries {
		var answer api.SearchResponse
		if err := json.Unmarshal(index.AppendSearch(nil, api.SearchQuery{Q: q.Text, Limit: hitLimit}),
			&answer); err != nil {
			return nil, err
		}
		for _, h := range answer.Hits {
			if all || q.Kind != shipped.KindNothing || !h.Match.Partial {
				hits[i] = append(hits[i], h.Slug)
			}
		}
	}
	return hits, nil
}

// askNamed answers the queries with the named engine.
func askNamed(ctx context.Context, name string, o options, catalog *search.Catalog, documents []peer.Document,
	queries []shipped.Query) ([][]string, error) {
	switch name {
	case oursName:
		return askOurs(catalog, queries, o.pool)
	case noAsksName:
		bare := *catalog
		bare.Projects, bare.Taxonomy = shipped.WithoutAsks(catalog.Projects, catalog.Taxonomy)
		return askOurs(&bare, queries, o.pool)
	}
	spec, _ := peerNamed(name)
	p, err := spec.start(ctx, o.scripts, documents)
	if err != nil {
		return nil, err
	}
	defer p.close()
	settings := spec.settings()
	if err := p.checkNames(settings); err != nil {
		return nil, err
	}
	return p.ask(settings, texts(queries))
}

func texts(queries []shipped.Query) []string {
	list := make([]string, len(queries))
	for i, q := range queries {
		list[i] = q.Text
	}
	return list
}

// peerSpec describes how to start a peer, and holds its settings.
type peerSpec struct {
	name   string
	script string // a program for Node.js; "" for an engine in Go
	knobs  []knob
}

// runningPeer is a started peer that has received the listings.
type runningPeer struct {
	documents []peer.Document
	slugs     map[string]bool
	answer    func(peer.Request) ([][]string, error)
	close     func()
}

// start starts the peer. The caller must close it.
func (s *peerSpec) start(ctx context.Context, scripts string, documents []peer.Document) (*runningPeer, error) {
	if s.script != "" {
		return s.startScript(ctx, scripts, documents)
	}
	e, err := engine.Open(s.name, documents)
	if err != nil {
		return nil, err
	}
	p := newPeer(documents)
	p.close = func() { _ = e.Close() } // the index is in memory: a close error is harmless
	p.answer = func(r peer.Request) ([][]string, error) {
		hits := make([][]string, len(r.Queries))
		for i, q := range r.Queries {
			var err error
			if hits[i], err = e.Search(q, r.Settings, r.Limit); err != nil {
				return nil, fmt.Errorf("%q: %w", q, err)
			}
		}
		return hits, nil
	}
	return p, nil
}

func (s *peerSpec) startScript(ctx context.Context, scripts string, documents []peer.Document) (*runningPeer, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("install Node.js 20 or later (https://nodejs.org): %w", err)
	}
	if _, err := os.Stat(filepath.Join(scripts, "node_modules")); err != nil {
		return nil, fmt.Errorf("its packages are missing: run npm ci --prefix %s", scripts)
	}
	scratch, err := os.MkdirTemp("", "bench-relevance-")
	if err != nil {
		return nil, err
	}
	removeScratch := func() { _ = os.RemoveAll(scratch) } // leftover temporary files are harmless
	p, err := startProcess(exec.CommandContext(ctx, node, filepath.Join(scripts, s.script), scratch), documents)
	if err != nil {
		removeScratch()
		return nil, err
	}
	closeProcess := p.close
	p.close = func() { closeProcess(); removeScratch() }
	return p, nil
}

func newPeer(documents []peer.Document) *runningPeer {
	p := &runningPeer{documents: documents, slugs: map[string]bool{}}
	for _, d := range documents {
		p.slugs[d.Slug] = true
	}
	return p
}

// startProcess starts a peer in another process and sends it the listings.
func startProcess(command *exec.Cmd, documents []peer.Document) (*runningPeer, error) {
	process, err := peer.Start(command)
	if err != nil {
		return nil, err
	}
	send := func(message any) ([][]string, error) {
		var r peer.Reply
		if err := process.RoundTrip(message, &r); err != nil {
			return nil, err
		}
		if r.Error != "" {
			return nil, errors.New(r.Error)
		}
		return r.Hits, nil
	}
	p := newPeer(documents)
	p.close = process.Close
	p.answer = func(r peer.Request) ([][]string, error) { return send(r) }
	if _, err := send(peer.Greeting{Documents: documents, StopWords: peer.StopWords()}); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// ask returns the hits for each query. A listing that is unknown or found twice is an error,
// because it would distort the figures.
func (p *runningPeer) ask(settings map[string]float64, queries []string) ([][]string, error) {
	answers, err := p.answer(peer.Request{Settings: settings, Queries: queries, Limit: hitLimit})
	if err != nil {
		return nil, err
	}
	if len(answers) != len(queries) {
		return nil, fmt.Errorf("%d answers to %d queries", len(answers), len(queries))
	}
	for i, hits := range answers {
		if len(hits) > hitLimit {
			return nil, fmt.Errorf("%q: %d hits, asked for %d", queries[i], len(hits), hitLimit)
		}
		seen := map[string]bool{}
		for _, slug := range hits {
			if !p.slugs[slug] || seen[slug] {
				return nil, fmt.Errorf("%q: the hit %q is unknown or repeated", queries[i], slug)
			}
			seen[slug] = true
		}
	}
	return answers, nil
}

// leastNames is the minimum share of listings that a peer must find by their names.
const leastNames = 0.8

// checkNames searches for listings by their names. A peer that does not find most of them is
// broken, and a comparison with it would favour our search.
func (p *runningPeer) checkNames(settings map[string]float64) error {
	names := make([]string, len(p.documents))
	for i, d := range p.documents {
		names[i] = d.Name
	}
	answers, err := p.ask(settings, names)
	if err != nil {
		return err
	}
	found := 0
	for i, d := range p.documents {
		for _, slug := range answers[i] {
			if slug == d.Slug {
				found++
			}
		}
	}
	if float64(found) < leastNames*float64(len(names)) {
		return fmt.Errorf("it finds only %d of %d listings by their names, so it or its settings must be wrong", found,
			len(names))
	}
	return nil
}
