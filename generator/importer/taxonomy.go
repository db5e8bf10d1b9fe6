package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/yamlnode"
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

// term returns what listings write for a term, and adds it to the taxonomy if it is new.
func (c *converter) term(l *listing, key string, v value) (id, wrong string) {
	kind, slug := termKinds[key], content.Slug(v.text, c.settings.Lang)
	t, known := c.terms[kind+" "+content.NameKey(v.text)]
	if !known {
		t, known = c.terms[kind+"/"+slug]
	}
	switch {
	case known:
		return t.id, ""
	case c.noAdd || c.m.Fields[key].Unknown == "leave-out":
		return "", "it is no " + kind + " of the catalogue"
	case !canBeTerm(slug, v.text):
		return "", "it cannot be the name of a " + kind
	}
	l.tell(Added, v.node, "the %s %q", kind, v.text)
	n := yamlnode.Mapping(nil, "slug", slug, "name", v.text)
	switch kind {
	case "category":
		yamlnode.Add(n, "description", content.ImportedDescription(v.text), "group",
			cmp.Or(c.m.Group, l.groupOf(v.node), "All categories"))
	case "product": // no list says who makes one, and pages do not name a maker that has its name
		yamlnode.Add(n, "maker", v.text)
	}
	c.added[termFiles[kind]] = append(c.added[termFiles[kind]], n)
	return c.learn(kind, slug, v.text).id, ""
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

// option returns the slug of an option of a fact. It adds options to facts that the import defines.
func (c *converter) option(f *api.Fact, text string) (slug, wrong string) {
	options := f.Values
	if len(options) == 0 {
		options = c.options[f.Key]
	}
	slug = content.Slug(text, c.settings.Lang)
	for _, o := range options {
		if o.Slug == slug || strings.EqualFold(o.Label, text) {
			c.optionUses[[2]string{f.Key, o.Slug}]++
			return o.Slug, ""
		}
	}
	switch {
	case len(f.Values) > 0:
		return "", "it is no value of the fact: add - {slug: " + slug + ", label: " + text + "} to its values"
	case !canBeTerm(slug, text):
		return "", "it cannot be an option"
	}
	c.optionUses[[2]string{f.Key, slug}]++
	c.options[f.Key] = append(options, api.FactOption{Slug: slug, Label: text})
	return slug, ""
}

// fills reports whether a field of the map fills a fact.
func (c *converter) fills(fact string) bool {
	return slices.ContainsFunc(c.m.keys, func(key string) bool {
		_, whole, _ := c.factOf(key)
		return whole == "fitNotes."+fact
	})
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
		case !c.fills(f.Key):
			c.report.tell(Ignored, c.m.name, n, "the fact %q: it is not added, because no field of the map fills it",
				f.Key)
			continue
		case len(options) > maxOptions:
			return fmt.Errorf("map: the fact %s has %d values, and at most %d can be chosen from: give it the "+
				"kind text or texts", f.Key, len(options), maxOptions)
		case lacksOptions:
			slices.SortStableFunc(options, func(a, b api.FactOption) int { // the most frequent first
				uses := func(o api.FactOption) int { return c.optionUses[[2]string{f.Key, o.Slug}] }
				return cmp.Or(uses(b)-uses(a), strings.Compare(a.Label, b.Label))
			})
			var choices []*yaml.Node
			for _, o := range options {
				option := yamlnode.Mapping(nil, "slug", o.Slug, "label", o.Label)
				option.Style = yaml.FlowStyle
				choices = append(choices, option)
			}
			yamlnode.Add(n, "values", yamlnode.List(choices...))
		}
		c.report.tell(Added, c.m.name, n, "the fact %q (%s)", f.Key, f.Kind)
		c.added[content.FactsFile] = append(c.added[content.FactsFile], n)
	}
	return nil
}
