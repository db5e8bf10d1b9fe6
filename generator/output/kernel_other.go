//go:build !linux

package output

import (
	"errors"
	"io/fs"
	"os"
)

// exchange is not supported: files are moved one by one.
func exchange(_, _ string) error { return errors.ErrUnsupported }

// lockFolder only opens the folder. Without locks, a build may remove the staging
// folder of a concurrent build for the same target.
func lockFolder(dir string, _ bool) (*os.File, error) {
	return os.Open(dir)
}

// syncFolder does nothing: the file system orders renames.
func syncFolder(string) error { return nil }

// canExchange reports whether there is no folder yet: a staging folder can only become a
// new one.
func canExchange(dir, _ string) bool {
	_, err := os.Lstat(dir)
	return errors.Is(err, fs.ErrNotExist)
}
