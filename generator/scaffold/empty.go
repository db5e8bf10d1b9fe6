package scaffold

import (
	"io/fs"
	"strings"
)

// emptyFolder has the files of a catalogue without listings. The files of the example catalogue that are not about
// its subject belong to it, too.
const emptyFolder = "empty"

// files returns the embedded files of a new catalogue.
func (o *Options) files() (names []string, err error) {
	folders := []string{"files"}
	if o.Empty {
		folders = append(folders, emptyFolder)
	}
	for _, folder := range folders {
		err = fs.WalkDir(embedded, folder, func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && !(o.Empty && isExample(name)) {
				names = append(names, name)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

// isExample reports whether an embedded file is about the subject of the example catalogue.
func isExample(name string) bool {
	below, example := strings.CutPrefix(name, "files/")
	return example && (strings.HasPrefix(below, "content/") || below == "README.md" || below == "catalog.yml")
}
