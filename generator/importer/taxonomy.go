package importer

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/generator/canonical"
	"catalog.example/generator/content"
	"catalog.example/generator/strictyaml"
	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// term is a category, a platform or a product.
type term struct {
	id   string // what listings write
	name string
}

// termKind is a kind of terms, and the file of the taxonomy that defines them.
type termKind struct{ name, file string }

var (
	categories = &termKind{"category", content.CategoriesFile}
	platforms  = &termKind{"platform", content.PlatformsFile}
	products   = &termKind{"product", content.ProductsFile}
	// termKinds has the kinds of terms by the fields that have them.
	termKinds = map[string]*termKind{"category": categories, "alsoIn": categories, "platforms": platforms,
		"replaces": products}
)

// learn makes a term known. Of terms with the same name, the first counts.
func (c *converter) learn(kind *termKind, slug string, names ...string) term {
	t := term{slug, names[0]}
	if kind == products {
		t.id = t.name
	}
	c.terms[kind.name+"/"+slug] = t
	for _, name := range names {
		if key := kind.name + " " + content.NameKey(name); c.terms[key].id == "" {
			c.terms[key] = t
		}
	}
	return t
}

// learnTaxonomy makes the terms of the catalogue known.
func (c *converter) learnTaxonomy() {
	for _, x := range c.loaded.Taxonomy.Categories {
		c.learn(categories, x.Slug, x.Name)
	}
	for _, x := range c.loaded.Taxonomy.Platforms {
		c.learn(platforms, x.Slug, x.Name)
	}
	for _, x := range c.loaded.Taxonomy.Products {
		c.learn(products, x.Slug, append([]string{x.Name}, x.Aliases...)...)
	}
}

// term returns what listings write for a term, and adds it to the taxonomy if it is new.
func (c *converter) term(l *listing, t *target, v value) (id, wrong string) {
	lang := c.Content.Settings.Lang
	kind, slug := termKinds[t.key], content.Slug(v.text, lang)
	known := cmp.Or(c.terms[kind.name+" "+content.NameKey(v.text)], c.terms[kind.name+"/"+slug])
	if chapter := l.groupOf(v.node); chapter != "" {
		if c.chapters[slug] = cmp.Or(c.chapters[slug], chapter); c.chapters[slug] != chapter {
			l.tellOnce("chapter "+slug, Noted, v.node, `the heading %q stands below %q and %q, and is one category, with {n} `+
				`entries of the second: to tell them apart, write category: {join: ["@chapter", "@section"], by: ": "}`,
				v.text, c.chapters[slug], chapter)
		}
	}
	switch {
	case known.id != "":
		return known.id, ""
	case c.NoTaxonomy || t.Unknown == "leave-out":
		return "", "it is no " + kind.name + " of the catalogue"
	case !canBeTerm(slug, v.text):
		return "", "it cannot be the name of a " + kind.name
	}
	l.tell(Added, v.node, "the %s %q", kind.name, v.text)
	n := yamlnode.Mapping(nil, "slug", slug, "name", v.text)
	switch kind {
	case categories:
		yamlnode.Add(n, "group", cmp.Or(c.Map.Group, l.groupOf(v.node), content.ImportedGroup(lang)))
	case products: // no list says who makes one, and pages do not name a maker that has its name
		yamlnode.Add(n, "maker", v.text)
	}
	c.added[kind.file] = append(c.added[kind.file], n)
	return c.learn(kind, slug, v.text).id, ""
}

// regroup gives the categories that an import wrote without a group, and that nobody has described since, that of the
// map. text is their file.
func (c *converter) regroup(text []byte) (after []byte, err error) {
	group, lang := yamlnode.Scalar(c.Map.Group, nil), c.Content.Settings.Lang
	for i, x := range c.loaded.Taxonomy.Categories {
		isImported := x.Group == content.ImportedGroup(lang) && slices.Contains(c.loaded.Undescribed(), i)
		if !isImported || c.Map.Group == "" || c.NoTaxonomy {
			continue
		}
		if text, err = canonical.SetInEntry(text, i, map[string]*yaml.Node{"group": group}); err != nil {
			return nil, err
		}
		c.tell(Changed, c.Map.name, yamlnode.Child(c.Map.doc.Root(), "group"), "the category %q follows the map: group",
			x.Name)
	}
	return text, nil
}

