package content

import (
	"slices"
	"strings"

	"catalog.example/api/search"
)

// FindListing returns the listing with a name, slug, alias or repository address, ignoring case,
// or nil if there is none.
func (c *Content) FindListing(name, repositoryURL string) *Listing {
	given := func(s string) string { return strings.Join(strings.Fields(search.Fold(s)), " ") }
	for _, l := range c.Listings {
		if repositoryURL != "" && repositoryKey(l.RepositoryURL) == repositoryKey(repositoryURL) {
			return l
		}
		if key := given(name); key != "" && slices.ContainsFunc(append([]string{l.Name, l.Slug}, l.Aliases...), func(s string) bool { return given(s) == key }) {
			return l
		}
	}
	return nil
}
