//go:build unix

// Package processtest starts servers for tests, on free loopback ports and in temporary folders:
// Redis and nginx from Debian, and other programs.
//
// They end with the test, even if the whole test program is killed.
package processtest

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a server may take to answer, on a busy machine.
const patience = 30 * time.Second

// Process is a running program.
type Process struct {
	command *exec.Cmd
	said    Output
	ended   chan struct{} // closed when it has ended
	guard   *exec.Cmd     // kills the program when the test program is gone
}

// Installed returns the path of a program from a Debian package. With -short, the test is skipped.
func Installed(t testing.TB, debian, program string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs " + program)
	}
	path, err := exec.LookPath(program)
	if err != nil { // many users do not have sbin in their PATH
		path, err = exec.LookPath(filepath.Join("/usr/sbin", program))
	}
	if err != nil {
		t.Fatalf("%s is not installed: run make deps (Debian: apt-get install %s)", program, debian)
	}
	return path
}

// Start starts a program, and collects its output.
func Start(t testing.TB, path string, args ...string) *Process {
	t.Helper()
	return startCommand(t, exec.Command(path, args...))
}

func startCommand(t testing.TB, command *exec.Cmd) *Process {
	t.Helper()
	p := &Process{command: command, ended: make(chan struct{})}
	p.command.Stdout, p.command.Stderr = &p.said, &p.said
	p.command.WaitDelay = time.Second                           // in case its children keep its output open
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that its children are killed, too
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.command.Wait() // an error is expected: the process is killed
		close(p.ended)
	}()
	t.Cleanup(p.Kill)
	// The guard's standard input ends when this program does.
	p.guard = exec.Command("sh", "-c", `read -r _; kill -9 -- "$1"`, "sh", strconv.Itoa(-p.command.Process.Pid))
	if _, err := p.guard.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.guard.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// Kill kills the process, and waits for its end.
func (p *Process) Kill() {
	if p.guard != nil && p.guard.Process != nil {
		_ = p.guard.Process.Kill() // first, while the id still belongs to the process
		_ = p.guard.Wait()
		p.guard = nil
	}
	_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL)
	<-p.ended
}

// Said returns the standard output and standard error of the process.
func (p *Process) Said() string { return p.said.String() }

// Running reports whether the process is still running.
func (p *Process) Running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// Pid returns the id of the process.
func (p *Process) Pid() int { return p.command.Process.Pid }

// Client returns a different loopback address for each n from 0 to 9,999,999, beginning at
// 127.1.0.1. Linux lets any process use all of 127.0.0.0/8.
func Client(n int) netip.Addr {
	n += 1<<16 + 1
	return netip.MustParseAddr(fmt.Sprintf("127.%d.%d.%d", n>>16, n>>8&255, n&255))
}

// AwaitReady calls ask until that returns no error. AwaitReady fails if the process ends first, or
// if ask still returns an error after patience.
func (p *Process) AwaitReady(ask func() error) error {
	deadline := time.Now().Add(patience)
	for {
		err := ask()
		if err == nil {
			return nil
		}
		select {
		case <-p.ended:
			return fmt.Errorf("it ended: %s", p.said.String())
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("no answer in %v: %w; it said: %s", patience, err, p.said.String())
		}
	}
}

// attempts is how many times to try to start a server: another program may take its port.
const attempts = 5

// onFreePort calls start with the address of a free port, and again with another if that fails. It
// returns the address.
func onFreePort(t testing.TB, program string, start func(address string) error) (address string) {
	t.Helper()
	var err error
	for range attempts {
		address = net.JoinHostPort("127.0.0.1", freePort(t))
		if err = start(address); err == nil {
			return address
		}
	}
	t.Fatalf("%s: %v", program, err)
	return ""
}

// freePort returns a port that is free at the moment.
func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// RedisOptions configure a Redis.
type RedisOptions struct {
	// User and Password are what clients must send. A password without a user is that of the
	// default user, who may do anything.
	User, Password string
	// Permissions are the permissions of User, in the form of redis.conf.
	Permissions string
	// Certificate is the certificate for TLS; nil means no TLS.
	Certificate *Certificate
	// Settings are additional lines for redis.conf.
	Settings []string
	// Sentinel starts a Sentinel instead. Settings must say what it monitors.
	Sentinel bool

	cluster bool
}

// Redis is a running Redis. It has no data at first.
type Redis struct {
	// Address is its host and port.
	Address string
	// URL is its address with user and password.
	URL string

	t       testing.TB
	o       RedisOptions
	folder  string
	busPort string // for the other nodes of a Cluster
	process *Process
}

