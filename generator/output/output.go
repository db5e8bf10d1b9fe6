// Package output replaces the output folder with a new build. The folder is complete at every
// moment, and files that no build wrote are never deleted.
//
// Files are written to a staging folder beside the target, in any order and from many goroutines.
// Commit exchanges the two folders in one step on Linux (renameat2 with RENAME_EXCHANGE). If that
// is not possible, or if the target is a mount point or contains kept files, Commit moves files
// into the target one by one, the index last, and then removes old files. For targets that cannot
// be exchanged the staging folder is inside the target, so that files are never moved to another
// file system. Kept files are never moved. A killed build leaves a staging folder, which the next
// build removes.
//
// An unchanged file keeps its modification time.
package output

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"catalog.example/api"
	"catalog.example/api/parallel"
)

// Placeholder is a file that keeps an empty folder under version control. Builds
// leave it alone.
const Placeholder = ".gitkeep"

// stagedManifest is the name of the manifest in a staging folder.
const stagedManifest = Manifest + "-staged"

// lostAndFound is where fsck puts recovered files.
const lostAndFound = "lost+found"

// stagingInfix is a part of the names of staging folders: .<target>.catalog-<random>.
const stagingInfix = ".catalog-"

// innerStaging is the staging folder inside a target.
const innerStaging = ".catalog-staging"

// Target is the destination of a build.
type Target struct {
	// Folder is the output folder. It may be missing, or a link to a folder.
	Folder string
	// Last is the path (with slashes) of the file that readers open first. It is put in place after
	// all others, and is never a link to the old file, so that readers notice each build.
	Last string
	// Keep names files and folders (with slashes) that builds leave alone.
	Keep []string
}

// Stage is the output of a build before Commit.
type Stage struct {
	Target
	target       string   // absolute
	dir          string   // of the staged files
	lock         *os.File // on dir; nil after Commit or Abort
	stagedBeside bool     // dir is beside the target, not inside it
	previous     manifest // of the target when the build began

	mu      sync.Mutex
	written manifest
}

// Begin starts a build. It fails if the output folder contains files that no build
// wrote and that are not kept.
func Begin(target Target) (*Stage, error) {
	s, err := Look(target)
	if err == nil {
		err = s.Open()
	}
	return s, err
}

// Look does the part of Begin that writes nothing. Open must follow.
func Look(target Target) (*Stage, error) {
	s := &Stage{Target: target}
	if err := s.look(); err != nil {
		return nil, fmt.Errorf("output folder %s: %w", target.Folder, withRemedy(err))
	}
	return s, nil
}

// Open starts a build after Look.
func (s *Stage) Open() error {
	err := os.MkdirAll(filepath.Dir(s.target), 0o755)
	if err == nil {
		s.cleanUp()
		err = s.openStaging()
	}
	if err != nil {
		return fmt.Errorf("output folder %s: %w", s.Folder, withRemedy(err))
	}
	return nil
}

func (s *Stage) look() (err error) {
	if s.target, err = filepath.Abs(s.Folder); err != nil {
		return err
	}
	// If the target is a link to a folder, that folder is replaced.
	resolved, err := filepath.EvalSymlinks(s.target)
	if err == nil {
		s.target = resolved
	} else if leadsTo, linkErr := os.Readlink(s.target); linkErr == nil {
		return fmt.Errorf("it is a link to %s, which does not exist: create that folder, or remove the link", leadsTo)
	}
	if info, err := os.Stat(s.target); err == nil && !info.IsDir() {
		return errors.New("it is a file: choose a folder with --out, or move the file away")
	}
	s.previous, _, err = s.scan()
	s.written = make(manifest, len(s.previous))
	return err
}

