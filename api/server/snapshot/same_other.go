//go:build !unix

package snapshot

import (
	"io"
	"io/fs"
	"slices"

	"catalog.example/api/server/indexfile"
)

// AppendSame appends the content of a file to dst, if the file in the folder is still the one that
// was, judging by identity, size and time. ok is false if the file is another one or cannot be read.
func (f *Files) AppendSame(dst []byte, name string, was fs.FileInfo) (content []byte, ok bool) {
	file, err := f.root.Open(name)
	if err != nil {
		return dst, false
	}
	defer func() { _ = file.Close() }() // opened read-only: a close error is harmless
	is, err := file.Stat()
	if err != nil || !indexfile.SameFile(was, is) {
		return dst, false
	}
	begin, size := len(dst), int(is.Size())
	content = slices.Grow(dst, size)[:begin+size]
	if _, err := io.ReadFull(file, content[begin:]); err != nil {
		return dst, false
	}
	return content, true
}
