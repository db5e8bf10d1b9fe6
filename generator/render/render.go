// Package render has the parts that the pages of a site share: templates, texts, rows of listings,
// assets and pictures. The pages themselves are in package page.
//
// The files:
//
//   - templates.go: templates and how pages are written. minify.go: smaller files.
//   - markdown.go: templates of Markdown versions. view.go: what every template is given.
//   - head.go: what machines read of a page: previews, feeds, structured data.
//   - rows.go: the rows of lists. words.go, license.go: facts and licences in words.
//     labels.go: the texts of pages in the words of the owner.
//   - badge.go: the badge of a listing and the small page for other sites.
//   - logos.go: logos, monograms and icons. suits.go: for whom a listing is the right one.
//     tools.go: the tools for agents in pages.
//   - land.go: the outlines of land for maps.
//   - assets.go: style, script and icon. style.go: mistakes in stylesheets. computer.go: the
//     form "My computer". engine.go: the search engine for browsers.
//   - pictures.go, picture_cache.go: pictures of listings and lists.
package render

import (
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"slices"
	"time"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/memo"
)

// Site is the input of a build.
type Site struct {
	Settings site.Settings
	Content  *content.Content
	// Listings are the listings of Content in the order of sort=popular, with Similar.
	Listings []*content.Listing
	// Templates are the files of package templates, or the owner's files in their place.
	Templates fs.FS
	// Pictures says whether to draw pictures of listings and lists, for link previews.
	Pictures bool
	// PictureCache is a folder for pictures of earlier builds; "" for none.
	PictureCache string
	// Memo keeps parts of files between builds; nil for none.
	Memo *memo.Store
	// Kept keeps parsed templates for later sites; nil for none.
	Kept *KeptTemplates
	// Engine is the search engine for browsers; nil unless Settings.SearchesInBrowser.
	Engine *Engine
	// Language is one of the setting languages, if the site is in that language and not in the main one.
	// Untranslated are the texts of the settings before TranslateSettings.
	Language     string
	Untranslated []string
	// Languages are the languages that the site has pages in, the main one first; nil if it has only one.
	Languages Languages
	// IsPreview says that the files are shown while the content is edited, and not published.
	IsPreview bool
	// Now is the time of the build. It decides which cached pictures are too old, and does
	// not affect the output.
	Now time.Time
	// Warn gets warnings, one sentence each, from several goroutines; it may be nil.
	Warn func(string)
}

// Write writes a file. It gets the path below the output folder and the content, in one or several
// parts, which it must not keep.
type Write func(name string, parts ...[]byte) error

// Shared is what the pages of a site share. It is safe for concurrent use.
type Shared struct {
	*Site
	*Words
	*Templates
	View SiteView
	// Rows has the rows of the listings.
	Rows *RowSet
	// Assets holds the files of assets/ by path. Each path contains a hash of its file.
	Assets map[string][]byte
	// FilesKey is the hash of the files of Site.Templates.
	FilesKey memo.Key
	// Key is the hash of what all files depend on: see keyOf.
	Key memo.Key
	// LandNotice says where the outlines of land on maps come from; "" without maps.
	LandNotice string
	// Drawing draws pictures; nil if none are drawn.
	Drawing *Drawing

	logos
	siteLinks template.HTML                    // links in the head of pages without a feed of their own
	naming    map[[2]string][]*content.Listing // see Naming
}

// New prepares what pages share.
func New(in *Site) (*Shared, error) {
	l, err := loadLabels(in)
	if err != nil {
		return nil, err
	}
	s := &Shared{Site: in, Words: newWords(in, l), Assets: map[string][]byte{}}
	if s.FilesKey, err = filesKey(in); err != nil {
		return nil, err
	}
	if s.Templates, err = in.Kept.templatesOf(in, s.Words, s.FilesKey); err != nil {
		return nil, err
	}
	s.naming = map[[2]string][]*content.Listing{}
	for _, l := range in.Listings {
		for _, r := range l.References() {
			for _, slug := range r.Slugs {
				key := [2]string{r.Key(), slug}
				s.naming[key] = append(s.naming[key], l)
			}
		}
	}
	s.View = newSiteView(in, s.Words)
	if s.Drawing, err = newDrawing(in); err != nil {
		return nil, err
	}
	s.prepareLogos()
	if err := s.prepareLand(); err != nil {
		return nil, err
	}
	if err := s.prepareAssets(); err != nil {
		return nil, err
	}
	if err := s.renderPartials(); err != nil {
		return nil, err
	}
	s.Key = keyOf(s)
	s.Rows = newRowSet(s)
	return s, nil
}

// keyOf returns the hash of what all files depend on: settings, taxonomy, templates, names of assets
// (which contain hashes), languages, and the pages that the footer links to.
func keyOf(s *Shared) memo.Key {
	parts := [][]byte{s.Content.Key[:], fmt.Append(nil, s.Pictures, s.Languages, s.Settings.Without),
		[]byte(s.View.Footer), s.FilesKey[:]}
	for _, name := range slices.Sorted(maps.Keys(s.Assets)) {
		parts = append(parts, []byte(name))
	}
	return memo.KeyOf("render", parts...)
}

// Users returns the listings whose models run with a listing, in the order of the listings.
func (s *Shared) Users(slug string) []*content.Listing { return s.Naming(api.RunsWithKey, slug) }

// Naming returns the listings that name a listing in runsWith or in a relation, whose key is given, in the order
// of the listings.
func (s *Shared) Naming(key, slug string) []*content.Listing { return s.naming[[2]string{key, slug}] }

// renderPartials renders what is the same on many pages.
func (s *Shared) renderPartials() (err error) {
	v := &s.View
	for name, text := range map[string]*template.HTML{"head": &v.Head, "header": &v.Header, "footer": &v.Footer} {
		if *text, err = s.Partial(name, v); err != nil {
			return err
		}
	}
	if v.Note, err = s.MarkdownPartial("note", v); err != nil {
		return err
	}
	s.siteLinks, err = s.links("/"+FeedFile, s.T("Newest listings"))
	return err
}

// Is reports whether a fact has a value.
func Is(fact *bool, value bool) bool { return fact != nil && *fact == value }
