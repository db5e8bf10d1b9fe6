// Package regular reads regular files of bounded size, and refuses all other files. It also refuses
// texts with a merge conflict.
//
// A content folder may come from anybody. Reading a link to a device might never end, and reading a
// named pipe might wait for a writer for ever.
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

// Error reports a file that is not regular or is too large, or a text with a merge conflict.
type Error struct {
	// Reason continues a sentence that begins with the file name: "is a folder: …".
	Reason string
	// Conflict is the line of the first conflict marker, from 1; 0 if there is none.
	Conflict int
}

// Error implements error.
func (e *Error) Error() string { return e.Reason }

// ReadFile returns the content of a regular file that is not larger than most bytes. It follows
// symbolic links. For other files, the error is an *Error; otherwise it comes from the file system.
func ReadFile(name string, most int64) ([]byte, error) {
	f, size, err := open(name, most)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text := bytes.NewBuffer(make([]byte, 0, int(size)+bytes.MinRead)) // Grow would write to all of it first
	_, err = text.ReadFrom(io.LimitReader(f, most+1))
	if err == nil && int64(text.Len()) > most { // the file has grown since it was checked
		err = tooLarge(int64(text.Len()), most)
	}
	return text.Bytes(), err
}

// open opens a regular file that is not larger than most bytes, and returns its size. It checks the
// file before opening it, because opening a device can have effects, and again afterwards, because
// the file may have been replaced in between.
func open(name string, most int64) (*os.File, int64, error) {
	info, err := os.Stat(name)
	if err != nil {
		if link, linkErr := os.Lstat(name); linkErr == nil && link.Mode()&fs.ModeSymlink != 0 &&
			errors.Is(err, fs.ErrNotExist) {
			return nil, 0, &Error{Reason: "is a link to a file that does not exist: change the link, or remove it"}
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

// Dir returns a file system with the regular files and folders below a folder. Opening anything
// else, or a file larger than most bytes, returns an *fs.PathError that wraps an *Error.
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
		return &Error{Reason: fmt.Sprintf("is %s: only regular files are read", kind)}
	}
	if !info.Mode().IsRegular() {
		return &Error{Reason: "is not a regular file: only regular files are read"}
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
	return &Error{Reason: fmt.Sprintf("has %d bytes: at most %d are allowed", size, most)}
}
