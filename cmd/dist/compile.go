package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// environment returns the environment variables for compiling for a platform. The empty
// platform is this computer. Every variable that would change the compiled bytes is set, so
// that the user's own settings have no effect.
func environment(p platform) []string {
	return []string{
		"GOOS=" + p.os, "GOARCH=" + p.arch, "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off",
		"CGO_ENABLED=0", "GOTOOLCHAIN=local", "GOFLAGS=-buildvcs=false", "GOWORK=off",
	}
}

// stamp returns the flags of the linker that set what `catalog version` prints.
func (b *build) stamp() string {
	return fmt.Sprintf("-X main.version=%s -X main.commit=%s -X main.date=%s", b.version, b.revision.commit,
		b.revision.day())
}

// programArgs holds the arguments that name the program for go build and go list.
var programArgs = []string{"-tags", "engine", "./cmd/catalog"}

// program returns the path of the compiled program for a platform.
func (b *build) program(p platform) string {
	return filepath.Join(b.work, p.os+"_"+p.arch, p.program())
}

// platform is an operating system and an architecture, by their Go names.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "/" + p.arch }

// program returns the name of the program's file.
func (p platform) program() string {
	if p.os == "windows" {
		return "catalog.exe"
	}
	return "catalog"
}

// platforms lists the platforms of a release.
var platforms = []platform{
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"linux", "amd64"}, {"linux", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// compile compiles the program for all platforms.
func (b *build) compile(ctx context.Context) error {
	for _, p := range b.platforms {
		args := append([]string{"build", "-trimpath", "-ldflags", "-s -w " + b.stamp(), "-o", b.program(p)},
			programArgs...)
		if _, err := command(ctx, b.root, environment(p), "go", args...); err != nil {
			return fmt.Errorf("compile for %s: %w", p, err)
		}
	}
	return nil
}

// completions lists the files of shell completions, by shell.
var completions = []struct{ shell, file string }{
	{"bash", "completions/catalog.bash"},
	{"fish", "completions/catalog.fish"},
	{"powershell", "completions/catalog.ps1"},
	{"zsh", "completions/_catalog"},
}

// documents returns the files that are released with the program, by name: shell completions,
// manual pages, README, changelog, licence, and the notices of all components. To write the
// manual pages, it compiles a program for this computer with the tag man, which the released
// programs do not have.
func (b *build) documents(ctx context.Context, components []*component) (map[string][]byte, error) {
	files := map[string][]byte{notices: writeNotices(b.version, components)}
	writer, folder := filepath.Join(b.work, "writer"), filepath.Join(b.work, "man")
	args := []string{"build", "-tags", "man", "-ldflags", b.stamp(), "-o", writer, "./cmd/catalog"}
	if _, err := command(ctx, b.root, environment(platform{}), "go", args...); err != nil {
		return nil, fmt.Errorf("compile the writer of manual pages: %w", err)
	}
	for _, c := range completions {
		text, err := command(ctx, b.work, nil, writer, "completion", c.shell)
		if err != nil {
			return nil, err
		}
		files[c.file] = text
	}
	if _, err := command(ctx, b.work, nil, writer, "man", folder); err != nil {
		return nil, err
	}
	pages, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		if files["man/"+filepath.Base(page)], err = os.ReadFile(page); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"CHANGELOG.md", "LICENSE", "README.md"} {
		if files[name], err = os.ReadFile(filepath.Join(b.root, name)); err != nil {
			return nil, err
		}
	}
	return files, nil
}
