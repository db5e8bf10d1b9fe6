//go:build unix

package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"catalog.example/api/server/processtest"
	"catalog.example/api/site"
	"catalog.example/api/soak"
	"catalog.example/generator"
)

// rollingTargets are what clients ask for. Each answer names its build, in body, ETag or
// Link.
var rollingTargets = []string{
	"/", "/projects/paper-lantern/", "/projects/paper-lantern/index.html.md", "/categories/speech-to-text/", "/search/", "/llms.txt", "/feed.xml",
	"/api/v1/search?q=transcribe", "/api/v1/search?q=lantern&limit=1", "/api/v1/projects?limit=2", "/api/v1/projects/paper-lantern",
	"/api/v1/projects/index.json", "/api/v1/lists/newest/1.json", "/api/v1/openapi",
}

// rollingClaims are what one answer says that depends on the build.
type rollingClaims struct {
	status                     int
	body                       [sha256.Size]byte
	etag, link, policy, expiry string
}

func rollingClaimsOf(r reply) rollingClaims {
	h := r.header
	return rollingClaims{r.status, sha256.Sum256([]byte(r.body)), h.Get("ETag"), h.Get("Link"), h.Get("Content-Security-Policy"), h.Get("Cache-Control")}
}

// rollingBuild is a build that differs from others in each answer.
type rollingBuild struct {
	public     string
	claims     map[string]rollingClaims
	stylesheet string // the path of it
	css        string
}

var stylesheetPath = regexp.MustCompile(`/assets/style-[0-9a-f]{12}\.css`)

