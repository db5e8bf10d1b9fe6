package search

import (
	"math"
	"math/bits"
	"slices"
	"strings"
)

const (
	// gradeSteps is the number of steps of match quality within a tier (contract 4).
	// Fewer give worse results. More give no better ones, and stars count less.
	gradeSteps = 16
	// enoughMatches is how many full matches make partial matches unnecessary
	// (contract 4).
	enoughMatches = 3
	// partialShare is the least share of the query's weight that a partial match has
	// (contract 4). If it is lower, queries that should find nothing find something.
	// If it is higher, questions in everyday words lose their answers.
	partialShare = 0.26
)

// The weights of words that are not required, as measured.
const (
	// weakWeight is the weight of a weak word relative to a required word of the same
	// rarity.
	weakWeight = 0.5
	// guessWeight reduces the weight of a corrected word in partial matches: an unknown
	// word may resemble another by accident.
	guessWeight = 0.5
	// hintWeight is the weight of the fact of a hint: that of a word that one listing
	// in seven has.
	hintWeight = 2
	// requiredQuality is the quality of a fact as a match for a word that means it.
	requiredQuality = 0.8
	// generalShare is the least share of listings that have a general word. Such a word
	// matches as a name only if it is the whole name.
	generalShare = 0.1
)

// At most maxGraded listings of a tier are graded. In larger catalogs it is fewer, so
// that grading takes less time than the rest of the query, which grows with the
// catalog, but at least minGraded and twice the limit. If there are more, those with the
// words in the best places are graded, and of these the most popular. With minGraded, no
// figure of the judged training queries changes.
const (
	maxGraded     = 512
	minGraded     = 64
	gradedProduct = 1 << 18 // number of listings times number graded
)

// maxGradedFor returns how many listings of a tier are graded in a catalog.
func maxGradedFor(listings int) int {
	return min(maxGraded, max(minGraded, gradedProduct/max(1, listings)))
}

// descriptionShare is the share of a word's weight that a partial match has for it in
// a description, category or topic only: many words of a description are incidental.
const descriptionShare = 0.4

// fieldWeights are the probabilities that a listing with a word in a field is about it,
// as measured. Names count most. The others are low enough that a word in several
// fields counts more than a word in one.
var fieldWeights = [fieldCount]float64{
	fieldName: 1, fieldAlias: 0.8, fieldReplaces: 0.7,
	fieldPurpose: 0.45, fieldJob: 0.45, fieldAsk: 0.35,
	fieldCategory: 0.5, fieldCategoryAsk: 0.2, fieldTopic: 0.6, fieldDescription: 0.2,
}

// Factors for the quality of names that match less than fully.
const (
	partialProductQuality = 0.3 // the query has only a part of the name of a replaced product
	nameSynonymQuality    = 0.5 // a synonym of the word is in the name
)

// hit is a listing that matches a query.
type hit struct {
	doc     int
	tier    tier
	partial bool
	missing uint32 // bit i: the required word i, which a partial match lacks
}

// wordMatch is the match of a listing with a word of the query.
type wordMatch struct {
	found    bool
	tier     tier    // the strongest with the word
	strength float64 // how likely the listing is about the word
}

// readTexts matches the texts of a listing with the query and fills w.matches. Fields
// are combined as independent evidence. It returns the arrangement of the best text.
func (w *workspace) readTexts(doc int) (arrangement float64) {
	w.gradedCount++
	matches := w.matches[:len(w.words)]
	clear(matches)
	var evidence [maxWords]float64 // of the current field
	current := fieldName
	endField := func() {
		for i := range matches {
			matches[i].strength = probabilityOr(matches[i].strength, fieldWeights[current]*evidence[i])
			evidence[i] = 0
		}
	}
	matched := false
	for rest := w.ix.texts.ofDocument(doc); ; {
		t, after, ok := nextText(rest)
		if !ok {
			break
		}
		rest = after
		m := w.matchFieldText(&t)
		if m == nil {
			continue
		}
		if t.field != current {
			if matched {
				endField()
			}
			current, matched = t.field, false
		}
		matched = true
		arrangement = max(arrangement, fieldWeights[t.field]*m.arrangement)
		w.noteTiers(m, &t)
		for left := m.words; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left)
			evidence[i] = probabilityOr(evidence[i], m.evidence[i])
		}
	}
	if matched {
		endField()
	}
	for i, r := range w.query.required {
		if w.required[i].has(doc) {
			for word := r.from; word < r.to; word++ {
				m := &matches[word]
				m.noteTier(tierDescription)
				m.strength = probabilityOr(m.strength, fieldWeights[fieldTopic]*requiredQuality)
			}
		}
	}
	return arrangement
}

