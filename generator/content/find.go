package content

import "slices"

// FindListing returns the listing with the given name, slug, alias or repository address, ignoring
// case, or nil if there is none.
func (c *Content) FindListing(name, repositoryURL string) *Listing {
	key := nameKey(name)
	for _, l := range c.Listings {
		if repositoryURL != "" && repositoryKey(l.RepositoryURL) == repositoryKey(repositoryURL) {
			return l
		}
		names := append([]string{l.Name, l.Slug}, l.Aliases...)
		if key != "" && slices.ContainsFunc(names, func(s string) bool { return nameKey(s) == key }) {
			return l
		}
	}
	return nil
}