// newRollingBuild makes a build, and asks a server that knows no other for each answer.
func newRollingBuild(t *testing.T, program string, n int) *rollingBuild {
	t.Helper()
	folder := t.TempDir()
	content, overrides := filepath.Join(folder, "content"), filepath.Join(folder, "overrides")
	b := &rollingBuild{public: filepath.Join(folder, "public"), claims: map[string]rollingClaims{}}
	if err := os.CopyFS(content, os.DirFS("testdata/content")); err != nil {
		t.Fatal(err)
	}
	listing := filepath.Join(content, "projects", "paper-lantern.md")
	writeText(t, listing, replaced(t, listing, "Writes down what was said in a meeting.", fmt.Sprintf("Writes down what was said in meeting %d.", n)))
	writeText(t, filepath.Join(overrides, "assets", "extra.css"), fmt.Sprintf("main{margin:%dpx}", n+1))
	s := site.Defaults()
	s.Title, s.Description, s.Overrides = fmt.Sprintf("Catalogue %d", n), fmt.Sprintf("Build %d.", n), overrides
	if _, err := generator.Build(t.Context(), generator.Options{Content: content, Out: b.public, Settings: s, Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	b.stylesheet = stylesheetPath.FindString(readText(t, filepath.Join(b.public, "index.html")))
	b.css = readText(t, filepath.Join(b.public, b.stylesheet))

	server := startServeWith(t, func(s *serveProcess) { s.command.Env = os.Environ() }, program, "--public", b.public, "--addr", "127.0.0.1:0")
	address := server.address(t, "listening on")
	for _, target := range rollingTargets {
		answer, err := ask(t.Context(), http.DefaultClient, http.MethodGet, address+target, "", "Accept-Encoding", "identity")
		if err != nil || answer.status != http.StatusOK {
			t.Fatalf("%s: %d, %v", target, answer.status, err)
		}
		b.claims[target] = rollingClaimsOf(answer)
	}
	if err := server.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, status := server.end(t); status != exitOK {
		t.Fatalf("the server of a build ends with %d\n%s", status, server.stderr)
	}
	return b
}

// steadyPort returns a port below those that systems give to outgoing connections, so that
// a server finds it free when it is started again.
func steadyPort(t *testing.T) string {
	t.Helper()
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 20000+rand.IntN(10000))
		if l, err := net.Listen("tcp", address); err == nil {
			_ = l.Close()
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}

// folderServer is an origin: a server of files that ends and begins.
type folderServer struct {
	folder, address string
	server          *http.Server
}

func (o *folderServer) start(t *testing.T) {
	t.Helper()
	l, err := net.Listen("tcp", o.address)
	if err != nil {
		t.Fatal(err)
	}
	o.server = &http.Server{Handler: http.FileServer(http.Dir(o.folder)), ReadHeaderTimeout: testTimeout}
	go func(s *http.Server) { _ = s.Serve(l) }(o.server) // until it is closed
}

func (o *folderServer) stop() { _ = o.server.Close() }

// rollingReplica is one `catalog serve` after another at the same address.
type rollingReplica struct {
	address, cache string
	process        *serveProcess
	logs           string // of the processes before
	// turns counts its ends and beginnings: it is odd while it is away.
	turns atomic.Int64
}

// log returns what the replica has said since the test began.
func (r *rollingReplica) log() string { return r.logs + r.process.stderr.String() }

// rolling is three replicas behind nginx, with Redis behind them and an origin.
type rolling struct {
	t                    *testing.T
	program, key, public string // the private key's file, and the public key
	origin               *folderServer
	redis                *processtest.Redis
	replicas             []*rollingReplica
	base                 string // the address of nginx
	builds               []*rollingBuild
	versions             []string // of the builds, once they were packed

	// floor is the build that all replicas serve, newest the one that some may.
	floor, newest            atomic.Int64
	answers, unchanged, cuts atomic.Int64
	failed, mixed            atomic.Int64
	visitors                 atomic.Int64
	killing                  atomic.Bool // answers that end early at a kill are counted in cuts
	restarts                 int         // of all replicas, one after another
	exact, inexact           int         // allowances that were compared, and those that cannot be
}

func startRolling(t *testing.T) *rolling {
	t.Helper()
	soak.Long(t)
	program, err := exec.LookPath("catalog")
	if err != nil {
		t.Fatal(err)
	}
	r := &rolling{t: t, program: program, key: filepath.Join(t.TempDir(), "sign.key"), versions: make([]string, 3)}
	r.public = strings.TrimSpace(r.run("keygen", r.key))
	for n := range r.versions {
		b := newRollingBuild(t, program, n)
		for i, other := range r.builds {
			for _, target := range rollingTargets {
				if b.claims[target] == other.claims[target] || b.stylesheet == other.stylesheet {
					t.Fatalf("%s does not tell build %d from %d", target, n, i)
				}
			}
		}
		r.builds = append(r.builds, b)
	}
	r.origin = &folderServer{t.TempDir(), steadyPort(t), nil}
	r.origin.start(t)
	t.Cleanup(r.origin.stop)
	r.redis = processtest.StartRedis(t, processtest.RedisOptions{Password: "hush"})
	r.pack(0)
	var addresses []string
	for range 3 {
		replica := &rollingReplica{address: steadyPort(t), cache: t.TempDir()}
		r.start(replica)
		r.replicas, addresses = append(r.replicas, replica), append(addresses, replica.address)
	}
	r.base = "http://" + startReplicasNginx(t, addresses)
	return r
}

// run runs the program, and returns what it prints.
func (r *rolling) run(args ...string) string {
	r.t.Helper()
	out, err := exec.CommandContext(r.t.Context(), r.program, args...).Output()
	if err != nil {
		r.t.Fatalf("catalog %q: %v", args, err)
	}
	return string(out)
}

// pack writes a build to the origin.
func (r *rolling) pack(n int) {
	r.t.Helper()
	out := r.run("pack", "--public", r.builds[n].public, "--out", r.origin.folder, "--sign-key", r.key)
	m := regexp.MustCompile(`catalog-([0-9a-f]+)\.tar\.zst`).FindStringSubmatch(out)
	if m == nil {
		r.t.Fatalf("catalog pack says %q", out)
	}
	r.versions[n] = m[1]
}

// start starts a replica, and returns when it is ready.
func (r *rolling) start(replica *rollingReplica) {
	r.t.Helper()
	replica.process = startServeFor(r.t, time.Hour, func(s *serveProcess) { s.command.Env = os.Environ() }, r.program,
		"--from", "http://"+r.origin.address+"/catalog.manifest.json", "--verify-key", r.public, "--cache", replica.cache, "--poll", "150ms",
		"--addr", replica.address, "--trusted-proxies", "127.0.0.1/32", "--rate-store", r.redis.URL, "--drain-delay", "300ms")
	replica.process.address(r.t, "listening on")
	r.await("a replica is ready", func() bool { return strings.HasPrefix(r.ready(replica), "ok\n") })
}

// ready returns what /readyz of a replica says.
func (r *rolling) ready(replica *rollingReplica) string {
	_, text, err := get("http://" + replica.address + "/readyz")
	if err != nil {
		return err.Error()
	}
	return text
}

// await asks again and again until the answer is yes.
func (r *rolling) await(what string, yes func() bool) {
	r.t.Helper()
	pause := time.NewTicker(5 * time.Millisecond)
	defer pause.Stop()
	for deadline := time.Now().Add(testTimeout); !yes(); <-pause.C {
		if time.Now().After(deadline) {
			for _, replica := range r.replicas {
				r.t.Logf("%s says %q and has said\n%s", replica.address, r.ready(replica), tail(replica.log()))
			}
			r.t.Fatalf("in %v it does not come about that %s", testTimeout, what)
		}
	}
}

// tail returns the end of a text.
func tail(text string) string { return text[max(0, len(text)-2000):] }

// publish publishes a build, and returns when all replicas serve it.
func (r *rolling) publish(n int) {
	r.t.Helper()
	r.newest.Store(int64(n))
	r.pack(n)
	r.await(fmt.Sprintf("all serve build %d", n), func() bool {
		for _, replica := range r.replicas {
			if !strings.Contains(r.ready(replica), "\nversion "+r.versions[n]+"\n") {
				return false
			}
		}
		return true
	})
	r.floor.Store(int64(n))
}

// restart ends each replica with SIGTERM, and starts it again at its address.
func (r *rolling) restart() {
	r.t.Helper()
	r.restarts++
	for i, replica := range r.replicas {
		replica.turns.Add(1)
		if err := replica.process.command.Process.Signal(syscall.SIGTERM); err != nil {
			r.t.Fatal(err)
		}
		if rest, status := replica.process.end(r.t); status != exitOK || rest != "" {
			r.t.Errorf("replica %d ends with %d and says %q\n%s", i, status, rest, tail(replica.log()))
		}
		replica.logs = replica.log()
		r.start(replica)
		replica.turns.Add(1)
	}
}

// kill ends a replica with SIGKILL, and starts it again at its address.
func (r *rolling) kill(replica *rollingReplica) {
	r.t.Helper()
	replica.turns.Add(1)
	if err := replica.process.command.Process.Kill(); err != nil {
		r.t.Fatal(err)
	}
	if _, status := replica.process.end(r.t); status != -1 {
		r.t.Errorf("a killed replica ends with %d", status)
	}
	replica.logs = replica.log()
	r.start(replica)
	replica.turns.Add(1)
}

// visitor returns a client with an address that had none before.
func (r *rolling) visitor() *http.Client {
	address := processtest.Client(int(r.visitors.Add(1))).AsSlice()
	transport := &http.Transport{DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: address}}).DialContext, MaxIdleConnsPerHost: 8}
	return &http.Client{Transport: transport, Timeout: testTimeout}
}

