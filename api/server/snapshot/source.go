package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"catalog.example/api"
	"catalog.example/api/search"
	"catalog.example/api/server/artifact"
	"catalog.example/api/server/indexfile"
	"catalog.example/api/site"
	"catalog.example/api/site/validate"
	"github.com/prometheus/client_golang/prometheus"
)

// Options configure a Source.
type Options struct {
	// Build is the first build. A folder that was not published has no version.
	Build artifact.Build
	// Index is the opened index of that build, and Settings are the settings in effect. Without an
	// Index, both are read from the folder.
	Index    *search.Index
	Settings site.Settings
	// Override turns the settings stored in a build into those in effect, and checks them. It is
	// called whenever a build is opened, except for a first build with Index. nil only checks the
	// stored settings.
	Override func(built site.Settings) (site.Settings, error)
	// ForAgents means that only the tools for agents are served, so that a build needs no pages.
	ForAgents bool
	// Version is the version of the program. ETags depend on it.
	Version string
	// Logger gets a line for each build that is put into use or refused; nil discards them.
	Logger *slog.Logger
	// Now returns the time of day; nil means time.Now.
	Now func() time.Time
}

// Source holds the snapshot in use, and replaces it. Any number of goroutines may use it. As a
// prometheus.Collector, it provides metrics of the build in use.
type Source struct {
	o       Options
	current atomic.Pointer[Snapshot]
	opening sync.Mutex // held while a build is opened
	// refused is the last refused build; nil if another has been put into use since.
	refused atomic.Pointer[refusal]
	reloads *prometheus.CounterVec
}

// refusal is a refused build.
type refusal struct {
	index fs.FileInfo // its index file; nil if there was none
}

// Open opens the first build. It fails if its settings are wrong or its folder cannot be
// opened, and with search.ErrUnusable if its index cannot be opened.
func Open(o Options) (*Source, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Override == nil {
		o.Override = checked
	}
	o.Build.Folder = filepath.Clean(o.Build.Folder)
	s := &Source{o: o, reloads: newReloads()}
	first, err := s.first()
	if err != nil {
		return nil, err
	}
	first.Loaded = o.Now()
	s.current.Store(first)
	return s, nil
}

// checked checks settings, and returns them with the changes that validate.Check makes.
func checked(settings site.Settings) (site.Settings, error) {
	err := validate.Check(&settings)
	return settings, err
}

// first returns the first snapshot.
func (s *Source) first() (*Snapshot, error) {
	if s.o.Index == nil {
		return s.open(s.o.Build)
	}
	files, err := openFiles(s.o.Build.Folder, s.wasRefused)
	if err != nil {
		return nil, err
	}
	snap := &Snapshot{Build: s.o.Build, Index: s.o.Index, Files: files, IndexFile: indexfile.InfoIn(files.root)}
	settings, err := checked(s.o.Settings)
	return s.finish(snap, settings, err)
}

// Current returns the snapshot in use.
func (s *Source) Current() *Snapshot { return s.current.Load() }

// Reload opens the folder of the build in use again, and puts the build that is now there into use.
// Requests that have already begun are answered from the old build. A build that is missing or
// damaged, or has wrong settings, is refused: the error is returned, logged and counted, and the
// old build stays in use.
func (s *Source) Reload() error {
	s.opening.Lock()
	defer s.opening.Unlock()
	build := s.Current().Build
	index := indexfile.Info(build.Folder)
	if err := s.replace(build); err != nil {
		s.refused.Store(&refusal{index})
		s.reloads.WithLabelValues(resultRefused).Inc()
		s.o.Logger.Error("the new build was refused; still serving the previous one", "error", err)
		return fmt.Errorf("reload the catalogue: %w", err)
	}
	return nil
}

