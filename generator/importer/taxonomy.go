package importer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
	"go.yaml.in/yaml/v4"
)

// additions is what an import adds to the taxonomy.
type additions struct {
	categories, platforms, products []*yaml.Node
	facts                           []*yaml.Node
	options                         map[string][]api.FactOption // of new facts, by key
}

// terms sets a field whose values are entries of the taxonomy. Categories after the first go into alsoIn.
func (c *converter) terms(l *listing, key string, values []value) {
	var ids []string
	for _, v := range values {
		if id := c.term(l, key, v); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return
	}
	if key == "category" {
		l.values[key] = ids[0]
		key, ids = "alsoIn", ids[1:]
		l.places[key] = values[0].node
	}
	list, _ := l.values[key].([]string)
	for _, id := range ids {
		if id != l.values["category"] && !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	if delete(l.values, key); len(list) > 0 {
		l.values[key] = list
	}
}

// term returns what listings write for an entry of the taxonomy, and adds the entry if it is missing.
func (c *converter) term(l *listing, key string, v value) string {
	t, name := c.taxonomy, content.NameKey(v.text)
	slug := content.Slug(v.text, c.settings.Lang)
	kind := map[string]string{"category": "category", "alsoIn": "category", "platforms": "platform",
		"replaces": "product"}[key]
	switch kind {
	case "category":
		for _, x := range t.Categories {
			if x.Slug == slug || content.NameKey(x.Name) == name {
				return x.Slug
			}
		}
	case "platform":
		for _, x := range t.Platforms {
			if x.Slug == slug || content.NameKey(x.Name) == name {
				return x.Slug
			}
		}
	default:
		for _, x := range t.Products {
			if x.Slug == slug || slices.ContainsFunc(append([]string{x.Name}, x.Aliases...),
				func(s string) bool { return content.NameKey(s) == name }) {
				return x.Name
			}
		}
	}
	f := c.m.Fields[key]
	switch {
	case c.noAdd || f.Unknown == "leave-out":
		c.leaveOut(l, key, v, "it is no "+kind+" of the catalogue")
	case content.CheckSlug(slug) != "" || len([]rune(v.text)) > maxNameLength:
		c.leaveOut(l, key, v, "it cannot be the name of a "+kind)
	default:
		return c.addTerm(l, kind, slug, v)
	}
	return ""
}

// addTerm adds an entry to the taxonomy and returns what listings write for it.
func (c *converter) addTerm(l *listing, kind, slug string, v value) string {
	t := c.taxonomy
	c.report.tell(Assigned, l.entry.file, v.node, kind, "the %s %q", kind, v.text)
	switch kind {
	case "category":
		group := c.m.Group
		if group == "" {
			group = "All categories"
		}
		t.Categories = append(t.Categories, api.Category{Slug: slug, Name: v.text})
		c.add.categories = append(c.add.categories, mapping("slug", slug, "name", v.text,
			"description", "Listings that their source counts as "+v.text+".", "group", group))
	case "platform":
		t.Platforms = append(t.Platforms, api.Platform{Slug: slug, Name: v.text})
		c.add.platforms = append(c.add.platforms, mapping("slug", slug, "name", v.text))
	default:
		// No list says who makes a product. A page does not name a maker that has the name of the product.
		t.Products = append(t.Products, api.Product{Slug: slug, Name: v.text})
		c.add.products = append(c.add.products, mapping("slug", slug, "name", v.text, "maker", v.text))
		return v.text
	}
	return slug
}

// option returns the slug of an option of a fact, or "". It adds options to facts that the import defines.
func (c *converter) option(l *listing, key string, f *api.Fact, v value) string {
	slug := content.Slug(v.text, c.settings.Lang)
	for _, o := range f.Values {
		if o.Slug == slug || strings.EqualFold(o.Label, v.text) {
			return o.Slug
		}
	}
	known := c.taxonomy.Fact(f.Key) != nil || len(f.Values) > 0
	switch {
	case known:
		c.leaveOut(l, key, v, "it is no value of the fact: add - {slug: "+slug+", label: "+v.text+"} to its values")
		return ""
	case content.CheckSlug(slug) != "" || len([]rune(v.text)) > maxNameLength || v.text == api.Unknown:
		c.leaveOut(l, key, v, "it cannot be an option")
		return ""
	}
	if !slices.ContainsFunc(c.add.options[f.Key], func(o api.FactOption) bool { return o.Slug == slug }) {
		c.add.options[f.Key] = append(c.add.options[f.Key], api.FactOption{Slug: slug, Label: v.text})
	}
	return slug
}

// maxOptions is the maximum number of options of a fact that an import defines.
const maxOptions = 200

// defineFacts adds the facts of the map that the catalogue lacks.
func (c *converter) defineFacts() error {
	for i, n := range c.m.facts {
		f := &c.m.Facts[i]
		if c.taxonomy.Fact(f.Key) != nil {
			continue
		}
		isChoice := f.Kind == api.FactChoice || f.Kind == api.FactChoices
		if options := c.add.options[f.Key]; isChoice && len(f.Values) == 0 {
			switch {
			case len(options) == 0:
				continue // no entry has a value
			case len(options) > maxOptions:
				return fmt.Errorf("map: the fact %s has %d values, and at most %d can be chosen from: give it the "+
					"kind text or texts", f.Key, len(options), maxOptions)
			}
			list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
			for _, o := range options {
				option := mapping("slug", o.Slug, "label", o.Label)
				option.Style = yaml.FlowStyle
				list.Content = append(list.Content, option)
			}
			addPair(n, "values", list)
		}
		c.report.tell(Assigned, c.m.name, n, "fact", "the fact %s (%s)", f.Key, f.Kind)
		c.add.facts = append(c.add.facts, n)
	}
	return nil
}

// mapping returns a mapping of texts.
func mapping(pairs ...string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	key := ""
	for i, text := range pairs {
		if i%2 == 0 {
			key = text
			continue
		}
		addPair(n, key, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text})
	}
	return n
}

