// Package output writes a build's files so that the folder it writes to is
// whole at every moment, and so that nothing is lost that no build wrote.
//
// In go files, in any order and from many goroutines; they are written to a
// staging folder beside the target. Commit makes the staging folder the target
// in one step where the kernel can exchange two folders (Linux, renameat2 with
// RENAME_EXCHANGE). Where it cannot, where the target is a mount point, and where
// the target holds something that is to be kept, files are moved into the target
// one by one, the index last, and files of the build before are then removed.
// What is kept is never moved. A build that is killed leaves a staging folder,
// which the next build removes.
//
// A file whose bytes did not change keeps its modification time.
package output

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Placeholder is a file in the target that is not the build's: it keeps the
// folder under version control, and a build leaves it alone.
const Placeholder = ".gitkeep"

// stagedManifest is the manifest as long as the folder is only staged.
const stagedManifest = Manifest + "-staged"

// lostAndFound is where a check of the file system puts what it has found.
const lostAndFound = "lost+found"

// stagingInfix marks staging folders: .<target>.catalog-<random>.
const stagingInfix = ".catalog-"

// insideStaging is where files are staged where the target's own folder cannot
// hold a staging folder beside it.
const insideStaging = ".catalog-staging"

// Target is where a build goes.
type Target struct {
	// Folder is the output folder. It may be missing, and a link to a folder.
	Folder string
	// Last is the file (with slashes) that readers look at first: it is put in
	// place after all others, and it is another file after each build, even with
	// the same bytes, so that readers notice the build.
	Last string
	// Keep names files and folders (with slashes) that builds leave alone.
	Keep []string
}

// Stage is a build's output before it is in place.
type Stage struct {
	Target
	target string   // absolute
	dir    string   // staging folder, absolute
	lock   *os.File // held as long as the build lives; nil inside a target
	beside bool     // staging lies beside the target, not inside it
	done   bool     // Commit or Abort has ended the build
	was    manifest // of the build before, when this one began

	folders sync.Map // folders that exist
	mu      sync.Mutex
	written manifest
	bytes   int64
}

// Begin prepares to replace the output folder. One with anything in it that no
// build wrote and that is not kept is refused.
func Begin(to Target) (*Stage, error) {
	s := &Stage{Target: to, written: manifest{}}
	if err := s.begin(); err != nil {
		return nil, fmt.Errorf("output folder %s: %w", to.Folder, explained(err))
	}
	return s, nil
}

func (s *Stage) begin() (err error) {
	if s.target, err = filepath.Abs(s.Folder); err != nil {
		return err
	}
	// A link to a folder stays a link: what it leads to is replaced.
	resolved, err := filepath.EvalSymlinks(s.target)
	if err == nil {
		s.target = resolved
	} else if leadsTo, linkErr := os.Readlink(s.target); linkErr == nil {
		return fmt.Errorf("it is a link to %s, where there is no folder: make that folder, or remove the link", leadsTo)
	}
	if info, err := os.Stat(s.target); err == nil && !info.IsDir() {
		return errors.New("it is a file: name a folder with --out, or move the file away")
	}
	if s.was, _, err = s.survey(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.target), 0o755); err != nil {
		return err
	}
	s.cleanUp()
	return s.openStaging()
}

