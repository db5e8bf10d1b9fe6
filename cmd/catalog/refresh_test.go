package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"catalog.example/api"
	"catalog.example/generator/refresh"
	"catalog.example/generator/refresh/forgetest"
	"github.com/rogpeppe/go-internal/testscript"
)

// forge starts a fake forge with the repositories of a file, and perhaps fake registries
// with the packages of another, and makes the program use them instead of the real ones:
// "forge forge.json packages.json". It also sets TODAY.
func forge(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: forge repositories [packages]")
	}
	var repositories []forgetest.Repository
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &repositories))
	f := forgetest.New(repositories...)
	ts.Defer(f.Close)
	if len(args) == 2 {
		var packages []forgetest.Package
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &packages))
		f.SetPackages(packages...)
	}
	for _, name := range forgetest.Variables() {
		address, _ := f.Lookup(name)
		ts.Setenv(name, address)
	}
	ts.Setenv("TODAY", string(api.DateOf(time.Now())))
}

// forgeEnv returns an environment with a fake forge and the given variables.
func forgeEnv(f *forgetest.Forge, variables map[string]string) environment {
	env := testEnv()
	env.lookup = func(key string) (string, bool) {
		if value, ok := f.Lookup(key); ok {
			return value, ok
		}
		value, ok := variables[key]
		return value, ok
	}
	return env
}

// TestRefreshOnTerminal checks that a run on a terminal shows a bar and clears it.
func TestRefreshOnTerminal(t *testing.T) {
	t.Parallel()
	f := forgetest.New(forgetest.Repository{Name: "a/lantern", Stars: 7})
	t.Cleanup(f.Close)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/content")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "projects", "paper-lantern.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("https://code.example.org/paper-lantern"), []byte("https://github.com/a/lantern"), 1)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	drawn := onTerminal(t, func(terminal *os.File) {
		env := forgeEnv(f, nil)
		env.stdout, env.stderr = &out, terminal
		env.now = (&steppingClock{current: time.Now(), step: time.Second}).now
		if status := run([]string{"refresh", "--content", dir, "--cache", ""}, env); status != exitOK {
			t.Errorf("the exit status is %d", status)
		}
	})
	if !strings.Contains(drawn, "refresh") || !strings.Contains(drawn, "2/3") {
		t.Errorf("the bar is %q", drawn)
	}
	if left := lastLine(drawn); left != "" {
		t.Errorf("%q is left on the terminal", left)
	}
	if !strings.Contains(out.String(), "3 listings: 1 changed") {
		t.Errorf("standard output is %q", out.String())
	}
}

// TestRefreshCountdown checks that a wait is counted down on a terminal and printed once
// elsewhere.
func TestRefreshCountdown(t *testing.T) {
	t.Parallel()
	until := time.Date(2026, 11, 21, 14, 5, 0, 0, time.UTC)
	show := func(w io.Writer) {
		bar := newProgress(w, (&steppingClock{step: time.Second}).now)
		d := newRefreshDisplay(w, bar, 3)
		d.progress(1, 3)
		for left := 3; left > 0; left-- {
			d.waiting(refresh.Wait{Service: "GitHub", Reason: "allowance used up", Until: until, Left: time.Duration(left) * time.Second})
		}
		d.progress(2, 3)
		bar.clear()
	}
	drawn := onTerminal(t, func(terminal *os.File) { show(terminal) })
	for _, want := range []string{"GitHub: allowance used up, 3s left", "2s left", "1s left", "2/3"} {
		if !strings.Contains(drawn, want) {
			t.Errorf("%q is not drawn: %q", want, drawn)
		}
	}
	if left := lastLine(drawn); left != "" {
		t.Errorf("%q is left on the terminal", left)
	}
	var plain bytes.Buffer
	show(&plain)
	if got, want := plain.String(), "GitHub: allowance used up, continues at 14:05:00 UTC (in 3s)\n"; got != want {
		t.Errorf("elsewhere it is %q, want %q", got, want)
	}
}

// TestWarnAboutRateLimit checks the warning about a run that will have to wait.
func TestWarnAboutRateLimit(t *testing.T) {
	t.Parallel()
	many := make([]refresh.Target, 21)
	for i := range many {
		many[i].RepositoryURL = "https://github.com/a/b"
	}
	for _, test := range []struct {
		token   string
		targets []refresh.Target
		want    string
	}{
		{"", many, "GITHUB_TOKEN is not set: GitHub answers 60 requests an hour without a token, and up to 63 are needed\n"},
		{"", many[:20], ""},
		{"x", many, ""},
	} {
		var b bytes.Buffer
		warnAboutRateLimit(environment{stderr: &b}, test.token, "GITHUB_TOKEN", test.targets)
		if b.String() != test.want {
			t.Errorf("got %q, want %q", b.String(), test.want)
		}
	}
}

// TestNewOpensEditor checks that the editor is opened on a terminal only.
func TestNewOpensEditor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		editors    map[string]string // by variable; EDIT is replaced by a program that edits
		args       []string
		noTerminal bool
		edited     bool
		status     int
	}{
		{name: "VISUAL", editors: map[string]string{"VISUAL": "EDIT", "EDITOR": "false"}, edited: true},
		{name: "EDITOR with an argument", editors: map[string]string{"VISUAL": " ", "EDITOR": "EDIT -w"}, edited: true},
		{name: "none", editors: nil},
		{name: "not wanted", editors: map[string]string{"EDITOR": "EDIT"}, args: []string{"--no-edit"}},
		{name: "no terminal", editors: map[string]string{"EDITOR": "EDIT"}, noTerminal: true},
		{name: "one that fails", editors: map[string]string{"EDITOR": "false"}, status: exitError},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			program := filepath.Join(dir, "edit")
			if err := os.WriteFile(program, []byte("#!/bin/sh\nfor file; do :; done\necho edited >> \"$file\"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			editors := map[string]string{}
			for variable, value := range test.editors {
				editors[variable] = strings.Replace(value, "EDIT", program, 1)
			}
			f := forgetest.New()
			t.Cleanup(f.Close)
			env := forgeEnv(f, editors)
			status := -1
			args := append([]string{"new", "Drum", "--offline", "--repo", "https://github.com/a/drum", "--content", dir}, test.args...)
			if test.noTerminal {
				status = run(args, env)
			} else {
				onTerminal(t, func(terminal *os.File) {
					env.stdout = terminal
					status = run(args, env)
				})
			}
			if status != test.status {
				t.Errorf("the exit status is %d", status)
			}
			text, err := os.ReadFile(filepath.Join(dir, "projects", "drum.md"))
			if err != nil || bytes.HasSuffix(text, []byte("\nedited\n")) != test.edited {
				t.Errorf("edited: %v, want %v; %v", !test.edited, test.edited, err)
			}
		})
	}
}
