package importer

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"catalog.example/api"
	"catalog.example/generator/canonical"
	"catalog.example/generator/content"
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
		yamlnode.Add(n, "description", content.ImportedDescription(v.text, lang), "group",
			cmp.Or(c.Map.Group, l.groupOf(v.node), content.ImportedGroup(lang)))
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
		isImported := x.Group == content.ImportedGroup(lang) &&
			x.Description == content.ImportedDescription(x.Name, lang)
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
	uses int
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
		c.options[f.Key] = append(c.options[f.Key], &option{FactOption: api.FactOption{Slug: slug, Label: text}})
	}
	o := c.options[f.Key][i]
	o.uses++
	return o.Slug, ""
}