// scan returns the manifest of what builds wrote to the target, and the kept entries. Any other
// entry is an error.
func (s *Stage) scan() (previous manifest, kept []string, err error) {
	previous, exists, err := readManifest(s.target)
	if err != nil {
		return nil, nil, err
	}
	in := &scanned{Stage: s, previous: previous, folders: previous.folders()}
	for level := []string{"."}; len(level) > 0; {
		var mu sync.Mutex
		var below []string
		err = parallel.Each(context.Background(), runtime.GOMAXPROCS(0), len(level), func(i int) error {
			entries, err := os.ReadDir(s.targetPath(level[i]))
			if isNotExist(err) {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			for _, e := range entries {
				if name := path.Join(level[i], e.Name()); in.add(name, e) {
					below = append(below, name)
				}
			}
			return err
		})
		if err != nil {
			return previous, in.kept, err
		}
		level = below
	}
	if slices.Sort(in.foreign); len(in.foreign) > 0 {
		err = s.foreignFilesError(in.foreign, exists)
	}
	return previous, in.kept, err
}

// scanned has the entries of a target.
type scanned struct {
	*Stage
	previous      manifest
	folders       map[string]bool // those with files of previous
	kept, foreign []string
}

// add adds an entry. It reports whether those below it are needed, too.
func (s *scanned) add(name string, e fs.DirEntry) bool {
	_, written := s.previous[name]
	written = written && e.Type()&^fs.ModeSymlink == 0 // reading a pipe would block
	switch {
	case e.IsDir() && s.folders[name], !e.IsDir() && written:
		return e.IsDir()
	case e.Type().IsRegular() && (name == Manifest || name == Placeholder):
	case e.IsDir() && slices.ContainsFunc(s.Keep, func(k string) bool { return isBelow(k, name) }):
		s.kept = append(s.kept, name)
		return true // it contains kept entries
	case name == innerStaging && e.IsDir():
	case e.Name() == lostAndFound, slices.Contains(s.Keep, name), isBelowAny(name, s.Keep):
		s.kept = append(s.kept, name)
	case e.IsDir():
		s.foreign = append(s.foreign, name+"/")
	default:
		s.foreign = append(s.foreign, name)
	}
	return false
}

// isBelow reports whether a path is below a folder.
func isBelow(name, folder string) bool { return strings.HasPrefix(name, folder+"/") }

func isBelowAny(name string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return isBelow(name, f) })
}

// maxNamed bounds the entries that an error message names.
const maxNamed = 10

// foreignFilesError names the entries that no build wrote, and says what to do.
func (s *Stage) foreignFilesError(foreign []string, hasManifest bool) error {
	remedy := fmt.Sprintf("catalog deletes only files that it wrote: move these away, "+
		"choose another folder with --out, or add them to the setting keep, which is [%s]", strings.Join(s.Keep, ", "))
	if _, err := os.Stat(filepath.Join(s.target, filepath.FromSlash(s.Last))); err == nil && !hasManifest {
		remedy += "; if an older version of catalog wrote all of them, empty the folder and build again"
	}
	return fmt.Errorf("no build wrote %s: %s", listOf(foreign), remedy)
}

// listOf returns entries as an error message names them.
func listOf(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	return api.List(quoted, maxNamed)
}

// withRemedy adds the remedy to an error of the file system.
func withRemedy(err error) error {
	is := func(cause error) bool { return errors.Is(err, cause) }
	switch {
	case is(syscall.ENOSPC), is(syscall.EDQUOT), is(syscall.EFBIG):
		return fmt.Errorf("%w; free some space on the disk, raise the limit of this user, "+
			"or choose a folder on another disk with --out", err)
	case is(syscall.EROFS):
		return fmt.Errorf("%w; the disk is read-only: choose a folder on another disk with --out", err)
	case is(fs.ErrPermission):
		return fmt.Errorf("%w; this user is not allowed to write there: change the permissions of the folder or "+
			"of its parent, or choose another folder with --out", err)
	case is(syscall.ENOTDIR):
		return fmt.Errorf("%w; a part of the path is a file, not a folder: choose another folder with --out", err)
	}
	return err
}

// openStaging creates a staging folder. The folder is beside the target if the two can be exchanged
// and the parent is writable.
func (s *Stage) openStaging() error {
	parent, name := filepath.Split(s.target)
	if !canExchange(s.target, parent) {
		return s.openInnerStaging()
	}
	failure := errors.New("other builds for the same folder keep removing the staging folder: " +
		"wait until they have finished")
	for range lockAttempts {
		dir, err := os.MkdirTemp(parent, "."+name+stagingInfix+"*") // MkdirTemp replaces the last *
		if err != nil {
			if s.openInnerStaging() == nil {
				return nil
			}
			return err
		}
		lock, err := lockFolder(dir, false)
		if err == nil && isSameFolder(lock, dir) {
			s.dir, s.stagedBeside, s.lock = dir, true, lock
			return os.Chmod(dir, 0o755)
		}
		if err != nil {
			failure = err
		}
		_ = lock.Close()
		_ = os.Remove(dir) // another build removed it, because it was not locked yet
	}
	return failure
}

