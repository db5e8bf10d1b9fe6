// Package indexfile opens the index of a build output. In goes the folder, out comes
// the Index of the file that lies there, of which nothing is needed any more: a small
// file is read into memory, and a large one is copied to a file that has no name and
// mapped. So nothing that is done to the file matters to an open index, not even cutting
// it short.
package indexfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"catalog.example/api/parallel"
	"catalog.example/api/search"
)

// inMemory is the size in bytes up to which an index is read into memory: there it needs
// no space on a disk. A larger one is mapped, so that the kernel can drop what is
// seldom read.
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

// Open opens the index of a build output folder. Its errors wrap search.ErrUnusable. They
// are an *Error, which says in one line what is wrong and what to run, if the file is missing
// or damaged, or of another version.
func Open(publicDir string) (*search.Index, error) { return openIn(publicDir, inMemory) }

// openIn opens the index of a folder; one of more than most bytes is mapped.
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

// open opens an index file; one of more than most bytes is mapped.
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
		return nil, err // before any room is taken for the file
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

// cutShort says what is wrong with a file that ends before its size.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: damaged: it is cut short", search.ErrUnusable)
	}
	return err
}

// copyFile copies the first bytes of a file on all cores, in steps that stay in a core's
// own cache.
func copyFile(to, from *os.File, size int64) error {
	const step = 256 << 10
	var buffers sync.Pool
	return parallel.Each(context.Background(), runtime.GOMAXPROCS(0), int((size+step-1)/step), func(i int) error {
		buffer, ok := buffers.Get().(*[step]byte)
		if !ok {
			buffer = new([step]byte)
		}
		defer buffers.Put(buffer)
		at := int64(i) * step
		part := buffer[:min(step, size-at)]
		if _, err := from.ReadAt(part, at); err != nil {
			return err
		}
		_, err := to.WriteAt(part, at)
		return err
	})
}

// openMapped copies a file into one without a name, and maps that. The checksums are
// those of the copy: nothing is served that was changed meanwhile.
func openMapped(file *os.File, size int64) (*search.Index, error) {
	private, err := newPrivateFile(filepath.Dir(file.Name()), size)
	if err != nil {
		return nil, err
	}
	defer private.Close() // the mapping stays
	if err := copyFile(private, file, size); err != nil {
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
	runtime.AddCleanup(ix.Index, unmapFile, content) // answers keep it reachable
	return ix, nil
}
