package artifact

import (
	"os"

	"golang.org/x/sys/windows"
)

// lock takes a lock on a file, which ends with the process. It fails if another process has it.
func lock(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{})
}