// files returns the files of the taxonomy with what is added, by their names below the content folder.
func (a *additions) files(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, f := range []struct {
		name    string
		entries []*yaml.Node
	}{
		{content.CategoriesFile, a.categories}, {content.PlatformsFile, a.platforms},
		{content.ProductsFile, a.products}, {content.FactsFile, a.facts},
	} {
		if len(f.entries) == 0 {
			continue
		}
		name := "taxonomy/" + f.name
		before, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		after, err := withEntries(before, f.entries)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files[name] = after
	}
	return files, nil
}

// withEntries returns the text of a YAML list with more entries.
func withEntries(text []byte, entries []*yaml.Node) ([]byte, error) {
	added, err := yaml.Dump(entries, yaml.WithIndent(2), yaml.WithLineWidth(-1),
		yaml.WithQuotePreference(yaml.QuoteDouble))
	if err != nil {
		return nil, err
	}
	before := count(text)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	after := append(slices.Clone(text), added...)
	// Check the result, because the list may be written in another way, such as in brackets.
	if before < 0 || count(after) != before+len(entries) {
		return nil, errors.New("entries cannot be added: write each entry as - slug: … at the beginning of a line")
	}
	return after, nil
}

// count returns the number of entries of a YAML list, 0 for an empty text, and -1 for anything else.
func count(text []byte) int {
	var doc yaml.Node
	if err := yaml.Load(text, &doc); err != nil && len(strings.TrimSpace(string(text))) > 0 {
		if onlyComments(text) {
			return 0
		}
		return -1
	}
	if len(doc.Content) == 0 {
		return 0
	}
	switch n := doc.Content[0]; {
	case n.Kind == yaml.SequenceNode:
		return len(n.Content)
	case n.ShortTag() == "!!null":
		return 0
	}
	return -1
}

// onlyComments reports whether a text has nothing but comments and blank lines.
func onlyComments(text []byte) bool {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return false
		}
	}
	return true
}
