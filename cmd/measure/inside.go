package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"
)

// insideCommand is the first argument of the process that runs in the sandbox. The second is a
// recipe as JSON.
const insideCommand = "inside"

// How long a program may take to become ready, how long a job may take, and how long a ready
// program is watched before its job begins.
const (
	readyTime = 3 * time.Minute
	jobTime   = 3 * time.Minute
	restTime  = 3 * time.Second
)

// interval is the time between two looks at the memory.
const interval = 20 * time.Millisecond

// Figures are the results of one or more runs.
type Figures struct {
	// Started is the largest memory until restTime after the program was ready, in bytes; 0 if the
	// recipe has no start.
	Started int64         `json:"started"`
	Peak    int64         `json:"peak"`  // largest memory in all, in bytes
	Ready   time.Duration `json:"ready"` // from the start until it was ready; without a start, the time of the job
	Disk    int64         `json:"disk"`  // what is installed, in bytes
	runs    int
}

// include adds a run: the largest memory counts, and the shortest time, because other programs on
// the machine can only make a run slower.
func (f *Figures) include(run *Figures) {
	f.Started, f.Peak = max(f.Started, run.Started), max(f.Peak, run.Peak)
	if f.runs == 0 || run.Ready < f.Ready {
		f.Ready = run.Ready
	}
	f.runs++
}

// readyText returns the time in seconds.
func (f *Figures) readyText() string {
	return strconv.FormatFloat(f.Ready.Seconds(), 'f', 1, 64) + " s"
}

// inside runs a recipe in the sandbox, and prints its figures as JSON to stdout. What the program
// prints goes to stderr.
func inside(ctx context.Context, recipe string, stdout, stderr io.Writer) error {
	var r Recipe
	if err := json.Unmarshal([]byte(recipe), &r); err != nil {
		return err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	for name, text := range r.Files {
		name = filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	listener, err := net.Listen("tcp", modelAddress)
	if err != nil {
		return err
	}
	go serveModel(listener)
	if r.Prepare != "" {
		if _, err := runScript(ctx, "prepare", r.Prepare, stderr, nil); err != nil {
			return err
		}
	}
	var figures Figures
	if r.Start == "" {
		err = alone(ctx, &r, &figures, stderr)
	} else {
		err = started(ctx, &r, &figures, stderr)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(&figures)
}

// shell returns a shell command whose output goes to out.
func shell(ctx context.Context, script string, out io.Writer) *exec.Cmd {
	c := exec.CommandContext(ctx, "/bin/sh", "-eu", "-c", script)
	c.Stdout, c.Stderr = out, out
	c.WaitDelay = time.Second
	return c
}

// runScript runs a shell script that may take jobTime. begun, if it is not nil, is called with the
// number of the shell's process. what names the script in errors.
func runScript(ctx context.Context, what, script string, out io.Writer, begun func(int)) (*os.ProcessState, error) {
	ctx, cancel := context.WithTimeout(ctx, jobTime)
	defer cancel()
	c := shell(ctx, script, out)
	err := c.Start()
	if err == nil {
		if begun != nil {
			begun(c.Process.Pid)
		}
		err = c.Wait()
	}
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, fmt.Errorf("%s: not done after %s", what, jobTime)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return c.ProcessState, nil
}

// alone runs a job that is the program itself.
func alone(ctx context.Context, r *Recipe, figures *Figures, stderr io.Writer) error {
	w := watch()
	began := time.Now()
	state, err := runScript(ctx, "run", r.Run, stderr, nil)
	if err != nil {
		return err
	}
	figures.Ready = time.Since(began)
	figures.Peak = max(w.end(), maxRSS(state))
	return nil
}

// started starts a program, waits until it is ready, and runs its job. The memory of the job's own
// commands, such as curl, is not counted.
func started(ctx context.Context, r *Recipe, figures *Figures, stderr io.Writer) error {
	ctx, cancel := context.WithCancel(ctx) // stops the program
	defer cancel()
	w := watch()
	began := time.Now()
	c := shell(ctx, r.Start, stderr)
	if err := c.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	if err := r.wait(ctx, ended); err != nil {
		return err
	}
	figures.Ready = time.Since(began)
	select {
	case err := <-ended:
		return fmt.Errorf("start: ended after it was ready: %w", endError(err))
	case <-time.After(restTime):
	}
	figures.Started = w.largest()
	if r.Run != "" {
		if _, err := runScript(ctx, "run", r.Run, stderr, w.exclude); err != nil {
			return err
		}
	}
	figures.Peak = w.end()
	return nil
}

// endError returns the error of a program that ended, or one that says that it ended without.
func endError(err error) error {
	return cmp.Or(err, errors.New("exit status 0"))
}

// wait returns when the program is ready.
func (r *Recipe) wait(ctx context.Context, ended <-chan error) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	deadline := time.After(readyTime)
	for {
		select {
		case err := <-ended:
			return fmt.Errorf("start: ended before it was ready: %w", endError(err))
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline:
			return fmt.Errorf("start: not ready after %s", readyTime)
		case <-tick.C:
			if answers(r.Port) {
				return nil
			}
		}
	}
}

// answers reports whether a program accepts connections at a port.
func answers(port int) bool {
	for _, host := range []string{"127.0.0.1", "::1"} {
		c, err := net.DialTimeout("tcp", net.JoinHostPort(host, strconv.Itoa(port)), time.Second)
		if err == nil {
			_ = c.Close()
			return true
		}
	}
	return false
}

// watcher looks at the memory of the sandbox until end is called.
type watcher struct {
	lock     sync.Mutex
	most     int64
	excluded []int
	stop     chan struct{}
	ended    chan struct{}
}

// watch begins to look.
func watch() *watcher {
	w := &watcher{stop: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			w.look()
			select {
			case <-w.stop:
				return
			case <-tick.C:
			}
		}
	}()
	return w
}

// look adds up the memory of all processes but this one and process 1, which is bubblewrap's.
func (w *watcher) look() {
	list := slices.DeleteFunc(processes(), func(p process) bool { return p.id == 1 || p.id == os.Getpid() })
	w.lock.Lock()
	defer w.lock.Unlock()
	w.most = max(w.most, sum(list, w.excluded...))
}

// exclude no longer counts a process and its descendants.
func (w *watcher) exclude(id int) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.excluded = append(w.excluded, id)
}

// largest returns the largest memory so far, in bytes.
func (w *watcher) largest() int64 {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.most
}

// end looks a last time, and returns the largest memory.
func (w *watcher) end() int64 {
	close(w.stop)
	<-w.ended
	return w.largest()
}
