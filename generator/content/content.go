// Package content loads and checks a content folder: the listings, the taxonomy and the editorial
// pages.
//
// Load takes a folder and the settings. It returns a Content and the findings: every mistake, with
// its file, line and column. It writes nothing.
package content

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"catalog.example/api"
	"catalog.example/api/parallel"
	"catalog.example/api/site"
	"catalog.example/generator/memo"
	"catalog.example/generator/regular"
	"catalog.example/generator/rule"
	"catalog.example/generator/strictyaml"
	"github.com/bmatcuk/doublestar/v4"
)

// Content is a loaded content folder.
type Content struct {
	Taxonomy api.Taxonomy
	// Key is the hash of what listings are checked against: the settings, the taxonomy and the pictures.
	Key         memo.Key
	FrontMatter *FrontMatter // describes the front matter of listings
	// Listings is sorted by slug.
	Listings []*Listing
	// Unreadable holds the listings whose files could not be read. Only their files and slugs are
	// known.
	Unreadable []*Listing
	// Pages is sorted by slug.
	Pages []*Page
	// Retired holds the listings that have been removed from the catalogue.
	Retired []Retired
	// Sets have pages of their own, in the order of their file.
	Sets []Set
	// Logos are pictures of listings and products, categories and platforms.
	Logos Logos
	// Pictures has the pictures that listings and pages show.
	Pictures []Picture
	// PictureNotices says whose the pictures are and on which terms, in the words of the catalogue; "" for
	// nothing.
	PictureNotices string
	// Changes is the history of facts, the latest changes first.
	Changes []Change
	// Translations has the files that translate a file, in all languages.
	Translations map[string][]string

	taxonomy   *parsedTaxonomy
	translated map[string]bool // the files that have a translation into the language of Options
}

// parsedTaxonomy holds the parsed files of the taxonomy, which findings need for their positions.
type parsedTaxonomy struct {
	positions sync.Mutex        // guards docs, which cache positions
	docs      map[string]source // by file name
	key       memo.Key          // the hash of its files and of the settings
	findings  []Finding         // about the taxonomy alone
	retired   []Retired
	sets      []Set
	logos     Logos
	headings  []string // see Section.setAs
	// undescribed has the indices of the categories without a description.
	undescribed []int
	// incomplete holds the names of files that could not be read completely. References to their
	// entries are not checked, because the entries may be in the part that could not be read.
	incomplete map[string]bool
	// undecoded holds the decoding problems of each file, by name.
	undecoded map[string][]strictyaml.Problem
}

// Shallow returns a copy whose lists can be replaced without changing the original.
func (c *Content) Shallow() *Content {
	other := *c
	return &other
}

// All returns the listings, and then those whose files could not be read.
func (c *Content) All() []*Listing { return slices.Concat(c.Listings, c.Unreadable) }

// BySlug returns all listings by their present and former slugs.
func (c *Content) BySlug() map[string]*Listing { return bySlug(c.All()) }

func bySlug(listings []*Listing) map[string]*Listing {
	all := map[string]*Listing{}
	for _, x := range listings {
		for _, slug := range x.Slugs() {
			all[slug] = x
		}
	}
	return all
}

// TaxonomyError returns the first error in the taxonomy, or nil.
func (c *Content) TaxonomyError() *Finding {
	for _, f := range c.taxonomy.findings {
		if f.Rule.Severity == rule.Error {
			return &f
		}
	}
	return nil
}

// IsWhole reports whether the taxonomy and all listings could be read completely. If not, a value
// that no listing seems to have may be in a part that could not be read.
func (c *Content) IsWhole() bool {
	return len(c.taxonomy.incomplete) == 0 && len(c.Unreadable) == 0 &&
		!slices.ContainsFunc(c.Listings, func(l *Listing) bool { return !l.IsDecoded() })
}

// InTaxonomy returns a finding about the value at a path in a file of the taxonomy, such as
// products.yml. It is safe for concurrent use.
func (c *Content) InTaxonomy(file string, r rule.Rule, message string, path ...any) Finding {
	c.taxonomy.positions.Lock()
	defer c.taxonomy.positions.Unlock()
	return c.taxonomy.docs[file].at(r, message, path...)
}

