//go:build !linux

package output

import (
	"errors"
	"os"
	"syscall"
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

func isCrossDevice(err error) bool { return errors.Is(err, syscall.EXDEV) }

// isMountPoint returns false: a file that cannot be moved is copied.
func isMountPoint(_, _ string) bool { return false }
