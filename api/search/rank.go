package search

import (
	"math"
	"math/bits"
	"slices"
	"strings"
)

const (
	// gradeSteps is how many steps of match quality there are within a tier
	// (contract 4), and of the weight that a partial match covers. Fewer measure
	// worse; more do not measure better, and leave less to stars.
	gradeSteps = 16
	// enoughMatches is how many listings must cover every word for partial
	// matches to be left away (contract 4).
	enoughMatches = 3
	// partialShare is the least share of the query's weight that a partial match
	// covers (contract 4). With less, queries that should find nothing find
	// something; with more, questions in everyday words lose their answers.
	partialShare = 0.26
)

// What words count beside those that must match, as measured.
const (
	// weakWeight is what a word that fits any job counts, next to one of the same
	// rarity that must match.
	weakWeight = 0.5
	// guessWeight is what a misspelt word counts of the share of partialShare: a
	// word that no listing knows is near to some other by accident.
	guessWeight = 0.5
	// hintWeight is what a hint's fact counts, next to the rarity of words: as much
	// as a word that every seventh listing has.
	hintWeight = 2
	// requiredQuality is how well a fact answers a word that means it.
	requiredQuality = 0.8
	// generalShare is the share of listings that have a general word: such a word
	// names a listing only where the listing is called nothing else.
	generalShare = 0.1
)

// How many listings of one tier are looked at to order them is bounded: by
// mostGraded, in larger catalogs by fewer, so that the rest of a query, which
// takes the longer the more listings there are, stays the larger part, and never
// by fewer than leastGraded or twice as many as are asked for. Of more, those are
// told apart that have the words in the best places, and of these the most
// popular; no figure of the judged training part changes with leastGraded.
const (
	mostGraded  = 512
	leastGraded = 64
	gradedScale = 1 << 18 // listings times graded
)

// gradedOf returns how many are looked at in a catalog of so many listings.
func gradedOf(listings int) int {
	return min(mostGraded, max(leastGraded, gradedScale/max(1, listings)))
}

// descriptionShare is how much of a word's weight a partial match covers by
// having it in a description, category or topic alone: a description has many
// words by the way.
const descriptionShare = 0.4

// fieldWeights tells how likely a listing that has a word in a field is about it,
// as measured. What a listing is called outweighs all else; each of the others
// says less than half, so that a word of several fields outdoes that of one.
var fieldWeights = [fieldCount]float64{
	fieldName: 1, fieldAlias: 0.8, fieldReplaces: 0.7,
	fieldPurpose: 0.45, fieldJob: 0.45,
	fieldCategory: 0.5, fieldTopic: 0.6, fieldDescription: 0.2,
}

// What a name says that is none for this query, next to what it would say.
const (
	unsaidProduct = 0.3 // a replaced product of which the query says only a part
	meantName     = 0.5 // a name that says the same in other words
)

// hit is a listing that answers a query.
type hit struct {
	doc     int
	tier    tier
	partial bool
}

// wordMatch is what a listing has of a word of the query.
type wordMatch struct {
	found    bool
	tier     tier    // the strongest it is found in
	strength float64 // how likely the listing is about the word
}

// examine looks at the texts of a listing: what its fields say of each word adds
// up, as independent witnesses do. It returns how well the words stand in its
// best text.
func (w *work) examine(doc int) (arrangement float64) {
	w.graded++
	matches := w.matches[:len(w.words)]
	clear(matches)
	var evidence [maxWords]float64 // of the field that is read
	reading := fieldName
	end := func() {
		for i := range matches {
			matches[i].strength = either(matches[i].strength, fieldWeights[reading]*evidence[i])
			evidence[i] = 0
		}
	}
	dirty := false
	for rest := w.ix.texts.of(doc); ; {
		t, after, ok := nextText(rest)
		if !ok {
			break
		}
		rest = after
		m := w.textOf(&t)
		if m == nil {
			continue
		}
		if t.field != reading {
			if dirty {
				end()
			}
			reading, dirty = t.field, false
		}
		dirty = true
		arrangement = max(arrangement, fieldWeights[t.field]*m.arranged)
		w.see(m, &t)
		for has := m.has; has != 0; has &= has - 1 {
			i := bits.TrailingZeros32(has)
			evidence[i] = either(evidence[i], m.evidence[i])
		}
	}
	if dirty {
		end()
	}
	for i, r := range w.question.required {
		if w.required[i].has(doc) {
			for word := r.from; word < r.to; word++ {
				m := &matches[word]
				m.see(tierDescription)
				m.strength = either(m.strength, fieldWeights[fieldTopic]*requiredQuality)
			}
		}
	}
	return arrangement
}

