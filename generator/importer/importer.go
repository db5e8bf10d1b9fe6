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
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/edit"
	"catalog.example/generator/output"
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
	// Left has the slugs of listings whose entries have left the source.
	Left []string
	// Unused has the fields that no listing of a new catalogue has, and that the setting without may name.
	Unused []string

	patch  output.Patch
	loaded *content.Content
}

// ErrNothing says that no entry became a listing. The report says why.
var ErrNothing = errors.New("no entry of the source can become a listing; nothing is written")

// Prepare reads a source and plans its import.
func Prepare(ctx context.Context, o Options) (*Plan, error) {
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	p := &Plan{patch: output.Patch{Dir: o.Content.Dir}}
	o.Content.Progress = func(done, total int) { o.Progress("catalogue", done, total) }
	loaded, _, err := content.Load(ctx, o.Content)
	if err != nil {
		return nil, err
	}
	if wrong := loaded.TaxonomyError(); wrong != nil {
		return nil, fmt.Errorf("%s: correct the taxonomy first; catalog lint shows all errors", wrong)
	}
	p.loaded = loaded
	last, err := readState(p.patch.Path(stateFile(o.Name)))
	if err != nil {
		return nil, err
	}
	entries, err := read(ctx, o.Source, o.Map, &p.Report,
		func(done, total int) { o.Progress("source", done, total) })
	if err != nil {
		return nil, err
	}
	c, err := newConverter(o, loaded, &p.Report)
	if err := errors.Join(err, o.Map.checkPaths(entries)); err != nil {
		return nil, err
	}
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
	c.tellRepeated()
	if p.Entries = len(entries); len(listings) == 0 {
		return p, ErrNothing
	}
	if err := c.defineFacts(); err != nil {
		return nil, err
	}
	listings = c.identify(listings, loaded, last)
	c.relate(listings, loaded, last)
	if len(loaded.Listings) == 0 {
		p.Unused = unused(loaded.FrontMatter, listings)
	}
	return p, p.plan(ctx, o, c, listings, last)
}