// Document is a Markdown file with front matter: a listing or a page.
type Document struct {
	// File is the path below the content folder, with slashes.
	File string
	// Body is the text below the front matter.
	Body string
	Rendered

	// Untranslated lists the texts in the main language that a page in another shows: keys of the front matter,
	// and BodyKey.
	Untranslated []string

	unread      bool  // the file or its front matter could not be read
	undecoded   []int // lines of its front matter with values that could not be decoded
	bodyLine    int   // line of the file on which Body begins, from 1
	frontMatter []byte
	translation *translation // whose texts replace those of the file; nil for none

	// parsed caches the parsed frontMatter, for the positions of findings. The garbage collector
	// may free it, because the parsed files of a large catalogue take more memory than everything
	// else.
	positions sync.Mutex // guards parsed, which caches positions
	parsed    weak.Pointer[strictyaml.Document]
}

// Rendered is the rendered text of a document.
type Rendered struct {
	Sections []Section
	// IDs lists the identifiers of the headings. Links lists the links to the site itself.
	IDs   []string
	Links []SiteLink
	// Parts holds the parts that rules check.
	Parts Parts
}

// Listing is a tool, described by one file of the content folder.
type Listing struct {
	api.ProjectDetail
	Document
	// Key is the hash of the file, the settings, the taxonomy and the pictures.
	Key memo.Key

	encode  sync.Once
	encoded []byte
	failed  error
}

// Slugs returns the present slug and the former ones.
func (l *Listing) Slugs() []string { return append([]string{l.Slug}, l.Formerly...) }

// JSON returns the API's answer for the listing: an encoded api.ProjectDetail. The first call
// encodes it, or takes it from kept, which may be nil. Later calls must pass the same settings, and the listing must
// not change in between.
func (l *Listing) JSON(s *site.Settings, kept *memo.Store) ([]byte, error) {
	l.encode.Do(func() {
		key := memo.KeyOf("json", l.Key[:], fmt.Append(nil, s.Without, s.Optional, l.Similar))
		l.encoded, l.failed = memo.Of(kept, key, func() ([]byte, error) { return api.ProjectJSON(s, l.ProjectDetail) })
	})
	if l.failed != nil {
		return nil, fmt.Errorf("encode %s: %w", l.Slug, l.failed)
	}
	return l.encoded, nil
}

// Fields returns the settings after excluding the fields that no listing can have, such as
// estimates if listings have no setups, and advisories if no listing has them.
func (c *Content) Fields(s site.Settings) site.Settings {
	for _, field := range []string{api.EstimateKey, api.RunsWithKey} {
		if !hasKey(&c.Taxonomy, field) && s.Has(field) {
			s.Without = append(slices.Clone(s.Without), field)
		}
	}
	isAdvised := func(l *Listing) bool { return l.Advisories != nil }
	if s.Has(api.AdvisoriesKey) && !slices.ContainsFunc(c.Listings, isAdvised) {
		s.Without = append(slices.Clone(s.Without), api.AdvisoriesKey)
	}
	return s
}

// Again returns a copy of the listing for another catalogue, in which other listings may be similar
// to it.
func (l *Listing) Again() *Listing {
	again := &Listing{ProjectDetail: l.ProjectDetail, Key: l.Key, Document: Document{
		File: l.File, Body: l.Body, Rendered: l.Rendered, bodyLine: l.bodyLine, frontMatter: l.frontMatter,
		Untranslated: l.Untranslated, translation: l.translation,
	}}
	again.Similar = []string{}
	return again
}

// Page is an editorial page, such as about.
type Page struct {
	Slug        string
	Title       string
	Description string
	search      []string // see IsBuilt
	Document
}