// load lets clients ask for everything through nginx, over kept connections, until stop.
func (r *rolling) load() (stop func()) {
	ctx, cancel := context.WithCancel(r.t.Context())
	var asking sync.WaitGroup
	for seed := range 4 {
		asking.Go(func() { r.ask(ctx, uint64(seed)) })
	}
	return sync.OnceFunc(func() { cancel(); asking.Wait() })
}

// awaitAnswers waits for answers.
func (r *rolling) awaitAnswers(n int64) {
	r.t.Helper()
	until := r.answers.Load() + n
	r.await("clients are answered", func() bool { return r.answers.Load() >= until || r.t.Failed() })
}

// ask asks for everything, and checks that each answer is wholly that of one build.
func (r *rolling) ask(ctx context.Context, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	pace := time.NewTicker(3 * time.Millisecond) // the machine has other work
	defer pace.Stop()
	for ctx.Err() == nil {
		client, known := r.visitor(), map[string]string{} // known: ETags
		for range 100 {                                   // fewer than an allowance
			select {
			case <-ctx.Done():
				return
			case <-pace.C:
			}
			target := rollingTargets[random.IntN(len(rollingTargets))]
			headers := []string{"Accept-Encoding", "identity"}
			if random.IntN(4) == 0 && known[target] != "" {
				headers = append(headers, "If-None-Match", known[target])
			}
			before := r.floor.Load()
			answer, ok := r.request(client, target, headers...)
			if !ok {
				continue
			}
			build := r.buildOf(target, answer, known[target], before, r.newest.Load())
			if build == nil {
				r.mixed.Add(1)
				r.t.Errorf("%s is answered as by no build from %d to %d: %d, %v: %.200s", target, before, r.newest.Load(), answer.status, answer.header, answer.body)
				continue
			}
			known[target] = answer.header.Get("ETag")
			if name := stylesheetPath.FindString(answer.body); name != "" && name != build.stylesheet {
				r.mixed.Add(1)
				r.t.Errorf("%s names %s, and the stylesheet of its build is %s", target, name, build.stylesheet)
			} else if name != "" {
				if style, ok := r.request(client, name, "Accept-Encoding", "identity"); ok && (style.status != http.StatusOK || style.body != build.css) {
					r.failed.Add(1)
					r.t.Errorf("the stylesheet %s that %s has just named is answered %d: %.200s", name, target, style.status, style.body)
				}
			}
		}
		client.CloseIdleConnections()
	}
}