// textOf compares a text of a listing with the query; it returns nil where it
// has nothing of it.
func (w *work) textOf(t *text) *textMatch {
	if t.field != fieldReplaces {
		if w.matchText(&w.match, t.terms, t.field) {
			return &w.match
		}
		return nil
	}
	if t.len() == 1 {
		if at, known := w.product[t.term(0)]; known && w.products[at].match.has != 0 {
			return &w.products[at].match
		}
	}
	return nil
}

// see notes the tiers of what a text has.
func (w *work) see(m *textMatch, t *text) {
	named, meant := w.tierOf(t.field, false, m.said), w.tierOf(t.field, true, m.said)
	if t.field == fieldReplaces {
		named, meant = tierDescription, tierDescription
		if m.said {
			named, meant = tierName, tierName
		}
	}
	for has := m.has; has != 0; has &= has - 1 {
		i := bits.TrailingZeros32(has)
		if m.named>>i&1 != 0 {
			w.matches[i].see(named)
		} else {
			w.matches[i].see(meant)
		}
	}
}

func (m *wordMatch) see(t tier) {
	if !m.found || t < m.tier {
		m.tier = t
	}
	m.found = true
}

// arrangementShare is how much the best text counts in the quality of a match;
// the rest is what all texts say of each word.
const arrangementShare = 0.3

// grade tells how well a listing answers the query, 0 is best: how likely it is
// about each word, weighed by rarity, how well its best text gathers them, and
// how many facts it has of those that the wording asks for. The tier is that of
// the words it has.
func (w *work) grade(doc, hints int) (grade int, t tier) {
	arrangement := w.examine(doc)
	t = tierName
	strength := 0.0
	for i := range w.words {
		m := &w.matches[i]
		strength += w.words[i].rarity * m.strength
		if w.words[i].role == roleNeeded && m.found {
			t = max(t, m.tier)
		}
	}
	text := (1-arrangementShare)*strength + arrangementShare*arrangement*w.weight
	return gradeOf((text + hintWeight*float64(hints)) / (w.weight + hintWeight*float64(len(w.hintSets)))), t
}

// gradeOf returns the step of a quality between 0 and 1.
func gradeOf(quality float64) int {
	return gradeSteps - 1 - min(gradeSteps-1, int(quality*gradeSteps))
}

// hintsOf counts the query's hints that a listing holds.
func (w *work) hintsOf(doc int) (n int) {
	for _, s := range w.hintSets {
		if s.has(doc) {
			n++
		}
	}
	return n
}

// standing is what a listing counts in the step of hints (contract 4): the hints
// that it holds and one, or 0 if it is archived, whatever it holds.
func (w *work) standing(doc, hints int) int {
	if w.archived.has(doc) {
		return 0
	}
	return 1 + hints
}

// rankKey sorts as the order of relevance does within one tier of full matches,
// or all partial ones: grade, tier, standing, then stars and slug, by which
// listings are numbered.
func rankKey(grade int, t tier, standing, doc int) uint64 {
	return uint64(grade)<<56 | uint64(t)<<48 | uint64(255-min(standing, 255))<<40 | uint64(doc)
}

func rankedDoc(key uint64) (int, tier) { return int(key & (1<<40 - 1)), tier(key >> 48 & 0xff) }

