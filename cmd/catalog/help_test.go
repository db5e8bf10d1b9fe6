package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// testEnv is an environment in which nothing is printed.
func testEnv() environment {
	return environment{
		stdout: io.Discard, stderr: io.Discard, now: time.Now, numCPU: 1,
		lookup: func(string) (string, bool) { return "", false },
	}
}

// TestEveryFlagIsExplained walks the command tree: each command says in a line
// what it does, and each flag what it is for and what holds without it.
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
			if f.Name == "help" { // it holds nothing
				return
			}
			flags++
			one := pflag.NewFlagSet("", pflag.ContinueOnError)
			one.AddFlag(f)
			text := one.FlagUsages()
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