// matchFieldText matches a text of a listing with the query. It returns nil if no word
// matches.
func (w *workspace) matchFieldText(t *text) *textMatch {
	if t.field != fieldReplaces {
		if w.matchText(&w.match, t.terms, t.field) {
			return &w.match
		}
		return nil
	}
	if t.len() == 1 {
		if position, ok := w.productPosition[t.term(0)]; ok && w.products[position].match.words != 0 {
			return &w.products[position].match
		}
	}
	return nil
}

// noteTiers records the tiers of the words that match in a text.
func (w *workspace) noteTiers(m *textMatch, t *text) {
	direct, synonym := w.tierOf(t.field, false, m.complete), w.tierOf(t.field, true, m.complete)
	if t.field == fieldReplaces {
		direct, synonym = tierDescription, tierDescription
		if m.complete {
			direct, synonym = tierName, tierName
		}
	}
	for left := m.words; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left)
		if m.directWords>>i&1 != 0 {
			w.matches[i].noteTier(direct)
		} else {
			w.matches[i].noteTier(synonym)
		}
	}
}

func (m *wordMatch) noteTier(t tier) {
	if !m.found || t < m.tier {
		m.tier = t
	}
	m.found = true
}

// arrangementShare is the share of the arrangement in the quality of a match. The rest
// is the strength of the words.
const arrangementShare = 0.3

// grade returns how well a listing matches the query, with 0 for the best, from the
// strength of each word weighed by rarity, the arrangement of the best text, and the
// number of hints. The tier is the weakest of the required words that it has.
func (w *workspace) grade(doc, hints int) (grade int, t tier) {
	arrangement := w.readTexts(doc)
	t = tierName
	strength := 0.0
	for i := range w.words {
		m := &w.matches[i]
		strength += w.words[i].rarity * m.strength
		if w.words[i].role == roleRequired && m.found {
			t = max(t, m.tier)
		}
	}
	text := (1-arrangementShare)*strength + arrangementShare*arrangement*w.weight
	return gradeOf((text + hintWeight*float64(hints)) / (w.weight + hintWeight*float64(len(w.hintSets)))), t
}

// missing returns the required words that the listing last graded lacks.
func (w *workspace) missing() (words uint32) {
	for i := range w.words {
		if w.words[i].role == roleRequired && !w.matches[i].found {
			words |= 1 << i
		}
	}
	return words
}

// gradeOf returns the grade for a quality from 0 to 1.
func gradeOf(quality float64) int {
	return gradeSteps - 1 - min(gradeSteps-1, int(quality*gradeSteps))
}

// countHints returns how many of the query's hints a listing has.
func (w *workspace) countHints(doc int) (n int) {
	for _, s := range w.hintSets {
		if s.has(doc) {
			n++
		}
	}
	return n
}

// hintRank returns the rank of a listing by hints (contract 4), higher is better: 0 if
// it is archived, else 1 + the number of hints that it has.
func (w *workspace) hintRank(doc, hints int) int {
	if w.archived.has(doc) {
		return 0
	}
	return 1 + hints
}

// rankKey returns a key that sorts the full matches of a tier and verdict, or all partial
// matches, by relevance: grade, tier, verdict, hint rank, then stars and slug, which number
// the listings.
func rankKey(grade int, t tier, v verdict, hintRank, doc int) uint64 {
	return uint64(grade)<<56 | uint64(t)<<52 | uint64(v)<<48 | uint64(255-min(hintRank, 255))<<40 | uint64(doc)
}

func rankedDoc(key uint64) (int, tier) { return int(key & (1<<40 - 1)), tier(key >> 52 & 0xf) }