// turns is how often replicas have ended and begun. It is odd while one is away.
func (r *rolling) turns() (n int64) {
	for _, replica := range r.replicas {
		n += replica.turns.Load()
	}
	return n
}

// request sends a request through nginx. ok is false if it has failed.
func (r *rolling) request(client *http.Client, target string, headers ...string) (answer reply, ok bool) {
	turns := r.turns()
	answer, err := ask(r.t.Context(), client, http.MethodGet, r.base+target, "", headers...)
	switch {
	case err == nil && (answer.status == http.StatusOK || answer.status == http.StatusNotModified || stylesheetPath.MatchString(target)):
		r.answers.Add(1)
		if answer.status == http.StatusNotModified {
			r.unchanged.Add(1)
		}
		return answer, true
	case answer.status == http.StatusOK && errors.Is(err, io.ErrUnexpectedEOF) && r.killing.Load() && (turns%2 == 1 || r.turns() != turns):
		r.cuts.Add(1) // its connection was held by the replica
		return answer, false
	}
	r.failed.Add(1)
	r.t.Errorf("%s: %d, %v: %.200s", target, answer.status, err, answer.body)
	return answer, false
}

// buildOf returns which of two builds an answer is of, or nil.
func (r *rolling) buildOf(target string, answer reply, known string, from, to int64) *rollingBuild {
	got := rollingClaimsOf(answer)
	for _, n := range []int64{from, to} {
		want := r.builds[n].claims[target]
		if answer.status == http.StatusNotModified && known == want.etag {
			want.status, want.body = http.StatusNotModified, sha256.Sum256(nil)
			if strings.HasPrefix(target, "/api/v1/search") { // whose pages are not known before it is answered
				want.link = ""
			}
		}
		if got == want {
			return r.builds[n]
		}
	}
	return nil
}

// lost returns how often replicas have lost Redis.
func (r *rolling) lost() (n int) {
	for _, replica := range r.replicas {
		n += strings.Count(replica.log(), "the rate store cannot be reached")
	}
	return n
}

// awaitShared waits until all replicas count in Redis.
func (r *rolling) awaitShared() {
	r.t.Helper()
	r.await("all replicas count in Redis", func() bool {
		for _, replica := range r.replicas {
			said := replica.process.stderr.String()
			if strings.Count(said, "the rate store cannot be reached") != strings.Count(said, "the rate store answers again") {
				return false
			}
		}
		return true
	})
}

// checkAllowance sends 200 requests of one client, while something happens that takes less
// than a minute: 120 are answered, over all replicas. Redis has 50 ms for an answer, which a
// busy machine may not give it: then it happens again.
func (r *rolling) checkAllowance(meanwhile func()) {
	r.t.Helper()
	for range 5 {
		r.awaitShared()
		if r.compareAllowance(meanwhile) {
			r.exact++
			return
		}
		r.inexact++
	}
	r.t.Error("Redis was lost during each of 5 comparisons of allowances")
}

// compareAllowance reports whether replicas have counted in Redis all the time.
func (r *rolling) compareAllowance(meanwhile func()) bool {
	r.t.Helper()
	client := r.visitor()
	defer client.CloseIdleConnections()
	counts := map[int]int{}
	began, lost := time.Now(), r.lost()
	ended := make(chan struct{})
	send := func() {
		answer, err := ask(r.t.Context(), client, http.MethodGet, r.base+"/api/v1/projects?limit=1", "")
		if err != nil {
			r.failed.Add(1)
			r.t.Errorf("a request of 200: %v", err)
		}
		counts[answer.status]++
	}
	var sending sync.WaitGroup
	end := sync.OnceFunc(func() { close(ended); sending.Wait() })
	defer end()
	sending.Go(func() {
		pace := time.NewTicker(20 * time.Millisecond)
		defer pace.Stop()
		for range 150 { // spread over what happens, and the rest after it
			send()
			select {
			case <-pace.C:
			case <-ended:
			}
		}
		<-ended
		for range 50 {
			send()
		}
	})
	meanwhile()
	end()
	if time.Since(began) > time.Minute || r.lost() != lost {
		return false
	}
	if counts[200] != 120 || counts[429] != 80 {
		r.t.Errorf("of 200 requests of a client: %v, want 120 answered and 80 refused", counts)
	}
	return true
}

