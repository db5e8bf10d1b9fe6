package content

import (
	"fmt"

	"catalog.example/api"
	"catalog.example/generator/rule"
)

// formerEntry is a listing or an entry of the taxonomy with its former slugs.
type formerEntry struct {
	slug   string
	former []string
}

// formerly checks former slugs: each must belong to only one entry and must not be in use. It calls
// report with each problem and the indices of the entry and its former slug.
func formerly(entries []formerEntry, report func(r rule.Rule, message string, entry, i int)) {
	present, former := map[string]bool{}, map[string]bool{}
	for _, e := range entries {
		present[e.slug] = true
	}
	for n, e := range entries {
		for i, old := range e.former {
			switch message := CheckSlug(old); {
			case message != "":
				report(rule.Slug, "formerly: "+message, n, i)
			case present[old]:
				report(rule.Unique, fmt.Sprintf("formerly: %q is in use as a slug: remove it from formerly", old), n, i)
			case former[old]:
				report(rule.Unique, fmt.Sprintf("formerly: %q is a former slug twice: remove one of them", old), n, i)
			}
			former[old] = true
		}
	}
}

// formerOfListings checks the former slugs of listings.
func (l *loader) formerOfListings(listings []*Listing) {
	entries := make([]formerEntry, len(listings))
	for i, x := range listings {
		entries[i] = formerEntry{x.Slug, x.Formerly}
	}
	formerly(entries, func(r rule.Rule, message string, entry, i int) {
		l.find(listings[entry].At(r, message, "formerly", i))
	})
}

// formerOfTaxonomy checks the former slugs of a file of the taxonomy.
func formerOfTaxonomy[T any](l *loader, doc source, list []T, entryOf func(*T) formerEntry) {
	entries := make([]formerEntry, len(list))
	for i := range list {
		entries[i] = entryOf(&list[i])
	}
	formerly(entries, func(r rule.Rule, message string, entry, i int) {
		l.find(doc.at(r, message, entry, "formerly", i))
	})
}

// Moves returns all addresses that have changed: first those of categories, then of platforms,
// products and listings.
func (c *Content) Moves() []api.Move {
	moves := c.Taxonomy.Moves()
	for _, l := range c.Listings {
		moves = append(moves, api.MovesTo(api.FolderProjects, l.Slug, l.Formerly)...)
	}
	return moves
}
