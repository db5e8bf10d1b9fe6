// Package engine holds the search engine for browsers: package api/search as WebAssembly.
// A program has it only if it was built with the tag engine, as `make build` does, because
// the module has to be compiled first.
package engine

import _ "embed"

// Module is the engine, compiled from cmd/wasm with GOOS=js.
type Module struct {
	Program []byte // WebAssembly, compressed by package lzma
	Runtime []byte // wasm_exec.js of the Go release that compiled Program
}

// Licenses has the licence terms of third-party code in a Module.
//
//go:embed LICENSES.txt
var Licenses string
