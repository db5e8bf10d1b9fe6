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
	"context"
	"fmt"
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
	"catalog.example/generator/render"
)

// Options configure Build.
type Options struct {
	Content  string        // the content folder
	Out      string        // the output folder
	Settings site.Settings // already checked
	Jobs     int           // concurrent tasks; 0 means one per core
	Now      time.Time     // dates after it count as future
	// Engine is the search engine for browsers; nil means engine.Embedded.
	Engine *engine.Module
	// Pictures says whether to draw pictures of listings and lists.
	Pictures Pictures
	// PictureCache is a folder that keeps pictures between builds, created if
	// missing; "" for none.
	PictureCache string
	// Cache is a folder that keeps results between builds, created if missing; "" for none.
	Cache string
	// Changes is a file in which to list what the build changed; "" for none. It has a line for
	// each new, changed or removed file, with tabs between its parts: the word new, changed or
	// gone, the path below the output folder, and the addresses under which hosts serve the file.
	Changes string
	// Progress is called with the progress of a stage ("load", "write") from several
	// goroutines; it may be nil.
	Progress func(stage string, done, total int)
	preview  bool // whether the files are not published
	// templates keeps parsed templates for later previews; nil for none.
	templates *render.KeptTemplates
	// translations are the content in the setting languages; a preview leaves them out if they have errors.
	translations []translated
}

// Pictures says whether to draw pictures of listings and lists, for link previews.
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
	// Findings are the problems of the content. If one of them is an error, nothing was written.
	Findings []content.Finding `json:"-"`
	// Warnings are problems that did not affect the output, one sentence each.
	Warnings []string `json:"-"`
}

// InvalidContentError reports that the content has errors. The report's findings list them.
type InvalidContentError struct{ Errors int }

// Error implements error.
func (e *InvalidContentError) Error() string {
	return fmt.Sprintf("the content has %s; nothing was written", api.Count(e.Errors, "error"))
}

// errNoEngine is returned if the setting search is browser and the program was built without the
// engine.
var errNoEngine = fmt.Errorf("setting search: %s needs the search engine for browsers, "+
	"and this program was built without it: build the program with `make build`, or set search to %s or %s",
	site.SearchInBrowser, site.SearchByServer, site.SearchNone)

// prepare sets defaults. It returns an error if these options make a build impossible.
func (o *Options) prepare() error {
	if o.Jobs < 1 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	if o.Engine == nil {
		o.Engine = engine.Embedded()
	}
	if o.Settings.SearchesInBrowser() && o.Engine == nil {
		return errNoEngine
	}
	return checkChanges(o.Changes, o.Out)
}

// Build builds a site. On error the output folder is unchanged.
func Build(ctx context.Context, o Options) (Report, error) {
	if err := o.prepare(); err != nil {
		return Report{}, err
	}
	var warnings collected
	look := sync.OnceValues(func() (*output.Stage, error) {
		return output.Look(output.Target{Folder: o.Out, Last: search.FileName, Keep: o.Settings.Keep})
	})
	go look()
	kept := openCache(o.Cache, &warnings)
	loaded, findings, err := o.load(ctx, kept)
	report := Report{Findings: findings}
	if err != nil {
		return report, err
	}
	if n := content.CountErrors(findings); n > 0 {
		return report, &InvalidContentError{n}
	}
	report.Listings = len(loaded.Listings)
	stage, err := look()
	if err == nil {
		err = stage.Open()
	}
	if err != nil {
		return report, err
	}
	defer stage.Abort()
	p, err := newPlan(ctx, &o, "", loaded, kept.store, stage.Write, warnings.add)
	if err == nil {
		err = p.addTranslations(ctx, &o, kept.store, stage.Write, warnings.add)
	}
	if err != nil {
		return report, err
	}
	if len(p.dead) > 0 {
		report.Findings = append(findings, p.dead...)
		content.SortFindings(report.Findings)
		return report, &InvalidContentError{len(p.dead)}
	}
	if err := p.write(ctx, &o, stage, kept); err != nil {
		return report, err
	}
	report.Files, report.Bytes = stage.Written()
	if warning := overrides.In(o.Settings.Overrides, &o.Settings).Warning(); warning != "" {
		warnings.add(warning)
	}
	if err := commit(stage, kept, &warnings); err != nil {
		return report, err
	}
	render.PrunePictures(p.site)
	report.Warnings = warnings.list
	if o.Changes != "" {
		if err := output.WriteFile(o.Changes, changesText(stage.Changes(), &p.site.Settings)); err != nil {
			err = fmt.Errorf("the build is in the output folder, but the file of --changes could not be written: %w",
				err)
			return report, err
		}
	}
	return report, nil
}

// load reads and checks the content in all languages.
func (o *Options) load(ctx context.Context, kept *cache) (
	loaded *content.Content, findings []content.Finding, err error,
) {
	options := content.Options{
		Dir: o.Content, Settings: o.Settings, Jobs: o.Jobs, Today: content.LatestDay(o.Now), Memo: kept.store,
		Progress: func(done, total int) { o.Progress("load", done, total) },
	}
	if loaded, findings, err = lint.Load(ctx, options, ""); err != nil {
		return nil, findings, err
	}
	translations, more, err := loadTranslations(ctx, options, findings, nil)
	o.translations, findings = translations, append(findings, more...)
	content.SortFindings(findings)
	return loaded, findings, err
}

// write stages all files.
func (p *plan) write(ctx context.Context, o *Options, stage *output.Stage, kept *cache) error {
	// The index takes longest, so start it first.
	tasks := slices.Insert(p.tasks, 0, page.Task{Run: func() error {
		index, err := p.index()
		if err != nil {
			return err
		}
		p.index = nil // frees its memory
		return stage.Write(search.FileName, index...)
	}})
	var done atomic.Int64
	err := parallel.Each(ctx, o.Jobs, len(tasks), func(i int) error {
		if err := kept.run(&tasks[i], stage); err != nil {
			return err
		}
		o.Progress("write", int(done.Add(1)), len(tasks))
		return nil
	})
	if err != nil {
		return err
	}
	return p.static.write(ctx, stage, o.Jobs)
}

// commit puts the staged files in place, and saves the cache at the same time.
func commit(stage *output.Stage, kept *cache, warnings *collected) error {
	var saving sync.WaitGroup
	saving.Go(func() { kept.save(warnings) })
	defer saving.Wait()
	return stage.Commit()
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
