package snapshot

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"catalog.example/api/server/indexfile"
)

// Files reads the files of a build output folder.
//
// The folder is kept open, so that a request sees the files of one build. The next build may remove
// the folder before that build is loaded. Then, missing files are looked for in the folder that is
// now at the path, if that may be a build. Links and dots in a path never lead outside the folder
// (os.Root).
type Files struct {
	folder string
	root   *os.Root // the folder as it was opened
	dir    *os.File // the same, for AppendSame
	// refused reports whether the build with this index file was refused.
	refused func(index fs.FileInfo) bool
}

// ErrFolder means that the folder was removed, or cannot be read for another, temporary reason.
// Such an error is never fs.ErrNotExist.
var ErrFolder = errors.New("the folder of pages cannot be read")

func openFiles(folder string, refused func(fs.FileInfo) bool) (*Files, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open the folder of pages: %w", err)
	}
	dir, err := root.Open(".")
	if err != nil {
		_ = root.Close() // opened read-only: a close error is harmless
		return nil, fmt.Errorf("open the folder of pages: %w", err)
	}
	return &Files{folder, root, dir, refused}, nil
}

// Close closes the folder at once, without waiting for the garbage collector. Nobody may be using
// it, but files that were opened in it can still be read.
func (f *Files) Close() {
	_ = f.root.Close() // opened read-only: close errors are harmless
	_ = f.dir.Close()
}

// find calls look with the folder. If that finds no file and another build is now at the path, find
// calls look with that build's folder. The error is ErrFolder if the folder is gone and no build is
// in its place, or if it cannot be read at the moment.
func (f *Files) find(look func(*os.Root) error) error {
	root := f.root
	for {
		err := look(root)
		if exhausted(err) {
			return fmt.Errorf("%w: %w", ErrFolder, err)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		next, openErr := os.OpenRoot(f.folder)
		if openErr != nil {
			return fmt.Errorf("%w: %v", ErrFolder, openErr)
		}
		defer func() { _ = next.Close() }() // opened read-only: a close error is harmless
		if sameFolder(root, next) {
			return err
		}
		if index := indexfile.InfoIn(next); !isFile(index) || f.refused(index) {
			if isFile(indexfile.InfoIn(root)) {
				return err
			}
			return fmt.Errorf("%w: it was removed, and what replaced it is not a build", ErrFolder)
		}
		root = next
	}
}

// exhausted reports whether an error is a temporary fault of the machine, not of a file.
func exhausted(err error) bool {
	faults := []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EIO}
	return slices.ContainsFunc(faults, func(fault error) bool { return errors.Is(err, fault) })
}

// sameFolder reports whether two folders are the same one.
func sameFolder(a, b *os.Root) bool {
	one, oneErr := a.Stat(".")
	other, otherErr := b.Stat(".")
	return oneErr == nil && otherErr == nil && os.SameFile(one, other)
}

// Stat describes a file or folder. The error is fs.ErrNotExist if there is none, or if its
// name is too long or leads outside. Any other error is a fault of the folder itself.
func (f *Files) Stat(name string) (info fs.FileInfo, err error) {
	err = f.find(func(root *os.Root) (err error) {
		info, err = root.Stat(name)
		return err
	})
	if err != nil && !errors.Is(err, ErrFolder) && !errors.Is(err, os.ErrClosed) {
		return nil, fs.ErrNotExist
	}
	return info, err
}

// StatPath describes the file that is now at a name, even if links lead outside the folder. It is
// faster than Stat, but must only be used to see whether a file that was read within the folder has
// changed.
func (f *Files) StatPath(name string) (fs.FileInfo, error) { return fs.Stat(os.DirFS(f.folder), name) }

// Open opens a regular file. The error is fs.ErrNotExist if there is none.
func (f *Files) Open(name string) (file *os.File, err error) {
	err = f.find(func(root *os.Root) (err error) {
		// Without O_NONBLOCK, opening a pipe would wait for a writer.
		if file, err = root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0); err != nil {
			return err
		}
		info, err := file.Stat()
		if err == nil && !info.Mode().IsRegular() {
			err = fs.ErrNotExist
		}
		if err != nil {
			_ = file.Close() // opened read-only: a close error is harmless
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open a page: %w", err)
	}
	return file, nil
}

// maxText is the size of the largest file that the MCP server sends as a resource, in bytes.
const maxText = 1 << 20

// readText returns the content of a file.
func (f *Files) readText(name string) ([]byte, error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // opened read-only: a close error is harmless
	text, err := io.ReadAll(io.LimitReader(file, maxText+1))
	if err == nil && len(text) > maxText {
		err = fmt.Errorf("%s is larger than %d bytes", name, maxText)
	}
	return text, err
}

func isFile(info fs.FileInfo) bool { return info != nil && info.Mode().IsRegular() }
