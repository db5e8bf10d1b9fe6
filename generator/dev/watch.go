package dev

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// settleTime is how long to wait without changes before files are read. Editors write a file in
	// several steps, such as emptying and filling it, within a millisecond or two.
	settleTime = 15 * time.Millisecond
	// longestWait bounds the wait if files keep changing, for example while Git switches branches.
	longestWait = 150 * time.Millisecond
	// lookInterval is how often files are checked even if the kernel reports no changes. It reports
	// none on network file systems.
	lookInterval = 2 * time.Second
)

// watcher reports which files have changed.
type watcher struct {
	changes chan []string // names of files, sorted
	folders func() []string
	every   time.Duration // how often the files are checked
	fault   error         // why the kernel reports no changes; nil if it does report them

	kernel *fsnotify.Watcher
	done   chan struct{}
	wait   sync.WaitGroup
	roots  []string // the watched folders and files, as of the last check
	seen   map[string]fileState
}

// fileState differs between versions of a file.
type fileState struct {
	size     int64
	modified time.Time
}

// newWatcher watches folders and files, including those that are created later. kernel is
// fsnotify.NewWatcher, except in tests.
func newWatcher(folders func() []string, every time.Duration, kernel func() (*fsnotify.Watcher, error)) *watcher {
	w := &watcher{changes: make(chan []string), folders: folders, every: every, done: make(chan struct{})}
	if w.kernel, w.fault = kernel(); w.fault != nil {
		w.kernel = &fsnotify.Watcher{} // its channels are nil, so they report nothing
	}
	w.seen = w.look()
	w.wait.Go(w.run)
	return w
}

func (w *watcher) close() {
	close(w.done)
	w.wait.Wait()
	if w.fault == nil {
		_ = w.kernel.Close() // there was nothing to write
	}
}

// run collects changes until they are received.
func (w *watcher) run() {
	ticks := time.NewTicker(w.every)
	defer ticks.Stop()
	settled := time.NewTimer(0)
	settled.Stop()
	changed := map[string]bool{}
	var first time.Time // time of the first pending change
	var ready chan []string
	for {
		select {
		case <-w.done:
			return
		case event := <-w.kernel.Events:
			if isTemporary(event.Name) || event.Op == fsnotify.Chmod || !w.isWatched(event.Name) {
				continue
			}
			if len(changed) == 0 {
				first = time.Now()
			}
			changed[filepath.Clean(event.Name)] = true // ./catalog.yml
			settled.Reset(max(0, min(settleTime, time.Until(first.Add(longestWait)))))
		case <-w.kernel.Errors: // checking the files finds what was missed
		case <-ticks.C:
			now := w.look()
			for _, name := range differences(w.seen, now) {
				changed[name] = true
			}
			w.seen = now
			if len(changed) > 0 && ready == nil {
				ready = w.changes
			}
		case <-settled.C:
			w.seen = w.look()     // and starts watching new folders
			if len(changed) > 0 { // otherwise the check has already reported them
				ready = w.changes
			}
		case ready <- slices.Sorted(maps.Keys(changed)):
			ready, changed = nil, map[string]bool{}
		}
	}
}

// isWatched reports whether a file is among the watched folders and files. The kernel also reports
// other files in the folder of a watched file.
func (w *watcher) isWatched(name string) bool {
	return slices.ContainsFunc(w.roots, func(root string) bool {
		below, err := filepath.Rel(root, name)
		return err == nil && filepath.IsLocal(below)
	})
}

// look returns the state of all files, and starts watching all folders.
func (w *watcher) look() map[string]fileState {
	files := map[string]fileState{}
	w.roots = w.folders()
	for _, root := range w.roots {
		info, err := os.Stat(root)
		isFolder := err == nil && info.IsDir()
		top := root
		if isFolder {
			top += string(filepath.Separator) // read the folder that a link leads to
		}
		_ = filepath.WalkDir(top, func(name string, e fs.DirEntry, err error) error {
			if err != nil { // it has been removed; the next check looks for it again
				return nil
			}
			if e.IsDir() {
				if name != top && strings.HasPrefix(e.Name(), ".") && e.Name() != ".well-known" {
					return fs.SkipDir
				}
				w.add(name)
				return nil
			}
			if isTemporary(name) {
				return nil
			}
			if info, err := os.Stat(name); err == nil { // the state of a link's target
				files[name] = fileState{info.Size(), info.ModTime()}
			}
			return nil
		})
		if !isFolder {
			w.add(filepath.Dir(root)) // editors replace a file with another of the same name
		}
	}
	return files
}

// add asks the kernel to watch a folder. Folders that cannot be watched are still checked at
// intervals.
func (w *watcher) add(folder string) {
	if w.fault == nil {
		_ = w.kernel.Add(folder)
	}
}

// isTemporary reports whether a name is one that editors or the operating system use for their own
// files.
func isTemporary(name string) bool {
	base := filepath.Base(name)
	return base != ".nojekyll" && strings.HasPrefix(base, ".") && base != ".well-known" ||
		strings.HasSuffix(base, "~") || strings.HasSuffix(base, ".swp") || strings.HasSuffix(base, ".tmp") ||
		base == "4913"
}

// differences returns the names of files whose states differ.
func differences(before, after map[string]fileState) (names []string) {
	all := maps.Clone(before)
	maps.Copy(all, after)
	for name := range all {
		if before[name] != after[name] {
			names = append(names, name)
		}
	}
	return names
}
