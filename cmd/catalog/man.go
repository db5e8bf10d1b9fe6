//go:build man

package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// addMan adds the command that writes the manual pages (`make man`). Only builds with
// the tag man have it, because it links libraries for YAML and Markdown.
func addMan(root *cobra.Command) {
	root.AddCommand(&cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages of all commands into a folder",
		Hidden: true, // it gets no page itself
		Args:   arguments(1, "DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("manual pages: %w", err)
			}
			header := &doc.GenManHeader{Title: "CATALOG", Section: "1", Source: "catalog " + version}
			// Without a date, the pages would show the month in which they were written.
			if day, err := time.Parse(time.DateOnly, date); err == nil {
				header.Date = &day
			}
			if err := doc.GenManTree(c.Root(), header, args[0]); err != nil {
				return fmt.Errorf("manual pages: %w", err)
			}
			return nil
		},
	})
}
