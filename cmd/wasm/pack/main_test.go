package main

import (
	"os"
	"path/filepath"
	"testing"

	"catalog.example/generator/lzma"
)

// A program is packed once, and again when it has changed. What is no program is refused.
func TestPack(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "search.wasm")
	packed := name + ".lzma"
	write := func(file, text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, program := range []string{"\x00asm\x01\x00\x00\x00", "\x00asm\x01\x00\x00\x00\x00\x02\x01x"} {
		write(name, program)
		if err := pack(name); err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(packed)
		if err != nil {
			t.Fatal(err)
		}
		if size, err := lzma.Size(file); err != nil || size != len(program) {
			t.Errorf("%q has the size %d, %v", program, size, err)
		}
		write(packed, "as it was left")
		if err := pack(name); err != nil {
			t.Fatal(err)
		}
		if file, err := os.ReadFile(packed); err != nil || string(file) != "as it was left" {
			t.Errorf("%q is packed again: %q, %v", program, file, err)
		}
	}
	write(name, "a script")
	if err := pack(name); err == nil {
		t.Error("a file that is no program is packed")
	}
	if err := pack(filepath.Join(t.TempDir(), "missing.wasm")); err == nil {
		t.Error("a file that is missing is packed")
	}
}
