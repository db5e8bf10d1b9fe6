package main

import (
	"io"
	"os"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// borderWidth is the width of the lines between two columns of a table, in columns of the terminal.
const borderWidth = 3

// newTable returns a table with lines between its columns. Texts are wrapped at spaces, unless
// their column has another WidthMaxEnforcer.
func newTable(columns ...table.ColumnConfig) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Options.DrawBorder = false
	t.Style().Format.Header = text.FormatDefault
	for i := range columns {
		columns[i].Number = i + 1
		if columns[i].WidthMaxEnforcer == nil {
			columns[i].WidthMaxEnforcer = text.WrapSoft
		}
	}
	t.SetColumnConfigs(columns)
	return t
}

// defaultWidth is the width, in columns, of output that is not a terminal.
const defaultWidth = 100

// terminalWidth returns the columns of the terminal w, or defaultWidth.
func terminalWidth(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return defaultWidth
}
