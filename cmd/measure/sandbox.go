package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// bubblewrap is the program that makes the sandbox. It is Debian's package bubblewrap.
const bubblewrap = "bwrap"

// Where the sandbox has what is installed, this program, and the home folder.
const (
	appFolder  = "/app"
	ownProgram = "/measure/measure"
	homeFolder = "/home/user"
)

// programs is the PATH in the sandbox.
const programs = appFolder + "/node_modules/.bin:" + appFolder + "/bin:/usr/local/bin:/usr/bin:/bin"

// withNode returns the arguments for a Node.js in a folder; none for "".
func withNode(folder string) []string {
	if folder == "" {
		return nil
	}
	return []string{"--ro-bind", folder, nodeFolder, "--setenv", "PATH", nodeFolder + "/bin:" + programs,
		"--setenv", "npm_config_nodedir", nodeFolder}
}

// etcFiles are files of the sandbox's /etc.
var etcFiles = map[string]string{
	"passwd":        "user:x:1000:1000::" + homeFolder + ":/bin/sh\n",
	"group":         "user:x:1000:\n",
	"hosts":         "127.0.0.1 localhost\n::1 localhost\n",
	"nsswitch.conf": "hosts: files dns\n",
}

// writeEtc writes etcFiles to a folder.
func writeEtc(folder string) error {
	wrong := []error{os.MkdirAll(folder, 0o755)}
	for name, text := range etcFiles {
		wrong = append(wrong, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	return errors.Join(wrong...)
}

// etc returns the folder with etcFiles, for sandboxes with the system of the machine.
func (p *install) etc() string { return filepath.Join(p.shared, "etc") }

// sandbox returns the arguments of bubblewrap before the command: a new user, empty folders for
// files, and a read-only system: for Debian the one that is installed, else that of the machine.
func (p *install) sandbox() []string {
	root := "/"
	if p.recipe.Registry == debian {
		root = p.folder
	}
	args := []string{
		"--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--uid", "1000", "--gid", "1000",
		"--cap-drop", "ALL", "--hostname", "sandbox",
		"--ro-bind", filepath.Join(root, "usr"), "/usr",
		"--symlink", "usr/bin", "/bin", "--symlink", "usr/sbin", "/sbin",
		"--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
		"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/run", "--tmpfs", "/home",
		"--dir", homeFolder, "--chdir", homeFolder,
		"--setenv", "HOME", homeFolder, "--setenv", "LANG", "C.UTF-8", "--setenv", "TMPDIR", "/tmp",
		"--setenv", "PATH", programs,
	}
	if p.recipe.Registry == debian {
		return append(args, "--ro-bind", filepath.Join(root, "etc"), "/etc",
			"--ro-bind-try", filepath.Join(root, "var"), "/var")
	}
	names := []string{"/etc/alternatives", "/etc/ssl", "/etc/fonts", "/etc/ld.so.cache", "/etc/chromium.d"}
	java, _ := filepath.Glob("/etc/java-*") // the pattern is valid
	for _, name := range append(names, java...) {
		args = append(args, "--ro-bind-try", name, name)
	}
	for name := range etcFiles {
		args = append(args, "--ro-bind", filepath.Join(p.etc(), name), "/etc/"+name)
	}
	return args
}

// run runs a recipe once in the sandbox.
func (p *install) run(ctx context.Context) (*Figures, error) {
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	recipe, err := json.Marshal(p.recipe)
	if err != nil {
		return nil, err
	}
	args := p.sandbox()
	if p.recipe.Registry != debian {
		node, err := p.node(ctx)
		if err != nil {
			return nil, err
		}
		args = append(args, "--ro-bind", p.folder, appFolder)
		args = append(args, withNode(node)...)
	}
	args = append(args, "--ro-bind", own, ownProgram)
	for _, name := range slices.Sorted(maps.Keys(p.recipe.Environment)) {
		args = append(args, "--setenv", name, p.recipe.Environment[name])
	}
	args = append(args, "--", ownProgram, insideCommand, string(recipe))
	var out bytes.Buffer
	tail := &tailWriter{to: p.log}
	c := exec.CommandContext(ctx, bubblewrap, args...)
	c.Stdout, c.Stderr = &out, tail
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, tail.last())
	}
	var figures Figures
	if err := json.Unmarshal(out.Bytes(), &figures); err != nil {
		return nil, fmt.Errorf("no figures: %w\n%s", err, tail.last())
	}
	if figures.Peak == 0 {
		return nil, errors.New("no process was seen: is /proc readable in the sandbox?")
	}
	return &figures, nil
}

// tailWriter keeps the end of what is written, for errors, and passes all of it on.
type tailWriter struct {
	to   io.Writer
	kept []byte
}

// maxTail is the number of bytes that a tailWriter keeps.
const maxTail = 3000

func (w *tailWriter) Write(b []byte) (int, error) {
	w.kept = append(w.kept, b...)
	w.kept = w.kept[max(0, len(w.kept)-maxTail):]
	return w.to.Write(b)
}

// last returns the end of what was written.
func (w *tailWriter) last() string { return strings.TrimSpace(string(w.kept)) }
