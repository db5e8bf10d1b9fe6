//go:build !linux

package main

import "testing"

// readOnly takes away the right to write; what Linux mounts read-only for one
// process alone, others cannot.
func readOnly(t *testing.T, program, public string) { withoutRights(t, program, public) }
