// Command pack compresses a program of WebAssembly for browsers. Beside search.wasm it writes search.wasm.lzma.
//
//	go run ./cmd/wasm/pack generator/engine/search.wasm
package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"slices"

	"catalog.example/generator/engine"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: pack search.wasm")
		os.Exit(2)
	}
	if err := pack(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// pack writes the compressed form of a program beside it. It does nothing if it has done so before.
func pack(name string) error {
	program, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	key, err := keyOf(program)
	if err != nil {
		return err
	}
	packed, keyFile := name+".lzma", name+".key"
	if before, err := os.ReadFile(keyFile); err == nil && bytes.Equal(before, key) {
		if _, err := os.Stat(packed); err == nil {
			return nil
		}
	}
	text, err := engine.Pack(program)
	if err != nil {
		return err
	}
	if err := os.WriteFile(packed, text, 0o644); err != nil {
		return err
	}
	return os.WriteFile(keyFile, key, 0o644)
}

// keyOf returns the hash of all that a compressed program depends on: the program, and this command.
func keyOf(program []byte) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	code, err := os.ReadFile(self)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(slices.Concat(code, program))
	return sum[:], nil
}
