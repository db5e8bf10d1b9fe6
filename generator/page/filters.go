package page

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/generator/content"
	"catalog.example/generator/render"
)

// filtersView has the filters of a list or of the search page. They have the names and
// values of the API's parameters, so that one script reads both.
type filtersView struct {
	Total int
	Facts []filterView // each takes one value
	Boxes []filterView // each takes several values
	// Sorts lists the sort orders; Slug is the value of the parameter. The first order needs no
	// value, because it is Default.
	Sorts   []render.Link
	Default string
}

// filterView is a control that filters listings.
type filterView struct {
	Name      string // of the API's parameter
	Label     string
	IsNumber  bool          // a field for a number
	IsWritten bool          // a field for a date or a place; else there are Choices
	Form      string        // what to write in such a field
	Bound     string        // of a figure: how the fact compares with it, such as "at most"
	Least     string        // of a number; "" for no bound
	Most      string        // of a number; "" for no bound
	Choices   []render.Link // Slug is the value, Title says what it finds
	Places    []placeChoice // of a filter by place: what may be written by name
	Distances []int         // from such a place, in kilometres
	Distance  int           // the usual one of them
	isYesNo   bool
	known     int // how many listings have figures that a filter compares
}

// filtersOf returns the filters that distinguish some listings, with counts. It leaves out choices
// that find nothing, and filters for which nearly all listings have the same value. What matters most
// to people comes first.
func (s *catalog) filtersOf(listings []*content.Listing, sorts ...render.Link) *filtersView {
	v := &filtersView{Total: len(listings), Sorts: sorts, Default: sorts[0].Slug}
	v.Sorts[0].Slug = ""
	counted := s.matches().count(listings)
	v.addFacts(s, listings, counted, true)
	if s.View.HasPlatforms() {
		platforms := filterView{Name: "platform", Label: s.T("Platform")}
		for _, p := range s.Content.Taxonomy.Platforms {
			platforms.choose(p.Slug, p.Name, counted.of(byPlatform, p.Slug))
		}
		v.add(platforms, true)
	}
	categories := filterView{Name: "category", Label: s.T("Category")}
	for _, c := range s.Content.Taxonomy.Categories {
		categories.choose(c.Slug, c.Name, counted.of(byCategory, c.Slug))
	}
	v.add(categories, true)
	if s.View.Has("license") {
		licenses := filterView{Name: "license", Label: s.T("Licence")}
		for license := range counted.numbersOf(byLicense) {
			if n := counted.of(byLicense, license); n > 0 {
				licenses.choose(license, s.LicenseName(license), n)
			}
		}
		slices.SortFunc(licenses.Choices, func(a, b render.Link) int {
			return cmp.Or(b.Count-a.Count, strings.Compare(a.Slug, b.Slug))
		})
		v.add(licenses, true)
	}
	v.addFacts(s, listings, counted, false)
	return v
}

// addFacts adds the filters by facts, either those that matter most to people or the others.
func (v *filtersView) addFacts(s *catalog, listings []*content.Listing, counted counted, thatMatter bool) {
	for i, p := range s.matches().parameters {
		if len(p.Fact.Matters) > 0 == thatMatter {
			v.add(s.factFilter(i, counted, listings), p.Kind == api.KindChoices)
		}
	}
}

// matches says which listings the filters find. It is the same for all lists.
type matches struct {
	parameters []api.Parameter // of facts
	// numbers has the number of each value: for each of the parameters, then for platforms, categories and licences.
	// The value isKnown of a parameter finds listings with figures that the filter compares.
	numbers []map[string]int
	values  int                        // how many there are
	of      map[*content.Listing][]int // the numbers of the values that find a listing
}

const isKnown = ""

// The filters that are not by facts, as the parameter of counted.of: these follow the parameters.
const (
	byPlatform = -1 - iota
	byCategory
	byLicense
	otherFilters = 3
)

