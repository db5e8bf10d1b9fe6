// Package templates holds the pages' HTML, the stylesheet, the page code and
// the text of llms.txt, embedded into the program.
//
// A site's owner replaces any of them, file by file, with a folder of the same
// layout named in catalog.yml as overrides.
package templates

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
)

//go:embed *.yml *.html *.md *.txt *.xml pages assets
var embedded embed.FS

// Originals is the folder of overrides that holds the shipped files from which the others
// were copied. Nothing in it replaces a file.
const Originals = ".catalog-templates"

// Shipped returns the embedded files.
func Shipped() fs.FS { return embedded }

// Files returns the embedded files, with overrides in front of them, which may be
// nil. An overriding file that replaces nothing is an error, as its name is most
// likely misspelt, and so is one that cannot be opened.
func Files(overrides fs.FS) (fs.FS, error) {
	if overrides == nil {
		return embedded, nil
	}
	err := fs.WalkDir(overrides, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if path == Originals {
				return fs.SkipDir
			}
			return err
		}
		if _, err := fs.Stat(embedded, path); err != nil {
			return fmt.Errorf(
				"%s replaces no file of the templates: name it like a file below templates/ in the source", path)
		}
		f, err := overrides.Open(path)
		if err != nil {
			return err
		}
		return f.Close()
	})
	if err != nil {
		return nil, err
	}
	return overlay{overrides, embedded}, nil
}

// overlay looks for a file in front, and behind it in back.
type overlay struct{ front, back fs.FS }

// Open implements fs.FS. Folders are those of back, which has them all.
func (o overlay) Open(name string) (fs.File, error) {
	f, err := o.front.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return o.back.Open(name)
	}
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		_ = f.Close()
		return o.back.Open(name)
	}
	return f, nil
}
