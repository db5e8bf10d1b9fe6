//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
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

// replicaProcesses are three `catalog serve` that share a Redis. The last one has a newer
// build than the others.
type replicaProcesses struct {
	processes          []*serveProcess
	addresses          []string // host and port
	oldAsset, newAsset string   // paths of the stylesheet in both builds
}

func startReplicaProcesses(t *testing.T) *replicaProcesses {
	t.Helper()
	soak.Long(t)
	program, err := exec.LookPath("catalog")
	if err != nil {
		t.Fatal(err)
	}
	build := func(css string) (out, asset string) {
		overrides := t.TempDir()
		writeText(t, filepath.Join(overrides, "assets", "extra.css"), css)
		out = filepath.Join(t.TempDir(), "public")
		s := site.Defaults()
		s.Overrides = overrides
		if _, err := generator.Build(t.Context(), generator.Options{Content: "testdata/content", Out: out, Settings: s, Now: time.Now()}); err != nil {
			t.Fatal(err)
		}
		asset = regexp.MustCompile(`/assets/style-[0-9a-f]{12}\.css`).FindString(readText(t, filepath.Join(out, "index.html")))
		return out, asset
	}
	r := &replicaProcesses{}
	var old, updated string
	old, r.oldAsset = build("main{margin:1px}")
	updated, r.newAsset = build("main{margin:2px}")
	if r.oldAsset == r.newAsset || r.oldAsset == "" {
		t.Fatalf("the stylesheets are %q and %q", r.oldAsset, r.newAsset)
	}
	redis := startShippedRedis(t)
	for _, public := range []string{old, old, updated} {
		s := startServe(t, program, "--public", public, "--addr", "127.0.0.1:0", "--trusted-proxies", "127.0.0.1", "--rate-store-file", redis, "--drain-delay", "3s")
		r.processes = append(r.processes, s)
		r.addresses = append(r.addresses, strings.TrimPrefix(s.address(t, "listening on"), "http://"))
	}
	return r
}

// startShippedRedis starts a Redis with the user of the Kubernetes overlay, and returns the
// file for --rate-store-file.
func startShippedRedis(t *testing.T) string {
	t.Helper()
	const folder = "../../deploy/kubernetes/overlays/replicas/"
	m := regexp.MustCompile(`(?m)^user (\S+) on >(\S+) (.*)$`).FindStringSubmatch(readText(t, folder+"users.acl"))
	if m == nil {
		t.Fatal("users.acl has no user")
	}
	redis := processtest.StartRedis(t, processtest.RedisOptions{User: m[1], Password: m[2], Permissions: m[3]})
	address := readText(t, folder+"rate-store")
	if !strings.Contains(address, "@catalog-redis:6379") {
		t.Fatalf("rate-store is %q", address)
	}
	file := filepath.Join(t.TempDir(), "rate-store")
	writeText(t, file, strings.Replace(address, "catalog-redis:6379", redis.Address, 1))
	return file
}

// clientFrom returns an HTTP client with an address of its own on the loopback.
func clientFrom(t *testing.T, address string) *http.Client {
	t.Helper()
	transport := &http.Transport{DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}).DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: testTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// ask sends a request. Headers are pairs of name and value. It may be called by goroutines
// of a test.
func ask(ctx context.Context, client *http.Client, method, target, body string, headers ...string) (reply, error) {
	request, err := http.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			request.Host = headers[i+1]
		}
		request.Header.Add(headers[i], headers[i+1])
	}
	response, err := client.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header, string(text)}, err
}

// sendPing sends a message to the MCP server.
func sendPing(ctx context.Context, client *http.Client, base string) (reply, error) {
	return ask(ctx, client, http.MethodPost, base+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Content-Type", "application/json", "Accept", "application/json, text/event-stream")
}

// TestReplicasBehindProxies runs the configurations of deploy/ for nginx and Caddy in front of
// three replicas.
func TestReplicasBehindProxies(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*testing.T, []string) string{"nginx": startReplicasNginx, "Caddy": startReplicasCaddy} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := startReplicaProcesses(t)
			base := "http://" + start(t, r.addresses)
			r.whileShared(t, func(n int) error { return checkClients(t, base, n) })
			checkAssets(t, base, r)
			r.whileShared(t, func(n int) error { return checkWrongRequest(t, base, n) })
			checkLosses(t, base, r)
		})
	}
}

