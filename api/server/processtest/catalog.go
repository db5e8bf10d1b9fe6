//go:build unix

package processtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

	"catalog.example/api/soak"
)

// shippedFolder is the folder of Shipped, for all tests of a package.
var shippedFolder string

// Main is the TestMain of a package that calls [Shipped].
func Main(m *testing.M) {
	var err error
	if shippedFolder, err = os.MkdirTemp("", "processtest-"); err != nil {
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

// Shipped returns the program, compiled as it is shipped, and the build output of the content of this
// repository. Both are built once for all tests of a package, which must not change them. The program
// never has the race detector, which would multiply its memory. With -short, the test is skipped.
func Shipped(t testing.TB) (program, public string) {
	t.Helper()
	soak.Long(t)
	if err := buildShipped(); err != nil {
		t.Fatal(err)
	}
	return shippedFiles()
}

// Catalog is a running `catalog serve`.
type Catalog struct {
	// Address and Admin are host and port of the public and of the admin address.
	Address, Admin string

	t       testing.TB
	process *process
}

// StartCatalog serves a build output folder on free ports, and returns when the server answers.
func StartCatalog(t testing.TB, program, public string, args ...string) *Catalog {
	t.Helper()
	const anyPort = "127.0.0.1:0"
	args = append([]string{"serve", "--public", public, "--addr", anyPort, "--admin-addr", anyPort}, args...)
	c := &Catalog{t: t, process: start(t, program, args...)}
	err := c.process.awaitReady(func() error {
		said := c.Said()
		c.Address, c.Admin = after(said, "listening on http://"), after(said, "admin on http://")
		if c.Address == "" || c.Admin == "" {
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

// Said returns the standard output and standard error of the server.
func (c *Catalog) Said() string { return c.process.said.String() }

// Running reports whether the server has not ended.
func (c *Catalog) Running() bool {
	select {
	case <-c.process.ended:
		return false
	default:
		return true
	}
}

// Client returns the loopback address of a client for each number from 0 to 9,999,999, beginning at
// 127.1.0.1. Linux lets anybody use all of 127.0.0.0/8.
func Client(n int) netip.Addr {
	n += 1<<16 + 1
	return netip.MustParseAddr(fmt.Sprintf("127.%d.%d.%d", n>>16, n>>8&255, n&255))
}

// Dial connects to the public address from the address of a client.
func (c *Catalog) Dial(ctx context.Context, client netip.Addr) (net.Conn, error) {
	dialer := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(client, 0)), Timeout: patience}
	return dialer.DialContext(ctx, "tcp", c.Address)
}

// HTTP returns a client that makes a new connection from an address for each request. A request may
// take as long as timeout.
func (c *Catalog) HTTP(client netip.Addr, timeout time.Duration) *http.Client {
	return &http.Client{Timeout: timeout, Transport: &http.Transport{
		DisableKeepAlives: true, DisableCompression: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return c.Dial(ctx, client) },
	}}
}

// ResetPeakMemory begins a new measurement for PeakMemory.
func (c *Catalog) ResetPeakMemory() {
	c.t.Helper()
	if err := os.WriteFile(c.proc("clear_refs"), []byte("5"), 0o600); err != nil { // proc(5)
		c.t.Skipf("the memory of a process cannot be measured on this system: %v", err)
	}
}

// PeakMemory returns the greatest resident memory of the server since its start or the last
// ResetPeakMemory, in bytes.
func (c *Catalog) PeakMemory() int64 {
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

func (c *Catalog) proc(file string) string {
	return fmt.Sprintf("/proc/%d/%s", c.process.command.Process.Pid, file)
}