// survey returns what builds wrote to the target, and what else is in it and is
// kept. Anything beyond that is an error.
func (s *Stage) survey() (was manifest, kept []string, err error) {
	was, exists, err := readManifest(s.target)
	if err != nil {
		return nil, nil, err
	}
	folders := map[string]bool{}
	for _, folder := range was.folders() {
		folders[folder] = true
	}
	var foreign []string
	err = filepath.WalkDir(s.target, func(file string, e fs.DirEntry, err error) error {
		if isGone(err) {
			return nil // or was never there
		}
		if err != nil || file == s.target {
			return err
		}
		rel, err := filepath.Rel(s.target, file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		_, written := was[name]
		written = written && e.Type()&^fs.ModeSymlink == 0 // no pipe, which is waited for
		switch {
		case e.IsDir() && folders[name], !e.IsDir() && written, e.Type().IsRegular() && (name == Manifest || name == Placeholder):
			return nil
		case e.IsDir() && slices.ContainsFunc(s.Keep, func(k string) bool { return strings.HasPrefix(k, name+"/") }):
			kept = append(kept, name)
			return nil // what is kept lies in it
		case name == insideStaging && e.IsDir():
		case e.Name() == lostAndFound, slices.ContainsFunc(s.Keep, func(k string) bool { return name == k || strings.HasPrefix(name, k+"/") }):
			kept = append(kept, name)
		case e.IsDir():
			foreign = append(foreign, name+"/")
		default:
			foreign = append(foreign, name)
		}
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	if err == nil && len(foreign) > 0 {
		err = s.refusal(foreign, exists)
	}
	return was, kept, err
}

// mostNamed is how many of the entries that no build wrote a message names.
const mostNamed = 10

// refusal tells what in the target no build wrote, and what to do.
func (s *Stage) refusal(foreign []string, hasManifest bool) error {
	named := make([]string, min(len(foreign), mostNamed))
	for i := range named {
		named[i] = fmt.Sprintf("%q", foreign[i])
	}
	list := strings.Join(named, ", ")
	if more := len(foreign) - len(named); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	remedy := fmt.Sprintf("catalog deletes nothing that it did not write: move it away, name another folder with --out, or add it to the setting keep, which is [%s]", strings.Join(s.Keep, ", "))
	if _, err := os.Stat(filepath.Join(s.target, filepath.FromSlash(s.Last))); err == nil && !hasManifest {
		remedy += "; if an earlier version of catalog, which kept no " + Manifest + ", wrote them all, empty the folder and build again"
	}
	return fmt.Errorf("no build wrote %s: %s", list, remedy)
}

// explained says what to do about an error of the file system.
func explained(err error) error {
	for _, e := range []struct {
		remedy string
		causes []error
	}{
		{"there is no more room: free some space on the disk, or raise the limit of this user, or name a folder on another disk with --out", []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}},
		{"the disk is read-only: name a folder on another disk with --out", []error{syscall.EROFS}},
		{"this user may not write there: change the rights of the folder or of the one around it, or name another folder with --out", []error{fs.ErrPermission}},
		{"a part of the path is a file: name another folder with --out", []error{syscall.ENOTDIR}},
	} {
		if slices.ContainsFunc(e.causes, func(cause error) bool { return errors.Is(err, cause) }) {
			return fmt.Errorf("%w; %s", err, e.remedy)
		}
	}
	return err
}

// openStaging makes a staging folder beside the target, or inside it where the
// folder around it cannot be written.
func (s *Stage) openStaging() error {
	parent, name := filepath.Split(s.target)
	failure := errors.New("other builds for the same folder keep removing the staging folder: wait until they are done")
	if isMountPoint(s.target, parent) {
		return s.openInside() // from beside, every file would have to be copied
	}
	for range lockAttempts {
		dir, err := os.MkdirTemp(parent, "."+name+stagingInfix+"*") // the last * is the random part, whatever the name holds
		if err != nil {
			if insideErr := s.openInside(); insideErr != nil {
				return fmt.Errorf("%w; nor can files be staged in the folder itself: %w", err, insideErr)
			}
			return nil
		}
		// A build that begins at this moment may take the folder, which nobody holds
		// yet, for a leftover and remove it.
		lock, err := lockFolder(dir, false)
		if err != nil {
			failure = err
			_ = os.Remove(dir)
			continue
		}
		if !isStill(lock, dir) {
			_ = lock.Close()
			continue
		}
		s.dir, s.beside, s.lock = dir, true, lock
		return os.Chmod(dir, 0o755)
	}
	return failure
}

// openInside makes the staging folder inside the target.
func (s *Stage) openInside() error {
	s.dir = filepath.Join(s.target, insideStaging)
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return err
	}
	lock, err := lockFolder(s.dir, false)
	if err != nil {
		s.dir = "" // it is another build's
		return errors.New("another build is writing to it: wait until it is done")
	}
	s.lock = lock
	return nil
}

// lockAttempts is how often a staging folder is tried for: a second try is rare,
// a third next to impossible.
const lockAttempts = 10

// isStill tells whether an open folder is still the one of that path.
func isStill(open *os.File, dir string) bool {
	a, err := open.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(dir)
	return err == nil && os.SameFile(a, b)
}

// cleanUp removes what killed builds have left. A staging folder that a living
// build holds is left alone.
func (s *Stage) cleanUp() {
	parent, name := filepath.Split(s.target)
	leftovers, _ := filepath.Glob(filepath.Join(escapeGlob(parent), escapeGlob("."+name+stagingInfix)+"*"))
	for _, dir := range append(leftovers, filepath.Join(s.target, insideStaging)) {
		if !isStaging(dir) {
			continue
		}
		lock, err := lockFolder(dir, false)
		if err != nil {
			continue
		}
		// With a manifest it may be what was the target before.
		if _, err := os.Lstat(filepath.Join(dir, Manifest)); errors.Is(err, fs.ErrNotExist) {
			_ = os.RemoveAll(dir)
		} else {
			_ = retire(dir)
		}
		_ = lock.Close()
	}
}

// isStaging reports whether a path is that of a staging folder, and not of something
// that is only called like one: a link, or a copy with a name of its own. The random
// part of a name is digits (os.MkdirTemp).
func isStaging(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	name := filepath.Base(dir)
	random := name[strings.LastIndexByte(name, '-')+1:]
	return name == insideStaging || random != "" && strings.Trim(random, "0123456789") == ""
}

func escapeGlob(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}

// retire removes a folder that was the target: what its manifest lists, and then
// the manifest. If there is anything else, it is an error, and the folder stays.
func retire(dir string) error {
	was, _, err := readManifest(dir)
	if err != nil {
		return err
	}
	if err := was.remove(dir, nil); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(dir, Placeholder)); err != nil && !isGone(err) { // the new target has its own
		return err
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range left {
		if e.Name() != Manifest {
			return fmt.Errorf("the build is in place, but %q was put into the folder meanwhile, and is in %s now: move it to where it belongs", e.Name(), dir)
		}
	}
	return errors.Join(os.Remove(filepath.Join(dir, Manifest)), os.Remove(dir))
}

// Write stages a file; name is its path below the target, with slashes. It is
// safe for concurrent use.
func (s *Stage) Write(name string, content []byte) error {
	if !isFileName(name) {
		return fmt.Errorf("write %q: not a path of a file below the output folder", name)
	}
	file := filepath.Join(s.dir, filepath.FromSlash(name))
	sum := sumOf(content)
	if err := s.write(name, file, sum, content); err != nil {
		return fmt.Errorf("output folder %s: write %s: %w", s.Folder, name, explained(err))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.written[name] = sum
	s.bytes += int64(len(content))
	return nil
}

func (s *Stage) write(name, file, sum string, content []byte) error {
	if folder := path.Dir(name); folder != "." {
		if _, exists := s.folders.Load(folder); !exists {
			// Most folders are new ones in a folder that exists: MkdirAll asks first.
			if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					return err
				}
			}
			s.folders.Store(folder, true)
		}
	}
	old := s.unchanged(name, sum, content)
	if old != nil && name != s.Last && old.Mode().Perm() == 0o644 {
		if linked, err := linkFile(s.inTarget(name), file, old); linked || err != nil {
			return err
		}
	}
	if err := writeNew(file, content); err != nil {
		return err
	}
	if old != nil {
		return os.Chtimes(file, time.Time{}, old.ModTime())
	}
	return nil
}

