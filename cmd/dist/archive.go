package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is a file or folder of an archive.
type file struct {
	name string // with slashes; folders end in one
	text []byte
	from string      // the file on disk that has the text, if it is long
	mode os.FileMode // the default is 0644, and 0755 for folders
	id   int         // of the user and the group that own it; 0 is root
}

// permissions returns the mode of a file.
func (f file) permissions() os.FileMode {
	switch {
	case f.mode != 0:
		return f.mode
	case strings.HasSuffix(f.name, "/"):
		return 0o755
	}
	return 0o644
}

// open returns the text of a file and its size.
func (f file) open() (io.ReadCloser, int64, error) {
	if f.from == "" {
		return io.NopCloser(bytes.NewReader(f.text)), int64(len(f.text)), nil
	}
	r, err := os.Open(f.from)
	if err != nil {
		return nil, 0, err
	}
	info, err := r.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, r.Close())
	}
	return r, info.Size(), nil
}

// sorted returns files by name, with the folders that they are in.
func sorted(files []file) []file {
	names := map[string]bool{}
	for _, f := range files {
		names[f.name] = true
	}
	all := slices.Clone(files)
	for _, f := range files {
		for dir := path.Dir(strings.TrimSuffix(f.name, "/")); dir != "."; dir = path.Dir(dir) {
			if !names[dir+"/"] {
				names[dir+"/"] = true
				all = append(all, file{name: dir + "/"})
			}
		}
	}
	slices.SortFunc(all, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return all
}

// writeTar writes files, sorted, as a tar archive. All have one time and no names of owners,
// so that the same files always give the same bytes.
func writeTar(w io.Writer, files []file, at time.Time) error {
	t := tar.NewWriter(w)
	for _, f := range sorted(files) {
		header := &tar.Header{Name: f.name, Mode: int64(f.permissions() & os.ModePerm), Uid: f.id, Gid: f.id, ModTime: at, Format: tar.FormatUSTAR, Typeflag: tar.TypeReg}
		if f.permissions()&os.ModeSticky != 0 {
			header.Mode |= 0o1000
		}
		if strings.HasSuffix(f.name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := copyInto(f, func(size int64) (io.Writer, error) {
			header.Size = size
			return t, t.WriteHeader(header)
		}); err != nil {
			return err
		}
	}
	return t.Close()
}

// writeTarGzip writes a compressed tar archive.
func writeTarGzip(w io.Writer, files []file, at time.Time) error {
	return compress(w, func(w io.Writer) error { return writeTar(w, files, at) })
}

// compress writes what a function writes, compressed by gzip, without a time.
func compress(w io.Writer, write func(io.Writer) error) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := write(z); err != nil {
		return err
	}
	return z.Close()
}

// writeZip writes a zip archive like writeTar.
func writeZip(w io.Writer, files []file, at time.Time) error {
	z := zip.NewWriter(w)
	for _, f := range sorted(files) {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		header.SetMode(f.permissions())
		if strings.HasSuffix(f.name, "/") {
			header.SetMode(f.permissions() | os.ModeDir)
			header.Method = zip.Store
		}
		if err := copyInto(f, func(int64) (io.Writer, error) { return z.CreateHeader(header) }); err != nil {
			return err
		}
	}
	return z.Close()
}

// copyInto copies the text of a file into the writer that begin returns.
func copyInto(f file, begin func(size int64) (io.Writer, error)) error {
	r, size, err := f.open()
	if err != nil {
		return err
	}
	w, err := begin(size)
	if err == nil && !strings.HasSuffix(f.name, "/") {
		_, err = io.Copy(w, r)
	}
	if err = errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("archive %s: %w", f.name, err)
	}
	return nil
}

// create writes a file.
func create(name string, write func(io.Writer) error) error {
	w, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(w), w.Close())
}

// writeArchive writes the archive of a platform. Its files are in a folder with the
// archive's name.
func (b *build) writeArchive(out string, p platform, program string, own, manuals []file) error {
	folder := b.name("_" + p.os + "_" + p.arch)
	files := []file{{name: folder + "/" + p.program(), from: program, mode: 0o755}}
	for _, f := range slices.Concat(own, manuals) {
		f.name = folder + "/" + f.name
		files = append(files, f)
	}
	write, end := writeTarGzip, ".tar.gz"
	if p.os == "windows" {
		write, end = writeZip, ".zip"
	}
	return create(filepath.Join(out, folder+end), func(w io.Writer) error { return write(w, files, b.revision.time) })
}

// checksums is the file that `sha256sum --check` reads.
const checksums = "SHA256SUMS"

// writeChecksums writes the checksums of all files of a folder into it.
func writeChecksums(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, e := range entries {
		r, err := os.Open(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		hash := sha256.New()
		_, err = io.Copy(hash, r)
		if err = errors.Join(err, r.Close()); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(&list, "%s  %s\n", hex.EncodeToString(hash.Sum(nil)), e.Name())
	}
	return os.WriteFile(filepath.Join(folder, checksums), []byte(list.String()), 0o644)
}
