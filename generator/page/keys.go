package page

import (
	"encoding/json"
	"fmt"

	"catalog.example/generator/content"
	"catalog.example/generator/memo"
)

// A file that depends on few listings has a key: the hash of everything that it depends on. A build
// does not render the file again if the last build wrote it with the same key. If you make a file
// depend on something new, add that to its key; TestSoakRandomEdits finds omissions.

// setKey sets the hash of what all files depend on: what is shared, and whether facts have sources.
func (s *catalog) setKey() { s.key = memo.KeyOf("page", s.Key[:], fmt.Append(nil, s.hasSources)) }

// keyOf returns the key of a file that depends on some values and listings.
func (s *catalog) keyOf(kind string, values any, listings ...[]*content.Listing) memo.Key {
	text, err := json.Marshal(values)
	if err != nil { // the values are texts and numbers
		return memo.Key{}
	}
	parts := [][]byte{s.key[:], text}
	for _, list := range listings {
		keys := make([]byte, 0, len(list)*len(memo.Key{}))
		for _, l := range list {
			keys = append(keys, l.Key[:]...)
		}
		parts = append(parts, keys)
	}
	return memo.KeyOf(kind, parts...)
}

// keyed is a page with a key.
type keyed interface{ pageKey() memo.Key }

func (s listingPage) pageKey() memo.Key {
	similar := make([]*content.Listing, len(s.l.Similar))
	for i, slug := range s.l.Similar {
		similar[i] = s.bySlug[slug]
	}
	var named, naming []*content.Listing
	for _, r := range s.l.References() {
		for _, slug := range r.Slugs {
			if other := s.bySlug[slug]; other != nil {
				named = append(named, other)
			}
		}
		naming = append(naming, s.Naming(r.Key(), s.l.Slug)...)
	}
	return s.keyOf("listing", s.changes[s.l.Slug], []*content.Listing{s.l}, similar, named, naming)
}

func (p listPage) pageKey() memo.Key {
	l := p.list
	values := []any{l.path, l.title, l.name, l.intro, l.misses, l.parent, l.titles(), p.number}
	if p.number == 1 {
		values = append(values, l.places())
	}
	var more []*content.Listing
	switch {
	case l.filters != nil:
		values = append(values, l.filters())
	case l.hasMore():
		category, others := l.others()
		values, more = append(values, l.counts[category]), others
	}
	first, end := p.shown()
	return l.keyOf("collection", values, l.listings[first:end], more)
}

// tableKey returns the key of the file with the facts of a list.
func (l *list) tableKey() memo.Key {
	return l.keyOf("table", append(l.titles(), l.refers()), l.listings)
}

// titles returns the titles of a list's groups and how many listings each has.
func (l *list) titles() (list []any) {
	for _, g := range l.groups {
		list = append(list, g.title, len(g.listings))
	}
	return list
}
