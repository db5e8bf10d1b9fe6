package main

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"time"

	"catalog.example/api/invisible"
	"catalog.example/cmd/catalog/computer"
	"github.com/spf13/cobra"
)

// answerTime bounds how long a program may take to tell about this computer.
const answerTime = 20 * time.Second

func newComputer(env environment) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "computer",
		Short: "Print what this computer has, as words and parameters to search with",
		Long: `Prints the memory, the graphics, the processor and the system of this computer, and how
to search with them: as words of a query, and as parameters. What it cannot see, it
names. Nothing is sent anywhere.

It reads /proc and /sys and lspci on Linux, system_profiler on macOS, PowerShell on
Windows, and nvidia-smi on all of them.`,
		Example: `  catalog computer
  catalog search "chat with a model, $(catalog computer --json | jq -r .words)"`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			this := computer.Read(c.Context(), thisHost())
			if !asJSON {
				return env.print("%s", invisible.EscapeLines(this.String()))
			}
			return printJSON(env, struct {
				*computer.Computer
				Words      string `json:"words"`
				Parameters string `json:"parameters"`
			}{this, this.Words(), this.Parameters()})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON (default false)")
	return c
}

// thisHost is the computer on which the program runs.
func thisHost() *computer.Host {
	root := os.DirFS("/")
	return &computer.Host{OS: runtime.GOOS, Arch: runtime.GOARCH, Files: root,
		Run: func(ctx context.Context, name string, args ...string) ([]byte, error) {
			ctx, cancel := context.WithTimeout(ctx, answerTime)
			defer cancel()
			return exec.CommandContext(ctx, name, args...).Output() // #nosec G204 -- constants of package computer
		}}
}
