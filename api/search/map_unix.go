//go:build unix

package search

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"syscall"
)

// newPrivateFile makes a file that has no name: beside the index, where there is
// room for another of its kind, or else where temporary files are kept.
func newPrivateFile(dir string, size int64) (*os.File, error) {
	var errs []error
	for _, dir := range []string{dir, os.TempDir()} {
		file, err := os.CreateTemp(dir, ".search.idx-*")
		if err == nil {
			if err = errors.Join(os.Remove(file.Name()), file.Truncate(size)); err == nil {
				return file, nil
			}
			_ = file.Close() // it has no name any more
		}
		errs = append(errs, err)
	}
	return nil, fmt.Errorf("copy the index, which is too large to be read into memory: %w", errors.Join(errs...))
}

func mapFile(file *os.File, size int64) ([]byte, error) {
	if size > math.MaxInt {
		return nil, fmt.Errorf("its %d bytes are more than a program of %d bits can map", size, bits.UintSize)
	}
	return syscall.Mmap(int(file.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
}

// unmapFile lets go of a mapping.
func unmapFile(content []byte) {
	_ = syscall.Munmap(content) // it was mapped by mapFile and nobody else
}
