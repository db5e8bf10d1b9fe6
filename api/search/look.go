package search

import (
	"encoding/binary"
	"math/bits"
	"strings"
)

// wordState is what the index knows about a word of the query.
type wordState struct {
	role wordRole
	// tiers are the listings that have the word in the group of fields of a tier or
	// a stronger one; tierExactName is unused.
	tiers  [tierNone]*set
	rarity float64 // weighed by its role
	sure   bool    // found otherwise than by a guess at its spelling
}

// productMatch is what the name of a replaced product has of the query.
type productMatch struct {
	product product
	match   textMatch
	// tier is that of names only where the query says all of it: "speech to text"
	// is a job, not half of the product "Google Cloud Speech-to-Text".
	tier tier
}

// look finds the query's words in the index: for each the listings that have it,
// by tier.
func (w *work) look() {
	w.table.fill(w.covers)
	for i, c := range w.covers {
		if c.phrase != nil {
			w.phrases = append(w.phrases, i)
		}
	}
	for _, word := range w.question.words {
		w.words = append(w.words, wordState{role: word.role, tiers: [tierNone]*set{tierName: w.set(), tierPurpose: w.set(), tierDescription: w.set()}})
	}
	for _, h := range w.question.hints {
		w.hintSets = append(w.hintSets, w.having(&h))
	}
	w.archived = w.set()
	w.addTerm(w.archived, valueTerm(factArchived, "1"))
	w.weigh()
	for i := range w.covers {
		w.place(&w.covers[i])
	}
	for i := range w.products {
		p := &w.products[i]
		w.judge(p)
		for has := p.match.has; has != 0 && (p.tier == tierName || p.match.named != p.match.has); has &= has - 1 {
			w.addList(w.words[bits.TrailingZeros32(has)].tiers[p.tier], &p.product.list)
		}
	}
	for i := range w.words {
		t := &w.words[i].tiers
		t[tierPurpose].union(t[tierName])
		t[tierDescription].union(t[tierPurpose])
	}
}

// having returns the listings that have the fact of a hint.
func (w *work) having(h *hint) *set {
	s := w.set()
	for _, term := range h.terms {
		if prefix, ok := strings.CutSuffix(term, anyAfter); ok {
			from, to := w.ix.terms.beginning(prefix)
			for t := from; t < to; t++ {
				w.addPlain(s, t)
			}
		} else {
			w.addTerm(s, term)
		}
	}
	for _, b := range h.bounds {
		w.within(s, b)
	}
	return s
}

// weigh decides from the frequency of each word what it counts, and whether the
// query may name a listing by a part of its name. A query of general words that
// asks for facts describes what it wants: "local chat for windows" means no name
// that has "chat" in it.
func (w *work) weigh() {
	for _, r := range w.question.required {
		w.required = append(w.required, w.having(&r.hint))
	}
	w.weight, w.asked, w.naming = 0, 0, len(w.question.hints) == 0
	for i := range w.words {
		word := &w.words[i]
		df := w.frequency(i)
		word.rarity = w.ix.rarity(df)
		if word.role == roleWeak {
			word.rarity *= weakWeight
		}
		w.weight += word.rarity
		if word.role != roleHint {
			w.asked += word.rarity
		}
		if word.role == roleNeeded && float64(df) < generalShare*float64(w.ix.n) {
			w.naming = true
		}
	}
}

// frequency counts the listings that have a word, in whatever spelling, or the
// fact that it means, and makes them those of the weakest tier. Synonyms do not
// count: a rare word for a common thing still says what is wanted.
func (w *work) frequency(word int) int {
	having := w.words[word].tiers[tierDescription]
	for _, c := range w.covers {
		if c.synonym || word < c.from || word >= c.to {
			continue
		}
		w.words[word].sure = w.words[word].sure || !c.guess
		w.ix.postings.each(c.term, func(place class, l list) {
			switch {
			case place == classExact:
			case place.field() == fieldReplaces:
				for _, p := range w.productsOf(&l) {
					w.addList(having, &w.products[p].product.list)
				}
			default:
				w.addList(having, &l)
			}
		})
	}
	for i, r := range w.question.required {
		if r.from <= word && word < r.to {
			having.union(w.required[i])
			w.words[word].sure = true
		}
	}
	for _, c := range w.covers {
		if c.synonym && c.from <= word && word < c.to && !c.guess {
			w.words[word].sure = true
		}
	}
	return having.count()
}

// place adds the listings that have a cover to those of its words, by tier. A
// name of which other words say the same is no name: names are not translated.
// Where the query describes rather than names, a part of a name is none either.
func (w *work) place(c *cover) {
	w.ix.postings.each(c.term, func(place class, l list) {
		if place == classExact {
			return
		}
		if place.field() == fieldReplaces {
			w.productsOf(&l)
			return
		}
		t := w.tierOf(place.field(), c.synonym, place.whole())
		if t == tierDescription && !c.synonym {
			return // added by frequency
		}
		for word := c.from; word < c.to; word++ {
			w.addList(w.words[word].tiers[t], &l)
		}
	})
}

// tierOf returns the tier of words in a field; said tells whether the query says
// all of the text.
func (w *work) tierOf(f field, synonym, said bool) tier {
	t := fieldTiers[f]
	switch {
	case t != tierName:
		return t
	case synonym:
		return tierDescription
	case !w.naming && !said:
		return tierPurpose
	default:
		return tierName
	}
}

// productsOf returns where the products of a list are in w.products.
func (w *work) productsOf(l *list) []int {
	w.listed = w.listed[:0]
	for array := l.array; len(array) >= 4; array = array[4:] {
		id := number(array)
		at, known := w.product[id]
		if !known {
			at = len(w.products)
			w.product[id] = at
			w.products = append(w.products, productMatch{product: w.ix.products.get(id), tier: tierDescription})
		}
		w.listed = append(w.listed, at)
	}
	return w.listed
}

// judge tells what a product's name has of the query, and whether the query says
// all of it: each word as it is, misspelt, or begun by the last word, or all
// written together.
func (w *work) judge(p *productMatch) {
	w.matchText(&p.match, p.product.terms, fieldReplaces)
	if p.product.len() > 1 {
		var joined [4]byte
		binary.LittleEndian.PutUint32(joined[:], uint32(p.product.joined))
		var m textMatch
		if w.matchText(&m, joined[:], fieldReplaces); m.said {
			p.match = m
		}
	}
	if p.match.said {
		p.tier = tierName
		return
	}
	for word := range p.match.evidence {
		p.match.evidence[word] *= unsaidProduct
	}
}
