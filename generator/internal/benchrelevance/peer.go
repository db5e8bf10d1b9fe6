package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"catalog.example/generator/internal/peer"
)

// greeting is the first line that a peer reads. It answers with an empty reply
// once it is ready.
type greeting struct {
	Documents []peer.Document `json:"documents"`
	StopWords []string        `json:"stopWords"` // of English, for engines that bring none
}

// request asks for the hits of every query under some settings, which differ
// from request to request while tuning.
type request struct {
	Settings map[string]float64 `json:"settings"`
	Queries  []string           `json:"queries"`
	Limit    int                `json:"limit"`
}

// reply holds the slugs of the hits for each query, best first.
type reply struct {
	Hits  [][]string `json:"hits"`
	Error string     `json:"error"`
}

// runningPeer is a peer, and the listings that it was given.
type runningPeer struct {
	*peer.Process
	documents []peer.Document
	slugs     map[string]bool
	cleanup   func()
}

// peerSpec says how a peer is started and set.
type peerSpec struct {
	name   string
	script string // a Node script in the peers' folder; "" for the Go program there
	knobs  []knob
}

// start builds what has to be built and starts the peer.
func (s *peerSpec) start(ctx context.Context, dir string, documents []peer.Document) (*runningPeer, error) {
	scratch, err := os.MkdirTemp("", "benchrelevance-")
	if err != nil {
		return nil, err
	}
	cleanup := func() { _ = os.RemoveAll(scratch) }
	p, err := s.startIn(ctx, dir, scratch, documents)
	if err != nil {
		cleanup()
		return nil, err
	}
	p.cleanup = cleanup
	return p, nil
}

func (s *peerSpec) startIn(ctx context.Context, dir, scratch string, documents []peer.Document) (*runningPeer, error) {
	if s.script == "" {
		program, err := peer.Build(ctx, dir, scratch)
		if err != nil {
			return nil, err
		}
		return startPeer(exec.CommandContext(ctx, program, s.name), documents) // #nosec G204 -- the program just built
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("needs Node.js 20 or later (https://nodejs.org): %w", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		return nil, fmt.Errorf("its packages are missing: run npm ci --prefix %s", dir)
	}
	return startPeer(exec.CommandContext(ctx, node, filepath.Join(dir, s.script), scratch), documents) // #nosec G204 -- a script of this repository
}

// startPeer starts a process and hands it the listings.
func startPeer(command *exec.Cmd, documents []peer.Document) (*runningPeer, error) {
	process, err := peer.Start(command)
	if err != nil {
		return nil, err
	}
	p := &runningPeer{Process: process, documents: documents, slugs: map[string]bool{}, cleanup: func() {}}
	for _, d := range documents {
		p.slugs[d.Slug] = true
	}
	if _, err := p.roundTrip(greeting{documents, peer.StopWords()}); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// close ends the peer.
func (p *runningPeer) close() {
	p.Close()
	p.cleanup()
}

func (p *runningPeer) roundTrip(message any) (reply, error) {
	var r reply
	if err := p.RoundTrip(message, &r); err != nil {
		return r, err
	}
	if r.Error != "" {
		return r, errors.New(r.Error)
	}
	return r, nil
}

// ask returns the hits for each query. Hits that no engine may give (a listing
// twice, or one that there is not) are an error: they would bend the figures.
func (p *runningPeer) ask(settings map[string]float64, queries []string) ([][]string, error) {
	r, err := p.roundTrip(request{settings, queries, hitLimit})
	if err != nil {
		return nil, err
	}
	if len(r.Hits) != len(queries) {
		return nil, fmt.Errorf("%d answers to %d queries", len(r.Hits), len(queries))
	}
	for i, hits := range r.Hits {
		if len(hits) > hitLimit {
			return nil, fmt.Errorf("%q: %d hits, asked for %d", queries[i], len(hits), hitLimit)
		}
		seen := map[string]bool{}
		for _, slug := range hits {
			if !p.slugs[slug] || seen[slug] {
				return nil, fmt.Errorf("%q: the hit %q is unknown or given twice", queries[i], slug)
			}
			seen[slug] = true
		}
	}
	return r.Hits, nil
}

// checkNames asks for listings by their names: a peer that does not find most of
// them among its hits is broken, and a comparison with it would flatter us.
func (p *runningPeer) checkNames(settings map[string]float64) error {
	names := make([]string, len(p.documents))
	for i, d := range p.documents {
		names[i] = d.Name
	}
	hits, err := p.ask(settings, names)
	if err != nil {
		return err
	}
	found := 0
	for i, d := range p.documents {
		for _, slug := range hits[i] {
			if slug == d.Slug {
				found++
			}
		}
	}
	const most = 0.8
	if float64(found) < most*float64(len(names)) {
		return fmt.Errorf("finds only %d of %d listings by their names, so something is wrong with it or its settings", found, len(names))
	}
	return nil
}
