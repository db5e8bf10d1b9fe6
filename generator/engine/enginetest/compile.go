// Package enginetest compiles the search engine for browsers, for tests of programs that were built
// without it.
package enginetest

import (
	"context"
	"os"
	"sync"
	"testing"

	"catalog.example/generator/engine"
	"catalog.example/generator/engine/compile"
)

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
	folder, err := os.MkdirTemp("", "engine")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	return compile.Engine(context.Background(), folder)
})
