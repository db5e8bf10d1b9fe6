// Package overrides copies shipped templates into the folder of the setting overrides, and reports
// what has changed since.
//
// A program contains only its own version of the templates, but a later program has to distinguish
// changes in the shipped file from the owner's changes. For that, Export also keeps the shipped
// text in the folder templates.Originals, which builds do not read.
package overrides

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"catalog.example/api/site"
	"catalog.example/api/spelling"
	"catalog.example/generator/output"
	"catalog.example/generator/regular"
	"catalog.example/templates"
	"github.com/bmatcuk/doublestar/v4"
)

// MaxSize bounds a file of the folder, in bytes.
const MaxSize = 1 << 20

// File is a file of a folder of overrides.
type File struct {
	Name    string // its path below the folder, with slashes
	Own     []byte // the owner's text
	Copied  []byte // the shipped text from which it was copied; nil if unknown
	Shipped []byte // the shipped text of this program; nil if there is none
}

// IsOutdated reports whether the shipped file has changed since it was copied.
func (f *File) IsOutdated() bool {
	return f.Copied != nil && !bytes.Equal(f.Copied, f.Shipped) && !bytes.Equal(f.Own, f.Shipped)
}

// Folder is a folder of overrides.
type Folder struct {
	path    string
	shipped map[string][]byte // the shipped files by name
}

// In returns a folder of overrides of a catalogue in the languages of its settings.
func In(path string, s *site.Settings) *Folder {
	return &Folder{path, templates.ShippedIn(s.Lang, s.Languages...)}
}

// Read returns the files of the folder, sorted by name. The error lists all files that cannot
// be read.
func (d *Folder) Read() (files []File, err error) {
	folder := d.path
	own, originals := regular.Dir(folder, MaxSize), regular.Dir(filepath.Join(folder, templates.Originals), MaxSize)
	var problems []error
	err = fs.WalkDir(own, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if name == templates.Originals {
				return fs.SkipDir
			}
			return nil
		}
		f := File{Name: name}
		if f.Own, err = fs.ReadFile(own, name); err == nil {
			f.Copied, err = readIfThere(originals, name)
		}
		f.Shipped = d.shipped[name]
		if err != nil {
			problems = append(problems, fmt.Errorf("folder %s: %w", folder, err))
		}
		files = append(files, f)
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no folder %s: `catalog templates export` creates it", folder)
	case err != nil:
		problems = append(problems, fmt.Errorf("folder %s: %w", folder, err))
	}
	return files, errors.Join(problems...)
}

// readIfThere returns the text of a file, or nil if there is none.
func readIfThere(files fs.FS, name string) ([]byte, error) {
	text, err := fs.ReadFile(files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// Status describes in a few words how the file relates to the shipped one.
func (f *File) Status() string {
	switch {
	case f.Shipped == nil:
		return "this program has no template of this name, so builds refuse the file"
	case f.IsOutdated():
		return "outdated: the shipped file has changed since it was copied"
	case bytes.Equal(f.Own, f.Shipped):
		return "the same as the shipped file"
	case f.Copied == nil:
		return "changed; the version that it was copied from is unknown"
	}
	return "changed"
}

// Shipped returns the text of a shipped file.
func (d *Folder) Shipped(name string) ([]byte, error) {
	names, err := choose([]string{name}, d.shippedNames(), noTemplate)
	if err != nil {
		return nil, err
	}
	if len(names) > 1 {
		return nil, fmt.Errorf("%q matches %d templates: choose one", name, len(names))
	}
	return d.shipped[names[0]], nil
}

// Warning returns a sentence about the files of the folder that are outdated, or "".
func (d *Folder) Warning() string {
	if d.path == "" {
		return ""
	}
	files, _ := d.Read() // the build reports files that cannot be read
	var names []string
	for _, f := range files {
		if f.IsOutdated() {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("the shipped versions of %s have changed since they were copied to %s: "+
		"`catalog templates status` says what to do", strings.Join(names, ", "), d.path)
}

// Export copies shipped files into the folder, which it creates if it is missing, and returns the
// names of the files that it wrote. The patterns choose the files; no patterns choose all. A file
// that already exists with another text is an error, unless force is set. The error lists all such
// files, and nothing is written.
func (d *Folder) Export(patterns []string, force bool) (written []string, err error) {
	names, err := choose(patterns, d.shippedNames(), noTemplate)
	if err != nil {
		return nil, err
	}
	var problems []error
	for _, name := range names {
		file := filepath.Join(d.path, filepath.FromSlash(name))
		own, err := regular.ReadFile(file, MaxSize)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			written = append(written, name)
		case err != nil:
			problems = append(problems, fmt.Errorf("%s: %w", file, err))
		case bytes.Equal(own, d.shipped[name]):
		case force:
			written = append(written, name)
		default:
			problems = append(problems, fmt.Errorf("%s already exists and differs from the shipped file: "+
				"remove it, or replace it with --force", file))
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	if err := d.record(names); err != nil {
		return nil, err
	}
	return written, d.copyShipped(d.path, written)
}

// Record keeps the shipped files of this program as the originals of the owner's files, after the
// owner has updated these. The patterns choose from the files of the folder; no patterns choose
// all. It returns their names.
func (d *Folder) Record(patterns []string) ([]string, error) {
	files, err := d.Read()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range files {
		if f.Shipped != nil {
			names = append(names, f.Name)
		}
	}
	if names, err = choose(patterns, names, d.path+" has no copy of a template with the name"); err != nil {
		return nil, err
	}
	return names, d.record(names)
}

func (d *Folder) record(names []string) error {
	return d.copyShipped(filepath.Join(d.path, templates.Originals), names)
}

// copyShipped writes shipped files below a folder.
func (d *Folder) copyShipped(folder string, names []string) error {
	for _, name := range names {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := output.WriteFile(file, d.shipped[name]); err != nil {
			return err
		}
	}
	return nil
}

// shippedNames returns the names of all shipped files, sorted.
func (d *Folder) shippedNames() []string { return slices.Sorted(maps.Keys(d.shipped)) }

const noTemplate = "this program has no template"

// choose returns the names that match one of the patterns, or all names if there are no patterns.
// The error lists the patterns that match nothing. It begins with missing.
func choose(patterns, names []string, missing string) (chosen []string, err error) {
	if len(patterns) == 0 {
		return names, nil
	}
	var problems []error
	for _, pattern := range patterns {
		matching := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			matches, err := doublestar.Match(pattern, name)
			return err != nil || !matches
		})
		if len(matching) == 0 {
			problems = append(problems, fmt.Errorf("%s %q%s", missing, pattern, spelling.Hint(pattern, names)))
		}
		chosen = append(chosen, matching...)
	}
	slices.Sort(chosen)
	return slices.Compact(chosen), errors.Join(problems...)
}
