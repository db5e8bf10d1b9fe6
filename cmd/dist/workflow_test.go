package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"catalog.example/api/soak"
	"go.yaml.in/yaml/v4"
)

// releaseWorkflow is what the tests look at in .github/workflows/release.yml.
type releaseWorkflow struct {
	Permissions map[string]string
	Jobs        map[string]struct {
		Permissions map[string]string
		Steps       []struct{ Name, Run, Uses string }
	}
}

func readWorkflow(t *testing.T) releaseWorkflow {
	t.Helper()
	text, err := os.ReadFile("../../.github/workflows/release.yml")
	if err != nil {
		t.Fatal(err)
	}
	var w releaseWorkflow
	if err := yaml.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestWorkflow checks that each job of the workflow has no more permissions than it uses,
// and that its commands are for files that a release has.
func TestWorkflow(t *testing.T) {
	t.Parallel()
	w := readWorkflow(t)
	if w.Permissions == nil || len(w.Permissions) != 0 {
		t.Errorf("all jobs have the permissions %v", w.Permissions)
	}
	var commands strings.Builder
	for name, job := range w.Jobs {
		uses := ""
		for _, s := range job.Steps {
			uses += s.Uses + " "
			commands.WriteString(s.Run + "\n")
		}
		if signs := strings.Contains(uses, "actions/attest@"); signs != (job.Permissions["id-token"] == "write") || signs != (job.Permissions["attestations"] == "write") {
			t.Errorf("%s signs: %t, with the permissions %v", name, signs, job.Permissions)
		}
		if (job.Permissions["contents"] == "write") != (name == "publish") || (job.Permissions["packages"] == "write") != (name == "image") {
			t.Errorf("%s has the permissions %v", name, job.Permissions)
		}
	}
	for _, part := range []string{"make dist VERSION=", "dist/catalog_${GITHUB_REF_NAME}_oci.tar", checksums} {
		if !strings.Contains(commands.String(), part) {
			t.Errorf("no step has %s", part)
		}
	}
}

// TestActionsArePinned checks that workflows name each action by its commit, with the version
// in a comment: a tag can be moved to other code.
func TestActionsArePinned(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d workflows: %v", len(files), err)
	}
	pinned := regexp.MustCompile(`uses: [\w.-]+(/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSuffix(line, "\n"); strings.Contains(line, "uses:") && !pinned.MatchString(line) {
				t.Errorf("%s: %s", filepath.Base(file), line)
			}
		}
	}
}

// TestWorkflowCommands runs the step that publishes, with a program in the place of gh
// that says how it was called.
func TestWorkflowCommands(t *testing.T) {
	t.Parallel()
	soak.Long(t)
	script := ""
	for _, s := range readWorkflow(t).Jobs["publish"].Steps {
		script += s.Run
	}
	for tag, want := range map[string]string{
		"v1.2.3":      "release create v1.2.3 --verify-tag --title catalog v1.2.3 --notes-file notes.md dist/SHA256SUMS dist/a\n",
		"v1.2.3-rc.1": "release create v1.2.3-rc.1 --verify-tag --title catalog v1.2.3-rc.1 --notes-file notes.md --prerelease dist/SHA256SUMS dist/a\n",
	} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "CHANGELOG.md"), []byte("# Changelog\n\n## Unreleased\n\n- New.\n\n## 1.2.3 - 2026-11-26\n\n- Third.\n\n## 1.2.3-rc.1 - 2026-11-25\n\n- Third.\n\n## 1.2.2 - 2026-11-20\n\n- Second.\n"))
		writeFile(t, filepath.Join(dir, "dist", "a"), []byte("a"))
		if err := writeChecksums(filepath.Join(dir, "dist")); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, "bin", "gh"), []byte("#!/bin/sh\necho \"$@\"\n"))
		if err := os.Chmod(filepath.Join(dir, "bin", "gh"), 0o755); err != nil {
			t.Fatal(err)
		}
		c := exec.CommandContext(t.Context(), "bash", "-eo", "pipefail", "-c", script) // as GitHub runs it
		c.Dir = dir
		c.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "GITHUB_REF_NAME="+tag)
		out, err := c.CombinedOutput()
		if err != nil || string(out) != "a: OK\n"+want {
			t.Errorf("%s: %v\n%s", tag, err, out)
		}
		if notes, err := os.ReadFile(filepath.Join(dir, "notes.md")); err != nil || strings.TrimSpace(string(notes)) != "- Third." {
			t.Errorf("%s: the notes are %q, %v", tag, notes, err)
		}
	}
}
