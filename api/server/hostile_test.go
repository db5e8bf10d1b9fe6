package server

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"catalog.example/api/server/processtest"
	"catalog.example/api/soak"
)

// promptly is how long a client may wait for a small answer while others do their
// worst: a hundred times what it takes on a machine with two busy cores and the
// race detector.
const promptly = 5 * time.Second

// newTarget returns a server with an allowance that a test cannot use up, and the
// loopback address at which it answers.
func newTarget(t testing.TB, change func(*options)) (s *Server, address string, log *processtest.Output) {
	t.Helper()
	public := filepath.Join(t.TempDir(), "public")
	c, files := numbered(1)
	writeBuild(t, public, c, files)
	target, log := newBuilt(t, public, change)
	return target.Server, run(t, target.Server), log
}

// prober is a client that behaves, and asks until it is told to stop.
type prober struct {
	asking sync.WaitGroup
	stop   context.CancelFunc
	asked  atomic.Int64
	worst  atomic.Int64 // nanoseconds
}

// probe asks for one thing after another, over new connections and kept ones, and
// reports what is not answered promptly.
func probe(t testing.TB, address string) *prober {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	p := &prober{stop: stop}
	for _, fresh := range []bool{false, true} {
		p.asking.Go(func() {
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: fresh}, Timeout: promptly}
			defer client.CloseIdleConnections()
			rest := time.NewTicker(10 * time.Millisecond) // it is not the probing that is measured
			defer rest.Stop()
			for i := 0; ctx.Err() == nil; i++ {
				<-rest.C
				target := []string{"/api/v1/search?q=documents", "/api/v1/projects?limit=2", "/", "/api/v1/projects/paper-lantern-3", "/healthz"}[i%5]
				began := time.Now()
				response, err := client.Get("http://" + address + target)
				if err == nil {
					_, err = io.Copy(io.Discard, response.Body)
					err = errors.Join(err, response.Body.Close())
				}
				if err != nil || response.StatusCode != 200 {
					t.Errorf("%s is not served: %v", target, err)
					return
				}
				p.asked.Add(1)
				p.worst.Store(max(p.worst.Load(), int64(time.Since(began))))
			}
		})
	}
	t.Cleanup(p.end)
	return p
}

// end stops asking.
func (p *prober) end() {
	p.stop()
	p.asking.Wait()
}

func (p *prober) String() string {
	return fmt.Sprintf("%d answers to others, the slowest in %v", p.asked.Load(), time.Duration(p.worst.Load()).Round(time.Millisecond))
}

// TestSlowClients has 1,000 clients send a byte a second, of headers or of a body:
// all are cut off in the time that SECURITY.md names, and others are served.
func TestSlowClients(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	const clients = 1000
	s, address, log := newTarget(t, nil)
	start := "GET /api/v1/projects HTTP/1.1\r\nHost: a\r\nX-Slow: "
	withBody := "POST /api/v1/search HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n"
	began := time.Now()
	var connections []net.Conn
	var cut sync.WaitGroup
	for i := range clients {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		first := start
		if i%10 == 0 {
			first = withBody
		}
		if _, err := io.WriteString(c, first); err != nil {
			t.Fatal(err)
		}
		connections = append(connections, c)
		cut.Go(func() { _, _ = io.Copy(io.Discard, c) })
	}
	others := probe(t, address)
	over := make(chan struct{})
	go func() { cut.Wait(); close(over) }()
	everySecond := time.NewTicker(time.Second)
	defer everySecond.Stop()
	for dribbling := true; dribbling; {
		select {
		case <-over:
			dribbling = false
		case <-everySecond.C:
			for _, c := range connections {
				_, _ = io.WriteString(c, "a") // fails once it is cut
			}
			if time.Since(began) > patience {
				t.Fatal("slow clients are not cut off")
			}
		}
	}
	others.end()
	// The last was begun a little after the first; the server is asked every second.
	if took := time.Since(began); took > readTimeout+patience/6 {
		t.Errorf("the slow clients were cut off after %v", took)
	}
	if others.asked.Load() < 20 {
		t.Errorf("only %v", others)
	}
	checkUnharmed(t, s, log)
	t.Logf("%d clients were cut off after %v; %v", clients, time.Since(began).Round(time.Second), others)
}

