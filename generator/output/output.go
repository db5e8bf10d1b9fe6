// Package output writes a build's files so that the folder it writes to is
// whole at every moment.
//
// In go files, in any order and from many goroutines; they are written to a
// staging folder beside the target. Commit makes the staging folder the target
// in one step where the kernel can exchange two folders (Linux, renameat2 with
// RENAME_EXCHANGE); where it cannot, or the target is a mount point, files are
// moved into the target one by one, the index last, and files of the build
// before are then removed. A build that is killed leaves the old target and a
// staging folder, which the next build removes.
package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

// Placeholder is the one file in the target that is not the build's: it keeps
// the folder under version control, and a build leaves it alone.
const Placeholder = ".gitkeep"

// stagingInfix marks staging folders: .<target>.catalog-<random>.
const stagingInfix = ".catalog-"

// insideStaging is where files are staged where the target's own folder cannot
// hold a staging folder beside it.
const insideStaging = ".catalog-staging"

// unfinished marks a target into which a build has moved files but not yet its
// index. Without it, what a killed first build has left would look like files
// that no build has written, and every build after it would be refused.
const unfinished = ".catalog-unfinished"

// Stage is a build's output before it is in place.
type Stage struct {
	target  string   // absolute
	dir     string   // staging folder, absolute
	lock    *os.File // held as long as the build lives; nil inside a target
	last    string   // file that is put in place last, slash-separated
	marker  string   // file by which an earlier build's output is recognised
	beside  bool     // staging lies beside the target, not inside it
	done    bool     // Commit or Abort has ended the build
	folders sync.Map // folders that exist
	files   atomic.Int64
	bytes   atomic.Int64
}

// Begin prepares to replace the folder target. last is the file (with slashes)
// that readers look at first: it is put in place after all others, and it marks
// a folder as the output of an earlier build. A target with other things in it
// is refused, so that a mistyped path costs nothing.
func Begin(target, last string) (*Stage, error) {
	abs, err := filepath.Abs(target)
	if err != nil {
		return nil, fmt.Errorf("output folder %s: %w", target, err)
	}
	// A link to a folder stays a link: what it leads to is replaced.
	if resolved, err := filepath.EvalSymlinks(abs); err == nil {
		abs = resolved
	}
	s := &Stage{target: abs, last: last, marker: last}
	if err := s.checkTarget(target); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(abs), 0o755); err != nil { // #nosec G301 -- public files
		return nil, fmt.Errorf("output folder %s: %w", target, err)
	}
	s.cleanUp()
	if err := s.openStaging(); err != nil {
		return nil, fmt.Errorf("output folder %s: %w", target, err)
	}
	return s, nil
}

// checkTarget refuses a target that is no folder, or that holds what no build
// has written.
func (s *Stage) checkTarget(shown string) error {
	entries, err := os.ReadDir(s.target)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("output folder %s: %w", shown, err)
	}
	for _, mark := range []string{filepath.FromSlash(s.marker), unfinished} {
		if _, err := os.Stat(filepath.Join(s.target, mark)); err == nil {
			return nil
		}
	}
	for _, e := range entries {
		if e.Name() != Placeholder && e.Name() != insideStaging && e.Name() != "lost+found" {
			return fmt.Errorf("output folder %s holds %q, which no build has written: name an empty folder, or empty this one", shown, e.Name())
		}
	}
	return nil
}

// openStaging makes a staging folder beside the target, or inside it where the
// folder around it cannot be written.
func (s *Stage) openStaging() error {
	parent, name := filepath.Split(s.target)
	failure := errors.New("other builds for the same folder keep removing the staging folder: wait until they are done")
	if onOtherDevice(s.target, parent) {
		return s.openInside() // from beside, every file would have to be copied
	}
	for range lockAttempts {
		dir, err := os.MkdirTemp(parent, "."+name+stagingInfix+"*") // the last * is the random part, whatever the name holds
		if err != nil {
			if insideErr := s.openInside(); insideErr != nil {
				return errors.Join(err, insideErr)
			}
			return nil
		}
		// A build that begins at this moment may take the folder, which nobody holds
		// yet, for a leftover and remove it.
		lock, err := lockFolder(dir)
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
		return os.Chmod(dir, 0o755) // #nosec G302 -- public files
	}
	return failure
}

// openInside makes the staging folder inside the target.
func (s *Stage) openInside() error {
	s.dir = filepath.Join(s.target, insideStaging)
	if err := os.MkdirAll(s.dir, 0o755); err != nil { // #nosec G301 -- public files
		return err
	}
	lock, err := lockFolder(s.dir)
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
		lock, err := lockFolder(dir)
		if err != nil {
			continue
		}
		_ = os.RemoveAll(dir)
		_ = lock.Close()
	}
}

func escapeGlob(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}

// Write stages a file; name is its path below the target, with slashes. It is
// safe for concurrent use.
func (s *Stage) Write(name string, content []byte) error {
	if !fs.ValidPath(name) || name == "." {
		return fmt.Errorf("write %q: not a path below the output folder", name)
	}
	file := filepath.Join(s.dir, filepath.FromSlash(name))
	if folder := path.Dir(name); folder != "." {
		if _, exists := s.folders.Load(folder); !exists {
			// Most folders are new ones in a folder that exists: MkdirAll asks first.
			if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil { // #nosec G301 -- public files
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { // #nosec G301 -- public files
					return fmt.Errorf("write %s: %w", name, err)
				}
			}
			s.folders.Store(folder, true)
		}
	}
	if err := os.WriteFile(file, content, 0o644); err != nil { // #nosec G306 -- public files
		return fmt.Errorf("write %s: %w", name, err)
	}
	s.files.Add(1)
	s.bytes.Add(int64(len(content)))
	return nil
}

