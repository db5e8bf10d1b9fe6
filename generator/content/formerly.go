package content

import (
	"fmt"

	"catalog.example/api"
	"catalog.example/generator/rule"
)

// formerly checks the former slugs of listings, or of entries of the taxonomy. A former slug must
// belong to only one entry and must not be in use. formerly calls report for each problem, with the
// index of the entry and the index in its former slugs.
func formerly[T any](list []T, slugs func(T) (slug string, former []string),
	report func(r rule.Rule, message string, entry, i int)) {
	present, known := map[string]bool{}, map[string]bool{}
	for _, x := range list {
		slug, _ := slugs(x)
		present[slug] = true
	}
	for n, x := range list {
		_, former := slugs(x)
		for i, old := range former {
			switch message := CheckSlug(old); {
			case message != "":
				report(rule.Slug, message, n, i)
			case present[old]:
				report(rule.Unique, fmt.Sprintf("%q is in use as a slug: remove it from formerly", old), n, i)
			case known[old]:
				report(rule.Unique, fmt.Sprintf("%q is given twice as a former slug: remove one of them", old), n, i)
			}
			known[old] = true
		}
	}
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
