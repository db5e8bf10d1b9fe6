//go:build unix

package server

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"catalog.example/api/server/processtest"
	"catalog.example/api/server/ratestore"
)

// replicas are three servers behind nginx that share a Redis.
type replicas struct {
	redis   *processtest.Redis
	stores  []*ratestore.Shared
	logs    []*processtest.Output
	address string
}

func startReplicas(t *testing.T) *replicas {
	t.Helper()
	r := &replicas{redis: processtest.StartRedis(t, processtest.RedisOptions{Password: "hush"})}
	endpoint, err := ratestore.ParseEndpoint(r.redis.URL)
	if err != nil {
		t.Fatal(err)
	}
	var addresses []string
	for range 3 {
		log := &processtest.Output{}
		logger := slog.New(slog.NewTextHandler(log, nil))
		// A busy machine does not make them believe that Redis is gone.
		store := ratestore.NewShared(ratestore.Options{Endpoint: endpoint, Timeout: 5 * time.Second, MaxProbeInterval: 100 * time.Millisecond, Logger: logger})
		f := newFixture(t, func(o *options) {
			o.RateStore, o.Logger, o.Now = store, logger, nil
			o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
		})
		l := listen(t)
		addresses = append(addresses, l.Addr().String())
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error)
		go func() { ended <- f.server.Run(ctx, l, nil) }()
		t.Cleanup(func() {
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		})
		r.stores, r.logs = append(r.stores, store), append(r.logs, log)
	}
	r.address = startNginx(t, addresses...)
	return r
}

// startNginx returns the address of an nginx that forwards requests to these addresses, in turn, with
// the client in X-Forwarded-For.
func startNginx(t testing.TB, replicas ...string) string {
	t.Helper()
	return processtest.StartNginxWith(t, func(address string) string { return proxyConfig(address, replicas) })
}

// proxyConfig returns the http block of a proxy.
func proxyConfig(address string, replicas []string) string {
	var config strings.Builder
	config.WriteString("  upstream replicas {\n    keepalive 16;\n")
	for _, replica := range replicas {
		// A server that fails is not left out, so that the test sees it.
		fmt.Fprintf(&config, "    server %s max_fails=0;\n", replica)
	}
	fmt.Fprintf(&config, `  }
  server {
    listen %s;
    location / {
      proxy_pass http://replicas;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_next_upstream off;
    }
  }
`, address)
	return config.String()
}

// visitor is a client with an address of its own, as Linux gives the loopback
// network's to whoever asks.
type visitor struct {
	t       *testing.T
	client  *http.Client
	address string
}

func (r *replicas) visitor(t *testing.T, from string) *visitor {
	t.Helper()
	transport := &http.Transport{
		DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).DialContext, MaxIdleConnsPerHost: 16,
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &visitor{t, &http.Client{Transport: transport, Timeout: time.Minute}, "http://" + r.address + "/api/v1/projects?limit=1"}
}

// get returns the status of a request, and what is left then.
func (v *visitor) get() (status int, rateLimit string, err error) {
	request, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.address, nil)
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("X-Forwarded-For", "198.51.100.99, 127.0.0.1") // forged: nginx appends to it
	response, err := v.client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, response.Header.Get("RateLimit"), err
}

