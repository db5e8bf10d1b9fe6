package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing/fstest"
	"time"
)

// tree is the content of an archive. All files have the same time and no owner, so that the
// same files always give the same bytes.
type tree struct {
	fstest.MapFS
	time time.Time
}

func newTree(at time.Time) tree { return tree{fstest.MapFS{}, at} }

// add adds a file or a folder, and the folders above it.
func (t tree) add(name string, text []byte, mode fs.FileMode) {
	t.MapFS[name] = &fstest.MapFile{Data: text, Mode: mode, ModTime: t.time}
	if folder := path.Dir(name); t.MapFS[folder] == nil && folder != "." {
		t.add(folder, nil, fs.ModeDir|0o755)
	}
}

// addFolder adds the files of a folder.
func (t tree) addFolder(folder string) error {
	return fs.WalkDir(os.DirFS(folder), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		t.add(name, text, 0o644)
		return err
	})
}

// tar writes a tar archive.
func (t tree) tar(w io.Writer) error {
	a := tar.NewWriter(w)
	return errors.Join(a.AddFS(t), a.Close())
}

// tarGzip writes a compressed tar archive.
func (t tree) tarGzip(w io.Writer) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	return errors.Join(t.tar(z), z.Close())
}

// zip writes a zip archive.
func (t tree) zip(w io.Writer) error {
	a := zip.NewWriter(w)
	return errors.Join(a.AddFS(t), a.Close())
}

// create writes a file.
func create(name string, write func(io.Writer) error) error {
	w, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(w), w.Close())
}

// writeArchive writes the archive of a platform: the program and the documents, in a folder with
// the archive's name.
func (b *build) writeArchive(out string, p platform, documents map[string][]byte) error {
	text, err := os.ReadFile(b.program(p))
	if err != nil {
		return err
	}
	folder := b.name("_" + p.os + "_" + p.arch)
	files := newTree(b.revision.time)
	files.add(folder+"/"+p.program(), text, 0o755)
	for name, text := range documents {
		files.add(folder+"/"+name, text, 0o644)
	}
	write, end := files.tarGzip, ".tar.gz"
	if p.os == "windows" {
		write, end = files.zip, ".zip"
	}
	return create(filepath.Join(out, folder+end), write)
}

// checksums is the file that `sha256sum --check` reads.
const checksums = "SHA256SUMS"

// writeChecksums writes the checksums of all files of a folder into that folder.
func writeChecksums(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(text), e.Name())
	}
	return os.WriteFile(filepath.Join(folder, checksums), []byte(list.String()), 0o644)
}
