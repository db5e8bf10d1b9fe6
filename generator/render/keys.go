package render

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"catalog.example/generator/content"
	"catalog.example/generator/memo"
)

// A file that depends on few listings has a key: the hash of all that it depends on. A build
// does not render it again if the last one wrote it with the same key. Whoever makes a file
// depend on something else adds that to its key; TestRandomEdits finds what is missing.

// setKey sets the hash of what all files depend on: settings, taxonomy, templates, the names
// of the assets, which are hashes, and the pages, to which the footer leads.
func (r *renderer) setKey() error {
	parts := [][]byte{r.Content.Key[:], fmt.Append(nil, r.Pictures), []byte(r.view.Footer)}
	err := fs.WalkDir(r.Templates, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(r.Templates, name)
		parts = append(parts, []byte(name), text)
		return err
	})
	if err != nil {
		return fmt.Errorf("templates: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(r.asset)) {
		parts = append(parts, []byte(name))
	}
	r.key = memo.KeyOf("render", parts...)
	return nil
}

// keyOf returns the key of a file that depends on some values and listings.
func (r *renderer) keyOf(kind string, values any, listings ...[]*content.Listing) memo.Key {
	text, err := json.Marshal(values)
	if err != nil { // the values are texts and numbers
		return memo.Key{}
	}
	parts := [][]byte{r.key[:], text}
	for _, list := range listings {
		keys := make([]byte, 0, len(list)*len(memo.Key{}))
		for _, l := range list {
			keys = append(keys, l.Key[:]...)
		}
		parts = append(parts, keys)
	}
	return memo.KeyOf(kind, parts...)
}

// listingKey is the key of a listing's page and JSON.
func (r *renderer) listingKey(l *content.Listing) memo.Key {
	similar := make([]*content.Listing, len(l.Similar))
	for i, slug := range l.Similar {
		similar[i] = r.bySlug[slug]
	}
	return r.keyOf("listing", nil, []*content.Listing{l}, similar)
}

// titles returns the titles of a collection's groups and how many listings each has.
func (c *collection) titles() (list []any) {
	for _, g := range c.groups {
		list = append(list, g.title, len(g.listings))
	}
	return list
}

// tableKey is the key of the file of facts of a collection.
func (r *renderer) tableKey(c *collection) memo.Key {
	return r.keyOf("table", c.titles(), c.listings())
}

// collectionKey is the key of a page of a collection.
func (r *renderer) collectionKey(c *collection, page int) memo.Key {
	listings := c.listings()
	first := (page - 1) * pageSize
	values := []any{c.path, c.title, c.name, c.intro, c.misses, c.crumb, c.titles(), page}
	var more []*content.Listing
	switch {
	case c.filters != nil:
		values = append(values, c.filtersKey())
	case c.crumb.Path != categoriesPath:
		category, others := r.othersOf(listings)
		values, more = append(values, r.counts[category]), others
	}
	return r.keyOf("collection", values, listings[first:min(first+pageSize, len(listings))], more)
}
