package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"catalog.example/generator/refresh"
	"github.com/creack/pty"
)

// steppingClock is a clock that advances by step with each reading.
type steppingClock struct {
	mu      sync.Mutex
	current time.Time
	step    time.Duration
}

func (c *steppingClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current = c.current.Add(c.step)
	return c.current
}

// buildWithStderr builds the small content folder with errors and progress on stderr.
// The clock advances by step with each reading.
func buildWithStderr(t *testing.T, stderr *os.File, step time.Duration, args ...string) (stdout string) {
	t.Helper()
	var out bytes.Buffer
	env := testEnv()
	env.stdout, env.stderr = &out, stderr
	env.now = (&steppingClock{current: time.Now(), step: step}).now
	args = append([]string{"build", "--content", "testdata/content", "--out", t.TempDir() + "/public", "--cache", t.TempDir()}, args...)
	if status := run(args, env); status != exitOK {
		t.Fatalf("the exit status is %d: %s", status, out.String())
	}
	return out.String()
}

// TestProgress checks that a bar is drawn on a terminal, and only there, after a second.
func TestProgress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		step time.Duration // a build reads the clock dozens of times
		args []string
		want []string // drawn texts; empty for nothing
	}{
		{name: "a build of minutes", step: time.Second, want: []string{"load", "write", "%", "/3", "█"}},
		{name: "a build of milliseconds", step: time.Microsecond},
		{name: "a build of minutes, quiet", step: time.Second, args: []string{"--quiet"}},
		{name: "a build of minutes, for programs", step: time.Second, args: []string{"--json"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			drawn := onTerminal(t, func(terminal *os.File) { buildWithStderr(t, terminal, test.step, test.args...) })
			for _, want := range test.want {
				if !strings.Contains(drawn, want) {
					t.Errorf("%q is not drawn: %q", want, drawn)
				}
			}
			if len(test.want) == 0 && drawn != "" {
				t.Errorf("something is drawn: %q", drawn)
			}
			// Nothing may remain before the summary line of the build.
			if left := lastLine(drawn); left != "" {
				t.Errorf("%q is left on the terminal", left)
			}
		})
	}
	t.Run("a build that fails halfway", func(t *testing.T) {
		t.Parallel()
		drawn := onTerminal(t, func(terminal *os.File) {
			output := newProgress(terminal, (&steppingClock{step: time.Second}).now)
			output.show("write", 15, 30)
			output.clear()
		})
		if !strings.Contains(drawn, "50%") {
			t.Errorf("half the work is drawn as %q", drawn)
		}
		if left := lastLine(drawn); left != "" {
			t.Errorf("%q is left on the terminal", left)
		}
	})
	t.Run("a build of minutes, into a file", func(t *testing.T) {
		t.Parallel()
		file, err := os.Create(t.TempDir() + "/stderr")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		output := buildWithStderr(t, file, time.Second)
		if !strings.HasPrefix(output, "3 listings, ") || strings.Count(output, "\n") != 1 {
			t.Errorf("standard output is %q", output)
		}
		if info, err := file.Stat(); err != nil || info.Size() != 0 {
			t.Errorf("%d bytes are drawn where no terminal is: %v", info.Size(), err)
		}
	})
}

// TestProgressLine checks how much is drawn, and how often.
func TestProgressLine(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	var bar *progress
	drawn := onTerminal(t, func(terminal *os.File) {
		bar = newProgress(terminal, func() time.Time { return now })
		for done := range 101 { // 0, 0.1, 0.2 … 10 seconds
			now = time.Unix(0, 0).Add(time.Duration(done) * 100 * time.Millisecond)
			bar.show(hostile, done, 100)
			now = now.Add(progressInterval - 1)
			bar.show(hostile, done, 100)
		}
		bar.show("another label", 5, 0)
		bar.clear()
	})
	checkEscaped(t, "progress", strings.ReplaceAll(drawn, "\r", ""))
	lines := strings.Split(drawn, "\r")
	if len(lines) != 1+91+1+2 { // from the tenth on, the other label, and clearing
		t.Errorf("%d lines are drawn", len(lines))
	}
	for _, want := range []string{"| 10/100\r", " 50% |███████████████               | 50/100, 5s left", "100% |", "another label"} {
		if !strings.Contains(drawn, want) {
			t.Errorf("%q is not drawn", want)
		}
	}
	for columns := range 80 {
		if got := len([]rune(progressLine("GitHub: the rate limit is used up, 3s left", "100/1000, 1m0s left", 0.1, columns))); got > columns {
			t.Errorf("%d columns have a line of %d", columns, got)
		}
	}
	bar = nil
	bar.show("nothing", 1, 2)
	bar.clear()
}

// TestProgressAfterAPause checks that the estimate includes the pauses of a forge.
func TestProgressAfterAPause(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	drawn := onTerminal(t, func(terminal *os.File) {
		d := newRefreshDisplay(terminal, newProgress(terminal, func() time.Time { return now }), 100)
		for second := range int64(31) {
			now = time.Unix(second, 0)
			if second <= 20 {
				d.progress(int(second)*5/2, 100)
			} else {
				d.waiting(refresh.Wait{Service: "GitHub", Reason: "the rate limit is used up", Left: time.Duration(30-second) * time.Second})
			}
		}
		now = time.Unix(31, 0)
		d.progress(50, 100)
	})
	for _, want := range []string{"| 50/100, 20s left\r", "GitHub: the rate limit is used up, 5s left  50%", "| 50/100, 31s left"} {
		if !strings.Contains(drawn, want) {
			t.Errorf("%q is not drawn: %q", want, drawn)
		}
	}
}

// lastLine returns the visible text of a terminal's last line, after carriage returns
// and overwriting.
func lastLine(printed string) string {
	var line []rune
	column := 0
	for _, r := range printed[strings.LastIndex(printed, "\n")+1:] {
		if r == '\r' {
			column = 0
			continue
		}
		if column == len(line) {
			line = append(line, ' ')
		}
		line[column] = r
		column++
	}
	return strings.TrimSpace(string(line))
}

// onTerminal returns what print writes to a terminal of 100 columns.
func onTerminal(t *testing.T, print func(terminal *os.File)) string {
	t.Helper()
	master, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	if err := pty.Setsize(terminal, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	printed := make(chan string)
	go func() {
		text, err := io.ReadAll(master)
		if err != nil && !errors.Is(err, syscall.EIO) { // EIO: the other end is closed
			t.Error(err)
		}
		printed <- string(text)
	}()
	print(terminal)
	if err := terminal.Close(); err != nil {
		t.Error(err)
	}
	return <-printed
}

// TestTableFitsTheTerminal checks that tables are not wider than the terminal.
func TestTableFitsTheTerminal(t *testing.T) {
	t.Parallel()
	public := t.TempDir() + "/public"
	if status := run([]string{"build", "--quiet", "--content", "testdata/content", "--out", public}, testEnv()); status != exitOK {
		t.Fatalf("the exit status is %d", status)
	}
	for _, command := range [][]string{{"search"}, {"show", "paper-lantern"}} {
		printed := onTerminal(t, func(terminal *os.File) {
			env := testEnv()
			env.stdout = terminal
			if status := run(append(command, "--public", public), env); status != exitOK {
				t.Errorf("the exit status is %d", status)
			}
		})
		widest := 0
		for line := range strings.SplitSeq(printed, "\r\n") {
			if strings.Contains(line, "│") {
				widest = max(widest, len([]rune(line)))
			}
		}
		if widest == 0 || widest > 100 {
			t.Errorf("%v: the table has %d columns on a terminal of 100", command, widest)
		}
	}
}
