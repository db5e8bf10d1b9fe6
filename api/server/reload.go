package server

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"catalog.example/api/search"
	"github.com/fsnotify/fsnotify"
)

// Reload opens the build output anew, checks its index whole, and answers from it
// from then on; requests that have begun are answered from the build before. A
// build that is missing, damaged or has wrong settings is refused: the error says
// why, it is logged and counted, and the build before serves on. Reload may be
// called by several goroutines at once; they take turns.
func (s *Server) Reload() error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	began := time.Now()
	s.tried = markOf(s.public)
	next, err := s.openSnapshot()
	if err != nil {
		refused := s.tried
		s.refused.Store(&refused)
		s.metrics.reloaded(reloadRefused)
		s.log.Error("the new build is refused; the one before serves on", "error", err)
		return fmt.Errorf("reload the catalog: %w", err)
	}
	s.refused.Store(nil)
	s.metrics.serving(next.index, s.public, s.now())
	s.metrics.reloaded(reloadDone)
	s.current.Store(next)
	s.log.Info("reloaded", "index", next.index.Identity(), "listings", next.index.Len(), "ms", time.Since(began).Milliseconds())
	return nil
}

// openSnapshot opens what stands at the build output now. The caller holds
// s.reloading, or the server alone.
func (s *Server) openSnapshot() (*snapshot, error) {
	b, err := openBuild(s.public, s.wasRefused)
	if err != nil {
		return nil, err
	}
	s.tried = b.mark
	var e *snapshot
	settings, err := s.override(b.index.Settings())
	if err == nil {
		e, err = newSnapshot(b.index, settings, b.pages, s.version)
	}
	if err != nil {
		b.pages.close()
		return nil, err
	}
	return e, nil
}

// How the build output is watched.
const (
	// WatchInterval is how often the index file is looked at, beside what the
	// kernel tells: that is nothing on some file systems, such as those of a network
	// or of a virtual machine's host. A look costs some microseconds.
	WatchInterval = 2 * time.Second
	// settleTime is how long an index file must stay as it is before it is opened:
	// one that is copied into place grows for a while.
	settleTime = 100 * time.Millisecond
	// retryInterval is when a refused build is tried again though it has not
	// changed: the fault may have been the machine's, such as a full disk.
	retryInterval = time.Minute
)

// Watch reloads when something is sent on ask, and when another index file stands
// in the build output. The kernel tells of that where it can; in any case Watch
// looks once an interval. It returns when ctx is cancelled.
func (s *Server) Watch(ctx context.Context, interval time.Duration, ask <-chan os.Signal) {
	w := &watch{server: s, settled: time.NewTimer(settleTime)}
	w.settled.Stop()
	if err := w.listen(); err != nil {
		s.log.Warn("the kernel does not tell of new builds; they are looked for", "interval", interval, "error", err)
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
		case <-w.errors: // what was missed is seen when it is looked for
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

// watch decides when a new build is opened.
type watch struct {
	server *Server
	// kernel tells of changes in folders; nil where it cannot, and nothing comes
	// from events and errors then.
	kernel *fsnotify.Watcher
	events <-chan fsnotify.Event
	errors <-chan error

	settled *time.Timer // runs while waiting
	waiting bool        // for a new index file to stay as it is
	pending mark        // of that file
	refused time.Time   // when the build was refused that stands there; zero if it was not
}

func (w *watch) listen() (err error) {
	if w.kernel, err = fsnotify.NewWatcher(); err != nil {
		return err
	}
	w.events, w.errors = w.kernel.Events, w.kernel.Errors
	w.follow()
	return nil
}

// follow names the folders to the kernel in whose entries a new build is seen: the
// one around the build output, which is exchanged as a whole; the one around what
// it links to; and that of the index, which is moved into place last where folders
// cannot be exchanged. They are other folders after each build, so that they are
// named again; what cannot be watched is looked at.
func (w *watch) follow() {
	if w.kernel == nil {
		return
	}
	public := w.server.public
	folders := []string{filepath.Dir(public), filepath.Dir(filepath.Join(public, filepath.FromSlash(search.FileName)))}
	if target, err := filepath.EvalSymlinks(public); err == nil && target != public {
		folders = append(folders, filepath.Dir(target))
	}
	for _, folder := range folders {
		_ = w.kernel.Add(folder)
	}
}

// look begins to wait where an index file stands that was not yet tried.
func (w *watch) look() {
	now := markOf(w.server.public)
	if w.server.wasTried(now) || w.waiting && now.same(w.pending) {
		return
	}
	w.waiting, w.pending = true, now
	w.settled.Reset(settleTime)
}

// settle reloads, if the index file has stayed as it is.
func (w *watch) settle() {
	w.waiting = false
	if now := markOf(w.server.public); now.same(w.pending) && !w.server.wasTried(now) {
		w.reload()
		return
	}
	w.look()
}

func (w *watch) reload() {
	w.refused = time.Time{}
	if w.server.Reload() != nil { // which has logged it
		w.refused = time.Now()
	}
	w.follow()
	w.look() // yet another may have come meanwhile
}

// wasRefused tells whether the build of that mark was the last to be refused, and
// none has been served since.
func (s *Server) wasRefused(m mark) bool {
	refused := s.refused.Load()
	return refused != nil && m.same(*refused)
}

// wasTried tells whether the build of that mark was served or refused already.
func (s *Server) wasTried(m mark) bool {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	return m.same(s.tried)
}
