package snapshot

import (
	"context"
	"io/fs"
	"os"
	"time"

	"catalog.example/api/server/indexfile"
)

const (
	// WatchInterval is how often to look at the index file, which takes a few microseconds. The
	// kernel could report changes instead, but not on network file systems, nor on those of a
	// virtual machine's host.
	WatchInterval = 250 * time.Millisecond
	// retryInterval is how long to wait before a refused build is tried again even if it has not
	// changed. The cause, such as a full disk, may be gone.
	retryInterval = time.Minute
)

// Watch reloads when something is sent on ask, and when the index file in the build output has
// changed. It looks at the file every interval, and returns when ctx is cancelled.
func (s *Source) Watch(ctx context.Context, interval time.Duration, ask <-chan os.Signal) {
	w := &watch{source: s, public: s.Current().Build.Folder}
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ask:
			w.reload()
		case <-ticks.C:
			w.look()
		}
	}
}

// watch decides when a build is opened.
type watch struct {
	source  *Source
	public  string      // the folder
	waiting bool        // for an index file to stop changing
	pending fs.FileInfo // that file; nil if it is gone
	refused time.Time   // when the current build was refused; zero if it was not
}

// look reloads if the index file is new, but has not changed since the previous look: a file that
// is being copied still grows. It also tries a refused build again after retryInterval.
func (w *watch) look() {
	now := indexfile.Info(w.public)
	isNew := !w.source.wasTried(now)
	isSettled := isNew && w.waiting && indexfile.SameFile(now, w.pending)
	w.waiting, w.pending = isNew, now
	if isSettled || !w.refused.IsZero() && time.Since(w.refused) >= retryInterval {
		w.reload()
	}
}

func (w *watch) reload() {
	w.waiting, w.refused = false, time.Time{}
	if w.source.Reload() != nil { // Reload logs the error
		w.refused = time.Now()
	}
}
