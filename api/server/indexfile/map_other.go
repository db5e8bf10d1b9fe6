//go:build !unix

package indexfile

import (
	"errors"
	"os"
)

// canMap says whether files can be mapped. On this platform, every index is read into memory
// instead.
const canMap = false

func newPrivateFile(string, int64) (*os.File, error) { return nil, errors.ErrUnsupported }

func mapFile(*os.File, int64) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapFile([]byte) {}
