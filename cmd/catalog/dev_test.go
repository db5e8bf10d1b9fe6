//go:build unix

package main

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"catalog.example/api/server/processtest"
	"catalog.example/api/soak"
)

// devProcess is a running catalog dev.
type devProcess struct {
	address string
	first   string // what was printed up to the first address
	command *exec.Cmd
	stderr  *processtest.Output

	mu    sync.Mutex
	lines []string      // of standard output
	more  chan struct{} // gets a value after a line, and is closed at the end
}

// startDev starts catalog dev in a folder, and returns when it serves. It is killed at the
// end of the test.
func startDev(t *testing.T, program, dir string, args ...string) *devProcess {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*testTimeout)
	d := &devProcess{command: exec.CommandContext(ctx, program, append([]string{"dev"}, args...)...), stderr: &processtest.Output{}, more: make(chan struct{}, 1)}
	d.command.Dir, d.command.Stderr = dir, d.stderr
	out, err := d.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { // reads all the time, or the program would wait
		for lines := bufio.NewScanner(out); lines.Scan(); {
			d.mu.Lock()
			d.lines = append(d.lines, lines.Text())
			d.mu.Unlock()
			select {
			case d.more <- struct{}{}:
			default:
			}
		}
		close(d.more)
	}()
	t.Cleanup(func() {
		cancel()
		_ = d.command.Wait() // fails if the test has waited already
	})
	d.first = d.said(t, `^Serving http://\S+: open pages reload`)
	d.address = regexp.MustCompile(`Serving (http://\S+): open pages`).FindStringSubmatch(d.first)[1]
	return d
}

// said waits for a line, and returns what was printed up to it and not returned before.
func (d *devProcess) said(t *testing.T, pattern string) string {
	t.Helper()
	want := regexp.MustCompile(pattern)
	for deadline := time.After(testTimeout); ; {
		d.mu.Lock()
		for i, line := range d.lines {
			if want.MatchString(line) {
				text := strings.Join(d.lines[:i+1], "\n")
				d.lines = d.lines[i+1:]
				d.mu.Unlock()
				return text
			}
		}
		text := strings.Join(d.lines, "\n")
		d.mu.Unlock()
		select {
		case _, ok := <-d.more:
			if !ok {
				t.Fatalf("catalog dev has ended without %q: %s\n%s", pattern, text, d.stderr)
			}
		case <-deadline:
			t.Fatalf("catalog dev does not say %q: %s\n%s", pattern, text, d.stderr)
		}
	}
}

// stop sends an interrupt, waits for the end and returns the exit status.
func (d *devProcess) stop(t *testing.T) int {
	t.Helper()
	if err := d.command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for range d.more { // until standard output ends
	}
	_ = d.command.Wait() // the status says it
	return d.command.ProcessState.ExitCode()
}

// editText replaces a text in a file.
func editText(t *testing.T, name, old, with string) {
	t.Helper()
	text := readText(t, name)
	if !strings.Contains(text, old) {
		t.Fatalf("%s has no %q", name, old)
	}
	writeText(t, name, strings.Replace(text, old, with, 1))
}