func (s *Stage) inTarget(name string) string {
	return filepath.Join(s.target, filepath.FromSlash(name))
}

// unchanged returns the file of the build before, if it holds those bytes, or nil.
func (s *Stage) unchanged(name, sum string, content []byte) fs.FileInfo {
	if was := s.was[name]; was != sum && was != unsure {
		return nil
	}
	f, err := os.Open(s.inTarget(name))
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(content)) || !holds(f, content) {
		return nil
	}
	return info
}

// compareBuffers are *[32 << 10]byte: what is compared at a time.
var compareBuffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// holds reports whether a reader begins with these bytes.
func holds(r io.Reader, content []byte) bool {
	buffer := compareBuffers.Get().(*[32 << 10]byte)
	defer compareBuffers.Put(buffer)
	for len(content) > 0 {
		part := buffer[:min(len(buffer), len(content))]
		if _, err := io.ReadFull(r, part); err != nil || !bytes.Equal(part, content[:len(part)]) {
			return false
		}
		content = content[len(part):]
	}
	return true
}

// linkFile gives a file a second name, where the file system can. A file that
// took its place meanwhile is not taken.
func linkFile(from, to string, file fs.FileInfo) (linked bool, err error) {
	if os.Link(from, to) != nil {
		return false, nil
	}
	if info, err := os.Lstat(to); err == nil && os.SameFile(info, file) {
		return true, nil
	}
	return false, os.Remove(to)
}

