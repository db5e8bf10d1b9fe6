// Package generator is the static-site generator. It turns a content folder into the
// build output that static hosts and the search server serve. If the content has
// errors, it returns findings and writes nothing.
//
//	load   package content  files → listings, taxonomy, findings
//	check  package lint     content → findings
//	render package page     listings → pages, JSON, index
//	write  package output   files → the output folder, atomically
package generator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"catalog.example/api"
	"catalog.example/api/parallel"
	"catalog.example/api/search"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/engine"
	"catalog.example/generator/lint"
	"catalog.example/generator/output"
	"catalog.example/generator/overrides"
	"catalog.example/generator/page"
	"catalog.example/generator/regular"
	"catalog.example/generator/render"
	"catalog.example/templates"
)

// Options say what to build.
type Options struct {
	Content  string        // the content folder
	Out      string        // the output folder
	Settings site.Settings // checked
	Jobs     int           // concurrent tasks; 0 means one per core
	Now      time.Time     // days after it are in the future
	// Engine is the search engine for browsers; nil means engine.Embedded.
	Engine *engine.Module
	// Pictures says whether pictures of listings are drawn.
	Pictures Pictures
	// PictureCache is a folder that keeps pictures between builds, created if
	// missing; "" for none.
	PictureCache string
	// Cache is a folder that keeps results between builds, created if missing; "" for none.
	Cache string
	// Changes is a file to write, with what the build changed; "" for none. It has a line for
	// each file that is new, changed or gone: that word, the path of the file below the output
	// folder, and the addresses under which hosts serve it, with tabs between.
	Changes string
	// Progress is called with the progress of a stage ("load", "write") from several
	// goroutines; it may be nil.
	Progress func(stage string, done, total int)
}

// Pictures says whether pictures of listings are drawn, for link previews.
type Pictures int

// Values of Pictures.
const (
	PicturesAuto Pictures = iota // for up to render.MaxAutoPictures listings
	PicturesOn                   // for any number of listings
	PicturesOff                  // never
)

func (p Pictures) drawn(listings int) bool {
	return p == PicturesOn || p == PicturesAuto && listings <= render.MaxAutoPictures
}

// Report is the result of a build.
type Report struct {
	Listings int   `json:"listings"`
	Files    int64 `json:"files"`
	Bytes    int64 `json:"bytes"`
	// Findings are the problems of the content; if one is an error, nothing was
	// written.
	Findings []content.Finding `json:"-"`
	// Warnings are problems that did not affect the output, a sentence each.
	Warnings []string `json:"-"`
}

// InvalidContentError reports that the content has errors, which are among the
// report's findings.
type InvalidContentError struct{ Errors int }

// Error implements error.
func (e *InvalidContentError) Error() string {
	if e.Errors == 1 {
		return "the content has 1 error; nothing was written"
	}
	return fmt.Sprintf("the content has %d errors; nothing was written", e.Errors)
}

// errNoEngine is returned if search is browser and the program lacks the engine.
var errNoEngine = fmt.Errorf("setting search: %s needs the search engine for browsers, and this program was built without it: build the program with `make build`, or set search to %s or %s",
	site.SearchInBrowser, site.SearchByServer, site.SearchNone)

