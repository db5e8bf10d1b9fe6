//go:build !man

package main

import "github.com/spf13/cobra"

// addMan adds nothing: see man.go.
func addMan(*cobra.Command) {}
