package search

import "math/bits"

// The asks of a category belong to each of its listings, so they are stored and matched
// once. In the file they are texts, in the form of texts.go, by the numbers that categories
// have in facetTables.

// readCategories reads the asks of the categories of listings, as if each category were a
// listing.
func (b *Builder) readCategories() {
	b.categories = map[string]*builtDoc{}
	for _, d := range b.docs {
		if b.categories[d.category] != nil {
			continue
		}
		asks := &builtDoc{}
		if category, known := b.taxonomy.Category(d.category); known {
			for _, ask := range category.Asks {
				b.readers[0].addText(asks, fieldCategoryAsk, ask)
			}
		}
		b.categories[d.category] = asks
	}
}

// categoryMatch is the match of the asks of a category with the query.
type categoryMatch struct {
	read        bool
	words       [maxWords]float64 // how likely the category is about each
	arrangement float64           // of the best ask
	all         bool              // one ask has all words
}

// matchCategory returns the match of the category with a number.
func (w *workspace) matchCategory(number int) *categoryMatch {
	for len(w.categoryMatches) <= number {
		w.categoryMatches = append(w.categoryMatches, categoryMatch{})
	}
	c := &w.categoryMatches[number]
	if c.read {
		return c
	}
	c.read = true
	for rest := w.ix.categoryTexts.of(number); ; {
		t, after, ok := nextText(rest)
		if !ok {
			return c
		}
		rest = after
		if !w.matchText(&w.match, t.terms, t.field) {
			continue
		}
		m := &w.match
		c.arrangement = max(c.arrangement, m.arrangement)
		c.all = c.all || w.wordsTogether()&^m.words == 0
		for left := m.words; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left)
			c.words[i] = probabilityOr(c.words[i], m.evidence[i])
		}
	}
}

// readCategory adds the match of a listing's category to w.read.
func (w *workspace) readCategory(doc int) {
	c := w.matchCategory(w.categoryOf(doc))
	weight := ranking.fields[fieldCategoryAsk]
	w.read.arrangement = max(w.read.arrangement, weight*c.arrangement)
	w.read.close = w.read.close || c.all
	for i := range w.words {
		if c.words[i] > 0 {
			m := &w.read.words[i]
			m.noteTier(fieldTiers[fieldCategoryAsk])
			m.strength = probabilityOr(m.strength, weight*c.words[i])
		}
	}
}
