package query

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strings"

	"catalog.example/api/search/index"
)

// wordState is the result of looking up a word of the query.
type wordState struct {
	role wordRole
	// tiers are the listings that have the word in the fields of a tier or of a
	// stronger one; tierExactName is unused.
	tiers   [tierNone]*index.Set
	rarity  float64 // weighed by its clause
	certain bool    // found without correcting its spelling
}

// productMatch is the match of a replaced product's name with the query.
type productMatch struct {
	product index.Product
	match   textMatch
	// tier is tierName only if the query has every word of the name: "speech to
	// text" is a job, not half of the product "Google Cloud Speech-to-Text".
	tier tier
}

// lookUp finds the listings that have each word of the query, by tier.
func (w *scratch) lookUp() {
	w.fillTable()
	for _, word := range w.query.words {
		w.words = append(w.words, wordState{role: word.role, tiers: [tierNone]*index.Set{tierName: w.emptySet(), tierPurpose: w.emptySet(), tierDescription: w.emptySet()}})
	}
	for _, h := range w.query.hints {
		w.hintSets = append(w.hintSets, w.listingsWithHint(&h))
	}
	w.archived = w.emptySet()
	w.addTerm(w.archived, index.ValueTerm(index.FactArchived, "1"))
	w.suited = w.emptySet()
	if !w.query.technical {
		w.addTerm(w.suited, w.ix.vocabulary.everyday)
	}
	w.findUnwanted()
	w.weighWords()
	for i := range w.expansions {
		w.addExpansion(&w.expansions[i])
	}
	for i := range w.products {
		p := &w.products[i]
		w.matchProduct(p)
		for left := p.match.words; left != 0 && (p.tier == tierName || p.match.directWords != p.match.words); left &= left - 1 {
			w.addList(w.words[bits.TrailingZeros32(left)].tiers[p.tier], &p.product.List)
		}
	}
	for i := range w.words {
		t := &w.words[i].tiers
		t[tierPurpose].Union(t[tierName])
		t[tierDescription].Union(t[tierPurpose])
	}
}

// findUnwanted finds the listings that a query names to say what it is not looking for, and
// makes their categories requirements: "something simpler than X". A query of nothing but a
// name looks for that name.
func (w *scratch) findUnwanted() {
	w.unwanted = w.emptySet()
	words := w.query.words
	for from := 0; from < len(words); from++ {
		to := from
		for to < len(words) && to < from+longestUnwanted && words[to].unwanted && words[to].role != roleHint {
			to++
		}
		for ; to > from && to-from < len(words); to-- {
			named := w.emptySet()
			w.addNamed(named, strings.Join(textsOf(words[from:to]), ""))
			if named.Count() == 0 {
				continue
			}
			w.unwanted.Union(named)
			w.query.required = append(w.query.required, requiredFact{w.categoriesOf(named), tierDescription, from, to})
			from = to - 1
			break
		}
	}
}

// categoriesOf returns the requirement of a category of some listings.
func (w *scratch) categoriesOf(listings *index.Set) hint {
	h := hint{required: true}
	categories := w.ix.Facets.Values[index.FacetCategory]
	listings.Each(func(doc int) bool {
		if number := w.categoryOf(doc); number < len(categories) { // always, unless the file is damaged
			if term := index.ValueTerm(index.FacetNames[index.FacetCategory], categories[number].Value); !slices.Contains(h.terms, term) {
				h.terms = append(h.terms, term)
			}
		}
		return len(h.terms) < maxWords
	})
	return h
}

// addNamed adds the listings of which a whole name is text.
func (w *scratch) addNamed(s *index.Set, text string) {
	if term, ok := w.ix.Terms.Find(text); ok {
		w.ix.Postings.Each(term, func(c index.Class, l index.List) {
			if c == index.ClassExact || c == index.ClassOf(index.FieldName, true) || c == index.ClassOf(index.FieldAlias, true) {
				w.addList(s, &l)
			}
		})
	}
}

// listingsWithHint returns the listings that have the fact of a hint.
func (w *scratch) listingsWithHint(h *hint) *index.Set {
	s := w.emptySet()
	for _, term := range h.terms {
		if prefix, ok := strings.CutSuffix(term, anyAfter); ok {
			from, to := w.ix.Terms.PrefixRange(prefix)
			for t := from; t < to; t++ {
				w.addTermNumber(s, t)
			}
		} else {
			w.addTerm(s, term)
		}
	}
	for _, bound := range h.bounds {
		w.addWithin(s, bound)
	}
	return s
}

