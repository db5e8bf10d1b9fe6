package importer

import (
	"maps"
	"slices"
)

// Targets returns the keys of the fields that a map can fill, except facts and install links.
func Targets() []string { return slices.Sorted(maps.Keys(targets)) }

// Required returns the fields that every listing has.
func Required() []string { return required }

// Functions returns the functions of maps as rows of a table in Markdown.
func Functions() (rows []string) {
	for _, f := range functions {
		name := f.name
		if f.argument != "" {
			name += " …"
		}
		rows = append(rows, "| `"+name+"` | "+f.does+" |")
	}
	return rows
}
