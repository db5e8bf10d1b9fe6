package artifact

import (
	"archive/tar"
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// OpenArchive unpacks an archive of Pack into an empty folder, without its manifest. If the file still
// has the name that Pack gave it, the files in it must be those that were packed.
func OpenArchive(ctx context.Context, name, folder string) (Build, error) {
	file, err := os.Open(name)
	if err != nil {
		return Build{}, err
	}
	defer func() { _ = file.Close() }() // opened read-only: a close error is harmless
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("this is not a file")
	}
	if err != nil {
		return Build{}, err
	}
	version, err := unpack(ctx, file, info.Size(), folder, info.ModTime())
	if err != nil {
		if isDisk(err) || ctx.Err() != nil {
			return Build{}, fmt.Errorf("unpack %s: %w", name, err)
		}
		return Build{}, fmt.Errorf("%s is incomplete, or not an archive of catalog pack: %v", name, err)
	}
	if packed, ok := versionIn(filepath.Base(name)); ok && packed != version {
		return Build{}, fmt.Errorf("%s is damaged: its files have the version %s", name, version)
	}
	return Build{Folder: folder, Version: version, Created: info.ModTime()}, nil
}

// Limits on an unpacked archive. Builds are about 5 to 30 times larger than their archives, and
// have a few files for each listing.
const (
	maxFiles = 4_000_000
	maxPath  = 1024
	// maxRatio is the greatest allowed ratio of unpacked to packed size. The first freeBytes do not
	// count.
	maxRatio  = 200
	freeBytes = 16 << 20
)

// errTooLarge means that an archive unpacks to more bytes than an archive of its size should.
var errTooLarge = fmt.Errorf(
	"it unpacks to more than %d times its size: this is not an archive of catalog pack", maxRatio)

// unpack writes the files of an archive into an empty folder, and returns their version. created
// becomes the time of all files. size is the size of the archive in bytes. Nothing is written
// outside the folder. If it fails, what has been written stays.
func unpack(
	ctx context.Context, archive io.Reader, size int64, folder string, created time.Time,
) (version string, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	decoder, err := zstd.NewReader(archive, zstd.WithDecoderMaxWindow(window), zstd.WithDecoderConcurrency(0))
	if err != nil {
		return "", err
	}
	defer decoder.Close()
	content := sha256.New()
	most := freeBytes + maxRatio*size
	stream := io.TeeReader(&limited{ctx: ctx, from: decoder, left: most}, content)
	if err := unpackTar(tar.NewReader(stream), root, most, created); err != nil {
		return "", err
	}
	if _, err := io.Copy(io.Discard, stream); err != nil { // bytes after the end are part of the version
		return "", err
	}
	return versionOf(content), nil
}

// limited is a reader that fails when ctx is cancelled, or when more than left bytes have been
// read.
type limited struct {
	ctx  context.Context
	from io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := l.from.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return n, errTooLarge
	}
	return n, err
}

// sparsePrefix begins the names of the PAX records of a sparse file. Its type is that of a regular
// file, but the reader fills its holes, so it can be far longer than its data in the archive.
const sparsePrefix = "GNU.sparse."

// unpackTar writes the files of a tar stream, whose total size must not exceed most bytes. They
// must be as Pack writes them: regular files, sorted by path.
func unpackTar(archive *tar.Reader, root *os.Root, most int64, created time.Time) error {
	last, made := "", map[string]bool{".": true}
	for count := 0; ; count++ {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if count == maxFiles {
			return fmt.Errorf("it has more than %d files", maxFiles)
		}
		if header.Typeflag != tar.TypeReg {
			const format = "%q is a link, a folder or another special file: an archive of catalog pack has only files"
			return fmt.Errorf(format, header.Name)
		}
		for key := range header.PAXRecords {
			if strings.HasPrefix(key, sparsePrefix) {
				return fmt.Errorf("%q is a sparse file: an archive of catalog pack has none", header.Name)
			}
		}
		if most -= header.Size; most < 0 {
			return errTooLarge
		}
		if err := checkPath(header.Name); err != nil {
			return err
		}
		if !inOrder(last, header.Name) {
			return fmt.Errorf("%q comes after %q: the files of catalog pack are sorted, and each comes once",
				header.Name, last)
		}
		last = header.Name
		if folder := path.Dir(header.Name); !made[folder] {
			if err := root.MkdirAll(folder, 0o755); err != nil {
				return err
			}
			made[folder] = true
		}
		if err := unpackFile(archive, root, header.Name, created); err != nil {
			return err
		}
	}
}

func unpackFile(content io.Reader, root *os.Root, name string, created time.Time) error {
	file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(file, 64<<10)
	_, err = io.Copy(buffered, content)
	if err = errors.Join(err, buffered.Flush(), file.Close()); err != nil {
		return err
	}
	return root.Chtimes(name, created, created)
}

// inOrder reports whether next comes after last in the order of fs.WalkDir, folder by folder.
func inOrder(last, next string) bool {
	return strings.ReplaceAll(last, "/", "\x00") < strings.ReplaceAll(next, "/", "\x00")
}
