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

// lockFolder takes a lock on a folder. The lock ends with the process. If another process holds it,
// lockFolder waits or fails.
func lockFolder(dir string, wait bool) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	flags := unix.LOCK_EX
	if !wait {
		flags |= unix.LOCK_NB
	}
	for {
		err := unix.Flock(int(f.Fd()), flags)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, unix.EINTR) {
			return nil, errors.Join(err, f.Close())
		}
	}
}

// syncFolder syncs the whole file system of a folder: one call is enough for all files of a build.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(f.Fd())), f.Close())
}

// canExchange reports whether a folder can be exchanged with one beside it. A mount point cannot:
// files cannot be moved from its parent into it, even on the same file system.
func canExchange(dir, parent string) bool {
	var a, b unix.Statx_t
	for folder, stat := range map[string]*unix.Statx_t{dir: &a, parent: &b} {
		if unix.Statx(unix.AT_FDCWD, folder, 0, unix.STATX_BASIC_STATS|unix.STATX_MNT_ID, stat) != nil {
			return true // the folder is missing
		}
	}
	return a.Dev_major == b.Dev_major && a.Dev_minor == b.Dev_minor &&
		(a.Mask&b.Mask&unix.STATX_MNT_ID == 0 || a.Mnt_id == b.Mnt_id)
}
