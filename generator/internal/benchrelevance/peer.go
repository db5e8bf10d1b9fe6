package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A peer is a process that is asked over its standard input and output, one
// line of JSON each way: first the listings, then any number of requests, each
// of which is answered.

// greeting is the first line that a peer reads. It answers with an empty reply
// once it is ready.
type greeting struct {
	Documents []document `json:"documents"`
	StopWords []string   `json:"stopWords"` // of English, for engines that bring none
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

// stopWordsFile is the Snowball project's list of English stop words (BSD
// licence), the same that Bleve's English analyser drops.
//
//go:embed stopwords.txt
var stopWordsFile string

// peer is a running peer.
type peer struct {
	documents []document
	slugs     map[string]bool
	command   *exec.Cmd
	in        io.WriteCloser
	out       *json.Decoder
	complaint *bytes.Buffer // what it wrote to standard error
	cleanup   func()
}

// peerSpec says how a peer is started and set.
type peerSpec struct {
	name   string
	script string // a Node script in the peers' folder; "" for the Go program there
	knobs  []knob
}

// start builds what has to be built and starts the peer.
func (s *peerSpec) start(ctx context.Context, dir string, documents []document) (*peer, error) {
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

func (s *peerSpec) startIn(ctx context.Context, dir, scratch string, documents []document) (*peer, error) {
	if s.script == "" {
		program := filepath.Join(scratch, "peers")
		build := exec.CommandContext(ctx, "go", "build", "-o", program, ".")
		build.Dir = dir
		// The peers are a module of their own, whatever workspace surrounds it.
		build.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
		if text, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("building %s: %w\n%s", dir, err, text)
		}
		return startPeer(exec.CommandContext(ctx, program, s.name), documents)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("needs Node.js 20 or later (https://nodejs.org): %w", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		return nil, fmt.Errorf("its packages are missing: run npm ci --prefix %s", dir)
	}
	return startPeer(exec.CommandContext(ctx, node, filepath.Join(dir, s.script), scratch), documents)
}

// startPeer starts a process and hands it the listings.
func startPeer(command *exec.Cmd, documents []document) (*peer, error) {
	p := &peer{documents: documents, slugs: map[string]bool{}, command: command, complaint: &bytes.Buffer{}, cleanup: func() {}}
	for _, d := range documents {
		p.slugs[d.Slug] = true
	}
	command.Stderr = p.complaint
	// A peer that does not end when its input does is killed after this.
	command.WaitDelay = 5 * time.Second
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, json.NewDecoder(out)
	if err := command.Start(); err != nil {
		return nil, err
	}
	if _, err := p.roundTrip(greeting{documents, strings.Fields(stopWordsFile)}); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// close ends the peer.
func (p *peer) close() {
	_ = p.in.Close()
	// Ending its input ends a peer; one that lingers is killed with it.
	killed := time.AfterFunc(p.command.WaitDelay, func() { _ = p.command.Process.Kill() })
	_ = p.command.Wait()
	killed.Stop()
	p.cleanup()
}

func (p *peer) roundTrip(message any) (reply, error) {
	var r reply
	if err := json.NewEncoder(p.in).Encode(message); err != nil {
		return r, p.ended(err)
	}
	if err := p.out.Decode(&r); err != nil {
		return r, p.ended(err)
	}
	if r.Error != "" {
		return r, errors.New(r.Error)
	}
	return r, nil
}

// ended returns the error of a peer that no longer answers, with what it said
// last.
func (p *peer) ended(err error) error {
	// Only after the process has ended is all of its complaint there.
	_ = p.in.Close()
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
	return fmt.Errorf("the peer gave up: %w\n%s", err, bytes.TrimSpace(p.complaint.Bytes()))
}

// ask returns the hits for each query. Hits that no engine may give (a listing
// twice, or one that there is not) are an error: they would bend the figures.
func (p *peer) ask(settings map[string]float64, queries []string) ([][]string, error) {
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
func (p *peer) checkNames(settings map[string]float64) error {
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
