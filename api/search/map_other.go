//go:build !unix

package search

import (
	"errors"
	"os"
)

// Where files cannot be mapped, or a mapped one cannot be nameless, every index
// is read into memory.

func newPrivateFile(string, int64) (*os.File, error) { return nil, errors.ErrUnsupported }

func mapFile(*os.File, int64) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapFile([]byte) {}
