//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// compose is deploy/compose.yaml, with Docker Compose or podman-compose.
type compose struct {
	docker bool
	*engine
	world   *world
	tool    string // docker-compose or podman-compose
	version string
	dir     string // a copy of deploy/
	address string // where nginx is published
}

// toolVersion matches the version in what docker-compose and podman-compose print.
var toolVersion = regexp.MustCompile(`(?:Compose|composer?) version +(\S+)`)

func (c *compose) name() string {
	name, engine := "podman-compose", "Podman"
	if c.docker {
		name, engine = "Docker Compose", "Docker Engine"
	}
	if c.engine == nil || c.version == "" {
		return name
	}
	return fmt.Sprintf("%s %s, %s %s", name, c.version, engine, c.engine.version)
}

func (c *compose) note(step string) string {
	switch step {
	case "start":
		if c.docker {
			return "compose.yaml: 3 replicas, nginx and Redis, which are healthy"
		}
		return "compose.yaml: 3 replicas, nginx, Redis"
	case "doors":
		return "through nginx, at the published port"
	case "new program":
		return "each replica: up -d --no-deps"
	case killed:
		return "the engine restarted it"
	}
	return ""
}

func (c *compose) front() []string { return []string{"http://" + c.address} }

func (c *compose) replicas() []string {
	var all []string
	for n := 1; n <= 3; n++ {
		all = append(all, fmt.Sprintf("http://%s1%d:8080", composeNetwork, n))
	}
	return all
}

func (c *compose) prepare(ctx context.Context, w *world) (err error) {
	c.world = w
	start, tool := startPodman, "podman-compose"
	if c.docker {
		start, tool = startDocker, "docker-compose"
	}
	if c.engine, err = start(ctx); err != nil {
		return err
	}
	if c.tool, err = find(filepath.Join(w.tools, tool)); err != nil {
		if c.tool, err = find(tool); err != nil {
			return errNotRunnable{err}
		}
	}
	said, err := output(ctx, c.engine.env, c.tool, "version")
	if err != nil {
		return errNotRunnable{err}
	}
	if m := toolVersion.FindStringSubmatch(said); m != nil {
		c.version = m[1]
	}
	if c.version == "1.0.3" {
		return errNotRunnable{errors.New("podman-compose 1.0.3 refuses fixed addresses: put 1.6 or later into bin/")}
	}
	c.dir = filepath.Join(c.engine.dir, "deploy")
	return errors.Join(c.give(ctx, w), c.configure(ctx))
}

// configure copies deploy/, sets the values marked SET, and writes the secrets as compose.yaml says.
func (c *compose) configure(ctx context.Context) error {
	address, err := freeAddress()
	if err != nil {
		return err
	}
	c.address = address.String()
	if err := os.CopyFS(c.dir, os.DirFS(c.world.deploy)); err != nil {
		return err
	}
	commands, err := c.commands()
	if err != nil {
		return err
	}
	if _, err := output(ctx, nil, "sh", "-ec", "cd \"$1\"\n"+commands+"chmod 700 secrets", "sh", c.dir); err != nil {
		return err
	}
	return set(filepath.Join(c.dir, "compose.yaml"),
		"https://builds.example/catalog.manifest.json", c.world.origin.url(composeNetwork),
		"--verify-key=SET", "--verify-key="+c.world.origin.key,
		`"80:8080"`, `"`+c.address+`:8080"`)
}

// commands returns the commands in the comment of compose.yaml that write the secrets.
func (c *compose) commands() (string, error) {
	text, err := os.ReadFile(filepath.Join(c.dir, "compose.yaml"))
	if err != nil {
		return "", err
	}
	var commands strings.Builder
	for line := range strings.Lines(string(text)) {
		if command, ok := strings.CutPrefix(line, "#   "); ok && !strings.HasPrefix(command, "for ") {
			commands.WriteString(command)
		}
	}
	if commands.Len() == 0 {
		return "", errors.New("the comment of compose.yaml has no commands that write the secrets")
	}
	return commands.String(), nil
}

// set replaces texts in a file: each must be there.
func set(file string, pairs ...string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(string(text), pairs[i]) {
			return fmt.Errorf("%s has no %q, which is set here", file, pairs[i])
		}
	}
	return os.WriteFile(file, []byte(strings.NewReplacer(pairs...).Replace(string(text))), 0o600)
}

// run runs Docker Compose or podman-compose.
func (c *compose) run(ctx context.Context, args ...string) error {
	file := filepath.Join(c.dir, "compose.yaml")
	_, err := output(ctx, c.engine.env, c.tool, append([]string{"-f", file}, args...)...)
	return err
}

// start starts everything. Docker waits until nginx and Redis are healthy. Podman checks health
// only where systemd runs.
func (c *compose) start(ctx context.Context) error {
	if c.docker {
		return c.run(ctx, "up", "-d", "--wait")
	}
	return c.run(ctx, "up", "-d")
}

func (c *compose) container(ctx context.Context, replica int) (string, error) {
	service := "redis"
	if replica > 0 {
		service = fmt.Sprintf("catalog-%d", replica)
	}
	id, err := c.call(ctx, "ps", "-aq", "--filter", "label=com.docker.compose.service="+service)
	if err == nil && (id == "" || strings.Contains(id, "\n")) {
		err = fmt.Errorf("the containers of %s are %q", service, id)
	}
	return id, err
}

func (c *compose) roll(ctx context.Context) error {
	if err := set(filepath.Join(c.dir, "compose.yaml"), "catalog:"+oldTag, "catalog:"+newTag); err != nil {
		return err
	}
	for n, address := range c.replicas() {
		service := fmt.Sprintf("catalog-%d", n+1)
		if err := c.run(ctx, "up", "-d", "--no-deps", service); err != nil {
			return err
		}
		if err := awaitReady(ctx, address); err != nil {
			return err
		}
		id, err := c.container(ctx, n+1)
		if err != nil {
			return err
		}
		tag, err := c.call(ctx, "inspect", "--format", "{{.Config.Image}}", id)
		if err != nil || !strings.HasSuffix(tag, ":"+newTag) {
			return errors.Join(err, fmt.Errorf("%s runs the image %s", service, tag))
		}
	}
	return nil
}

func (c *compose) stop(ctx context.Context) error {
	if c.engine == nil {
		return nil
	}
	var err error
	if c.dir != "" {
		err = c.run(ctx, "down", "--volumes")
	}
	return errors.Join(err, c.end(ctx))
}
