//go:build unix

package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"catalog.example/api/server/processtest"
	"catalog.example/api/soak"
)

// shippedFolder is the folder of shipped, for all tests of a package.
var shippedFolder string

func TestMain(m *testing.M) {
	var err error
	if shippedFolder, err = os.MkdirTemp("", "catalog-shipped-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(shippedFolder) // temporary
	os.Exit(code)
}

var buildShipped = sync.OnceValue(func() error {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return err
	}
	program, public := shippedFiles()
	for _, args := range [][]string{
		{"go", "build", "-buildvcs=false", "-o", program, "catalog.example/cmd/catalog"},
		{program, "build", "--quiet", "--pictures=off", "--out", public,
			"--content", filepath.Join(string(bytes.TrimSpace(root)), "content")},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", args, err, out)
		}
	}
	return nil
})

func shippedFiles() (program, public string) {
	return filepath.Join(shippedFolder, "catalog"), filepath.Join(shippedFolder, "public")
}

// shipped returns the program, compiled as it is shipped, and the build output of the content of this
// repository. Both are built once for all tests of a package, which must not change them. The program
// never has the race detector, which would multiply its memory. With -short, the test is skipped.
func shipped(t testing.TB) (program, public string) {
	t.Helper()
	soak.Long(t)
	if err := buildShipped(); err != nil {
		t.Fatal(err)
	}
	return shippedFiles()
}

// shippedCatalog is a running `catalog serve`.
type shippedCatalog struct {
	*processtest.Process
	t              testing.TB
	address, admin string // host and port
}

// startCatalog serves a build output folder on free ports, and returns when the server answers.
func startCatalog(t testing.TB, program, public string, args ...string) *shippedCatalog {
	t.Helper()
	const anyPort = "127.0.0.1:0"
	args = append([]string{"serve", "--public", public, "--addr", anyPort, "--admin-addr", anyPort}, args...)
	c := &shippedCatalog{t: t, Process: processtest.Start(t, program, args...)}
	err := c.AwaitReady(func() error {
		said := c.Said()
		c.address, c.admin = after(said, "listening on http://"), after(said, "admin on http://")
		if c.address == "" || c.admin == "" {
			return errors.New("it does not name its addresses")
		}
		return nil
	})
	if err != nil {
		t.Fatalf("catalog serve: %v", err)
	}
	return c
}

// after returns the word after a text at the beginning of a line.
func after(said, prefix string) string {
	m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(prefix) + `(\S+)\n`).FindStringSubmatch(said)
	if m == nil {
		return ""
	}
	return m[1]
}

// dial connects to the public address from the address of a client.
func (c *shippedCatalog) dial(ctx context.Context, client netip.Addr) (net.Conn, error) {
	dialer := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(client, 0)), Timeout: patience}
	return dialer.DialContext(ctx, "tcp", c.address)
}

// http returns a client that makes a new connection from an address for each request. A request may
// take as long as timeout.
func (c *shippedCatalog) http(client netip.Addr, timeout time.Duration) *http.Client {
	return &http.Client{Timeout: timeout, Transport: &http.Transport{
		DisableKeepAlives: true, DisableCompression: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return c.dial(ctx, client) },
	}}
}

// resetPeakMemory begins a new measurement for peakMemory.
func (c *shippedCatalog) resetPeakMemory() {
	c.t.Helper()
	if err := os.WriteFile(c.proc("clear_refs"), []byte("5"), 0o600); err != nil { // proc(5)
		c.t.Skipf("the memory of a process cannot be measured on this system: %v", err)
	}
}

// peakMemory returns the greatest resident memory of the server since its start or the last
// resetPeakMemory, in bytes.
func (c *shippedCatalog) peakMemory() int64 {
	c.t.Helper()
	status, err := os.ReadFile(c.proc("status"))
	if err != nil {
		c.t.Skipf("the memory of a process cannot be measured on this system: %v", err)
	}
	_, rest, _ := strings.Cut(string(status), "\nVmHWM:")
	line, _, _ := strings.Cut(rest, "\n")
	kilobytes, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(line), " kB"), 10, 64)
	if err != nil {
		c.t.Fatalf("the peak of resident memory is %q", line)
	}
	return kilobytes << 10
}

func (c *shippedCatalog) proc(file string) string {
	return fmt.Sprintf("/proc/%d/%s", c.Pid(), file)
}

// A started server answers clients of several addresses, and its memory is that of
// its own process.
func TestShippedCatalog(t *testing.T) {
	t.Parallel()
	program, public := shipped(t)
	c := startCatalog(t, program, public)
	for n, want := range map[int]string{0: "127.1.0.1", 999: "127.1.3.232"} {
		if got := processtest.Client(n).String(); got != want {
			t.Errorf("client %d has the address %s, want %s", n, got, want)
		}
		response, err := c.http(processtest.Client(n), time.Minute).Get("http://" + c.address + "/api/v1/search?q=image")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close() // it was read
		if rate := response.Header.Get("RateLimit"); err != nil || response.StatusCode != http.StatusOK || rate != `"anonymous";r=119;t=60` {
			t.Errorf("client %d is answered %d with the allowance %s, %v: %.200s", n, response.StatusCode, rate, err, body)
		}
	}
	c.resetPeakMemory()
	if peak := c.peakMemory(); peak < 4<<20 || peak > 256<<20 {
		t.Errorf("an idle server has %d bytes of memory", peak)
	}
	if !c.Running() {
		t.Errorf("the server has ended: %s", c.Said())
	}
	c.Kill()
	if c.Running() {
		t.Error("a killed server is running")
	}
}
