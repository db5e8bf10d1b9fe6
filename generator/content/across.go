package content

import (
	"fmt"
	"strings"

	"catalog.example/api/search"
)

// acrossListings checks what only all listings together can tell: that slugs,
// names and repositories are unique, and that links between listings lead
// somewhere. The listings are ordered by slug.
func (l *loader) acrossListings(listings []*Listing, pages []*Page) {
	slugs := map[string]*Listing{}
	names := map[string]*Listing{}
	repositories := map[string]*Listing{}
	for _, x := range listings {
		if first, ok := slugs[x.Slug]; ok {
			l.find(Finding{x.File, 1, 1, Error, "unique", fmt.Sprintf("the slug %q is taken by %s: rename the file", x.Slug, first.File)})
			continue
		}
		slugs[x.Slug] = x
		if key := strings.Join(strings.Fields(search.Fold(x.Name)), " "); key != "" {
			if first, ok := names[key]; ok {
				l.find(x.At(Error, "unique", fmt.Sprintf("name: %q is taken by %s", x.Name, first.File), "name"))
			} else {
				names[key] = x
			}
		}
		if key := repositoryKey(x.RepositoryURL); key != "" {
			if first, ok := repositories[key]; ok {
				l.find(x.At(Error, "unique", fmt.Sprintf("repositoryUrl: %s is listed in %s already", x.RepositoryURL, first.File), "repositoryUrl"))
			} else {
				repositories[key] = x
			}
		}
	}
	checkLinks := func(file string, links []bodyLink) {
		for _, link := range links {
			if slugs[link.slug] == nil {
				l.find(Finding{file, link.line, 1, Error, "link", fmt.Sprintf("the link to %s.md leads to no listing", link.slug)})
			}
		}
	}
	for _, x := range listings {
		checkLinks(x.File, x.links)
	}
	for _, p := range pages {
		checkLinks(p.File, p.links)
	}
}

// repositoryKey makes addresses of the same repository equal.
func repositoryKey(address string) string {
	key := strings.ToLower(strings.TrimRight(address, "/"))
	return strings.TrimSuffix(strings.TrimPrefix(key, "https://"), ".git")
}
