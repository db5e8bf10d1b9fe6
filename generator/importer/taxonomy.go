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
	// taxonomyFiles are the files of the taxonomy that an import extends.
	taxonomyFiles = []string{content.FactsFile, categories.file, platforms.file, products.file}
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
		return "", "it is no " + kind.name + " of the catalogue, and none is added"
	case !canBeTerm(slug, v.text):
		return "", "it cannot be the name of a " + kind.name + nameLimit
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
// map.
func (c *converter) regroup() (err error) {
	file, lang := categories.file, c.Content.Settings.Lang
	group := map[string]*yaml.Node{"group": yamlnode.Scalar(c.Map.Group, nil)}
	for i, x := range c.loaded.Taxonomy.Categories {
		isImported := x.Group == content.ImportedGroup(lang) && slices.Contains(c.loaded.Undescribed(), i)
		if !isImported || c.Map.Group == "" || c.NoTaxonomy {
			continue
		}
		if c.texts[file], err = canonical.SetInEntry(c.texts[file], i, group); err != nil {
			return fmt.Errorf("taxonomy/%s: %w", file, err)
		}
		c.tell(Changed, c.Map.name, yamlnode.Child(c.Map.doc.Root(), "group"), "the category %q follows the map: group",
			x.Name)
	}
	return nil
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

// nameLimit says what a name of the taxonomy must have.
var nameLimit = fmt.Sprintf(": it must have letters or digits, and at most %d characters", content.MaxName)

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
	d := c.definitions[f.Key]
	if !d.isOpen(slug) {
		return "", "it is no value of the fact: add - {slug: " + slug + ", label: " + text + "} to its values"
	}
	i := slices.IndexFunc(d.options, func(o *option) bool { return is(o.FactOption) })
	switch {
	case i < 0 && !canBeTerm(slug, text):
		return "", "it cannot be an option" + nameLimit
	case i < 0:
		i = len(d.options)
		d.options = append(d.options, &option{api.FactOption{Slug: slug, Label: text}, 0, map[string]int{}})
	}
	o := d.options[i]
	o.uses++
	if o.written[text]++; o.written[text] > o.written[o.Label] {
		o.Label = text
	}
	return o.Slug, ""
}

// factsName is the file of the definitions of facts, below the content folder.
const factsName = "taxonomy/" + content.FactsFile

// definition is that of a fact in the map. That in the catalogue follows it, except for what somebody has edited since.
type definition struct {
	*converter
	fact    *api.Fact
	node    *yaml.Node        // as the map writes it
	index   int               // in the map
	isNew   bool              // whether the catalogue lacks the fact
	last    map[string]string // what the last import noted of it; nil if it stays as the catalogue has it
	options []*option         // that the source gives it
}

// learnFacts reads the files of the taxonomy, and makes the facts of the catalogue known, as they will be, and then
// those of the map.
func (c *converter) learnFacts() error {
	c.texts, c.definitions = map[string][]byte{}, map[string]*definition{}
	for _, file := range taxonomyFiles {
		text, err := os.ReadFile(c.Path("taxonomy/" + file))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		c.texts[file] = text
	}
	nodes := yamlnode.Spread(yamlnode.Child(c.Map.doc.Root(), "facts"))
	for i := range c.Map.Facts {
		f := &c.Map.Facts[i]
		d := &definition{converter: c, fact: f, node: nodes[i], index: i, isNew: c.loaded.Taxonomy.Fact(f.Key) == nil}
		c.definitions[f.Key] = d
		if last := c.last.facts[f.Key].Fields; last != nil && !d.isNew && !c.NoTaxonomy {
			d.last = last
			if err := d.follow(); err != nil {
				return err
			}
		}
	}
	if doc, _ := strictyaml.Parse(c.texts[content.FactsFile], 1); doc != nil {
		doc.Decode(&c.facts.Facts) // mistakes are told when the file is checked
	}
	c.facts.Facts = append(c.facts.Facts, c.Map.Facts...)
	return nil
}

// inCatalogue returns the definition in the file as it will be, and its index there.
func (d *definition) inCatalogue() (n *yaml.Node, index int) {
	doc, _ := strictyaml.Parse(d.texts[content.FactsFile], 1)
	index = slices.IndexFunc(doc.Root().Content, func(n *yaml.Node) bool {
		return textOf(yamlnode.Child(n, "key")) == d.fact.Key
	})
	return doc.Root().Content[index], index
}

// set sets values of the definition in the catalogue, and tells of it.
func (d *definition) set(values map[string]*yaml.Node, kind Kind, format string, args ...any) (err error) {
	d.tell(kind, d.Map.name, d.node, format, args...)
	_, at := d.inCatalogue()
	if d.texts[content.FactsFile], err = canonical.SetInEntry(d.texts[content.FactsFile], at, values); err != nil {
		err = fmt.Errorf("%s: %w", factsName, err)
	}
	return err
}

