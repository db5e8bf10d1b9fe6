//go:build linux

package replicas

import (
	"bytes"
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
	"regexp"
	"strconv"
	"strings"
	"time"

	"catalog.example/api/site"
	"catalog.example/cmd/bench/load"
	"catalog.example/cmd/bench/program"
	"catalog.example/generator"
)

// origin is a folder of packed builds.
type origin struct {
	folder    string
	manifests [builds][]byte
	versions  [builds]string
}

const manifestName = "catalog.manifest.json" // in the folder of the origin

// builds is the number of builds to publish: the one that replicas start with, and the updates.
const builds = 3

// pack builds the site once, and packs it for each build with a file that makes the build
// different.
func (b *bench) pack(ctx context.Context) error {
	public := filepath.Join(b.dir, "public")
	if _, err := generator.Build(ctx, generator.Options{Content: b.content, Out: public, Settings: site.Defaults(),
		Now: time.Now()}); err != nil {
		return fmt.Errorf("build the site: %w", err)
	}
	o := &b.origin
	o.folder = filepath.Join(b.dir, "origin")
	for i := range builds {
		if err := os.WriteFile(filepath.Join(public, "build.txt"), []byte(strconv.Itoa(i)), 0o600); err != nil {
			return err
		}
		if err := program.Run(ctx, b.program, "pack", "--public", public, "--out", o.folder); err != nil {
			return err
		}
		text, err := os.ReadFile(filepath.Join(o.folder, manifestName))
		if err != nil {
			return err
		}
		var m struct{ Version string }
		if err := json.Unmarshal(text, &m); err != nil {
			return err
		}
		o.manifests[i], o.versions[i] = text, m.Version
	}
	return nil
}

// publish makes a build the current one.
func (o *origin) publish(build int) error {
	file := filepath.Join(o.folder, manifestName)
	return errors.Join(os.WriteFile(file+".new", o.manifests[build], 0o600), os.Rename(file+".new", file))
}

// fleet holds some replicas and the nginx in front of them.
type fleet struct {
	b        *bench
	folder   string // nginx's
	caches   string // folder of the replicas' caches
	more     []string
	replicas []*program.Server
	nginx    *program.Server
}

// start starts n replicas with the first build, and nginx in front of them. caches is the folder of
// their caches; "" means new caches.
func (b *bench) start(ctx context.Context, caches string, n int, more ...string) (_ *fleet, err error) {
	f := &fleet{b: b, more: more}
	if err := b.origin.publish(0); err != nil {
		return nil, err
	}
	if f.folder, err = os.MkdirTemp(b.dir, "fleet-"); err != nil {
		return nil, err
	}
	f.caches = cmp.Or(caches, f.folder)
	defer func() {
		if err != nil {
			f.stop()
		}
	}()
	var addresses []string
	for i := range n {
		address, err := program.FreeAddress()
		if err != nil {
			return nil, err
		}
		replica, err := f.startReplica(ctx, i, address)
		if err != nil {
			return nil, err
		}
		f.replicas, addresses = append(f.replicas, replica), append(addresses, address)
	}
	f.nginx, err = load.StartNginx(ctx, f.folder, "", "/readyz",
		func(address string) (string, error) { return proxyTo(b.proxy, address, addresses) })
	return f, err
}

// drain is how long a replica that is stopping still accepts requests.
const drain = time.Second

func (f *fleet) startReplica(ctx context.Context, i int, address string) (*program.Server, error) {
	c := exec.CommandContext(ctx, f.b.program,
		append([]string{"serve", "--from", "file://" + filepath.Join(f.b.origin.folder, manifestName),
			"--cache", filepath.Join(f.caches, strconv.Itoa(i)), "--poll", "1s", "--drain-delay", drain.String(),
			"--addr", address, "--trusted-proxies", "127.0.0.1", "--log-level", "error"}, f.more...)...)
	c.Env = append(program.Unlimited(), "GOMAXPROCS=1")
	return program.StartAt(ctx, c, address, "/readyz")
}

