//go:build unix

package server

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"catalog.example/api/server/processtest"
	"catalog.example/api/soak"
)

// Attacks on connections, requests and answers, each on the program as it is
// shipped with the shipped listings: memory stays bounded, other clients and probes
// are answered, and nothing fails.
func TestSoakHTTPAttacks(t *testing.T) {
	t.Parallel()
	program, public := shipped(t)
	for name, attack := range map[string]func(*testing.T, *shippedCatalog){
		"slow connections": slowConnections, "many headers": manyHeaders, "many headers and no reader": manyHeadersUnread,
		"unread answers": unreadByMany, "pipelined requests": pipelined, "large addresses": largeAddresses, "many values": manyValues, "traversal": traversal,
	} {
		t.Run(name, func(t *testing.T) {
			asked := []string{"/healthz", "/readyz", "/api/v1/search?q=image&limit=5"}
			if name == "unread answers" { // they use up the memory for answers, so that a search is told to come again
				asked[2] = "/llms.txt"
			}
			underAttack(t, program, public, asked, attack)
		})
	}
}

// get is a request over a connection that is kept.
func get(target, headers string) string {
	return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n"
}

// shortHeaders are as many as fit into a request, which is when they take most
// memory.
func shortHeaders() string {
	var b strings.Builder
	for n := range 5000 {
		fmt.Fprintf(&b, "%c%c%c:\r\n", 'a'+n/676, 'a'+n/26%26, 'a'+n%26)
	}
	return b.String()
}

// served asks from other clients, while an attack lasts.
func served(t *testing.T, c *shippedCatalog) {
	t.Helper()
	for n := range 20 {
		response, err := c.http(processtest.Client(50_000+n), othersWait).Get("http://" + c.address + "/api/v1/search?q=image")
		if err != nil {
			t.Fatalf("another client: %v", err)
		}
		_ = response.Body.Close() // it is not read
		if response.StatusCode != http.StatusOK {
			t.Errorf("another client is answered %d", response.StatusCode)
		}
	}
}

// slowConnections send a part of a request, or nothing, or nothing more.
func slowConnections(t *testing.T, c *shippedCatalog) {
	parts := []string{
		"", "G", "GET / HTTP/1.1\r\nHost: localhost\r\n", "POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\na",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", get("/healthz", ""),
	}
	for n := range soak.Rounds(2000) {
		open(t, c, n, parts[n%len(parts)])
	}
	served(t, c)
}

// manyHeaders are sent over many connections at once, and their requests do not
// end.
func manyHeaders(t *testing.T, c *shippedCatalog) {
	headers := shortHeaders()
	for n := range soak.Rounds(2000) {
		open(t, c, n, strings.TrimSuffix(get("/", headers), "\r\n"))
	}
	served(t, c)
}

func manyHeadersUnread(t *testing.T, c *shippedCatalog) {
	request := get("/llms-full.txt", shortHeaders())
	for n := range soak.Rounds(2000) {
		open(t, c, n, request)
	}
	served(t, c)
}

// unreadByMany asks for the largest answers from many addresses, and reads none.
func unreadByMany(t *testing.T, c *shippedCatalog) {
	for n := range soak.Rounds(2000) {
		target := []string{"/llms-full.txt", "/api/v1/projects?limit=100&offset=%d", "/api/v1/search?limit=50&offset=%d"}[n%3]
		if strings.Contains(target, "%") {
			target = fmt.Sprintf(target, n%200)
		}
		open(t, c, n, strings.Repeat(get(target, ""), 2))
	}
	await(t, "answers wait for their readers", func() bool { return metric(t, c, "catalog_http_requests_in_flight") > 0 })
}

// together has clients send bytes, and read what comes until it ends. The statuses
// of all answers are to be allowed ones, and no answer holds what lies outside of the
// folder. It returns how often each status came.
func together(t *testing.T, c *shippedCatalog, clients int, bytes func(client int) string, allowed ...int) map[int]int {
	t.Helper()
	var mu sync.Mutex
	statuses := map[int]int{}
	var sending sync.WaitGroup
	for client := range clients {
		connection := open(t, c, client, "")
		sending.Go(func() {
			go func() { _, _ = io.WriteString(connection, bytes(client)) }() // the server may answer and close before it has read everything
			for in := bufio.NewReader(connection); ; {
				response, err := http.ReadResponse(in, nil)
				if err != nil {
					return // the connection has ended
				}
				body, _ := io.ReadAll(response.Body)
				mu.Lock()
				statuses[response.StatusCode]++
				mu.Unlock()
				if !slices.Contains(allowed, response.StatusCode) || strings.Contains(string(body), "root:") {
					t.Errorf("client %d is answered %d %.200s", client, response.StatusCode, body)
				}
			}
		})
	}
	served(t, c)
	sending.Wait()
	return statuses
}

const last = "Connection: close\r\n"

func pipelined(t *testing.T, c *shippedCatalog) {
	clients := soak.Rounds(200)
	got := together(t, c, clients, func(int) string {
		return strings.Repeat(get("/api/v1/projects?limit=10", "")+get("/llms.txt", ""), 50) + get("/", last)
	}, 200, 503)
	if got[200]+got[503] != 101*clients || got[200] == 0 {
		t.Errorf("of %d requests: %v", 101*clients, got)
	}
}

func largeAddresses(t *testing.T, c *shippedCatalog) {
	got := together(t, c, soak.Rounds(500), func(client int) string {
		size := []int{8 << 10, 9 << 10, 30 << 10, 100 << 10, 1 << 20}[client%5]
		return get("/api/v1/search?q="+strings.Repeat("%41", size/3), last)
	}, 414, 431, 503)
	if got[414] == 0 {
		t.Errorf("none is too long: %v", got)
	}
}

func manyValues(t *testing.T, c *shippedCatalog) {
	query := "/api/v1/search?license=" + strings.Repeat("MIT,", 2020)[:8050]
	got := together(t, c, soak.Rounds(500), func(int) string { return strings.Repeat(get(query, ""), 20) + get(query, last) }, 400, 503)
	if got[400] == 0 {
		t.Errorf("none has too many values: %v", got)
	}
}

// traversal asks for what lies outside of the folder, in all ways to write it.
func traversal(t *testing.T, c *shippedCatalog) {
	dots := []string{"..", "%2e%2e", "%2E.", "..%2f..", "..%5c..", "%252e%252e", "%c0%ae%c0%ae", ".", "....", "..%00", "..;"}
	clients := soak.Rounds(100)
	got := together(t, c, clients, func(client int) string {
		random := rand.New(rand.NewPCG(uint64(client), 1))
		var b strings.Builder
		for range 240 {
			path := one(random, "", "/assets", "/projects", "/api", "/api/v1", "/.well-known")
			for range 1 + random.IntN(8) {
				path += "/" + one(random, dots...)
			}
			b.WriteString(get(path+"/"+one(random, "etc/passwd", "etc%2fpasswd", "go.mod", "search.idx", "_headers"), ""))
		}
		return b.String() + get("/", last)
	}, 200, 400, 404, 429, 503)
	if got[200] > clients || got[404] == 0 { // the home page is all that is there
		t.Errorf("the answers are %v", got)
	}
}
