package server

import "golang.org/x/sys/unix"

// exchangeFolders swaps two folders in one step, as a build does.
func exchangeFolders(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
