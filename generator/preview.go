package generator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/lint"
	"catalog.example/generator/memo"
	"catalog.example/generator/render"
	"catalog.example/generator/rule"
)

// PreviewOptions say what to preview.
type PreviewOptions struct {
	Content string // the content folder
	// Settings returns the checked settings as they are now. It is called for each draft.
	Settings func() (site.Settings, error)
	Now      func() time.Time
	Pictures Pictures
	// PictureCache is a folder that keeps pictures, created if missing; "" for none.
	PictureCache string
}

// Preview follows a catalogue in memory while it is edited. It keeps the results of checks, so that
// an update after a change is fast. Its methods must not be called concurrently.
type Preview struct {
	options PreviewOptions
	memo    *memo.Store
	kept    int // number of results left after the last Forget
	parsed  render.KeptTemplates
	loaded  *content.Content // by the last update; nil for none
	// translations are what the last update loaded in the setting languages.
	translations []translated
	last         *Draft          // the last one with something to show; nil for none
	good         map[string]good // by language; "" is the main one
}

// good holds the last versions of listings and pages without errors, by file.
type good struct {
	listings map[string]*content.Listing
	pages    map[string]*content.Page
}

// NewPreview returns a Preview that has not read anything yet.
func NewPreview(o PreviewOptions) *Preview {
	return &Preview{options: o, memo: memo.New(), good: map[string]good{}}
}

// Draft is a catalogue at one point in time. It has the files that a build would write, and renders
// each of them when it is first requested. A listing or page with errors is shown as in its last
// draft without errors, or left out if there was none. If settings, taxonomy or templates have
// errors, all files are those of the last draft without such errors. A Draft is safe for concurrent
// use.
type Draft struct {
	// Findings holds the findings about single files. Rest returns the others.
	Findings []content.Finding
	// Err is an error in the settings or the templates, or says why the content folder cannot be
	// read; nil if there is none.
	Err  error
	rest func() []content.Finding
	shown
}

// shown are the files of a draft.
type shown struct {
	Settings  site.Settings // without its languages, because the preview has one index
	Languages []string      // the setting

	tasks map[string]func() error // by file
	files *sync.Map               // rendered: string → []byte
	index func() ([]byte, error)
	names map[string]string // source files by slug, of all listings and pages
}

