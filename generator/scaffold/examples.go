package scaffold

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/importer"
)

// Example is a catalogue that Write can write.
type Example struct {
	Name  string // of the flag --example, and of its folder below examples/
	Title string // of the catalogue, if none is given
	About string // what it shows, in a few words
	// list returns a list that becomes the listings, as the map content/imports/list.yml says; nil if the
	// folder has the listings.
	list func() []byte
}

// Examples are all examples. The first is the default.
var Examples = []Example{
	{"board-games", "Board Games for the Table", "four listings with facts of their own", nil},
	{"bird-watching", "Places to Watch Birds",
		"eight places with coordinates, seasons, fees and pictures, as cards, in English and German", nil},
	{"instruments", "Instruments of a University",
		"3,000 listings that an import made of a table, with prices, years and places", instruments},
	{"empty", "My Catalogue", "no listings, for a list that you bring", nil},
}

// IsEmpty reports whether the catalogue has no listings.
func (e *Example) IsEmpty() bool { return e.Name == "empty" }

// ExampleNamed returns the example with a name; "" means the default.
func ExampleNamed(name string) (*Example, error) {
	var names []string
	for i := range Examples {
		if name == "" || Examples[i].Name == name {
			return &Examples[i], nil
		}
		names = append(names, Examples[i].Name)
	}
	return nil, fmt.Errorf("there is no example %q: write one of %q", name, names)
}

// sharedFolder has the files that all examples have.
const sharedFolder = "shared"

// templates returns the paths of the embedded files of the example, by their paths in the new catalogue.
func (e *Example) templates() (files map[string]string, err error) {
	files = map[string]string{}
	for _, folder := range []string{sharedFolder, path.Join("examples", e.Name)} {
		err = fs.WalkDir(embedded, folder, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				files[targetName(name[len(folder)+1:])] = name
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// listFile is the list of an example, below the folder of the catalogue.
const listFile = "list.csv"

// importList makes the listings of an example of its list, and returns the number of files that it writes.
func importList(ctx context.Context, dir string, s site.Settings, o Options) (files int, err error) {
	folder := filepath.Join(dir, "content")
	m, err := importer.LoadMap(filepath.Join(folder, content.ImportsFolder, "list.yml"))
	if err != nil {
		return 0, err
	}
	plan, err := importer.Prepare(ctx, importer.Options{Source: filepath.Join(dir, listFile), Map: m, Name: "list",
		Content: content.Options{Dir: folder, Settings: s, Jobs: 1, Today: o.Today}, Today: o.Today})
	if err != nil {
		return 0, err
	}
	if plan.Count(importer.Skipped)+plan.Count(importer.LeftOut) > 0 {
		return 0, fmt.Errorf("the list of the example does not fit: %q", plan.Lines(false))
	}
	return len(plan.Changes()), plan.Apply(ctx)
}
