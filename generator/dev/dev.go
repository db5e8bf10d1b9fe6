// Package dev serves a catalogue while it is edited, for `catalog dev`.
//
// Run watches the files of a catalogue, keeps a draft of it in memory, and serves its pages. An
// open page reloads when its content changes. Findings are shown on the page and printed. Nothing
// is written to the output folder.
//
//	dev.go    the loop: wait for a change, read, print, notify the pages
//	watch.go  waits for changes
//	serve.go  answers requests
//	page.go   the findings on a page
package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"catalog.example/api"
	"catalog.example/api/invisible"
	"catalog.example/generator"
	"catalog.example/generator/content"
	"catalog.example/generator/lint"
	"github.com/fsnotify/fsnotify"
)

// Options configure Run.
type Options struct {
	Preview generator.PreviewOptions
	// Folders returns the folders and files to watch. It is called after each change.
	Folders func() []string
	// API returns the handler of the API for an index from Draft.Index.
	API func(d *generator.Draft, index []byte) (http.Handler, error)
	Out io.Writer // where a report of each change is printed
}

// state is a draft as it is served.
type state struct {
	draft    *generator.Draft
	findings []content.Finding // all findings that are known so far
	changed  chan struct{}     // closed when another state replaces this one
	api      func() (http.Handler, error)
}

// site is a catalogue that Run serves.
type site struct {
	options Options
	preview *generator.Preview
	current atomic.Pointer[state]
	api     sync.Mutex // held while an index is built, so that only one is built at a time
}

// errOutdated reports that a draft was replaced while its index was being built.
var errOutdated = errors.New("the draft is outdated")

// Run serves a catalogue on a listener until ctx ends, and closes the listener. It prints the
// address once the first draft is served.
func Run(ctx context.Context, listener net.Listener, o Options) error {
	s := &site{options: o, preview: generator.NewPreview(o.Preview)}
	defer func() { _ = listener.Close() }() // the server closes it too
	w := newWatcher(o.Folders, lookInterval, fsnotify.NewWatcher)
	defer w.close()
	if w.fault != nil {
		fmt.Fprintf(o.Out, "The operating system cannot report changes (%v). Files are checked every %v instead.\n",
			w.fault, lookInterval)
	}
	if s.update(ctx, nil, nil); ctx.Err() != nil {
		return nil
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	defer func() { _ = server.Close() }()              // open pages wait for events without end
	address := s.current.Load().draft.Settings.BaseURL // keep the host as the user wrote it
	if address == "" {
		address = "http://" + listener.Addr().String()
	}
	fmt.Fprintf(o.Out, "Serving %s: open pages reload when you save a file. Press Ctrl-C to stop.\n", address)
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-failed:
			return fmt.Errorf("serve: %w", err)
		case names := <-w.changes:
			for len(names) > 0 {
				names = s.update(ctx, names, w.changes)
			}
		}
	}
}

// update reads the files that have changed and notifies the open pages. Then it checks the
// catalogue as a whole, which takes longer, and adds those findings. If more changes arrive first,
// it stops waiting and returns them. It prints all findings. It ends early if ctx does.
func (s *site) update(ctx context.Context, names []string, changes <-chan []string) (next []string) {
	started := time.Now()
	fmt.Fprintln(s.options.Out, beginning(names))
	d, err := s.preview.Update(ctx)
	if err != nil { // ctx has ended
		return nil
	}
	served := &state{draft: d, findings: d.Findings, changed: make(chan struct{})}
	served.api = sync.OnceValues(func() (http.Handler, error) {
		s.api.Lock()
		defer s.api.Unlock()
		if s.current.Load().draft != d { // replaced while the index was being built
			return nil, errOutdated
		}
		index, err := d.Index()
		if err != nil {
			return nil, err
		}
		return s.options.API(d, index)
	})
	s.replace(served)
	shown := time.Since(started)
	all := &state{draft: d, findings: d.Findings, changed: make(chan struct{}), api: served.api}
	rest := make(chan []content.Finding, 1)
	go func() { rest <- d.Rest() }()
	select {
	case <-ctx.Done(): // do not wait if nobody reads the result
		return nil
	case next = <-changes:
	case more := <-rest:
		all.findings = slices.Concat(d.Findings, more)
		content.SortFindings(all.findings)
	}
	s.replace(all)
	printed := slices.Clone(all.findings)
	for i := range printed {
		printed[i].File = path.Join(s.options.Preview.Content, printed[i].File)
	}
	_ = lint.Write(s.options.Out, "text", printed)
	if d.Err != nil {
		fmt.Fprintln(s.options.Out, invisible.EscapeLines(d.Err.Error()))
	}
	fmt.Fprintln(s.options.Out, ending(all, shown))
	return next
}

// replace makes next the current state and notifies everybody who waits for a new state.
func (s *site) replace(next *state) {
	if last := s.current.Swap(next); last != nil {
		close(last.changed)
	}
}

// beginning returns the first line of the report of a change. The last line is ending.
// .vscode/tasks.json matches both.
func beginning(names []string) string {
	if len(names) == 0 {
		return "checking the catalogue"
	}
	return "checking " + api.List(names, 3)
}

func ending(s *state, took time.Duration) string {
	errs := content.CountErrors(s.findings) + countErrors(s.draft.Err)
	warnings := len(s.findings) - content.CountErrors(s.findings)
	return fmt.Sprintf("checked: %s, %s; shown after %d ms", api.Count(errs, "error"), api.Count(warnings, "warning"),
		took.Milliseconds())
}

// countErrors counts the errors that an error joins.
func countErrors(err error) int {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return len(joined.Unwrap())
	} else if err != nil {
		return 1
	}
	return 0
}
