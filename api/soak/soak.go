// Package soak tells long tests how long to run. Only tests import it.
//
// A test that would take minutes is named TestSoak… and asks Rounds how often to
// repeat itself: `make test` runs a tenth of it, `make soak` all of it.
package soak

import "os"

// Variable is the environment variable that `make soak` sets.
const Variable = "CATALOG_SOAK"

// Whole reports whether long tests run whole.
func Whole() bool { return os.Getenv(Variable) != "" }

// Rounds returns all where long tests run whole, and otherwise a tenth of it, at
// least 1.
func Rounds(all int) int {
	if Whole() {
		return all
	}
	return max(all/10, 1)
}
