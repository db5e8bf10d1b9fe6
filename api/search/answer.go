package search

import (
	"encoding/binary"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
)

// AppendSearch appends the JSON of the api.SearchResponse to a query (spec 4.3,
// contract 4). More warnings are added to its own.
func (ix *Index) AppendSearch(dst []byte, q api.SearchQuery, more ...api.Warning) []byte {
	defer runtime.KeepAlive(ix)
	w := ix.begin()
	defer w.end()
	d := w.decide(q)
	d.warnings = append(d.warnings, more...)
	return w.appendAnswer(dst, &q, &d)
}

// decision is everything about an answer but the hits and facets, which are in
// the work.
type decision struct {
	q         string // the free text that was searched for
	searching bool
	sort      string // applied
	total     int
	corrected string // a better spelling, or ""
	warnings  []api.Warning
}

// decide finds what a query matches and orders it.
func (w *work) decide(q api.SearchQuery) decision {
	w.question, w.limit, w.noFacets = w.ix.vocabulary.understand(q.Q), q.Limit, q.NoFacets
	asked := &w.question
	if asked.empty() {
		asked.words = w.ix.nameIn(asked)
	}
	d := decision{searching: !asked.empty(), warnings: asked.warnings}
	if d.searching {
		d.q = q.Q
	} else if q.Q != "" {
		d.warnings = append(d.warnings, api.Warning{Code: api.WarnOnlyFiller, Parameter: "q",
			Message: "Nothing in q can be searched for; it was ignored."})
	}
	var sortWarnings []api.Warning
	d.sort, sortWarnings = appliedSort(q.Sort, d.searching)
	d.warnings = append(d.warnings, sortWarnings...)
	d.warnings = append(d.warnings, w.ix.licenseWarnings(q.License)...)

	filters := w.filters(&q)
	if d.searching {
		d.corrected = w.findCovers(asked.texts())
		w.look()
		w.answerWords(&d, filters, q.Limit)
		return d
	}
	all := w.set()
	all.addAll(w.ix.n)
	passing := filters.apply(w, all)
	d.total = w.countFacets(filters, all, passing)
	w.pick(passing, d.sort, q.Limit, func(doc int) hit { return hit{doc, tierNone, false} })
	return d
}

// answerWords orders what the words of a query match.
func (w *work) answerWords(d *decision, filters *appliedFilters, limit int) {
	full := w.full()
	if w.question.onlyHints {
		// What else the words of hints say is of no account.
		full[tierPurpose].clear()
		full[tierDescription] = w.withEveryHint(full)
	}
	all := w.set()
	for _, s := range full {
		all.union(s)
	}
	// Partial matches belong to the answer by relevance where fewer than
	// enoughMatches listings match in full, in another order only where none does
	// (contract 4).
	passing := filters.apply(w, all)
	enough := enoughMatches
	if d.sort != api.SortRelevance {
		enough = 1
	}
	var levels []*set
	if passing.count() < enough {
		if w.question.onlyHints {
			levels = w.withSomeHints(all)
		} else {
			levels = w.partial(all)
		}
		all = w.with(all)
		for _, s := range levels {
			all.union(s)
		}
		passing = filters.apply(w, all)
	}
	d.total = w.countFacets(filters, all, passing)
	if all.count() == 0 {
		// The corrected words were searched for as well.
		d.corrected = ""
		d.warnings = append(d.warnings, api.Warning{Code: api.WarnNothingFound, Parameter: "q",
			Message: "No listing matches. Listings are in English: try fewer, more general English words."})
	}
	if d.sort != api.SortRelevance {
		w.pick(passing, d.sort, limit, func(doc int) hit { return w.hitOf(full, doc) })
		return
	}
	for t, s := range full {
		w.order(filters.apply(w, s), tier(t), limit)
	}
	if len(levels) > 0 {
		w.orderPartial(filters, levels, limit)
	}
	if slices.ContainsFunc(w.hits, func(h hit) bool { return h.partial }) {
		d.warnings = append(d.warnings, api.Warning{Code: api.WarnPartialMatches, Parameter: "q",
			Message: "Few listings match every word; hits with partial true match only some of them."})
	}
}

// hitOf tells how a listing matches that is not ordered by it.
func (w *work) hitOf(full [tierNone]*set, doc int) hit {
	for t, s := range full {
		if s.has(doc) {
			return hit{doc, tier(t), false}
		}
	}
	if w.question.onlyHints {
		return hit{doc, tierDescription, true}
	}
	_, t := w.grade(doc, 0)
	return hit{doc, t, true}
}

