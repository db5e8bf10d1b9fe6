package query

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"catalog.example/api"
	"catalog.example/api/search/index"
)

// hit is a listing that matches a query.
type hit struct {
	graded
	partial bool
	grade   int
	by      *grading // how grade was computed; nil if hits are not ordered by grade
}

// ranker orders the matches of a query, up to a limit. The hits are in scratch: if ranker had a
// field for them, the compiler would allocate everything that ranker refers to on the heap.
type ranker struct {
	*found
	filters *filters
	machine *machine
	limit   int
}

// rank orders the listings that match and pass the filters, by relevance or in another order.
// It returns the first of them, up to a limit. By relevance, the close matches come first, by
// tier, then all others together. Without words, the verdict is the relevance, then hints.
func (f *found) rank(m *matched, filters *filters, machine *machine, sort string, limit int) []hit {
	r := ranker{found: f, filters: filters, machine: machine, limit: limit}
	f.s.hits = f.s.hits[:0]
	switch {
	case sort != api.SortRelevance:
		r.appendSorted(m, sort)
	case f.empty():
		r.appendByHints(m.passing, hit{graded: graded{tier: tierNone}})
	default:
		for t, set := range m.tiers {
			r.appendClose(filters.apply(set), tier(t))
		}
		r.appendLoose(m.weak, m.levels)
	}
	return f.s.hits
}

// room returns how many more hits the limit allows.
func (r *ranker) room() int { return r.limit - len(r.s.hits) }

// appendClose appends the best close matches of a tier to the hits. It orders them by grade, and
// equal grades by whether the listing fits the machine.
func (r *ranker) appendClose(set *index.Set, t tier) {
	if t == tierExactName || t == tierDescription && r.onlyHints {
		r.appendByHints(set, hit{graded: graded{tier: t}})
		return
	}
	for rest := r.s.copySet(set); r.room() > 0 && rest.Count() > 0; {
		block := r.candidates(rest, t)
		list := r.grade(block)
		for i := range list {
			list[i].tier, list[i].missing = t, 0
		}
		r.s.addCategories(list, ranking.categoryOfFull)
		r.appendBest(list, nil)
		if block == rest {
			break
		}
		rest.Subtract(block)
	}
}

// appendLoose appends the best other matches to the hits: the weak ones together with the partial ones, of
// which the best level comes first.
func (r *ranker) appendLoose(weak *index.Set, levels []*index.Set) {
	if r.onlyHints {
		for _, set := range levels {
			r.appendByHints(r.filters.apply(set), hit{graded: graded{tier: tierDescription}, partial: true})
		}
		return
	}
	most := maxLoose
	if len(r.s.hits) > 0 {
		most = maxLooseBehind
	}
	block, n := r.s.copySet(r.filters.applyAnyFit(weak)), 0
	rank := func() {
		list := r.grade(block)
		r.s.addCategories(list, ranking.category)
		r.appendBest(list, weak)
		block.Clear()
		n = 0
	}
	for _, set := range levels {
		r.filters.applyAnyFit(set).Each(func(doc int) bool {
			block.Add(doc)
			if n++; n == most {
				rank()
			}
			return r.room() > 0
		})
		if n > most/2 {
			rank() // the next levels match less of the query
		}
	}
	rank()
}

// appendByHints appends the members of a set, ordered only by verdict and hints. h is the hit to
// append for each, except for its doc.
func (r *ranker) appendByHints(set *index.Set, h hit) {
	for _, part := range r.machine.byVerdict(set) {
		for _, docs := range r.byHintRank(part, r.room()) {
			for _, doc := range docs[:min(len(docs), r.room())] {
				h.doc = doc
				r.s.hits = append(r.s.hits, h)
			}
		}
	}
}

