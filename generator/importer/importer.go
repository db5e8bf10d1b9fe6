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
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/site"
	"catalog.example/generator/content"
	"catalog.example/generator/edit"
	"catalog.example/generator/output"
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
	Entries int // of the source, without those that the map skips
	// New, Updated and Same count listings that are written, written anew, and unchanged. Deleted counts
	// listings that somebody has deleted since the last import; they stay deleted.
	New, Updated, Same, Deleted int
	// Left has the slugs of listings whose entries have left the source.
	Left []string
	// Unused has the fields that no listing of a new catalogue has, and that the setting without may name.
	Unused []string

	dir    string
	files  []output.Text
	loaded *content.Content
}

// Prepare reads a source and plans its import.
func Prepare(ctx context.Context, o Options) (*Plan, error) {
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	p := &Plan{dir: o.Content.Dir}
	o.Content.Progress = func(done, total int) { o.Progress("catalogue", done, total) }
	loaded, findings, err := content.Load(ctx, o.Content)
	if err != nil {
		return nil, err
	}
	if !loaded.TaxonomyIsValid() {
		i := slices.IndexFunc(findings, func(f content.Finding) bool { return strings.HasPrefix(f.File, "taxonomy/") })
		return nil, fmt.Errorf("%s: correct the taxonomy first; catalog lint shows all errors", findings[i])
	}
	p.loaded = loaded
	last, err := readState(stateFile(p.dir, o.Name))
	if err != nil {
		return nil, err
	}
	entries, err := read(ctx, o.Source, o.Map, &p.Report,
		func(done, total int) { o.Progress("source", done, total) })
	if err != nil {
		return nil, err
	}
	taxonomy := loaded.Taxonomy
	c := &converter{m: o.Map, report: &p.Report, settings: &o.Content.Settings, taxonomy: &taxonomy,
		matter: loaded.FrontMatter, today: o.Today, noAdd: o.NoTaxonomy,
		add: additions{options: map[string][]api.FactOption{}}}
	if err := c.checkFields(); err != nil {
		return nil, err
	}
	var listings []*listing
	for i, e := range entries {
		if l := c.convert(e); l != nil {
			listings = append(listings, l)
		}
		o.Progress("entries", i+1, len(entries))
	}
	if p.Entries = len(entries); len(listings) == 0 {
		return p, &NothingError{}
	}
	if err := c.defineFacts(); err != nil {
		return nil, err
	}
	listings = c.identify(listings, loaded, last)
	if len(loaded.Listings) == 0 {
		p.Unused = unused(loaded.FrontMatter, listings)
	}
	return p, p.plan(ctx, o, c, listings, last)
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
	return slices.DeleteFunc(site.OptionalFields(), func(field string) bool { return used[field] || !m.Has(field) })
}

// NothingError says that no entry became a listing. The report says why.
type NothingError struct{}

// Error implements error.
func (*NothingError) Error() string {
	return "no entry of the source can become a listing; nothing is written"
}

// otherKinds are kinds of facts whose values no column or path holds.
var otherKinds = []api.FactKind{api.FactPicture, api.FactSetups, api.FactDates, api.FactPlace}

// checkFields checks the fields of the map against the catalogue.
func (c *converter) checkFields() error {
	var wrong []error
	for _, key := range c.m.keys {
		first, fact, _ := strings.Cut(key, ".")
		switch {
		case first == "fitNotes" && (c.m.fact(c.taxonomy, fact) == nil || c.noAdd && c.taxonomy.Fact(fact) == nil):
			wrong = append(wrong, fmt.Errorf("map: %s: the catalogue has no fact %q: define it below facts in the "+
				"map, or in taxonomy/%s", key, fact, content.FactsFile))
		case first == "fitNotes" && slices.Contains(otherKinds, c.m.fact(c.taxonomy, fact).Kind):
			wrong = append(wrong, fmt.Errorf("map: %s: facts of the kind %s cannot be imported: remove the field", key,
				c.m.fact(c.taxonomy, fact).Kind))
		case first != "body" && first != "slug" && first != "fitNotes" && !c.matter.Has(first):
			c.report.tell(LeftOut, c.m.name, nil, "without", "%s: listings of this catalogue do not have this field, "+
				"because of the setting without in catalog.yml", key)
		}
	}
	return errors.Join(wrong...)
}

