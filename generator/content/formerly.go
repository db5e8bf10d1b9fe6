package content

import (
	"fmt"

	"catalog.example/api"
	"catalog.example/generator/rule"
)

// formerly checks former slugs: each must lead to one place, and not be a present slug.
// report reports a problem of the i-th former slug of an entry.
func formerly(entries []formerEntry, report func(r rule.Rule, message string, entry formerEntry, i int)) {
	present, former := map[string]bool{}, map[string]bool{}
	for _, e := range entries {
		present[e.slug] = true
	}
	for _, e := range entries {
		for i, old := range e.former {
			switch message := CheckSlug(old); {
			case message != "":
				report(rule.Slug, "formerly: "+message, e, i)
			case present[old]:
				report(rule.Unique, fmt.Sprintf("formerly: %q is in use as a slug: remove it from formerly", old), e, i)
			case former[old]:
				report(rule.Unique, fmt.Sprintf("formerly: %q is a former slug twice: remove one of them", old), e, i)
			}
			former[old] = true
		}
	}
}

// formerEntry is a listing or an entry of the taxonomy with its former slugs.
type formerEntry struct {
	slug    string
	former  []string
	listing *Listing // nil for an entry of the taxonomy
	index   int      // of an entry of the taxonomy
}

// formerOfListings checks the former slugs of listings.
func (l *loader) formerOfListings(listings []*Listing) {
	entries := make([]formerEntry, len(listings))
	for i, x := range listings {
		entries[i] = formerEntry{slug: x.Slug, former: x.Formerly, listing: x}
	}
	formerly(entries, func(r rule.Rule, message string, e formerEntry, i int) {
		l.find(e.listing.At(r, message, "formerly", i))
	})
}

// formerOfTaxonomy checks the former slugs of a file of the taxonomy.
func formerOfTaxonomy[T any](l *loader, doc source, list []T, slugs func(*T) (slug string, former []string)) {
	entries := make([]formerEntry, len(list))
	for i := range list {
		slug, former := slugs(&list[i])
		entries[i] = formerEntry{slug: slug, former: former, index: i}
	}
	formerly(entries, func(r rule.Rule, message string, e formerEntry, i int) {
		l.find(doc.at(r, message, e.index, "formerly", i))
	})
}

// Moves returns all addresses that have changed, in the order of categories, platforms,
// products and listings.
func (c *Content) Moves() []api.Move {
	moves := c.Taxonomy.Moves()
	for _, l := range c.Listings {
		moves = append(moves, api.MovesTo(api.FolderProjects, l.Slug, l.Formerly)...)
	}
	return moves
}