// report logs what was measured, and checks it.
func (r *rolling) report(began time.Time, what string) {
	r.t.Helper()
	r.t.Logf("%s: %d answers, %d of them 304; %d failed, %d mixed, %d cut short by SIGKILL; in %.0f s",
		what, r.answers.Load(), r.unchanged.Load(), r.failed.Load(), r.mixed.Load(), r.cuts.Load(), time.Since(began).Seconds())
	for i, replica := range r.replicas {
		for line := range strings.Lines(replica.log()) {
			if strings.Contains(line, "level=ERROR") || strings.Contains(line, "panic") {
				r.t.Errorf("replica %d says %s", i, line)
			}
		}
	}
}

// TestSoakRollingUpdates updates build and binary under load, again and again: no request
// fails, no answer is of two builds, and allowances are exact over all replicas. The origin
// is dead during a whole update of the binary, and Redis is killed and comes back.
func TestSoakRollingUpdates(t *testing.T) {
	t.Parallel()
	r := startRolling(t)
	began := time.Now()
	stop := r.load()
	defer stop()
	r.awaitAnswers(100)
	rounds := soak.Rounds(20)
	for round := range rounds {
		r.publish((round + 1) % len(r.builds))
		r.awaitAnswers(50)
		switch round % 4 {
		case 1:
			r.origin.stop()
			r.restart()
			for i, replica := range r.replicas {
				if !strings.Contains(replica.process.stderr.String(), "serving the last good build from the cache") {
					t.Errorf("replica %d does not start from its cache\n%s", i, tail(replica.log()))
				}
			}
			r.awaitAnswers(50)
			r.origin.start(t)
		default:
			r.checkAllowance(r.restart)
		}
	}
	// The last update goes on while Redis is away.
	lost := r.lost()
	r.redis.Kill()
	r.await("replicas count alone", func() bool { return r.lost() > lost || t.Failed() })
	r.restart()
	r.awaitAnswers(50)
	r.redis.Restart()
	r.checkAllowance(func() { r.awaitAnswers(200) })
	stop()
	r.report(began, fmt.Sprintf("%d updates of the build, %d of the binary; allowances compared %d times, and %d times while Redis was lost", rounds, r.restarts, r.exact, r.inexact))
}

// TestSoakKilledReplicas kills a replica again and again under load. Requests through nginx
// are answered by another one. Of the clients that are connected to replicas themselves,
// only those of the killed one lose a connection.
func TestSoakKilledReplicas(t *testing.T) {
	t.Parallel()
	r := startRolling(t)
	began := time.Now()
	r.killing.Store(true)
	stop := r.load()
	defer stop()
	const clients = 3 // of each replica
	ctx, cancel := context.WithCancel(t.Context())
	var direct sync.WaitGroup
	defer direct.Wait()
	defer cancel()
	lost := make([]atomic.Int64, len(r.replicas))
	answered := make([]atomic.Int64, len(r.replicas))
	for i, replica := range r.replicas {
		for range clients {
			direct.Go(func() {
				pace := time.NewTicker(5 * time.Millisecond)
				defer pace.Stop()
				c := &keepAliveClient{address: replica.address}
				defer c.close()
				for turns := replica.turns.Load(); ctx.Err() == nil; <-pace.C {
					connected := c.connection != nil
					if !connected {
						turns = replica.turns.Load()
					}
					err := c.send()
					if err == nil {
						_, err = c.read()
					}
					if err == nil {
						answered[i].Add(1)
						continue
					}
					if replica.turns.Load() == turns && turns%2 == 0 {
						t.Errorf("replica %d was not killed, and a connection to it fails: %v", i, err)
						return
					}
					if connected {
						lost[i].Add(1)
					}
					c.close()
				}
			})
		}
	}
	kills := soak.Rounds(60)
	for n := range kills {
		replica := r.replicas[n%2] // never the third
		r.awaitAnswers(30)
		was := answered[n%2].Load()
		r.await("a replica that came back is asked directly", func() bool { return answered[n%2].Load() >= was+2*clients || t.Failed() })
		r.kill(replica)
	}
	r.awaitAnswers(100)
	stop()
	cancel()
	direct.Wait()
	for i := range r.replicas {
		killed := r.replicas[i].turns.Load() / 2
		if n := lost[i].Load(); n > killed*clients || killed > 0 && n == 0 {
			t.Errorf("replica %d was killed %d times, and its %d clients lost %d connections", i, killed, clients, n)
		}
		t.Logf("replica %d: killed %d times; %d direct answers, %d connections lost", i, killed, answered[i].Load(), lost[i].Load())
	}
	r.report(began, fmt.Sprintf("%d kills", kills))
}
