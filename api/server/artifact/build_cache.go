package artifact

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// buildCache is a folder that keeps builds:
//
//	lock                    locked by the process that uses the folder
//	current.json            the manifest of the last build that was served
//	builds/<version>/       the files of a build
//	downloads/<sha256>      an archive, or the beginning of one
type buildCache struct {
	folder string
	lock   *os.File
}

const (
	currentName   = "current.json"
	buildsName    = "builds"
	downloadsName = "downloads"
	newPattern    = ".new-*" // incomplete files and folders
)

// ErrCacheInUse means that another process has locked the cache.
var ErrCacheInUse = errors.New("another process uses the cache")

// openBuildCache makes the folder if it is missing, and locks it.
func openBuildCache(folder string) (*buildCache, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"", buildsName, downloadsName} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o755); err != nil {
			return nil, fmt.Errorf("the cache of builds: %w; choose another folder with --cache", err)
		}
	}
	file, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("the cache of builds: %w; choose another folder with --cache", err)
	}
	if err := lock(file); err != nil {
		_ = file.Close() // nothing was written: a close error is harmless
		return nil, fmt.Errorf("%w %s: give each process its own folder with --cache", ErrCacheInUse, folder)
	}
	return &buildCache{folder, file}, nil
}

// current returns the manifest of the last build that was served, or nil if there is none. parse parses and verifies
// it.
func (c *buildCache) current(parse func([]byte) (*BuildManifest, error)) (*BuildManifest, error) {
	text, err := os.ReadFile(filepath.Join(c.folder, currentName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m, err := parse(text)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// keep stores the manifest of the build in use.
func (c *buildCache) keep(m *BuildManifest) error {
	text, err := m.encode()
	if err != nil {
		return err
	}
	return replaceFile(c.folder, currentName, text)
}

func (c *buildCache) buildFolder(version string) string {
	return filepath.Join(c.folder, buildsName, version)
}

// kept returns the folder of a build in the cache, or "" if it is missing. It reads all files, so
// that a build that was changed or damaged on disk is not used.
func (c *buildCache) kept(ctx context.Context, m *BuildManifest) string {
	folder := c.buildFolder(m.Version)
	if version, err := VersionOf(ctx, folder); err != nil || version != m.Version {
		return ""
	}
	return folder
}

// fetch returns the folder of the build that a manifest describes. If the cache does not have it,
// fetch downloads, verifies and unpacks the archive. A refusedError means that the archive does not
// match the manifest.
func (c *buildCache) fetch(ctx context.Context, origin *client, m *BuildManifest) (folder string, err error) {
	if folder := c.kept(ctx, m); folder != "" {
		return folder, nil
	}
	archive, err := c.archive(ctx, origin, m)
	if err != nil {
		return "", err
	}
	defer func() {
		err = errors.Join(err, archive.Close())
		if _, refused := errors.AsType[*refusedError](err); refused || err == nil {
			err = errors.Join(err, os.Remove(archive.Name()))
		}
	}()
	return c.unpack(ctx, archive, m)
}

// archive returns the verified archive of a manifest. If an earlier, partial download turns out to
// be wrong, the archive is downloaded again from the beginning.
func (c *buildCache) archive(ctx context.Context, origin *client, m *BuildManifest) (*os.File, error) {
	name := filepath.Join(c.folder, downloadsName, m.SHA256)
	c.removeOthers(downloadsName, m.SHA256)
	for {
		file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
		if err != nil {
			return nil, err
		}
		info, err := file.Stat()
		begun := err == nil && info.Size() > 0
		if err == nil {
			err = origin.download(ctx, m, file)
		}
		if err == nil {
			err = verifyArchive(file, m)
		}
		if err == nil {
			return file, nil
		}
		_ = file.Close() // err is the error that matters
		if _, refused := errors.AsType[*refusedError](err); !refused {
			return nil, err
		}
		if err := errors.Join(err, os.Remove(name)); !begun {
			return nil, err
		}
	}
}

// verifyArchive checks the size and the hash, and goes back to the beginning of the file.
func verifyArchive(file *os.File, m *BuildManifest) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(sum, file)
	if err != nil {
		return err
	}
	if n != m.Size {
		return refused("%s has more than the %d bytes that the manifest states", m.Archive, m.Size)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != m.SHA256 {
		return refused("%s has the SHA-256 %s, but the manifest states %s", m.Archive, got, m.SHA256)
	}
	_, err = file.Seek(0, io.SeekStart)
	return err
}

// unpack unpacks a verified archive next to the builds, and then renames the folder.
func (c *buildCache) unpack(ctx context.Context, archive io.Reader, m *BuildManifest) (string, error) {
	fresh, err := os.MkdirTemp(filepath.Join(c.folder, buildsName), newPattern)
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(fresh) }() // already renamed if all went well
	version, err := unpack(ctx, archive, m.Size, fresh, m.CreatedTime())
	switch {
	case err != nil && (isDisk(err) || ctx.Err() != nil):
		return "", fmt.Errorf("unpack %s: %w", m.Archive, err)
	case err != nil:
		return "", refused("%s: %v", m.Archive, err)
	case version != m.Version:
		return "", refused("the files of %s have the version %s, not that of the manifest", m.Archive, version)
	}
	if err := os.Chmod(fresh, 0o755); err != nil {
		return "", err
	}
	folder := c.buildFolder(m.Version)
	if err := os.RemoveAll(folder); err != nil { // a damaged copy, if any
		return "", err
	}
	return folder, os.Rename(fresh, folder)
}

// isDisk reports whether an error is the fault of this machine's disk. The archive is at fault if a
// path is too long or is both a file and a folder, or if the disk treats two paths as the same.
func isDisk(err error) bool {
	faults := []error{fs.ErrExist, syscall.ENOTDIR, syscall.EISDIR, syscall.ENAMETOOLONG}
	_, isPath := errors.AsType[*fs.PathError](err)
	return isPath && !slices.ContainsFunc(faults, func(fault error) bool { return errors.Is(err, fault) })
}

// removeOthers removes all entries of a folder except the named ones. Entries that cannot be
// removed stay until the next time.
func (c *buildCache) removeOthers(folder string, names ...string) {
	entries, err := os.ReadDir(filepath.Join(c.folder, folder))
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !slices.Contains(names, entry.Name()) {
			_ = os.RemoveAll(filepath.Join(c.folder, folder, entry.Name()))
		}
	}
}

// replaceFile writes a file atomically.
func replaceFile(folder, name string, content []byte) error {
	file, err := os.CreateTemp(folder, newPattern)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }() // already renamed if all went well
	_, err = file.Write(content)
	if err == nil {
		err = file.Chmod(0o644)
	}
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), filepath.Join(folder, name))
}
