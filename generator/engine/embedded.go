//go:build engine

package engine

import _ "embed"

var (
	//go:embed search.wasm.lzma
	program []byte
	//go:embed wasm_exec.js
	runtime []byte
)

// Embedded returns the engine in this program, or nil if the program was built without the tag
// engine.
func Embedded() *Module { return &Module{program, runtime} }
