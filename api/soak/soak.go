// Package soak decides how long tests run. Only tests import it.
//
// A test that would take minutes is named TestSoak… and asks [Rounds] how often to
// repeat itself: `make soak` runs all of it, `make test` a tenth, and -short a
// hundredth. A test that takes long for its kind calls [Long].
package soak

import (
	"os"
	"testing"
)

// Variable is the environment variable that `make soak` sets.
const Variable = "CATALOG_SOAK"

// Whole reports whether long tests run whole.
func Whole() bool { return os.Getenv(Variable) != "" }

// Rounds returns how many of all rounds a test runs, at least 1.
func Rounds(all int) int {
	switch {
	case Whole():
		return all
	case testing.Short():
		return max(all/100, 1)
	}
	return max(all/10, 1)
}

// Long skips a test with -short, because it takes long.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long")
	}
}