func (f *fleet) stop() {
	if f.nginx != nil {
		f.nginx.Stop()
	}
	for _, r := range f.replicas {
		r.Stop()
	}
	_ = os.RemoveAll(f.folder) // its parent folder is removed at the end
}

// processorTime returns the processor time of the replicas.
func (f *fleet) processorTime() (time.Duration, error) {
	var sum time.Duration
	for _, r := range f.replicas {
		spent, err := r.ProcessorTime()
		if err != nil {
			return 0, err
		}
		sum += spent
	}
	return sum, nil
}

// updateBuild publishes the builds after the first, each once all replicas serve the previous one.
func (f *fleet) updateBuild(ctx context.Context) error {
	for build := 1; build < builds; build++ {
		if err := f.b.origin.publish(build); err != nil {
			return err
		}
		for _, r := range f.replicas {
			for served := false; !served; {
				answers, err := load.Capture(ctx, r.Address, []load.Request{{Path: "/readyz"}})
				if err != nil {
					return err
				}
				if served = bytes.Contains(answers[0].Body,
					[]byte("version "+f.b.origin.versions[build]+"\n")); !served {
					if err := pause(ctx, 100*time.Millisecond); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// updateProgram restarts the replicas one after the other, as an operator does.
func (f *fleet) updateProgram(ctx context.Context) error {
	for i, r := range f.replicas {
		err := r.End()
		if err == nil {
			r, err = f.startReplica(ctx, i, r.Address)
		}
		if err != nil {
			return err
		}
		f.replicas[i] = r
	}
	return nil
}

var upstream = regexp.MustCompile(`(?m)^( *)server \S+:\d+( [^;]*)?;\n`)

// proxyTo changes the addresses in a configuration of nginx: where it listens, and its replicas.
func proxyTo(text, listen string, replicas []string) (string, error) {
	const port = "listen 8080;"
	found := upstream.FindStringSubmatch(text)
	if found == nil || !strings.Contains(text, port) {
		return "", fmt.Errorf("the configuration of nginx has no %q, or no replica", port)
	}
	var servers strings.Builder
	for _, address := range replicas {
		fmt.Fprintf(&servers, "%sserver %s%s;\n", found[1], address, found[2])
	}
	text = upstream.ReplaceAllStringFunc(text, func(string) string {
		defer servers.Reset() // the first match becomes all servers, later ones become nothing
		return servers.String()
	})
	return strings.Replace(text, port, "listen "+listen+";", 1), nil
}

// startFiles starts an nginx that serves the answers of a replica as files.
func (b *bench) startFiles(ctx context.Context) (*program.Server, error) {
	f, err := b.start(ctx, filepath.Join(b.dir, "caches"), 1)
	if err != nil {
		return nil, err
	}
	defer f.stop()
	answers, err := load.Capture(ctx, f.nginx.Address, b.ask)
	if err != nil {
		return nil, err
	}
	return load.StartFiles(ctx, filepath.Join(b.dir, "files"), "", answers)
}

// startRedis starts a Redis that keeps nothing on disk.
func (b *bench) startRedis(ctx context.Context) (*program.Server, error) {
	address, err := program.FreeAddress()
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, "redis-server", "--bind", host, "--port", port, "--dir", b.dir, "--save", "",
		"--appendonly", "no")
	return program.StartWhen(ctx, c, address, func(ctx context.Context) error {
		_, err := counted(ctx, address)
		return err
	})
}

var callsOfScript = regexp.MustCompile(`(?m)^cmdstat_evalsha:calls=(\d+),`)

// counted returns the number of requests that a Redis has counted.
func counted(ctx context.Context, address string) (int, error) {
	var dialer net.Dialer
	connection, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return 0, err
	}
	defer connection.Close()
	if _, err := connection.Write([]byte("INFO commandstats\r\nQUIT\r\n")); err != nil {
		return 0, err
	}
	text, err := io.ReadAll(connection)
	if err != nil {
		return 0, err
	}
	m := callsOfScript.FindSubmatch(text)
	if m == nil {
		return 0, nil
	}
	return strconv.Atoi(string(m[1]))
}