// Written returns how many files and bytes have been staged.
func (s *Stage) Written() (files, bytes int64) { return s.files.Load(), s.bytes.Load() }

// Commit puts the staged files in place. After an error the target is whole:
// the old build, or, where files had to be moved one by one, whole files of
// both builds with the old index.
func (s *Stage) Commit() error {
	if err := s.commit(); err != nil {
		s.Abort()
		return fmt.Errorf("put the build in place at %s: %w", s.target, err)
	}
	s.done = true
	return nil
}

func (s *Stage) commit() error {
	if err := syncFolder(s.dir); err != nil {
		return err
	}
	if s.beside {
		done, err := s.swap()
		if done || err != nil {
			return err
		}
	}
	if err := s.moveIn(); err != nil {
		return err
	}
	s.Abort() // only empty folders are left in it
	return nil
}

// swap makes the staging folder the target in one step. done is false where
// the kernel or the file system cannot do so.
func (s *Stage) swap() (done bool, err error) {
	if _, statErr := os.Lstat(s.target); errors.Is(statErr, fs.ErrNotExist) {
		if err := os.Rename(s.dir, s.target); err != nil {
			return false, err
		}
		s.release()
		return true, syncFolder(filepath.Dir(s.target))
	}
	placeholder, err := os.ReadFile(filepath.Join(s.target, Placeholder))
	if err == nil {
		if err := os.WriteFile(filepath.Join(s.dir, Placeholder), placeholder, 0o644); err != nil { // #nosec G306 G703 -- public files
			return false, err
		}
	}
	if err := exchange(s.dir, s.target); err != nil {
		return false, nil //nolint:nilerr // an exchange that cannot be is no failure: files are moved instead
	}
	// The staging folder now holds the old build; the lock travelled with the
	// new one.
	s.release()
	if err := syncFolder(filepath.Dir(s.target)); err != nil {
		return true, err
	}
	return true, os.RemoveAll(s.dir)
}

// moveIn moves the staged files into the target one by one, the marker last,
// and then removes the files of earlier builds.
func (s *Stage) moveIn() error {
	if err := os.MkdirAll(s.target, 0o755); err != nil { // #nosec G301 -- public files
		return err
	}
	if err := os.WriteFile(filepath.Join(s.target, unfinished), nil, 0o644); err != nil { // #nosec G306 -- public files
		return err
	}
	fresh := map[string]bool{Placeholder: true, "lost+found": true}
	err := filepath.WalkDir(s.dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(s.dir, file)
		if err != nil || rel == "." {
			return err
		}
		fresh[filepath.ToSlash(rel)] = true
		switch {
		case e.IsDir():
			return s.makeFolder(rel)
		case filepath.ToSlash(rel) == s.last:
			return nil
		}
		return s.moveFile(rel)
	})
	if err != nil {
		return err
	}
	if fresh[s.last] {
		if err := s.moveFile(filepath.FromSlash(s.last)); err != nil {
			return err
		}
	}
	if err := syncFolder(s.target); err != nil {
		return err
	}
	return s.removeStale(fresh)
}

// makeFolder makes a folder in the target; a file of an earlier build that is
// in its way is removed.
func (s *Stage) makeFolder(rel string) error {
	folder := filepath.Join(s.target, rel)
	if info, err := os.Lstat(folder); err == nil && !info.IsDir() {
		if err := os.Remove(folder); err != nil {
			return err
		}
	}
	return os.MkdirAll(folder, 0o755) // #nosec G301 -- public files
}

// moveFile moves a staged file into the target, through a copy beside its place
// where the staging folder lies on another file system.
func (s *Stage) moveFile(rel string) error {
	from, to := filepath.Join(s.dir, rel), filepath.Join(s.target, rel)
	if info, err := os.Lstat(to); err == nil && info.IsDir() {
		if err := os.RemoveAll(to); err != nil {
			return err
		}
	}
	err := os.Rename(from, to)
	if err == nil || !isCrossDevice(err) {
		return err
	}
	content, err := os.ReadFile(from) // #nosec G304 -- staged by this build
	if err != nil {
		return err
	}
	if err := WriteFile(to, content); err != nil {
		return err
	}
	return os.Remove(from)
}

// removeStale removes what the target holds beside the fresh files.
func (s *Stage) removeStale(fresh map[string]bool) error {
	return filepath.WalkDir(s.target, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(s.target, file)
		if err != nil || rel == "." || fresh[filepath.ToSlash(rel)] && e.Name() != "lost+found" {
			return err
		}
		if e.Name() == "lost+found" || file == s.dir {
			return fs.SkipDir
		}
		if err := os.RemoveAll(file); err != nil { // #nosec G122 -- who can write to the output folder can as well write the site
			return err
		}
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}

// Abort removes the staging folder and leaves the target as it is. It may be
// called after Commit, and does nothing then.
func (s *Stage) Abort() {
	if s.done || s.dir == "" {
		return
	}
	s.done = true // what stands there from now on is another build's
	_ = os.RemoveAll(s.dir)
	s.release()
}

func (s *Stage) release() {
	if s.lock != nil {
		_ = s.lock.Close()
		s.lock = nil
	}
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
	defer os.Remove(temp.Name()) //nolint:errcheck // gone after the rename
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
