package importer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"catalog.example/generator/content"
)

// Sources name what is related by its name or by a key of their own; listings name it by its slug.

// targetsOf finds listings by what a source calls them.
type targetsOf struct {
	slugs  map[string]string   // present slugs by present and former ones
	names  map[string][]string // slugs by names; one name may be of several listings
	byKeys map[string]string   // slugs by the keys of entries
}

// newTargets returns the listings of the catalogue and those that the import writes.
func newTargets(listings []*listing, loaded *content.Content, last map[string]written) *targetsOf {
	t := &targetsOf{map[string]string{}, map[string][]string{}, map[string]string{}}
	for _, x := range slices.Concat(loaded.Listings, loaded.Unreadable) {
		for _, slug := range append([]string{x.Slug}, x.Formerly...) {
			t.slugs[slug] = x.Slug
		}
		t.name(x.Name, x.Slug)
	}
	for _, l := range listings {
		slug, known := t.slugs[l.slug]
		if !known && last[l.key].Slug != "" { // it stays deleted
			continue
		}
		if !known {
			slug = l.slug
		}
		t.slugs[slug], t.byKeys[l.key] = slug, slug
		t.name(l.called, slug)
		t.name(l.values["name"].(string), slug)
	}
	return t
}

// name notes that a listing has a name.
func (t *targetsOf) name(name, slug string) {
	if key := content.NameKey(name); !slices.Contains(t.names[key], slug) {
		t.names[key] = append(t.names[key], slug)
	}
}

// find returns the slug of the listing that a text means: its slug, its name, or the key of its entry, in this order.
func (t *targetsOf) find(text string) (slug, wrong string) {
	named := t.names[content.NameKey(text)]
	switch {
	case t.slugs[text] != "":
		return t.slugs[text], ""
	case len(named) == 1:
		return named[0], ""
	case len(named) > 1:
		return "", fmt.Sprintf("several listings have this name: write the slug, which is one of %s",
			strings.Join(slices.Sorted(slices.Values(named)), ", "))
	case t.byKeys[text] != "":
		return t.byKeys[text], ""
	}
	return "", "no listing has this slug or name, and no entry this key"
}

// relate writes slugs in place of what sources call related listings.
func (c *converter) relate(listings []*listing, loaded *content.Content, last map[string]written) {
	t := newTargets(listings, loaded, last)
	for _, l := range listings {
		for _, key := range slices.Sorted(maps.Keys(l.related)) {
			delete(l.values, key)
			for _, v := range l.related[key] {
				if slug, wrong := t.find(v.text); wrong == "" {
					l.add(key, slug, v.node)
				} else {
					l.leaveOut(key, v, wrong)
				}
			}
			if l.values[key] == nil {
				delete(l.values, "sources."+key)
			}
		}
	}
}
