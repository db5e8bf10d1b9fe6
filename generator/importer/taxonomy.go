package importer

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/canonical"
	"catalog.example/generator/content"
	"go.yaml.in/yaml/v4"
)

// term is a category, a platform or a product.
type term struct {
	id   string // what listings write
	name string
}

// termKinds has the kinds of terms by the fields that have them, and termFiles the files that define them.
var (
	termKinds = map[string]string{"category": "category", "alsoIn": "category", "platforms": "platform",
		"replaces": "product"}
	termFiles = map[string]string{"category": content.CategoriesFile, "platform": content.PlatformsFile,
		"product": content.ProductsFile}
)

// learn makes a term known. Of terms with the same name, the first counts.
func (c *converter) learn(kind, slug string, names ...string) term {
	t := term{slug, names[0]}
	if kind == "product" {
		t.id = t.name
	}
	c.terms[kind+"/"+slug] = t
	for _, name := range names {
		if key := kind + " " + content.NameKey(name); c.terms[key].id == "" {
			c.terms[key] = t
		}
	}
	return t
}

// learnTaxonomy makes the terms of the catalogue known.
func (c *converter) learnTaxonomy() {
	for _, x := range c.taxonomy.Categories {
		c.learn("category", x.Slug, x.Name)
	}
	for _, x := range c.taxonomy.Platforms {
		c.learn("platform", x.Slug, x.Name)
	}
	for _, x := range c.taxonomy.Products {
		c.learn("product", x.Slug, append([]string{x.Name}, x.Aliases...)...)
	}
}

// setTerms sets a field whose values are terms. Categories after the first go into alsoIn.
func (c *converter) setTerms(l *listing, key string, values []value) {
	var ids []string
	for _, v := range values {
		if id := c.term(l, key, v); id != "" {
			ids = append(ids, id)
		}
	}
	if key == "category" && len(ids) > 0 {
		l.values[key], key = ids[0], "alsoIn"
		l.places[key] = values[0].node
	}
	list, _ := l.values[key].([]string)
	for _, id := range ids {
		if id != l.values["category"] && !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	if len(list) > 0 {
		l.values[key] = list
	}
}

// term returns what listings write for a term, and adds it to the taxonomy if it is new.
func (c *converter) term(l *listing, key string, v value) string {
	kind := termKinds[key]
	if t, ok := c.terms[kind+" "+content.NameKey(v.text)]; ok {
		return t.id
	}
	slug := content.Slug(v.text, c.settings.Lang)
	if t, ok := c.terms[kind+"/"+slug]; ok {
		return t.id
	}
	if c.noAdd || c.m.Fields[key].Unknown == "leave-out" {
		l.leaveOut(key, v, "it is no "+kind+" of the catalogue")
		return ""
	}
	if content.CheckSlug(slug) != "" || len([]rune(v.text)) > maxNameLength {
		l.leaveOut(key, v, "it cannot be the name of a "+kind)
		return ""
	}
	l.tell(Added, v.node, "the %s %q", kind, v.text)
	n := mapping(nil, "slug", slug, "name", v.text)
	switch kind {
	case "category":
		addPairs(n, "description", "Listings that their source counts as "+v.text+".", "group",
			cmp.Or(c.m.Group, "All categories"))
	case "product": // no list says who makes one, and pages do not name a maker that has its name
		addPairs(n, "maker", v.text)
	}
	c.added[termFiles[kind]] = append(c.added[termFiles[kind]], n)
	return c.learn(kind, slug, v.text).id
}

// setOptions sets a fact whose values are options.
func (c *converter) setOptions(l *listing, key string, f *api.Fact, values []value) {
	var slugs []string
	for _, v := range values {
		switch slug := c.option(l, key, f, v); {
		case slug == "" || slices.Contains(slugs, slug):
		case len(slugs) > 0 && f.Kind != api.FactChoices:
			l.leaveOut(key, v, onlyOne)
		default:
			slugs = append(slugs, slug)
		}
	}
	switch {
	case len(slugs) == 0:
	case f.Kind == api.FactChoices:
		l.values[key] = slugs
	default:
		l.values[key] = slugs[0]
	}
}

// option returns the slug of an option of a fact, or "". It adds options to facts that the import defines.
func (c *converter) option(l *listing, key string, f *api.Fact, v value) string {
	options := f.Values
	if len(options) == 0 {
		options = c.options[f.Key]
	}
	slug := content.Slug(v.text, c.settings.Lang)
	for _, o := range options {
		if o.Slug == slug || strings.EqualFold(o.Label, v.text) {
			return o.Slug
		}
	}
	switch {
	case len(f.Values) > 0:
		l.leaveOut(key, v, "it is no value of the fact: add - {slug: "+slug+", label: "+v.text+"} to its values")
	case content.CheckSlug(slug) != "" || len([]rune(v.text)) > maxNameLength:
		l.leaveOut(key, v, "it cannot be an option")
	default:
		c.options[f.Key] = append(options, api.FactOption{Slug: slug, Label: v.text})
		return slug
	}
	return ""
}

// maxOptions is the maximum number of options of a fact that an import defines.
const maxOptions = 200

// defineFacts adds the facts of the map that the catalogue lacks.
func (c *converter) defineFacts() error {
	for i, n := range c.m.facts {
		f := &c.m.Facts[i]
		options := c.options[f.Key]
		lacksOptions := f.Kind.HasOptions() && len(f.Values) == 0
		switch {
		case c.taxonomy.Fact(f.Key) != nil, lacksOptions && len(options) == 0: // no entry has a value
			continue
		case len(options) > maxOptions:
			return fmt.Errorf("map: the fact %s has %d values, and at most %d can be chosen from: give it the "+
				"kind text or texts", f.Key, len(options), maxOptions)
		case lacksOptions:
			var nodes []*yaml.Node
			for _, o := range options {
				option := mapping(nil, "slug", o.Slug, "label", o.Label)
				option.Style = yaml.FlowStyle
				nodes = append(nodes, option)
			}
			addPairs(n, "values", list(nodes))
		}
		c.report.tell(Added, c.m.name, n, "the fact %q (%s)", f.Key, f.Kind)
		c.added[content.FactsFile] = append(c.added[content.FactsFile], n)
	}
	return nil
}

// taxonomyFiles returns the files of the taxonomy with what is added, by their names below the content folder.
func (c *converter) taxonomyFiles(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for name, entries := range c.added {
		name = "taxonomy/" + name
		before, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		if err == nil {
			files[name], err = canonical.AppendEntries(before, entries)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return files, nil
}