// weighWords sets the weight of each word by its frequency, and whether the query may
// name a listing by part of its name. A query of general words, hints and filler is a
// description: "chat app for windows" does not mean a name that contains "chat".
func (w *scratch) weighWords() {
	for i := range w.query.required {
		w.required = append(w.required, w.listingsWithHint(&w.query.required[i].hint))
	}
	w.weight, w.weightWithoutHints, w.requiredWords = 0, 0, 0
	w.partialNames = len(w.query.hints)+len(w.query.required) == 0 && w.query.length == len(w.words)
	for i := range w.words {
		word := &w.words[i]
		df := w.frequency(i)
		// The root reduces the differences between rare and common words: in a small
		// catalogue, a word that few listings have is often there by accident.
		word.rarity = math.Sqrt(w.ix.rarity(df))
		word.rarity *= ranking.clauses[min(w.query.words[i].clause, len(ranking.clauses)-1)]
		w.weight += word.rarity
		if word.role != roleHint {
			w.weightWithoutHints += word.rarity
		}
		if word.role == roleRequired {
			w.requiredWords |= 1 << i
			w.partialNames = w.partialNames || float64(df) < generalShare*float64(w.ix.Len())
		}
	}
}

// frequency fills the weakest tier of a word with the listings that have it in any
// form, or the fact that it means, and returns their number. Synonyms do not count: a
// rare word for a common thing is still specific.
func (w *scratch) frequency(word int) int {
	listings := w.words[word].tiers[tierDescription]
	for _, e := range w.expansions {
		if e.synonym || word < e.from || word >= e.to {
			continue
		}
		w.words[word].certain = w.words[word].certain || !e.corrected
		w.ix.Postings.Each(e.term, func(place index.Class, l index.List) {
			switch {
			case place == index.ClassExact:
			case place.Field() == index.FieldReplaces:
				for _, p := range w.productsOf(&l) {
					w.addList(listings, &w.products[p].product.List)
				}
			default:
				w.addList(listings, &l)
			}
		})
	}
	for i, r := range w.query.required {
		if r.from <= word && word < r.to {
			listings.Union(w.required[i])
			w.words[word].certain = true
		}
	}
	for _, e := range w.expansions {
		if e.synonym && e.from <= word && word < e.to && !e.corrected {
			w.words[word].certain = true
		}
	}
	return listings.Count()
}

// addExpansion adds the listings that have an expansion to those of its words, by tier.
func (w *scratch) addExpansion(e *expansion) {
	w.ix.Postings.Each(e.term, func(place index.Class, l index.List) {
		if place == index.ClassExact {
			return
		}
		if place.Field() == index.FieldReplaces {
			w.productsOf(&l)
			return
		}
		t := w.tierOf(place.Field(), e.synonym, place.Whole())
		if t == tierDescription && !e.synonym {
			return // added by frequency
		}
		for word := e.from; word < e.to; word++ {
			w.addList(w.words[word].tiers[t], &l)
		}
	})
}

// tierOf returns the tier of a match in a field. A synonym of a name does not count as
// the name, nor does a name in a query of general words and more than that name, which
// describes ("run an LLM on a laptop").
func (w *scratch) tierOf(f index.Field, synonym, complete bool) tier {
	t := fieldTiers[f]
	switch {
	case t != tierName:
		return t
	case synonym:
		return tierDescription
	case !w.partialNames && (!complete || len(w.words) > 1 || w.query.hasComputer):
		return tierPurpose
	default:
		return tierName
	}
}

// productsOf returns the indexes in w.products of the products of a list.
func (w *scratch) productsOf(l *index.List) []int {
	w.productScratch = w.productScratch[:0]
	for array := l.Array; len(array) >= 4; array = array[4:] {
		number := index.Number(array)
		position, ok := w.productPosition[number]
		if !ok {
			position = len(w.products)
			w.productPosition[number] = position
			w.products = append(w.products, productMatch{product: w.ix.Products.Get(number), tier: tierDescription})
		}
		w.productScratch = append(w.productScratch, position)
	}
	return w.productScratch
}

// matchProduct matches a product's name with the query. The match is complete if the
// query has each word of it, perhaps misspelt or begun, or all of them joined.
func (w *scratch) matchProduct(p *productMatch) {
	w.matchText(&p.match, p.product.Terms, index.FieldReplaces)
	if p.product.Len() > 1 {
		var joined [4]byte
		binary.LittleEndian.PutUint32(joined[:], uint32(p.product.Joined))
		var m textMatch
		if w.matchText(&m, joined[:], index.FieldReplaces); m.complete {
			p.match = m
		}
	}
	if p.match.complete {
		p.tier = tierName
		return
	}
	for word := range p.match.evidence {
		p.match.evidence[word] *= ranking.partOfProduct
	}
}

// rarity returns the inverse document frequency of a word that df listings have. It is
// greater than 0, and highest for words that no listing has.
func (ix *Engine) rarity(df int) float64 {
	return math.Log1p(float64(ix.Len()) / (float64(df) + 0.5))
}
