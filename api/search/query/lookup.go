package query

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strings"

	"catalog.example/api/search/index"
)

// found is an expanded query with the listings that have its words and facts.
type found struct {
	expanded
	s *scratch

	lookups            []lookup     // of each word
	weight             float64      // of all words
	weightWithoutHints float64      // of words that are not hints
	requiredWords      uint32       // bit i: word i is required
	partialNames       bool         // part of a name is enough to name a listing
	hintSets           []*index.Set // the listings that have each hint
	archived           *index.Set   // the listings that are archived
	unwanted           *index.Set   // the listings that the user wants to leave
	elsewhere          *index.Set   // see removeAsked; nil unless it applies
	suited             *index.Set   // the listings that suit the user
	products           []productMatch
	positions          map[int]int // index into products by product number
}

// lookup is the result of looking up a word of the query.
type lookup struct {
	// tiers holds, for each tier, the listings that have the word in the fields of that tier or a
	// stronger one; tierExactName is unused.
	tiers   [tierNone]*index.Set
	rarity  float64 // multiplied by the weight of its clause
	certain bool    // found without correcting its spelling
}

// productMatch is how the name of a replaced product matches the query.
type productMatch struct {
	number  uint32
	product index.Product
	match   textMatch
	// tier is tierName only if the query has every word of the name: "speech to
	// text" is a job, not half of the product "Google Cloud Speech-to-Text".
	tier tier
}

// lookUpHints finds what ranks matches that are equal otherwise: the listings that have each hint, and those
// that are archived.
func (s *scratch) lookUpHints(x expanded) found {
	f := found{expanded: x, s: s, archived: s.emptySet(), hintSets: s.hintSets[:0]}
	for i := range f.hints {
		f.hintSets = append(f.hintSets, s.listingsWith(&f.hints[i]))
	}
	s.addTerm(f.archived, index.ValueTerm(index.FactArchived, "1"))
	s.hintSets = f.hintSets
	return f
}

// lookUp finds the listings that have each word of the query, by tier, and its hints.
func (s *scratch) lookUp(x expanded) found {
	f := s.lookUpHints(x)
	f.suited, f.positions, f.lookups, f.products = s.emptySet(), s.positions, s.lookups[:0], s.products[:0]
	for range f.words {
		tiers := [tierNone]*index.Set{tierName: s.emptySet(), tierPurpose: s.emptySet(), tierDescription: s.emptySet()}
		f.lookups = append(f.lookups, lookup{tiers: tiers})
	}
	for i := range f.required {
		f.required[i].listings = s.listingsWith(&f.required[i].hint)
	}
	if !f.technical {
		s.addTerm(f.suited, s.vocabulary.everyday)
	}
	f.findUnwanted()
	f.weighWords()
	for i := range f.expansions {
		f.addExpansion(&f.expansions[i])
	}
	for i := range f.products {
		p := &f.products[i]
		f.matchProduct(p)
		if p.match.words != 0 {
			f.table.mark(p.number)
		}
		if p.tier != tierName && p.match.directWords == p.match.words {
			continue
		}
		for left := p.match.words; left != 0; left &= left - 1 {
			s.addList(f.lookups[bits.TrailingZeros32(left)].tiers[p.tier], &p.product.List)
		}
	}
	for i := range f.lookups {
		t := &f.lookups[i].tiers
		t[tierPurpose].Union(t[tierName])
		t[tierDescription].Union(t[tierPurpose])
	}
	s.lookups, s.products = f.lookups, f.products
	return f
}

// findUnwanted finds the listings that the user does not want ("not X", "something simpler than X"). If
// they are to be replaced, it requires their categories. A query of nothing but a name searches for that
// name.
func (f *found) findUnwanted() {
	f.unwanted = f.s.emptySet()
	for _, name := range f.excluded {
		f.s.addNamed(f.unwanted, name)
	}
	words := f.words
	for from := 0; from < len(words); from++ {
		to := from
		for to < len(words) && to < from+longestUnwanted && words[to].unwanted && words[to].role != roleHint {
			to++
		}
		for ; to > from && to-from < len(words); to-- {
			named := f.s.emptySet()
			f.s.addNamed(named, strings.Join(textsOf(words[from:to]), ""))
			if named.Count() == 0 {
				continue
			}
			f.unwanted.Union(named)
			category := f.s.categoriesOf(named)
			listings := f.s.listingsWith(&category)
			f.required = append(f.required, requirement{category, tierDescription, from, to, listings})
			from = to - 1
			break
		}
	}
}

// categoryOf returns the number of a listing's category.
func (e *Engine) categoryOf(doc int) int { return e.FacetNumber(0, doc) }

// categoriesOf returns a requirement that any listing in the categories of the given listings
// meets.
func (e *Engine) categoriesOf(listings *index.Set) hint {
	h := hint{required: true}
	categories := e.Facets.Values[index.FacetCategory]
	listings.Each(func(doc int) bool {
		if number := e.categoryOf(doc); number < len(categories) { // always, unless the file is damaged
			term := index.ValueTerm(index.FacetNames[index.FacetCategory], categories[number].Value)
			if !slices.Contains(h.terms, term) {
				h.terms = append(h.terms, term)
			}
		}
		return len(h.terms) < maxWords
	})
	return h
}

// listingsWith returns the listings that have the fact of a hint.
func (s *scratch) listingsWith(h *hint) *index.Set {
	set := s.emptySet()
	for _, term := range h.terms {
		if prefix, ok := strings.CutSuffix(term, anyAfter); ok {
			from, to := s.Terms.PrefixRange(prefix)
			for t := from; t < to; t++ {
				s.addPlaces(set, t, index.ClassExact)
			}
		} else {
			s.addTerm(set, term)
		}
	}
	for _, bound := range h.bounds {
		s.addWithin(set, bound)
	}
	return set
}

