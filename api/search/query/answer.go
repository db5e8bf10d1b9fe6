package query

import (
	"encoding/binary"
	"math/bits"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/search/index"
)

// AppendSearch appends the JSON of the api.SearchResponse to a query (spec 4.3,
// contract 4). The warnings in more follow its own.
func (ix *Engine) AppendSearch(dst []byte, q api.SearchQuery, more ...api.Warning) []byte {
	answer, _ := ix.Search(dst, q, more...)
	return answer
}

// Search is AppendSearch and also returns how many listings match.
func (ix *Engine) Search(dst []byte, q api.SearchQuery, more ...api.Warning) (answer []byte, total int) {
	defer runtime.KeepAlive(ix)
	w := ix.acquire()
	defer w.release()
	d := w.decide(&q)
	w.findNamed(d.corrected)
	d.warnings = append(d.warnings, more...)
	return w.appendAnswer(dst, &q, &d), d.total
}

// decision is an answer without its hits and facets, which are in the workspace.
type decision struct {
	text      string // the free text that was searched for, or ""
	searching bool
	sort      string // applied
	total     int
	corrected string // a better spelling, or ""
	warnings  []api.Warning
}

// decide finds what a query matches and orders it. It adds the filters that words of the
// query stand for.
func (w *scratch) decide(q *api.SearchQuery) decision {
	w.query, w.limit, w.withoutFacets = w.ix.vocabulary.parse(q.Q, &q.Filters.Machine, w.ix.isName), q.Offset+q.Limit, q.NoFacets
	query := &w.query
	query.warnings = append(query.warnings, w.readComputer(q)...)
	if query.empty() {
		query.words = w.ix.nameOf(query)
	}
	d := decision{searching: !query.empty(), warnings: query.warnings}
	if d.searching {
		d.text = q.Q
	} else if q.Q != "" && !query.hasComputer {
		d.warnings = append(d.warnings, api.Warning{Code: api.WarnOnlyFiller, Parameter: "q",
			Message: "That is too general to search for. Showing everything."})
	}
	var sortWarnings []api.Warning
	d.sort, sortWarnings = appliedSort(q.Sort, d.searching)
	d.warnings = append(d.warnings, sortWarnings...)
	d.warnings = append(d.warnings, w.ix.licenseWarnings(q.Filters.Values[index.FacetNames[index.FacetLicense]])...)

	filters := w.listFilters(q)
	if d.searching {
		words := textsOf(query.words)
		if corrected := w.expand(words, q.AsSpelt); corrected != nil {
			d.corrected = withCorrections(q.Q, words, corrected)
		}
		w.lookUp()
		w.answerWords(&d, filters)
		w.cut(&d, q.Offset)
		return d
	}
	all := w.emptySet()
	all.AddAll(w.ix.Len())
	w.judge(all)
	passing := filters.apply(w, all)
	d.total = w.countFacets(filters, all, passing)
	w.appendSorted(passing, d.sort, func(doc int) hit { return hit{graded: graded{doc: doc, tier: tierNone}} })
	w.cut(&d, q.Offset)
	return d
}

// cut removes the hits before the offset.
func (w *scratch) cut(d *decision, offset int) {
	w.hits = w.hits[min(offset, len(w.hits)):]
	if slices.ContainsFunc(w.hits, func(h hit) bool { return h.partial }) {
		d.warnings = append(d.warnings, api.Warning{Code: api.WarnPartialMatches, Parameter: "q",
			Message: "Few listings match the whole query; the others match part of it."})
	}
}

