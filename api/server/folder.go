package server

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// pages are the files of a build output folder.
//
// The folder is kept open, so that a request sees the files of one build. The next
// build may remove it before it is reloaded. Files that are gone are then looked for in
// the folder that is at the path now, if that can be a build. What is opened is always
// below the folder, whatever links or dots a path has (os.Root).
type pages struct {
	folder string
	root   *os.Root // the folder as it was opened
	// refused reports whether a build was refused.
	refused func(fingerprint) bool
}

func openPages(folder string, refused func(fingerprint) bool) (*pages, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open the folder of pages: %w", err)
	}
	return &pages{folder, root, refused}, nil
}

// close closes the folder at once, where nobody uses it. Files that were opened in it
// can be read on.
func (p *pages) close() { _ = p.root.Close() } // nothing was written

// find calls look with the folder. If that finds no file and another build is at the
// path now, find calls look with that. The error is errFolder if the folder is gone and
// no build is in its place, or if it cannot be read at the moment.
func (p *pages) find(look func(*os.Root) error) error {
	root := p.root
	for {
		err := look(root)
		if exhausted(err) {
			return fmt.Errorf("%w: %w", errFolder, err)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		next, openErr := os.OpenRoot(p.folder)
		if openErr != nil {
			return fmt.Errorf("%w: %w", errFolder, openErr)
		}
		defer func() { _ = next.Close() }() // nothing was written
		if sameFolder(root, next) {
			return err
		}
		if build := fingerprintIn(next); !build.isFile() || p.refused(build) {
			if fingerprintIn(root).isFile() {
				return err
			}
			return fmt.Errorf("%w: it was removed, and what replaced it is not a build", errFolder)
		}
		root = next
	}
}

// exhausted reports whether an error is the machine's, not that of a file. It may pass.
func exhausted(err error) bool {
	for _, e := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EIO} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// sameFolder reports whether two folders are the same one.
func sameFolder(a, b *os.Root) bool {
	one, err := a.Stat(".")
	if err != nil {
		return false
	}
	other, err := b.Stat(".")
	return err == nil && os.SameFile(one, other)
}

// fileKind is what a name in the folder stands for.
type fileKind int

const (
	nothing fileKind = iota
	regularFile
	folder
)

// kindOf returns what a name stands for. The error is that of the folder itself: a name
// that is too long or leads outside stands for nothing.
func (p *pages) kindOf(name string) (fileKind, error) {
	var info fs.FileInfo
	err := p.find(func(root *os.Root) (err error) {
		info, err = root.Stat(name)
		return err
	})
	switch {
	case errors.Is(err, errFolder), errors.Is(err, os.ErrClosed):
		return nothing, err
	case err != nil:
		return nothing, nil
	case info.IsDir():
		return folder, nil
	case info.Mode().IsRegular():
		return regularFile, nil
	}
	return nothing, nil // a pipe would be waited for
}

// open opens a regular file. The error is fs.ErrNotExist where there is none.
func (p *pages) open(name string) (file *os.File, err error) {
	err = p.find(func(root *os.Root) (err error) {
		// Without O_NONBLOCK, opening a pipe would wait for a writer.
		if file, err = root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0); err != nil {
			return err
		}
		info, err := file.Stat()
		if err == nil && !info.Mode().IsRegular() {
			err = fs.ErrNotExist
		}
		if err != nil {
			_ = file.Close() // nothing was written
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open a page: %w", err)
	}
	return file, nil
}
