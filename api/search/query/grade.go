package query

import (
	"math/bits"

	"catalog.example/api/search/index"
)

// wordMatch is how a listing matches one word of the query.
type wordMatch struct {
	found    bool
	tier     tier    // the strongest tier in which the listing has the word
	strength float64 // how likely the listing is about the word
}

func (m *wordMatch) noteTier(t tier) {
	if !m.found || t < m.tier {
		m.tier = t
	}
	m.found = true
}

// textsMatch is how all texts of a listing together match the query.
type textsMatch struct {
	words       [maxWords]wordMatch
	arrangement float64 // of the best text
	// close is set if one text has every required word that the listing's facts do not meet.
	close bool
	unmet bool // the listing contradicts a requirement
}

// readTexts matches the texts of a listing with the query. Fields are combined as independent
// evidence.
func (f *found) readTexts(doc int, read *textsMatch) {
	f.s.read++
	*read = textsMatch{}
	words := read.words[:len(f.words)]
	var evidence [maxWords]float64 // of the current field
	current := index.FieldName
	endField := func() {
		for i := range words {
			words[i].strength = probabilityOr(words[i].strength, ranking.fields[current]*evidence[i])
			evidence[i] = 0
		}
	}
	matched, met := false, f.metBy(doc)
	for rest := f.s.Texts.Of(doc); ; {
		t, after, ok := f.nextText(rest)
		if !ok {
			break
		}
		rest = after
		m := f.matchFieldText(&t)
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
		read.close = read.close || f.requiredWords&^(m.words|met) == 0
		f.noteTiers(read, m, &t)
		factor := f.nameFactor(&t, m)
		for left := m.words; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left)
			evidence[i] = probabilityOr(evidence[i], factor*m.evidence[i])
		}
	}
	if matched {
		endField()
	}
	f.readCategory(doc, met, read)
	f.readRequired(doc, read)
}

// nameFactor returns the factor for the evidence of a text. A name counts less if the query has
// other words, or describes a job for a computer (see weighWords).
func (f *found) nameFactor(t *index.Text, m *textMatch) float64 {
	isName := t.Field == index.FieldName || t.Field == index.FieldAlias
	if isName && (f.requiredWords&^m.words != 0 || f.hasComputer && !f.partialNames) {
		return ranking.nameAmongOthers
	}
	return 1
}

// metBy returns the words that state a requirement which the listing meets.
func (f *found) metBy(doc int) (words uint32) {
	for i := range f.required {
		if r := &f.required[i]; r.listings.Has(doc) {
			words |= 1<<r.to - 1<<r.from
		}
	}
	return words
}

// readRequired adds how the facts of a listing meet the required facts.
func (f *found) readRequired(doc int, read *textsMatch) {
	for i := range f.required {
		r := &f.required[i]
		met := r.listings.Has(doc)
		for word := r.from; word < r.to; word++ {
			m := &read.words[word]
			if !met {
				read.unmet = read.unmet || !m.found
				continue
			}
			m.noteTier(r.tier)
			m.strength = probabilityOr(m.strength, ranking.fact)
		}
	}
}

// matchFieldText matches a text of a listing with the query. It returns nil if no word
// matches.
func (f *found) matchFieldText(t *index.Text) *textMatch {
	if t.Field != index.FieldReplaces {
		if f.matchText(&f.s.match, t.Terms, t.Field) {
			return &f.s.match
		}
		return nil
	}
	if t.Len() == 1 {
		if position, ok := f.positions[t.Term(0)]; ok && f.products[position].match.words != 0 {
			return &f.products[position].match
		}
	}
	return nil
}

// noteTiers records the tier of each word that matches in a text.
func (f *found) noteTiers(read *textsMatch, m *textMatch, t *index.Text) {
	direct, synonym := f.tierOf(t.Field, false, m.complete), f.tierOf(t.Field, true, m.complete)
	if t.Field == index.FieldReplaces {
		direct, synonym = tierDescription, tierDescription
		if m.complete {
			direct, synonym = tierName, tierName
		}
	}
	for left := m.words; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left)
		if m.directWords>>i&1 != 0 {
			read.words[i].noteTier(direct)
		} else {
			read.words[i].noteTier(synonym)
		}
	}
}

// graded is a listing with the quality of its match, usually 0 to 1. Bonuses may raise it above 1.
type graded struct {
	doc     int
	quality float64
	tier    tier // the weakest among the required words that it has
	hints   int
	missing uint32 // bit i: the listing lacks word i, which is required
}

