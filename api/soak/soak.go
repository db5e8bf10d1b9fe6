// Package soak decides how long tests run. Only tests import it.
//
// A test that takes minutes is named TestSoak… and repeats itself as often as [Rounds]
// says: `make soak` runs all rounds, `make test` a tenth, and -short a hundredth. Other
// slow tests call [Long].
package soak

import (
	"os"
	"testing"
)

// Variable is the environment variable that `make soak` sets.
const Variable = "CATALOG_SOAK"

// Full reports whether Variable is set, so that soak tests run all rounds.
func Full() bool { return os.Getenv(Variable) != "" }

// Rounds returns how many of all rounds a test should run, at least 1.
func Rounds(all int) int {
	switch {
	case Full():
		return all
	case testing.Short():
		return max(all/100, 1)
	}
	return max(all/10, 1)
}

// Long skips a slow test with -short.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long")
	}
}
