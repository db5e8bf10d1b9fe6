//go:build unix

// Package processtest starts the servers that tests need beside their own, on free
// loopback ports and in temporary folders: Redis and nginx, as Debian ships them,
// and `catalog serve` as it is shipped, in a process whose memory can be measured.
// It is for tests.
//
// What it starts ends with the test, and also where the test has no chance to
// end it: where the whole test program is killed.
package processtest

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience bounds how long a server may take until it answers, on a machine
// that is busy.
const patience = 30 * time.Second

// process is a running program.
type process struct {
	command *exec.Cmd
	said    Output
	ended   chan struct{} // closed when it has ended, for whatever reason
	guard   *exec.Cmd     // ends the program when this one is gone
}

// Installed returns the path of a program of a Debian package. With -short, the
// test is skipped.
func Installed(t testing.TB, debian, program string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs " + program)
	}
	path, err := exec.LookPath(program)
	if err != nil { // the PATH of many users has no sbin
		path, err = exec.LookPath(filepath.Join("/usr/sbin", program))
	}
	if err != nil {
		t.Fatalf("%s is not installed: run make deps (Debian: apt-get install %s)", program, debian)
	}
	return path
}

// start starts a program. What it says is shown where it does not work.
func start(t testing.TB, path string, args ...string) *process {
	t.Helper()
	return startCommand(t, exec.Command(path, args...))
}

func startCommand(t testing.TB, command *exec.Cmd) *process {
	t.Helper()
	p := &process{command: command, ended: make(chan struct{})}
	p.command.Stdout, p.command.Stderr = &p.said, &p.said
	p.command.WaitDelay = time.Second                           // for what it started itself and holds its output
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that what it starts is killed, too
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.command.Wait() // it is killed
		close(p.ended)
	}()
	t.Cleanup(p.kill)
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

// kill ends the process at once, if it has not ended, and waits for its end.
func (p *process) kill() {
	if p.guard != nil && p.guard.Process != nil {
		_ = p.guard.Process.Kill() // first, while the number is still that of the process
		_ = p.guard.Wait()
		p.guard = nil
	}
	_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL)
	<-p.ended
}

// awaitReady asks until there is an answer. It returns an error where the process
// has ended before.
func (p *process) awaitReady(ask func() error) error {
	deadline := time.Now().Add(patience)
	for {
		err := ask()
		if err == nil {
			return nil
		}
		select {
		case <-p.ended:
			return fmt.Errorf("it ended: %s", p.said.String())
		case <-time.After(5 * time.Millisecond): // until the next question
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("no answer in %v: %w; it said: %s", patience, err, p.said.String())
		}
	}
}

// freePort returns a port that nobody listened on a moment ago.
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

// attempts is how often a server is started, because somebody else may take its
// port in the meantime.
const attempts = 5

// RedisOptions are those of a Redis.
type RedisOptions struct {
	// User and Password are needed to use it. With a password alone, it is that of
	// the default user, who may do anything.
	User, Password string
	// Permissions are those of User, as redis.conf has them.
	Permissions string
	// Certificate is shown to those who connect, who must speak TLS; nil: they
	// must not.
	Certificate *Certificate
	// Settings are more lines of redis.conf.
	Settings []string
	// Sentinel makes it a Sentinel, whose Settings say what it monitors.
	Sentinel bool

	cluster bool
}

// Redis is a running Redis, without data at first.
type Redis struct {
	// Address is its host and port.
	Address string
	// URL is its address with all that is needed to use it.
	URL string

	t       testing.TB
	o       RedisOptions
	folder  string
	busPort string // of a node of a Cluster
	process *process
}

// StartRedis returns a Redis that answers.
func StartRedis(t testing.TB, o RedisOptions) *Redis {
	t.Helper()
	r := &Redis{t: t, o: o, folder: t.TempDir()}
	var err error
	for range attempts {
		r.Address = net.JoinHostPort("127.0.0.1", freePort(t))
		if err = r.start(); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatalf("redis-server: %v", err)
	}
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

// StartCluster returns the masters of a Redis Cluster that works.
func StartCluster(t testing.TB, masters int) []*Redis {
	t.Helper()
	const slots = 16384
	var nodes []*Redis
	for i := range masters {
		r := StartRedis(t, RedisOptions{cluster: true})
		r.Tell("CLUSTER", "ADDSLOTSRANGE", strconv.Itoa(i*slots/masters), strconv.Itoa((i+1)*slots/masters-1))
		nodes = append(nodes, r)
	}
	for _, r := range nodes[1:] {
		host, port, _ := net.SplitHostPort(r.Address)
		nodes[0].Tell("CLUSTER", "MEET", host, port, r.busPort)
	}
	for _, r := range nodes {
		err := r.process.awaitReady(func() error {
			info := r.Tell("CLUSTER", "INFO")
			size := "cluster_size:" + strconv.Itoa(masters)
			if !strings.Contains(info, "cluster_state:ok") || !strings.Contains(info, size) {
				return errors.New(info)
			}
			return nil
		})
		if err != nil {
			t.Fatalf("redis-server: %v", err)
		}
	}
	return nodes
}

// StartFakeRedis returns the address of a server that knows only how to run a script by its
// name. The test answers it, and the connection ends with an error of it.
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
	r.process = start(r.t, Installed(r.t, "redis-server", "redis-server"), args...)
	return r.process.awaitReady(func() error {
		// It is said once Redis has the port: another Redis may answer there.
		if !strings.Contains(r.process.said.String(), ready) {
			return errors.New("it does not accept connections")
		}
		return r.ping()
	})
}

