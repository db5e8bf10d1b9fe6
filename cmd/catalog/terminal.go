package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// isTerminal tells whether a person reads along.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// defaultWidth is the width of output that goes to no terminal.
const defaultWidth = 100

// widthOf returns the columns of the terminal behind w.
func widthOf(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return defaultWidth
}
