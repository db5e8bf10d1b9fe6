//go:build unix

package indexfile

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"strings"
	"syscall"
)

// canMap says whether files can be mapped.
const canMap = true

// newPrivateFile creates an unnamed file: in the folder of the index or, if that fails, in the
// folder for temporary files.
func newPrivateFile(dir string, size int64) (*os.File, error) {
	var reasons []string
	for _, dir := range []string{dir, os.TempDir()} {
		file, err := os.CreateTemp(dir, ".search.idx-*")
		if err == nil {
			if err = errors.Join(os.Remove(file.Name()), file.Truncate(size)); err == nil {
				return file, nil
			}
			_ = file.Close() // the file is discarded
		}
		reasons = append(reasons, strings.ReplaceAll(err.Error(), "\n", ", "))
	}
	// The reasons are not wrapped, because fs.ErrNotExist would mean that there is no index.
	return nil, fmt.Errorf("it must be copied before it is used, and there is no room for its %d MiB: %s;"+
		" set TMPDIR to a folder that has room",
		(size+1<<20-1)>>20, strings.Join(reasons, "; "))
}

func mapFile(file *os.File, size int64) ([]byte, error) {
	if size > math.MaxInt {
		return nil, fmt.Errorf("it has %d bytes, more than a %d-bit program can map", size, bits.UintSize)
	}
	return syscall.Mmap(int(file.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
}

// unmapFile undoes mapFile.
func unmapFile(content []byte) { _ = syscall.Munmap(content) } // fails only for memory that mapFile did not return
