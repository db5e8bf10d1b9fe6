// Package enginetest compiles the search engine for browsers, for tests of programs that were built
// without it.
package enginetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"catalog.example/generator/engine"
)

// Flags are the flags of `go build` for compiling the engine.
var Flags = []string{"-trimpath", "-ldflags=-s -w", "-gcflags=all=-l"}

// Compile returns the engine, compiled like `make engine`. Each process compiles it only once.
func Compile(t testing.TB) *engine.Module {
	t.Helper()
	m, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var compiled = sync.OnceValues(func() (*engine.Module, error) {
	dir, err := os.MkdirTemp("", "engine")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "search.wasm")
	command := exec.Command("go", slices.Concat([]string{"build", "-buildvcs=false"}, Flags,
		[]string{"-o", program, "catalog.example/cmd/wasm"})...)
	command.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compile the engine: %w\n%s", err, out)
	}
	text, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	script, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, err
	}
	packed, err := engine.Pack(text)
	return &engine.Module{Program: packed, Runtime: script}, err
})