// answerWords orders what the words of a query match: by relevance the close matches by
// tier, then all others together.
func (w *scratch) answerWords(d *decision, filters *appliedFilters) {
	tiers := w.fullMatches()
	w.removeScattered(&tiers)
	if w.query.onlyHints {
		// Other matches of the words of hints do not count.
		tiers[tierPurpose].Clear()
		tiers[tierDescription] = w.listingsWithAllHints(tiers)
	}
	all := w.emptySet()
	for _, s := range tiers {
		all.Union(s)
	}
	w.judge(all)
	// Partial matches are added by relevance if there are fewer than enoughMatches
	// full matches, and in other orders if there are none (contract 4).
	passing := filters.apply(w, all)
	enough := enoughMatches
	if d.sort != api.SortRelevance {
		enough = 1
	}
	var levels []*index.Set
	if passing.Count() < enough {
		if w.query.onlyHints {
			levels = w.listingsWithSomeHints(all)
		} else {
			levels = w.partialMatches(all)
		}
	}
	if levels != nil {
		all = w.copySet(all)
		for _, s := range levels {
			all.Union(s)
			w.judge(s)
		}
		passing = filters.apply(w, all)
	}
	d.total = w.countFacets(filters, all, passing)
	if all.Count() == 0 {
		// The corrected words were searched for too.
		d.corrected = ""
		d.warnings = append(d.warnings, api.Warning{Code: api.WarnNothingFound, Parameter: "q",
			Message: "No listing matches. Listings are in English: try fewer, more general English words."})
	}
	if d.sort != api.SortRelevance {
		w.appendSorted(passing, d.sort, func(doc int) hit { return w.hitOf(tiers, doc) })
		return
	}
	for t, s := range tiers {
		w.appendClose(filters.apply(w, s), tier(t))
	}
	w.appendLoose(filters, levels)
}

// hitOf returns the hit of a listing that is not ordered by relevance.
func (w *scratch) hitOf(tiers [tierNone]*index.Set, doc int) hit {
	for t, s := range tiers {
		if s.Has(doc) {
			return hit{graded: graded{doc: doc, tier: tier(t)}}
		}
	}
	if w.query.onlyHints {
		return hit{graded: graded{doc: doc, tier: tierDescription}, partial: true}
	}
	return hit{graded: w.gradeOf(doc), partial: true}
}

// appendClose appends the best close matches of a tier to the hits, up to w.limit. How well a
// listing matches comes before whether it fits the machine, which orders equal grades.
func (w *scratch) appendClose(s *index.Set, tier tier) {
	if tier == tierExactName || tier == tierDescription && w.query.onlyHints {
		for _, part := range w.byVerdict(s) {
			w.appendByHints(part, hit{graded: graded{tier: tier}})
		}
		return
	}
	for rest := w.copySet(s); w.room() > 0 && rest.Count() > 0; {
		block := w.candidates(rest, tier)
		w.rankClose(block, tier)
		if block == rest {
			break
		}
		rest.Subtract(block)
	}
}

// appendLoose appends the best other matches to the hits, up to w.limit. The best
// level comes first.
func (w *scratch) appendLoose(filters *appliedFilters, levels []*index.Set) {
	if w.query.onlyHints {
		for _, s := range levels {
			for _, s := range w.byVerdict(filters.apply(w, s)) {
				w.appendByHints(s, hit{graded: graded{tier: tierDescription}, partial: true})
			}
		}
		return
	}
	most := maxLoose
	if len(w.hits) > 0 {
		most = maxLooseBehind
	}
	block, n := w.emptySet(), 0
	rank := func() {
		w.rankLoose(block)
		block.Clear()
		n = 0
	}
	for _, s := range levels {
		filters.apply(w, s).Each(func(doc int) bool {
			block.Add(doc)
			if n++; n == most {
				rank()
			}
			return w.room() > 0
		})
		if n > most/2 {
			rank() // those of the next levels have less of the query
		}
	}
	rank()
}

// room returns how many more hits there may be.
func (w *scratch) room() int { return w.limit - len(w.hits) }

// appendByHints appends the members of a set that differ only in their hints.
func (w *scratch) appendByHints(s *index.Set, h hit) {
	for _, docs := range w.byHintRank(s, w.room()) {
		for _, doc := range docs[:min(len(docs), w.room())] {
			h.doc = doc
			w.hits = append(w.hits, h)
		}
	}
}

// appendSorted appends the first listings of a set in the order of a sort to the hits.
func (w *scratch) appendSorted(s *index.Set, sort string, hitOf func(doc int) hit) {
	add := func(doc int) bool {
		w.hits = append(w.hits, hitOf(doc))
		return w.room() > 0
	}
	order, ranks := w.ix.Order(sort)
	if order == nil {
		s.Each(add)
		return
	}
	// If many match, the first are found soon by going through the order. If few match,
	// sorting them by rank is faster.
	if n := s.Count(); n > 0 && w.ix.Len()/n < n {
		for ; len(order) >= 4; order = order[4:] {
			if doc := index.Number(order); doc < w.ix.Len() && s.Has(doc) && !add(doc) {
				return
			}
		}
		return
	}
	var keys []uint64
	s.Each(func(doc int) bool {
		keys = append(keys, uint64(binary.LittleEndian.Uint32(ranks[4*doc:]))<<32|uint64(doc))
		return true
	})
	slices.Sort(keys)
	for _, key := range keys {
		if !add(int(key & (1<<32 - 1))) {
			return
		}
	}
}