// newConverter returns a converter. It checks the fields of the map against the catalogue.
func newConverter(o Options, loaded *content.Content, report *Report) (*converter, error) {
	c := &converter{m: o.Map, report: report, settings: &o.Content.Settings, taxonomy: &loaded.Taxonomy,
		facts:  api.Taxonomy{Facts: slices.Concat(loaded.Taxonomy.Facts, o.Map.Facts)},
		matter: loaded.FrontMatter, today: o.Today, noAdd: o.NoTaxonomy, terms: map[string]term{},
		added: map[string][]*yaml.Node{}, options: map[string][]api.FactOption{}, optionUses: map[[2]string]int{},
		licenses: map[string][2]string{}}
	c.learnTaxonomy()
	c.required = slices.Clone(required)
	if c.matter.Requires("repositoryUrl") {
		c.required = slices.Insert(c.required, len(c.required)-1, "repositoryUrl")
	}
	var wrong []error
	for _, key := range c.m.keys {
		first, _, _ := strings.Cut(key, ".")
		fact, whole, part := c.factOf(key)
		name := strings.TrimPrefix(whole, "fitNotes.")
		switch {
		case slices.Contains(c.required, key):
		case first == "fitNotes" && (fact == nil || c.noAdd && c.taxonomy.Fact(name) == nil):
			wrong = append(wrong, c.m.errorAt(fmt.Sprintf("%s: the catalogue has no fact %q: define it below facts "+
				"in the map, or in taxonomy/%s", key, name, content.FactsFile), "fields", key))
		case first == "fitNotes" && checkPart(fact, part) != "":
			wrong = append(wrong, c.m.errorAt(key+": "+checkPart(fact, part), "fields", key))
		case first == "fitNotes" && fact.Kind == api.FactSetups:
			wrong = append(wrong, c.m.errorAt(fmt.Sprintf("%s: facts of the kind %s cannot be imported: remove the "+
				"field", key, fact.Kind), "fields", key))
		case first != "body" && first != "slug" && first != "fitNotes" && !c.matter.Has(first):
			report.tell(LeftOut, c.m.name, nil, "%s: listings of this catalogue do not have this field, because of "+
				"the setting without in catalog.yml", key)
		default:
			c.others = append(c.others, key)
		}
	}
	return c, errors.Join(wrong...)
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

// withKeys gives each listing a key. It leaves out entries that repeat another one.
func withKeys(all []*listing) (listings []*listing, byKey map[string]*listing) {
	byKey = map[string]*listing{}
	for _, l := range all {
		key := l.key
		for n := 2; byKey[l.key] != nil && !reflect.DeepEqual(l.values, byKey[l.key].values); n++ {
			l.key = fmt.Sprintf("%s #%d", key, n)
		}
		if first := byKey[l.key]; first != nil {
			l.tell(Ignored, l.node, "%q repeats the entry in line %d of %q", l.values["name"], first.node.Line,
				first.file)
			continue
		}
		byKey[l.key] = l
		listings = append(listings, l)
	}
	return listings, byKey
}

// identify gives each listing a key and a slug, and makes names distinct. It leaves out what cannot have them.
func (c *converter) identify(all []*listing, loaded *content.Content, last map[string]written) []*listing {
	listings, byKey := withKeys(all)
	taken := newNames(loaded, last, byKey)
	return slices.DeleteFunc(listings, func(l *listing) bool {
		name := content.NameKey(l.values["name"].(string))
		if x, found := taken.free[name]; found && last[l.key].Slug == "" {
			delete(taken.free, name)
			if x.Key == "" {
				l.tell(Kept, l.node, "%q is in the catalogue already: only its empty fields are filled in", x.name)
				l.slug, l.called = x.Slug, x.name
				return false
			}
			delete(last, x.Key) // the key of the entry has changed
			delete(taken.names, name)
			x.Key = l.key
			last[l.key] = x.written
		}
		l.slug = cmp.Or(last[l.key].Slug, l.slug)
		c.distinguish(l, taken.names)
		if last[l.key].Slug == "" && !c.findSlug(l, taken.slugs) {
			return true
		}
		if former, ok := l.values["formerly"].([]string); ok { // sources list the present address, too
			l.values["formerly"] = slices.DeleteFunc(former, func(slug string) bool { return slug == l.slug })
		}
		return false
	})
}

// names are the names and slugs that are taken.
type names struct {
	names, slugs map[string]bool
	free         map[string]owner // of the listings whose key the source does not have, by name
}

// owner is a listing of the catalogue. Its Key is "" if the last import did not write it.
type owner struct {
	written
	name string // of the listing
}

// newNames returns the names and slugs of a catalogue. byKey has the listings of the source.
func newNames(loaded *content.Content, last map[string]written, byKey map[string]*listing) *names {
	n := &names{map[string]bool{}, map[string]bool{}, map[string]owner{}}
	bySlug := map[string]written{} // of the last import
	for _, w := range last {
		bySlug[w.Slug], n.slugs[w.Slug] = w, true
	}
	for _, x := range loaded.All() {
		w := written{Slug: x.Slug}
		for _, slug := range x.Slugs() {
			if n.slugs[slug] = true; w.Key == "" && bySlug[slug].Key != "" {
				w = bySlug[slug]
			}
		}
		if name := content.NameKey(x.Name); w.Key == "" || byKey[w.Key] == nil {
			n.names[name] = true
			if n.free[name].Key == "" { // one of the last import comes first
				n.free[name] = owner{w, x.Name}
			}
		}
	}
	for _, r := range loaded.Retired {
		for _, slug := range r.Slugs() {
			n.slugs[slug] = true
		}
	}
	return n
}

// distinguish adds to a name that another listing has, because names are unique.
func (c *converter) distinguish(l *listing, names map[string]bool) {
	name := l.values["name"].(string)
	l.called = name
	if names[content.NameKey(name)] {
		mark := c.terms["category/"+l.values["category"].(string)].name
		longest := []rune(name)
		longest = longest[:min(len(longest), content.MaxName-len([]rune(mark))-len(" () 9999"))]
		with := fmt.Sprintf("%s (%s)", string(longest), mark)
		for n := 2; names[content.NameKey(with)]; n++ {
			with = fmt.Sprintf("%s (%s %d)", string(longest), mark, n)
		}
		l.tell(Changed, l.placeOf("name"), "name: another listing is called %q: this one becomes %q", name, with)
		l.values["name"], name = with, with
	}
	names[content.NameKey(name)] = true
}

// findSlug gives a new listing the slug of the map, or one made from its name. It reports whether it can.
func (c *converter) findSlug(l *listing, taken map[string]bool) bool {
	name := l.values["name"].(string)
	slug := cmp.Or(l.slug, content.Slug(name, c.settings.Lang))
	const room = len("-999")
	if len(slug) > api.MaxSlug-room {
		slug = strings.TrimRight(slug[:api.MaxSlug-room], "-")
	}
	if content.CheckSlug(slug) != "" {
		l.tell(Skipped, l.placeOf("name"), "the name %q has no letters or digits for an address: fill slug in the map",
			name)
		return false
	}
	l.slug = slug
	for n := 2; taken[l.slug]; n++ {
		l.slug = fmt.Sprintf("%s-%d", slug, n)
	}
	if taken[l.slug] = true; l.slug != slug {
		l.tell(Changed, l.placeOf("name"), "the slug %q is taken: %q becomes %q", slug, name, l.slug)
	}
	return true
}

// Changes returns the files that Apply writes, below the content folder, sorted.
func (p *Plan) Changes() (names []string) {
	for _, f := range p.patch.Files {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return names
}

// IsWhole reports whether every entry of the source that the map does not skip could be read. If not, listings may
// seem to have left the source.
func (p *Plan) IsWhole() bool { return p.Count(Skipped) == 0 }

// Apply writes the plan. If it fails or ctx ends, it restores the content folder.
func (p *Plan) Apply(ctx context.Context) error { return p.patch.Apply(ctx) }

// Retire removes the listings whose entries have left the source, as catalog retire does. Call it after Apply,
// with the content loaded again.
func (p *Plan) Retire(ctx context.Context, c *content.Content, because string, day api.Date) error {
	for i, slug := range p.Left {
		change, err := edit.Retire(c, p.patch.Dir, slug, "", because, day)
		if err == nil {
			err = change.Apply(ctx)
		}
		if err != nil {
			return fmt.Errorf("the listings are imported, and %d of %d that have left the source are retired, "+
				"but not %s: %w", i, len(p.Left), slug, err)
		}
		c.Listings = slices.DeleteFunc(c.Listings, func(l *content.Listing) bool { return l.Slug == slug })
	}
	return nil
}