func newMatches(parameters []api.Parameter, listings []*content.Listing) *matches {
	m := &matches{of: make(map[*content.Listing][]int, len(listings))}
	m.parameters = slices.DeleteFunc(parameters, func(p api.Parameter) bool { return p.Fact == nil })
	m.numbers = make([]map[string]int, len(m.parameters)+otherFilters)
	for i := range m.numbers {
		m.numbers[i] = map[string]int{}
	}
	for _, l := range listings {
		var found []int
		add := func(filter int, values ...string) {
			numbers := m.numbersOf(filter)
			for _, value := range values {
				if _, ok := numbers[value]; !ok {
					numbers[value] = m.values
					m.values++
				}
				found = append(found, numbers[value])
			}
		}
		for i := range m.parameters {
			f := m.parameters[i].Fact
			value := l.SearchFact(f)
			if _, _, known := f.Figures(value); known {
				add(i, isKnown)
			}
			add(i, f.MatchingFilterValues(value)...)
		}
		add(byPlatform, l.Platforms...)
		add(byCategory, l.Category)
		add(byLicense, render.SufficientLicenses(&l.Project)...)
		m.of[l] = found
	}
	return m
}

// numbersOf returns the numbers of a filter's values.
func (m *matches) numbersOf(filter int) map[string]int {
	return m.numbers[(filter+len(m.numbers))%len(m.numbers)]
}

// counted has the numbers of listings that the values of filters find.
type counted struct {
	*matches
	counts []int // by the number of the value
}

// count counts what the filters find among some listings.
func (m *matches) count(listings []*content.Listing) counted {
	c := counted{m, make([]int, m.values)}
	for _, l := range listings {
		for _, number := range m.of[l] {
			c.counts[number]++
		}
	}
	return c
}

// of returns how many listings a value of a filter finds.
func (c counted) of(filter int, value string) int {
	if number, ok := c.numbersOf(filter)[value]; ok {
		return c.counts[number]
	}
	return 0
}

// choose adds a choice with the number of listings that it finds.
func (f *filterView) choose(value, label string, count int) {
	f.Choices = append(f.Choices, render.Link{Slug: value, Title: label, Count: count})
}

// sameForAll is a share in percent: a choice that more of the listings match does not distinguish
// them.
const sameForAll = 97

// add adds a filter if it distinguishes the listings. It leaves out the choices that find nothing.
// The choice "no" alone does not justify a filter.
func (v *filtersView) add(f filterView, several bool) {
	apart := slices.ContainsFunc(f.Choices, func(c render.Link) bool {
		return c.Count > 0 && c.Count*100 <= v.Total*sameForAll && !(f.isYesNo && c.Slug == "0")
	})
	f.Choices = slices.DeleteFunc(f.Choices, func(c render.Link) bool { return c.Count == 0 })
	switch {
	case f.Bound == "" && !apart || f.Bound != "" && f.known == 0:
	case several:
		v.Boxes = append(v.Boxes, f)
	default:
		v.Facts = append(v.Facts, f)
	}
}

// factFilter returns the filter for the fact of a parameter, by its number, with the counts of some listings.
func (s *catalog) factFilter(i int, counted counted, listings []*content.Listing) filterView {
	p := &counted.parameters[i]
	f := p.Fact
	v := filterView{Name: p.Name, Label: s.FactLabel(f), isYesNo: f.Kind == api.FactYesNo,
		known: counted.of(i, isKnown)}
	if f.Kind.IsMeasured() {
		v.addBound(s, f)
		v.addPlaces(s, f, listings)
		return v
	}
	for _, value := range f.FilterValues() {
		v.choose(value, s.filterLabel(f, value), counted.of(i, value))
	}
	if f.IsOptionFlag() { // the lesser value comes first, as in the options of a choice
		slices.Reverse(v.Choices)
	}
	return v
}