// writeNew writes a file that shares nothing with one that has this name already.
func writeNew(name string, content []byte) error {
	create := func() (*os.File, error) {
		return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	}
	f, err := create()
	if errors.Is(err, fs.ErrExist) {
		if err := os.Remove(name); err != nil {
			return err
		}
		f, err = create()
	}
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// Written returns how many files and bytes have been staged.
func (s *Stage) Written() (files, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(len(s.written)), s.bytes
}

// Commit puts the staged files in place. After an error the target is whole:
// the old build, or, where files had to be moved one by one, whole files of
// both builds with the old index.
func (s *Stage) Commit() error {
	defer s.Abort()
	if err := s.commit(); err != nil {
		return fmt.Errorf("output folder %s: %w", s.Folder, explained(err))
	}
	return nil
}

func (s *Stage) commit() error {
	if err := writeNew(filepath.Join(s.dir, stagedManifest), s.written.text()); err != nil {
		return err
	}
	if err := syncFolder(s.dir); err != nil {
		return err
	}
	lock, err := lockStill(s.target)
	if errors.Is(err, fs.ErrNotExist) {
		return s.first()
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	was, kept, err := s.survey()
	if err != nil {
		return err
	}
	if err := s.conflict(was, kept); err != nil {
		return err
	}
	if s.beside && len(kept) == 0 {
		if done, err := s.swap(); done || err != nil {
			return err
		}
	}
	return s.moveIn(was)
}

// first makes the staging folder the target where there is none.
func (s *Stage) first() error {
	if err := os.Rename(filepath.Join(s.dir, stagedManifest), filepath.Join(s.dir, Manifest)); err != nil {
		return err
	}
	if err := os.Rename(s.dir, s.target); err != nil {
		return err
	}
	s.ended()
	return syncFolder(filepath.Dir(s.target))
}

// lockStill locks the folder that stands at a path, once other builds have put
// theirs in place.
func lockStill(dir string) (*os.File, error) {
	for range lockAttempts {
		lock, err := lockFolder(dir, true)
		if err != nil {
			return nil, err
		}
		if isStill(lock, dir) {
			return lock, nil
		}
		_ = lock.Close()
	}
	return nil, errors.New("other builds keep replacing it: wait until they are done")
}

// conflict tells which staged files would take the place of what is kept.
func (s *Stage) conflict(was manifest, kept []string) error {
	if len(kept) == 0 {
		return nil
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(s.written)) {
		if _, ours := was[name]; ours {
			continue
		}
		info, err := os.Lstat(s.inTarget(name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err == nil && info.IsDir() && !slices.ContainsFunc(kept, func(k string) bool { return k == name || strings.HasPrefix(k, name+"/") }):
		case errors.Is(err, syscall.ENOTDIR) && !slices.ContainsFunc(kept, func(k string) bool { return strings.HasPrefix(name, k+"/") }):
		default:
			names = append(names, fmt.Sprintf("%q", name))
		}
	}
	if len(names) == 0 {
		return nil
	}
	more := ""
	if len(names) > mostNamed {
		more = fmt.Sprintf(" and %d more", len(names)-mostNamed)
		names = names[:mostNamed]
	}
	return fmt.Errorf("the build writes %s%s, where the setting keep leaves a file alone that no build wrote: remove that file, or have the build write none of that name", strings.Join(names, ", "), more)
}

// swap makes the staging folder the target in one step. done is false where
// the kernel or the file system cannot do so.
func (s *Stage) swap() (done bool, err error) {
	placeholder, err := os.ReadFile(filepath.Join(s.target, Placeholder))
	if err == nil {
		err = writeNew(filepath.Join(s.dir, Placeholder), placeholder)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	// A staging folder without a manifest is a half-staged build, and is removed
	// whatever it holds. What was the target must have one.
	if _, err := os.Lstat(s.inTarget(Manifest)); errors.Is(err, fs.ErrNotExist) {
		if err := writeNew(s.inTarget(Manifest), nil); err != nil {
			return false, err
		}
	}
	if err := os.Rename(filepath.Join(s.dir, stagedManifest), filepath.Join(s.dir, Manifest)); err != nil {
		return false, err
	}
	if err := exchange(s.dir, s.target); err != nil {
		// That is no failure: files are moved instead.
		return false, os.Rename(filepath.Join(s.dir, Manifest), filepath.Join(s.dir, stagedManifest))
	}
	// The staging folder now holds the old build; the lock travelled with the
	// new one.
	s.ended()
	if err := syncFolder(filepath.Dir(s.target)); err != nil {
		return true, err
	}
	return true, retire(s.dir)
}

// moveIn moves the staged files into the target one by one, the last file last,
// and then removes the files of earlier builds. At every moment the manifest
// lists all files of both.
func (s *Stage) moveIn(was manifest) error {
	const ofBoth = Manifest + "-of-both"
	if err := writeNew(filepath.Join(s.dir, ofBoth), was.union(s.written).text()); err != nil {
		return err
	}
	if err := syncFolder(s.dir); err != nil {
		return err
	}
	if err := s.moveFile(ofBoth, Manifest, was); err != nil {
		return err
	}
	for _, folder := range s.written.folders() {
		if err := s.makeFolder(folder, was); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.written)) {
		if name == s.Last {
			continue
		}
		if err := s.moveFile(name, name, was); err != nil {
			return err
		}
	}
	if _, ok := s.written[s.Last]; ok {
		if err := s.moveFile(s.Last, s.Last, was); err != nil {
			return err
		}
	}
	if err := syncFolder(s.target); err != nil {
		return err
	}
	if err := was.remove(s.target, s.written); err != nil {
		return err
	}
	return s.moveFile(stagedManifest, Manifest, was)
}

// makeFolder makes a folder in the target; a file of an earlier build that is
// in its way is removed.
func (s *Stage) makeFolder(name string, was manifest) error {
	if _, isFile := was[name]; isFile {
		if info, err := os.Lstat(s.inTarget(name)); err == nil && !info.IsDir() {
			if err := os.Remove(s.inTarget(name)); err != nil {
				return err
			}
		}
	}
	return os.MkdirAll(s.inTarget(name), 0o755)
}

// moveFile moves a staged file into the target. A folder of an earlier build that
// is in its way is removed.
func (s *Stage) moveFile(from, to string, was manifest) error {
	staged, place := filepath.Join(s.dir, filepath.FromSlash(from)), s.inTarget(to)
	if info, err := os.Lstat(place); err == nil && info.IsDir() {
		below := manifest{}
		for name, sum := range was {
			if strings.HasPrefix(name, to+"/") {
				below[name] = sum
			}
		}
		err := errors.Join(below.remove(s.target, nil), os.MkdirAll(filepath.Dir(place), 0o755))
		if err != nil {
			return err
		}
	}
	err := os.Rename(staged, place)
	if err == nil || !isCrossDevice(err) {
		return err
	}
	// Copied first, so that the file is whole when it is in place. What a killed
	// build leaves of that is removed like a staging folder.
	inside := filepath.Join(s.target, insideStaging)
	if err := os.MkdirAll(inside, 0o755); err != nil {
		return err
	}
	copied := filepath.Join(inside, "copied")
	if err := copyFile(staged, copied); err != nil {
		return err
	}
	if err := os.Rename(copied, place); err != nil {
		return err
	}
	return os.Remove(inside)
}

// copyFile copies a file with its modification time, and syncs it.
func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := WriteFile(to, content); err != nil {
		return err
	}
	return os.Chtimes(to, time.Time{}, info.ModTime())
}

// Abort removes the staging folder and leaves the target as it is. It may be
// called after Commit, and does nothing then.
func (s *Stage) Abort() {
	if s.done || s.dir == "" {
		return
	}
	_ = os.RemoveAll(s.dir)
	s.ended()
}

// ended lets go of the staging folder: what stands there from now on is another
// build's.
func (s *Stage) ended() {
	s.done = true
	if s.lock != nil {
		_ = s.lock.Close()
		s.lock = nil
	}
}

// WriteLinked is WriteFile for a name that may be a symbolic link: the link stays,
// and what it leads to is replaced.
func WriteLinked(name string, content []byte) error {
	if resolved, err := filepath.EvalSymlinks(name); err == nil {
		name = resolved
	}
	return WriteFile(name, content)
}

// WriteFile replaces one file at once: it writes beside it, syncs and renames.
// An existing file keeps its permissions.
func WriteFile(name string, content []byte) error {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	temp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(content)
	err = errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), name); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(name))
}