// appliedFilters are the filters of a query and the listings that pass each.
type appliedFilters struct {
	facets []index.Facet
	sets   []*index.Set
}

func (w *scratch) listFilters(q *api.SearchQuery) *appliedFilters {
	var a appliedFilters
	for _, f := range w.ix.filtersOf(q) {
		s := w.emptySet()
		if f.bound != nil {
			w.addWithin(s, *f.bound)
		}
		for _, term := range f.terms {
			w.addTerm(s, term)
		}
		a.facets = append(a.facets, f.facet)
		a.sets = append(a.sets, s)
	}
	if w.machine.named {
		a.facets, a.sets = append(a.facets, facetFit), append(a.sets, w.machine.passing)
	}
	return &a
}

// apply returns the members of s that pass every filter. It returns s itself if there
// is no filter.
func (a *appliedFilters) apply(w *scratch, s *index.Set) *index.Set { return a.applyExcept(w, s, -1) }

// applyExcept ignores the i-th filter.
func (a *appliedFilters) applyExcept(w *scratch, s *index.Set, i int) *index.Set {
	result := s
	for k, f := range a.sets {
		if k == i {
			continue
		}
		if result == s {
			result = w.copySet(s)
		}
		result.Intersect(f)
	}
	return result
}

// countFacets counts each facet over the matches that pass every filter but its own,
// unless facets are not wanted. It returns how many matches pass all filters.
func (w *scratch) countFacets(a *appliedFilters, all, passing *index.Set) (total int) {
	if w.withoutFacets {
		return passing.Count()
	}
	unfiltered := make([]index.Facet, 0, len(w.facets))
	for i := range w.facets {
		if f := index.Facet(i); !slices.Contains(a.facets, f) {
			unfiltered = append(unfiltered, f)
		}
	}
	w.countValues(passing, unfiltered)
	for i, f := range a.facets {
		switch f {
		case noFacet:
		case facetFit:
			w.countVerdicts(a.applyExcept(w, all, i))
		default:
			w.countValues(a.applyExcept(w, all, i), []index.Facet{f})
		}
	}
	return passing.Count()
}

// appliedSort returns the order of an answer (spec 4.3, sort rules 1 to 4).
func appliedSort(requested string, searching bool) (string, []api.Warning) {
	switch {
	case requested == api.SortTrending:
		return api.SortPopular, []api.Warning{{Code: api.WarnDeprecatedSort, Parameter: "sort",
			Message: "trending is deprecated and served as popular."}}
	case requested == api.SortRelevance && !searching:
		return api.SortPopular, []api.Warning{{Code: api.WarnRelevanceNoQuery, Parameter: "sort",
			Message: "relevance needs q; served as popular."}}
	case requested != "":
		return requested, nil
	case searching:
		return api.SortRelevance, nil
	default:
		return api.SortPopular, nil
	}
}

