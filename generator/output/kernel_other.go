//go:build !linux

package output

import (
	"errors"
	"io/fs"
	"os"
)

// exchange is not supported: files are moved one by one.
func exchange(_, _ string) error { return errors.ErrUnsupported }

// lockFolder only opens the folder. Because there are no locks, a build may remove the staging
// folder of another build for the same target.
func lockFolder(dir string, _ bool) (*os.File, error) {
	return os.Open(dir)
}

// syncFolder does nothing, because the file system keeps the order of renames.
func syncFolder(string) error { return nil }

// canExchange reports whether the folder does not exist yet. Without an exchange, a staging folder
// can only become a new folder.
func canExchange(dir, _ string) bool {
	_, err := os.Lstat(dir)
	return errors.Is(err, fs.ErrNotExist)
}