// addBound makes the filter a field for a number, a date or a place, to which the fact is compared.
func (v *filterView) addBound(s *catalog, f *api.Fact) {
	match := api.MatchAtMost
	if f.Filter != nil {
		match = f.Filter.Match
	}
	v.Bound = map[string]string{api.MatchAtMost: s.T("at most"), api.MatchAtLeast: s.T("at least"),
		api.MatchBefore: s.T("on or before"), api.MatchAfter: s.T("on or after"),
		api.MatchWithin: s.T("includes")}[match]
	if v.IsWritten = f.Kind.IsDated(); v.IsWritten {
		v.Form, v.Bound = s.T("2026-09-01, 2026-09 or 2026"), v.Bound+" 2026-09"
		return
	}
	if f.Kind == api.FactPlace {
		v.IsWritten, v.Form, v.Bound = true, s.T("latitude,longitude,km"), s.T("latitude,longitude,km")
		return
	}
	v.IsNumber, v.Least, v.Most = true, numberOf(f.Least), numberOf(f.Most)
	if unit := cmp.Or(f.Unit, f.Currency); unit != "" {
		v.Label += " (" + unit + ")"
	}
}

// placeChoice is a place that a filter by place takes by its name.
type placeChoice struct{ Name, At string }

// maxPlaces is the most places that a filter offers. More would make pages of large lists heavy.
const maxPlaces = 200

// addPlaces adds the places of some listings, the most frequent ones first. Listings
// whose places have the same name share one, in their middle.
func (v *filterView) addPlaces(s *catalog, f *api.Fact, listings []*content.Listing) {
	if f.Kind != api.FactPlace {
		return
	}
	named := map[string][]api.Place{}
	for _, l := range listings {
		if p, ok := l.FitNotes.Get(f.Key).(api.Place); ok {
			named[p.Name] = append(named[p.Name], p)
		}
	}
	names := slices.SortedFunc(maps.Keys(named), func(a, b string) int {
		return cmp.Or(len(named[b])-len(named[a]), strings.Compare(a, b))
	})
	for _, name := range names[:min(len(names), maxPlaces)] {
		v.Places = append(v.Places, placeChoice{name, api.MiddleOf(named[name]).Coordinates(",")})
	}
	if len(v.Places) == 0 {
		return
	}
	v.Distances, v.Distance = []int{5, api.DefaultKM, 100}, api.DefaultKM
	v.Bound = s.T("such as {place}", "place", v.Places[0].Name)
	v.Form = s.T("the name of a place that the field offers, or latitude,longitude,km")
}

// filterLabel describes what a value of a filter finds.
func (s *catalog) filterLabel(f *api.Fact, value string) string {
	if label := f.FilterLabel(value); f.Kind != api.FactYesNo || f.Filter != nil && f.Filter.Labels[value] != "" {
		return s.OptionLabel(f, label)
	}
	return s.FactText(f, value == "1")
}

// searchSorts returns the orders of a search besides the default. Lists have the same orders.
func (s *catalog) searchSorts() (list []render.Link) {
	add := func(field, sort, title string) {
		if s.Settings.Has(field) {
			list = append(list, render.Link{Slug: sort, Title: title})
		}
	}
	add("stars", api.SortPopular, s.T("Most stars"))
	add("addedAt", api.SortNewest, s.T("Newest here"))
	add("updatedAt", api.SortRecentlyUpdated, s.T("Recently updated"))
	for _, f := range s.Content.Taxonomy.SortFacts() {
		list = append(list, render.Link{Slug: f.Key, Title: sortTitle(s.Words, f)})
	}
	return list
}

// sortTitle names the order of a fact.
func sortTitle(w *render.Words, f *api.Fact) string {
	isDown := f.Sort == api.Descending
	switch {
	case f.Kind.IsDated() && isDown:
		return w.T("{fact}, latest first", "fact", f.Label)
	case f.Kind.IsDated():
		return w.T("{fact}, earliest first", "fact", f.Label)
	case isDown:
		return w.T("{fact}, highest first", "fact", f.Label)
	}
	return w.T("{fact}, lowest first", "fact", f.Label)
}
