//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// engine is Docker or Podman, with data of its own. Both have the same commands.
type engine struct {
	name       string // with the version
	program    string // the client
	env        []string
	dir        string // the data
	stopDaemon func() // of Docker; nil for Podman
}

// newEngine starts the engine of a client, with an empty folder for its data. If it does not start, nothing is left.
func newEngine(ctx context.Context, client string) (*engine, error) {
	program, err := find(client)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "engines-"+client+"-")
	if err != nil {
		return nil, err
	}
	e := &engine{program: program, dir: dir}
	start := map[string]func(context.Context) error{"docker": e.startDocker, "podman": e.startPodman}[client]
	if err := start(ctx); err != nil {
		if e.stopDaemon != nil {
			e.stopDaemon()
		}
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return e, nil
}

// startDocker starts a Docker Engine.
func (e *engine) startDocker(ctx context.Context) error {
	program, err := find("dockerd")
	if err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(e.dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	host := "unix://" + filepath.Join(e.dir, "socket")
	e.env = []string{"DOCKER_HOST=" + host, "DOCKER_CONFIG=" + filepath.Join(e.dir, "config"), "DOCKER_CONTEXT="}
	running, stop := context.WithCancel(context.WithoutCancel(ctx)) // Ctrl-C must not end it before the containers
	daemon := command(running, nil, program, "--host", host, "--data-root", filepath.Join(e.dir, "data"),
		"--exec-root", filepath.Join(e.dir, "exec"), "--pidfile", filepath.Join(e.dir, "pid"))
	daemon.Stdout, daemon.Stderr, daemon.WaitDelay = log, log, patience
	e.stopDaemon = func() {
		stop()
		_ = daemon.Wait() // its status says nothing more
	}
	if err := daemon.Start(); err != nil {
		return err
	}
	err = await(ctx, "Docker", func(ctx context.Context) error {
		version, err := e.call(ctx, "version --format {{.Server.Version}}")
		e.name = "Docker Engine " + version
		return err
	})
	if err != nil {
		text, _ := os.ReadFile(log.Name()) // it only explains the error
		return fmt.Errorf("%w: %w: dockerd says %s", errNotRunnable, err, last(string(text), 300))
	}
	return nil
}

// podmanFiles configures Podman. Without limits that this process may set, containers do not start
// where root may not raise them. runc also works where crun refuses cgroups.
const podmanFiles = `[containers]
default_ulimits = ["nofile=%[1]d:%[1]d", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
tmp_dir = "%[2]s/tmp"
[network]
network_config_dir = "%[2]s/networks"
===
[storage]
driver = "%[3]s"
graphroot = "%[2]s/graph"
runroot = "%[2]s/run"
`

// startPodman prepares a Podman. It keeps images and containers in layers, or whole where that is not possible.
func (e *engine) startPodman(ctx context.Context) error {
	if _, err := find("runc"); err != nil {
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	containers, storage := filepath.Join(e.dir, "containers.conf"), filepath.Join(e.dir, "storage.conf")
	e.env = []string{"CONTAINERS_CONF=" + containers, "CONTAINERS_STORAGE_CONF=" + storage}
	var err error
	for _, driver := range []string{"overlay", "vfs"} {
		one, two, _ := strings.Cut(fmt.Sprintf(podmanFiles, min(limit.Max, 20000), e.dir, driver), "===\n")
		if err := errors.Join(os.WriteFile(containers, []byte(one), 0o600),
			os.WriteFile(storage, []byte(two), 0o600)); err != nil {
			return err
		}
		var version string
		if version, err = e.call(ctx, "version --format {{.Client.Version}}"); err == nil {
			e.name = "Podman " + version
			_, err = e.call(ctx, "info")
		}
		if err == nil {
			return nil
		}
	}
	return fmt.Errorf("%w: %w", errNotRunnable, err)
}

// call runs a command of the engine, whose first words are separated by spaces.
func (e *engine) call(ctx context.Context, words string, more ...string) (string, error) {
	return output(ctx, e.env, e.program, append(strings.Fields(words), more...)...)
}

// shell runs a script, in which $engine is the client, and stops where a command fails. A script has as long as a few
// steps, because it has several commands.
func (e *engine) shell(ctx context.Context, script string, args ...string) (string, error) {
	env := append([]string{"engine=" + e.program}, e.env...)
	return outputWithin(ctx, 4*patience, env, "sh", append([]string{"-ec", script, "sh"}, args...)...)
}

// explain adds what containers said last to an error.
func (e *engine) explain(ctx context.Context, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	list, _ := e.call(ctx, "ps -a --format {{.Names}}") // without it, the error is not explained
	for name := range strings.FieldsSeq(list) {
		text, _ := command(ctx, e.env, e.program, "logs", "--tail", "3", name).CombinedOutput()
		err = fmt.Errorf("%w; %s: %s", err, name, last(string(text), 300))
	}
	return err
}

// end removes all containers, networks and volumes, and stops Docker.
func (e *engine) end(ctx context.Context) error {
	remove := []string{"all=$($engine ps -aq)\ntest -z \"$all\" || $engine rm -f -v $all",
		"all=$($engine volume ls -q)\ntest -z \"$all\" || $engine volume rm $all", "$engine network prune -f"}
	if e.stopDaemon == nil {
		remove = append([]string{"$engine pod rm -f -a"}, remove...)
	}
	var err error
	for _, script := range remove {
		_, wrong := e.shell(ctx, script)
		err = errors.Join(err, wrong)
	}
	if e.stopDaemon != nil {
		e.stopDaemon()
	}
	if err != nil {
		return fmt.Errorf("%w; what is left is in %s", err, e.dir)
	}
	return os.RemoveAll(e.dir)
}

// last returns at most the last n bytes of a text.
func last(text string, n int) string { return text[max(0, len(text)-n):] }

// find returns the path of the first of some programs that is installed. Many users do not have sbin in their PATH.
func find(names ...string) (string, error) {
	for _, name := range names {
		for _, folder := range []string{"", "/usr/sbin"} {
			if at, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
				return at, nil
			}
		}
	}
	return "", fmt.Errorf("%w: %s is not installed: run make engines, which installs it", errNotRunnable,
		filepath.Base(names[0]))
}

// command returns a program that gets more variables. The end of ctx ends it and what it has started. It is in a
// process group of its own, so that Ctrl-C reaches it only through ctx.
func command(ctx context.Context, env []string, program string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, program, args...)
	c.Env = append(os.Environ(), env...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGTERM) }
	c.WaitDelay = 10 * time.Second
	return c
}

// output runs a program with more variables, and returns what it prints, without white space at its end.
func output(ctx context.Context, env []string, program string, args ...string) (string, error) {
	return outputWithin(ctx, patience, env, program, args...)
}

func outputWithin(ctx context.Context, most time.Duration, env []string, program string, args ...string) (
	string, error,
) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	c := command(ctx, env, program, args...)
	var said strings.Builder
	c.Stderr = &said
	text, err := c.Output()
	if err != nil {
		words := strings.Join(append([]string{filepath.Base(program)}, args...), " ")
		return "", fmt.Errorf("%.200s: %w: %s %s", words, err, text, said.String())
	}
	return strings.TrimSpace(string(text)), nil
}