// openInnerStaging makes the staging folder inside the target.
func (s *Stage) openInnerStaging() error {
	dir := filepath.Join(s.target, innerStaging)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	lock, err := lockFolder(dir, false)
	if err != nil {
		return errors.New("another build is writing to it: wait until it has finished")
	}
	s.dir, s.lock = dir, lock
	return nil
}

// lockAttempts bounds the attempts to lock a folder. Even a second attempt is rare.
const lockAttempts = 10

// isSameFolder reports whether a path still leads to an open folder.
func isSameFolder(open *os.File, dir string) bool {
	a, err := open.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(dir)
	return err == nil && os.SameFile(a, b)
}

// cleanUp removes the staging folders of killed builds, which are not locked.
func (s *Stage) cleanUp() {
	parent, name := filepath.Split(s.target)
	// os.MkdirTemp makes names that end in digits.
	staging := regexp.MustCompile(`^\.` + regexp.QuoteMeta(name+stagingInfix) + `[0-9]+$`)
	leftovers := []string{filepath.Join(s.target, innerStaging)}
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		if staging.MatchString(e.Name()) {
			leftovers = append(leftovers, filepath.Join(parent, e.Name()))
		}
	}
	for _, dir := range leftovers {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() { // such as a link
			continue
		}
		lock, err := lockFolder(dir, false)
		if err != nil {
			continue
		}
		// A folder with a manifest may be an old target.
		if _, err := os.Lstat(filepath.Join(dir, Manifest)); errors.Is(err, fs.ErrNotExist) {
			_ = os.RemoveAll(dir)
		} else {
			_ = retire(dir)
		}
		_ = lock.Close()
	}
}

// retire removes a folder that was the target: the files of its manifest, and then
// the manifest. If it contains other files, it stays, and retire returns an error.
func retire(dir string) error {
	previous, _, err := readManifest(dir)
	if err != nil {
		return err
	}
	if err := previous.remove(dir, nil); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(dir, Placeholder)); err != nil && !isNotExist(err) { // the new target has a copy
		return err
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range left {
		if e.Name() != Manifest {
			return fmt.Errorf(
				"the build is in the output folder, but somebody put %q into that folder during the build, "+
					"and it is now in %s: move it to where it belongs", e.Name(), dir)
		}
	}
	return errors.Join(os.Remove(filepath.Join(dir, Manifest)), os.Remove(dir))
}

// Write stages a file; name is its path below the target, with slashes. The parts of its content are
// written one after the other. It is safe for concurrent use.
func (s *Stage) Write(name string, parts ...[]byte) error {
	if !IsFileName(name) {
		return fmt.Errorf("write %q: it is not the path of a file in the output folder", name)
	}
	file := filepath.Join(s.dir, filepath.FromSlash(name))
	sum := sumOf(parts...)
	if err := s.write(name, file, sum, parts); err != nil {
		return fmt.Errorf("output folder %s: write %s: %w", s.Folder, name, withRemedy(err))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.written[name] = sum
	return nil
}

func (s *Stage) write(name, file, sum string, parts [][]byte) error {
	old := s.unchangedFile(name, sum, parts)
	if old != nil && name != s.Last && old.Mode().Perm() == 0o644 {
		if linked, err := linkFile(s.targetPath(name), file, old); linked || err != nil {
			return err
		}
	}
	if err := WriteNew(file, parts...); err != nil {
		return err
	}
	if old != nil {
		return os.Chtimes(file, time.Time{}, old.ModTime())
	}
	return nil
}

func (s *Stage) targetPath(name string) string {
	return filepath.Join(s.target, filepath.FromSlash(name))
}

// unchangedFile returns the old file if it has this content, or nil.
func (s *Stage) unchangedFile(name, sum string, parts [][]byte) fs.FileInfo {
	if previous := s.previous[name]; previous != sum && previous != unknownSum {
		return nil
	}
	info, err := os.Lstat(s.targetPath(name))
	if err != nil || !info.Mode().IsRegular() || info.Size() != sizeIn(sum) {
		return nil
	}
	old, err := os.ReadFile(s.targetPath(name)) // read the file, because somebody may have edited it
	for _, part := range parts {
		var same bool
		if old, same = bytes.CutPrefix(old, part); !same {
			return nil
		}
	}
	if err != nil || len(old) > 0 {
		return nil
	}
	return info
}

// link makes a hard link to a file. It makes missing folders.
func link(from, to string) error {
	err := os.Link(from, to)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	folder := filepath.Dir(to)
	if err := os.Mkdir(folder, 0o755); err != nil && os.MkdirAll(folder, 0o755) != nil { // most often its parent exists
		return err
	}
	return os.Link(from, to)
}

// linkFile makes a hard link to a file, if the file system supports that and
// the file was not replaced meanwhile. It makes missing folders.
func linkFile(from, to string, file fs.FileInfo) (linked bool, err error) {
	if link(from, to) != nil {
		return false, nil
	}
	if info, err := os.Lstat(to); err == nil && os.SameFile(info, file) {
		return true, nil
	}
	return false, os.Remove(to)
}

// WriteNew writes a new file. It replaces an existing one, which may be a hard link, and makes missing
// folders. Most often neither is needed.
func WriteNew(name string, parts ...[]byte) error {
	create := func() (*os.File, error) { return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) }
	file, err := create()
	switch {
	case errors.Is(err, fs.ErrExist):
		err = os.Remove(name)
	case errors.Is(err, fs.ErrNotExist):
		err = os.MkdirAll(filepath.Dir(name), 0o755)
	}
	if err == nil && file == nil {
		file, err = create()
	}
	if err != nil {
		return err
	}
	if len(parts) == 1 {
		_, err = file.Write(parts[0])
		return errors.Join(err, file.Close())
	}
	out := bufio.NewWriterSize(file, 64<<10)
	for _, part := range parts {
		_, _ = out.Write(part) // Flush returns the first error
	}
	return errors.Join(out.Flush(), file.Close())
}

