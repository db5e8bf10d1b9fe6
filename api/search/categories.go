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
	asks        []uint32          // the words of each ask that has all but those of requirements
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
	stated := uint32(0) // the words of requirements
	for _, r := range w.query.required {
		stated |= 1<<r.to - 1<<r.from
	}
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
func (w *workspace) readCategory(doc int, met uint32) {
	c := w.matchCategory(w.categoryOf(doc))
	weight := ranking.fields[fieldCategoryAsk]
	w.read.arrangement = max(w.read.arrangement, weight*c.arrangement)
	for _, words := range c.asks {
		w.read.close = w.read.close || w.requiredWords&^(words|met) == 0
	}
	for i := range w.words {
		if c.words[i] > 0 {
			m := &w.read.words[i]
			m.noteTier(fieldTiers[fieldCategoryAsk])
			m.strength = probabilityOr(m.strength, weight*c.words[i])
		}
	}
}
