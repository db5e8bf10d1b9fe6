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
	"os"
	"path/filepath"

	"catalog.example/generator/regular"
)

// maxOverride bounds an overriding file: ten times the longest template, or a large
// icon.
const maxOverride = 1 << 20


//go:embed layout.html partials.html meta.html layout.md partials.md llms.txt llms-full.txt pages assets
var embedded embed.FS

// Files returns the embedded files, with those below the overrides folder in
// front of them; overrides may be "". An overriding file that replaces nothing
// is an error: its name is most likely misspelt.
func Files(overrides string) (fs.FS, error) {
	if overrides == "" {
		return embedded, nil
	}
	front := os.DirFS(overrides)
	err := fs.WalkDir(front, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if _, err := fs.Stat(embedded, path); err != nil {
			return fmt.Errorf("%s replaces no file of the templates: name it like a file below templates/ in the source", path)
		}
		if _, err := regular.ReadFile(filepath.Join(overrides, filepath.FromSlash(path)), maxOverride); err != nil {
			return fmt.Errorf("%s %w", path, err)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("setting overrides: folder %s: %w", overrides, err)
	}
	return overlay{overrides, front, embedded}, nil
}

// overlay looks for a file in front, the files of a folder, and behind it in back.
type overlay struct {
	dir         string
	front, back fs.FS
}

// ReadFile implements fs.ReadFileFS: a file that has taken the place of one that was
// looked at is not waited for.
func (o overlay) ReadFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	file := filepath.Join(o.dir, filepath.FromSlash(name))
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		return fs.ReadFile(o.back, name)
	}
	return regular.ReadFile(file, maxOverride)
}

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
