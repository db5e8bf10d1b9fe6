// Package compile compiles the search engine for browsers, for `make engine` and for tests.
package compile

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"catalog.example/generator/engine"
)

// Engine compiles the engine into a folder, with the script of this Go release that runs it. It compresses
// the program only if it has changed since it did so in that folder. The current folder must be in this
// module.
func Engine(ctx context.Context, folder string) (*engine.Module, error) {
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("ask for the folder of Go: %w", err)
	}
	root := strings.TrimSpace(string(goroot))
	program, err := compile(ctx, root, filepath.Join(folder, "search.wasm"), "catalog.example/cmd/wasm")
	if err != nil {
		return nil, err
	}
	packed, err := pack(program, filepath.Join(folder, "search.wasm"))
	if err != nil {
		return nil, err
	}
	script, err := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(folder, "wasm_exec.js"), script, 0o644); err != nil {
		return nil, err
	}
	return &engine.Module{Program: packed, Runtime: script}, nil
}

// compile compiles the named package into a file, and returns the program. Inlined functions would only make it larger:
// each answer takes as long without them.
func compile(ctx context.Context, root, file, name string) ([]byte, error) {
	temporary, err := os.MkdirTemp("", "engine")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary)
	overlay, err := withoutFormatting(root, temporary)
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-trimpath", "-ldflags=-s -w",
		"-gcflags=all=-l", "-overlay", overlay, "-o", file, name)
	command.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compile the engine: %w\n%s", err, out)
	}
	program, err := os.ReadFile(file)
	if err == nil && bytes.Contains(program, []byte(reached)) {
		err = errors.New(reached + ", and now calls them: use strings and strconv, or leave this out of the engine")
	}
	return program, err
}

// reached is a text in each function of the declared packages. The linker leaves out what no code calls, so a
// program with the text calls one of them.
const reached = "the engine is compiled without fmt and log"

// The engine never formats text with fmt or log: strings and strconv are enough. It imports packages that
// import them, though, and they would bring os with them, which has to start: 30 KB of the program. These
// take their places.
var declared = map[string]string{
	"fmt": `package fmt

import "io"

type Stringer interface{ String() string }

func Errorf(format string, a ...any) error { panic("` + reached + `") }
func Sprintf(format string, a ...any) string { panic("` + reached + `") }
func Sprint(a ...any) string { panic("` + reached + `") }
func Fprintf(w io.Writer, format string, a ...any) (int, error) { panic("` + reached + `") }
func Appendf(b []byte, format string, a ...any) []byte { panic("` + reached + `") }
`,
	"log": `package log

func Printf(format string, a ...any) { panic("` + reached + `") }
`,
}

// withoutFormatting returns a file for `go build -overlay` that puts the declared packages in the place of
// those in the folder of Go. It and the files it names are in the temporary folder.
func withoutFormatting(root, temporary string) (overlay string, err error) {
	var replaced struct{ Replace map[string]string }
	replaced.Replace = map[string]string{}
	files := map[string]string{}
	for name, text := range declared {
		folder, declaration := filepath.Join(root, "src", name), filepath.Join(temporary, name+".go")
		originals, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			return "", err
		}
		for _, original := range originals {
			replaced.Replace[original] = ""
		}
		replaced.Replace[filepath.Join(folder, "declared.go")] = declaration
		files[declaration] = text
	}
	text, err := json.Marshal(replaced)
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(temporary, "overlay.json")
	files[overlay] = string(text)
	for file, text := range files {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	return overlay, nil
}

// pack returns a program, compressed. It writes this into name + ".lzma", and takes it from there if it
// was written for the same program by the same code.
func pack(program []byte, name string) ([]byte, error) {
	key, err := keyOf(program)
	if err != nil {
		return nil, err
	}
	packed, keyFile := name+".lzma", name+".key"
	if before, err := os.ReadFile(keyFile); err == nil && bytes.Equal(before, key) {
		if text, err := os.ReadFile(packed); err == nil {
			return text, nil
		}
	}
	text, err := engine.Pack(program)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(packed, text, 0o644); err != nil {
		return nil, err
	}
	return text, os.WriteFile(keyFile, key, 0o644)
}

// keyOf returns the hash of all that a compressed program depends on: the program, and the code of pack.
func keyOf(program []byte) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	code, err := os.ReadFile(self)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(append(code, program...))
	return sum[:], nil
}
