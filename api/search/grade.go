package search

import (
	"math/bits"
)

// wordMatch is the match of a listing with a word of the query.
type wordMatch struct {
	found    bool
	tier     tier    // the strongest with the word
	strength float64 // how likely the listing is about the word
}

func (m *wordMatch) noteTier(t tier) {
	if !m.found || t < m.tier {
		m.tier = t
	}
	m.found = true
}

// textsMatch is the match of all texts of a listing with the query.
type textsMatch struct {
	words       [maxWords]wordMatch
	arrangement float64 // of the best text
	// close is set if one text has every required word that the facts do not meet.
	close bool
	unmet bool // the listing contradicts a requirement
}

// readTexts matches the texts of a listing with the query and fills w.read. Fields are
// combined as independent evidence.
func (w *workspace) readTexts(doc int) {
	w.gradedCount++
	read := &w.read
	*read = textsMatch{}
	words := read.words[:len(w.words)]
	var evidence [maxWords]float64 // of the current field
	current := fieldName
	endField := func() {
		for i := range words {
			words[i].strength = probabilityOr(words[i].strength, ranking.fields[current]*evidence[i])
			evidence[i] = 0
		}
	}
	matched, met := false, w.metBy(doc)
	for rest := w.ix.texts.of(doc); ; {
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
		read.arrangement = max(read.arrangement, ranking.fields[t.field]*m.arrangement)
		read.close = read.close || w.requiredWords&^(m.words|met) == 0
		w.noteTiers(m, &t)
		factor := w.nameFactor(&t, m)
		for left := m.words; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left)
			evidence[i] = probabilityOr(evidence[i], factor*m.evidence[i])
		}
	}
	if matched {
		endField()
	}
	w.readCategory(doc, met)
	w.readRequired(doc)
}

// nameFactor returns what the evidence of a text is multiplied with: a name counts less if
// the query has other words.
func (w *workspace) nameFactor(t *text, m *textMatch) float64 {
	if (t.field == fieldName || t.field == fieldAlias) && w.requiredWords&^m.words != 0 {
		return ranking.nameAmongOthers
	}
	return 1
}

// metBy returns the words that state requirements which a listing meets.
func (w *workspace) metBy(doc int) (words uint32) {
	for i, r := range w.query.required {
		if w.required[i].has(doc) {
			words |= 1<<r.to - 1<<r.from
		}
	}
	return words
}

// readRequired adds what the facts of a listing say of the required facts to w.read.
func (w *workspace) readRequired(doc int) {
	for i, r := range w.query.required {
		met := w.required[i].has(doc)
		for word := r.from; word < r.to; word++ {
			m := &w.read.words[word]
			if !met {
				w.read.unmet = w.read.unmet || !m.found
				continue
			}
			m.noteTier(r.tier)
			m.strength = probabilityOr(m.strength, ranking.fact)
		}
	}
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
			w.read.words[i].noteTier(direct)
		} else {
			w.read.words[i].noteTier(synonym)
		}
	}
}

// graded is a listing with the quality of its match: about 0 to 1, for additions may exceed 1.
type graded struct {
	doc     int
	quality float64
	tier    tier // the weakest of the required words that it has
	hints   int
	missing uint32 // bit i: the required word i, which the listing lacks
}

// gradeOf returns how well a listing matches the query by itself: from the strength of each
// word weighed by rarity, the arrangement of the best text, the number of hints, and
// whether it suits who asks.
func (w *workspace) gradeOf(doc int) graded {
	w.readTexts(doc)
	g := graded{doc: doc, tier: tierName, hints: w.countHints(doc)}
	strength, found := 0.0, false
	for i := range w.words {
		m := &w.read.words[i]
		strength += w.words[i].rarity * m.strength
		if w.words[i].role != roleRequired {
			continue
		}
		if m.found {
			g.tier, found = max(g.tier, m.tier), true
		} else {
			g.missing |= 1 << i
		}
	}
	if !found {
		g.tier = tierDescription
	}
	text := (1-ranking.arrangement)*strength + ranking.arrangement*w.read.arrangement*w.weight
	g.quality = (text + ranking.hint*float64(g.hints)) / (w.weight + ranking.hint*float64(len(w.hintSets)))
	if w.read.unmet {
		g.quality *= ranking.unmet
	}
	if w.unwanted.has(doc) {
		g.quality *= ranking.unwanted
	}
	if w.suited.has(doc) {
		g.quality += ranking.everyday
	}
	return g
}

// addCategories adds to the quality of each listing what its category says. Where several
// listings of a category match well, the query is about that category.
func (w *workspace) addCategories(list []graded) {
	categories := w.bestOfCategories(list)
	for i := range list {
		list[i].quality += ranking.category * categories[w.categoryOf(list[i].doc)].mean()
	}
}

// maxVoters bounds weights.voters.
const maxVoters = 8

// voters are the best qualities of the listings of a category, highest first.
type voters [maxVoters]float64

func (v *voters) add(quality float64) {
	for i := range v[:ranking.voters] {
		if quality > v[i] {
			quality, v[i] = v[i], quality
		}
	}
}

func (v *voters) mean() (mean float64) {
	for _, quality := range v[:ranking.voters] {
		mean += quality / float64(ranking.voters)
	}
	return mean
}

// bestOfCategories returns the voters of each category by its number.
func (w *workspace) bestOfCategories(list []graded) []voters {
	w.categories = w.categories[:0]
	for i := range list {
		number := w.categoryOf(list[i].doc)
		for len(w.categories) <= number {
			w.categories = append(w.categories, voters{})
		}
		w.categories[number].add(list[i].quality)
	}
	return w.categories
}

func (w *workspace) categoryOf(doc int) int { return factsOf(w.ix.facts, doc).number(0) }

// countHints returns how many of the query's hints a listing has.
func (w *workspace) countHints(doc int) (n int) {
	for _, s := range w.hintSets {
		if s.has(doc) {
			n++
		}
	}
	return n
}
