package content

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/site"
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
	// Minimum is the least number of listings that make the set worth a page; 0 for rule.MinSet.
	Minimum int `json:"minimum"`
}

// Of returns the listings of the set, in their order: those that pass its filters and run, or likely run,
// on the computer that the filters name. It leaves out listings that are archived or dormant.
func (s *Set) Of(t *api.Taxonomy, settings *site.Settings, listings []*Listing) []*Listing {
	reader := t.Hardware.SizeReader()
	machine := t.WithSystems(reader.Read(s.Filters.Machine))
	facts := slices.DeleteFunc(t.SearchFacts(settings), func(f *api.Fact) bool {
		_, bounded := f.Bound(&s.Filters)
		return f.Filter == nil || !bounded && len(s.Filters.Values[f.Filter.Parameter]) == 0
	})
	return slices.DeleteFunc(slices.Clone(listings), func(l *Listing) bool {
		if l.Stopped() != "" || !passes(&l.Project, &s.Filters, facts) {
			return true
		}
		if !machine.Named() { // most sets: needs are not looked at
			return false
		}
		needs := t.NeedsOf(&l.Project)
		return !Fits(&machine, &needs)
	})
}

// Fits reports whether a listing with these needs fits, or likely fits, a computer. Every listing fits if m names none.
func Fits(m *hardware.Machine, needs *hardware.Needs) bool {
	if !m.Named() {
		return true
	}
	verdict := m.Judge(needs, nil).Verdict
	return verdict == hardware.Fits || verdict == hardware.Likely
}

// passes reports whether a listing passes all filters, as in a search. facts are those that the filters compare.
func passes(p *api.Project, f *api.Filters, facts []*api.Fact) bool {
	finds := func(parameter string, values []string) bool {
		asked := f.Values[parameter]
		return len(asked) == 0 || slices.ContainsFunc(values, func(v string) bool { return slices.Contains(asked, v) })
	}
	if !finds("category", []string{p.Category}) || !finds("platform", p.Platforms) {
		return false
	}
	for _, fact := range facts {
		value := p.SearchFact(fact)
		if b, bounded := fact.Bound(f); bounded {
			if low, high, ok := fact.Figures(value); !ok || !b.Allows(low, high) {
				return false
			}
		} else if !finds(fact.Filter.Parameter, fact.MatchingFilterValues(value)) {
			return false
		}
	}
	return true
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
		if s.Minimum < 0 {
			k.fail(at(i, "minimum"), "%d is less than 0", s.Minimum)
		}
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