// At returns a finding about the value at a path in the front matter. Keys in the path are strings,
// indices are ints.
func (d *Document) At(r rule.Rule, message string, path ...any) Finding {
	from := source{file: d.File}
	if d.frontMatter != nil {
		d.positions.Lock()
		defer d.positions.Unlock()
		if from.doc = d.parsed.Value(); from.doc == nil {
			from.doc, _ = strictyaml.Parse(d.frontMatter, frontMatterLine)
			if d.translation != nil {
				d.translation.open().mergeInto(from.doc.Root())
			}
			d.parsed = weak.Make(from.doc)
		}
	}
	return from.at(r, message, path...)
}

// IsDecoded reports whether all values of the front matter could be decoded.
func (d *Document) IsDecoded() bool { return len(d.undecoded) == 0 }

// IsReported reports whether a value on a line of the front matter could not be decoded, so that a finding tells of it.
func (d *Document) IsReported(line int) bool { return slices.Contains(d.undecoded, line) }

// InBody returns a finding about the text of the document at an offset in bytes.
func (d *Document) InBody(r rule.Rule, message string, offset int) Finding {
	before := d.Body[:offset]
	return Finding{d.File, d.bodyLine + strings.Count(before, "\n"), offset - strings.LastIndexByte(before, '\n'), r,
		message}
}

// setBody renders the text of a document, which is at a place.
func (d *Document) setBody(parts split, p place) renderedBody {
	body := renderMarkdown(parts.body, p, parts.bodyLine)
	d.Body, d.bodyLine, d.Rendered = string(parts.body), parts.bodyLine, body.Rendered
	return body
}

// Finding is a mistake in a content folder.
type Finding struct {
	File         string    // below the content folder, with slashes
	Line, Column int       // from 1
	Rule         rule.Rule // the broken rule
	Message      string
}

// FileFinding returns a finding about a file that could not be read.
func FileFinding(file string, wrong *regular.Error) Finding {
	if wrong.Conflict > 0 {
		return Finding{file, wrong.Conflict, 1, rule.MergeConflict, wrong.Reason}
	}
	return Finding{file, 1, 1, rule.File, wrong.Reason}
}

// String returns the finding as file:line:column: message.
func (f Finding) String() string {
	kind := ""
	if f.Rule.Severity == rule.Warning {
		kind = "warning: "
	}
	return fmt.Sprintf("%s:%d:%d: %s%s", f.File, f.Line, f.Column, kind, f.Message)
}

// HasErrors reports whether any finding stops a build.
func HasErrors(findings []Finding) bool { return CountErrors(findings) > 0 }

// CountErrors returns how many findings stop a build.
func CountErrors(findings []Finding) int {
	n := 0
	for _, f := range findings {
		if f.Rule.Severity == rule.Error {
			n++
		}
	}
	return n
}

// Leveled sets the severity of findings to the levels in a setting rules, and drops findings of
// rules that are off. It changes the given findings.
func Leveled(findings []Finding, levels map[string]string) []Finding {
	for i := range findings {
		findings[i].Rule = findings[i].Rule.At(levels)
	}
	return slices.DeleteFunc(findings, func(f Finding) bool { return f.Rule.Severity == rule.Off })
}

// SortFindings sorts findings by file, line, column and message.
func SortFindings(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column,
			strings.Compare(a.Message, b.Message))
	})
}

// Options configures Load.
type Options struct {
	Dir      string        // the content folder
	Settings site.Settings // the settings of the catalogue
	// Language is one of the setting languages, whose translations replace the texts that they translate; ""
	// for the main language.
	Language string
	Jobs     int      // files read at once, at least 1
	Today    api.Date // dates after this day are mistakes; see LatestDay
	// Memo keeps checked listings for later loads; nil for none.
	Memo *memo.Store
	// Last is the Content of an earlier load; nil for none. Its taxonomy is reused if the taxonomy
	// files and the settings have not changed.
	Last *Content
	// Progress is called after each file with the number of files read so far and the total, from
	// several goroutines. It may be nil.
	Progress func(done, total int)
}

// LatestDay returns the current day at UTC+14, where each day begins first. A later day is in the
// future everywhere.
func LatestDay(now time.Time) api.Date { return api.DateOf(now.Add(14 * time.Hour)) }

