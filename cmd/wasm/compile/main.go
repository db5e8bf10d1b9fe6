// Command compile compiles the search engine for browsers into a folder.
//
//	go run ./cmd/wasm/compile generator/engine
package main

import (
	"context"
	"fmt"
	"os"

	"catalog.example/generator/engine/compile"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: compile FOLDER")
		os.Exit(2)
	}
	if _, err := compile.Engine(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "compile:", err)
		os.Exit(1)
	}
}