// TestDev edits a listing while catalog dev shows it.
func TestDev(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	program, err := exec.LookPath("catalog")
	if err != nil {
		t.Fatal(err)
	}
	content := smallContent(t)
	dir := filepath.Dir(content)
	writeText(t, filepath.Join(dir, "catalog.yml"), "# The defaults hold.\n")
	d := startDev(t, program, dir, "--addr", "127.0.0.1:0")
	page := d.address + "/projects/paper-lantern/"
	if status, body := fetch(t, page); status != http.StatusOK || !strings.Contains(body, "Writes down what was said in a meeting.") {
		t.Fatalf("the page is %d %.300s", status, body)
	}
	for path, want := range map[string]string{
		"/api/v1/projects?limit=1": `"total":3`, "/api/v1/projects/willow-bridge": `"slug":"willow-bridge"`, "/llms.txt": d.address, "/projects/willow-bridge": "Willow Bridge",
		"/api/v1/search?q=zweigelt": `"total":0`,
	} {
		if status, body := fetch(t, d.address+path); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s answers %d without %q: %.300s", path, status, want, body)
		}
	}

	listing := filepath.Join(content, "projects", "paper-lantern.md")
	editText(t, listing, "Writes down what was said in a meeting.", "Writes zweigelt down.")
	report := d.said(t, `^checked: `)
	if !strings.HasPrefix(report, "checking "+filepath.Join("content", "projects", "paper-lantern.md")+"\n") {
		t.Errorf("the report is %q", report)
	}
	if _, body := fetch(t, page); !strings.Contains(body, "Writes zweigelt down.") {
		t.Errorf("the page is not the new one: %.300s", body)
	}
	if status, body := fetch(t, d.address+"/api/v1/search?q=zweigelt"); status != http.StatusOK || !strings.Contains(body, `"slug":"paper-lantern"`) {
		t.Errorf("the search answers %d %.300s", status, body)
	}

	// An open page does not delay the end.
	events, err := http.Get(d.address + "/_dev/events?page=/projects/paper-lantern/")
	if err != nil {
		t.Fatal(err)
	}
	defer events.Body.Close()
	if status := d.stop(t); status != exitOK {
		t.Errorf("the exit status is %d: %s", status, d.stderr)
	}
	if said := d.stderr.String(); said != "" {
		t.Errorf("it says %s", said)
	}
	for _, name := range []string{"public", "dist"} {
		if _, err := os.Stat(filepath.Join(dir, name)); !os.IsNotExist(err) {
			t.Errorf("%s is written: %v", name, err)
		}
	}
}

// TestDevWithBrokenSettings starts with settings that are wrong, and mends them.
func TestDevWithBrokenSettings(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	program, err := exec.LookPath("catalog")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(smallContent(t))
	writeText(t, filepath.Join(dir, "catalog.yml"), "titel: Wrong\n")
	d := startDev(t, program, dir, "--addr", "127.0.0.1:0")
	if status, body := fetch(t, d.address+"/"); status != http.StatusNotFound || !strings.Contains(body, "Nothing to show yet") || !strings.Contains(body, "titel") {
		t.Errorf("the page is %d %s", status, body)
	}
	writeText(t, filepath.Join(dir, "catalog.yml"), "title: Right\nsearch: browser\n")
	d.said(t, `^checked: 0 errors`)
	if status, body := fetch(t, d.address+"/"); status != http.StatusOK || !strings.Contains(body, "Right</") {
		t.Errorf("the page is %d %.300s", status, body)
	}
	// The program searches, also if the published site does that in the browser.
	if status, body := fetch(t, d.address+"/api/v1/search?q=meetings"); status != http.StatusOK || !strings.Contains(body, `"slug":"paper-lantern"`) {
		t.Errorf("the search answers %d %.300s", status, body)
	}
	if status := d.stop(t); status != exitOK {
		t.Errorf("the exit status is %d: %s", status, d.stderr)
	}
}

func TestDevUsage(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"--content", "testdata/content", "--addr", "localhost"}, exitUsage, `--addr "localhost": `},
		{[]string{"--content", "testdata/content", "--addr", taken.Addr().String()}, exitError, "address already in use; choose another address with --addr"},
		{[]string{"--content", "testdata/nothing", "--addr", "127.0.0.1:0"}, exitError, "content folder testdata/nothing: there is no such folder: choose another with --content"},
		{[]string{"--content", "testdata/content/projects/paper-lantern.md", "--addr", "127.0.0.1:0"}, exitError, "it is not a folder: choose a folder with --content"},
		{[]string{"more"}, exitUsage, "more"},
	} {
		if said := runCommand(t, c.status, append([]string{"dev"}, c.args...)...); !strings.Contains(said, c.want) {
			t.Errorf("%q: %q is not in %q", c.args, c.want, said)
		}
	}
}
