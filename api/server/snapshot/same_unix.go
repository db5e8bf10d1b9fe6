//go:build unix

package snapshot

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// AppendSame appends the content of a file to dst, if the file in the folder is still the one that
// was, judging by identity, size and time. It does not look whether links lead outside the folder: a
// file that was read within it may be read again. ok is false if the file is another one or cannot
// be read. It makes the fewest system calls, and no os.File.
func (f *Files) AppendSame(dst []byte, name string, was fs.FileInfo) (content []byte, ok bool) {
	before, isUnix := was.Sys().(*syscall.Stat_t)
	if !isUnix || !fs.ValidPath(name) {
		return dst, false
	}
	control, err := f.dir.SyscallConn()
	if err != nil {
		return dst, false
	}
	content = dst
	err = control.Control(func(folder uintptr) { content, ok = appendSame(dst, int(folder), name, was, before) })
	return content, ok && err == nil
}

func appendSame(dst []byte, folder int, name string, was fs.FileInfo, before *syscall.Stat_t) ([]byte, bool) {
	// Without O_NONBLOCK, opening a pipe would wait for a writer.
	file, err := retry(func() (int, error) {
		return unix.Openat(folder, name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return dst, false
	}
	defer func() { _ = unix.Close(file) }() // opened read-only: a close error is harmless
	var now unix.Stat_t
	if _, err := retry(func() (int, error) { return 0, unix.Fstat(file, &now) }); err != nil {
		return dst, false
	}
	changed := time.Unix(now.Mtim.Unix()) // the fields have other types on other systems
	if now.Dev != before.Dev || now.Ino != before.Ino || now.Size != was.Size() || !changed.Equal(was.ModTime()) {
		return dst, false
	}
	begin, end := len(dst), len(dst)+int(now.Size)
	dst = slices.Grow(dst, int(now.Size))
	for read := begin; read < end; {
		n, err := retry(func() (int, error) { return unix.Read(file, dst[read:end]) })
		if err != nil || n == 0 {
			return dst, false
		}
		read += n
	}
	return dst[:end], true
}

// retry makes a system call again if a signal interrupted it.
func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
