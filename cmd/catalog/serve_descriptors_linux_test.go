package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"catalog.example/api/site"
)

// checkFewDescriptors takes all 64 file descriptors of a server with idle connections.
// The server must still answer a connected client, never with 404 for an existing page,
// must not spin, and must recover when the idle connections end.
func checkFewDescriptors(t *testing.T, program, public string) {
	const limit, idle = 64, 100
	s := startServeWith(t, func(s *serveProcess) {
		s.command.Args = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, limit), program}, s.command.Args[1:]...)
		s.command.Path = "/bin/sh"
		s.command.Env = append(s.command.Env, fmt.Sprintf("CATALOG_ANONYMOUS_PER_MINUTE=%d", site.MaxAllowance))
	}, program, "--public", public, "--addr", "127.0.0.1:0", "--log-level", "debug")
	address := s.address(t, "listening on")
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1, DisableCompression: true}, Timeout: testTimeout}
	defer client.CloseIdleConnections()
	ask := func(path string) int {
		t.Helper()
		response, err := client.Get(address + path)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		_, err = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return response.StatusCode
	}
	if status := ask("/healthz"); status != http.StatusOK {
		t.Fatalf("/healthz answers %d", status)
	}
	start := time.Now()
	for range idle {
		c, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	pid := s.command.Process.Pid
	for deadline := time.Now().Add(testTimeout); openFiles(t, pid) < limit; {
		if time.Now().After(deadline) {
			t.Fatal("descriptors are left")
		}
	}
	full := 0
	for time.Since(start) < 3*time.Second { // idle connections are closed after 5 s
		for path, fromIndex := range map[string]bool{
			"/api/v1/search?q=transcribe": true, "/api/v1/projects/paper-lantern": true, "/healthz": true, "/readyz": true,
			"/": false, "/projects/paper-lantern/": false, "/projects/willow-bridge": false, "/llms.txt": false, "/api/v1/lists/newest/1.json": false,
			"/projects/copper-kettle/index.html.md": false, "/assets/big.bin": false,
		} {
			switch status := ask(path); {
			case status < http.StatusBadRequest:
			case status == http.StatusServiceUnavailable && !fromIndex:
				full++
			default:
				t.Fatalf("without descriptors, %s answers %d", path, status)
			}
		}
	}
	if retries := strings.Count(s.stderr.String(), "too many open files; retrying"); retries < 1 || retries > 100 {
		t.Errorf("in %v, accepting failed %d times", time.Since(start), retries)
	}
	if full == 0 {
		t.Error("descriptors never lacked")
	}
	// Idle connections are closed after 5 seconds, and new ones are accepted.
	for deadline := time.Now().Add(testTimeout); ; {
		if status, _, err := get(address + "/projects/willow-bridge/"); err == nil && status == http.StatusOK {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("nobody new is served, though the silent connections are closed")
		}
	}
	for _, path := range []string{"/", "/projects/paper-lantern/", "/llms.txt", "/api/v1/lists/newest/1.json", "/assets/big.bin"} {
		if status := ask(path); status != http.StatusOK {
			t.Errorf("afterwards, %s answers %d", path, status)
		}
	}
	if text := s.stderr.String(); strings.Contains(text, "panic") {
		t.Error(text)
	}
	// The log has at most one line a second for a fault that all requests share.
	if lines, seconds := strings.Count(s.stderr.String(), "msg=fault"), int(time.Since(start).Seconds()); lines < 1 || lines > seconds+2 {
		t.Errorf("%d lines tell of the fault in %d seconds", lines, seconds)
	}
	t.Logf("%d answers were 503; all was over after %v", full, time.Since(start))
}

// openFiles returns the number of open descriptors of a process.
func openFiles(t *testing.T, pid int) int {
	t.Helper()
	list, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
