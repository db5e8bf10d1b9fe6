//go:build !man

package main

import "github.com/spf13/cobra"

// addMan does nothing without the build tag man.
func addMan(*cobra.Command) {}