// order appends the best full matches of a tier to the hits, as far as there is
// room.
func (w *work) order(s *set, t tier, limit int) {
	if t == tierExactName || t == tierDescription && w.question.onlyHints {
		// All are alike but for the hints that they hold.
		for _, docs := range w.byHints(s, limit-len(w.hits)) {
			for _, doc := range docs[:min(len(docs), limit-len(w.hits))] {
				w.hits = append(w.hits, hit{doc, t, false})
			}
		}
		return
	}
	w.rank(w.candidates(s, t), t, false, limit)
}

// orderPartial appends the best partial matches to the hits. Their levels come
// best first.
func (w *work) orderPartial(filters *appliedFilters, levels []*set, limit int) {
	if w.question.onlyHints {
		for _, s := range levels {
			filters.apply(w, s).each(func(doc int) bool {
				if len(w.hits) < limit {
					w.hits = append(w.hits, hit{doc, tierDescription, true})
				}
				return len(w.hits) < limit
			})
		}
		return
	}
	candidates, room := w.set(), w.room()
	for _, s := range levels {
		filters.apply(w, s).each(func(doc int) bool {
			if room > 0 {
				candidates.add(doc)
				room--
			}
			return room > 0
		})
	}
	w.rank(candidates, tierDescription, true, limit)
}

// pick appends the first listings of a set in the order of a sort to the hits.
func (w *work) pick(s *set, sort string, limit int, hitOf func(doc int) hit) {
	take := func(doc int) bool {
		w.hits = append(w.hits, hitOf(doc))
		return len(w.hits) < limit
	}
	order, ranks := w.ix.order(sort)
	if order == nil {
		s.each(take)
		return
	}
	// Where many match, the first in the order come soon; where few do, they are
	// sorted by their ranks.
	if n := s.count(); n > 0 && w.ix.n/n < n {
		for ; len(order) >= 4; order = order[4:] {
			if doc := number(order); doc < w.ix.n && s.has(doc) && !take(doc) {
				return
			}
		}
		return
	}
	var keys []uint64
	s.each(func(doc int) bool {
		keys = append(keys, uint64(binary.LittleEndian.Uint32(ranks[4*doc:]))<<32|uint64(doc))
		return true
	})
	slices.Sort(keys)
	for _, key := range keys {
		if !take(int(key & (1<<32 - 1))) {
			return
		}
	}
}

// appliedFilters are the filters of a query with the listings that each lets
// through.
type appliedFilters struct {
	facets []facet
	sets   []*set
}

func (w *work) filters(q *api.SearchQuery) *appliedFilters {
	var a appliedFilters
	for _, f := range w.ix.filtersOf(q) {
		s := w.set()
		if f.bound != nil {
			w.within(s, *f.bound)
		}
		for _, term := range f.terms {
			w.addTerm(s, term)
		}
		a.facets = append(a.facets, f.facet)
		a.sets = append(a.sets, s)
	}
	return &a
}

// apply returns the members of a set that pass every filter: the set itself
// where there is none.
func (a *appliedFilters) apply(w *work, s *set) *set { return a.applyBut(w, s, -1) }

// applyBut leaves the i-th filter out.
func (a *appliedFilters) applyBut(w *work, s *set, i int) *set {
	result := s
	for k, f := range a.sets {
		if k == i {
			continue
		}
		if result == s {
			result = w.with(s)
		}
		result.intersect(f)
	}
	return result
}

// countFacets counts each facet over the matches with every filter but its own,
// unless they are left out, and returns how many pass all.
func (w *work) countFacets(a *appliedFilters, all, passing *set) (total int) {
	if w.noFacets {
		return passing.count()
	}
	free := make([]facet, 0, len(w.facets))
	for i := range w.facets {
		if f := facet(i); !slices.Contains(a.facets, f) {
			free = append(free, f)
		}
	}
	w.countValues(passing, free)
	for i, f := range a.facets {
		if f != noFacet {
			w.countValues(a.applyBut(w, all, i), []facet{f})
		}
	}
	return passing.count()
}

// appliedSort decides the order of an answer (spec 4.3, sort rules 1 to 4).
func appliedSort(requested string, searching bool) (string, []api.Warning) {
	switch {
	case requested == api.SortTrending:
		return api.SortPopular, []api.Warning{{Code: api.WarnDeprecatedSort, Parameter: "sort",
			Message: "trending is deprecated and served as popular."}}
	case requested == api.SortRelevance && !searching:
		return api.SortPopular, []api.Warning{{Code: api.WarnRelevanceNoQuery, Parameter: "sort",
			Message: "relevance needs a q; served as popular."}}
	case requested != "":
		return requested, nil
	case searching:
		return api.SortRelevance, nil
	default:
		return api.SortPopular, nil
	}
}

