//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// door is a kind of request. post is a message for POST.
type door struct{ path, post, want string }

// doors are the kinds of requests on the public address.
var doors = []door{
	{"/", "", "<html"}, {"/projects/ollama/", "", "Ollama"}, {"/newest/", "", "<html"},
	{"/projects/ollama/index.html.md", "", "# Ollama"}, {"/llms.txt", "", "/api/v1/"},
	{"/api/v1/openapi", "", `"openapi"`}, {"/api/v1/search?q=transcribe+meetings", "", `"total"`},
	{"/api/v1/projects/ollama", "", `"ollama"`},
	{"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `"tools"`},
	{"/healthz", "", ""},
}

// ready is asked once. Later, it is 503 when a replica ends.
var ready = door{"/readyz", "", "version "}

// metrics is asked on the admin address, where that is open.
var metrics = door{"/metrics", "", "catalog_ready 1"}

// request returns the request for a door.
func (d door) request(ctx context.Context, base string) (*http.Request, error) {
	if d.post == "" {
		return http.NewRequestWithContext(ctx, http.MethodGet, base+d.path, nil)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+d.path, strings.NewReader(d.post))
	if err == nil {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
	}
	return r, err
}

// ask sends the request, and returns the body of the answer.
func (d door) ask(ctx context.Context, client *http.Client, base string) (string, error) {
	r, err := d.request(ctx, base)
	if err != nil {
		return "", err
	}
	answer, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: the body ends early: %w", d.path, err)
	case answer.StatusCode != http.StatusOK:
		return "", fmt.Errorf("%s: %s: %.200s", d.path, answer.Status, body)
	case !strings.Contains(string(body), d.want):
		return "", fmt.Errorf("%s: the answer has no %q: %.200s", d.path, d.want, body)
	}
	return string(body), nil
}

// counts says how many requests were sent, how many failed, and how the first of them failed.
type counts struct {
	requests, failed int64
	first            string
}

// askDoors sends a request of each kind.
func askDoors(ctx context.Context, s stack) (c counts, err error) {
	client := &http.Client{Timeout: 10 * time.Second}
	ask := func(d door, base string) {
		c.requests++
		if _, wrong := d.ask(ctx, client, base); wrong != nil {
			c.failed++
			err = errors.Join(err, wrong)
		}
	}
	for _, base := range s.front() {
		for _, d := range append(doors, ready) {
			ask(d, base)
		}
	}
	if _, ok := s.(*kube); ok { // only the manifests open the admin address
		for _, replica := range s.replicas() {
			ask(metrics, strings.TrimSuffix(replica, ":8080")+":9090")
		}
	}
	return c, err
}

// checkShared checks that all replicas subtract requests from one allowance. It uses the public
// key, which has an allowance of its own.
func checkShared(ctx context.Context, s stack) error {
	const requests = 30
	var least, most int
	client := &http.Client{Timeout: 10 * time.Second}
	for i := range requests {
		front := s.front()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, front[i%len(front)]+"/api/v1/search?q=notes", nil)
		if err != nil {
			return err
		}
		r.Header.Set("X-Api-Key", "catalog-sandbox")
		answer, err := client.Do(r)
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, answer.Body) // only the header matters
		_ = answer.Body.Close()
		left, err := remaining(answer.Header.Get("RateLimit"))
		if err != nil {
			return err
		}
		if i == 0 {
			most = left
		}
		least = left
	}
	if used := most - least; used < requests-5 { // while they run, a few are given back
		return fmt.Errorf("%d requests used only %d of the shared allowance", requests, used)
	}
	return nil
}

// remaining reads r, the number of requests left, from a header RateLimit: "sandbox";r=599;t=60.
func remaining(header string) (int, error) {
	for parameter := range strings.SplitSeq(header, ";") {
		if text, ok := strings.CutPrefix(strings.TrimSpace(parameter), "r="); ok {
			return strconv.Atoi(text)
		}
	}
	return 0, fmt.Errorf("the header RateLimit is %q", header)
}

// load sends requests of all kinds, over connections that stay open, until it is stopped.
type load struct {
	requests, failed atomic.Int64
	first            atomic.Pointer[string]
	cancel           context.CancelFunc
	clients          sync.WaitGroup
}

// clients is how many requests are under way at a time.
const clients = 4

// startLoad starts clients. Each asks the addresses in turn. If one refuses the connection, the
// next is asked, as proxies do.
func startLoad(ctx context.Context, fronts func() []string) *load {
	l := &load{}
	ctx, l.cancel = context.WithCancel(ctx)
	for i := range clients {
		l.clients.Go(func() {
			client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{
				DialContext: (&net.Dialer{Timeout: time.Second}).DialContext, MaxIdleConnsPerHost: clients,
			}}
			defer client.CloseIdleConnections()
			for n := i; ctx.Err() == nil; n++ {
				d := doors[n%len(doors)]
				err := askAny(ctx, client, d, fronts(), n)
				if ctx.Err() != nil {
					return
				}
				l.requests.Add(1)
				if err != nil {
					text := err.Error()
					l.failed.Add(1)
					l.first.CompareAndSwap(nil, &text)
				}
			}
		})
	}
	return l
}

// askAny asks the addresses in turn, beginning with number n, until one accepts the connection.
func askAny(ctx context.Context, client *http.Client, d door, fronts []string, n int) (err error) {
	for i := range fronts {
		_, err = d.ask(ctx, client, fronts[(n+i)%len(fronts)])
		var u *url.Error
		var op *net.OpError
		if !errors.As(err, &u) || !errors.As(u.Err, &op) || op.Op != "dial" {
			return err
		}
	}
	return err
}

// settle waits until 100 more requests have been answered.
func (l *load) settle(ctx context.Context) error {
	until := l.requests.Load() + 100
	return await(ctx, "answers", func(context.Context) error {
		if n := l.requests.Load(); n < until {
			return fmt.Errorf("only %d of %d requests were answered", n, until)
		}
		return nil
	})
}

// stop ends the requests, and returns the counts.
func (l *load) stop() counts {
	l.cancel()
	l.clients.Wait()
	c := counts{requests: l.requests.Load(), failed: l.failed.Load()}
	if first := l.first.Load(); first != nil {
		c.first = *first
	}
	return c
}
