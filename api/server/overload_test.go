package server

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"catalog.example/api"
)

// gate holds requests that ask for the time, once it is shut.
type gate struct {
	arrived chan struct{}
	proceed chan struct{}
	mu      sync.Mutex
	shut    bool
}

func newGate() *gate { return &gate{arrived: make(chan struct{}), proceed: make(chan struct{})} }

func (g *gate) set(shut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = shut
}

// now is a clock for Options.Now.
func (g *gate) now() time.Time {
	g.mu.Lock()
	shut := g.shut
	g.mu.Unlock()
	if shut {
		g.arrived <- struct{}{}
		<-g.proceed
	}
	return newClock().at
}

// fetch asks over a connection of its own.
func fetch(address, method, path string, headers ...string) (reply, error) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}
	request, err := http.NewRequest(method, address+path, nil)
	if err != nil {
		return reply{}, err
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	response, err := client.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	body, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header, string(body)}, err
}

// As many requests as the server takes at once are held over real connections:
// the next one is turned away at once and costs its client nothing, probes and
// preflights are answered, and when one is done there is room again.
func TestOverloaded(t *testing.T) {
	const most = 3
	g := newGate()
	f := newFixture(t, func(o *options) { o.MaxConcurrent, o.Now = most, g.now })
	public := httptest.NewServer(f.handler)
	defer public.Close()
	type result struct {
		reply reply
		err   error
	}
	results := make(chan result, most)
	g.set(true)
	for range most {
		go func() {
			r, err := fetch(public.URL, http.MethodGet, "/api/v1/projects")
			results <- result{r, err}
		}()
	}
	for range most {
		<-g.arrived
	}
	g.set(false) // whoever gets that far from now on is not held

	for _, test := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/api/v1/projects", 503}, {"GET", "/api/v1/search?limit=0", 503}, {"GET", "/api/nothing", 503}, {"HEAD", "/api/v1/openapi", 503},
		{"POST", "/api/v1/projects", 503}, {"GET", "/api/v1/openapi.json", 503}, {"GET", "/", 503}, {"GET", "/nothing", 503},
		{"GET", "/healthz", 200}, {"GET", "/readyz", 200}, {"OPTIONS", "/api/v1/projects", 204},
	} {
		r, err := fetch(public.URL, test.method, test.path)
		if err != nil || r.status != test.status {
			t.Errorf("%s %s while full: %d, %v", test.method, test.path, r.status, err)
			continue
		}
		if test.status != 503 {
			continue
		}
		r.expect(t, "Retry-After", "1")
		r.expect(t, "Cache-Control", "no-store")
		r.expect(t, "RateLimit", "")
		if strings.HasPrefix(test.path, "/api/") && test.method != http.MethodHead {
			r.expect(t, "Access-Control-Allow-Origin", "*")
			if p := decode[api.Problem](t, r); p.Code != "overloaded" {
				t.Errorf("%s %s: %s", test.method, test.path, r.body)
			}
		}
	}
	if got := f.value(t, `catalog_http_slots_in_use`); got != most {
		t.Errorf("%v slots are in use, want %d", got, most)
	}
	if got := f.value(t, `catalog_http_overloaded_total{reason="slots"}`); got != 8 {
		t.Errorf("%v requests were counted as turned away, want 8", got)
	}

	g.proceed <- struct{}{}
	if first := <-results; first.err != nil || first.reply.status != 200 {
		t.Errorf("the first that was held: %d, %v", first.reply.status, first.err)
	}
	r, err := fetch(public.URL, http.MethodGet, "/api/v1/projects")
	if err != nil || r.status != 200 {
		t.Errorf("with room again: %d, %v", r.status, err)
	}
	// It is the second that counts: requests are held before they are counted, and
	// those that were turned away do not count.
	r.expect(t, "RateLimit", `"anonymous";r=118;t=60`)
	close(g.proceed)
	for range most - 1 {
		if held := <-results; held.err != nil || held.reply.status != 200 {
			t.Errorf("one that was held: %d, %v", held.reply.status, held.err)
		}
	}
	if used := f.server.slots.used.Load(); used != 0 {
		t.Errorf("%d slots are never given back", used)
	}
}

