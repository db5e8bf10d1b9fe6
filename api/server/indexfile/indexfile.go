// Package indexfile opens the index of a build output folder. A small index file is read into memory.
// A large one is copied to a file without a name, which is mapped. So an open index does not depend on
// its file, which may even be truncated.
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

// inMemory is the size in bytes up to which an index is read into memory, where it needs no space on a
// disk. A larger one is mapped, so that the kernel can drop the parts that are seldom read.
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

// Unwrap implements errors.Unwrap.
func (e *Error) Unwrap() error { return e.Err }

// Open opens the index of a build output folder. Its errors wrap search.ErrUnusable. If the file is
// missing or damaged, or has another version, the error is an *Error.
func Open(publicDir string) (*search.Index, error) { return openIn(publicDir, inMemory) }

// openIn opens the index of a folder. If it has more than most bytes, it is mapped.
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

// open opens an index file. If it has more than most bytes, it is mapped.
func open(path string, most int64) (*search.Index, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() // it was only read
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
		return nil, err // before any memory is taken for the file
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

// cutShort explains the error for a file that ends before its size.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: damaged: it is cut short", search.ErrUnusable)
	}
	return err
}

// openMapped copies a file to one without a name, and maps the copy. The checksums of the copy are
// checked, so that a file that changes during the copy does no harm.
func openMapped(file *os.File, size int64) (*search.Index, error) {
	private, err := newPrivateFile(filepath.Dir(file.Name()), size)
	if err != nil {
		return nil, err
	}
	defer private.Close() // the mapping stays
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

// Info describes the index file of a folder. That identifies the build in the folder, without reading
// it. It is nil if there is none.
func Info(publicDir string) fs.FileInfo {
	info, _ := os.Stat(filepath.Join(publicDir, filepath.FromSlash(search.FileName)))
	return info
}

// InfoIn describes the index file of an opened folder, wherever that is now. It is nil if there is
// none.
func InfoIn(public *os.Root) fs.FileInfo {
	info, _ := public.Stat(search.FileName)
	return info
}

// SameFile reports whether a file has not changed, by its identity, size and time, or whether there
// was and is none.
func SameFile(was, is fs.FileInfo) bool {
	if was == nil || is == nil {
		return was == nil && is == nil
	}
	return os.SameFile(was, is) && was.Size() == is.Size() && was.ModTime().Equal(is.ModTime())
}