// gradeOf returns how well a listing by itself matches the query. This depends on the strength of
// each word, weighted by rarity, on the arrangement in the best text, on the number of hints, and
// on whether the listing suits the user.
func (f *found) gradeOf(doc int) graded {
	if g, ok := f.s.gradedBefore[doc]; ok {
		return g
	}
	var read textsMatch
	f.readTexts(doc, &read)
	return f.gradeBy(doc, &read)
}

// textQuality returns how well the texts of a listing match the words of the query, whatever its facts.
func (f *found) textQuality(read *textsMatch) float64 {
	strength := 0.0
	for i := range f.words {
		strength += f.lookups[i].rarity * read.words[i].strength
	}
	return (1-ranking.arrangement)*strength/f.weight + ranking.arrangement*read.arrangement
}

// gradeBy is gradeOf for a listing whose texts have been read already.
func (f *found) gradeBy(doc int, read *textsMatch) graded {
	g := graded{doc: doc, tier: tierName, hints: f.countHints(doc)}
	any := false
	for i := range f.words {
		m := &read.words[i]
		if f.words[i].role != roleRequired {
			continue
		}
		if m.found {
			g.tier, any = max(g.tier, m.tier), true
		} else {
			g.missing |= 1 << i
		}
	}
	if !any {
		g.tier = tierDescription
	}
	text := f.weight * f.textQuality(read)
	g.quality = (text + ranking.hint*float64(g.hints)) / (f.weight + ranking.hint*float64(len(f.hintSets)))
	if read.unmet {
		g.quality *= ranking.unmet
	}
	if f.unwanted.Has(doc) {
		g.quality *= ranking.unwanted
	}
	if f.suited.Has(doc) {
		g.quality += ranking.everyday
	}
	return g
}

// addCategories raises the quality of each listing by the quality of its category, multiplied by weight.
// If several listings of a category match well, the query is probably about that category.
func (s *scratch) addCategories(list []graded, weight float64) {
	categories := s.bestOfCategories(list)
	for i := range list {
		list[i].quality += weight * categories[s.categoryOf(list[i].doc)].mean()
	}
}

// maxVoters limits weights.voters.
const maxVoters = 8

// voters holds the best qualities among the listings of a category, highest first.
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

// bestOfCategories returns the voters of each category, by category number.
func (s *scratch) bestOfCategories(list []graded) []voters {
	s.voters = s.voters[:0]
	for i := range list {
		number := s.categoryOf(list[i].doc)
		for len(s.voters) <= number {
			s.voters = append(s.voters, voters{})
		}
		s.voters[number].add(list[i].quality)
	}
	return s.voters
}

// countHints returns how many of the query's hints a listing has.
func (f *found) countHints(doc int) (n int) {
	for _, s := range f.hintSets {
		if s.Has(doc) {
			n++
		}
	}
	return n
}

// categoryMatch is how the asks of a category match the query.
type categoryMatch struct {
	read        bool
	words       [maxWords]float64 // how likely the category is about each word
	arrangement float64           // of the best ask
	asks        []uint32          // for each ask that, apart from requirements, has every required word: its words
}

// matchCategory returns how the category with the given number matches the query.
func (f *found) matchCategory(number int) *categoryMatch {
	s := f.s
	for len(s.categories) <= number {
		s.categories = append(s.categories, categoryMatch{})
	}
	c := &s.categories[number]
	if c.read {
		return c
	}
	c.read = true
	stated := uint32(0) // the words that state requirements
	for _, r := range f.required {
		stated |= 1<<r.to - 1<<r.from
	}
	for rest := s.CategoryTexts.Of(number); ; {
		t, after, ok := f.nextText(rest)
		if !ok {
			return c
		}
		rest = after
		m := &s.match
		if !f.matchText(m, t.Terms, t.Field) {
			continue
		}
		c.arrangement = max(c.arrangement, m.arrangement)
		if f.requiredWords&^(m.words|stated) == 0 {
			c.asks = append(c.asks, m.words)
		}
		for left := m.words; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left)
			c.words[i] = probabilityOr(c.words[i], m.evidence[i])
		}
	}
}

// readCategory adds the match of a listing's category. met has the words that state a requirement
// which the listing meets.
func (f *found) readCategory(doc int, met uint32, read *textsMatch) {
	c := f.matchCategory(f.s.categoryOf(doc))
	weight := ranking.fields[index.FieldCategoryAsk]
	read.arrangement = max(read.arrangement, weight*c.arrangement)
	for _, words := range c.asks {
		read.close = read.close || f.requiredWords&^(words|met) == 0
	}
	for i := range f.words {
		if c.words[i] > 0 {
			m := &read.words[i]
			m.noteTier(fieldTiers[index.FieldCategoryAsk])
			m.strength = probabilityOr(m.strength, weight*c.words[i])
		}
	}
}