// StartRedis starts a Redis, and returns when it answers.
func StartRedis(t testing.TB, o RedisOptions) *Redis {
	t.Helper()
	r := &Redis{t: t, o: o, folder: t.TempDir()}
	onFreePort(t, "redis-server", func(address string) error {
		r.Address = address
		return r.start()
	})
	user, scheme := "", "redis"
	if o.Password != "" {
		user = o.User + ":" + o.Password + "@"
	}
	if o.Certificate != nil {
		scheme = "rediss"
	}
	r.URL = scheme + "://" + user + r.Address
	return r
}

// StartCluster starts a Redis Cluster, and returns its masters and as many replicas in the same order, each
// with the counts of its master, if replicated. A master that is gone for half a second is replaced.
func StartCluster(t testing.TB, masters int, replicated bool) (nodes, replicas []*Redis) {
	t.Helper()
	const slots = 16384
	o := RedisOptions{cluster: true, Settings: []string{"cluster-node-timeout 500"}}
	for i := range masters {
		r := StartRedis(t, o)
		r.Tell("CLUSTER", "ADDSLOTSRANGE", strconv.Itoa(i*slots/masters), strconv.Itoa((i+1)*slots/masters-1))
		nodes = append(nodes, r)
		if replicated {
			replicas = append(replicas, StartRedis(t, o))
		}
	}
	all := slices.Concat(nodes, replicas)
	for _, r := range all[1:] {
		host, port, _ := net.SplitHostPort(r.Address)
		nodes[0].Tell("CLUSTER", "MEET", host, port, r.busPort)
	}
	for _, r := range all {
		known, size := "cluster_known_nodes:"+strconv.Itoa(len(all)), "cluster_size:"+strconv.Itoa(masters)
		r.await("CLUSTER INFO", "cluster_state:ok", known, size)
	}
	for i, r := range replicas {
		r.Tell("CLUSTER", "REPLICATE", nodes[i].Tell("CLUSTER", "MYID"))
	}
	for i, r := range replicas {
		r.await("INFO replication", "master_link_status:up")
		nodes[i].await("INFO replication", "state=online")
	}
	return nodes, replicas
}

// await waits until the answer to a command has all these parts.
func (r *Redis) await(command string, parts ...string) {
	r.t.Helper()
	err := r.process.AwaitReady(func() error {
		answer := r.Tell(strings.Fields(command)...)
		if slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(answer, part) }) {
			return errors.New(answer)
		}
		return nil
	})
	if err != nil {
		r.t.Fatalf("redis-server: %v", err)
	}
}

// StartFakeRedis starts a server that knows only EVALSHA, and returns its address. It calls answer
// for each EVALSHA, and closes the connection when answer returns an error.
func StartFakeRedis(t testing.TB, answer func(net.Conn) error) string {
	t.Helper()
	return StartTCP(t, func(connection net.Conn) {
		var err error
		for in := bufio.NewScanner(connection); err == nil && in.Scan(); {
			switch strings.ToLower(in.Text()) {
			case "hello":
				_, err = io.WriteString(connection, "-ERR unknown command\r\n")
			case "evalsha":
				err = answer(connection)
			}
		}
	})
}

func (r *Redis) start() error {
	r.t.Helper()
	_, port, _ := net.SplitHostPort(r.Address)
	lines := []string{"bind 127.0.0.1", "dir " + r.folder, "daemonize no"}
	if !r.o.Sentinel {
		lines = append(lines, "save \"\"", "appendonly no")
	}
	if c := r.o.Certificate; c != nil {
		lines = append(lines, "port 0", "tls-port "+port, "tls-auth-clients no",
			"tls-cert-file "+c.File, "tls-key-file "+c.KeyFile)
	} else {
		lines = append(lines, "port "+port)
	}
	switch {
	case r.o.User != "":
		lines = append(lines, "user default off", "user "+r.o.User+" on >"+r.o.Password+" "+r.o.Permissions)
	case r.o.Password != "":
		lines = append(lines, "requirepass "+r.o.Password)
	}
	if r.o.cluster {
		r.busPort = freePort(r.t)
		lines = append(lines, "cluster-enabled yes", "cluster-port "+r.busPort)
	}
	lines = append(lines, r.o.Settings...)
	config := filepath.Join(r.folder, "redis.conf")
	if err := os.WriteFile(config, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		r.t.Fatal(err)
	}
	args, ready := []string{config}, "Ready to accept connections"
	if r.o.Sentinel {
		args, ready = append(args, "--sentinel"), "+monitor master"
	}
	r.process = Start(r.t, Installed(r.t, "redis-server", "redis-server"), args...)
	return r.process.AwaitReady(func() error {
		// Redis says this when it has the port. Until then, another Redis may answer there.
		if !strings.Contains(r.process.said.String(), ready) {
			return errors.New("it does not accept connections")
		}
		return r.ping()
	})
}

