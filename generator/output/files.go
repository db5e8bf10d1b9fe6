package output

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// WriteFile replaces a file atomically: it writes a temporary file beside it, syncs
// and renames. The permissions of an existing file are kept. If name is a symbolic link,
// WriteFile replaces the file that the link leads to.
func WriteFile(name string, content []byte) error {
	if resolved, err := filepath.EvalSymlinks(name); err == nil {
		name = resolved
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	write := func(f *os.File) error {
		_, err := f.Write(content)
		return errors.Join(err, f.Chmod(mode), f.Sync())
	}
	if err := replace(name, "."+filepath.Base(name)+".*", write); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(name))
}

// Text is a file to write.
type Text struct {
	Name    string
	Content []byte
}

// Patch has new texts of files in a folder, and files to remove from it.
type Patch struct {
	Dir     string
	Files   []Text   // in the order in which they are written; their names are below Dir, with slashes
	Removes []string // such names
}

// Path returns the path of a file.
func (p *Patch) Path(name string) string { return filepath.Join(p.Dir, filepath.FromSlash(name)) }

// Write adds the new text of a file, unless the file has it already.
func (p *Patch) Write(name string, text []byte) {
	if before, err := os.ReadFile(p.Path(name)); err != nil || !bytes.Equal(before, text) {
		p.Files = append(p.Files, Text{name, text})
	}
}

// Apply writes and removes the files. If it fails or ctx ends, it restores the folder, as Replace does.
func (p *Patch) Apply(ctx context.Context) error {
	files, removes := slices.Clone(p.Files), slices.Clone(p.Removes)
	for i := range files {
		files[i].Name = p.Path(files[i].Name)
	}
	for i := range removes {
		removes[i] = p.Path(removes[i])
	}
	return Replace(ctx, files, removes)
}

// Replace writes files, each in one step, and then removes others. Missing folders are made. If it fails or
// ctx ends, it restores the contents of files; the error also says what could not be restored.
func Replace(ctx context.Context, files []Text, removes []string) error {
	var undo []func() error
	fail := func(err error) error {
		for _, u := range slices.Backward(undo) {
			err = errors.Join(err, u())
		}
		return err
	}
	for _, f := range files {
		before, err := os.ReadFile(f.Name)
		switch {
		case ctx.Err() != nil:
			return fail(context.Cause(ctx))
		case errors.Is(err, fs.ErrNotExist):
			undo = append(undo, func() error {
				if err := os.Remove(f.Name); !errors.Is(err, fs.ErrNotExist) {
					return err
				}
				return nil
			})
			err = os.MkdirAll(filepath.Dir(f.Name), 0o755)
		case err == nil:
			undo = append(undo, func() error { return WriteFile(f.Name, before) })
		}
		if err == nil {
			err = WriteFile(f.Name, f.Content)
		}
		if err != nil {
			return fail(err)
		}
	}
	for _, name := range removes {
		before, err := os.ReadFile(name)
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err == nil {
			err = os.Remove(name)
		}
		if err != nil {
			return fail(err)
		}
		undo = append(undo, func() error { return WriteFile(name, before) })
	}
	return nil
}

// newCached is the pattern of the temporary files of WriteCached.
const newCached = ".new-*"

// leftAfter is the age after which a temporary file in a cache must come from a killed program.
const leftAfter = time.Hour

// WriteCached writes a file in a cache folder. It does so atomically, because other builds may read
// the file. It does not wait for the disk, because readers check the file.
func WriteCached(dir, name string, write func(io.Writer) error) error {
	return replace(filepath.Join(dir, name), newCached, func(f *os.File) error { return write(f) })
}

// replace makes a temporary file whose name follows a pattern, calls write with it, and renames it.
func replace(name, pattern string, write func(*os.File) error) error {
	temp, err := os.CreateTemp(filepath.Dir(name), pattern)
	if err != nil {
		return err
	}
	if err = errors.Join(write(temp), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		_ = os.Remove(temp.Name()) // the first error matters
	}
	return err
}

// CacheFolder creates a cache folder, unless it exists, with a .gitignore that keeps it out of
// repositories. It removes files that killed builds have left in the folder.
func CacheFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	left, _ := fs.Glob(os.DirFS(dir), newCached) // the pattern is valid
	for _, name := range left {
		file := filepath.Join(dir, name)
		if info, err := os.Lstat(file); err == nil && time.Since(info.ModTime()) > leftAfter {
			_ = os.Remove(file) // the next build tries again
		}
	}
	ignore := filepath.Join(dir, ".gitignore")
	if _, err := os.Stat(ignore); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return WriteFile(ignore, []byte("*\n"))
}

// CopyFolder makes a copy of a folder, with hard links where that is possible: write to it with WriteNew only. It
// follows symbolic links, as builds do, but not to one of the folders around them.
func CopyFolder(from, to string) error { return copyFolder(from, to) }

// copyFolder is CopyFolder. above has the folders around.
func copyFolder(from, to string, above ...fs.FileInfo) error {
	folder, err := os.Stat(from)
	if err != nil {
		return err
	}
	above = append(above, folder)
	entries, err := os.ReadDir(from)
	if err == nil {
		err = os.MkdirAll(to, 0o755)
	}
	for _, e := range entries {
		if err != nil {
			return err
		}
		file, copied := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		info, missing := os.Stat(file)
		switch {
		case missing == nil && slices.ContainsFunc(above, func(x fs.FileInfo) bool { return os.SameFile(x, info) }):
		case missing != nil: // lint tells of links that lead nowhere
		case info.IsDir():
			err = copyFolder(file, copied, above...)
		case info.Mode().IsRegular() && (!e.Type().IsRegular() || os.Link(file, copied) != nil):
			var text []byte
			if text, err = os.ReadFile(file); err == nil {
				err = os.WriteFile(copied, text, 0o600)
			}
		}
	}
	return err
}
