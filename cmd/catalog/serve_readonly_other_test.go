//go:build !linux

package main

import "testing"

// checkReadOnly serves from a folder without write permission. Only Linux can mount a
// folder read-only for one process.
func checkReadOnly(t *testing.T, program, public string) { checkWithoutWriteRights(t, program, public) }

// checkFewDescriptors counts open files in /proc, which only Linux has.
func checkFewDescriptors(t *testing.T, _, _ string) { t.Skip("needs Linux") }
