package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// install is a package in a folder of its own.
type install struct {
	recipe *Recipe
	folder string
	shared string // folder for what several installations share
	log    io.Writer
}

// ensure installs the package, unless the folder has it from an earlier run.
func (p *install) ensure(ctx context.Context) error {
	done := p.folder + ".done"
	r := p.recipe
	want := fmt.Sprintln(r.Registry, r.Package, r.Version, r.Node, r.With, r.Scripts)
	if err := writeEtc(p.etc()); err != nil {
		return err
	}
	if had, err := os.ReadFile(done); err == nil && string(had) == want {
		return nil
	}
	if err := errors.Join(os.RemoveAll(done), os.RemoveAll(p.folder)); err != nil {
		return err
	}
	if err := os.MkdirAll(p.folder, 0o755); err != nil {
		return err
	}
	method := map[string]func(context.Context) error{npm: p.npm, debian: p.debian, golang: p.golang}[p.recipe.Registry]
	if err := method(ctx); err != nil {
		return err
	}
	return os.WriteFile(done, []byte(want), 0o600)
}

// nodeFolder is where the sandbox has the Node.js of a recipe.
const nodeFolder = "/node"

// node returns the folder with the Node.js of the recipe, and installs it if need be; "" for the
// Node.js of the machine.
func (p *install) node(ctx context.Context) (string, error) {
	if p.recipe.Node == "" {
		return "", nil
	}
	name := "node-linux-" + cmp.Or(map[string]string{"amd64": "x64"}[runtime.GOARCH], runtime.GOARCH)
	folder := filepath.Join(p.shared, "node-"+p.recipe.Node)
	at := filepath.Join(folder, "node_modules", name)
	if _, err := os.Stat(filepath.Join(at, "bin", "node")); err == nil {
		return at, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	return at, p.npmInstall(ctx, folder, "", name+"@"+p.recipe.Node)
}

// npm installs the package with npm.
func (p *install) npm(ctx context.Context) error {
	node, err := p.node(ctx)
	if err != nil {
		return err
	}
	packages := append([]string{p.recipe.Package + "@" + p.recipe.Version}, p.recipe.With...)
	return p.npmInstall(ctx, p.folder, node, packages...)
}

// npmInstall installs with npm in a sandbox that has the network, and can write only to the folder and to
// npm's cache. The scripts of packages do not run, unless the recipe says so. node is the folder of
// Node.js, or "".
func (p *install) npmInstall(ctx context.Context, folder, node string, packages ...string) error {
	cache := filepath.Join(p.shared, "npm-cache")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	args := append(p.sandbox(), "--share-net", "--ro-bind-try", "/etc/resolv.conf", "/etc/resolv.conf",
		"--bind", folder, appFolder, "--bind", cache, "/cache")
	args = append(args, withNode(node)...)
	for _, name := range []string{
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "NODE_EXTRA_CA_CERTS", "npm_config_registry",
	} {
		if value, ok := os.LookupEnv(name); ok {
			args = append(args, "--setenv", name, value)
		}
	}
	args = append(args, "--", "npm", "install", "--prefix", appFolder, "--cache", "/cache", "--no-audit", "--no-fund",
		"--omit=dev", "--loglevel=error")
	if !p.recipe.Scripts {
		args = append(args, "--ignore-scripts")
	}
	return p.command(ctx, nil, bubblewrap, append(args, packages...)...)
}

// debian unpacks a package with all that it depends on into a system of its own. The scripts of
// packages do not run.
func (p *install) debian(ctx context.Context) error {
	cache := filepath.Join(p.shared, "apt")
	archives := filepath.Join(cache, p.recipe.slug)
	if err := os.RemoveAll(archives); err != nil { // all packages in it are unpacked
		return err
	}
	if err := os.MkdirAll(filepath.Join(archives, "partial"), 0o755); err != nil {
		return err
	}
	status := filepath.Join(cache, "status")
	if err := os.WriteFile(status, nil, 0o600); err != nil {
		return err
	}
	args := []string{"-o", "Dir::State::status=" + status, "-o", "Dir::Cache::archives=" + archives,
		"-o", "Debug::NoLocking=1", "-o", "APT::Sandbox::User=root", "--no-install-recommends", "--download-only",
		"-qq", "-y", "install", p.recipe.Package + "=" + p.recipe.Version, "dash", "coreutils", "grep", "sed"}
	if err := p.command(ctx, nil, "apt-get", append(args, p.recipe.With...)...); err != nil {
		return err
	}
	for _, name := range []string{"bin", "sbin", "lib", "lib64"} {
		if err := os.MkdirAll(filepath.Join(p.folder, "usr", name), 0o755); err != nil {
			return err
		}
		if err := os.Symlink("usr/"+name, filepath.Join(p.folder, name)); err != nil {
			return err
		}
	}
	packages, err := filepath.Glob(filepath.Join(archives, "*.deb"))
	if err != nil {
		return err
	}
	for _, name := range packages {
		const unpack = `dpkg-deb --fsys-tarfile "$1" | tar -x --keep-directory-symlink --no-same-owner -C "$2"`
		if err := p.command(ctx, nil, "sh", "-euc", unpack, "sh", name, p.folder); err != nil {
			return fmt.Errorf("unpack %s: %w", filepath.Base(name), err)
		}
	}
	return writeEtc(filepath.Join(p.folder, "etc"))
}

// golang builds a command without cgo. That runs no code of the module.
func (p *install) golang(ctx context.Context) error {
	environment := append(os.Environ(), "GOBIN="+filepath.Join(p.folder, "bin"), "CGO_ENABLED=0")
	return p.command(ctx, environment, "go", "install", "-trimpath", "-ldflags=-s -w",
		p.recipe.Package+"@"+p.recipe.Version)
}

// command runs a command on this machine. The error has the end of what it printed.
func (p *install) command(ctx context.Context, environment []string, name string, args ...string) error {
	tail := &tailWriter{to: p.log}
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env, c.Stdout, c.Stderr = p.shared, environment, tail, tail
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, tail.last())
	}
	return nil
}
