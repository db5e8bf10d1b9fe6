package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// TestManualPages runs `make man` and checks that every command of the shipped program
// has a page, and that there are no other pages.
func TestManualPages(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made for it", "man1")
	if out, err := makeCommand(t, "-C", "../..", "man", "MAN="+dir).CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v\n%s", err, out)
	}
	// The month is that of the commit, so that pages of a commit are always the same.
	month := ""
	if out, err := exec.Command("git", "-C", "../..", "log", "-1", "--format=%ct").Output(); err == nil {
		seconds, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		month = time.Unix(seconds, 0).UTC().Format("Jan 2006")
	}
	var want []string
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if !c.IsAvailableCommand() && c.HasParent() || c.Name() == "help" {
			return
		}
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		want = append(want, name)
		page, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		}
		for _, part := range []string{`.TH "CATALOG" "1" `, `"catalog `, month, ".SH SYNOPSIS"} {
			if !strings.Contains(string(page), part) {
				t.Errorf("%s has no %s", name, part)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(testEnv()))
	if page, err := os.ReadFile(filepath.Join(dir, "catalog-build.1")); err != nil || !strings.Contains(string(page), "base-url") {
		t.Errorf("the page of build does not explain --base-url: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(want) < 10 {
		t.Fatalf("%d commands were seen: %v", len(want), err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the pages are %q, want %q", got, want)
	}
}
