//go:build unix

package server

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"catalog.example/api/server/processtest"
	"catalog.example/api/soak"
)

// What the server promises under each attack.
const (
	mostResident = 256 << 20        // bytes of resident memory
	othersWait   = 10 * time.Second // until another client has its answer, on a machine that is busy
)

// dearCall asks for the largest answer that a message may get.
const dearCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_catalog","arguments":{"q":"model","limit":50,"view":"full"}}}`

// Attacks on the MCP server, each on the program as it is shipped with the shipped
// listings: memory stays bounded, other clients are answered, and nothing fails.
func TestSoakMCPAttacks(t *testing.T) {
	t.Parallel()
	program, public := shipped(t)
	const search = "/api/v1/search?q=image&limit=5"
	for _, attack := range []struct {
		name   string
		run    func(*testing.T, *shippedCatalog)
		others []string // what other clients ask for meanwhile
	}{
		{"many calls in one message", manyCallsInOne, []string{"/healthz", search}},
		{"a dear call from each of many addresses", dearCallsAtOnce, []string{"/healthz", search}},
		{"a dear call from each of many addresses that do not read", unreadCalls, []string{"/healthz", search}},
		{"bodies that are announced and do not come", announcedBodies, []string{"/healthz", search}},
		{"pages and answers that one client does not read", unreadAnswers, []string{"/healthz", search}},
		// They use up the memory for answers, so that a search is told to come again.
		{"lists that many addresses do not read", unreadLists, []string{"/healthz", "/", "/llms.txt"}},
	} {
		t.Run(attack.name, func(t *testing.T) {
			underAttack(t, program, public, attack.others, attack.run)
		})
	}
}

// underAttack starts the program and attacks it: its memory stays bounded, what other
// clients ask for is answered, and nothing fails.
func underAttack(t *testing.T, program, public string, asked []string, attack func(*testing.T, *shippedCatalog)) {
	t.Helper()
	c := startCatalog(t, program, public)
	others := watchOthers(c, asked)
	attack(t, c)
	slowest, answered, err := others()
	if err != nil {
		t.Errorf("another client: %v", err)
	}
	peak := c.peakMemory()
	if peak > mostResident {
		t.Errorf("the server takes %d MiB of memory, want at most %d", peak>>20, mostResident>>20)
	}
	if said := c.Said(); !c.Running() || strings.Contains(said, "level=ERROR") {
		t.Errorf("running: %t; it says %s", c.Running(), said)
	}
	t.Logf("%d MiB; %d requests of others, the slowest %v", peak>>20, answered, slowest)
}

// watchOthers asks from one address after another until it is told to stop, and
// tells how that went: the error is that of the first request that failed.
func watchOthers(c *shippedCatalog, paths []string) (end func() (slowest time.Duration, answered int, err error)) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	var slowest time.Duration
	var answered int
	var failed error
	go func() {
		defer close(stopped)
		for n := 0; failed == nil; n++ {
			begun := time.Now()
			for _, path := range paths {
				response, err := c.http(processtest.Client(100_000+n), othersWait).Get("http://" + c.address + path)
				if err == nil {
					_, err = io.Copy(io.Discard, response.Body)
					_ = response.Body.Close() // it was read
					if err == nil && response.StatusCode != http.StatusOK {
						err = fmt.Errorf("%s is answered %d", path, response.StatusCode)
					}
				}
				if err != nil {
					failed = err
					return
				}
			}
			slowest = max(slowest, time.Since(begun))
			answered++
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond): // the next client
			}
		}
	}()
	return func() (time.Duration, int, error) {
		close(stop)
		<-stopped
		return slowest, answered, failed
	}
}

// posted is a message as it goes over the wire, announced with a length.
func posted(body string, length int) string {
	return fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s", length, body)
}

// open connects as a client and sends bytes. The kernel keeps little for those who
// do not read.
func open(t *testing.T, c *shippedCatalog, client int, bytes string) net.Conn {
	t.Helper()
	dialer := net.Dialer{
		LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(processtest.Client(client), 0)),
		Control: func(_, _ string, raw syscall.RawConn) (err error) {
			return errors.Join(raw.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4<<10) }), err)
		},
	}
	connection, err := dialer.DialContext(t.Context(), "tcp", c.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	_ = connection.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(connection, bytes); err != nil {
		t.Fatal(err)
	}
	return connection
}

// readReply reads an answer from a connection.
func readReply(connection net.Conn) (reply, error) {
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		return reply{}, err
	}
	body, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header, string(body)}, err
}