// rank appends the best of some candidates to the hits, as many as are still
// wanted. Full matches are all of one tier.
func (w *work) rank(candidates *set, full tier, partial bool, limit int) {
	wanted := limit - len(w.hits)
	if wanted <= 0 {
		return
	}
	best := w.ranked[:0]
	for docs := range candidates.batches() {
		w.fetched += w.ix.texts.fetch(docs)
		for _, doc := range docs {
			hints := w.hintsOf(doc)
			grade, t := w.grade(doc, hints)
			if !partial {
				t = full
			}
			key := rankKey(grade, t, w.standing(doc, hints), doc)
			if len(best) < wanted || key < best[wanted-1] {
				at, _ := slices.BinarySearch(best, key)
				best = slices.Insert(best[:min(len(best), wanted-1)], at, key)
			}
		}
	}
	w.ranked = best
	for _, key := range best {
		doc, t := rankedDoc(key)
		w.hits = append(w.hits, hit{doc, t, partial})
	}
}

// room returns how many listings are graded of a tier.
func (w *work) room() int { return max(w.ix.maxGraded, 2*w.limit) }

// candidates returns the listings of a set that are worth grading: all, or where
// these are too many, some of them.
func (w *work) candidates(s *set, upTo tier) *set {
	room := w.room()
	if s.count() <= room {
		return s
	}
	chosen, rest := w.set(), w.with(s)
	take := func(from *set) {
		for _, docs := range w.byHints(from, room) {
			docs = docs[:min(room, len(docs))]
			for _, doc := range docs {
				chosen.add(doc)
			}
			room -= len(docs)
		}
	}
	if len(w.words) == 1 {
		for _, key := range w.findLayers(upTo) {
			if room == 0 {
				break
			}
			layer := w.set()
			w.addList(layer, &w.layers[key&math.MaxUint32])
			layer.intersect(rest)
			take(layer)
			rest.subtract(layer)
		}
	}
	if room > 0 {
		take(rest)
	}
	return chosen
}

// byHints returns up to n members of a set for each standing, the highest first.
func (w *work) byHints(s *set, n int) [][]int {
	levels := make([][]int, len(w.hintSets)+2)
	s.each(func(doc int) bool {
		level := len(levels) - 1 - w.standing(doc, w.hintsOf(doc))
		if len(levels[level]) < n {
			levels[level] = append(levels[level], doc)
		}
		return len(levels[0]) < n
	})
	return levels
}

// findLayers finds the lists in which listings have the one word of a query in a tier, and
// puts them into w.layers. It returns a sorted key for each list: the place that says most
// comes first. The lower 32 bits of a key are the index of its list.
func (w *work) findLayers(upTo tier) []uint64 {
	w.layers, w.layerKeys = w.layers[:0], w.layerKeys[:0]
	add := func(f field, whole bool, quality float64, l list) {
		share := 0.0
		if whole {
			share = 1
		}
		arranged := arrangedTogether + arrangedNear + arrangedWhole*share
		weight := fieldWeights[f] * quality * (1 - arrangementShare + arrangementShare*arranged)
		w.layerKeys = append(w.layerKeys, uint64(^math.Float32bits(float32(weight)))<<32|uint64(len(w.layers)))
		w.layers = append(w.layers, l)
	}
	for _, c := range w.covers {
		w.ix.postings.each(c.term, func(place class, l list) {
			if place != classExact && place.field() != fieldReplaces && w.tierOf(place.field(), c.synonym, place.whole()) == upTo {
				add(place.field(), place.whole(), c.quality, l)
			}
		})
	}
	for i := range w.products {
		if p := &w.products[i]; p.tier == upTo && p.match.has != 0 {
			add(fieldReplaces, p.match.said, p.match.evidence[0], p.product.list)
		}
	}
	slices.Sort(w.layerKeys)
	return w.layerKeys
}

// nameIn returns the words of a name that a query of nothing but function words
// and filler may mean after all: "make" is also a product. It returns nil where
// no listing bears or replaces that name.
func (ix *Index) nameIn(q *question) []queryWord {
	term, ok := ix.terms.find(strings.Join(q.spoken, ""))
	if !ok {
		return nil
	}
	for _, f := range []field{fieldName, fieldAlias, fieldReplaces} {
		if ix.postings.hasClass(term, classOf(f, true)) {
			q.words = nil
			for _, w := range q.spoken {
				q.words = append(q.words, queryWord{w, roleNeeded})
			}
			return q.words
		}
	}
	return nil
}