// whileShared repeats a check with other clients, by its number, if a replica lost Redis
// meanwhile: Redis has 50 ms for an answer, which a busy machine may not give it.
func (r *replicaProcesses) whileShared(t *testing.T, check func(n int) error) {
	t.Helper()
	count := func(text string) (n int) {
		for _, p := range r.processes {
			n += strings.Count(p.stderr.String(), text)
		}
		return n
	}
	const lost, found = "the rate store cannot be reached", "the rate store answers again"
	for n := 0; ; n++ {
		for deadline := time.Now().Add(testTimeout); count(lost) != count(found); {
			if time.Now().After(deadline) {
				t.Fatal("replicas do not find Redis again")
			}
			time.Sleep(time.Millisecond) // until the next question
		}
		before := count(lost)
		err := check(n)
		if err == nil {
			return
		}
		if n == 4 || count(lost) == before {
			t.Fatal(err)
		}
	}
}

// checkClients checks that each client has its own allowance, over all replicas, and cannot
// pretend to be another one.
func checkClients(t *testing.T, base string, n int) error {
	t.Helper()
	first, second := clientFrom(t, fmt.Sprintf("127.0.9.%d", 10*n+1)), clientFrom(t, fmt.Sprintf("127.0.9.%d", 10*n+2))
	for i, c := range []struct {
		client *http.Client
		left   int
	}{{first, 119}, {first, 118}, {second, 119}, {first, 117}, {first, 116}, {second, 118}, {first, 115}} {
		r, err := ask(t.Context(), c.client, http.MethodGet, base+"/api/v1/projects?limit=1", "", "X-Forwarded-For", fmt.Sprintf("198.51.100.%d, 127.0.0.1", i))
		if want := fmt.Sprintf(`"anonymous";r=%d;`, c.left); err != nil || r.status != 200 || !strings.HasPrefix(r.header.Get("RateLimit"), want) {
			return fmt.Errorf("request %d: %d, %s, %v, want %s", i, r.status, r.header.Get("RateLimit"), err, want)
		}
	}
	return nil
}

// checkWrongRequest checks that a wrong request counts once, and is not tried on all replicas.
func checkWrongRequest(t *testing.T, base string, n int) error {
	t.Helper()
	client := clientFrom(t, fmt.Sprintf("127.0.9.%d", 10*n+3))
	for left := 119; left > 115; left-- {
		answer, err := ask(t.Context(), client, http.MethodGet, base+"/api/v1/projects/nobody", "")
		if want := fmt.Sprintf(`"anonymous";r=%d;`, left); err != nil || answer.status != 404 || !strings.HasPrefix(answer.header.Get("RateLimit"), want) {
			return fmt.Errorf("%d, %s, %v, want 404, %s", answer.status, answer.header.Get("RateLimit"), err, want)
		}
	}
	return nil
}

// checkAssets checks that an asset of any build that a replica has is found, and that other
// requests are not tried on all replicas.
func checkAssets(t *testing.T, base string, r *replicaProcesses) {
	t.Helper()
	client := clientFrom(t, "127.0.8.3")
	for range 9 {
		for target, want := range map[string]int{r.oldAsset: 200, r.newAsset: 200, "/assets/style-000000000000.css": 404, "/nothing/": 404, "/": 200, "/llms.txt": 200} {
			answer, err := ask(t.Context(), client, http.MethodGet, base+target, "")
			if err != nil || answer.status != want {
				t.Fatalf("%s: %d, %v, want %d", target, answer.status, err, want)
			}
		}
	}
}

