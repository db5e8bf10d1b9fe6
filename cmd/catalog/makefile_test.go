package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"catalog.example/api/server/processtest"
)

// TestMakeMovesOldOutputAside checks that `make run` moves the output of a version
// without manifests aside, and no other folder.
func TestMakeMovesOldOutputAside(t *testing.T) {
	t.Parallel()
	makefile, err := filepath.Abs("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	const index, manifest = "public/api/v1/search.idx", "public/.catalog-manifest"
	for title, c := range map[string]struct {
		before []string
		moved  []string // of before
	}{
		"no output":               {nil, nil},
		"output with a manifest":  {[]string{index, manifest, "public/note.txt"}, nil},
		"somebody else's folder":  {[]string{"public/note.txt"}, nil},
		"output of an old build":  {[]string{index, "public/index.html", "public/.gitkeep"}, []string{index, "public/index.html"}},
		"what somebody put there": {[]string{index, "public/my notes.txt", "public/.well-known/x", "public/.git/HEAD", "public/CNAME"}, []string{index, "public/my notes.txt", "public/.well-known/x"}},
	} {
		dir := t.TempDir()
		for _, name := range c.before {
			name = filepath.Join(dir, name)
			writeText(t, name, name)
		}
		run := func() string {
			command := makeCommand(t, "-f", makefile, "old-public")
			command.Dir = dir
			out, err := command.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", title, err, out)
			}
			return string(out)
		}
		output := run()
		backups, err := filepath.Glob(filepath.Join(dir, ".catalog-cache", "public-*"))
		if err != nil || (len(backups) == 1) != (c.moved != nil) || (output != "") != (c.moved != nil) {
			t.Fatalf("%s: moved to %q, %v; make says %q", title, backups, err, output)
		}
		if c.moved != nil && !strings.Contains(output, filepath.Join(".catalog-cache", filepath.Base(backups[0]))) {
			t.Errorf("%s: %q does not say where the files are", title, output)
		}
		isMoved := map[string]bool{}
		for _, name := range c.moved {
			isMoved[name] = true
		}
		for _, name := range c.before {
			path := filepath.Join(dir, name)
			if isMoved[name] {
				path = filepath.Join(backups[0], strings.TrimPrefix(name, "public/"))
			}
			if text, err := os.ReadFile(path); err != nil || string(text) != filepath.Join(dir, name) {
				t.Errorf("%s: %s holds %q, %v", title, path, text, err)
			}
		}
		if output := run(); output != "" {
			t.Errorf("%s: make moves something again: %s", title, output)
		}
	}
}

// TestMakefileNamesTests checks that each part of a test name in the Makefile matches a
// test of the packages it is used for. Otherwise tests would silently not run.
func TestMakefileNamesTests(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, choice := range []struct {
		pattern string   // matches the names in the Makefile
		files   []string // of the tests
	}{
		{`(?m)^RACED_TESTS := (.*)$`, []string{"api/*/*_test.go", "api/*/*/*_test.go", "generator/*_test.go", "generator/*/*_test.go"}},
		{`go test -run '([^']*)' ./api/search/... ./api/server/indexfile`, []string{"api/search/*/*_test.go"}},
	} {
		m := regexp.MustCompile(choice.pattern).FindSubmatch(makefile)
		if m == nil {
			t.Errorf("the Makefile has no %s", choice.pattern)
			continue
		}
		var code strings.Builder
		for _, pattern := range choice.files {
			files, err := filepath.Glob(filepath.Join("../..", filepath.FromSlash(pattern)))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				_, _ = code.Write(text) // a builder never fails
			}
		}
		for part := range strings.SplitSeq(string(m[1]), "|") {
			if !regexp.MustCompile(`(?m)^func (Test|Fuzz)?\w*` + part + `\w*\(`).MatchString(code.String()) {
				t.Errorf("no test in %q has a name with %q", choice.files, part)
			}
		}
	}
}

// makeCommand returns a quiet make without the variables of a make that runs the tests.
func makeCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), processtest.Installed(t, "make", "make"), append([]string{"-s"}, args...)...)
	command.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MAKE") })
	return command
}

// TestVulnerabilities runs what `make vulnerabilities` runs, with programs in place of govulncheck.
func TestVulnerabilities(t *testing.T) {
	t.Parallel()
	const unreached = "Known vulnerabilities were not looked for in . and what follows: the database https://vuln.go.dev cannot be reached"
	for _, test := range []struct {
		name, program, require string
		fails                  bool
		want                   string
	}{
		{"none", `echo "No vulnerabilities found in $2."`, "", false, ".:\nNo vulnerabilities found in ..\ncmd/bench:\nNo vulnerabilities found in cmd/bench.\n"},
		{"found", `echo "Vulnerability #1: TEST-2026-0001"; exit 3`, "", true, "cmd/dist:\nVulnerability #1"},
		{"failed", "exit 1", "", true, ".:\n"},
		{"not reached", `echo "govulncheck: fetching vulnerabilities: no such host" >&2; exit 1`, "", false, unreached},
		{"not reached where it must be", `echo "govulncheck: fetching vulnerabilities: no such host" >&2; exit 1`, "1", true, unreached},
		{"not reached after some were found", `[ "$2" = cmd/bench ] && echo "govulncheck: fetching vulnerabilities: no such host" >&2; exit 3`, "", true, "not looked for in cmd/bench and what follows"},
		{"no answer", "exec sleep 600", "", false, unreached},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "govulncheck")
			writeText(t, program, "#!/bin/sh\n"+test.program+"\n")
			if err := os.Chmod(program, 0o755); err != nil {
				t.Fatal(err)
			}
			command := exec.Command(".ci/vulnerabilities", program)
			command.Dir, command.Env = "../..", append(os.Environ(), "REQUIRE="+test.require)
			if test.name == "no answer" {
				command.Env = append(command.Env, "LIMIT=1")
			}
			out, err := command.CombinedOutput()
			if (err != nil) != test.fails || !strings.Contains(string(out), test.want) {
				t.Errorf("%v, %s; want %q", err, out, test.want)
			}
		})
	}
}