// burst sends requests, some at once, and returns how many were answered by
// status.
func (v *visitor) burst(requests int) map[int]int {
	v.t.Helper()
	const atOnce = 8
	statuses := map[int]int{}
	var mu sync.Mutex
	var group sync.WaitGroup
	for worker := range atOnce {
		group.Go(func() {
			for i := worker; i < requests; i += atOnce {
				status, _, err := v.get()
				if err != nil {
					v.t.Error(err)
				}
				mu.Lock()
				statuses[status]++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return statuses
}

// 120 in any 60 seconds is 120 over all three.
func TestReplicasBehindNginx(t *testing.T) {
	t.Parallel()
	r := startReplicas(t)
	first, second := r.visitor(t, "127.0.0.2"), r.visitor(t, "127.0.0.3")
	begun := time.Now()
	if status, rateLimit, err := second.get(); status != 200 || rateLimit != `"anonymous";r=119;t=60` {
		t.Fatalf("the first request of all: %d, %s, %v", status, rateLimit, err)
	}
	got, others := first.burst(300), second.burst(150)
	// A machine that is so busy that this takes a minute shows nothing.
	if took := time.Since(begun); took > ratestore.Window {
		t.Fatalf("450 requests took %v", took)
	}
	if got[200] != 120 || got[429] != 180 {
		t.Errorf("of 300 requests of a client: %v, want 120 answered and 180 refused", got)
	}
	if others[200] != 119 || others[429] != 31 {
		t.Errorf("of 150 requests of another client with 119 left: %v", others)
	}
	if status, rateLimit, err := first.get(); status != 429 || !strings.HasPrefix(rateLimit, `"anonymous";r=0;t=`) {
		t.Errorf("one more: %d, %s, %v", status, rateLimit, err)
	}
	for i, store := range r.stores {
		if stats := store.Stats(); stats.State != ratestore.InShared || stats.SharedDecisions < 140 || stats.LocalDecisions > 0 || stats.Errors > 0 {
			t.Errorf("replica %d did not count together, or not its share: %+v", i, stats)
		}
	}
}

// Redis is killed in the middle of load: no request fails, each replica counts on
// by itself, and rejoins by itself.
func TestRedisKilledUnderLoad(t *testing.T) {
	t.Parallel()
	r := startReplicas(t)
	var group sync.WaitGroup
	stop := make(chan struct{})
	end := sync.OnceFunc(func() { close(stop); group.Wait() })
	defer end()
	answered := make(chan struct{}, 1)
	const visitors = 4
	for n := range visitors {
		v := r.visitor(t, fmt.Sprintf("127.0.1.%d", n+1))
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				status, _, err := v.get()
				if err != nil || status != 200 && status != 429 {
					t.Errorf("a request is answered %d, %v", status, err)
					return
				}
				select {
				case answered <- struct{}{}:
				default:
				}
			}
		})
	}
	awaitAll := func(want ratestore.State) {
		t.Helper()
		for deadline := time.Now().Add(30 * time.Second); ; {
			var states []ratestore.State
			reached := 0
			for _, store := range r.stores {
				states = append(states, store.Stats().State)
				if store.Stats().State == want {
					reached++
				}
			}
			if reached == len(r.stores) {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("the states are %v, want %s", states, want)
			}
			time.Sleep(time.Millisecond) // until the next question
		}
	}
	for range 200 {
		select {
		case <-answered:
		case <-time.After(30 * time.Second):
			t.Fatal("nothing is answered")
		}
	}
	r.redis.Kill()
	awaitAll(ratestore.InLocal)
	before := r.stores[0].Stats()

	// Alone, each replica has the whole allowance for a client, and no more.
	got := r.visitor(t, "127.0.2.1").burst(450)
	if got[200] < 120 || got[200] > 3*120 || got[200]+got[429] != 450 {
		t.Errorf("without Redis, of 450 requests of a client: %v", got)
	}
	after := r.stores[0].Stats()
	// The visitors' requests that Redis answered just before may be counted just after.
	late := after.SharedDecisions - before.SharedDecisions
	if after.State != ratestore.InLocal || after.LocalDecisions <= before.LocalDecisions || late > visitors || after.Falls != 1 {
		t.Errorf("without Redis: %+v, then %+v", before, after)
	}

	r.redis.Restart()
	awaitAll(ratestore.InShared)
	if got := r.visitor(t, "127.0.2.2").burst(300); got[200] != 120 || got[429] != 180 {
		t.Errorf("after Redis came back, of 300 requests of a client: %v, want 120 answered and 180 refused", got)
	}
	end()
	for i, store := range r.stores {
		stats, log := store.Stats(), r.logs[i].String()
		if stats.Falls != 1 || stats.Rejoins != 1 {
			t.Errorf("replica %d: %+v", i, stats)
		}
		for text, want := range map[string]int{"level=WARN": 1, "level=ERROR": 0, "cannot be reached": 1, "answers again": 1, "hush": 0} {
			if n := strings.Count(log, text); n != want {
				t.Errorf("replica %d logs %q %d times, want %d: %s", i, text, n, want, log)
			}
		}
	}
}
