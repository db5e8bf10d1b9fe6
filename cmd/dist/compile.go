package main

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
)

// environment returns the variables with which the go command compiles for a platform.
// All that would change the bytes is set, whatever the user's own settings are.
func environment(p platform) []string {
	return []string{
		"GOOS=" + p.os, "GOARCH=" + p.arch, "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off",
		"CGO_ENABLED=0", "GOTOOLCHAIN=local", "GOFLAGS=-buildvcs=false", "GOWORK=off",
	}
}

// stamp returns the flag of the linker that sets what `catalog version` prints.
func (b *build) stamp() string {
	return fmt.Sprintf("-X main.version=%s -X main.commit=%s -X main.date=%s", b.version, b.revision.commit, b.revision.day())
}

// compile compiles the program for all platforms, and returns the file of each.
func (b *build) compile(ctx context.Context) (map[platform]string, error) {
	programs := map[platform]string{}
	for _, p := range b.platforms {
		file := filepath.Join(b.work, p.os+"_"+p.arch, p.program())
		if _, err := command(ctx, b.root, environment(p), "go", "build", "-trimpath", "-tags", "engine", "-ldflags", "-s -w "+b.stamp(), "-o", file, "./cmd/catalog"); err != nil {
			return nil, fmt.Errorf("compile for %s: %w", p, err)
		}
		if info, err := buildinfo.ReadFile(file); err != nil {
			return nil, err
		} else if info.GoVersion != b.toolchain.version {
			return nil, fmt.Errorf("%s was compiled by %s, but go env says %s", file, info.GoVersion, b.toolchain.version)
		}
		programs[p] = file
	}
	return programs, nil
}

// completions are the files of shell completions, by shell.
var completions = []struct{ shell, file string }{
	{"bash", "completions/catalog.bash"},
	{"fish", "completions/catalog.fish"},
	{"powershell", "completions/catalog.ps1"},
	{"zsh", "completions/_catalog"},
}

// document returns the shell completions and manual pages. A program for this computer
// writes them: the one with the tag man, which the released ones do not have.
func (b *build) document(ctx context.Context) ([]file, error) {
	program := filepath.Join(b.work, "writer")
	native := []string{"GOOS=", "GOARCH=", "CGO_ENABLED=0", "GOTOOLCHAIN=local", "GOFLAGS=-buildvcs=false", "GOWORK=off"}
	if _, err := command(ctx, b.root, native, "go", "build", "-tags", "man", "-ldflags", b.stamp(), "-o", program, "./cmd/catalog"); err != nil {
		return nil, fmt.Errorf("compile the writer of manual pages: %w", err)
	}
	var files []file
	for _, c := range completions {
		text, err := command(ctx, b.work, nil, program, "completion", c.shell)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: c.file, text: text})
	}
	folder := filepath.Join(b.work, "man")
	if _, err := command(ctx, b.work, nil, program, "man", folder); err != nil {
		return nil, err
	}
	pages, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(folder, page.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: "man/" + page.Name(), text: text})
	}
	return files, nil
}

// ownFiles returns what accompanies the program: README, changelog, licence, and the
// notices of all components.
func (b *build) ownFiles(components []component) ([]file, error) {
	files := []file{{name: notices, text: writeNotices(b.version, components)}}
	for _, name := range []string{"CHANGELOG.md", "LICENSE", "README.md"} {
		text, err := os.ReadFile(filepath.Join(b.root, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: name, text: text})
	}
	return files, nil
}
