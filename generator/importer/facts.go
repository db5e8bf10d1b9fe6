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

	"catalog.example/api"
	"catalog.example/generator/canonical"
	"catalog.example/generator/content"
	"catalog.example/generator/strictyaml"
	"catalog.example/generator/yamlnode"
	"go.yaml.in/yaml/v4"
)

// The definitions of facts that an import wrote follow its map, except for what somebody has edited since.

// factsName is the file of the definitions of facts, below the content folder.
const factsName = "taxonomy/" + content.FactsFile

// learnFacts makes the facts of the catalogue known, as they will be, and then those of the map.
func (c *converter) learnFacts() error {
	text, err := os.ReadFile(c.patch.Path(factsName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	c.factsText, c.nowFacts = text, maps.Clone(c.lastFacts)
	for i := range c.Map.Facts {
		key := c.Map.Facts[i].Key
		if c.loaded.Taxonomy.Fact(key) == nil {
			delete(c.lastFacts, key) // it is defined anew
		}
		if c.lastFacts[key].Fact != "" && !c.NoTaxonomy {
			if err := c.follow(i); err != nil {
				return err
			}
		}
	}
	if doc, _ := strictyaml.Parse(c.factsText, 1); doc != nil {
		doc.Decode(&c.facts.Facts) // mistakes are told when the file is checked
	}
	c.facts.Facts = append(c.facts.Facts, c.Map.Facts...)
	return nil
}

// definition returns the definition of a fact in the file as it will be, and its index there.
func (c *converter) definition(key string) (n *yaml.Node, index int) {
	doc, _ := strictyaml.Parse(c.factsText, 1)
	index = slices.IndexFunc(doc.Root().Content, func(n *yaml.Node) bool {
		return textOf(yamlnode.Child(n, "key")) == key
	})
	return doc.Root().Content[index], index
}

// setFact sets values of a definition, and tells of it.
func (c *converter) setFact(i int, values map[string]*yaml.Node, kind Kind, format string, args ...any) (err error) {
	c.tell(kind, c.Map.name, c.Map.facts[i], format, args...)
	_, at := c.definition(c.Map.Facts[i].Key)
	if c.factsText, err = canonical.SetInEntry(c.factsText, at, values); err != nil {
		err = fmt.Errorf("%s: %w", factsName, err)
	}
	return err
}

// isOpen reports whether the source gives a fact its options.
func (c *converter) isOpen(key string) bool {
	i := slices.IndexFunc(c.Map.Facts, func(f api.Fact) bool { return f.Key == key })
	return i >= 0 && len(c.Map.Facts[i].Values) == 0 && c.Map.Facts[i].Kind.HasOptions() &&
		(c.loaded.Taxonomy.Fact(key) == nil || c.lastFacts[key].Fact != "" && !c.NoTaxonomy)
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
func (c *converter) note(i int, options map[string]string) {
	fields := map[string]string{}
	maps.Copy(fields, options)
	for key, value := range yamlnode.Pairs(c.Map.facts[i]) {
		fields[key.Value] = hashOf(value)
		if key.Value == "values" {
			addOptions(nil, value.Content, nil, fields)
		}
	}
	c.nowFacts[c.Map.Facts[i].Key] = written{Fact: c.Map.Facts[i].Key, Fields: fields}
}

// follow changes the definition of a fact that the last import wrote to what the map says, except for the options that
// the source gives.
func (c *converter) follow(i int) error {
	n, key := c.Map.facts[i], c.Map.Facts[i].Key
	last, options := c.lastFacts[key].Fields, map[string]string{}
	for field, hash := range last {
		if c.isOpen(key) && strings.HasPrefix(field, "values") {
			options[field] = hash
		}
	}
	c.note(i, options)
	now, values := c.nowFacts[key].Fields, map[string]*yaml.Node{}
	all := maps.Clone(last)
	maps.Copy(all, now)
	present, _ := c.definition(key)
	for _, field := range slices.Sorted(maps.Keys(all)) {
		if options[field] != "" || strings.HasPrefix(field, optionKey("")) {
			continue
		}
		value, is := yamlnode.Child(n, field), hashOf(yamlnode.Child(present, field))
		was := last[field]
		if c.Fresh {
			was = is
		}
		switch kind := fate(was, is, now[field]); kind {
		case Changed:
			values[field] = value
		case Edited, Kept:
			c.Edits++
			c.tell(kind, c.Map.name, cmp.Or(value, n), "the fact %q: the edit of %s in %q stays", key, field, factsName)
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
	return c.setFact(i, values, Changed, "the fact %q in %q follows the map: %s", key, factsName,
		strings.Join(slices.Sorted(maps.Keys(values)), ", "))
}

// maxOptions is the maximum number of options of a fact that an import defines.
const maxOptions = 200

// defineFacts adds the facts of the map that the catalogue lacks, and new options.
func (c *converter) defineFacts() error {
	for i, n := range c.Map.facts {
		f := &c.Map.Facts[i]
		options, isNew := c.options[f.Key], c.loaded.Taxonomy.Fact(f.Key) == nil
		switch {
		case (!isNew || c.isOpen(f.Key)) && len(options) == 0: // no entry has a value, or none that is new
			continue
		case !slices.ContainsFunc(c.targets, func(t *target) bool { return t.whole == "fitNotes."+f.Key }):
			c.tell(Ignored, c.Map.name, n, "the fact %q: it is not added, because no field of the map fills it",
				f.Key)
			continue
		case len(options) > maxOptions:
			return c.Map.errorAt(fmt.Sprintf("the fact %s has %d values, and at most %d can be chosen from: give it "+
				"the kind text or texts", f.Key, len(options), maxOptions), "facts", i)
		}
		if err := c.define(i, isNew, options); err != nil {
			return err
		}
	}
	return nil
}

// define adds a fact of the map, or new options of it.
func (c *converter) define(i int, isNew bool, options []*option) error {
	n, key := c.Map.facts[i], c.Map.Facts[i].Key
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
		c.note(i, nil)
		c.tell(Added, c.Map.name, n, "the fact %q (%s)", key, c.Map.Facts[i].Kind)
		c.added[content.FactsFile] = append(c.added[content.FactsFile], n)
		return nil
	}
	present, _ := c.definition(key)
	before, fields := yamlnode.Child(present, "values"), c.nowFacts[key].Fields
	values := addOptions(before, choices, nil, fields)
	if before == nil || hashOf(before) == fields["values"] {
		fields["values"] = hashOf(values)
	}
	return c.setFact(i, map[string]*yaml.Node{"values": values}, Added, "new options of the fact %q: %d", key,
		len(options))
}