// Switch puts a published build of another folder into use, if it answers a search and has its
// pages. The caller logs the error. The folder of the previous build must stay until the requests
// that use it have been answered. If the build is already in use, only its time changes. Watch must
// not be running, because it follows one folder.
func (s *Source) Switch(b artifact.Build) error {
	s.opening.Lock()
	defer s.opening.Unlock()
	b.Folder = filepath.Clean(b.Folder)
	if current := s.Current(); b.Folder == current.Build.Folder && b.Version == current.Build.Version {
		s.current.Store(current.published(b, s.o.Now()))
		return nil
	}
	if err := s.replace(b); err != nil {
		s.reloads.WithLabelValues(resultRefused).Inc()
		return fmt.Errorf("open the build: %w", err)
	}
	return nil
}

// replace opens a build, and puts it into use. The caller holds s.opening.
func (s *Source) replace(b artifact.Build) error {
	began := time.Now()
	next, err := s.open(b)
	if err != nil {
		return err
	}
	if b.Version != "" { // otherwise, the previous build's folder is gone
		current := s.Current()
		next.before = current.Files
		for lang, other := range next.Languages {
			if earlier := current.Languages[lang]; earlier != nil {
				other.before = earlier.Files
			}
		}
	}
	next.Loaded = s.o.Now()
	s.refused.Store(nil)
	s.reloads.WithLabelValues(resultSuccess).Inc()
	s.current.Store(next)
	s.o.Logger.Info("reloaded", "version", next.Build.Version, "index", next.Index.Identity(),
		"listings", next.Index.Len(), "ms", time.Since(began).Milliseconds())
	return nil
}

// open opens a build.
func (s *Source) open(b artifact.Build) (*Snapshot, error) {
	snap, err := openBuild(b, s.wasRefused)
	if err != nil {
		return nil, err
	}
	settings, err := s.o.Override(snap.Index.Settings())
	return s.finish(snap, settings, err)
}

// finish completes an opened build with its settings, unless err is already an error. On any error,
// it closes the folders.
func (s *Source) finish(snap *Snapshot, settings site.Settings, err error) (*Snapshot, error) {
	if err == nil {
		err = snap.derive(settings, s.o.Version)
	}
	if err == nil {
		err = s.openLanguages(snap)
	}
	if err == nil && snap.Build.Version != "" {
		err = snap.prove(s.o.ForAgents)
		for _, other := range snap.Languages {
			err = errors.Join(err, other.prove(s.o.ForAgents))
		}
	}
	if err != nil {
		snap.Files.Close()
		for _, other := range snap.Languages {
			other.Files.Close()
		}
		return nil, err
	}
	return snap, nil
}

// openLanguages opens the other languages of a build, each of which is a build in a folder of it. Their settings are
// those in effect, but for the texts.
func (s *Source) openLanguages(snap *Snapshot) error {
	if len(snap.Settings.Languages) == 0 {
		return nil
	}
	snap.Languages = map[string]*Snapshot{snap.Settings.Lang: snap}
	snap.LanguageParameter = api.LanguageParameter(append([]string{snap.Settings.Lang}, snap.Settings.Languages...))
	for _, lang := range snap.Settings.Languages {
		build := snap.Build
		build.Folder = filepath.Join(build.Folder, lang)
		// Its files are those of a refused build if the build of the main language is.
		other, err := openBuild(build, func(fs.FileInfo) bool {
			index := indexfile.Info(snap.Build.Folder)
			return !isFile(index) || s.wasRefused(index)
		})
		if err != nil {
			return fmt.Errorf("language %s: %w", lang, err)
		}
		other.Languages, snap.Languages[lang] = snap.Languages, other
		other.LanguageParameter = snap.LanguageParameter
		settings, stored := snap.Settings.In(lang), other.Index.Settings()
		settings.Title, settings.Description = stored.Title, stored.Description
		if err := other.derive(settings, s.o.Version); err != nil {
			return fmt.Errorf("language %s: %w", lang, err)
		}
	}
	return nil
}

// openAttempts is how many times to try to open a folder that builds keep replacing. Building takes
// longer than opening, so a second attempt is rare.
const openAttempts = 5