// Whatever becomes of a request, its slot is free again: two slots last for all.
func TestSlotsAreGivenBack(t *testing.T) {
	armed := false
	f := newFixture(t, func(o *options) {
		o.MaxConcurrent = 1
		o.Now = func() time.Time {
			if armed {
				panic("private")
			}
			return newClock().at
		}
	})
	for _, target := range []string{"/api/v1/projects", "/api/v1/search?limit=0", "/api/v1/projects/nope", "/api/nothing", "/", "/nothing", "/projects/paper-lantern-1", "/healthz", "/llms.txt?" + strings.Repeat("a", 9000)} {
		for _, method := range []string{"GET", "HEAD", "OPTIONS", "POST"} {
			if r := f.do(method, target, "If-None-Match", "*"); r.status == 503 {
				t.Fatalf("%s %.60s: 503", method, target)
			}
		}
	}
	armed = true
	for range 2 {
		if r := f.get("/api/v1/projects"); r.status != 500 {
			t.Fatalf("a panic is answered %d", r.status)
		}
	}
	if used := f.server.slots.used.Load(); used != 0 {
		t.Errorf("%d slots are in use", used)
	}
}

// stuck is a client that does not read: writing to it waits.
type stuck struct {
	http.ResponseWriter
	reached, proceed chan struct{}
}

func (w stuck) Write(p []byte) (int, error) {
	w.reached <- struct{}{}
	<-w.proceed
	return w.ResponseWriter.Write(p)
}

// Clients that do not read hold no slot, and only as much memory as is allowed.
func TestClientsNotReading(t *testing.T) {
	f := newFixture(t, func(o *options) { o.MaxConcurrent = 1 })
	size := int64(len(f.get("/api/v1/projects").body))
	f.server.unsent.most = 2 * size
	reached, proceed := make(chan struct{}), make(chan struct{})
	var sent sync.WaitGroup
	for i := range 2 {
		w := stuck{httptest.NewRecorder(), reached, proceed}
		sent.Go(func() {
			f.server.Handler().ServeHTTP(w, from(fmt.Sprintf("192.0.2.%d:1", i), "/api/v1/projects"))
		})
		<-reached
	}
	r := f.get("/api/v1/projects")
	if p := decode[api.Problem](t, r); r.status != 503 || p.Code != "overloaded" {
		t.Errorf("with no memory left: %d %s", r.status, r.body)
	}
	r.expect(t, "Retry-After", "1")
	r.expect(t, "ETag", "")
	r.expect(t, "Cache-Control", "no-store")
	r.expect(t, "RateLimit-Policy", `"anonymous";q=120;w=60`)
	for _, target := range []string{"/", "/healthz"} { // files, and what is small
		if target == "/healthz" {
			f.server.unsent.most += 10
		}
		if r := f.get(target); r.status != 200 {
			t.Errorf("%s with no memory left for lists: %d", target, r.status)
		}
	}
	if r := f.do(http.MethodHead, "/api/v1/projects"); r.status != 200 {
		t.Errorf("HEAD needs no memory: %d", r.status)
	}
	if got := f.value(t, `catalog_http_overloaded_total{reason="unsent"}`); got != 1 {
		t.Errorf("%v answers were counted as replaced", got)
	}
	if got := f.value(t, `catalog_http_requests_in_flight`); got != 2 {
		t.Errorf("%v requests are in flight", got)
	}
	close(proceed)
	sent.Wait()
	if r := f.get("/api/v1/projects"); r.status != 200 {
		t.Errorf("when they have read: %d", r.status)
	}
	if used := f.server.unsent.used.Load(); used != 0 {
		t.Errorf("%d bytes are never given back", used)
	}
}

// A large page counts once, however many read it slowly, and is no client's.
func TestSharedBodiesCountOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	const large = 2 * sharedBytes
	writeFiles(t, f.public, map[string]string{"llms-full.txt": strings.Repeat("x", large)})
	if r := f.get("/llms-full.txt"); r.status != 200 {
		t.Fatalf("%d", r.status)
	}
	f.server.unsent.clients.most = large - 1
	reached, proceed := make(chan struct{}), make(chan struct{})
	var sent sync.WaitGroup
	for range 3 {
		w := stuck{httptest.NewRecorder(), reached, proceed}
		sent.Go(func() { f.server.Handler().ServeHTTP(w, from("192.0.2.1:1", "/llms-full.txt")) })
		<-reached
	}
	if used := f.server.unsent.used.Load(); used != large {
		t.Errorf("3 readers of %d bytes take %d", large, used)
	}
	close(proceed)
	sent.Wait()
	if used, n := f.server.unsent.used.Load(), len(f.server.unsent.readers); used != 0 || n != 0 {
		t.Errorf("%d bytes and %d bodies are never given back", used, n)
	}
}

