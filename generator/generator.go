// Package generator is the static-site generator: it loads and checks a content
// folder, renders it, and writes the build output that any static host and the
// search server serve.
//
//	load   package content         files → listings, taxonomy, findings
//	check  package lint            findings: every mistake with its place
//	render package render          listings → pages, JSON, index
//	write  package output          files → the output folder, whole at every moment
//
// In goes a folder; out comes a folder, or findings and nothing written.
package generator

import (
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
	"catalog.example/generator/lint"
	"catalog.example/generator/output"
	"catalog.example/generator/regular"
	"catalog.example/generator/render"
	"catalog.example/templates"
)

// Options say what to build.
type Options struct {
	Content  string        // the content folder
	Out      string        // the output folder
	Settings site.Settings // checked
	Jobs     int           // how many files are worked on at once; 0 means every core
	Now      time.Time     // later days are in the future
	// Pictures says when a picture of each listing is drawn.
	Pictures Pictures
	// PictureCache is a folder, made where it is missing, that keeps drawn
	// pictures from build to build; "" for none.
	PictureCache string
	// Progress is told how far the build is, from several goroutines; it may be
	// nil.
	Progress func(stage string, done, total int)
}

// Pictures says when pictures of listings are drawn, for previews of links.
type Pictures int

// When pictures are drawn.
const (
	PicturesFew   Pictures = iota // up to render.MostPicturesUnasked listings
	PicturesOn                    // however many there are
	PicturesNever                 // not at all
)

func (p Pictures) drawn(listings int) bool {
	return p == PicturesOn || p == PicturesFew && listings <= render.MostPicturesUnasked
}

// Report tells what a build has done.
type Report struct {
	Listings int   `json:"listings"`
	Files    int64 `json:"files"`
	Bytes    int64 `json:"bytes"`
	// Findings are what is wrong with the content; with an error among them
	// nothing was written.
	Findings []content.Finding `json:"-"`
	// Warnings tell what went wrong beside the build, a sentence each.
	Warnings []string `json:"-"`
}

// InvalidContentError tells that a build was not done because of its content;
// the report's findings say why.
type InvalidContentError struct{ Errors int }

// Error implements error.
func (e *InvalidContentError) Error() string {
	if e.Errors == 1 {
		return "the content has 1 error; nothing was written"
	}
	return fmt.Sprintf("the content has %d errors; nothing was written", e.Errors)
}

// Build builds a site. On error the output folder is as it was.
func Build(ctx context.Context, o Options) (Report, error) {
	if o.Jobs < 1 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	progress := o.Progress
	if progress == nil {
		progress = func(string, int, int) {}
	}
	files, err := templateFiles(o.Settings.Overrides)
	if err != nil {
		return Report{}, err
	}
	loaded, findings, err := lint.Load(ctx, content.Options{
		Dir: o.Content, Settings: o.Settings, Jobs: o.Jobs, Today: content.LatestDay(o.Now),
		Progress: func(done, total int) { progress("load", done, total) },
	}, "")
	report := Report{Findings: findings}
	if err != nil {
		return report, err
	}
	if n := content.CountErrors(findings); n > 0 {
		return report, &InvalidContentError{n}
	}
	listings := inPopularOrder(loaded.Listings)
	if err := addSimilar(ctx, listings, o.Jobs); err != nil {
		return report, err
	}
	report.Listings = len(listings)

	stage, err := output.Begin(output.Target{Folder: o.Out, Last: search.FileName, Keep: o.Settings.Keep})
	if err != nil {
		return report, err
	}
	defer stage.Abort()
	site := &render.Site{Settings: o.Settings, Content: loaded, Listings: listings, Templates: files,
		Pictures: o.Pictures.drawn(len(listings)), PictureCache: o.PictureCache, Now: o.Now}
	var warning sync.Mutex
	site.Warn = func(text string) {
		warning.Lock()
		defer warning.Unlock()
		report.Warnings = append(report.Warnings, text)
	}
	tasks, err := render.Tasks(site, stage.Write)
	if err != nil {
		return report, err
	}
	// The index is one long task: it goes first, so that it does not come last.
	tasks = slices.Insert(tasks, 0, func() error { return writeIndex(site, stage) })
	var done atomic.Int64
	err = parallel.Each(ctx, o.Jobs, len(tasks), func(i int) error {
		if err := tasks[i](); err != nil {
			return err
		}
		progress("write", int(done.Add(1)), len(tasks))
		return nil
	})
	if err != nil {
		return report, err
	}
	report.Files, report.Bytes = stage.Written()
	if err := stage.Commit(); err != nil {
		return report, err
	}
	render.PrunePictures(site)
	return report, nil
}

// maxOverride bounds an overriding file: ten times the longest template, or a large
// icon.
const maxOverride = 1 << 20

// templateFiles returns the templates and assets, with those of the overrides folder
// in front of them where there is one.
func templateFiles(overrides string) (fs.FS, error) {
	if overrides == "" {
		return templates.Files(nil)
	}
	files, err := templates.Files(regular.Dir(overrides, maxOverride))
	if err != nil {
		return nil, fmt.Errorf("setting overrides: folder %s: %w", overrides, err)
	}
	return files, nil
}

func writeIndex(site *render.Site, stage *output.Stage) error {
	n := len(site.Listings)
	c := search.Catalog{Settings: site.Settings, Taxonomy: site.Content.Taxonomy, Projects: make([]api.ProjectDetail, n), Documents: make([][]byte, n)}
	errs := make([]error, n)
	parallel.All(n, func(i int) {
		c.Projects[i] = site.Listings[i].ProjectDetail
		c.Documents[i], errs[i] = site.Listings[i].JSON(&site.Settings)
	})
	if err := errors.Join(errs...); err != nil {
		return err
	}
	file, err := search.Encode(c)
	if err != nil {
		return err
	}
	return stage.Write(search.FileName, file)
}

func inPopularOrder(listings []*content.Listing) []*content.Listing {
	sorted := slices.Clone(listings)
	slices.SortFunc(sorted, func(a, b *content.Listing) int { return search.ComparePopular(&a.Project, &b.Project) })
	return sorted
}
