package artifact

import (
	"os"

	"golang.org/x/sys/windows"
)

// lock locks a file until it is closed or the process ends. It fails if another process holds the
// lock.
func lock(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{})
}
