package dev

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watch watches a new folder and a file beside it. Without the kernel, the files are looked
// at.
func watch(t *testing.T, kernel func() (*fsnotify.Watcher, error), every time.Duration) (w *watcher, dir string) {
	t.Helper()
	dir = t.TempDir()
	put(t, filepath.Join(dir, "content", "projects", "x.md"), "x")
	put(t, filepath.Join(dir, "catalog.yml"), "title: X\n")
	w = newWatcher(func() []string {
		return []string{filepath.Join(dir, "content"), filepath.Join(dir, "catalog.yml")}
	}, every, kernel)
	t.Cleanup(w.close)
	return w, dir
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// next waits for a change, and checks its files.
func next(t *testing.T, w *watcher, want ...string) {
	t.Helper()
	select {
	case got := <-w.changes:
		if !slices.Equal(got, want) {
			t.Errorf("changed are %q, want %q", got, want)
		}
	case <-time.After(patience):
		t.Fatalf("no change; want %q", want)
	}
}

func TestWatcherReportsChangesOnce(t *testing.T) {
	t.Parallel()
	// The kernel must report: nothing is looked at.
	w, dir := watch(t, fsnotify.NewWatcher, time.Hour)
	file := filepath.Join(dir, "content", "projects", "x.md")
	marker := filepath.Join(dir, "catalog.yml")

	// A file is emptied and filled in steps, as some editors do. Each step is a report of the
	// kernel; all are one change, or the next would not be the marker's alone.
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"one", "two", "three"} {
		if _, err := f.WriteString(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	next(t, w, file)
	put(t, marker, "title: Y\n")
	next(t, w, marker)

	// A file beside the settings, and those of editors, are none of the site's.
	put(t, filepath.Join(dir, "notes.txt"), "mine")
	put(t, filepath.Join(filepath.Dir(file), ".x.md.swp"), "vim's")
	put(t, filepath.Join(filepath.Dir(file), "x.md~"), "emacs's")
	put(t, marker, "title: Z\n")
	next(t, w, marker)

	// A file is replaced by another one of its name.
	put(t, filepath.Join(dir, "new.yml"), "title: Replaced\n")
	if err := os.Rename(filepath.Join(dir, "new.yml"), marker); err != nil {
		t.Fatal(err)
	}
	next(t, w, marker)

	// It is deleted, and made again.
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	next(t, w, file)
	put(t, file, "again")
	next(t, w, file)

	// A folder is made; then a file in it changes.
	folder := filepath.Join(dir, "content", "projects", "more")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	next(t, w, folder)
	put(t, filepath.Join(folder, "y.md"), "y")
	next(t, w, filepath.Join(folder, "y.md"))
}

func TestWatcherFollowsALinkedFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "real", "projects", "x.md"), "x")
	if err := os.Symlink("real", filepath.Join(dir, "content")); err != nil {
		t.Fatal(err)
	}
	w := newWatcher(func() []string { return []string{filepath.Join(dir, "content")} }, time.Hour, fsnotify.NewWatcher)
	t.Cleanup(w.close)
	put(t, filepath.Join(dir, "content", "projects", "x.md"), "changed")
	next(t, w, filepath.Join(dir, "content", "projects", "x.md"))
}

func TestWatcherLooksWhereTheKernelIsSilent(t *testing.T) {
	t.Parallel()
	for name, kernel := range map[string]func() (*fsnotify.Watcher, error){
		"no watcher": func() (*fsnotify.Watcher, error) { return nil, errors.New("too many watches") },
		"a watcher that reports nothing": func() (*fsnotify.Watcher, error) {
			w, err := fsnotify.NewWatcher()
			if err == nil {
				err = w.Close() // folders cannot be added, and there are no events
				w.Events, w.Errors = nil, nil
			}
			return w, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, dir := watch(t, kernel, 5*time.Millisecond)
			if (w.fault != nil) != (name == "no watcher") {
				t.Errorf("fault %v", w.fault)
			}
			file := filepath.Join(dir, "content", "projects", "more", "y.md")
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(dir, "content", "projects", "x.md"), file); err != nil {
				t.Fatal(err)
			}
			var got []string
			for len(got) < 2 {
				select {
				case names := <-w.changes:
					got = append(got, names...)
				case <-time.After(patience):
					t.Fatalf("changed are only %q", got)
				}
			}
			slices.Sort(got)
			if want := []string{file, filepath.Join(dir, "content", "projects", "x.md")}; !slices.Equal(got, want) {
				t.Errorf("changed are %q, want %q", got, want)
			}
		})
	}
}
