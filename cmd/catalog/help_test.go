package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// testEnv returns an environment that discards output and has no variables.
func testEnv() environment {
	return environment{
		stdout: io.Discard, stderr: io.Discard, now: time.Now,
		lookup: func(string) (string, bool) { return "", false },
	}
}

// TestEveryFlagIsExplained checks that each command has a short help, and each flag a
// help text that states its default.
func TestEveryFlagIsExplained(t *testing.T) {
	t.Parallel()
	commands, flags := 0, 0
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		commands++
		if c.Short == "" {
			t.Errorf("%s has no short help", c.CommandPath())
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" { // it has no default
				return
			}
			flags++
			set := pflag.NewFlagSet("", pflag.ContinueOnError)
			set.AddFlag(f)
			text := set.FlagUsages()
			if len(f.Usage) < 10 {
				t.Errorf("%s --%s has no help text: %q", c.CommandPath(), f.Name, f.Usage)
			}
			if !strings.Contains(text, "default") {
				t.Errorf("%s --%s does not name its default: %s", c.CommandPath(), f.Name, text)
			}
			if f.DefValue != "" && f.DefValue != "[]" && !strings.Contains(text, f.DefValue) {
				t.Errorf("%s --%s does not name its default %s: %s", c.CommandPath(), f.Name, f.DefValue, text)
			}
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(testEnv()))
	if commands < 10 || flags < 30 {
		t.Errorf("only %d commands with %d flags were seen", commands, flags)
	}
}
