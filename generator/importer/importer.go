// Package importer makes listings of a list that somebody has: a table, JSON, YAML, Markdown.
//
// A Map says which column or path of the source becomes which field. Prepare reads the source and plans
// everything: the listings, what the taxonomy lacks, and a Report of what did not fit, with its place in the
// source. Apply then writes the plan. Listings that lint would refuse are mended or left out, so that an import
// never breaks a catalogue.
//
// Prepare can be run again. It notes a hash of each value that it writes, and changes only values that still
// have it, so that edits stay.
package importer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/output"
	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// Options configures Prepare.
type Options struct {
	Source  string // a file or a folder
	Map     *Map
	Name    string // of the import; its state has this name
	Content content.Options
	Today   api.Date // addedAt of new listings
	// NoTaxonomy leaves out values that the taxonomy lacks. By default, they are added to it.
	NoTaxonomy bool
	// Fresh writes anew what somebody has edited or deleted since the last import.
	Fresh bool
	// Progress is called with the number of parts of a stage that are done. It may be nil.
	Progress func(stage string, done, total int)
}

// Plan is a planned import.
type Plan struct {
	Report
	Entries int // of the source
	// New, Updated and Same count listings that are written, written anew, and unchanged. Deleted counts
	// listings that somebody has deleted since the last import; they stay deleted.
	New, Updated, Same, Deleted int
	// Edits counts the values that stay because somebody has edited them. The report lists them.
	Edits int
	// Left has the slugs of listings whose entries have left the source.
	Left []string
	// OwnMap is the file of the import's map, below the content folder, if another one was given: a shipped one, of
	// which this import writes a copy if there is no such file.
	OwnMap string
	// Unused has the fields that no listing of a new catalogue has, and that the setting without may name.
	Unused []string
	// Patch has the files. If Apply fails or its context ends, it restores the content folder.
	output.Patch
}

// ErrNothing says that no entry became a listing. The report says why.
var ErrNothing = errors.New("no entry of the source can become a listing; nothing is written")

// Prepare reads a source and plans its import.
func Prepare(ctx context.Context, o Options) (*Plan, error) {
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	p := &Plan{Patch: output.Patch{Dir: o.Content.Dir}}
	o.Content.Progress = func(done, total int) { o.Progress("catalogue", done, total) }
	loaded, _, err := content.Load(ctx, o.Content)
	if err != nil {
		return nil, err
	}
	if wrong := loaded.TaxonomyError(); wrong != nil {
		return nil, fmt.Errorf("%s: correct the taxonomy first; catalog lint shows all errors", wrong)
	}
	last, err := readState(p.Path(stateFile(o.Name)))
	if err != nil {
		return nil, err
	}
	entries, err := read(ctx, o.Source, o.Map, &p.Report, func(done, all int) { o.Progress("source", done, all) })
	if err != nil {
		return nil, err
	}
	c := &converter{Options: o, Plan: p, loaded: loaded, present: loaded.BySlug(), last: last,
		now: &state{entries: map[string]written{}, facts: maps.Clone(last.facts)}, matter: loaded.FrontMatter,
		terms: map[string]term{}, added: map[string][]*yaml.Node{}, skipped: map[string]bool{},
		unfit: map[string]bool{}, licenses: map[string][2]string{}, chapters: map[string]string{}}
	if err := c.learnFacts(); err != nil {
		return nil, err
	}
	if err := errors.Join(c.setTargets(), o.Map.checkPaths(entries)); err != nil {
		return nil, err
	}
	c.learnTaxonomy()
	learnForms(c.targets, entries, o.Content.Settings.Lang)
	var listings []*listing
	for i, e := range entries {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if l := c.convert(e); l != nil {
			listings = append(listings, l)
		}
		o.Progress("entries", i+1, len(entries))
	}
	if p.Entries = len(entries); len(listings) == 0 {
		p.tellRepeated()
		return p, ErrNothing
	}
	if err := c.addFacts(); err != nil {
		return nil, err
	}
	tellLast(listings)
	listings = c.identify(listings)
	p.tellUnused(o.Map, c.targets, entries)
	c.relate(listings)
	p.tellRepeated()
	if len(loaded.Listings) == 0 {
		p.Unused = unused(loaded.FrontMatter, listings)
	}
	return p, c.plan(ctx, listings)
}

// setTargets sets the fields of the map. It checks them against the catalogue.
func (c *converter) setTargets() error {
	c.required = slices.Clone(required)
	if c.matter.Requires("repositoryUrl") {
		c.required = slices.Insert(c.required, len(c.required)-1, "repositoryUrl")
	}
	var wrong []error
	for _, key := range slices.Concat(c.required, c.Map.keys) {
		t, why := c.newTarget(key), ""
		first, _, _ := strings.Cut(key, ".")
		if first == "fitNotes" {
			why = c.checkFact(t)
		}
		switch {
		case slices.ContainsFunc(c.targets, func(x *target) bool { return x.key == key }): // required
		case why != "":
			wrong = append(wrong, c.Map.errorAt(key+": "+why, "fields", key))
		case !slices.Contains([]string{"body", "slug", "fitNotes"}, first) && !c.matter.Has(first):
			c.tell(LeftOut, c.Map.name, nil, "%s: listings of this catalogue do not have this field, because of "+
				"the setting without in catalog.yml", key)
		default:
			t.further = slices.ContainsFunc(c.targets, func(x *target) bool { return x.whole == t.whole })
			c.targets = append(c.targets, t)
		}
	}
	isJudged := func(t *target) bool { return t.fact != nil && t.fact.Kind != api.FactPicture && !c.hasSource(t.fact) }
	if c.Map.Source != "" && slices.ContainsFunc(c.targets, isJudged) {
		c.tell(Noted, c.Map.name, yamlnode.Child(c.Map.doc.Root(), "source"), "source: it has no address, so it "+
			"counts only for facts with sourced: true, and pages call the others judged: write where the list can be "+
			"read, such as https://example.org/list.csv (2026-11-29)")
	}
	return errors.Join(wrong...)
}

// unused returns the optional fields that no listing has.
func unused(m *content.FrontMatter, listings []*listing) []string {
	used := map[string]bool{}
	for _, l := range listings {
		for key := range l.values {
			first, _, _ := strings.Cut(key, ".")
			used[first] = true
		}
	}
	return slices.DeleteFunc(site.OptionalFields(), func(field string) bool {
		return used[field] || !m.Has(field) || field == api.AdvisoriesKey // which refresh writes
	})
}

// Changes returns the files that Apply writes, below the content folder, sorted.
func (p *Plan) Changes() (names []string) {
	for _, f := range p.Files {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return names
}

// IsWhole reports whether every entry of the source that the map does not skip could be read. If not, listings may
// seem to have left the source.
func (p *Plan) IsWhole() bool { return p.Count(Skipped) == 0 }
