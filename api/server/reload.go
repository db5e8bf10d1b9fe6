package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"catalog.example/api/search"
	"catalog.example/api/server/indexfile"
	"github.com/fsnotify/fsnotify"
)

// Published is what is known of a build that was published with a version. The zero value is a
// build of a folder that nobody published.
type Published struct {
	// Version names its files, as artifact.Manifest has it.
	Version string
	// Created is when it was packed.
	Created time.Time
}

// Reload opens the build output again and serves it from then on. Requests that have
// begun are answered from the old build. A build that is missing or damaged, or has
// wrong settings, is refused: the error is returned, logged and counted, and the old
// build keeps serving. Goroutines that call Reload at once take turns.
func (s *Server) Reload() error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	if err := s.replace(s.public, s.current.Load().published); err != nil {
		refused := s.tried
		s.refused.Store(&refused)
		s.log.Error("the new build is refused; still serving the one before", "error", err)
		return fmt.Errorf("reload the catalogue: %w", err)
	}
	return nil
}

// Switch serves another folder from then on, as Reload does, if the build in it answers a
// search and has its pages. The caller logs the error. The folder of the build before must
// stay until no request that had begun is answered from it. The same folder again only gets
// a new time. Watch must not run, because it follows one folder.
func (s *Server) Switch(public string, published Published) error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	public = filepath.Clean(public)
	if current := s.current.Load(); public == s.public && published.Version == current.published.Version {
		again := *current
		again.published = published
		s.current.Store(&again)
		s.metrics.serving(&again, s.now())
		return nil
	}
	if err := s.replace(public, published); err != nil {
		if unusable, ok := errors.AsType[*indexfile.Error](err); ok {
			err = fmt.Errorf("%w; pack a build that this version of catalog reads", unusable.Err)
		}
		return fmt.Errorf("open the build: %w", err)
	}
	s.public = public
	return nil
}

// replace opens the build of a folder, and answers from it. The caller holds s.reloading.
func (s *Server) replace(public string, published Published) error {
	began := time.Now()
	s.tried = fingerprintOf(public)
	next, err := s.openSnapshot(public, published)
	if err != nil {
		s.metrics.reloaded(reloadRefused)
		return err
	}
	if published != (Published{}) { // otherwise the folder of the build before is gone
		next.before = s.current.Load().pages
	}
	s.refused.Store(nil)
	s.metrics.serving(next, s.now())
	s.metrics.reloaded(reloadDone)
	s.current.Store(next)
	s.log.Info("reloaded", "version", next.published.Version, "index", next.index.Identity(), "listings", next.index.Len(), "ms", time.Since(began).Milliseconds())
	return nil
}

// openSnapshot opens the build output of a folder. The caller holds s.reloading, or is New.
func (s *Server) openSnapshot(public string, published Published) (*snapshot, error) {
	b, err := openBuild(public, s.wasRefused)
	if err != nil {
		return nil, err
	}
	s.tried = b.fingerprint
	var next *snapshot
	settings, err := s.override(b.index.Settings())
	if err == nil {
		next, err = newSnapshot(b.index, settings, b.pages, s.version, published)
	}
	if err == nil && published != (Published{}) {
		err = next.prove()
	}
	if err != nil {
		b.pages.close()
		return nil, err
	}
	return next, nil
}

// How the build output is watched.
const (
	// WatchInterval is how often the index file is looked at, whatever the kernel
	// reports: it reports nothing on some file systems, such as network file systems or
	// those of a virtual machine's host. A look takes some microseconds.
	WatchInterval = 2 * time.Second
	// settleTime is how long an index file must not change before it is opened: one that
	// is copied into place grows for a while.
	settleTime = 100 * time.Millisecond
	// retryInterval is when a refused build is tried again although it has not changed:
	// the cause may be gone, such as a full disk.
	retryInterval = time.Minute
)

// Watch reloads when something is sent on ask, and when the index file in the build
// output changes. The kernel reports changes where it can; in any case Watch looks once
// an interval. It returns when ctx is cancelled.
func (s *Server) Watch(ctx context.Context, interval time.Duration, ask <-chan os.Signal) {
	w := &watch{server: s, settled: time.NewTimer(settleTime)}
	w.settled.Stop()
	if err := w.listen(); err != nil {
		s.log.Warn("the kernel does not report new builds; looking for them at intervals", "interval", interval, "error", err)
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

// watch decides when a build is opened.
type watch struct {
	server *Server
	// kernel reports changes in folders; it is nil where it cannot, and events and errors
	// are silent then.
	kernel *fsnotify.Watcher
	events <-chan fsnotify.Event
	errors <-chan error

	settled *time.Timer // runs while waiting
	waiting bool        // for an index file to stop changing
	pending fingerprint // of that file
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

// follow tells the kernel which folders to watch: the one around the build output,
// which is replaced as a whole; the one around what it links to; and the one of the
// index, which is moved into place last where folders cannot be replaced. Each build
// brings new folders. What cannot be watched is found by looking.
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

// look begins to wait if the index file is one that was not tried yet.
func (w *watch) look() {
	now := fingerprintOf(w.server.public)
	if w.server.wasTried(now) || w.waiting && now.same(w.pending) {
		return
	}
	w.waiting, w.pending = true, now
	w.settled.Reset(settleTime)
}

// settle reloads if the index file has not changed meanwhile.
func (w *watch) settle() {
	w.waiting = false
	if now := fingerprintOf(w.server.public); now.same(w.pending) && !w.server.wasTried(now) {
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
	w.look() // there may be yet another one
}

// wasRefused reports whether that build was the last to be refused, and none has been
// served since.
func (s *Server) wasRefused(f fingerprint) bool {
	refused := s.refused.Load()
	return refused != nil && f.same(*refused)
}

// wasTried reports whether that build was served or refused already.
func (s *Server) wasTried(f fingerprint) bool {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	return f.same(s.tried)
}