func (ix *Engine) licenseWarnings(licenses []string) []api.Warning {
	var unknown []string
	for _, l := range licenses {
		if _, ok := ix.Terms.Find(index.LicenseTerm(l)); !ok {
			unknown = append(unknown, l)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return []api.Warning{{Code: api.WarnUnknownLicense, Parameter: "license",
		Message: "No listing has the licence " + strings.Join(unknown, ", ") + "."}}
}

// appendAnswer appends the JSON of an answer. Hits are copied from the index.
func (w *scratch) appendAnswer(dst []byte, q *api.SearchQuery, d *decision) []byte {
	dst = append(dst, `{"query":`...)
	dst = w.ix.appendEcho(dst, q, d.text)
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
	dst = appendInt(append(dst, `,"limit":`...), q.Limit)
	dst = appendInt(append(dst, `,"offset":`...), q.Offset)
	dst = append(w.appendNamed(append(dst, `,"products":[`...)), `],"hits":[`...)
	hasSetups := w.ix.taxonomy.HasSetups()
	for i, h := range w.hits {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = w.ix.Documents.AppendHit(dst, h.doc)
		if hasSetups {
			dst = w.appendFit(append(dst, `,"fit":`...), h.doc)
		}
		dst = append(dst, `,"match":{"tier":`...)
		if h.tier == tierNone {
			dst = append(dst, "null"...)
		} else {
			dst = api.AppendString(dst, api.Tiers[h.tier])
		}
		dst = appendBool(append(dst, `,"partial":`...), h.partial)
		dst = append(w.appendMissing(append(dst, `,"missing":[`...), h.missing), "]}}"...)
	}
	dst = append(dst, ']')
	if !w.withoutFacets {
		dst = w.appendFacets(append(dst, `,"facets":`...))
	}
	dst = append(dst, `,"didYouMean":`...)
	if d.corrected == "" {
		dst = append(dst, "null"...)
	} else {
		dst = api.AppendString(dst, d.corrected)
	}
	dst = api.AppendWarnings(append(dst, `,"warnings":`...), d.warnings)
	return append(dst, '}')
}

// appendMissing appends the words that a match lacks, each once, as JSON strings.
func (w *scratch) appendMissing(dst []byte, words uint32) []byte {
	written := w.query.words[:0:0]
	for left := words; left != 0; left &= left - 1 {
		word := w.query.words[bits.TrailingZeros32(left)]
		if slices.ContainsFunc(written, func(other queryWord) bool { return other.text == word.text }) {
			continue
		}
		if len(written) > 0 {
			dst = append(dst, ',')
		}
		dst, written = api.AppendString(dst, word.text), append(written, word)
	}
	return dst
}

func (w *scratch) appendFacets(dst []byte) []byte {
	dst = append(dst, '{')
	for f, values := range w.facets {
		if !w.ix.hasFacet(index.Facet(f)) {
			continue
		}
		if f > 0 {
			dst = append(dst, ',')
		}
		dst = append(api.AppendString(dst, w.ix.Facets.Names[f]), ":["...)
		for i, v := range values {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = api.AppendString(append(dst, `{"value":`...), w.ix.Facets.Values[f][v.value()].Value)
			dst = append(appendInt(append(dst, `,"count":`...), v.count()), '}')
		}
		dst = append(dst, ']')
	}
	if w.ix.taxonomy.HasSetups() {
		dst = w.appendFitFacet(append(dst, `,"fit":`...))
	}
	return append(dst, '}')
}

// echoedParameter is a parameter that answers echo, and its JSON key with what precedes it.
type echoedParameter struct {
	*api.Parameter
	key []byte
}

// echoedParameters returns the parameters of an api.QueryEcho.
func echoedParameters(parameters []api.Parameter) (list []echoedParameter) {
	before := byte('{')
	for i := range parameters {
		if p := &parameters[i]; p.Name == "q" || p.Name == "limit" || p.IsFilter() {
			list = append(list, echoedParameter{p, append(api.AppendString([]byte{before}, p.Name), ':')})
			before = ','
		}
	}
	return list
}

// appendEcho appends the api.QueryEcho of a query. usedQ is the free text that was
// searched for, or "".
func (ix *Engine) appendEcho(dst []byte, q *api.SearchQuery, usedQ string) []byte {
	for i := range ix.echoed {
		p := &ix.echoed[i]
		dst = append(dst, p.key...)
		values := q.Filters.Values[p.Name]
		number, isNumber := q.Filters.Number(p.Name)
		switch {
		case p.Name == "limit":
			dst = appendInt(dst, q.Limit)
		case p.Name == "q" && usedQ != "":
			dst = api.AppendString(dst, usedQ)
		case isNumber:
			dst = strconv.AppendFloat(dst, number, 'f', -1, 64)
		case q.Filters.Machine.Get(p.Name) != "":
			dst = api.AppendString(dst, q.Filters.Machine.Get(p.Name))
		case len(values) == 0:
			dst = append(dst, "null"...)
		case p.Kind == api.KindFlag:
			dst = appendBool(dst, values[0] == "1")
		default:
			dst = api.AppendStrings(dst, values)
		}
	}
	return append(dst, '}')
}

func appendInt(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

func appendBool(dst []byte, b bool) []byte { return strconv.AppendBool(dst, b) }
