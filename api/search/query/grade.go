package query

import (
	"math/bits"

	"catalog.example/api/search/index"
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
func (w *scratch) readTexts(doc int) {
	w.gradedCount++
	read := &w.read
	*read = textsMatch{}
	words := read.words[:len(w.words)]
	var evidence [maxWords]float64 // of the current field
	current := index.FieldName
	endField := func() {
		for i := range words {
			words[i].strength = probabilityOr(words[i].strength, ranking.fields[current]*evidence[i])
			evidence[i] = 0
		}
	}
	matched, met := false, w.metBy(doc)
	for rest := w.ix.Texts.Of(doc); ; {
		t, after, ok := index.NextText(rest)
		if !ok {
			break
		}
		rest = after
		m := w.matchFieldText(&t)
		if m == nil {
			continue
		}
		if t.Field != current {
			if matched {
				endField()
			}
			current, matched = t.Field, false
		}
		matched = true
		read.arrangement = max(read.arrangement, ranking.fields[t.Field]*m.arrangement)
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
func (w *scratch) nameFactor(t *index.Text, m *textMatch) float64 {
	if (t.Field == index.FieldName || t.Field == index.FieldAlias) && w.requiredWords&^m.words != 0 {
		return ranking.nameAmongOthers
	}
	return 1
}

// metBy returns the words that state requirements which a listing meets.
func (w *scratch) metBy(doc int) (words uint32) {
	for i, r := range w.query.required {
		if w.required[i].Has(doc) {
			words |= 1<<r.to - 1<<r.from
		}
	}
	return words
}

// readRequired adds what the facts of a listing say of the required facts to w.read.
func (w *scratch) readRequired(doc int) {
	for i, r := range w.query.required {
		met := w.required[i].Has(doc)
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
func (w *scratch) matchFieldText(t *index.Text) *textMatch {
	if t.Field != index.FieldReplaces {
		if w.matchText(&w.match, t.Terms, t.Field) {
			return &w.match
		}
		return nil
	}
	if t.Len() == 1 {
		if position, ok := w.productPosition[t.Term(0)]; ok && w.products[position].match.words != 0 {
			return &w.products[position].match
		}
	}
	return nil
}

// noteTiers records the tiers of the words that match in a text.
func (w *scratch) noteTiers(m *textMatch, t *index.Text) {
	direct, synonym := w.tierOf(t.Field, false, m.complete), w.tierOf(t.Field, true, m.complete)
	if t.Field == index.FieldReplaces {
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
func (w *scratch) gradeOf(doc int) graded {
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
	if w.unwanted.Has(doc) {
		g.quality *= ranking.unwanted
	}
	if w.suited.Has(doc) {
		g.quality += ranking.everyday
	}
	return g
}

// addCategories adds to the quality of each listing what its category says. Where several
// listings of a category match well, the query is about that category.
func (w *scratch) addCategories(list []graded) {
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
func (w *scratch) bestOfCategories(list []graded) []voters {
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

func (w *scratch) categoryOf(doc int) int { return w.ix.FacetNumbers(doc).Number(0) }

// countHints returns how many of the query's hints a listing has.
func (w *scratch) countHints(doc int) (n int) {
	for _, s := range w.hintSets {
		if s.Has(doc) {
			n++
		}
	}
	return n
}

// categoryMatch is the match of the asks of a category with the query.
type categoryMatch struct {
	read        bool
	words       [maxWords]float64 // how likely the category is about each
	arrangement float64           // of the best ask
	asks        []uint32          // the words of each ask that has all but those of requirements
}

// matchCategory returns the match of the category with a number.
func (w *scratch) matchCategory(number int) *categoryMatch {
	for len(w.categoryMatches) <= number {
		w.categoryMatches = append(w.categoryMatches, categoryMatch{})
	}
	c := &w.categoryMatches[number]
	if c.read {
		return c
	}
	c.read = true
	stated := uint32(0) // the words of requirements
	for _, r := range w.query.required {
		stated |= 1<<r.to - 1<<r.from
	}
	for rest := w.ix.CategoryTexts.Of(number); ; {
		t, after, ok := index.NextText(rest)
		if !ok {
			return c
		}
		rest = after
		if !w.matchText(&w.match, t.Terms, t.Field) {
			continue
		}
		m := &w.match
		c.arrangement = max(c.arrangement, m.arrangement)
		if w.requiredWords&^(m.words|stated) == 0 {
			c.asks = append(c.asks, m.words)
		}
		for left := m.words; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left)
			c.words[i] = probabilityOr(c.words[i], m.evidence[i])
		}
	}
}

// readCategory adds the match of a listing's category to w.read. The listing meets the
// requirements of the words in met.
func (w *scratch) readCategory(doc int, met uint32) {
	c := w.matchCategory(w.categoryOf(doc))
	weight := ranking.fields[index.FieldCategoryAsk]
	w.read.arrangement = max(w.read.arrangement, weight*c.arrangement)
	for _, words := range c.asks {
		w.read.close = w.read.close || w.requiredWords&^(words|met) == 0
	}
	for i := range w.words {
		if c.words[i] > 0 {
			m := &w.read.words[i]
			m.noteTier(fieldTiers[index.FieldCategoryAsk])
			m.strength = probabilityOr(m.strength, weight*c.words[i])
		}
	}
}
