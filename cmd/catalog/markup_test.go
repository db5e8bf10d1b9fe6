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

// pagecheck is the folder of the npm packages that judge pages, and of what calls
// them.
const pagecheck = "testdata/pagecheck"

// markup holds every page of the build output to html-validate's rules; which of
// them do not apply, and why, stands in markup.mjs.
func (s *testSite) markup(t *testing.T) {
	wrong := t.TempDir()
	if err := os.WriteFile(filepath.Join(wrong, "wrong.html"), []byte(`<!doctype html><html lang="en"><title>Wrong</title><p><section id="a"></section><section id="a"></section>`), 0o600); err != nil {
		t.Fatal(err)
	}
	// A judge that finds nothing wrong with this page would find nothing.
	pages, faults := validateMarkup(t, wrong)
	if text := strings.Join(faults, "\n"); pages != 1 || !strings.Contains(text, "no-dup-id") || !strings.Contains(text, "wrong.html:1:") {
		t.Errorf("of %d wrong pages the faults are %q", pages, faults)
	}
	pages, faults = validateMarkup(t, s.public)
	for _, fault := range faults {
		t.Error(fault)
	}
	if want := len(s.pages(t)); pages != want {
		t.Errorf("%d pages of %d were judged", pages, want)
	}
}

// validateMarkup returns how many pages lie below a folder, and what is wrong with
// them.
func validateMarkup(t *testing.T, folder string) (pages int, faults []string) {
	t.Helper()
	script := filepath.Join(pagecheck, "markup.mjs")
	out, err := exec.CommandContext(t.Context(), processtest.Installed(t, "nodejs", "node"), script, folder).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Log(string(exit.Stderr))
		}
		t.Fatalf("node %s: %v: install what it needs with `make deps`", script, err)
	}
	var judged struct {
		Pages  int
		Faults []string
	}
	if err := json.Unmarshal(out, &judged); err != nil {
		t.Fatal(err)
	}
	return judged.Pages, judged.Faults
}
