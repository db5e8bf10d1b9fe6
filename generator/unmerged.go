package generator

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"catalog.example/generator/regular"
	"catalog.example/templates"
)

// maxMerged bounds the size of files that are searched for merge conflicts, in bytes. Files that
// people write are smaller.
const maxMerged = 4 << 20

// unmergedFile is a file of the owner with a merge conflict.
type unmergedFile struct {
	name string // below its folder, with slashes
	*regular.Error
}

// unmerged returns the text files with a merge conflict among the files of a folder.
func unmerged(folder string, names []string) (list []unmergedFile) {
	for _, name := range names {
		text, err := regular.ReadText(filepath.Join(folder, filepath.FromSlash(name)), maxMerged)
		if wrong, ok := errors.AsType[*regular.Error](err); ok && wrong.Conflict > 0 && utf8.Valid(text) &&
			!bytes.ContainsRune(text, 0) {
			list = append(list, unmergedFile{name, wrong})
		}
	}
	return list
}

// checkMerged returns an error if files of the folder of a setting have merge conflicts.
func checkMerged(setting, folder string, names []string) error {
	var problems []error
	for _, f := range unmerged(folder, names) {
		problems = append(problems, fmt.Errorf("setting %s: %s:%d: %w", setting,
			filepath.Join(folder, filepath.FromSlash(f.name)), f.Conflict, f.Error))
	}
	return errors.Join(problems...)
}

// overridesIn returns the names of the files in a folder of overrides, which may be "".
func overridesIn(folder string) (names []string) {
	if folder == "" {
		return nil
	}
	// What cannot be read is reported when it is opened.
	_ = fs.WalkDir(os.DirFS(folder), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || e.IsDir() && name == templates.Originals:
			return fs.SkipDir
		case !e.IsDir():
			names = append(names, name)
		}
		return nil
	})
	return names
}