// appendSorted appends the first listings that pass, in the order of a sort, to the hits.
func (r *ranker) appendSorted(m *matched, sort string) {
	add := func(doc int) bool {
		r.s.hits = append(r.s.hits, r.hitOf(m, doc))
		return r.room() > 0
	}
	order, ranks := r.s.Order(sort)
	if order == nil {
		m.passing.Each(add)
		return
	}
	// If many listings match, going through the order soon finds the first ones. If few match,
	// sorting them by rank is faster.
	if n := m.passing.Count(); n > 0 && r.s.Len()/n < n {
		for ; len(order) >= 4; order = order[4:] {
			if doc := index.Number(order); doc < r.s.Len() && m.passing.Has(doc) && !add(doc) {
				return
			}
		}
		return
	}
	var keys []uint64
	m.passing.Each(func(doc int) bool {
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

// hitOf returns the hit of a listing that is not ordered by relevance.
func (r *ranker) hitOf(m *matched, doc int) hit {
	if r.empty() {
		return hit{graded: graded{doc: doc, tier: tierNone}}
	}
	for t, set := range m.tiers {
		if set.Has(doc) {
			return hit{graded: graded{doc: doc, tier: tier(t)}}
		}
	}
	if r.onlyHints {
		return hit{graded: graded{doc: doc, tier: tierDescription}, partial: true}
	}
	return hit{graded: r.gradeOf(doc), partial: true}
}

// hintRank ranks a listing by hints; higher is better. The rank is 0 if the listing is archived,
// otherwise 1 + the number of hints that it has.
func (f *found) hintRank(doc, hints int) int {
	if f.archived.Has(doc) {
		return 0
	}
	return 1 + hints
}

// rankKey returns a key that sorts matches by relevance: grade, tier, verdict, hint rank, then the
// number of the listing, which follows stars and slug. Close matches are ranked one tier at a time.
func rankKey(grade int, g *graded, v verdict, hintRank int) uint64 {
	return uint64(grade)<<56 | uint64(g.tier)<<52 | uint64(v)<<48 | uint64(255-min(hintRank, 255))<<40 | uint64(g.doc)
}

// grading divides qualities into steps, from the best quality downwards. Qualities below the
// last step have the last grade.
type grading struct {
	steps int
	width float64 // of a step, relative to the best quality
}

var (
	// closeGrading is for close matches within a tier. More steps do not improve the results, and
	// stars count less.
	closeGrading = grading{16, 1. / 32}
	// looseGrading is for all other matches, whose qualities differ less.
	looseGrading = grading{64, 1. / 64}
	// computerGrading is for all matches of a query whose words name the user's computer. With wider
	// steps, more grades are equal, so that whether a listing fits decides more often.
	computerGrading = grading{16, 1. / 16}
)

// of returns the grade of a quality, 0 for the best.
func (g grading) of(quality, best float64) int {
	if best <= 0 {
		return g.steps - 1
	}
	return min(g.steps-1, int((1-quality/best)/g.width))
}

// grade grades the candidates, unless the limit of hits is reached.
func (r *ranker) grade(candidates *index.Set) []graded {
	s := r.s
	s.graded = s.graded[:0]
	if r.room() <= 0 {
		return nil
	}
	candidates.Each(func(doc int) bool {
		s.loaded += s.Texts.Load(doc)
		return true
	})
	candidates.Each(func(doc int) bool {
		s.graded = append(s.graded, r.gradeOf(doc))
		return true
	})
	return s.graded
}

// ranked is the rankKey of a match, and the index of the match in a list of graded ones.
type ranked struct {
	key    uint64
	graded int
}

func (r ranked) compareKey(key uint64) int { return cmp.Compare(r.key, key) }

// appendBest appends the best listings of list to the hits, as far as there is room. It leaves out those
// that do not pass on the computer. They are graded all the same, so that grades do not depend on it. weak
// is nil if all are close matches; otherwise only its members match in full.
func (r *ranker) appendBest(list []graded, weak *index.Set) {
	room := r.room()
	if room <= 0 {
		return
	}
	by := &closeGrading
	switch {
	case r.hasComputer:
		by = &computerGrading
	case weak != nil:
		by = &looseGrading
	}
	top := 0.0
	for i := range list {
		top = max(top, list[i].quality)
	}
	best := r.s.best[:0]
	for i := range list {
		g := &list[i]
		if !r.machine.passes(g.doc) {
			continue
		}
		key := rankKey(by.of(g.quality, top), g, r.machine.verdict(g.doc), r.hintRank(g.doc, g.hints))
		if len(best) < room || key < best[room-1].key {
			at, _ := slices.BinarySearchFunc(best, key, ranked.compareKey)
			best = slices.Insert(best[:min(len(best), room-1)], at, ranked{key, i})
		}
	}
	r.s.best = best
	for _, b := range best {
		g := list[b.graded]
		r.s.hits = append(r.s.hits, hit{g, weak != nil && !weak.Has(g.doc), by.of(g.quality, top), by})
	}
}

// candidates returns the listings of a set to grade: all, or the most promising if there are too
// many. Listings that are not chosen rank below them. The choice, and so the order, does not depend
// on the number of hits requested.
func (r *ranker) candidates(set *index.Set, t tier) *index.Set {
	room := r.s.maxGraded
	if set.Count() <= room {
		return set
	}
	chosen, rest := r.s.emptySet(), r.s.copySet(set)
	addBest := func(from *index.Set) {
		for _, docs := range r.byHintRank(from, room) {
			docs = docs[:min(room, len(docs))]
			for _, doc := range docs {
				chosen.Add(doc)
			}
			room -= len(docs)
		}
	}
	if len(r.words) == 1 {
		for _, key := range r.findLists(t) {
			if room == 0 {
				break
			}
			members := r.s.emptySet()
			r.s.addList(members, &r.s.lists[key&math.MaxUint32])
			members.Intersect(rest)
			addBest(members)
			rest.Subtract(members)
		}
	}
	if room > 0 {
		addBest(rest)
	}
	return chosen
}

// byHintRank returns up to n members of a set for each hint rank, the highest rank first.
func (r *ranker) byHintRank(set *index.Set, n int) [][]int {
	levels := make([][]int, len(r.hintSets)+2)
	set.Each(func(doc int) bool {
		level := len(levels) - 1 - r.hintRank(doc, r.countHints(doc))
		if len(levels[level]) < n {
			levels[level] = append(levels[level], doc)
		}
		return len(levels[0]) < n
	})
	return levels
}

// findLists is for queries of one word. It collects in scratch.lists, for each place of a tier, the
// listings that have the word there. It returns a sorted key for each list: the place with the
// highest weight comes first, and the lower 32 bits are the index of the list.
func (r *ranker) findLists(t tier) []uint64 {
	s := r.s
	s.lists, s.listKeys = s.lists[:0], s.listKeys[:0]
	add := func(f index.Field, whole bool, quality float64, l index.List) {
		share := 0.0
		if whole {
			share = 1
		}
		arrangement := arrangedTogether + arrangedNear + arrangedWhole*share
		weight := ranking.fields[f] * quality * (1 - ranking.arrangement + ranking.arrangement*arrangement)
		s.listKeys = append(s.listKeys, uint64(^math.Float32bits(float32(weight)))<<32|uint64(len(s.lists)))
		s.lists = append(s.lists, l)
	}
	for i := range r.expansions {
		e := &r.expansions[i]
		s.Postings.Each(e.term, func(place index.Class, l index.List) {
			if place == index.ClassExact || place.Field() == index.FieldReplaces {
				return
			}
			if r.tierOf(place.Field(), e.synonym, place.Whole()) == t {
				add(place.Field(), place.Whole(), e.quality, l)
			}
		})
	}
	for i := range r.products {
		if p := &r.products[i]; p.tier == t && p.match.words != 0 {
			add(index.FieldReplaces, p.match.complete, p.match.evidence[0], p.product.List)
		}
	}
	slices.Sort(s.listKeys)
	return s.listKeys
}
