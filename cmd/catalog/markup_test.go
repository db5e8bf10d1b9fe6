package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"catalog.example/api/server/processtest"
)

// pagecheck is the folder with the npm packages and scripts that check pages.
const pagecheck = "testdata/pagecheck"

// checkMarkup checks every page of the build output by html-validate's rules. The
// exceptions, with reasons, are in markup.mjs.
func (s *testSite) checkMarkup(t *testing.T) {
	wrong := t.TempDir()
	if err := os.WriteFile(filepath.Join(wrong, "wrong.html"), []byte(`<!doctype html><html lang="en"><title>Wrong</title><p><section id="a"></section><section id="a"></section>`), 0o600); err != nil {
		t.Fatal(err)
	}
	// The validator must find these errors, to show that it works.
	pages, faults := validateMarkup(t, wrong)
	if text := strings.Join(faults, "\n"); pages != 1 || !strings.Contains(text, "no-dup-id") || !strings.Contains(text, "wrong.html:1:") {
		t.Errorf("of %d wrong pages the faults are %q", pages, faults)
	}
	pages, faults = validateMarkup(t, s.public)
	for _, fault := range faults {
		t.Error(fault)
	}
	if want := len(s.pages(t)) + len(s.content.Moves()); pages != want {
		t.Errorf("%d pages of %d were checked", pages, want)
	}
}

// validateMarkup returns the number of pages in a folder, and their faults.
func validateMarkup(t *testing.T, folder string) (pages int, faults []string) {
	t.Helper()
	var result struct {
		Pages  int
		Faults []string
	}
	if err := json.Unmarshal(runPagecheck(t, "markup.mjs", folder), &result); err != nil {
		t.Fatal(err)
	}
	return result.Pages, result.Faults
}

// runPagecheck runs a script of pagecheck with Node.js and returns its standard output.
func runPagecheck(t *testing.T, script string, args ...string) []byte {
	t.Helper()
	script = filepath.Join(pagecheck, script)
	out, err := exec.CommandContext(t.Context(), processtest.Installed(t, "nodejs", "node"), append([]string{script}, args...)...).Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			t.Log(string(exit.Stderr))
		}
		t.Fatalf("node %s: %v: install what it needs with `make deps`", script, err)
	}
	return out
}