// Conflicts returns the names that cannot be staged beside the staged files. For each of them, it
// returns the staged file that conflicts: one of the same name, a folder of the new file, or a file
// below it. It ignores case, as some file systems do.
func (s *Stage) Conflicts(names []string) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	staged := map[string]string{} // staged file by each path in lower case, including folders
	for _, name := range slices.Sorted(maps.Keys(s.written)) {
		for part := strings.ToLower(name); part != "."; part = path.Dir(part) {
			if _, ok := staged[part]; !ok {
				staged[part] = name
			}
		}
	}
	conflicts := map[string]string{}
	for _, name := range names {
		for part := strings.ToLower(name); part != "."; part = path.Dir(part) {
			if other, ok := staged[part]; ok && (len(part) == len(name) || strings.ToLower(other) == part) {
				conflicts[name] = other
			}
		}
	}
	return conflicts
}

// Written returns how many files and bytes have been staged.
func (s *Stage) Written() (files, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sum := range s.written {
		bytes += sizeIn(sum)
	}
	return int64(len(s.written)), bytes
}

// Changes are the files in which a build differs from the one before, each sorted by path.
type Changes struct{ New, Changed, Gone []string }

// Changes returns what a commit changed.
func (s *Stage) Changes() (c Changes) {
	for _, name := range slices.Sorted(maps.Keys(s.previous.union(s.written))) {
		switch before, after := s.previous[name], s.written[name]; {
		case before == "":
			c.New = append(c.New, name)
		case after == "":
			c.Gone = append(c.Gone, name)
		case before != after:
			c.Changed = append(c.Changed, name)
		}
	}
	return c
}

// Commit puts the staged files in place. After an error the target still holds the old build. If
// files had to be moved one by one, it holds complete files of both builds, and the old index.
func (s *Stage) Commit() error {
	defer s.Abort()
	if err := s.commit(); err != nil {
		return fmt.Errorf("output folder %s: %w", s.Folder, withRemedy(err))
	}
	return nil
}

