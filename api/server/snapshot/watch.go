package snapshot

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"catalog.example/api/search"
	"catalog.example/api/server/indexfile"
	"github.com/fsnotify/fsnotify"
)

// Times of Watch.
const (
	// WatchInterval is how often Watch looks at the index file. The kernel reports no changes on
	// some file systems, such as network file systems or those of a virtual machine's host. A
	// look takes some microseconds.
	WatchInterval = 2 * time.Second
	// settleTime is how long an index file must not change before it is opened. A file that is
	// being copied grows for a while.
	settleTime = 100 * time.Millisecond
	// retryInterval is when a refused build is tried again although it has not changed. The cause
	// may be gone, such as a full disk.
	retryInterval = time.Minute
)

// Watch reloads when something is sent on ask, and when the index file in the build output changes.
// The kernel reports changes if it can. Watch also looks at every interval. It returns when ctx is
// cancelled.
func (s *Source) Watch(ctx context.Context, interval time.Duration, ask <-chan os.Signal) {
	w := &watch{source: s, public: s.Current().Build.Folder, settled: time.NewTimer(settleTime)}
	w.settled.Stop()
	if err := w.listen(); err != nil {
		s.o.Logger.Warn("the kernel does not report new builds; looking for them at intervals",
			"interval", interval, "error", err)
	} else {
		defer func() { _ = w.kernel.Close() }() // nothing was written
	}
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ask:
			w.reload()
		case <-w.events:
			w.look()
		case <-w.errors: // a change may have been missed
			w.look()
		case <-ticks.C:
			w.follow()
			w.look()
			if !w.refused.IsZero() && time.Since(w.refused) >= retryInterval {
				w.reload()
			}
		case <-w.settled.C:
			w.settle()
		}
	}
}

// watch decides when a build is opened.
type watch struct {
	source *Source
	public string // the folder
	// kernel reports changes in folders. It is nil if it cannot; then events and errors are silent.
	kernel *fsnotify.Watcher
	events <-chan fsnotify.Event
	errors <-chan error

	settled *time.Timer // runs while waiting
	waiting bool        // for an index file to stop changing
	pending fs.FileInfo // that file; nil if it is gone
	refused time.Time   // when the current build was refused; zero if it was not
}

func (w *watch) listen() (err error) {
	if w.kernel, err = fsnotify.NewWatcher(); err != nil {
		return err
	}
	w.events, w.errors = w.kernel.Events, w.kernel.Errors
	w.follow()
	return nil
}

// follow makes the kernel watch three folders: the parent of the build output, which is replaced as a
// whole; the parent of the target, if the build output is a link; and the folder of the index, which
// is moved into place last if folders cannot be replaced. It is called again for each build, which
// has new folders. Changes in a folder that cannot be watched are found by looking.
func (w *watch) follow() {
	if w.kernel == nil {
		return
	}
	index := filepath.Join(w.public, filepath.FromSlash(search.FileName))
	folders := []string{filepath.Dir(w.public), filepath.Dir(index)}
	if target, err := filepath.EvalSymlinks(w.public); err == nil && target != w.public {
		folders = append(folders, filepath.Dir(target))
	}
	for _, folder := range folders {
		_ = w.kernel.Add(folder)
	}
}

// look begins to wait if the index file was not tried yet.
func (w *watch) look() {
	now := indexfile.Info(w.public)
	if w.source.wasTried(now) || w.waiting && indexfile.SameFile(now, w.pending) {
		return
	}
	w.waiting, w.pending = true, now
	w.settled.Reset(settleTime)
}

// settle reloads if the index file has not changed since look.
func (w *watch) settle() {
	w.waiting = false
	if now := indexfile.Info(w.public); indexfile.SameFile(now, w.pending) && !w.source.wasTried(now) {
		w.reload()
		return
	}
	w.look()
}

func (w *watch) reload() {
	w.refused = time.Time{}
	if w.source.Reload() != nil { // it is logged
		w.refused = time.Now()
	}
	w.follow()
	w.look() // there may be another build already
}