// isOpen reports whether the source gives the fact its options, and may give it one that it does not have: not one
// that somebody has removed. A slug of "" stands for any. A nil definition is not open.
func (d *definition) isOpen(slug string) bool {
	return d != nil && len(d.fact.Values) == 0 && d.fact.Kind.HasOptions() && (d.isNew || d.last != nil) &&
		(d.Fresh || d.last[optionKey(slug)] == "")
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

// note notes what the map says of the fact. fields has what is noted of the options that come from the source.
func (d *definition) note(fields map[string]string) {
	for key, value := range yamlnode.Pairs(d.node) {
		fields[key.Value] = hashOf(value)
		if key.Value == "values" {
			addOptions(nil, value.Content, nil, fields)
		}
	}
	d.now.facts[d.fact.Key] = written{Fact: d.fact.Key, Fields: fields}
}

// follow changes the definition that the last import wrote to what the map says, except for the options that the source
// gives.
func (d *definition) follow() error {
	now, values, isOpen := map[string]string{}, map[string]*yaml.Node{}, d.isOpen("")
	for field, hash := range d.last {
		if isOpen && strings.HasPrefix(field, "values") {
			now[field] = hash
		}
	}
	d.note(now)
	all := maps.Clone(d.last)
	maps.Copy(all, now)
	present, _ := d.inCatalogue()
	for _, field := range slices.Sorted(maps.Keys(all)) {
		if isOpen && field == "values" || strings.HasPrefix(field, optionKey("")) {
			continue
		}
		value, is, was := yamlnode.Child(d.node, field), hashOf(yamlnode.Child(present, field)), d.last[field]
		if d.Fresh {
			was = is
		}
		switch kind := fate(was, is, now[field]); kind {
		case Changed:
			values[field] = value
		case Edited, Kept:
			d.Edits++
			d.tell(kind, d.Map.name, cmp.Or(value, d.node), "the fact %q: the edit of %s in %q stays", d.fact.Key,
				field, factsName)
			if before := yamlnode.Child(present, field); field == "values" && before != nil && value != nil {
				if all := addOptions(before, value.Content, d.last, now); len(all.Content) > len(before.Content) {
					values[field] = all
				}
			}
		}
	}
	if len(values) == 0 {
		return nil
	}
	return d.set(values, Changed, "the fact %q in %q follows the map: %s", d.fact.Key, factsName,
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
		category, _ := l.values["category"].(string)
		for _, slug := range append(also, category) {
			used[slug] = true
		}
	}
	for _, slug := range slices.Sorted(maps.Keys(lost)) {
		if !used[slug] {
			t.tell(Noted, "taxonomy/"+categories.file, nil, "no listing is in %q any more: remove the category here",
				slug)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(t.last.facts)) {
		isFilled := slices.ContainsFunc(t.targets, func(x *target) bool { return x.whole == "fitNotes."+key })
		if !isFilled && t.loaded.Taxonomy.Fact(key) != nil {
			t.tell(Noted, factsName, nil, "no field of the map fills %q any more: remove the fact here", key)
		}
	}
}

// maxOptions is the maximum number of options of a fact that an import defines.
const maxOptions = 200

// addFacts adds the facts of the map that the catalogue lacks, and new options.
func (c *converter) addFacts() error {
	for i := range c.Map.Facts {
		d := c.definitions[c.Map.Facts[i].Key]
		switch {
		case (!d.isNew || d.isOpen("")) && len(d.options) == 0: // no entry has a value, or none that is new
			continue
		case !slices.ContainsFunc(c.targets, func(t *target) bool { return t.whole == "fitNotes."+d.fact.Key }):
			c.tell(Noted, c.Map.name, d.node, "the fact %q: it is not added, because no field of the map fills it",
				d.fact.Key)
			continue
		case len(d.options) > maxOptions:
			return c.Map.errorAt(fmt.Sprintf("the fact %s has %d values, and at most %d can be chosen from: give it "+
				"the kind text or texts", d.fact.Key, len(d.options), maxOptions), "facts", i)
		}
		if err := d.add(); err != nil {
			return err
		}
	}
	return nil
}

// add adds the fact to the catalogue, or new options of it.
func (d *definition) add() error {
	slices.SortStableFunc(d.options, func(a, b *option) int { // the most frequent first
		return cmp.Or(b.uses-a.uses, strings.Compare(a.Label, b.Label))
	})
	var choices []*yaml.Node
	for _, o := range d.options {
		choice := yamlnode.Mapping(nil, "slug", o.Slug, "label", o.Label)
		choice.Style = yaml.FlowStyle
		choices = append(choices, choice)
	}
	if d.isNew {
		yamlnode.Add(d.node, "values", yamlnode.List(choices...))
		d.note(map[string]string{})
		d.tell(Added, d.Map.name, d.node, "the fact %q (%s)", d.fact.Key, d.fact.Kind)
		d.added[content.FactsFile] = append(d.added[content.FactsFile], d.node)
		return nil
	}
	present, _ := d.inCatalogue()
	before, fields := yamlnode.Child(present, "values"), d.now.facts[d.fact.Key].Fields
	values := addOptions(before, choices, nil, fields)
	if before == nil || hashOf(before) == fields["values"] {
		fields["values"] = hashOf(values)
	}
	return d.set(map[string]*yaml.Node{"values": values}, Added, "new options of the fact %q: %d", d.fact.Key,
		len(d.options))
}
