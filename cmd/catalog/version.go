package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"catalog.example/api/search"
	"github.com/spf13/cobra"
)

// The linker sets these (see the Makefile and cmd/dist).
var (
	version = "development"
	commit  = "" // the full hash
	date    = "" // the day of the commit in UTC, such as 2026-11-26
)

func newVersion(env environment) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program and of the index it reads",
		Long: `Prints the version of this program, the commit that it was built from and its date,
the format of the search index that it reads, and the Go release. The commit is
missing if plain 'go build' compiled the program outside a git checkout.`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			return env.print("%s\n", versionLine())
		},
	}
}

// versionLine is what catalog version and catalog --version print.
func versionLine() string {
	built := version
	hash, day := revision()
	if hash != "" {
		built += ", commit " + hash
	}
	if day != "" {
		built += ", " + day
	}
	return fmt.Sprintf("catalog %s, index format %d, %s %s/%s", built, search.FormatVersion, runtime.Version(),
		runtime.GOOS, runtime.GOARCH)
}

// revision returns the commit and its day as the linker set them, or else as the go command found
// them.
func revision() (hash, day string) {
	settings := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
	}
	day, _, _ = strings.Cut(settings["vcs.time"], "T")
	return cmp.Or(commit, settings["vcs.revision"]), cmp.Or(date, day)
}
