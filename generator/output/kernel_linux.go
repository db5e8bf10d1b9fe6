package output

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange swaps two folders in one step.
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

// lockFolder takes a lock on a folder that ends with the process, or fails at
// once where another process holds it.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.Open(dir) // #nosec G304 -- a staging folder
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// syncFolder brings everything on the folder's file system to the disk: one
// call for a build's many files.
func syncFolder(dir string) error {
	f, err := os.Open(dir) // #nosec G304 -- the output folder
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(f.Fd())), f.Close())
}

func isCrossDevice(err error) bool { return errors.Is(err, unix.EXDEV) }

// onOtherDevice tells whether a folder lies on another device than the one
// around it, as a mount point does.
func onOtherDevice(dir, around string) bool {
	var a, b unix.Stat_t
	return unix.Stat(dir, &a) == nil && unix.Stat(around, &b) == nil && a.Dev != b.Dev
}