// Build builds a site. On error the output folder is unchanged.
func Build(ctx context.Context, o Options) (Report, error) {
	if o.Jobs < 1 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	progress := o.Progress
	if progress == nil {
		progress = func(string, int, int) {}
	}
	if o.Engine == nil {
		o.Engine = engine.Embedded()
	}
	if o.Settings.SearchesInBrowser() && o.Engine == nil {
		return Report{}, errNoEngine
	}
	if err := checkChanges(o.Changes, o.Out); err != nil {
		return Report{}, err
	}
	files, err := templateFiles(o.Settings.Overrides)
	if err != nil {
		return Report{}, err
	}
	var warnings collected
	kept := openCache(o.Cache, &warnings)
	loaded, findings, err := lint.Load(ctx, content.Options{
		Dir: o.Content, Settings: o.Settings, Jobs: o.Jobs, Today: content.LatestDay(o.Now), Memo: kept.store,
		Progress: func(done, total int) { progress("load", done, total) },
	}, "")
	report := Report{Findings: findings}
	if err != nil {
		return report, err
	}
	if n := content.CountErrors(findings); n > 0 {
		return report, &InvalidContentError{n}
	}
	o.Settings = loaded.Fields(o.Settings)
	loaded.Pages = slices.DeleteFunc(loaded.Pages, func(p *content.Page) bool { return !p.IsBuilt(&o.Settings) })
	listings := sortedByPopularity(loaded.Listings)
	if err := addSimilar(ctx, listings, o.Jobs); err != nil {
		return report, err
	}
	report.Listings = len(listings)

	static, err := mergedStatic(o.Settings.Static)
	if err != nil {
		return report, err
	}
	stage, err := output.Begin(output.Target{Folder: o.Out, Last: search.FileName, Keep: o.Settings.Keep})
	if err != nil {
		return report, err
	}
	defer stage.Abort()
	site := &render.Site{Settings: o.Settings, Content: loaded, Listings: listings, Templates: files,
		Pictures: o.Pictures.drawn(len(listings)), PictureCache: o.PictureCache, Memo: kept.store, Now: o.Now}
	site.Warn = warnings.add
	index := func() (*search.Builder, error) { return indexOf(site) }
	if o.Settings.SearchesInBrowser() { // pages name the files of the engine by their hashes
		builder, err := index()
		if err != nil {
			return report, err
		}
		compact, err := builder.EncodeCompact()
		if err != nil {
			return report, err
		}
		site.Engine = &render.Engine{Module: *o.Engine, Index: compact}
		index = func() (*search.Builder, error) { return builder, nil }
	}
	tasks, err := page.Tasks(site, stage.Write)
	if err != nil {
		return report, err
	}
	dead, err := checkSiteLinks(site, pathsOf(tasks, static.names))
	if err != nil {
		return report, err
	}
	if len(dead) > 0 {
		report.Findings = append(findings, dead...)
		content.SortFindings(report.Findings)
		return report, &InvalidContentError{len(dead)}
	}
	// The index takes longest: start it first.
	tasks = slices.Insert(tasks, 0, page.Task{Run: func() error { return writeIndex(index, stage) }})
	var done atomic.Int64
	err = parallel.Each(ctx, o.Jobs, len(tasks), func(i int) error {
		if err := kept.run(&tasks[i], stage); err != nil {
			return err
		}
		progress("write", int(done.Add(1)), len(tasks))
		return nil
	})
	if err != nil {
		return report, err
	}
	if err := static.write(ctx, stage, o.Jobs); err != nil {
		return report, err
	}
	if warning := overrides.Warning(o.Settings.Overrides); warning != "" {
		site.Warn(warning)
	}
	report.Files, report.Bytes = stage.Written()
	saved := make(chan struct{})
	go func() { // which takes as long as the commit
		defer close(saved)
		kept.save(&warnings)
	}()
	err = stage.Commit()
	<-saved
	if err != nil {
		return report, err
	}
	render.PrunePictures(site)
	report.Warnings = warnings.list
	if o.Changes != "" {
		if err := output.WriteFile(o.Changes, changesText(stage.Changes(), &o.Settings)); err != nil {
			return report, fmt.Errorf("the build is in the output folder, but cannot write the file of --changes: %w", err)
		}
	}
	return report, nil
}

// collected collects warnings from several goroutines.
type collected struct {
	mu   sync.Mutex
	list []string
}

func (c *collected) add(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, text)
}

// maxOverride bounds an override: ten times the longest template, or a large icon.
const maxOverride = overrides.MaxSize

// templateFiles returns the templates and assets, with overrides from a folder if it
// is not "".
func templateFiles(overrides string) (fs.FS, error) {
	if overrides == "" {
		return templates.Files(nil)
	}
	files, err := templates.Files(regular.Dir(overrides, maxOverride))
	if err != nil {
		return nil, fmt.Errorf("setting overrides: folder %s: %w", overrides, err)
	}
	return files, checkMerged("overrides", overrides, overridesIn(overrides))
}

// writeIndex writes the index for the search server.
func writeIndex(index func() (*search.Builder, error), stage *output.Stage) error {
	builder, err := index()
	if err != nil {
		return err
	}
	var file bytes.Buffer
	if _, err := builder.WriteTo(&file); err != nil {
		return err
	}
	return stage.Write(search.FileName, file.Bytes())
}

// indexOf returns the index of the listings, to be encoded.
func indexOf(site *render.Site) (*search.Builder, error) {
	n := len(site.Listings)
	c := search.Catalog{Settings: site.Settings, Taxonomy: site.Content.Taxonomy, Projects: make([]api.ProjectDetail, n), Documents: make([][]byte, n)}
	errs := make([]error, n)
	parallel.All(n, func(i int) {
		c.Projects[i] = site.Listings[i].ProjectDetail
		c.Documents[i], errs[i] = site.Listings[i].JSON(&site.Settings)
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return search.BuilderOf(c)
}

func sortedByPopularity(listings []*content.Listing) []*content.Listing {
	sorted := slices.Clone(listings)
	slices.SortFunc(sorted, func(a, b *content.Listing) int { return search.ComparePopular(&a.Project, &b.Project) })
	return sorted
}