// ping asks whether Redis is there: also one that wants a password first is.
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

// Tell gives Redis a command, as redis-cli does, and returns the answer as that
// prints it. An answer that is an error fails the test.
func (r *Redis) Tell(command ...string) string {
	r.t.Helper()
	url := strings.Replace(r.URL, "//:", "//default:", 1)
	args := append([]string{"-u", url, "--no-auth-warning", "-e"}, command...)
	if r.o.Certificate != nil {
		args = append([]string{"--cacert", r.o.Certificate.File}, args...)
	}
	answer, err := exec.Command("redis-cli", args...).CombinedOutput()
	if err != nil {
		r.t.Fatalf("redis-cli %q: %v: %s", command, err, answer)
	}
	return strings.TrimSuffix(string(answer), "\n")
}

// Kill ends Redis at once, as a fault does; what it knew is gone.
func (r *Redis) Kill() { r.process.kill() }

// Restart starts a Redis that was killed, at the same address, and returns when
// it answers.
func (r *Redis) Restart() {
	r.t.Helper()
	if err := r.start(); err != nil {
		r.t.Fatalf("redis-server: %v", err)
	}
}

// Pause lets Redis keep its connections and say nothing, until Resume.
func (r *Redis) Pause() { r.signal(syscall.SIGSTOP) }

// Resume ends a pause.
func (r *Redis) Resume() { r.signal(syscall.SIGCONT) }

func (r *Redis) signal(s os.Signal) {
	r.t.Helper()
	if err := r.process.command.Process.Signal(s); err != nil {
		r.t.Fatal(err)
	}
}

// StartNginx returns the address of an nginx that hands requests on to these
// addresses, in turn, and names the client in X-Forwarded-For.
func StartNginx(t testing.TB, replicas ...string) string {
	t.Helper()
	return StartNginxWith(t, func(address string) string { return proxyConfig(address, replicas) })
}

// StartServer returns the address of an HTTP server that a command starts at the address
// that is handed in.
func StartServer(t testing.TB, command func(address string) *exec.Cmd) string {
	t.Helper()
	var err error
	client := http.Client{Timeout: time.Second}
	for range attempts {
		address := net.JoinHostPort("127.0.0.1", freePort(t))
		p := startCommand(t, command(address))
		err = p.awaitReady(func() error {
			response, err := client.Get("http://" + address + "/")
			if err == nil {
				err = response.Body.Close()
			}
			return err
		})
		if err == nil {
			return address
		}
		p.kill()
	}
	t.Fatalf("%v", err)
	return ""
}

// StartNginxWith returns the address of an nginx with a configuration of the
// test's own: what stands in its http block, for a server that listens at the
// address that is handed in.
func StartNginxWith(t testing.TB, configure func(address string) string) string {
	t.Helper()
	var err error
	for range attempts {
		folder, address := t.TempDir(), net.JoinHostPort("127.0.0.1", freePort(t))
		config := filepath.Join(folder, "nginx.conf")
		if err := os.WriteFile(config, []byte(nginxConfig(folder, configure(address))), 0o600); err != nil {
			t.Fatal(err)
		}
		log := filepath.Join(folder, "error.log")
		p := start(t, Installed(t, "nginx", "nginx"), "-p", folder, "-e", log, "-c", config)
		err = p.awaitReady(func() error {
			// It is written once nginx has the port: another program may answer there.
			if _, err := os.Stat(filepath.Join(folder, "nginx.pid")); err != nil {
				return err
			}
			connection, err := net.DialTimeout("tcp", address, time.Second)
			if err == nil {
				err = connection.Close()
			}
			return err
		})
		if err == nil {
			return address
		}
	}
	t.Fatalf("nginx: %v", err)
	return ""
}

// nginxConfig is for one process without a master, so that to kill it is to end it.
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

// proxyConfig hands requests on.
func proxyConfig(address string, replicas []string) string {
	var config strings.Builder
	config.WriteString("  upstream replicas {\n    keepalive 16;\n")
	for _, replica := range replicas {
		// One that fails is not left out: the test is to see it.
		fmt.Fprintf(&config, "    server %s max_fails=0;\n", replica)
	}
	fmt.Fprintf(&config, `  }
  server {
    listen %s;
    location / {
      proxy_pass http://replicas;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_next_upstream off;
    }
  }
`, address)
	return config.String()
}

// StartTCP returns the address of a server of the test's own, on loopback. Each of
// its connections is closed when serve returns, and at the end of the test.
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
