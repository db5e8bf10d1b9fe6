package query

import (
	"slices"
	"strconv"

	"catalog.example/api"
	"catalog.example/api/search/index"
	"catalog.example/api/search/token"
)

// answer is the answer to a query, before it is written as JSON.
type answer struct {
	found
	machine   machine
	text      string // the free text that was searched for, or ""
	sort      string // the order applied
	named     []int  // the products that the query names, as positions in the taxonomy
	total     int
	facets    facetCounts
	hits      []hit
	corrected string // a better spelling, or ""
	warnings  []api.Warning
}

// translate returns a text in English, if it is in another language. lang says which; if it is "", the words do.
func (s *scratch) translate(text, lang string) (t translated, ok bool) {
	list, isKnown := s.translations, s.isKnown
	switch {
	case lang != "":
		list = only(list, lang)
		isKnown = func(string) bool { return false }
	case isEnglish(text, isKnown):
		return t, false
	}
	return translate(list, text, isKnown, s.vocabulary.lexicon.isDeviceAt)
}

// answer finds and orders the matches of a query, phase by phase. If words of the query name the
// user's computer, it adds that to the query's filters.
func (s *scratch) answer(q *api.SearchQuery) answer {
	var a answer
	asked, original := q.Q, *q
	if t, ok := s.translate(q.Q, q.Lang); ok && !s.isName(token.Join(q.Q)) {
		q.Q = t.text
		q.AsSpelt = q.AsSpelt || !t.isMixed() // its other words are not misspelt English
		a.warn(api.WarnTranslated, "q", strconv.Quote(asked)+" was read as "+strconv.Quote(t.text)+" ("+t.Name+").")
	}
	p := s.parse(q)
	warnings := s.readComputer(q, &p, &a.machine)
	a.warnings = append(append(a.warnings, p.warnings...), warnings...)
	searching := !p.empty()
	if searching {
		a.text = asked
	} else if q.Q != "" && !p.hasComputer {
		a.warn(api.WarnOnlyFiller, "q", "That is too general to search for. Showing everything.")
	}
	a.applySort(s.Engine, q.Sort, searching, asked != "")
	a.checkFilters(s.Engine, q, p.hints)

	f := s.filters(q, &a.machine)
	var m matched
	if searching {
		a.found = s.lookUp(s.expand(p, q))
		m = a.match(&f, &a.machine, a.sort)
		if a.corrected = a.correction; a.corrected != "" && !a.correctionHelps(&m, &f) {
			s.reset()
			*q = original
			q.AsSpelt = true
			return s.answer(q)
		}
		a.warnOfNothing(&m)
	} else {
		a.found = s.lookUpHints(expanded{parsed: p})
		m = matched{all: s.allListings()}
		a.machine.judge(m.all)
		m.passing = f.apply(m.all)
	}
	a.total = m.passing.Count()
	if !q.NoFacets {
		a.facets = f.count(m.all, m.passing, &a.machine)
	}
	a.hits = a.rank(&m, &f, &a.machine, a.sort, q.Offset+q.Limit)
	isWeak := a.isWeak()
	a.hits = a.hits[min(q.Offset, len(a.hits)):]
	if isWeak {
		a.warnOfWeak(len(f.sets) > 0 || a.machine.named)
	} else {
		a.warnOfPartial()
	}
	a.warnOfSystem()
	a.named = s.findNamed(&p, a.corrected, q)
	return a
}

// warnOfWeak adds a warning that no listing matches well. filtered is set if filters or a computer left out others.
func (a *answer) warnOfWeak(filtered bool) {
	which, what := "", "be what is wanted"
	if filtered {
		which = " that passes the filters"
	}
	if a.s.settings.IsSoftware() {
		what = "do this"
	}
	a.warn(api.WarnWeakMatches, "q", "No listing"+which+" seems to "+what+"; the nearest follow.")
}

// warnOfPartial adds a warning if hits lack words of the query, or facts that it suggests. Hits that only have its
// words in different texts need no warning.
func (a *answer) warnOfPartial() {
	lacking := 0
	for i := range a.hits {
		if h := &a.hits[i]; h.missing != 0 || h.partial && a.onlyHints {
			lacking++
		}
	}
	switch lacking {
	case 0:
	case len(a.hits):
		a.warn(api.WarnPartialMatches, "q", "None of these listings matches the whole query; they match part of it.")
	default:
		a.warn(api.WarnPartialMatches, "q", "Few listings match the whole query; the others match part of it.")
	}
}

