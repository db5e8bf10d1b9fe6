package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"catalog.example/api/search"
	"github.com/spf13/cobra"
)

// version is set by the linker (see the Makefile) for builds from a tag.
var version = "development"

func newVersion(env environment) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program and of the index it reads",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			revision := ""
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" {
						revision = " " + s.Value
					}
				}
			}
			_, err := fmt.Fprintf(env.stdout, "catalog %s%s, index format %d, %s %s/%s\n", version, revision, search.FormatVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
