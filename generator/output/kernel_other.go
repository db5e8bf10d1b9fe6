//go:build !linux

package output

import (
	"errors"
	"os"
	"syscall"
)

// exchange is Linux's alone; elsewhere files are moved one by one.
func exchange(_, _ string) error { return errors.ErrUnsupported }

// lockFolder only opens the folder: without locks a build may remove the
// staging folder of another one for the same target that runs beside it.
func lockFolder(dir string, _ bool) (*os.File, error) {
	return os.Open(dir)
}

// syncFolder does nothing where folders cannot be synced; renames are ordered
// by the file system.
func syncFolder(string) error { return nil }

func isCrossDevice(err error) bool { return errors.Is(err, syscall.EXDEV) }

// isMountPoint is not asked for here: a file that cannot be moved is copied.
func isMountPoint(_, _ string) bool { return false }
