package shrink

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"catalog.example/api/server/processtest"
)

// compile returns the program in testdata.
func compile(t *testing.T) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "program.wasm")
	command := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", name, "./testdata/program")
	command.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// run returns what a program prints.
func run(t *testing.T, program []byte) (out, errors string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "program.wasm")
	if err := os.WriteFile(name, program, 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js")
	command := exec.CommandContext(t.Context(), processtest.Installed(t, "nodejs", "node"), "--stack-size=8192", script, name)
	var printed, told bytes.Buffer
	command.Stdout, command.Stderr = &printed, &told
	_ = command.Run() // the program panics
	return printed.String(), told.String()
}

// A shrunk program grows stacks, collects garbage, panics and recovers as before. It is smaller, and stack traces do
// not say where they are.
func TestProgram(t *testing.T) {
	t.Parallel()
	program := compile(t)
	small, err := Program(program)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := run(t, program)
	got, told := run(t, small)
	if got != want || strings.Count(want, "\n") != 3 || !strings.Contains(want, "not stopped") {
		t.Errorf("the program prints %s\nwant %s", got, want)
	}
	if !strings.Contains(told, "panic: the end") || strings.Contains(told, "main.main") || strings.Contains(told, "main.go") {
		t.Errorf("its panic says %s", told)
	}
	for _, name := range []string{"main.recoversTooDeep", "runtime.mallocgc", "testdata/program/main.go"} {
		if !bytes.Contains(program, []byte(name)) || bytes.Contains(small, []byte(name)) {
			t.Errorf("%s is not taken out", name)
		}
	}
}

// What is not a program of this release of Go is refused.
func TestOtherPrograms(t *testing.T) {
	t.Parallel()
	program := compile(t)
	header := bytes.Index(program, []byte{0xF1, 0xFF, 0xFF, 0xFF, 0, 0, 1, 8})
	changed := func(at int, b byte) []byte {
		c := slices.Clone(program)
		c[at] = b
		return c
	}
	for name, other := range map[string][]byte{
		"nothing": nil, "no sections": program[:8], "cut off": program[:len(program)-1], "cut off in a section": program[:len(program)/2],
		"another release":     bytes.ReplaceAll(program, []byte(release), []byte("go1.99")),
		"other tables":        changed(header, 0xF0),
		"pointers of 4 bytes": changed(header+7, 4),
		"too many functions":  changed(header+10, 0xFF),
	} {
		if _, err := Program(other); !errors.Is(err, errUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