func (ix *Index) licenseWarnings(licenses []string) []api.Warning {
	var unknown []string
	for _, l := range licenses {
		if _, ok := ix.terms.find(licenseTerm(l)); !ok {
			unknown = append(unknown, l)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return []api.Warning{{Code: api.WarnUnknownLicense, Parameter: "license",
		Message: "No listing has the licence " + strings.Join(unknown, ", ") + "."}}
}

// appendAnswer writes the answer: hits are copied from the index.
func (w *work) appendAnswer(dst []byte, q *api.SearchQuery, d *decision) []byte {
	dst = append(dst, `{"query":`...)
	dst = w.ix.appendEcho(dst, q, d.q)
	dst = append(dst, `,"sort":{"requested":`...)
	if q.Sort == "" {
		dst = append(dst, "null"...)
	} else {
		dst = api.AppendString(dst, q.Sort)
	}
	dst = api.AppendString(append(dst, `,"applied":`...), d.sort)
	dst = appendBool(append(dst, `,"deprecated":`...), q.Sort == api.SortTrending)
	dst = api.AppendString(append(dst, `,"order":`...), api.SortOrder(&w.ix.settings, d.sort))
	dst = appendInt(append(dst, `},"total":`...), d.total)
	dst = append(dst, `,"hits":[`...)
	for i, h := range w.hits {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = w.ix.documents.appendHit(dst, h.doc)
		dst = append(dst, `,"match":{"tier":`...)
		if h.tier == tierNone {
			dst = append(dst, "null"...)
		} else {
			dst = api.AppendString(dst, api.Tiers[h.tier])
		}
		dst = append(appendBool(append(dst, `,"partial":`...), h.partial), "}}"...)
	}
	dst = append(dst, ']')
	if !w.noFacets {
		dst = w.appendFacets(append(dst, `,"facets":`...))
	}
	dst = append(dst, `,"didYouMean":`...)
	if d.corrected == "" {
		dst = append(dst, "null"...)
	} else {
		dst = api.AppendString(dst, d.corrected)
	}
	dst = AppendWarnings(append(dst, `,"warnings":`...), d.warnings)
	return append(dst, '}')
}

func (w *work) appendFacets(dst []byte) []byte {
	dst = append(dst, '{')
	for f, values := range w.facets {
		if !w.ix.shown(facet(f)) {
			continue
		}
		if f > 0 {
			dst = append(dst, ',')
		}
		dst = append(api.AppendString(dst, w.ix.facets.names[f]), ":["...)
		for i, v := range values {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = api.AppendString(append(dst, `{"value":`...), w.ix.facets.values[f][v.value()].value)
			dst = append(appendInt(append(dst, `,"count":`...), v.count()), '}')
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// AppendWarnings appends the JSON of warnings.
func AppendWarnings(dst []byte, warnings []api.Warning) []byte {
	dst = append(dst, '[')
	for i, warning := range warnings {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = api.AppendString(append(dst, `{"code":`...), warning.Code)
		dst = api.AppendString(append(dst, `,"parameter":`...), warning.Parameter)
		dst = append(api.AppendString(append(dst, `,"message":`...), warning.Message), '}')
	}
	return append(dst, ']')
}

// appendEcho writes what was understood of the query: an api.QueryEcho. usedQ is the
// free text that was searched for, "" where none was.
func (ix *Index) appendEcho(dst []byte, q *api.SearchQuery, usedQ string) []byte {
	dst = append(dst, '{')
	for i := range ix.parameters {
		p := &ix.parameters[i]
		if p.Name == "sort" || p.Name == "facets" {
			continue
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(api.AppendString(dst, p.Name), ':')
		switch values := q.Facts[p.Name]; {
		case p.Name == "limit":
			dst = appendInt(dst, q.Limit)
		case p.Name == "category":
			dst = api.AppendStrings(dst, q.Category)
		case p.Name == "platform":
			dst = api.AppendStrings(dst, q.Platform)
		case p.Name == "license":
			dst = api.AppendStrings(dst, q.License)
		case p.Name == "q" && usedQ != "":
			dst = api.AppendString(dst, usedQ)
		case len(values) == 0:
			dst = append(dst, "null"...)
		case p.Kind == api.KindFlag:
			dst = appendBool(dst, values[0] == "1")
		case p.Kind == api.KindNumber:
			n, _ := strconv.ParseFloat(values[0], 64) // the parameter has been checked
			dst = strconv.AppendFloat(dst, n, 'f', -1, 64)
		default:
			dst = api.AppendStrings(dst, values)
		}
	}
	return append(dst, '}')
}

func appendInt(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

func appendBool(dst []byte, b bool) []byte { return strconv.AppendBool(dst, b) }