// weighWords sets the weight of each word by its frequency, and decides whether the query may name
// a listing by part of its name. A query of general words with hints or filler is a description:
// "chat app for windows" does not mean a name that contains "chat".
func (f *found) weighWords() {
	f.partialNames = len(f.hints)+len(f.required) == 0 && f.length == len(f.words)
	for i := range f.words {
		if f.words[i].role == roleRequired {
			f.requiredWords |= 1 << i
		}
	}
	if bits.OnesCount32(f.requiredWords) <= shortQuery && !f.hasComputer && len(f.hints) == 0 {
		f.elsewhere = f.s.emptySet()
	}
	for i := range f.lookups {
		word := &f.lookups[i]
		df := f.frequency(i)
		// The square root reduces the difference between rare and common words: in a small
		// catalogue, a word that few listings have is often there by accident.
		word.rarity = math.Sqrt(f.s.rarity(df))
		word.rarity *= ranking.clauses[min(f.words[i].clause, len(ranking.clauses)-1)]
		f.weight += word.rarity
		if f.words[i].role != roleHint {
			f.weightWithoutHints += word.rarity
		}
		if f.words[i].role == roleRequired {
			f.partialNames = f.partialNames || float64(df) < generalShare*float64(f.s.Len())
		}
	}
}

// rarity returns the inverse document frequency of a word that df listings have. It is
// greater than 0, and highest for words that no listing has.
func (e *Engine) rarity(df int) float64 {
	return math.Log1p(float64(e.Len()) / (float64(df) + 0.5))
}

// frequency fills the weakest tier of a word with the listings that have the word in any form, or a
// fact that it may mean, and returns their number. Synonyms do not count: a rare word for a common
// thing is still specific.
func (f *found) frequency(word int) int {
	l := &f.lookups[word]
	listings, asked := l.tiers[tierDescription], l.tiers[tierDescription]
	if f.elsewhere != nil && f.words[word].role == roleRequired {
		asked = f.s.emptySet()
	}
	for i := range f.expansions {
		e := &f.expansions[i]
		if word < e.from || word >= e.to {
			continue
		}
		l.certain = l.certain || !e.corrected
		if e.synonym {
			continue
		}
		f.s.Postings.Each(e.term, func(place index.Class, list index.List) {
			switch {
			case place == index.ClassExact:
			case place.Field() == index.FieldReplaces:
				for _, p := range f.productsOf(&list) {
					f.s.addList(listings, &f.products[p].product.List)
				}
			case place.Field() == index.FieldAsk:
				f.s.addList(asked, &list)
			default:
				f.s.addList(listings, &list)
			}
		})
	}
	for i := range f.required {
		if r := &f.required[i]; r.from <= word && word < r.to {
			listings.Union(r.listings)
			l.certain = true
		}
	}
	if asked != listings {
		f.elsewhere.Union(listings)
		listings.Union(asked)
	}
	return listings.Count()
}

// addExpansion adds the listings that have an expansion to the lookups of its words, by tier.
func (f *found) addExpansion(e *expansion) {
	f.s.Postings.Each(e.term, func(place index.Class, l index.List) {
		if place == index.ClassExact {
			return
		}
		if place.Field() == index.FieldReplaces {
			f.productsOf(&l)
			return
		}
		if f.elsewhere != nil && e.synonym && place.Field() != index.FieldAsk && f.words[e.from].role == roleRequired {
			f.s.addList(f.elsewhere, &l)
		}
		t := f.tierOf(place.Field(), e.synonym, place.Whole())
		if t == tierDescription && !e.synonym {
			return // frequency has added them
		}
		for word := e.from; word < e.to; word++ {
			f.s.addList(f.lookups[word].tiers[t], &l)
		}
	})
}

// tierOf returns the tier of a match in a field. A synonym of a name does not count as the name. If
// the query is a description ("run an LLM on a laptop", see weighWords), a name counts only if it
// is the whole query.
func (f *found) tierOf(field index.Field, synonym, complete bool) tier {
	t := fieldTiers[field]
	switch {
	case t != tierName:
		return t
	case synonym:
		return tierDescription
	case !f.partialNames && (!complete || len(f.words) > 1 || f.hasComputer):
		return tierPurpose
	default:
		return tierName
	}
}

// productsOf returns the indexes in f.products of the products of a list. It adds those that are
// not there yet.
func (f *found) productsOf(l *index.List) []int {
	list := f.s.numbers[:0]
	for array := l.Array; len(array) >= 4; array = array[4:] {
		number := index.Number(array)
		position, ok := f.positions[number]
		if !ok {
			position = len(f.products)
			f.positions[number] = position
			f.products = append(f.products, productMatch{
				number: uint32(number), product: f.s.Products.Get(number), tier: tierDescription, // fits in 32 bits
			})
		}
		list = append(list, position)
	}
	f.s.numbers = list
	return list
}

// matchProduct matches a product's name with the query. The match is complete if the query has
// every word of the name, perhaps misspelt or incomplete, or all of them joined.
func (f *found) matchProduct(p *productMatch) {
	f.matchText(&p.match, p.product.Terms, index.FieldReplaces)
	if p.product.Len() > 1 {
		var joined [4]byte
		binary.LittleEndian.PutUint32(joined[:], uint32(p.product.Joined))
		var m textMatch
		if f.matchText(&m, joined[:], index.FieldReplaces); m.complete {
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