// checkLosses stops one replica and kills another, while clients ask. No request fails.
func checkLosses(t *testing.T, base string, r *replicaProcesses) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	var asked atomic.Int64
	end := sync.OnceFunc(func() { cancel(); group.Wait() })
	defer end()
	for worker := range 4 {
		client := clientFrom(t, fmt.Sprintf("127.0.10.%d", worker+1))
		group.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				target := []string{"/", "/projects/paper-lantern/", r.newAsset, "/healthz"}[i%4]
				answer, err := ask(t.Context(), client, http.MethodGet, base+target, "")
				if err != nil || answer.status != 200 {
					t.Errorf("%s: %d, %v: %.200s", target, answer.status, err, answer.body)
					return
				}
				asked.Add(1)
				time.Sleep(2 * time.Millisecond) // the machine has other work
			}
		})
	}
	awaitMore := func() {
		t.Helper()
		until, deadline := asked.Load()+200, time.Now().Add(testTimeout)
		for asked.Load() < until && !t.Failed() {
			if time.Now().After(deadline) {
				t.Fatal("nothing is answered")
			}
			time.Sleep(time.Millisecond) // until the next look
		}
	}
	awaitMore()
	if err := r.processes[0].command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, status := r.processes[0].end(t); status != 0 {
		t.Errorf("a stopped replica ends with %d", status)
	}
	awaitMore()
	if err := r.processes[1].command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	awaitMore()
	client := clientFrom(t, "127.0.9.4")
	for range 12 {
		if answer, err := sendPing(t.Context(), client, base); err != nil || answer.status != 200 {
			t.Fatalf("a message with one replica left: %d, %v: %s", answer.status, err, answer.body)
		}
	}
	end()
}

// startReplicasNginx starts nginx with deploy/replicas.conf.
func startReplicasNginx(t *testing.T, replicas []string) string {
	t.Helper()
	return processtest.StartNginxWith(t, func(address string) string {
		set := []string{"listen 8080;", "listen " + address + ";"}
		for i, replica := range replicas {
			set = append(set, fmt.Sprintf("server 172.30.80.%d:8080 ", 11+i), "server "+replica+" ")
		}
		return replaced(t, "../../deploy/replicas.conf", set...)
	})
}

// startReplicasCaddy starts Caddy with deploy/Caddyfile.replicas.
func startReplicasCaddy(t *testing.T, replicas []string) string {
	t.Helper()
	root, program := t.TempDir(), processtest.Installed(t, "caddy", "caddy")
	return processtest.StartServer(t, func(address string) *exec.Cmd {
		set := []string{"\n:80 {", "\nhttp://" + address + " {"}
		for i, replica := range replicas {
			set = append(set, fmt.Sprintf("127.0.0.1:%d", 8081+i), replica)
		}
		config := filepath.Join(root, "Caddyfile")
		writeText(t, config, replaced(t, "../../deploy/Caddyfile.replicas", set...))
		command := exec.Command(program, "run", "--config", config, "--adapter", "caddyfile")
		command.Env = append(os.Environ(), "HOME="+root, "XDG_DATA_HOME="+root, "XDG_CONFIG_HOME="+root)
		return command
	})
}

// replaced returns a file with values replaced: pairs of what is there and what takes its
// place.
func replaced(t *testing.T, file string, set ...string) string {
	t.Helper()
	text := readText(t, file)
	var pairs []string
	for i := 0; i < len(set); i += 2 {
		if !strings.Contains(text, set[i]) {
			t.Fatalf("%s has no %q", file, set[i])
		}
		pairs = append(pairs, set[i], set[i+1])
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// TestProxiesKeepConnections checks that nginx and Caddy do not open a connection to a
// replica for each request.
func TestProxiesKeepConnections(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	for name, start := range map[string]func(*testing.T, []string) string{"nginx": startReplicasNginx, "Caddy": startReplicasCaddy} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests, connections atomic.Int64
			replica := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/page" {
					requests.Add(1)
				}
			}))
			replica.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				if state == http.StateNew {
					connections.Add(1)
				}
			}
			replica.Start()
			defer replica.Close()
			address := replica.Listener.Addr().String()
			base := "http://" + start(t, []string{address, address, address})
			client := clientFrom(t, "127.0.9.5")
			for range 40 {
				if answer, err := ask(t.Context(), client, http.MethodGet, base+"/page", ""); err != nil || answer.status != 200 {
					t.Fatalf("%d, %v", answer.status, err)
				}
			}
			// Caddy has 12 others to ask whether replicas are ready.
			if r, c := requests.Load(), connections.Load(); r != 40 || c > 20 {
				t.Errorf("%d requests over %d connections", r, c)
			}
		})
	}
}
