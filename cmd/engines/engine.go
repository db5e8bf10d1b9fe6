//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// engine is Docker or Podman, with data of its own. Both have the same commands.
type engine struct {
	program string   // the client
	env     []string // what makes it use the data
	version string
	daemon  *exec.Cmd // of Docker
	dir     string
}

// call runs a command of the engine, and returns what it prints, without the last line break.
func (e *engine) call(ctx context.Context, args ...string) (string, error) {
	text, err := output(ctx, e.env, e.program, args...)
	return strings.TrimSpace(text), err
}

// newEngine returns an engine with an empty folder for its data.
func newEngine(client string) (*engine, error) {
	program, err := find(client)
	if err != nil {
		return nil, errNotRunnable{err}
	}
	dir, err := os.MkdirTemp("", "engines-"+client+"-")
	return &engine{program: program, dir: dir}, err
}

// startDocker starts a Docker Engine.
func startDocker(ctx context.Context) (*engine, error) {
	daemon, err := find("dockerd")
	if err != nil {
		return nil, errNotRunnable{err}
	}
	e, err := newEngine("docker")
	if err != nil {
		return nil, err
	}
	dir := e.dir
	host := "unix://" + filepath.Join(dir, "socket")
	e.env = []string{"DOCKER_HOST=" + host, "DOCKER_CONFIG=" + filepath.Join(dir, "config"), "DOCKER_CONTEXT="}
	e.daemon = exec.Command(daemon, "--host", host, "--data-root", filepath.Join(dir, "data"), "--exec-root",
		filepath.Join(dir, "exec"), "--pidfile", filepath.Join(dir, "pid"))
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return e, err
	}
	defer log.Close()
	e.daemon.Stdout, e.daemon.Stderr = log, log
	e.daemon.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C must not end it before the containers
	if err := e.daemon.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	err = await(ctx, "Docker", func(ctx context.Context) (err error) {
		e.version, err = e.call(ctx, "version", "--format", "{{.Server.Version}}")
		return err
	})
	if err != nil {
		text, _ := os.ReadFile(log.Name()) // it only explains the error
		e.endDaemon()
		return nil, errNotRunnable{errors.Join(fmt.Errorf("%w: dockerd says %s", err, last(string(text), 300)),
			os.RemoveAll(dir))}
	}
	return e, nil
}

// containersConfiguration is that of Podman. Without limits that this process may set, containers
// do not start where root may not raise them. runc also works where crun refuses cgroups.
const containersConfiguration = `[containers]
default_ulimits = ["nofile=%d:%[1]d", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
tmp_dir = "%[2]s/tmp"
[network]
network_config_dir = "%[2]s/networks"
`

// storageConfiguration says where Podman keeps images and containers.
const storageConfiguration = `[storage]
driver = "%s"
graphroot = "%s/graph"
runroot = "%[2]s/run"
`

// startPodman prepares a Podman.
func startPodman(ctx context.Context) (*engine, error) {
	if _, err := find("runc"); err != nil {
		return nil, errNotRunnable{err}
	}
	e, err := newEngine("podman")
	if err != nil {
		return nil, err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return e, err
	}
	dir := e.dir
	for _, driver := range []string{"overlay", "vfs"} {
		containers, storage := filepath.Join(dir, "containers.conf"), filepath.Join(dir, "storage.conf")
		err = errors.Join(
			os.WriteFile(containers, fmt.Appendf(nil, containersConfiguration, min(limit.Max, 20000), dir), 0o600),
			os.WriteFile(storage, fmt.Appendf(nil, storageConfiguration, driver, dir), 0o600))
		if err != nil {
			return e, err
		}
		e.env = []string{"CONTAINERS_CONF=" + containers, "CONTAINERS_STORAGE_CONF=" + storage}
		if e.version, err = e.call(ctx, "version", "--format", "{{.Client.Version}}"); err == nil {
			_, err = e.call(ctx, "info")
		}
		if err == nil {
			return e, nil
		}
	}
	return nil, errNotRunnable{errors.Join(err, os.RemoveAll(dir))}
}

// give loads the images, and tags the image of catalog as deploy/ does. To the latter, it adds the
// certificate of the origin, as those do whose origin has a certificate of their own.
func (e *engine) give(ctx context.Context, w *world) error {
	for _, i := range images {
		if err := i.give(ctx, e); err != nil {
			return err
		}
	}
	said, err := e.call(ctx, "load", "--input", w.image)
	if err != nil {
		return err
	}
	_, loaded, _ := strings.Cut(said, "Loaded image")
	_, loaded, _ = strings.Cut(loaded, ": ")
	loaded, _, _ = strings.Cut(loaded, "\n")
	certificate := filepath.Join(e.dir, "origin.pem")
	if err := os.WriteFile(certificate, w.origin.certificate, 0o644); err != nil {
		return err
	}
	if _, err := e.call(ctx, "create", "--name", "made", loaded); err != nil {
		return err
	}
	if _, err := e.call(ctx, "cp", certificate, "made:/etc/ssl/certs/origin.pem"); err != nil {
		return err
	}
	for _, tag := range []string{oldTag, newTag} {
		if _, err := e.call(ctx, "commit", "made", "registry.example/catalog:"+tag); err != nil {
			return err
		}
	}
	_, err = e.call(ctx, "rm", "made")
	return err
}

// explain adds what containers said last to an error.
func (e *engine) explain(ctx context.Context, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	list, _ := e.call(ctx, "ps", "-a", "--format", "{{.Names}}") // without it, the error is not explained
	for name := range strings.FieldsSeq(list) {
		c := exec.CommandContext(ctx, e.program, "logs", "--tail", "3", name)
		c.Env = append(os.Environ(), e.env...)
		text, _ := c.CombinedOutput()
		err = fmt.Errorf("%w; %s: %s", err, name, last(string(text), 300))
	}
	return err
}

// processID returns the process id of a container's program.
func (e *engine) processID(ctx context.Context, container string) (int, error) {
	text, err := e.call(ctx, "inspect", "--format", "{{.State.Pid}}", container)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(text)
}

// end removes all containers, networks and volumes, and stops Docker.
func (e *engine) end(ctx context.Context) error {
	var errs []error
	if e.daemon == nil {
		_, err := e.call(ctx, "pod", "rm", "-f", "-a")
		errs = append(errs, err)
	}
	for _, kind := range [][]string{{"ps", "-aq"}, {"volume", "ls", "-q"}} {
		list, err := e.call(ctx, kind...)
		errs = append(errs, err)
		remove := []string{"rm", "-f", "-v"}
		if kind[0] == "volume" {
			remove = []string{"volume", "rm"}
		}
		if names := strings.Fields(list); len(names) > 0 {
			_, err := e.call(ctx, append(remove, names...)...)
			errs = append(errs, err)
		}
	}
	_, err := e.call(ctx, "network", "prune", "-f")
	errs = append(errs, err)
	if e.daemon != nil {
		e.endDaemon()
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w; what is left is in %s", err, e.dir)
	}
	return os.RemoveAll(e.dir)
}

// endDaemon stops Docker.
func (e *engine) endDaemon() {
	_ = e.daemon.Process.Signal(syscall.SIGTERM) // it may have ended
	kill := time.AfterFunc(patience, func() { _ = e.daemon.Process.Kill() })
	_ = e.daemon.Wait() // its status says nothing more
	kill.Stop()
}

// last returns at most the last n bytes of a text.
func last(text string, n int) string { return text[max(0, len(text)-n):] }

// freeAddress returns a free loopback address.
func freeAddress() (*net.TCPAddr, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return listener.Addr().(*net.TCPAddr), listener.Close()
}
