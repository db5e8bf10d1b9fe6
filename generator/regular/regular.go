// Package regular reads files that people put into a catalog: whole, where they are
// regular files of a bounded size, or not at all.
//
// In goes a path; out comes the text, or an error that says what the path leads to.
// A folder of content may come from anybody: a link to a device never ends, and a
// named pipe waits for a writer that never comes.
package regular

import (
	"fmt"
	"io"
	"io/fs"
	"os"
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
	// Opening a device can have effects, so that it is looked at before; and after,
	// as another file may have taken its place.
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if err := check(info, most); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // #nosec G304 -- the caller's files
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if err := check(info, most); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most { // it has grown
		err = tooLarge(int64(len(text)), most)
	}
	return text, err
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