// Update reads the files that have changed, and returns a draft of the catalogue. It returns an
// error only if ctx ends.
func (p *Preview) Update(ctx context.Context) (*Draft, error) {
	d, err := p.draft(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	d.Err = err
	if d.tasks == nil {
		if p.last != nil {
			d.shown = p.last.shown
		}
		return d, nil
	}
	if p.memo.Len() > 2*p.kept { // most results belong to earlier drafts
		p.memo.Forget()
		p.kept = p.memo.Len()
	}
	p.last = d
	return d, nil
}

// draft returns a draft without files if there are errors that affect all of them.
func (p *Preview) draft(ctx context.Context) (*Draft, error) {
	d := &Draft{rest: func() []content.Finding { return nil }}
	settings, err := p.options.Settings()
	if err != nil {
		return d, err
	}
	if settings.SearchesInBrowser() { // the server searches, so that nothing needs compiling
		settings.Search = site.SearchByServer
	}
	o := Options{
		Settings: settings, Jobs: runtime.GOMAXPROCS(0), Now: p.options.Now(),
		Pictures: p.options.Pictures, PictureCache: p.options.PictureCache, preview: true,
		templates: &p.parsed,
	}
	checked, findings, err := p.load(ctx, &o, d)
	if err != nil {
		return d, err
	}
	if !p.replaceWrong("", checked, findings) {
		return d, nil
	}
	for _, t := range o.translations {
		p.replaceWrong(t.lang, t.content, findings) // which are about the same files
	}
	files := &sync.Map{}
	write := func(name string, parts ...[]byte) error {
		files.Store(name, slices.Concat(parts...))
		return nil
	}
	plan, err := newPlan(ctx, &o, "", checked, p.memo, write, nil)
	if err == nil {
		err = plan.addTranslations(ctx, &o, p.memo, write, nil)
	}
	if err != nil {
		return d, err
	}
	d.Settings, d.Languages = plan.site.Settings, settings.Languages
	d.files, d.names = files, map[string]string{}
	d.index = sync.OnceValues(func() ([]byte, error) {
		parts, err := plan.index()
		return slices.Concat(parts...), err
	})
	d.Findings = append(d.Findings, plan.dead...)
	content.SortFindings(d.Findings)
	err = d.addTasks(plan)
	d.addNames(p.loaded)
	return d, err
}

// addNames sets the files of all listings and pages, and of their translations.
func (d *Draft) addNames(loaded *content.Content) {
	add := func(page, file string) {
		d.names[page] = file
		for _, own := range loaded.Translations[file] {
			d.names[content.LanguageOf(own)+"/"+page] = own
		}
	}
	for _, l := range loaded.All() {
		add("projects/"+l.Slug, l.File)
	}
	for _, page := range loaded.Pages {
		add(page.Slug, page.File)
	}
}

// load reads the content for a draft. findings are those of the main language.
func (p *Preview) load(ctx context.Context, o *Options, d *Draft) (
	checked *content.Content, findings []content.Finding, err error,
) {
	options := content.Options{
		Dir: p.options.Content, Settings: o.Settings, Jobs: o.Jobs, Today: content.LatestDay(o.Now),
		Memo: p.memo, Last: p.loaded,
	}
	loaded, findings, rest, err := lint.Begin(ctx, options, "")
	d.Findings = findings
	if err != nil {
		return nil, nil, err
	}
	translations, more, err := loadTranslations(ctx, options, findings, p.translations)
	if err != nil {
		return nil, nil, err
	}
	d.Findings = append(d.Findings, more...)
	content.SortFindings(d.Findings)
	if !content.HasErrors(more) {
		o.translations = translations
	}
	p.loaded, p.translations = loaded, translations
	// The checks read the listings as they were loaded.
	checked = loaded.Shallow()
	d.rest = sync.OnceValue(func() []content.Finding {
		more, _ := rest(context.WithoutCancel(ctx)) // without cancellation, there is no error
		content.SortFindings(more)
		return more
	})
	return checked, findings, nil
}

// addTasks sets the tasks that write the files of a plan. It returns an error if a static file has
// the path of another file of the site.
func (d *Draft) addTasks(p *plan) (err error) {
	d.tasks = make(map[string]func() error, 4*len(p.tasks))
	for i := range p.tasks {
		run := sync.OnceValue(p.tasks[i].Run)
		for _, name := range p.tasks[i].Names {
			d.tasks[name] = run
		}
	}
	for _, name := range p.static.names {
		if d.tasks[name] != nil {
			err = errors.Join(err, p.static.conflict(name, name))
			continue
		}
		d.tasks[name] = sync.OnceValue(func() error {
			text, err := p.static.read(name)
			d.files.Store(name, text)
			return err
		})
	}
	return err
}

// replaceWrong replaces listings and pages that have errors with their last versions without
// errors, in one language. It reports whether the rest of the content is free of errors.
func (p *Preview) replaceWrong(lang string, c *content.Content, findings []content.Finding) bool {
	wrong := map[string]bool{}
	for _, f := range findings {
		if f.Rule.Severity == rule.Error && f.Rule.Name != rule.Translation.Name {
			wrong[f.File] = true
		}
	}
	last, now := p.good[lang], good{make(map[string]*content.Listing, len(c.Listings)), map[string]*content.Page{}}
	keep := func(l *content.Listing) {
		now.listings[l.File] = l
		c.Listings = append(c.Listings, l)
	}
	all := c.All()
	c.Listings, c.Unreadable = make([]*content.Listing, 0, len(all)), nil
	for _, l := range all {
		if !wrong[l.File] {
			keep(l)
		} else if before := last.listings[l.File]; before != nil {
			keep(before.Again())
		}
		delete(wrong, l.File)
	}
	loaded := c.Pages
	c.Pages = nil
	for _, page := range loaded {
		if wrong[page.File] {
			delete(wrong, page.File)
			page = last.pages[page.File]
		}
		if page != nil {
			now.pages[page.File] = page
			c.Pages = append(c.Pages, page)
		}
	}
	if len(wrong) > 0 {
		return false
	}
	slices.SortStableFunc(c.Listings, func(a, b *content.Listing) int { return strings.Compare(a.Slug, b.Slug) })
	p.good[lang] = now
	return true
}

// Rest returns the findings about the catalogue as a whole. The first call computes them, which
// takes longer.
func (d *Draft) Rest() []content.Finding { return d.rest() }

// File returns a file of the site by its path below the output folder. The error is
// fs.ErrNotExist if there is none.
func (d *Draft) File(name string) ([]byte, error) {
	run := d.tasks[name]
	if run == nil {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	if err := run(); err != nil {
		return nil, err
	}
	text, _ := d.files.Load(name)
	content, ok := text.([]byte)
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return content, nil
}

// Has reports whether there is a file of that path.
func (d *Draft) Has(name string) bool { return d.tasks[name] != nil }

// Index returns the index of the search, which the first call makes.
func (d *Draft) Index() ([]byte, error) {
	if d.index == nil {
		return nil, fs.ErrNotExist
	}
	return d.index()
}

// Source returns the content file of a page, below the content folder: the listing's file for
// "projects/slug", the editorial page's file for its slug, or the translation of one; "" for other pages.
func (d *Draft) Source(page string) string { return d.names[strings.Trim(page, "/")] }
