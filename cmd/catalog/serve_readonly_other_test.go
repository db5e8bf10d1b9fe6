//go:build !linux

package main

import "testing"

// checkReadOnly serves from a folder without write permission. Only Linux can mount a
// folder read-only for one process.
func checkReadOnly(t *testing.T, program, public string) { checkWithoutWriteRights(t, program, public) }