// openBuild opens the index and the folder of one build, and checks the whole index. The error is
// search.ErrUnusable if the index is missing or damaged. refused is passed to openFiles.
func openBuild(b artifact.Build, refused func(fs.FileInfo) bool) (*Snapshot, error) {
	for range openAttempts {
		before := indexfile.Info(b.Folder)
		if before != nil && !isFile(before) { // opening a pipe would wait for a writer
			return nil, fmt.Errorf("%w: %s in %s is not a file; run: catalog build --out %[3]s",
				search.ErrUnusable, search.FileName, b.Folder)
		}
		ix, err := indexfile.Open(b.Folder)
		if err != nil {
			return nil, err
		}
		files, err := openFiles(b.Folder, refused)
		if err != nil {
			return nil, err
		}
		opened, after := indexfile.InfoIn(files.root), indexfile.Info(b.Folder)
		if indexfile.SameFile(before, opened) && indexfile.SameFile(before, after) {
			return &Snapshot{Build: b, Index: ix, Files: files, IndexFile: before}, nil
		}
		files.Close()
	}
	return nil, fmt.Errorf("open the build output: %s is replaced faster than it can be opened", b.Folder)
}

// wasRefused reports whether the build with this index file was the last to be refused, and none
// has been put into use since.
func (s *Source) wasRefused(index fs.FileInfo) bool {
	refused := s.refused.Load()
	return refused != nil && indexfile.SameFile(index, refused.index)
}

// wasTried reports whether the build with this index file is in use or was refused.
func (s *Source) wasTried(index fs.FileInfo) bool {
	if s.refused.Load() != nil {
		return s.wasRefused(index)
	}
	return indexfile.SameFile(index, s.Current().IndexFile)
}

// Results of replacing a build.
const (
	resultSuccess = "success"
	resultRefused = "refused"
)

func newReloads() *prometheus.CounterVec {
	reloads := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "catalog_index_reloads_total",
		Help: "Reloads of the index, by result: success, or refused if the new index is unusable and the old one" +
			" stays in use.",
	}, []string{"result"})
	reloads.WithLabelValues(resultSuccess)
	reloads.WithLabelValues(resultRefused)
	return reloads
}

// Describe implements prometheus.Collector. It describes nothing, because the labels of the metrics
// change with the build.
func (s *Source) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (s *Source) Collect(to chan<- prometheus.Metric) {
	gauge := func(name, help string, value float64, labels prometheus.Labels) {
		desc := prometheus.NewDesc(name, help, nil, labels)
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value)
	}
	s.reloads.Collect(to)
	snap := s.Current()
	gauge("catalog_snapshot_info",
		"Always 1; the label names the build in use: its published version, or the hash of its index.",
		1, prometheus.Labels{"version": snap.Version()})
	gauge("catalog_index_info",
		"Always 1; the labels name the index in use: a hash of its contents, and the version of its format.",
		1, prometheus.Labels{"identity": snap.Index.Identity(), "format": strconv.Itoa(search.FormatVersion)})
	gauge("catalog_index_listings", "Listings in the index in use.", float64(snap.Index.Len()), nil)
	gauge("catalog_index_loaded_timestamp_seconds",
		"When the index in use was loaded, in seconds since 1970.", unixSeconds(snap.Loaded), nil)
	if created := snap.Created(); !created.IsZero() {
		gauge("catalog_snapshot_created_timestamp_seconds",
			"When the build in use was published, or if that is unknown, when its index was written, in seconds since"+
				" 1970. Its age is time() minus this.", unixSeconds(created), nil)
	}
	if snap.IndexFile != nil {
		gauge("catalog_index_size_bytes",
			"Size of the index file when it was loaded.", float64(snap.IndexFile.Size()), nil)
		gauge("catalog_index_modified_timestamp_seconds",
			"When the index file in use was written, in seconds since 1970. Its age is time() minus this.",
			unixSeconds(snap.IndexFile.ModTime()), nil)
	}
}

func unixSeconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
