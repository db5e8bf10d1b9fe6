package query

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"catalog.example/api/search/index"
	"catalog.example/api/search/token"
)

// hit is a listing that matches a query.
type hit struct {
	graded
	partial bool
	grade   int
	by      *grading // what gave the grade; nil if the hits are not ordered by it
}

// hintRank returns the rank of a listing by hints (contract 4), higher is better: 0 if
// it is archived, else 1 + the number of hints that it has.
func (w *scratch) hintRank(doc, hints int) int {
	if w.archived.Has(doc) {
		return 0
	}
	return 1 + hints
}

// rankKey returns a key that sorts matches by relevance: grade, tier, verdict, hint rank,
// then stars and slug, which number the listings. Close matches are ranked within a tier
// and verdict.
func rankKey(grade int, g *graded, v verdict, hintRank int) uint64 {
	return uint64(grade)<<56 | uint64(g.tier)<<52 | uint64(v)<<48 | uint64(255-min(hintRank, 255))<<40 | uint64(g.doc)
}

// A grading divides the qualities from the best of all downwards into steps. Those below
// have the last grade.
type grading struct {
	steps int
	width float64 // of a step, relative to the best quality
}

var (
	// Of close matches, within a tier (contract 4). More steps give no better results, and
	// stars count less.
	closeGrading = grading{16, 1. / 32}
	// Of all others, whose qualities differ less.
	looseGrading = grading{64, 1. / 64}
)

// of returns the grade of a quality, 0 for the best.
func (g grading) of(quality, best float64) int {
	if best <= 0 {
		return g.steps - 1
	}
	return min(g.steps-1, int((1-quality/best)/g.width))
}

// rankClose appends the best close matches of a tier to the hits, up to w.limit.
func (w *scratch) rankClose(candidates *index.Set, t tier) {
	w.grade(candidates)
	for i := range w.graded {
		w.graded[i].tier, w.graded[i].missing = t, 0
	}
	w.appendBest(&closeGrading)
}

// rankLoose does the same for matches that are not close.
func (w *scratch) rankLoose(candidates *index.Set) {
	w.grade(candidates)
	w.addCategories(w.graded)
	w.appendBest(&looseGrading)
}

// grade fills w.graded with the candidates.
func (w *scratch) grade(candidates *index.Set) {
	w.graded = w.graded[:0]
	if w.room() <= 0 {
		return
	}
	for docs := range candidates.Batches() {
		w.prefetched += w.ix.Texts.Prefetch(docs)
		for _, doc := range docs {
			w.graded = append(w.graded, w.gradeOf(doc))
		}
	}
}

// appendBest appends the best of w.graded to the hits, up to w.limit.
func (w *scratch) appendBest(by *grading) {
	room := w.room()
	if room <= 0 {
		return
	}
	top := 0.0
	for i := range w.graded {
		top = max(top, w.graded[i].quality)
	}
	best := w.ranked[:0]
	for i := range w.graded {
		g := &w.graded[i]
		key := rankKey(by.of(g.quality, top), g, w.verdict(g.doc), w.hintRank(g.doc, g.hints))
		if len(best) < room || key < best[room-1].key {
			at, _ := slices.BinarySearchFunc(best, key, func(r ranked, key uint64) int { return cmp.Compare(r.key, key) })
			best = slices.Insert(best[:min(len(best), room-1)], at, ranked{key, i})
		}
	}
	w.ranked = best
	for _, r := range best {
		g := w.graded[r.graded]
		w.hits = append(w.hits, hit{g, by == &looseGrading, by.of(g.quality, top), by})
	}
}

// ranked is a match with its rankKey and its index in workspace.graded.
type ranked struct {
	key    uint64
	graded int
}

// candidates returns the listings of s to grade: all, or the most promising if there
// are too many. The rest is ranked below these, so that the order does not depend on how
// many hits are asked for.
func (w *scratch) candidates(s *index.Set, t tier) *index.Set {
	room := w.ix.maxGraded
	if s.Count() <= room {
		return s
	}
	chosen, rest := w.emptySet(), w.copySet(s)
	addBest := func(from *index.Set) {
		for _, docs := range w.byHintRank(from, room) {
			docs = docs[:min(room, len(docs))]
			for _, doc := range docs {
				chosen.Add(doc)
			}
			room -= len(docs)
		}
	}
	if len(w.words) == 1 {
		for _, key := range w.findLists(t) {
			if room == 0 {
				break
			}
			members := w.emptySet()
			w.addList(members, &w.lists[key&math.MaxUint32])
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

// byHintRank returns up to n members of s for each hint rank, the highest first.
func (w *scratch) byHintRank(s *index.Set, n int) [][]int {
	levels := make([][]int, len(w.hintSets)+2)
	s.Each(func(doc int) bool {
		level := len(levels) - 1 - w.hintRank(doc, w.countHints(doc))
		if len(levels[level]) < n {
			levels[level] = append(levels[level], doc)
		}
		return len(levels[0]) < n
	})
	return levels
}

// findLists puts the lists of listings that have the only word of a query in a tier into
// w.lists. It returns a sorted key for each list; the place with the highest weight comes
// first. The lower 32 bits of a key are the index of the list.
func (w *scratch) findLists(t tier) []uint64 {
	w.lists, w.listKeys = w.lists[:0], w.listKeys[:0]
	add := func(f index.Field, whole bool, quality float64, l index.List) {
		share := 0.0
		if whole {
			share = 1
		}
		arrangement := arrangedTogether + arrangedNear + arrangedWhole*share
		weight := ranking.fields[f] * quality * (1 - ranking.arrangement + ranking.arrangement*arrangement)
		w.listKeys = append(w.listKeys, uint64(^math.Float32bits(float32(weight)))<<32|uint64(len(w.lists)))
		w.lists = append(w.lists, l)
	}
	for _, e := range w.expansions {
		w.ix.Postings.Each(e.term, func(place index.Class, l index.List) {
			if place != index.ClassExact && place.Field() != index.FieldReplaces && w.tierOf(place.Field(), e.synonym, place.Whole()) == t {
				add(place.Field(), place.Whole(), e.quality, l)
			}
		})
	}
	for i := range w.products {
		if p := &w.products[i]; p.tier == t && p.match.words != 0 {
			add(index.FieldReplaces, p.match.complete, p.match.evidence[0], p.product.List)
		}
	}
	slices.Sort(w.listKeys)
	return w.listKeys
}

// nameOf returns the words of a query of function words and filler only, if they are a
// name: "make" is also a product, and "The Game" a game. It returns nil if no listing has or
// replaces that name.
func (ix *Engine) nameOf(q *parsed) []queryWord {
	// The names of listings have no function words, unless they have no others.
	filler := slices.DeleteFunc(slices.Clone(q.all), func(w string) bool { return token.FunctionWords[w] })
	for _, words := range [][]string{q.freeWords, filler} {
		if len(words) == 0 {
			continue
		}
		term, ok := ix.Terms.Find(strings.Join(words, ""))
		if !ok {
			continue
		}
		for _, f := range []index.Field{index.FieldName, index.FieldAlias, index.FieldReplaces} {
			if ix.Postings.HasClass(term, index.ClassOf(f, true)) {
				q.words = nil
				for _, w := range words {
					q.words = append(q.words, queryWord{text: w, role: roleRequired})
				}
				return q.words
			}
		}
	}
	return nil
}

// isName reports whether words, joined, are the whole name of a listing.
func (ix *Engine) isName(joined string) bool {
	term, ok := ix.Terms.Find(joined)
	return ok && ix.Postings.HasClass(term, index.ClassExact)
}