// groupOf returns the chapter of a category that is a section of it; "" for other categories.
func (e *entry) groupOf(category *yaml.Node) string {
	chapter := oneLine(textOf(e.beside["chapter"]))
	section := e.beside["section"]
	if category != section || chapter == oneLine(textOf(section)) || utf8.RuneCountInString(chapter) > content.MaxName {
		return ""
	}
	return chapter
}

// canBeTerm reports whether the taxonomy can have a slug and its name.
func canBeTerm(slug, name string) bool {
	return content.CheckSlug(slug) == "" && utf8.RuneCountInString(name) <= content.MaxName
}

// option is an option of a fact that the import defines, and how many entries have it.
type option struct {
	api.FactOption
	uses    int
	written map[string]int // how often a label is written in a way: the most frequent one counts
}

// option returns the slug of an option of a fact. It adds options to facts that the import defines.
func (c *converter) option(f *api.Fact, text string) (slug, wrong string) {
	slug = content.Slug(text, c.Content.Settings.Lang)
	is := func(o api.FactOption) bool { return o.Slug == slug || strings.EqualFold(o.Label, text) }
	if i := slices.IndexFunc(f.Values, is); i >= 0 {
		return f.Values[i].Slug, ""
	}
	i := slices.IndexFunc(c.options[f.Key], func(o *option) bool { return is(o.FactOption) })
	switch {
	case !c.defined.isOpen(f.Key, slug):
		return "", "it is no value of the fact: add - {slug: " + slug + ", label: " + text + "} to its values"
	case i < 0 && !canBeTerm(slug, text):
		return "", "it cannot be an option"
	case i < 0:
		i = len(c.options[f.Key])
		o := api.FactOption{Slug: slug, Label: text}
		c.options[f.Key] = append(c.options[f.Key], &option{o, 0, map[string]int{}})
	}
	o := c.options[f.Key][i]
	o.uses++
	if o.written[text]++; o.written[text] > o.written[o.Label] {
		o.Label = text
	}
	return o.Slug, ""
}

// The definitions of facts that an import wrote follow its map, except for what somebody has edited since.

// factsName is the file of the definitions of facts, below the content folder.
const factsName = "taxonomy/" + content.FactsFile

// definitions are those of facts in a catalogue.
type definitions struct {
	*converter
	text      []byte             // of the file as it will be
	last, now map[string]written // what the last import and this one wrote, by key
}

