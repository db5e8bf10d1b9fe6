//go:build !engine

package engine

// Embedded returns the module of this program, or nil if it was built without.
func Embedded() *Module { return nil }