// ping returns an error if no Redis answers. The answer that a password is required is enough.
func (r *Redis) ping() error {
	connection, err := net.DialTimeout("tcp", r.Address, time.Second)
	if err != nil {
		return err
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return err
	}
	if c := r.o.Certificate; c != nil {
		connection = tls.Client(connection, c.Trust())
	}
	if _, err := io.WriteString(connection, "PING\r\n"); err != nil {
		return err
	}
	line, err := bufio.NewReader(connection).ReadString('\n')
	if err != nil {
		return err
	}
	if !strings.HasPrefix(line, "+PONG") && !strings.HasPrefix(line, "-NOAUTH") {
		return errors.New(strings.TrimSpace(line))
	}
	return nil
}

// Tell sends a command with redis-cli, and returns what redis-cli prints. An error fails the test.
func (r *Redis) Tell(command ...string) string {
	r.t.Helper()
	answer, err := r.Try(command...)
	if err != nil {
		r.t.Fatalf("redis-cli %q: %v: %s", command, err, answer)
	}
	return answer
}

// Try is Tell for a Redis that may close the connection, as one does that stops being a master.
func (r *Redis) Try(command ...string) (answer string, err error) {
	url := strings.Replace(r.URL, "//:", "//default:", 1)
	args := append([]string{"-u", url, "--no-auth-warning", "-e"}, command...)
	if r.o.Certificate != nil {
		args = append([]string{"--cacert", r.o.Certificate.File}, args...)
	}
	out, err := exec.Command("redis-cli", args...).CombinedOutput()
	return strings.TrimSuffix(string(out), "\n"), err
}

// Kill kills Redis. Its data is lost.
func (r *Redis) Kill() { r.process.Kill() }

// Restart starts a killed Redis at the same address, and returns when it answers.
func (r *Redis) Restart() {
	r.t.Helper()
	if err := r.start(); err != nil {
		r.t.Fatalf("redis-server: %v", err)
	}
}

// Pause suspends Redis until Resume: it keeps its connections, but answers nothing.
func (r *Redis) Pause() { r.signal(syscall.SIGSTOP) }

// Resume ends a pause.
func (r *Redis) Resume() { r.signal(syscall.SIGCONT) }

func (r *Redis) signal(s os.Signal) {
	r.t.Helper()
	if err := r.process.command.Process.Signal(s); err != nil {
		r.t.Fatal(err)
	}
}

// StartServer starts an HTTP server, and returns its address. command returns the command that
// starts a server at the given address.
func StartServer(t testing.TB, command func(address string) *exec.Cmd) string {
	t.Helper()
	client := http.Client{Timeout: time.Second}
	return onFreePort(t, "server", func(address string) error {
		p := startCommand(t, command(address))
		err := p.AwaitReady(func() error {
			response, err := client.Get("http://" + address + "/")
			if err == nil {
				err = response.Body.Close()
			}
			return err
		})
		if err != nil {
			p.Kill()
		}
		return err
	})
}

// StartNginxWith starts an nginx, and returns its address. configure returns the contents of the
// http block for a server that listens at the given address.
func StartNginxWith(t testing.TB, configure func(address string) string) string {
	t.Helper()
	return onFreePort(t, "nginx", func(address string) error {
		folder := t.TempDir()
		config := filepath.Join(folder, "nginx.conf")
		if err := os.WriteFile(config, []byte(nginxConfig(folder, configure(address))), 0o600); err != nil {
			t.Fatal(err)
		}
		log := filepath.Join(folder, "error.log")
		p := Start(t, Installed(t, "nginx", "nginx"), "-p", folder, "-e", log, "-c", config)
		return p.AwaitReady(func() error {
			// nginx writes this file when it has the port. Until then, another program may answer
			// there.
			if _, err := os.Stat(filepath.Join(folder, "nginx.pid")); err != nil {
				return err
			}
			connection, err := net.DialTimeout("tcp", address, time.Second)
			if err == nil {
				err = connection.Close()
			}
			return err
		})
	})
}

// nginxConfig returns a configuration without a master process, so that killing the one process
// stops nginx.
func nginxConfig(folder, inner string) string {
	var config strings.Builder
	fmt.Fprintf(&config, "daemon off;\nmaster_process off;\npid %s/nginx.pid;\n"+
		"events { worker_connections 512; }\nhttp {\n  access_log off;\n", folder)
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&config, "  %s_temp_path %s/%s;\n", kind, folder, kind)
	}
	config.WriteString(inner)
	config.WriteString("}\n")
	return config.String()
}

// StartTCP starts a server that calls serve for each connection, and returns its address. A
// connection is closed when serve returns, and at the end of the test.
func StartTCP(t testing.TB, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	var group sync.WaitGroup
	group.Go(func() {
		for {
			connection, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[connection] = true
			mu.Unlock()
			group.Go(func() {
				serve(connection)
				_ = connection.Close()
				mu.Lock()
				delete(open, connection)
				mu.Unlock()
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for connection := range open {
			_ = connection.Close()
		}
		mu.Unlock()
		group.Wait()
	})
	return l.Addr().String()
}
