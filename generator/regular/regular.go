// Package regular reads files that people put into a catalog: whole, where they are
// regular files of a bounded size, or not at all.
//
// In goes a path; out comes the text, or an error that says what the path leads to.
// A folder of content may come from anybody: a link to a device never ends, and a
// named pipe waits for a writer that never comes.
package regular

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Error tells that a file is there, and is not one that is read.
type Error struct {
	// Reason goes on from the name of the file: "is a folder: …".
	Reason string
}

// Error implements error.
func (e *Error) Error() string { return e.Reason }

// ReadFile returns the text of a regular file, or of one that a symbolic link
// leads to, of at most so many bytes. An *Error tells of any other file; other
// errors are those of the file system.
func ReadFile(name string, most int64) ([]byte, error) {
	f, size, err := open(name, most)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var text bytes.Buffer
	text.Grow(int(size) + bytes.MinRead)
	_, err = text.ReadFrom(io.LimitReader(f, most+1))
	if err == nil && int64(text.Len()) > most { // it has grown
		err = tooLarge(int64(text.Len()), most)
	}
	return text.Bytes(), err
}

// open opens a regular file and returns its size, at most so many bytes. Opening a device can have effects, so that it is looked
// at before; and after, as another file may have taken its place.
func open(name string, most int64) (*os.File, int64, error) {
	info, err := os.Stat(name)
	if err != nil {
		if link, linkErr := os.Lstat(name); linkErr == nil && link.Mode()&fs.ModeSymlink != 0 && errors.Is(err, fs.ErrNotExist) {
			return nil, 0, &Error{"is a link that leads nowhere: remove it, or let it lead to a file"}
		}
		return nil, 0, err
	}
	if err := check(info, most); err != nil {
		return nil, 0, err
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	if info, err = f.Stat(); err == nil {
		err = check(info, most)
	}
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// Dir is the file system of the regular files and folders below a folder. Opening a
// file that is no regular one, or larger than most bytes, gives a *fs.PathError with
// an *Error.
func Dir(folder string, most int64) fs.FS { return dir{folder, most} }

type dir struct {
	folder string
	most   int64
}

// Open implements fs.FS.
func (d dir) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	file := filepath.Join(d.folder, filepath.FromSlash(name))
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return os.Open(file)
	}
	f, _, err := open(file, d.most)
	if err == nil {
		return f, nil
	}
	if _, ok := errors.AsType[*fs.PathError](err); !ok {
		err = &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return nil, err
}

func check(info fs.FileInfo, most int64) error {
	if kind, ok := kinds[info.Mode().Type()]; ok {
		return &Error{fmt.Sprintf("is %s: only regular files are read", kind)}
	}
	if !info.Mode().IsRegular() {
		return &Error{"is no regular file: only regular files are read"}
	}
	if info.Size() > most {
		return tooLarge(info.Size(), most)
	}
	return nil
}

var kinds = map[fs.FileMode]string{
	fs.ModeDir: "a folder", fs.ModeNamedPipe: "a named pipe", fs.ModeSocket: "a socket",
	fs.ModeDevice: "a device", fs.ModeDevice | fs.ModeCharDevice: "a device",
}

func tooLarge(size, most int64) error {
	return &Error{fmt.Sprintf("has %d bytes: at most %d are allowed", size, most)}
}
