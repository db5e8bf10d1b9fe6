//go:build !unix

package indexfile

import (
	"errors"
	"os"
)

// canMap reports whether a file without a name can be mapped. Here, every index is read into memory.
const canMap = false

func newPrivateFile(string, int64) (*os.File, error) { return nil, errors.ErrUnsupported }

func mapFile(*os.File, int64) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapFile([]byte) {}
