package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(suite{m}, map[string]func(){"catalog": main})
}

// suite runs the tests, and stops what they share.
type suite struct{ *testing.M }

func (s suite) Run() int {
	code := s.M.Run()
	if chromium.stop != nil {
		chromium.stop()
	}
	return code
}

// TestScripts runs the scripts in testdata/script. Each starts in a folder that contains
// a copy of testdata/content, and a file of settings that changes none.
func TestScripts(t *testing.T) {
	t.Parallel()
	content, err := filepath.Abs("testdata/content")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		RequireUniqueNames: true,
		Cmds:               map[string]func(*testscript.TestScript, bool, []string){"status": status, "forge": forge},
		Setup: func(env *testscript.Env) error {
			settings := filepath.Join(env.WorkDir, "catalog.yml")
			if _, err := os.Stat(settings); err != nil {
				if err := os.WriteFile(settings, []byte("# The defaults hold.\n"), 0o644); err != nil {
					return err
				}
			}
			return os.CopyFS(filepath.Join(env.WorkDir, "content"), os.DirFS(content))
		},
	})
}

// status runs a command and checks its exit status: "status 2 catalog build --nosuch".
// Testscript's own exec checks only for success or failure.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status code command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("the exit status is %d, want %d", got, want)
	}
}

// writeText writes a file, and creates its folder.
func writeText(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// readText returns the text of a file.
func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
