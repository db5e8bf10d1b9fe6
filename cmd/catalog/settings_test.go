package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMissingSettings checks that commands say which settings hold without a file of them.
func TestMissingSettings(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "games")
	runCommand(t, exitOK, "init", dir)
	t.Chdir(dir)
	const missing = "there is no catalog.yml in this folder"
	if out := runCommand(t, exitOK, "lint"); strings.Contains(out, missing) {
		t.Errorf("lint misses the file that there is: %s", out)
	}
	if err := os.Rename("catalog.yml", "catalogue.yml"); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"lint", "build"} {
		checkContains(t, command, runCommand(t, exitError, command), "catalog: note: "+missing+", so that defaults hold, "+
			`such as title: "Catalog", lang: en and base_url: http://localhost:8080; did you mean catalogue.yml?`)
	}
	if out := runCommand(t, exitOK, "lint", "--config", "catalogue.yml"); strings.Contains(out, missing) {
		t.Errorf("lint misses a file although another is given: %s", out)
	}
}