// rank appends the best candidates to the hits, up to w.limit. Full matches all have
// the tier fullTier.
func (w *workspace) rank(candidates *set, fullTier tier, partial bool) {
	room := w.room()
	if room <= 0 {
		return
	}
	best, missing := w.ranked[:0], w.rankedMissing[:0]
	for docs := range candidates.batches() {
		w.prefetched += w.ix.texts.prefetch(docs)
		for _, doc := range docs {
			hints := w.countHints(doc)
			grade, t := w.grade(doc, hints)
			lacking := w.missing()
			if !partial {
				t, lacking = fullTier, 0
			}
			key := rankKey(grade, t, w.verdict(doc), w.hintRank(doc, hints), doc)
			if len(best) < room || key < best[room-1] {
				at, _ := slices.BinarySearch(best, key)
				best = slices.Insert(best[:min(len(best), room-1)], at, key)
				missing = slices.Insert(missing[:min(len(missing), room-1)], at, lacking)
			}
		}
	}
	w.ranked, w.rankedMissing = best, missing
	for i, key := range best {
		doc, t := rankedDoc(key)
		w.hits = append(w.hits, hit{doc, t, partial, missing[i]})
	}
}

// candidates returns the listings of s to grade: all, or the most promising if there
// are too many. The rest is ranked below these, so that the order does not depend on how
// many hits are asked for.
func (w *workspace) candidates(s *set, t tier) *set {
	room := w.ix.maxGraded
	if s.count() <= room {
		return s
	}
	chosen, rest := w.emptySet(), w.copySet(s)
	addBest := func(from *set) {
		for _, docs := range w.byHintRank(from, room) {
			docs = docs[:min(room, len(docs))]
			for _, doc := range docs {
				chosen.add(doc)
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
			members.intersect(rest)
			addBest(members)
			rest.subtract(members)
		}
	}
	if room > 0 {
		addBest(rest)
	}
	return chosen
}

// byHintRank returns up to n members of s for each hint rank, the highest first.
func (w *workspace) byHintRank(s *set, n int) [][]int {
	levels := make([][]int, len(w.hintSets)+2)
	s.each(func(doc int) bool {
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
func (w *workspace) findLists(t tier) []uint64 {
	w.lists, w.listKeys = w.lists[:0], w.listKeys[:0]
	add := func(f field, whole bool, quality float64, l list) {
		share := 0.0
		if whole {
			share = 1
		}
		arrangement := arrangedTogether + arrangedNear + arrangedWhole*share
		weight := fieldWeights[f] * quality * (1 - arrangementShare + arrangementShare*arrangement)
		w.listKeys = append(w.listKeys, uint64(^math.Float32bits(float32(weight)))<<32|uint64(len(w.lists)))
		w.lists = append(w.lists, l)
	}
	for _, e := range w.expansions {
		w.ix.postings.each(e.term, func(place class, l list) {
			if place != classExact && place.field() != fieldReplaces && w.tierOf(place.field(), e.synonym, place.whole()) == t {
				add(place.field(), place.whole(), e.quality, l)
			}
		})
	}
	for i := range w.products {
		if p := &w.products[i]; p.tier == t && p.match.words != 0 {
			add(fieldReplaces, p.match.complete, p.match.evidence[0], p.product.list)
		}
	}
	slices.Sort(w.listKeys)
	return w.listKeys
}

// nameOf returns the words of a query of function words and filler only, if they are a
// name: "make" is also a product. It returns nil if no listing has or replaces that name.
func (ix *Index) nameOf(q *parsedQuery) []queryWord {
	term, ok := ix.terms.find(strings.Join(q.freeWords, ""))
	if !ok {
		return nil
	}
	for _, f := range []field{fieldName, fieldAlias, fieldReplaces} {
		if ix.postings.hasClass(term, classOf(f, true)) {
			q.words = nil
			for _, w := range q.freeWords {
				q.words = append(q.words, queryWord{w, roleRequired})
			}
			return q.words
		}
	}
	return nil
}

// isName reports whether words, joined, are the whole name of a listing.
func (ix *Index) isName(joined string) bool {
	term, ok := ix.terms.find(joined)
	return ok && ix.postings.hasClass(term, classExact)
}