// ask sends bytes as a client and returns the answer.
func ask(t *testing.T, c *shippedCatalog, client int, bytes string) reply {
	t.Helper()
	connection := open(t, c, client, bytes)
	defer func() { _ = connection.Close() }() // it was read
	r, err := readReply(connection)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// manyCallsInOne: what is more than one message is refused before any of it is
// answered, whatever stands around it.
func manyCallsInOne(t *testing.T, c *shippedCatalog) {
	var calls []string
	for id := range 550 {
		calls = append(calls, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search_catalog","arguments":{"limit":50}}}`, id))
	}
	list := "[" + strings.Join(calls, ",") + "]"
	var sending sync.WaitGroup
	for client := range 20 {
		body := [...]string{list + "x", list, dearCall + "x", dearCall + dearCall}[client%4]
		sending.Go(func() {
			connection, err := c.dial(t.Context(), processtest.Client(client))
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = connection.Close() }() // it was read
			_ = connection.SetDeadline(time.Now().Add(patience))
			if _, err := io.WriteString(connection, posted(body, len(body))); err != nil {
				t.Error(err)
				return
			}
			if r, err := readReply(connection); err != nil || r.status != http.StatusBadRequest || !strings.Contains(r.body, `"error":{"code":-32`) {
				t.Errorf("%.20s… of %d bytes is answered %d with %d bytes, %.100s, %v", body, len(body), r.status, len(r.body), r.body, err)
			}
		})
	}
	sending.Wait()
}

// dearCallsAtOnce: all are answered, or told when to come again.
func dearCallsAtOnce(t *testing.T, c *shippedCatalog) {
	var waiting []net.Conn
	for client := range soak.Rounds(1000) {
		waiting = append(waiting, open(t, c, client, posted("", len(dearCall))))
	}
	var done, later atomic.Int64
	var sending sync.WaitGroup
	for _, connection := range waiting {
		sending.Go(func() {
			if _, err := io.WriteString(connection, dearCall); err != nil {
				t.Error(err)
				return
			}
			switch r, err := readReply(connection); {
			case err == nil && r.status == http.StatusOK && strings.Contains(r.body, "structuredContent"):
				done.Add(1)
			case err == nil && r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") != "":
				later.Add(1)
			default:
				t.Errorf("%d %.200s %v", r.status, r.body, err)
			}
		})
	}
	sending.Wait()
	t.Logf("%d are answered, %d told to come again", done.Load(), later.Load())
	if done.Load() == 0 {
		t.Error("all are told to come again")
	}
}

// unreadCalls: answers that nobody reads take a bounded part of the memory.
func unreadCalls(t *testing.T, c *shippedCatalog) {
	clients := soak.Rounds(1000)
	for client := range clients {
		open(t, c, client, posted(dearCall, len(dearCall)))
	}
	await(t, "all calls are made or refused", func() bool {
		return metric(t, c, `catalog_mcp_calls_total{call="search_catalog",outcome="ok"}`)+metric(t, c, `catalog_http_overloaded_total{reason="slots"}`) >= float64(clients)
	})
}

// announcedBodies: a client that announces messages and does not send them keeps
// nobody else out; past its allowance it is not waited for.
func announcedBodies(t *testing.T, c *shippedCatalog) {
	const stranger, other = 0, 1
	announced := posted("{", 65536)
	for range soak.Rounds(1024) {
		open(t, c, stranger, announced)
	}
	await(t, "the server waits for some, and for no more", func() bool {
		return metric(t, c, "catalog_http_requests_in_flight") < 2*maxUnread && metric(t, c, `catalog_http_overloaded_total{reason="bodies"}`) > 0
	})
	for range 5 {
		if r := ask(t, c, other, posted(dearCall, len(dearCall))); r.status != http.StatusOK {
			t.Fatalf("another client is answered %d: %.200s", r.status, r.body)
		}
	}
	for range 200 {
		if ask(t, c, stranger, "GET /api/v1/search?q=x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").status == http.StatusTooManyRequests {
			break
		}
	}
	begun := time.Now()
	connection := open(t, c, stranger, announced)
	r, err := readReply(connection)
	if took := time.Since(begun); err != nil || r.status != http.StatusTooManyRequests || r.header.Get("Retry-After") == "" || took > readTimeout/2 {
		t.Errorf("past its allowance it is answered %d after %v: %.200s, %v", r.status, took, r.body, err)
	}
	if _, err := io.Copy(io.Discard, connection); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("the connection is kept: %v", err)
	}
}

// unreadAnswers: readers of one page share its memory, so that there is room left
// for others.
func unreadAnswers(t *testing.T, c *shippedCatalog) {
	const stranger = 0
	pages := soak.Rounds(380)
	for range pages { // more than the kernel takes off the server's hands
		open(t, c, stranger, strings.Repeat("GET /llms-full.txt HTTP/1.1\r\nHost: localhost\r\n\r\n", 20))
	}
	for range 20 {
		open(t, c, stranger, "GET /api/v1/search?limit=50 HTTP/1.1\r\nHost: localhost\r\n\r\n")
	}
	await(t, "all are being answered", func() bool { return metric(t, c, "catalog_http_requests_in_flight") >= float64(pages) })
	if n := metric(t, c, `catalog_http_overloaded_total{reason="unsent"}`); n != 0 {
		t.Errorf("%v answers find no room", n)
	}
}

// unreadLists: the largest answers there are, as many as their clients may ask for.
func unreadLists(t *testing.T, c *shippedCatalog) {
	clients := soak.Rounds(1000)
	for client := range clients {
		var requests strings.Builder
		for n := range 30 { // more than the kernel takes off the server's hands
			fmt.Fprintf(&requests, "GET /api/v1/projects?limit=100&offset=%d HTTP/1.1\r\nHost: localhost\r\n\r\n", (client+n)%250)
		}
		open(t, c, client, requests.String())
	}
	await(t, "many are being answered", func() bool {
		return metric(t, c, "catalog_http_requests_in_flight") >= float64(min(clients, 200))
	})
}

// await asks until something is so.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !so(); <-time.After(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it does not come about that %s", what)
		}
	}
}

// metric returns the value of a series.
func metric(t *testing.T, c *shippedCatalog, series string) (value float64) {
	t.Helper()
	r, err := fetch("http://"+c.admin, http.MethodGet, "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(r.body, "\n"+series+" ")
	line, _, _ := strings.Cut(rest, "\n")
	if _, err := fmt.Sscan(line, &value); err != nil {
		t.Fatalf("%s is %q", series, line)
	}
	return value
}
