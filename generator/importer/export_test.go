package importer

import (
	"maps"
	"slices"
)

// Targets returns the keys of the fields that a map can fill, except facts and install links.
func Targets() []string { return slices.Sorted(maps.Keys(targets)) }

// Required returns the fields that every listing has.
func Required() []string { return required }

// Functions returns the names of the functions of maps, each with … if it has an argument.
func Functions() (names []string) {
	for _, f := range functions {
		if f.argument != "" {
			f.name += " …"
		}
		names = append(names, f.name)
	}
	return names
}