// Load reads and checks a content folder. The findings are sorted by position, and have the levels of the
// setting rules. If one of them is an error, the Content must not be used for a build. Load returns an
// error only if files cannot be read.
func Load(ctx context.Context, o Options) (*Content, []Finding, error) {
	files, err := Files(o.Dir, o.Settings)
	if err != nil {
		return nil, nil, err
	}
	l := newLoader(o)
	c := &Content{translated: l.translated, Translations: map[string][]string{}}
	if err := l.addTaxonomy(c); err != nil {
		return nil, nil, err
	}
	if len(files) == 0 {
		l.find(Finding{File: ".", Line: 1, Column: 1, Rule: rule.NoListings,
			Message: fmt.Sprintf("no file matches the setting include, which is %v: add listings below %s",
				o.Settings.Include, path.Join(o.Dir, "projects"))})
	}
	if err := l.addListings(ctx, c, files); err != nil {
		return nil, nil, err
	}
	c.describe(o.Settings.Lang)
	if err := l.addPages(c); err != nil {
		return nil, nil, err
	}
	l.acrossListings(c.Listings, c.Pages)
	l.retiredAcross(c.Listings)
	l.logosAcross(c.Listings)
	c.Listings = slices.DeleteFunc(c.Listings, func(x *Listing) bool {
		if x.unread {
			c.Unreadable = append(c.Unreadable, x)
		}
		return x.unread
	})
	if err := l.addChanges(c); err != nil {
		return nil, nil, err
	}
	if err := l.ignoredFiles(c, files); err != nil {
		return nil, nil, err
	}
	c.Pictures = l.usedPictures(c)
	SortFindings(l.findings)
	return c, Leveled(l.findings, o.Settings.Rules), nil
}

// addTaxonomy loads the taxonomy, or reuses that of the last load.
func (l *loader) addTaxonomy(c *Content) (err error) {
	key, err := l.readTaxonomy()
	if err != nil {
		return err
	}
	if last := l.options.Last; last != nil && last.taxonomy.key == key {
		c.Taxonomy, l.taxonomy = last.Taxonomy, last.taxonomy
		l.findings = slices.Clone(l.taxonomy.findings)
	} else {
		c.Taxonomy = l.loadTaxonomy()
		l.taxonomy.retired = l.retired(&c.Taxonomy)
		l.taxonomy.sets = l.sets(&c.Taxonomy)
		l.taxonomy.logos = l.logos(&c.Taxonomy)
		l.dropConsequences()
		l.taxonomy.key, l.taxonomy.findings = key, slices.Clone(l.findings)
	}
	if c.Pictures, c.PictureNotices, err = l.pictures(); err != nil {
		return err
	}
	c.Key = keyWith(key, c.Pictures)
	c.taxonomy, c.Retired, c.Sets, c.Logos = l.taxonomy, l.taxonomy.retired, l.taxonomy.sets, l.taxonomy.logos
	c.FrontMatter = NewFrontMatter(&l.options.Settings, &c.Taxonomy)
	c.FrontMatter.incomplete, c.FrontMatter.headings = l.taxonomy.incomplete, l.taxonomy.headings
	return nil
}

