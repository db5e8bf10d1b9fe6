//go:build !linux

package main

import "testing"

// checkReadOnly takes away the right to write; what Linux mounts read-only for one
// process alone, others cannot.
func checkReadOnly(t *testing.T, program, public string) { checkWithoutWriteRights(t, program, public) }
