// Package indexfile opens the index of a build output folder. A small index is read into memory. A larger
// one is copied to an unnamed file that is mapped, so that the kernel can drop the parts that are seldom
// read. If that copy cannot be made, an index that is not too large is read into memory. Either way, an
// open index does not depend on the original file, which may even be truncated.
package indexfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"catalog.example/api/search"
)

// limits are sizes of index files in bytes: up to small, a copy on disk is not worth it; above spare, an
// index in memory could exhaust that of a small server.
type limits struct{ small, spare int64 }

var defaultLimits = limits{small: 1 << 20, spare: 64 << 20}

// Error says what is wrong with the index of a folder, and what to run.
type Error struct {
	// Folder is the build output folder.
	Folder string
	// Err says what is wrong.
	Err error
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("%v; run: catalog build --out %s", e.Err, e.Folder)
}

// Unwrap returns e.Err, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Err }

// Open opens the index of a build output folder. Its errors wrap search.ErrUnusable. If the file is
// missing or damaged, or has another version, the error is an *Error.
func Open(publicDir string) (*search.Index, error) { return openIn(publicDir, defaultLimits) }

// openIn opens the index of a folder.
func openIn(publicDir string, l limits) (*search.Index, error) {
	path := filepath.Join(publicDir, filepath.FromSlash(search.FileName))
	ix, err := open(path, l)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Error{publicDir, fmt.Errorf("%w: %s does not exist", search.ErrUnusable, path)}
	case errors.Is(err, search.ErrUnusable):
		return nil, &Error{publicDir, fmt.Errorf("%s: %w", path, err)}
	case err != nil:
		return nil, fmt.Errorf("%w: %w", search.ErrUnusable, err)
	}
	return ix, nil
}

// open opens an index file.
func open(path string, l limits) (*search.Index, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() // opened read-only: a close error is harmless
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: this is not a file", search.ErrUnusable)
	}
	size := info.Size()
	head := make([]byte, min(size, search.HeadSize))
	if _, err := file.ReadAt(head, 0); err != nil {
		return nil, cutShort(err)
	}
	if err := search.CheckHead(head, size); err != nil {
		return nil, err // before memory is allocated for the file
	}
	if size > l.small && canMap {
		ix, err := openMapped(file, size)
		if err == nil || errors.Is(err, search.ErrUnusable) || size > l.spare {
			return ix, err
		}
	}
	content := make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(file, 0, size), content); err != nil {
		return nil, cutShort(err)
	}
	return search.Open(content)
}

// cutShort explains the error for a file that is shorter than its stated size.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: damaged: it is cut short", search.ErrUnusable)
	}
	return err
}

// openMapped copies a file to an unnamed one, and maps the copy. The checksums of the copy are
// checked, so a file that changes while it is being copied does no harm.
func openMapped(file *os.File, size int64) (*search.Index, error) {
	private, err := newPrivateFile(filepath.Dir(file.Name()), size)
	if err != nil {
		return nil, err
	}
	defer private.Close() // the mapping outlives the file
	if _, err := io.CopyN(private, file, size); err != nil {
		return nil, fmt.Errorf("copy the index: %w", cutShort(err))
	}
	content, err := mapFile(private, size)
	if err != nil {
		return nil, fmt.Errorf("map the index: %w", err)
	}
	ix, err := search.Open(content)
	if err != nil {
		unmapFile(content)
		return nil, err
	}
	runtime.AddCleanup(ix.Index, unmapFile, content) // answers keep ix.Index reachable
	return ix, nil
}

// Info describes the index file of a folder, or returns nil if there is none. This identifies the
// build in the folder, without reading the index.
func Info(publicDir string) fs.FileInfo {
	info, _ := os.Stat(filepath.Join(publicDir, filepath.FromSlash(search.FileName)))
	return info
}

// InfoIn describes the index file of an opened folder, or returns nil if there is none. The folder
// may have been moved since it was opened.
func InfoIn(public *os.Root) fs.FileInfo {
	info, _ := public.Stat(search.FileName)
	return info
}

// SameFile reports whether was and is describe the same unchanged file, judging by identity, size
// and time, or are both nil.
func SameFile(was, is fs.FileInfo) bool {
	if was == nil || is == nil {
		return was == nil && is == nil
	}
	return os.SameFile(was, is) && was.Size() == is.Size() && was.ModTime().Equal(is.ModTime())
}
