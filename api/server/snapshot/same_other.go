//go:build !unix

package snapshot

import "io/fs"

// AppendSame is not implemented on this system: every file is opened anew.
func (f *Files) AppendSame(dst []byte, _ string, _ fs.FileInfo) (content []byte, ok bool) {
	return dst, false
}
