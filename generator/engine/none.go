//go:build !engine

package engine

// Embedded returns the module of this program, or nil if it was built without the tag engine.
func Embedded() *Module { return nil }