func (s *Stage) commit() error {
	if err := WriteNew(filepath.Join(s.dir, stagedManifest), s.written.encode()); err != nil {
		return err
	}
	if err := syncFolder(s.dir); err != nil {
		return err
	}
	lock, err := lockTarget(s.target)
	if errors.Is(err, fs.ErrNotExist) {
		return s.commitFirst()
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	previous, kept, err := s.scan()
	if err != nil {
		return err
	}
	s.previous = previous // another build may have been committed first
	if err := s.checkConflicts(previous, kept); err != nil {
		return err
	}
	if s.stagedBeside && len(kept) == 0 {
		if done, err := s.swap(); done || err != nil {
			return err
		}
	}
	return s.moveFiles(previous)
}

// commitFirst makes the staging folder the target if there is none.
func (s *Stage) commitFirst() error {
	if err := os.Rename(filepath.Join(s.dir, stagedManifest), filepath.Join(s.dir, Manifest)); err != nil {
		return err
	}
	if err := os.Rename(s.dir, s.target); err != nil {
		return err
	}
	s.release()
	return syncFolder(filepath.Dir(s.target))
}

// lockTarget locks the folder at a path. It waits for other builds to commit.
func lockTarget(dir string) (*os.File, error) {
	for range lockAttempts {
		lock, err := lockFolder(dir, true)
		if err != nil {
			return nil, err
		}
		if isSameFolder(lock, dir) {
			return lock, nil
		}
		_ = lock.Close()
	}
	return nil, errors.New("other builds keep replacing it: wait until they have finished")
}

// checkConflicts returns an error if staged files would replace kept files.
func (s *Stage) checkConflicts(previous manifest, kept []string) error {
	if len(kept) == 0 {
		return nil
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(s.written)) {
		if _, written := previous[name]; written {
			continue
		}
		info, err := os.Lstat(s.targetPath(name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err == nil && info.IsDir() &&
			!slices.ContainsFunc(kept, func(k string) bool { return k == name || isBelow(k, name) }):
		case errors.Is(err, syscall.ENOTDIR) && !isBelowAny(name, kept):
		default:
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("the build writes %s, but the setting keep protects a file there that no build wrote: "+
		"remove that file, or change the setting", listOf(names))
}

// swap exchanges the staging folder and the target. done is false if the kernel or
// the file system does not support that.
func (s *Stage) swap() (done bool, err error) {
	placeholder, err := os.ReadFile(filepath.Join(s.target, Placeholder))
	if err == nil {
		err = WriteNew(filepath.Join(s.dir, Placeholder), placeholder)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	// cleanUp removes staging folders without a manifest completely. The old target
	// must have one.
	if _, err := os.Lstat(s.targetPath(Manifest)); errors.Is(err, fs.ErrNotExist) {
		if err := WriteNew(s.targetPath(Manifest), nil); err != nil {
			return false, err
		}
	}
	if err := os.Rename(filepath.Join(s.dir, stagedManifest), filepath.Join(s.dir, Manifest)); err != nil {
		return false, err
	}
	if err := exchange(s.dir, s.target); err != nil {
		// Not supported: files are moved instead.
		return false, os.Rename(filepath.Join(s.dir, Manifest), filepath.Join(s.dir, stagedManifest))
	}
	// s.dir is now the old build; the lock is on the new one.
	s.release()
	if err := syncFolder(filepath.Dir(s.target)); err != nil {
		return true, err
	}
	return true, retire(s.dir)
}

// moveFiles moves the staged files into the target one by one, s.Last last, and then
// removes old files. Meanwhile the manifest lists the files of both builds.
func (s *Stage) moveFiles(previous manifest) error {
	const unionManifest = Manifest + "-of-both"
	if err := WriteNew(filepath.Join(s.dir, unionManifest), previous.union(s.written).encode()); err != nil {
		return err
	}
	if err := syncFolder(s.dir); err != nil {
		return err
	}
	if err := s.moveFile(unionManifest, Manifest, previous); err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(s.written))
	if i := slices.Index(names, s.Last); i >= 0 {
		names = append(slices.Delete(names, i, i+1), s.Last)
	}
	for _, name := range names {
		if err := s.moveFile(name, name, previous); err != nil {
			return err
		}
	}
	if err := syncFolder(s.target); err != nil {
		return err
	}
	if err := previous.remove(s.target, s.written); err != nil {
		return err
	}
	return s.moveFile(stagedManifest, Manifest, previous)
}

// moveFile moves a staged file into the target.
func (s *Stage) moveFile(from, to string, previous manifest) error {
	staged, destination := filepath.Join(s.dir, filepath.FromSlash(from)), s.targetPath(to)
	move := func() error {
		if err := os.MkdirAll(filepath.Dir(destination), 0o755); err != nil {
			return err
		}
		return os.Rename(staged, destination)
	}
	if move() == nil {
		return nil
	}
	inTheWay := manifest{} // old files where there is a folder now, or the other way round
	for name, sum := range previous {
		if isBelow(name, to) || isBelow(to, name) {
			inTheWay[name] = sum
		}
	}
	if err := inTheWay.remove(s.target, nil); err != nil {
		return err
	}
	return move()
}

// Abort removes the staging folder and leaves the target as it is. After Commit it
// does nothing.
func (s *Stage) Abort() {
	if s.lock != nil {
		_ = os.RemoveAll(s.dir)
		s.release()
	}
}

// release unlocks the staging folder. Afterwards another build may use its path.
func (s *Stage) release() {
	_ = s.lock.Close()
	s.lock = nil
}
