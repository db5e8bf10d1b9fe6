//go:build unix

package artifact

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock locks a file until it is closed or the process ends. It fails if another process holds the
// lock.
func lock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