// One client that does not read leaves room for others, whatever its allowance.
func TestMemoryShareOfOneClient(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	size := int64(len(f.get("/api/v1/projects").body))
	f.server.unsent.clients.most = 2 * size
	reached, proceed := make(chan struct{}), make(chan struct{})
	var sent sync.WaitGroup
	for range 2 {
		w := stuck{httptest.NewRecorder(), reached, proceed}
		sent.Go(func() { f.server.Handler().ServeHTTP(w, from("192.0.2.1:1", "/api/v1/projects")) })
		<-reached
	}
	for address, want := range map[string]int{"192.0.2.1:2": 503, "192.0.2.2:1": 200} {
		w := httptest.NewRecorder()
		if f.server.Handler().ServeHTTP(w, from(address, "/api/v1/projects")); w.Code != want {
			t.Errorf("%s is answered %d, want %d", address, w.Code, want)
		}
	}
	close(proceed)
	sent.Wait()
	if used, n := f.server.unsent.used.Load(), len(f.server.unsent.clients.used); used != 0 || n != 0 {
		t.Errorf("%d bytes and %d clients are never given back", used, n)
	}
}

// A take that is refused disturbs no other.
func TestRefusedTakeLeavesNothing(t *testing.T) {
	t.Parallel()
	b := bound{most: 10}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 100_000 {
			if b.take(11) {
				t.Error("11 of 10 are taken")
				return
			}
		}
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		if !b.take(1) {
			t.Fatal("1 of 10 is refused")
		}
		b.release(1)
	}
	if used := b.used.Load(); used != 0 {
		t.Errorf("%d are in use", used)
	}
}

// A page that disappears while it is asked for, and whatever else fails, gives
// its memory back.
func TestFaultsGiveMemoryBack(t *testing.T) {
	f := newFixture(t, nil)
	if err := os.RemoveAll(filepath.Join(f.public, "assets")); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"/assets/app.js", "/api/v1/projects/nope", "/api/v1/projects"} {
		f.get(target)
	}
	if used := f.server.unsent.used.Load(); used != 0 {
		t.Errorf("%d bytes are in use", used)
	}
}

// While the last requests finish, the admin address says that the server is up
// and not ready, and what it counts.
func TestDraining(t *testing.T) {
	g := newGate()
	f := newFixture(t, func(o *options) { o.Now = g.now })
	public, admin := listen(t), listen(t)
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- f.server.Run(ctx, public, admin) }()
	operators := "http://" + admin.Addr().String()
	if r, err := fetch(operators, http.MethodGet, "/readyz"); err != nil || r.status != 200 {
		t.Fatalf("before: %d, %v", r.status, err)
	}
	answered := make(chan int, 1)
	g.set(true)
	go func() {
		r, _ := fetch("http://"+public.Addr().String(), http.MethodGet, "/api/v1/projects")
		answered <- r.status
	}()
	<-g.arrived
	g.set(false) // probes ask for the time, too
	stop()
	for { // until the listener is closed, by when the server drains
		c, err := net.Dial("tcp", public.Addr().String())
		if err != nil {
			break
		}
		_ = c.Close()
	}
	for path, want := range map[string]struct {
		status int
		text   string
	}{"/readyz": {503, "draining\n"}, "/healthz": {200, "ok\n"}, "/metrics": {200, "\ncatalog_ready 0\n"}} {
		r, err := fetch(operators, http.MethodGet, path)
		if err != nil || r.status != want.status || !strings.Contains(r.body, want.text) {
			t.Errorf("%s while draining: %d %.80s, %v", path, r.status, r.body, err)
		}
	}
	close(g.proceed)
	if status := <-answered; status != 200 {
		t.Errorf("the request in flight is answered %d", status)
	}
	if err := <-ran; err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", admin.Addr().String()); err == nil {
		t.Error("the admin address is still open")
	}
}
