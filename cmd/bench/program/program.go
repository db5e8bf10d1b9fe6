// Package program compiles catalog, starts servers, and measures the memory and time of
// processes.
package program

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"catalog.example/api/site"
)

// Compile compiles catalog into a folder, as for a release, and returns the path of the program.
func Compile(ctx context.Context, dir string) (string, error) {
	file := filepath.Join(dir, "catalog")
	return file, Run(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", file, "./cmd/catalog")
}

// Run runs a program with cgo disabled. Its output is shown only in an error.
func Run(ctx context.Context, name string, args ...string) error {
	c := exec.CommandContext(ctx, name, args...)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", c, err, text)
	}
	return nil
}

// Require returns an error that names the programs that are not installed, if any.
func Require(target string, names ...string) error {
	var errs []error
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			errs = append(errs, fmt.Errorf("%s is missing: run make %s, which installs it", name, target))
		}
	}
	return errors.Join(errs...)
}

// CheckBefore returns an error if the -before program cannot be run.
func CheckBefore(file string) error {
	if file == "" {
		return nil
	}
	if _, err := exec.LookPath(file); err != nil {
		return fmt.Errorf("-before: %w: build the program in a checkout of the other commit, and name the file", err)
	}
	return nil
}

// patience is how long to wait until a server is ready.
const patience = 2 * time.Minute

// Server is a server that runs in a process of its own.
type Server struct {
	Address string // host and port
	command *exec.Cmd
	log     bytes.Buffer
	ended   chan struct{} // closed when the process has ended
	status  error         // how it ended
}

// wait waits for the process in the background.
func (s *Server) wait() {
	s.ended = make(chan struct{})
	go func() {
		s.status = s.command.Wait()
		close(s.ended)
	}()
}

// Unlimited returns an environment in which `catalog serve` has no rate limit.
func Unlimited() []string {
	return append(os.Environ(), fmt.Sprintf("CATALOG_ANONYMOUS_PER_MINUTE=%d", site.MaxAllowance),
		fmt.Sprintf("CATALOG_SANDBOX_PER_MINUTE=%d", site.MaxAllowance))
}

// StartListening starts a server that prints "listening on http://" and its
// address, and waits for that line. The caller must stop it.
func StartListening(c *exec.Cmd) (*Server, error) {
	s := &Server{command: c}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.Stderr = &s.log
	if err := c.Start(); err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if address, ok := strings.CutPrefix(lines.Text(), "listening on http://"); ok {
			s.Address = address
			s.wait()
			return s, nil
		}
	}
	s.wait()
	s.Stop()
	return nil, fmt.Errorf("the server ended: %s", s.log.String())
}

// StartAt starts a server that listens on an address, and waits until it answers
// a path with 200. The caller must stop it.
func StartAt(ctx context.Context, c *exec.Cmd, address, path string) (*Server, error) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return StartWhen(ctx, c, address, func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		_ = response.Body.Close() // only the status matters
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("%s answers %s", request.URL, response.Status)
		}
		return nil
	})
}

// StartWhen starts a server that listens on an address, and waits until ready
// returns no error. The caller must stop it.
func StartWhen(ctx context.Context, c *exec.Cmd, address string, ready func(context.Context) error) (*Server, error) {
	s := &Server{Address: address, command: c}
	c.Stderr = &s.log
	if err := c.Start(); err != nil {
		return nil, err
	}
	s.wait()
	if err := s.await(ctx, ready); err != nil {
		s.Stop()
		return nil, fmt.Errorf("%w\n%s", err, s.log.String())
	}
	return s, nil
}

// await checks repeatedly, without a pause, whether the server is ready.
func (s *Server) await(ctx context.Context, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-s.ended:
			return errors.New("the server ended")
		case <-ctx.Done():
			return err
		default:
		}
	}
}

// End sends SIGTERM to the process and waits until it has ended. If the process fails, the error
// includes its standard error.
func (s *Server) End() error {
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	<-s.ended
	if s.status != nil {
		return fmt.Errorf("%w\n%s", s.status, s.log.String())
	}
	return nil
}

// Stop kills the process and waits until it has ended.
func (s *Server) Stop() {
	_ = s.command.Process.Kill() // it may have ended by itself
	<-s.ended
}

// Memory reads a line of the process's /proc/PID/status; see [Memory].
func (s *Server) Memory(key string) (int64, error) { return Memory(s.command.Process.Pid, key) }

// ProcessorTime returns the user and system time that the process has used.
func (s *Server) ProcessorTime() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	return processorTime(string(stat))
}

// processorTime reads the user and system time from the text of /proc/PID/stat (proc_pid_stat(5)),
// which counts in hundredths of a second.
func processorTime(stat string) (time.Duration, error) {
	// The name of the program, in parentheses, may contain any characters.
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	const user, system = 11, 12 // counted from the state, which follows the name
	if len(fields) <= system {
		return 0, errors.New("/proc/PID/stat has no processor time")
	}
	var ticks int64
	for _, f := range []string{fields[user], fields[system]} {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / 100, nil
}

// Memory reads a line of /proc/PID/status (proc_pid_status(5)), such as RssAnon
// or VmHWM, and returns bytes.
func Memory(pid int, key string) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	return memory(string(text), key)
}

func memory(status, key string) (int64, error) {
	for line := range strings.Lines(status) {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("/proc/PID/status has no line %s", key)
}

// FreeAddress returns a free loopback address.
func FreeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
