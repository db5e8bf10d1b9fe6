// Package templates embeds the HTML of the pages, the stylesheet, the page code, the feeds,
// the sitemap, the badge of listings, the text of llms.txt and the skill for agents.
//
// The owner of a site can replace each file by one of the same path in the folder that the
// setting overrides names.
package templates

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
)

//go:embed *.yml *.html layout.md partials.md skill.md *.txt *.xml *.svg pages assets
var embedded embed.FS

// Originals is a folder in the folder of overrides. It has the shipped files from which the
// owner's files were copied, and replaces nothing.
const Originals = ".catalog-templates"

// Shipped returns the embedded files.
func Shipped() fs.FS { return embedded }

// Files returns the embedded files, replaced by those of overrides, which may be nil. A file of
// overrides that replaces nothing is an error, because its name is probably misspelt. A file
// that cannot be opened is also an error.
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
				"there is no template %s to replace: use the path of a file below templates/ in the source", path)
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

// overlay has the files and folders of back. Files of front replace the files of back with the same
// name.
type overlay struct{ front, back fs.FS }

// Open implements fs.FS.
func (o overlay) Open(name string) (fs.File, error) {
	if info, err := fs.Stat(o.front, name); err == nil && info.IsDir() || errors.Is(err, fs.ErrNotExist) {
		return o.back.Open(name)
	}
	return o.front.Open(name)
}
