//go:build !engine

package engine

// Embedded returns the engine in this program, or nil if the program was built without the tag
// engine.
func Embedded() *Module { return nil }