// identify gives each listing a slug, and makes names distinct. It leaves out entries that repeat another one.
func (c *converter) identify(listings []*listing, loaded *content.Content, last map[string]written) []*listing {
	keys, slugs := map[string]*listing{}, map[string]bool{}
	for _, w := range last {
		slugs[w.Slug] = true
	}
	names, others := map[string]bool{}, map[string]*content.Listing{} // others are not of this import
	for _, x := range slices.Concat(loaded.Listings, loaded.Unreadable) {
		if !slugs[x.Slug] && !slices.ContainsFunc(x.Formerly, func(slug string) bool { return slugs[slug] }) {
			names[content.NameKey(x.Name)], others[content.NameKey(x.Name)] = true, x
		}
	}
	for _, x := range slices.Concat(loaded.Listings, loaded.Unreadable) {
		for _, slug := range append([]string{x.Slug}, x.Formerly...) {
			slugs[slug] = true
		}
	}
	for _, r := range loaded.Retired {
		for _, slug := range r.Slugs() {
			slugs[slug] = true
		}
	}
	var list []*listing
	for _, l := range listings {
		name := l.values["name"].(string)
		if first := keys[l.key]; first != nil {
			if maps.EqualFunc(first.values, l.values, func(a, b any) bool { return hashOfValue(a) == hashOfValue(b) }) {
				c.report.tell(Skipped, l.entry.file, l.node, repeated, "%q repeats the entry of %s in line %d", name,
					first.entry.file, first.node.Line)
				continue
			}
			key := l.key
			for n := 2; keys[l.key] != nil; n++ {
				l.key = fmt.Sprintf("%s #%d", key, n)
			}
		}
		keys[l.key] = l
		before := last[l.key]
		if existing := others[content.NameKey(name)]; before.Slug == "" && existing != nil {
			c.report.tell(Kept, l.entry.file, l.node, "exists",
				"%q is in the catalogue already: only its empty fields are filled in", existing.Name)
			l.slug = existing.Slug
			list = append(list, l)
			delete(others, content.NameKey(name))
			continue
		}
		c.distinguish(l, names)
		names[content.NameKey(l.values["name"].(string))] = true
		if l.slug = c.slugFor(l, before.Slug, slugs); l.slug == "" {
			continue
		}
		slugs[l.slug] = true
		if former, ok := l.values["formerly"].([]string); ok { // sources list the present address, too
			l.values["formerly"] = slices.DeleteFunc(former, func(slug string) bool { return slug == l.slug })
		}
		list = append(list, l)
	}
	return list
}

// repeated is the group of notes about entries that repeat others.
const repeated = "repeated"

// distinguish adds to a name that another listing has, because names are unique.
func (c *converter) distinguish(l *listing, names map[string]bool) {
	name := l.values["name"].(string)
	if !names[content.NameKey(name)] {
		return
	}
	mark := fmt.Sprint(l.values["category"])
	for _, x := range c.taxonomy.Categories {
		if x.Slug == mark {
			mark = x.Name
		}
	}
	longest := []rune(name)
	longest = longest[:min(len(longest), maxNameLength-len([]rune(mark))-len(" () 9999"))]
	with := fmt.Sprintf("%s (%s)", string(longest), mark)
	for n := 2; names[content.NameKey(with)]; n++ {
		with = fmt.Sprintf("%s (%s %d)", string(longest), mark, n)
	}
	c.report.tell(Changed, l.entry.file, l.placeOf("name"), "name taken",
		"name: another listing is called %q: this one becomes %q", name, with)
	l.values["name"] = with
}

// slugFor returns the slug of a listing: that of the last import, the one of the map, or one made from the name.
func (c *converter) slugFor(l *listing, before string, taken map[string]bool) string {
	if before != "" {
		return before
	}
	name := l.values["name"].(string)
	slug := cmp.Or(l.slug, content.Slug(name, c.settings.Lang))
	const room = len("-999")
	if len(slug) > api.MaxSlug-room {
		slug = strings.TrimRight(slug[:api.MaxSlug-room], "-")
	}
	if content.CheckSlug(slug) != "" {
		c.report.tell(Skipped, l.entry.file, l.placeOf("name"), "no slug",
			"the name %q has no letters or digits for an address: fill slug in the map", name)
		return ""
	}
	free := slug
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s-%d", slug, n)
	}
	if free != slug {
		c.report.tell(Changed, l.entry.file, l.placeOf("name"), "slug taken", "the slug %q is taken: %q becomes %s",
			slug, name, free)
	}
	return free
}

// Changes returns the files that Apply writes, below the content folder, sorted.
func (p *Plan) Changes() (names []string) {
	for _, f := range p.files {
		name, err := filepath.Rel(p.dir, f.Name)
		if err != nil {
			name = f.Name
		}
		names = append(names, filepath.ToSlash(name))
	}
	slices.Sort(names)
	return names
}

// IsWhole reports whether every entry of the source that the map does not skip could be read. If not, listings may
// seem to have left the source.
func (p *Plan) IsWhole() bool {
	return !slices.ContainsFunc(p.Notes, func(n Note) bool {
		return n.Kind == Skipped && n.Group != repeated && !strings.HasPrefix(n.Group, skipGroup)
	})
}

// Apply writes the plan. If it fails or ctx ends, it restores the content folder.
func (p *Plan) Apply(ctx context.Context) error { return output.Replace(ctx, p.files, nil) }

// Retire removes the listings whose entries have left the source, as catalog retire does. Call it after Apply,
// with the content loaded again.
func (p *Plan) Retire(c *content.Content, because string, day api.Date) error {
	for _, slug := range p.Left {
		change, err := edit.Retire(c, p.dir, slug, "", because, day)
		if err != nil {
			return err
		}
		if err := change.Apply(); err != nil {
			return err
		}
		c.Listings = slices.DeleteFunc(c.Listings, func(l *content.Listing) bool { return l.Slug == slug })
	}
	return nil
}

// write adds a file to the plan, unless it has this text already.
func (p *Plan) write(name string, text []byte) {
	name = filepath.Join(p.dir, filepath.FromSlash(name))
	if before, err := os.ReadFile(name); err != nil || !bytes.Equal(before, text) {
		p.files = append(p.files, output.Text{Name: name, Content: text})
	}
}
