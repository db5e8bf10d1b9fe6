package content

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/spelling"
)

// SetsFile is the file of taxonomy that defines the sets.
const SetsFile = "sets.yml"

// Set is a selection of listings with a page of its own: those that pass the filters of a search.
type Set struct {
	Slug        string `json:"slug"`
	Name        string `json:"name"`
	Description string `json:"description"`
	// Search has the filters as the query string of a search, such as "ramGb=16&offline=1".
	Search  string      `json:"search"`
	Filters api.Filters `json:"-"` // parsed from Search
}

// notInSets are filters that pages of sets do not apply.
var notInSets = []string{"license", "stated"}

// sets loads the sets. The rest of the taxonomy must have been loaded before.
func (l *loader) sets(t *api.Taxonomy) []Set {
	var list []Set
	k := l.entries(SetsFile, false, &list, "slug")
	parameters := api.SearchParameters(&l.options.Settings, t)
	incomplete := false // the filters may be in a part that could not be read
	for _, file := range []string{CategoriesFile, PlatformsFile, FactsFile, HardwareFile} {
		incomplete = incomplete || l.taxonomy.incomplete[file]
	}
	var names []string
	for i := range parameters {
		if p := &parameters[i]; p.IsFilter() && !slices.Contains(notInSets, p.Name) {
			names = append(names, p.Name)
		}
	}
	for i := range list {
		s := &list[i]
		k.unique(s.Slug, i, "slug")
		k.unique(s.Name, i, "name")
		k.filled(s.Description, maxDescription, i, "description")
		if !k.filled(s.Search, maxDescription, i, "search") || incomplete {
			continue
		}
		given, _ := url.ParseQuery(s.Search) // ParseSearch reports what cannot be parsed
		for _, name := range slices.Sorted(maps.Keys(given)) {
			if !slices.Contains(names, name) {
				k.fail(at(i, "search"), "sets have no filter %s%s", quote(name), spelling.Hint(name, names))
			}
		}
		query, _, wrong := api.ParseSearch(s.Search, parameters)
		for _, w := range wrong {
			allowed := ""
			if len(w.Allowed) > 0 {
				allowed = "; allowed: " + strings.Join(w.Allowed, ", ")
			}
			k.fail(at(i, "search"), "%s: %s%s", w.Parameter, w.Message, allowed)
		}
		s.Filters = query.Filters
	}
	return list
}
