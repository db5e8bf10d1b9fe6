//go:build unix

package artifact

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock takes a lock on a file, which ends with the process. It fails if another process has it.
func lock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
