package main

import (
	"os"

	"catalog.example/api/search"
)

// main takes an index file and a query string, and prints the answer.
func main() {
	if len(os.Args) != 3 {
		fail("usage: wasm search.idx 'q=chat&limit=5'")
	}
	file, err := os.ReadFile(os.Args[1])
	if err != nil {
		fail(err.Error())
	}
	index, err := search.Open(file)
	if err != nil {
		fail(os.Args[1] + ": " + err.Error())
	}
	if _, err := os.Stdout.Write(append(answer(index, os.Args[2]), '\n')); err != nil {
		fail(err.Error())
	}
}

func fail(message string) {
	os.Stderr.WriteString(message + "\n") // an error here cannot be reported
	os.Exit(1)
}