func (l *loader) addListings(ctx context.Context, c *Content, files []string) error {
	check := newListingChecker(c.FrontMatter, c.Key, l.options.Today)
	check.pictures = c.Pictures
	c.Listings = make([]*Listing, len(files))
	var done atomic.Int64
	err := parallel.Each(ctx, l.options.Jobs, len(files), func(i int) (err error) {
		c.Listings[i], err = l.listing(files[i], check)
		if l.options.Progress != nil {
			l.options.Progress(int(done.Add(1)), len(files))
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(c.Listings, func(a, b *Listing) int {
		return cmp.Or(strings.Compare(a.Slug, b.Slug), strings.Compare(a.File, b.File))
	})
	return nil
}

func (l *loader) addPages(c *Content) error {
	files, err := doublestar.Glob(l.root, "pages/*.md")
	if err != nil {
		return fmt.Errorf("content folder %s: %w", l.options.Dir, err)
	}
	for _, file := range withoutTranslations(files, &l.options.Settings) {
		page, err := l.page(file, c.Pictures)
		if err != nil {
			return err
		}
		c.Pages = append(c.Pages, page)
	}
	slices.SortFunc(c.Pages, func(a, b *Page) int { return strings.Compare(a.Slug, b.Slug) })
	return nil
}

// CheckFolder returns an error if there is no content folder at dir.
func CheckFolder(dir string) error {
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("content folder %s: there is no such folder: "+
			"choose another with --content, or create a new catalogue with catalog init DIR", dir)
	case err != nil:
		return fmt.Errorf("content folder %s: %w; choose another with --content", dir, err)
	case !info.IsDir():
		return fmt.Errorf("content folder %s: it is not a folder: choose a folder with --content", dir)
	}
	return nil
}

// Files returns the sorted paths, with slashes, of the listings below a content folder: those that
// match an include glob and no exclude glob.
func Files(dir string, s site.Settings) ([]string, error) {
	if err := CheckFolder(dir); err != nil {
		return nil, err
	}
	root := os.DirFS(dir)
	var files []string
	for _, glob := range s.Include {
		matched, err := doublestar.Glob(root, glob, doublestar.WithFilesOnly(), doublestar.WithFailOnIOErrors())
		if errors.Is(err, doublestar.ErrBadPattern) {
			return nil, fmt.Errorf(
				"setting include: %q is not a glob; see https://pkg.go.dev/github.com/bmatcuk/doublestar/v4", glob)
		}
		if err != nil {
			return nil, fmt.Errorf("find listings: %w", err)
		}
		files = append(files, matched...)
	}
	for _, glob := range s.Exclude {
		if !doublestar.ValidatePattern(glob) {
			return nil, fmt.Errorf(
				"setting exclude: %q is not a glob; see https://pkg.go.dev/github.com/bmatcuk/doublestar/v4", glob)
		}
		files = slices.DeleteFunc(files, func(f string) bool { return doublestar.MatchUnvalidated(glob, f) })
	}
	files = withoutTranslations(files, &s)
	// Skip hidden files, because editors keep such files next to the one being edited.
	files = slices.DeleteFunc(files, func(f string) bool { return strings.HasPrefix(path.Base(f), ".") })
	slices.Sort(files)
	return slices.Compact(files), nil
}

// isListing reports whether a file of this name would be a listing: see Files.
func isListing(file string, s *site.Settings) bool {
	matches := func(glob string) bool { return doublestar.MatchUnvalidated(glob, file) }
	return slices.ContainsFunc(s.Include, matches) && !slices.ContainsFunc(s.Exclude, matches)
}

// loader collects findings while files are read.
type loader struct {
	root          fs.FS
	options       Options
	taxonomyFiles map[string]readFile // by name
	logoFiles     map[string]readFile // the files of LogosFolder, by name
	taxonomy      *parsedTaxonomy

	mu         sync.Mutex
	findings   []Finding
	translated map[string]bool // the files that have a translation
}

func newLoader(o Options) *loader {
	return &loader{
		root: os.DirFS(o.Dir), options: o, taxonomyFiles: map[string]readFile{}, logoFiles: map[string]readFile{},
		translated: map[string]bool{},
		taxonomy: &parsedTaxonomy{
			docs: map[string]source{}, incomplete: map[string]bool{}, undecoded: map[string][]strictyaml.Problem{},
		},
	}
}

// read returns the text of a file. If the file is not regular, is too large, or has a merge
// conflict, it adds a finding and ok is false. err is an error of the file system.
func (l *loader) read(file string, most int64) (text []byte, ok bool, err error) {
	text, err = regular.ReadText(filepath.Join(l.options.Dir, filepath.FromSlash(file)), most)
	if wrong, ok := errors.AsType[*regular.Error](err); ok {
		l.find(FileFinding(file, wrong))
		return nil, false, nil
	}
	return text, err == nil, err
}

func (l *loader) find(f ...Finding) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.findings = append(l.findings, f...)
}
