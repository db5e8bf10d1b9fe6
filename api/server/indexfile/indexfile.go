// Package indexfile opens the index of a build output folder. A small index file is read into
// memory. A large one is copied to an unnamed file, and the copy is mapped into memory. So an open
// index does not depend on the original file, which may even be truncated.
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

// inMemory is the size in bytes up to which an index is read into memory, where it needs no disk
// space. A larger one is mapped, so that the kernel can drop the parts that are seldom read.
const inMemory = 64 << 20

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
func Open(publicDir string) (*search.Index, error) { return openIn(publicDir, inMemory) }

// openIn opens the index of a folder. An index of more than most bytes is mapped.
func openIn(publicDir string, most int64) (*search.Index, error) {
	path := filepath.Join(publicDir, filepath.FromSlash(search.FileName))
	ix, err := open(path, most)
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

// open opens an index file. A file of more than most bytes is mapped.
func open(path string, most int64) (*search.Index, error) {
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
	if size > most && canMap {
		return openMapped(file, size)
	}
	content := make([]byte, size)
	if _, err := io.ReadFull(file, content); err != nil {
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