// checkUnharmed tells of panics, faults, and of what is never given back.
func checkUnharmed(t testing.TB, s *Server, log *processtest.Output) {
	t.Helper()
	if text := log.String(); strings.Contains(text, "panic") || strings.Contains(text, "level=ERROR") {
		t.Errorf("the log tells of a fault: %s", text)
	}
	f := &fixture{t: t, server: s}
	if panics := f.value(t, "catalog_http_panics_total"); panics != 0 {
		t.Errorf("%v panics", panics)
	}
	eventually(t, "all is given back", func() bool {
		return s.slots.used.Load() == 0 && s.unsent.used.Load() == 0 && s.metrics.inFlight.Load() == 0
	})
}

// exchangeRaw sends bytes as they are and returns the answers to requests of those
// methods, and of GET from there on.
func exchangeRaw(address, request string, methods ...string) (replies []reply, err error) {
	answers, _, err := sendRaw(address, []byte(request))
	if err != nil {
		return nil, err
	}
	reader := bufio.NewReader(bytes.NewReader(answers))
	for i := 0; ; i++ {
		if _, err := reader.Peek(1); err != nil {
			return replies, nil
		}
		method := http.MethodGet
		if i < len(methods) {
			method = methods[i]
		}
		response, err := http.ReadResponse(reader, &http.Request{Method: method})
		if err != nil {
			return replies, fmt.Errorf("answer %d: %w", i, err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return replies, fmt.Errorf("body of answer %d: %w", i, err)
		}
		replies = append(replies, reply{response.StatusCode, response.Header, string(body)})
	}
}

// TestRawRequests sends what no decent client sends. A request whose end two
// readers could see in different places is refused, or the last of its connection.
func TestRawRequests(t *testing.T) {
	t.Parallel()
	soak.Long(t)
	s, address, log := newTarget(t, nil)
	get := func(target, headers string) string { return "GET " + target + " HTTP/1.1\r\n" + headers + "\r\n" }
	const host, smuggled = "Host: a\r\n", "GET /llms.txt HTTP/1.1\r\nHost: a\r\n\r\n"
	fill := func(n int) string { return strings.Repeat("a", n) }
	for _, test := range []struct {
		name, request string
		want          string // statuses
	}{
		{"one request", get("/llms.txt", host), "200"},
		{"pipelined", strings.Repeat(smuggled, 50), strings.TrimSpace(strings.Repeat("200 ", 50))},
		{"pipelined, of all kinds", smuggled + "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + get("/api/v1/nope", host) + smuggled, "200 200 404 200"},
		{"pipelined, the last is broken", smuggled + "nonsense\r\n\r\n" + smuggled, "200 400"},
		{"pipelined, the first ends it", get("/", host+"Connection: close\r\n") + smuggled, "200"},
		{"nothing", "", ""},
		{"blank lines", "\r\n\r\n", "400"},
		{"half a request", "GET /api/v1/proj", "400"},
		{"a NUL", "GET /\x00 HTTP/1.1\r\n" + host + "\r\n", "400"},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "400"},
		{"HTTP/2 without asking", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "404"},
		{"HTTP/0.9", "GET /\r\n\r\n", "400"},
		{"HTTP/1.0", "GET /llms.txt HTTP/1.0\r\n\r\n", "200"},
		{"HTTP/3.0", "GET / HTTP/3.0\r\n" + host + "\r\n", "505"},

		{"a body on GET", get("/llms.txt", host+"Content-Length: 5\r\n") + "hello", "200"},
		{"a body that is a request", get("/llms.txt", host+"Content-Length: "+strconv.Itoa(len(smuggled))+"\r\n") + smuggled, "200"},
		{"a request behind a body", get("/llms.txt", host+"Content-Length: 5\r\n") + "hello" + smuggled, "200"},
		{"a body that is announced", get("/llms.txt", host+"Content-Length: 5\r\nExpect: 100-continue\r\n"), "200"},
		{"another expectation", get("/llms.txt", host+"Expect: cake\r\n"), "417"},
		{"a body in chunks", get("/llms.txt", host+"Transfer-Encoding: chunked\r\n") + "5\r\nhello\r\n0\r\n\r\n", "200"},
		{"broken chunks", get("/llms.txt", host+"Transfer-Encoding: chunked\r\n") + "zz\r\nhello\r\n" + smuggled, "200"},
		{"a huge chunk", get("/llms.txt", host+"Transfer-Encoding: chunked\r\n") + "ffffffffffffffff0\r\n" + smuggled, "200"},
		{"length and chunks, CL.TE", get("/llms.txt", host+"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n" + smuggled, "200"},
		{"length and chunks, TE.CL", get("/llms.txt", host+"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n") + "5c\r\n" + smuggled + "0\r\n\r\n", "200"},
		{"two lengths that differ", get("/llms.txt", host+"Content-Length: 5\r\nContent-Length: 6\r\n") + "hello" + smuggled, "400"},
		{"two lengths in a list", get("/llms.txt", host+"Content-Length: 5, 5\r\n") + "hello" + smuggled, "400"},
		{"a length with a sign", get("/llms.txt", host+"Content-Length: +5\r\n") + "hello" + smuggled, "400"},
		{"a negative length", get("/llms.txt", host+"Content-Length: -5\r\n") + smuggled, "400"},
		{"a length out of this world", get("/llms.txt", host+"Content-Length: 99999999999999999999\r\n") + smuggled, "400"},
		{"an unknown coding", get("/llms.txt", host+"Transfer-Encoding: gzip, chunked\r\n") + "0\r\n\r\n" + smuggled, "501"},
		{"a coding behind a tab", get("/llms.txt", host+"Transfer-Encoding:\tchunked\r\n") + "0\r\n\r\n" + smuggled, "200"},
		{"a coding in disguise", get("/llms.txt", host+"Transfer-Encoding: xchunked\r\n") + "0\r\n\r\n" + smuggled, "501"},
		{"a name before a space", get("/llms.txt", host+"Transfer-Encoding : chunked\r\n") + "0\r\n\r\n" + smuggled, "400"},
		{"a name that is none", get("/llms.txt", host+"X-\x01: a\r\n"), "400"},
		{"a header without a colon", get("/llms.txt", host+"nonsense\r\n"), "400"},
		{"a NUL in a value", get("/llms.txt", host+"X-A: a\x00b\r\n"), "400"},
		{"a bare CR in a value", get("/llms.txt", host+"X-A: a\rX-Api-Key: nope\r\n"), "400"},
		{"a bare LF is an end", get("/api/v1/projects", host+"X-A: a\nX-Api-Key: nope\r\n"), "401"},
		{"bare LFs throughout", "GET /llms.txt HTTP/1.1\nHost: a\n\n", "200"},
		{"a folded line", get("/llms.txt", host+"X-A: a\r\n  b\r\n"), "200"},
		{"a folded length", get("/llms.txt", host+"Content-Length:\r\n 5\r\n") + "hello" + smuggled, "200"},
		{"a folded first line", "GET /llms.txt HTTP/1.1\r\n Host: a\r\n\r\n", "400"},
		{"no host", get("/llms.txt", ""), "400"},
		{"two hosts", get("/llms.txt", host+"Host: b\r\n"), "400"},
		{"a host that is none", get("/llms.txt", "Host: a b\r\n"), "400"},
		{"an empty host", get("/llms.txt", "Host:\r\n"), "200"},

		{"absolute form", get("http://elsewhere.example/llms.txt", host), "200"},
		{"absolute form of another scheme", get("gopher://elsewhere.example/llms.txt", host), "200"},
		{"authority form", get("elsewhere.example:80", host), "200"},
		{"asterisk form", "OPTIONS * HTTP/1.1\r\n" + host + "\r\n", "200"},
		{"asterisk form of GET", get("*", host), "404"},
		{"CONNECT", "CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: elsewhere.example:443\r\n\r\n", "405"},
		{"CONNECT to a path", "CONNECT /llms.txt HTTP/1.1\r\n" + host + "\r\n", "405"},
		{"TRACE", "TRACE /llms.txt HTTP/1.1\r\n" + host + "X-Api-Key: catalog-sandbox\r\n\r\n", "405"},
		{"an unknown method", "BREW /api/v1/projects HTTP/1.1\r\n" + host + "\r\n", "405"},
		{"a method in lower case", "get /api/v1/projects HTTP/1.1\r\n" + host + "\r\n", "405"},
		{"a method that is none", "G@T /llms.txt HTTP/1.1\r\n" + host + "\r\n", "400"},
		{"an upgrade", get("/llms.txt", host+"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n"), "200"},

		{"an address of 8 KiB", get("/llms.txt?"+fill(maxURI-len("/llms.txt?")), host), "200"},
		{"an address of a byte more", get("/llms.txt?"+fill(maxURI+1-len("/llms.txt?")), host), "414"},
		{"an address of 30 KB", get("/"+fill(30<<10), host), "414"},
		{"an address of 100 KB", get("/"+fill(100<<10), host), "431"},
		{"headers of 30 KB", get("/llms.txt", host+"X-A: "+fill(30<<10)+"\r\n"), "200"},
		{"headers of 100 KB", get("/llms.txt", host+"X-A: "+fill(100<<10)+"\r\n"), "431"},
		{"headers of 10 MB", get("/llms.txt", host+strings.Repeat("X-A: "+fill(1000)+"\r\n", 10_000)), "431"},
		{"20,000 headers", get("/llms.txt", host+strings.Repeat("a: b\r\n", 20_000)), "431"},
		{"broken escapes in a path", get("/a%zz", host), "400"},
		{"a cut escape", get("/api/v1/projects/%f", host), "400"},
		{"broken escapes in a query", get("/api/v1/search?q=%zz&%=%", host), "400"},
		{"no UTF-8 in a path", get("/api/v1/projects/\xff\xfe", host), "404"},
		{"no UTF-8 in a page's path", get("/%ff%c0%af..", host), "404"},
		{"no UTF-8 in a query", get("/api/v1/search?q=%ff%fe", host), "400"},
		{"half a surrogate", get("/api/v1/search?q=%ed%a0%80", host), "400"},
		{"a NUL in a query", get("/api/v1/search?q=%00", host), "200"},
		{"an escaped NUL in a path", get("/llms.txt%00", host), "404"},
		{"an escaped line", get("/api/v1/projects/a%0d%0aX-A:%20b", host), "404"},
		{"a line in an id", get("/llms.txt", host+"X-Request-Id: a%0d%0aX-A: b\r\n"), "200"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var methods []string
			for line := range strings.Lines(test.request) {
				if method, _, ok := strings.Cut(line, " "); ok && strings.Contains(line, " HTTP/1.1\r\n") {
					methods = append(methods, method)
				}
			}
			replies, err := exchangeRaw(address, test.request, methods...)
			if err != nil {
				t.Error(err)
			}
			var got []string
			for _, r := range replies {
				got = append(got, strconv.Itoa(r.status))
				if r.header.Get("X-A") != "" {
					t.Errorf("a header was forged: %v", r.header)
				}
				if strings.Contains(r.body, "catalog-sandbox") && strings.HasPrefix(test.request, "TRACE") {
					t.Errorf("the request is echoed: %s", r.body)
				}
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("answered %q, want %q", strings.Join(got, " "), test.want)
			}
		})
	}
	checkUnharmed(t, s, log)
}
