//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// door is a kind of request, and what the answer must have. post is a message for POST, key an API key.
type door struct{ path, want, post, key string }

// doors are the kinds of requests on the public address.
var doors = []door{
	{path: "/", want: "<html"}, {path: "/projects/ollama/", want: "Ollama"}, {path: "/newest/", want: "<html"},
	{path: "/projects/ollama/index.html.md", want: "# Ollama"}, {path: "/llms.txt", want: "/api/v1/"},
	{path: "/api/v1/openapi", want: `"openapi"`}, {path: "/api/v1/search?q=transcribe+meetings", want: `"total"`},
	{path: "/api/v1/projects/ollama", want: `"ollama"`},
	{path: "/mcp", want: `"tools"`, post: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
	{path: "/healthz"},
}

// Requests that only some steps send.
var (
	ready   = door{path: "/readyz", want: "version "} // while a replica ends, it answers 503
	metrics = door{path: "/metrics", want: "catalog_ready 1"}
	shared  = door{path: "/api/v1/search?q=notes", key: "catalog-sandbox"} // the public key has its own allowance
)

// client keeps connections open, for the load.
var client = &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{
	DialContext: (&net.Dialer{Timeout: time.Second}).DialContext, MaxIdleConnsPerHost: 2 * clients,
}}

// ask sends the request, and returns the header of the answer.
func (d door) ask(ctx context.Context, base string) (http.Header, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+d.path, strings.NewReader(d.post))
	if err != nil {
		return nil, err
	}
	if d.post != "" {
		r.Method = http.MethodPost
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
	}
	if d.key != "" {
		r.Header.Set("X-Api-Key", d.key)
	}
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		err = fmt.Errorf("%s: the body ends early: %w", r.URL, err)
	case answer.StatusCode != http.StatusOK:
		err = fmt.Errorf("%s: %s: %.200s", r.URL, answer.Status, body)
	case !strings.Contains(string(body), d.want):
		err = fmt.Errorf("%s: the answer has no %q: %.200s", r.URL, d.want, body)
	}
	return answer.Header, err
}

// tally counts requests.
type tally struct {
	mu               sync.Mutex
	requests, failed int
	errs             []error // how the first of them failed
}

// count counts a request. err is nil if it was answered.
func (t *tally) count(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.requests++; err != nil {
		t.failed++
		t.errs = append(t.errs, err)[:min(t.failed, 10)]
	}
}

// asked returns how many requests were counted.
func (t *tally) asked() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.requests
}

// err returns an error if more requests failed than may.
func (t *tally) err(may int) error {
	if t.failed <= may {
		return nil
	}
	return fmt.Errorf("%d of %d requests failed: %w", t.failed, t.requests, errors.Join(t.errs...))
}

// askDoors sends a request of each kind.
func (s *stack) askDoors(ctx context.Context) *tally {
	var counts tally
	ask := func(d door, base string) {
		_, err := d.ask(ctx, base)
		counts.count(err)
	}
	for _, base := range s.fronts() {
		for _, d := range append(doors, ready) {
			ask(d, base)
		}
	}
	if s.nginx == "" { // only the manifests open the admin address
		for _, base := range s.replicas() {
			ask(metrics, strings.TrimSuffix(base, ":8080")+":9090")
		}
	}
	return &counts
}

// checkShared checks that all replicas subtract requests from one allowance.
func (s *stack) checkShared(ctx context.Context) error {
	const requests = 30
	most, least := 0, 0
	for i := range requests {
		fronts := s.fronts()
		header, err := shared.ask(ctx, fronts[i%len(fronts)])
		if err != nil {
			return err
		}
		if least, err = remaining(header.Get("RateLimit")); err != nil {
			return err
		}
		if i == 0 {
			most = least
		}
	}
	if used := most - least; used < requests-5 { // while they run, a few are given back
		return fmt.Errorf("%d requests used only %d of the shared allowance", requests, used)
	}
	return nil
}

// remaining reads r, the number of requests left, from a header RateLimit: "sandbox";r=599;t=60.
func remaining(header string) (n int, err error) {
	_, after, _ := strings.Cut(header, "r=")
	if _, err := fmt.Sscan(after, &n); err != nil {
		return 0, fmt.Errorf("the header RateLimit is %q", header)
	}
	return n, nil
}

// load sends requests of all kinds, over connections that stay open, until it is stopped.
type load struct {
	tally
	stop func()
}

// clients is how many requests are under way at a time.
const clients = 4

// startLoad starts clients. Each asks the addresses in turn. If one refuses the connection, the
// next is asked, as proxies do.
func startLoad(ctx context.Context, fronts func() []string) *load {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	l := &load{stop: func() {
		cancel()
		running.Wait()
	}}
	for i := range clients {
		running.Go(func() {
			for n := i; ; n++ {
				err := askAny(ctx, doors[n%len(doors)], fronts(), n)
				if ctx.Err() != nil {
					return
				}
				l.count(err)
			}
		})
	}
	return l
}

// askAny asks the addresses in turn, beginning with number n, until one accepts the connection.
func askAny(ctx context.Context, d door, fronts []string, n int) (err error) {
	for i := range fronts {
		_, err = d.ask(ctx, fronts[(n+i)%len(fronts)])
		if op, ok := errors.AsType[*net.OpError](err); !ok || op.Op != "dial" {
			return err
		}
	}
	return err
}

// settle waits until 100 more requests have been answered.
func (l *load) settle(ctx context.Context) error {
	until := l.asked() + 100
	return await(ctx, "answers", func(context.Context) error {
		if n := l.asked(); n < until {
			return fmt.Errorf("only %d of %d requests were answered", n, until)
		}
		return nil
	})
}
