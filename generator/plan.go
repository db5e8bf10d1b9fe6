package generator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"catalog.example/api"
	"catalog.example/api/parallel"
	"catalog.example/api/search"
	"catalog.example/api/search/index"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/memo"
	"catalog.example/generator/overrides"
	"catalog.example/generator/page"
	"catalog.example/generator/regular"
	"catalog.example/generator/render"
	"catalog.example/templates"
)

// plan is a site and the tasks that write its files.
type plan struct {
	site   *render.Site
	tasks  []page.Task // for all files but the index and the static ones
	static *static
	index  func() ([][]byte, error) // the parts of the index
	dead   []content.Finding        // links to pages that the site does not have: see addTranslations
}

// newPlan plans the files of a catalogue without errors, in one of the setting languages or, if lang is "", in the
// main one. o.Engine is needed if browsers search. results keeps parts of files; nil for none. Tasks pass files to
// write and warnings to warn.
func newPlan(
	ctx context.Context, o *Options, lang string, c *content.Content, results *memo.Store, write render.Write,
	warn func(string),
) (*plan, error) {
	s, err := newSite(o.Settings, lang, c)
	if err != nil {
		return nil, err
	}
	if o.preview {
		s.Settings.Languages = nil // its search has only one
		if o.translations == nil {
			s.Languages = nil
		}
	}
	s.Listings = sortedByPopularity(c.Listings)
	if lang == "" { // other languages have the same: see addTranslations
		if err := addSimilar(ctx, s.Listings, o.Jobs); err != nil {
			return nil, err
		}
	}
	s.Pictures, s.PictureCache = o.Pictures.drawn(len(s.Listings)), o.PictureCache
	s.Memo, s.Kept, s.Now, s.Warn, s.IsPreview = results, o.templates, o.Now, warn, o.preview
	p := &plan{site: s}
	if p.static, err = mergedStatic(s.Settings.Static); err != nil {
		return nil, err
	}
	builder := sync.OnceValues(func() (*search.Builder, error) { return indexOf(s) })
	p.index = func() ([][]byte, error) {
		b, err := builder()
		if err != nil {
			return nil, err
		}
		return b.Parts()
	}
	if lang == "" && !o.preview {
		go builder() // while the other files are planned
	}
	if s.Settings.SearchesInBrowser() { // pages name the files of the engine by their hashes
		b, err := builder()
		if err != nil {
			return nil, err
		}
		compact, err := b.EncodeCompact()
		if err != nil {
			return nil, err
		}
		s.Engine = &render.Engine{Module: *o.Engine, Index: compact}
	}
	p.tasks, err = page.Tasks(s, write)
	return p, err
}

// newSite returns the site of a catalogue with the owner's templates, without the pages that
// the settings leave out. It is in one of the setting languages or, if lang is "", in the main one.
func newSite(s site.Settings, lang string, c *content.Content) (*render.Site, error) {
	files, err := templateFiles(s.Overrides, s.Languages)
	if err != nil {
		return nil, err
	}
	in := &render.Site{Language: lang, Languages: render.LanguagesOf(&s), Templates: files}
	if lang != "" {
		s, in.Templates = s.In(lang), templates.In(files, lang)
	}
	s, c = c.Fields(s), c.Shallow()
	c.Pages = slices.DeleteFunc(slices.Clone(c.Pages), func(p *content.Page) bool { return !p.IsBuilt(&s) })
	in.Settings, in.Content, in.Listings = s, c, c.Listings
	if lang != "" {
		err = render.TranslateSettings(in)
	}
	return in, err
}

// maxOverride bounds an override: ten times the longest template, or a large icon.
const maxOverride = overrides.MaxSize

// templateFiles returns the templates and assets, with overrides from a folder if it
// is not "".
func templateFiles(overrides string, languages []string) (fs.FS, error) {
	if overrides == "" {
		return templates.Files(nil)
	}
	files, err := templates.Files(regular.Dir(overrides, maxOverride), languages...)
	if err != nil {
		return nil, fmt.Errorf("setting overrides: folder %s: %w", overrides, err)
	}
	return files, checkMerged("overrides", overrides, overridesIn(overrides))
}

// indexOf returns the index of the listings, to be encoded.
func indexOf(site *render.Site) (*search.Builder, error) {
	n := len(site.Listings)
	c := search.Catalog{
		Settings: site.Settings, Taxonomy: site.Content.Taxonomy,
		Projects: make([]api.ProjectDetail, n), Documents: make([][]byte, n),
	}
	errs := make([]error, n)
	parallel.All(n, func(i int) {
		c.Projects[i] = site.Listings[i].ProjectDetail
		c.Documents[i], errs[i] = site.Listings[i].JSON(&site.Settings, site.Memo)
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if site.Memo != nil {
		without := fmt.Append(nil, site.Settings.Without)
		c.Keep = func(i int, read func() []byte) []byte {
			key := memo.KeyOf("indexed", site.Listings[i].Key[:], without)
			kept, _ := memo.Of(site.Memo, key, func() ([]byte, error) { return read(), nil })
			return kept
		}
	}
	return search.BuilderOf(c)
}

func sortedByPopularity(listings []*content.Listing) []*content.Listing {
	sorted := slices.Clone(listings)
	slices.SortFunc(sorted, func(a, b *content.Listing) int { return index.ComparePopular(&a.Project, &b.Project) })
	return sorted
}
