package program

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestProcFiles(t *testing.T) {
	bytes, err := memory("Name:\tcatalog\nVmRSS:\t  999 kB\nRssAnon:\t    1536 kB\nRssFile:\t 1 kB\n", "RssAnon")
	if err != nil || bytes != 1536<<10 {
		t.Errorf("%d, %v", bytes, err)
	}
	if _, err := memory("Name:\tcatalog\n", "RssAnon"); err == nil {
		t.Error("memory of nothing")
	}
	spent, err := processorTime("12 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0")
	if err != nil || spent != 2*time.Second {
		t.Errorf("%v, %v", spent, err)
	}
	if _, err := processorTime("12 (a) S 1 2"); err == nil {
		t.Error("time of nothing")
	}
}

// TestMain lets the test binary be a server that a test starts.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "serve" {
		ok := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
		_ = (&http.Server{Addr: os.Args[2], Handler: ok, ReadHeaderTimeout: time.Minute}).ListenAndServe() // it is killed
		return
	}
	os.Exit(m.Run())
}

// A server is waited for, and one that ends instead is an error with what it said.
func TestServers(t *testing.T) {
	address, err := FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := StartListening(exec.CommandContext(t.Context(), "sh", "-c", "echo no port >&2; exit 1")); err == nil || !strings.Contains(err.Error(), "no port") {
		t.Errorf("a server that ends: %v", err)
	}
	s, err := StartListening(exec.CommandContext(t.Context(), "sh", "-c", "echo hello; echo listening on http://127.0.0.1:80; exec tail -f /dev/null")) // until it is stopped
	if err != nil || s.Address != "127.0.0.1:80" {
		t.Fatalf("%+v, %v", s, err)
	}
	if n, err := s.Memory("VmHWM"); err != nil || n < 1<<10 {
		t.Errorf("it takes %d bytes, %v", n, err)
	}
	if _, err := s.ProcessorTime(); err != nil {
		t.Error(err)
	}
	s.Stop()
	if s, err = StartAt(t.Context(), exec.CommandContext(t.Context(), os.Args[0], "serve", address), address, "/"); err != nil {
		t.Fatal(err)
	}
	if err := s.End(); err == nil || !strings.Contains(err.Error(), "terminated") {
		t.Errorf("a server that does not know SIGTERM: %v", err)
	}
	if _, err = StartAt(t.Context(), exec.CommandContext(t.Context(), "sh", "-c", "echo no memory >&2; exit 1"), address, "/"); err == nil || !strings.Contains(err.Error(), "no memory") {
		t.Errorf("a server that ends before it answers: %v", err)
	}
}

func TestRequire(t *testing.T) {
	if err := Require("bench-x", "go"); err != nil {
		t.Error(err)
	}
	err := Require("bench-x", "no-such-program", "go", "nor-this")
	if err == nil || !strings.Contains(err.Error(), "no-such-program is missing: run make bench-x") || !strings.Contains(err.Error(), "nor-this") {
		t.Error(err)
	}
}