// warnOfNothing adds warnings about products that no listing mentions, and about a query that finds nothing.
func (a *answer) warnOfNothing(m *matched) {
	mentions, advice := "mentions ", ": describe what you want."
	if a.s.settings.Has("replaces") {
		mentions, advice = "replaces or mentions ", ": say what you do with it."
	}
	for _, name := range a.unknownNames {
		a.warn(api.WarnUnknownProduct, "q", "No listing "+mentions+strconv.Quote(name)+advice)
	}
	if m.all.Count() == 0 {
		a.corrected = "" // the corrected words found nothing either
		nothing := api.Warning{Code: api.WarnNothingFound, Parameter: "q",
			Message: "No listing matches. Try fewer, more general words."}
		if settings := &a.s.settings; !a.s.isInLanguage(a.text) {
			nothing.Value = settings.Lang
			nothing.Message = "No listing matches. Listings are in " + settings.LanguageName() +
				": try fewer, more general words in it."
		}
		a.warnings = append(a.warnings, nothing)
	}
}

// correctionHelps reports whether the corrected words find more than the words as spelt: a listing that matches
// in full or, if there is none, a best partial match that has a corrected word and is not weak. If nothing
// matches, or nothing passes the filters, the spelling makes no difference.
func (a *answer) correctionHelps(m *matched, f *filters) bool {
	best := a.rank(m, f, &a.machine, api.SortRelevance, 1)
	return len(best) == 0 || !best[0].partial || best[0].by == nil ||
		best[0].quality > ranking.weak && a.respelt&^best[0].missing != 0
}

// isWeak reports whether no listing matches in full, and the best partial match hardly matches.
func (a *answer) isWeak() bool {
	return len(a.hits) > 0 && a.hits[0].partial && a.hits[0].by != nil && a.hits[0].quality <= ranking.weak
}

func (a *answer) warn(code, parameter, message string) {
	a.warnings = append(a.warnings, api.Warning{Code: code, Parameter: parameter, Message: message})
}

// applySort sets the order: the requested one, otherwise relevance for a q, otherwise popularity. Relevance needs
// something to search for or a computer to suit.
func (a *answer) applySort(e *Engine, requested string, searching, hasQ bool) {
	hasRelevance := searching || a.machine.named
	switch {
	case requested == api.SortTrending:
		a.sort = api.SortPopular
		a.warn(api.WarnDeprecatedSort, "sort", "trending is deprecated and served as popular.")
	case requested == api.SortRelevance && !hasRelevance:
		a.sort = api.SortPopular
		needs := "q"
		if e.vocabulary.lexicon != nil {
			needs = "q or a computer"
		}
		a.warn(api.WarnRelevanceNoQuery, "sort", "relevance needs "+needs+"; served as popular.")
	case requested != "":
		a.sort = requested
	case hasRelevance && hasQ:
		a.sort = api.SortRelevance
	default:
		a.sort = api.SortPopular
	}
}

// suggestFilters adds a warning about each hint that a filter could require, unless the request has that filter
// already. Only by relevance do hints order.
func (a *answer) suggestFilters(given *api.Filters, hints []hint) {
	come := " come first"
	if a.sort != api.SortRelevance {
		come = " do not come first in this order"
	}
	for i := range hints {
		if h := &hints[i]; h.parameter != "" && !slices.Equal(given.Texts(h.parameter), []string{h.value}) {
			a.warnings = append(a.warnings, api.Warning{
				Code: api.WarnSuggestFilter, Parameter: h.parameter, Value: h.value,
				Message: "Listings that fit " + strconv.Quote(h.wording) + come + api.ShowsOnly(h.parameter, h.value),
			})
		}
	}
}

// checkFilters adds warnings about filters that hints suggest, and about licences.
func (a *answer) checkFilters(e *Engine, q *api.SearchQuery, hints []hint) {
	a.suggestFilters(&q.Filters, hints)
	a.checkLicenses(e, q.Filters.Values[index.FacetNames[index.FacetLicense]])
}