// learnFacts makes the facts of the catalogue known, as they will be, and then those of the map. last has the
// definitions that the last import wrote.
func (c *converter) learnFacts(last map[string]written) error {
	text, err := os.ReadFile(c.patch.Path(factsName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	c.defined = &definitions{c, text, last, maps.Clone(last)}
	for i := range c.Map.Facts {
		key := c.Map.Facts[i].Key
		if c.loaded.Taxonomy.Fact(key) == nil {
			delete(last, key) // it is defined anew
		}
		if last[key].Fact != "" && !c.NoTaxonomy {
			if err := c.defined.follow(i); err != nil {
				return err
			}
		}
	}
	if doc, _ := strictyaml.Parse(c.defined.text, 1); doc != nil {
		doc.Decode(&c.facts.Facts) // mistakes are told when the file is checked
	}
	c.facts.Facts = append(c.facts.Facts, c.Map.Facts...)
	return nil
}

// definition returns the definition of a fact in the file as it will be, and its index there.
func (d *definitions) definition(key string) (n *yaml.Node, index int) {
	doc, _ := strictyaml.Parse(d.text, 1)
	index = slices.IndexFunc(doc.Root().Content, func(n *yaml.Node) bool {
		return textOf(yamlnode.Child(n, "key")) == key
	})
	return doc.Root().Content[index], index
}

// set sets values of a definition, and tells of it.
func (d *definitions) set(i int, values map[string]*yaml.Node, kind Kind, format string, args ...any) (err error) {
	d.tell(kind, d.Map.name, d.Map.facts[i], format, args...)
	_, at := d.definition(d.Map.Facts[i].Key)
	if d.text, err = canonical.SetInEntry(d.text, at, values); err != nil {
		err = fmt.Errorf("%s: %w", factsName, err)
	}
	return err
}

// isOpen reports whether the source gives a fact its options, and may give it one that it does not have: not one that
// somebody has removed. A slug of "" stands for any.
func (d *definitions) isOpen(key, slug string) bool {
	i := slices.IndexFunc(d.Map.Facts, func(f api.Fact) bool { return f.Key == key })
	return i >= 0 && len(d.Map.Facts[i].Values) == 0 && d.Map.Facts[i].Kind.HasOptions() &&
		(d.loaded.Taxonomy.Fact(key) == nil || d.last[key].Fact != "" && !d.NoTaxonomy) &&
		(d.Fresh || d.last[key].Fields[optionKey(slug)] == "")
}

// optionKey returns the key of written.Fields for an option that the map or the source gave to a fact.
func optionKey(slug string) string { return "values." + slug }

// addOptions adds options to a list, unless fields has them: then somebody has removed those that are missing. It notes
// all in noted.
func addOptions(list *yaml.Node, options []*yaml.Node, fields, noted map[string]string) *yaml.Node {
	all := slices.Clone(yamlnode.Spread(list))
	key := func(n *yaml.Node) string { return optionKey(textOf(yamlnode.Child(n, "slug"))) }
	for _, o := range options {
		isIt := func(n *yaml.Node) bool { return key(n) == key(o) }
		if fields[key(o)] == "" && !slices.ContainsFunc(all, isIt) {
			all = append(all, o)
		}
	}
	for _, o := range all {
		noted[key(o)] = hashOf(o)
	}
	return yamlnode.List(all...)
}

// note notes what the map says of a fact, and which of its options come from the source.
func (d *definitions) note(i int, options map[string]string) {
	fields := map[string]string{}
	maps.Copy(fields, options)
	for key, value := range yamlnode.Pairs(d.Map.facts[i]) {
		fields[key.Value] = hashOf(value)
		if key.Value == "values" {
			addOptions(nil, value.Content, nil, fields)
		}
	}
	d.now[d.Map.Facts[i].Key] = written{Fact: d.Map.Facts[i].Key, Fields: fields}
}

// follow changes the definition of a fact that the last import wrote to what the map says, except for the options that
// the source gives.
func (d *definitions) follow(i int) error {
	n, key := d.Map.facts[i], d.Map.Facts[i].Key
	last, options := d.last[key].Fields, map[string]string{}
	for field, hash := range last {
		if d.isOpen(key, "") && strings.HasPrefix(field, "values") {
			options[field] = hash
		}
	}
	d.note(i, options)
	now, values := d.now[key].Fields, map[string]*yaml.Node{}
	all := maps.Clone(last)
	maps.Copy(all, now)
	present, _ := d.definition(key)
	for _, field := range slices.Sorted(maps.Keys(all)) {
		if options[field] != "" || strings.HasPrefix(field, optionKey("")) {
			continue
		}
		value, is := yamlnode.Child(n, field), hashOf(yamlnode.Child(present, field))
		was := last[field]
		if d.Fresh {
			was = is
		}
		switch kind := fate(was, is, now[field]); kind {
		case Changed:
			values[field] = value
		case Edited, Kept:
			d.Edits++
			d.tell(kind, d.Map.name, cmp.Or(value, n), "the fact %q: the edit of %s in %q stays", key, field, factsName)
			if before := yamlnode.Child(present, field); field == "values" && before != nil && value != nil {
				if all := addOptions(before, value.Content, last, now); len(all.Content) > len(before.Content) {
					values[field] = all
				}
			}
		}
	}
	if len(values) == 0 {
		return nil
	}
	return d.set(i, values, Changed, "the fact %q in %q follows the map: %s", key, factsName,
		strings.Join(slices.Sorted(maps.Keys(values)), ", "))
}

// tellIdle tells which categories and facts have lost their last use by this import: its map was corrected.
func (t *trial) tellIdle() {
	lost, used := map[string]bool{}, map[string]bool{}
	for _, x := range t.loaded.All() {
		now := lost
		if l := t.at[x.File]; l == nil || l.edits > 0 {
			now = used
		}
		for _, slug := range append([]string{x.Category}, x.AlsoIn...) {
			now[slug] = true
		}
	}
	for _, l := range t.at {
		also, _ := l.values["alsoIn"].([]string)
		for _, slug := range append(also, l.values["category"].(string)) {
			used[slug] = true
		}
	}
	for _, slug := range slices.Sorted(maps.Keys(lost)) {
		if !used[slug] {
			t.tell(Noted, "taxonomy/"+categories.file, nil, "no listing is in %q any more: remove the category here",
				slug)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(t.defined.last)) {
		isFilled := slices.ContainsFunc(t.targets, func(x *target) bool { return x.whole == "fitNotes."+key })
		if !isFilled && t.loaded.Taxonomy.Fact(key) != nil {
			t.tell(Noted, factsName, nil, "no field of the map fills %q any more: remove the fact here", key)
		}
	}
}

// maxOptions is the maximum number of options of a fact that an import defines.
const maxOptions = 200

// addFacts adds the facts of the map that the catalogue lacks, and new options.
func (d *definitions) addFacts() error {
	for i, n := range d.Map.facts {
		f := &d.Map.Facts[i]
		options, isNew := d.options[f.Key], d.loaded.Taxonomy.Fact(f.Key) == nil
		switch {
		case (!isNew || d.isOpen(f.Key, "")) && len(options) == 0: // no entry has a value, or none that is new
			continue
		case !slices.ContainsFunc(d.targets, func(t *target) bool { return t.whole == "fitNotes."+f.Key }):
			d.tell(Noted, d.Map.name, n, "the fact %q: it is not added, because no field of the map fills it", f.Key)
			continue
		case len(options) > maxOptions:
			return d.Map.errorAt(fmt.Sprintf("the fact %s has %d values, and at most %d can be chosen from: give it "+
				"the kind text or texts", f.Key, len(options), maxOptions), "facts", i)
		}
		if err := d.add(i, isNew, options); err != nil {
			return err
		}
	}
	return nil
}

// add adds a fact of the map, or new options of it.
func (d *definitions) add(i int, isNew bool, options []*option) error {
	n, key := d.Map.facts[i], d.Map.Facts[i].Key
	slices.SortStableFunc(options, func(a, b *option) int { // the most frequent first
		return cmp.Or(b.uses-a.uses, strings.Compare(a.Label, b.Label))
	})
	var choices []*yaml.Node
	for _, o := range options {
		choice := yamlnode.Mapping(nil, "slug", o.Slug, "label", o.Label)
		choice.Style = yaml.FlowStyle
		choices = append(choices, choice)
	}
	if isNew {
		yamlnode.Add(n, "values", yamlnode.List(choices...))
		d.note(i, nil)
		d.tell(Added, d.Map.name, n, "the fact %q (%s)", key, d.Map.Facts[i].Kind)
		d.added[content.FactsFile] = append(d.added[content.FactsFile], n)
		return nil
	}
	present, _ := d.definition(key)
	before, fields := yamlnode.Child(present, "values"), d.now[key].Fields
	values := addOptions(before, choices, nil, fields)
	if before == nil || hashOf(before) == fields["values"] {
		fields["values"] = hashOf(values)
	}
	return d.set(i, map[string]*yaml.Node{"values": values}, Added, "new options of the fact %q: %d", key, len(options))
}
