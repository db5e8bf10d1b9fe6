//go:build unix

package main

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// keepAliveClient is an HTTP client with one connection, which it keeps until the
// server closes it.
type keepAliveClient struct {
	address    string // host and port
	connection net.Conn
	reader     *bufio.Reader
}

func (c *keepAliveClient) close() {
	if c.connection != nil {
		_ = c.connection.Close()
		c.connection = nil
	}
}

// send sends a GET request.
func (c *keepAliveClient) send() (err error) {
	if c.connection == nil {
		if c.connection, err = net.DialTimeout("tcp", c.address, testTimeout); err != nil {
			return err
		}
		c.reader = bufio.NewReader(c.connection)
	}
	if err := c.connection.SetDeadline(time.Now().Add(testTimeout)); err != nil {
		return err
	}
	_, err = io.WriteString(c.connection, "GET /projects/paper-lantern/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
	return err
}

// read reads the response, and reports whether the server closes the connection after
// it.
func (c *keepAliveClient) read() (closing bool, err error) {
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return false, err
	}
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return false, err
	}
	if response.StatusCode != http.StatusOK {
		return false, errors.New(response.Status)
	}
	if response.Close {
		c.close()
	}
	return response.Close, nil
}

// checkNoLostRequest sends requests over 32 kept connections. Clients open a new one
// only after a response with Connection: close, and none once /readyz has failed. The
// server must answer every request that begins within the drain delay.
func checkNoLostRequest(t *testing.T, program, public string) {
	const clients, delay = 32, 300 * time.Millisecond
	s := startServe(t, program, "--public", public, "--addr", "127.0.0.1:0", "--drain-delay", delay.String())
	address := s.address(t, "listening on")
	var drainEnd atomic.Pointer[time.Time] // requests that begin before it must be answered
	var unready atomic.Bool                // /readyz has failed: no new connections
	var answered, closed atomic.Int64
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			c := &keepAliveClient{address: strings.TrimPrefix(address, "http://")}
			defer c.close()
			for c.connection != nil || !unready.Load() {
				start := time.Now()
				closing, err := false, c.send()
				if err == nil {
					closing, err = c.read()
				}
				if err != nil {
					if end := drainEnd.Load(); end == nil || start.Before(*end) {
						t.Errorf("a request is lost: %v", err)
					}
					return
				}
				answered.Add(1)
				if closing {
					closed.Add(1)
				}
			}
		})
	}
	for answered.Load() < 10*clients && !t.Failed() { // polls instead of sleeping
		if status, _ := fetch(t, address+"/readyz"); status != http.StatusOK {
			t.Fatalf("/readyz answers %d", status)
		}
	}
	if n := closed.Load(); n > 0 {
		t.Errorf("%d connections are closed before the signal", n)
	}
	end := time.Now().Add(delay)
	drainEnd.Store(&end)
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for time.Now().Before(end) && !unready.Load() {
		status, _, err := get(address + "/readyz")
		unready.Store(err == nil && status == http.StatusServiceUnavailable)
	}
	if !unready.Load() {
		t.Errorf("/readyz does not fail in %v", delay)
	}
	unready.Store(true)
	wg.Wait()
	if rest, status := s.end(t); status != exitOK || rest != "" || strings.Contains(s.stderr.String(), "ERROR") {
		t.Errorf("the program ends with status %d and says %q\n%s", status, rest, s.stderr)
	}
	if closed.Load() < clients {
		t.Errorf("%d clients are told %d times that their connection ends", clients, closed.Load())
	}
	t.Logf("%d answers, %d of them with Connection: close", answered.Load(), closed.Load())
}

// get is fetch for a server that may be down.
func get(address string) (status int, body string, err error) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: testTimeout}
	response, err := client.Get(address)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

// checkSentRequestsAnswered checks that, without a drain delay, the server answers all
// requests sent over kept connections before SIGTERM. SIGSTOP keeps it from reading
// them before the signal.
func checkSentRequestsAnswered(t *testing.T, program, public string) {
	s := startServe(t, program, "--public", public, "--addr", "127.0.0.1:0")
	address := strings.TrimPrefix(s.address(t, "listening on"), "http://")
	kept := make([]keepAliveClient, 300)
	for i := range kept {
		kept[i].address = address
		if err := kept[i].send(); err != nil {
			t.Fatal(err)
		}
		defer kept[i].close()
		if closing, err := kept[i].read(); closing || err != nil {
			t.Fatalf("the connection is not kept: %v", err)
		}
	}
	if err := s.command.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for i := range kept {
		if err := kept[i].send(); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.command.Process.Signal(syscall.SIGTERM), s.command.Process.Signal(syscall.SIGCONT)); err != nil {
		t.Fatal(err)
	}
	lost := 0
	var first error
	for i := range kept {
		if _, err := kept[i].read(); err != nil {
			first = err
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d requests that were sent before the signal are lost: %v", lost, len(kept), first)
	}
	if _, status := s.end(t); status != exitOK {
		t.Errorf("the program ends with status %d\n%s", status, s.stderr)
	}
}

// checkDrainDelay checks that during the drain delay /readyz fails on both addresses and
// all else is answered, over new connections too. A second signal ends the program at
// once.
func checkDrainDelay(t *testing.T, program, public string) {
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		s := startServe(t, program, "--public", public, "--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0", "--drain-delay", "50m")
		admin := s.address(t, "admin on")
		address := s.address(t, "listening on")
		if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		for _, base := range []string{address, admin} {
			for deadline := time.Now().Add(testTimeout); ; {
				if status, _ := fetch(t, base+"/readyz"); status == http.StatusServiceUnavailable {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("%s/readyz does not fail", base)
				}
			}
			if status, _ := fetch(t, base+"/healthz"); status != http.StatusOK {
				t.Errorf("%s/healthz answers %d", base, status)
			}
		}
		for _, path := range []string{"/", "/api/v1/search?q=transcribe", "/projects/paper-lantern/", "/nothing"} {
			response, err := http.Get(address + path)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if !response.Close || response.StatusCode >= http.StatusInternalServerError {
				t.Errorf("%s answers %d, and keeps the connection: %v", path, response.StatusCode, !response.Close)
			}
		}
		if _, body := fetch(t, admin+"/metrics"); !strings.Contains(body, "\ncatalog_ready 0\n") {
			t.Error("the metrics do not tell that the server drains")
		}
		if err := s.command.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if _, status := s.end(t); status != -1 { // ended by the signal
			t.Errorf("a second %v: the program ends with status %d\n%s", signal, status, s.stderr)
		}
	}
}

// checkInterruptSkipsDelay checks that an interrupt from the keyboard ends the program
// without the drain delay, even while a client keeps a connection.
func checkInterruptSkipsDelay(t *testing.T, program, public string) {
	s := startServe(t, program, "--public", public, "--addr", "127.0.0.1:0", "--drain-delay", "50m")
	c := &keepAliveClient{address: strings.TrimPrefix(s.address(t, "listening on"), "http://")}
	defer c.close()
	if err := c.send(); err != nil {
		t.Fatal(err)
	}
	if closing, err := c.read(); closing || err != nil {
		t.Fatalf("the connection is not kept: %v", err)
	}
	if err := s.command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if rest, status := s.end(t); status != exitOK || rest != "" {
		t.Errorf("the program ends with status %d and says %q\n%s", status, rest, s.stderr)
	}
}
