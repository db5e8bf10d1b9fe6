package search

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
)

const (
	// gradeSteps is how many steps of match quality there are within a tier
	// (contract 4).
	gradeSteps = 16
	// coveredSteps is how finely partial matches are told apart by the weight
	// they cover, so that a rounding error never outranks the tier.
	coveredSteps = 8
	// enoughMatches is how many listings must cover every word for partial
	// matches to be left away (contract 4).
	enoughMatches = 3
	// partialWeight is the least share of the query's weight that a partial
	// match covers (contract 4).
	partialWeight = 0.25
	// maxGraded bounds how many listings of one tier are looked at to order them.
	// Of more, only the most popular are told apart, of one word's those that have
	// it in the best places: thousands of listings that match alike are in no
	// order that a reader could see.
	maxGraded = 1024
)

// fieldWeights tells how much a word in a field says about the listing, within
// the field's tier: a name more than an alias, an alias more than a product
// that the listing replaces.
var fieldWeights = [fieldCount]float64{
	fieldName: 1, fieldAlias: 0.85, fieldReplaces: 0.7,
	fieldPurpose: 1, fieldJob: 0.9,
	fieldCategory: 1, fieldTopic: 0.9, fieldDescription: 0.5,
}

// hit is a listing that answers a query.
type hit struct {
	doc     int
	tier    tier
	partial bool
}

// wordState is what the index knows about a word of the query.
type wordState struct {
	// tiers are the listings that have the word in the group of fields of a tier or
	// a stronger one; tierExactName is unused.
	tiers  [tierNone]*set
	rarity float64
}

// productMatch is what the name of a replaced product has of the query.
type productMatch struct {
	id      int
	product product
	match   textMatch
	// tier is that of names only where the query says all of it: "speech to text"
	// is a job, not half of the product "Google Cloud Speech-to-Text".
	tier tier
}

// look finds the query's words in the index: for each the listings that have it,
// by tier.
func (w *work) look() {
	words := w.question.words
	w.table.fill(w.covers)
	for i, c := range w.covers {
		if c.phrase != nil {
			w.phrases = append(w.phrases, i)
		}
	}
	for _, word := range words {
		term, ok := w.ix.terms.find(word)
		if !ok {
			term = -1
		}
		w.terms = append(w.terms, term)
		w.words = append(w.words, wordState{tiers: [tierNone]*set{tierName: w.set(), tierPurpose: w.set(), tierDescription: w.set()}})
	}
	for i := range w.covers {
		c := &w.covers[i]
		w.ix.postings.each(c.term, func(place class, l list) {
			switch {
			case place == classExact:
			case place.field() == fieldReplaces:
				w.addProducts(&l)
			default:
				for word := c.from; word < c.to; word++ {
					w.addList(w.words[word].tiers[fieldTiers[place.field()]], &l)
				}
			}
		})
	}
	for i := range w.products {
		p := &w.products[i]
		w.judge(p)
		for has := p.match.has; has != 0; has &= has - 1 {
			w.addList(w.words[bits.TrailingZeros32(has)].tiers[p.tier], &p.product.list)
		}
	}
	w.weight = 0
	for i := range w.words {
		t := &w.words[i].tiers
		t[tierPurpose].union(t[tierName])
		t[tierDescription].union(t[tierPurpose])
		w.words[i].rarity = w.ix.rarity(t[tierDescription].count())
		w.weight += w.words[i].rarity
	}
}

// addProducts notes the products of a list.
func (w *work) addProducts(l *list) {
	for array := l.array; len(array) >= 4; array = array[4:] {
		w.cost.Postings++
		id := int(binary.LittleEndian.Uint32(array))
		if _, known := w.product[id]; !known {
			w.product[id] = len(w.products)
			w.products = append(w.products, productMatch{id: id, product: w.ix.products.get(id), tier: tierDescription})
		}
	}
}

// judge tells what a product's name has of the query, and whether the query says
// all of it: each word as it is, misspelt, or begun by the last word, or all
// written together.
func (w *work) judge(p *productMatch) {
	w.matchText(&p.match, p.product.terms)
	said := 0
	for terms := p.product.terms; len(terms) >= 4; terms = terms[4:] {
		if w.saidLiterally(binary.LittleEndian.Uint32(terms)) {
			said++
		}
	}
	if p.product.len() > 1 && w.saidLiterally(uint32(p.product.joined)) { // #nosec G115 -- read as 32 bits
		var joined [4]byte
		binary.LittleEndian.PutUint32(joined[:], uint32(p.product.joined)) // #nosec G115 -- read as 32 bits
		var m textMatch
		w.matchText(&m, joined[:])
		p.match.has |= m.has
		p.match.whole = true
		for i := range p.match.quality {
			p.match.quality[i] = max(p.match.quality[i], m.quality[i])
		}
		said = p.product.len()
	}
	if said == p.product.len() {
		p.tier = tierName
	}
}

func (w *work) saidLiterally(term uint32) bool {
	for c := w.table.find(term); c >= 0; c = w.table.next[c] {
		if w.covers[c].literal() {
			return true
		}
	}
	return false
}

// maxWords is how many words a query can have; see api.MaxQueryWords.
const maxWords = 16

// textMatch is what a text has of the query.
type textMatch struct {
	has     uint32            // bit i: word i of the query
	quality [maxWords]float32 // of the best match of each word
	phrase  bool              // the query's words stand side by side in it
	whole   bool              // it has no other words
}

// matchText compares a text with the query, and tells whether it has anything
// of it; where it has not, m is not touched.
func (w *work) matchText(m *textMatch, terms []byte) bool {
	matched, run := 0, 0
	for rest := terms; len(rest) >= 4; rest = rest[4:] {
		term := binary.LittleEndian.Uint32(rest)
		c := w.table.find(term)
		if c < 0 {
			run = 0
			continue
		}
		if matched == 0 {
			*m = textMatch{}
		}
		matched++
		for ; c >= 0; c = w.table.next[c] {
			m.add(&w.covers[c])
		}
		switch int(term) {
		case w.terms[min(run, len(w.terms)-1)]:
			run++
		case w.terms[0]:
			run = 1
		default:
			run = 0
		}
		if run == len(w.terms) {
			m.phrase = true
		}
	}
	found := matched > 0
	m.whole = found && matched == len(terms)/4
	for _, c := range w.phrases {
		cover := &w.covers[c]
		if w.hasStems(terms, cover.phrase) {
			if !found {
				*m, found = textMatch{}, true
			}
			m.add(cover)
			m.whole = m.whole || len(cover.phrase) == len(terms)/4
		}
	}
	if len(w.terms) == 1 && found {
		m.phrase = true
	}
	return found
}

func (m *textMatch) add(c *cover) {
	for word := c.from; word < c.to; word++ {
		m.has |= 1 << word
		m.quality[word] = max(m.quality[word], float32(c.quality))
	}
}

// hasStems tells whether a text has words of these stems side by side.
func (w *work) hasStems(terms []byte, stems []int) bool {
	for ; len(terms) >= 4*len(stems); terms = terms[4:] {
		same := 0
		for same < len(stems) && w.ix.stemOf(int(binary.LittleEndian.Uint32(terms[4*same:]))) == stems[same] {
			same++
		}
		if same == len(stems) {
			return true
		}
	}
	return false
}

// textFound is what one text of a listing has of the query.
type textFound struct {
	tier          tier
	has           uint32
	phrase, whole bool
}

// wordPlace is the best place where a listing has a word of the query.
type wordPlace struct {
	tier    tier // tierNone where it has not
	quality float64
}

// examine looks at the texts of a listing up to a tier, and notes what each has
// of the query and the best place of each word.
func (w *work) examine(doc int, upTo tier) {
	w.cost.Graded++
	w.found, w.best = w.found[:0], w.best[:0]
	for range w.words {
		w.best = append(w.best, wordPlace{tier: tierNone})
	}
	for rest := w.ix.texts.of(doc); ; {
		t, after, ok := nextText(rest)
		if !ok {
			return
		}
		rest = after
		tier := fieldTiers[t.field]
		if tier > upTo {
			return // the fields are in the order of tiers
		}
		var m *textMatch
		if t.field == fieldReplaces {
			at, known := 0, false
			if t.len() == 1 {
				at, known = w.product[t.term(0)]
			}
			if !known || w.products[at].tier > upTo || w.products[at].match.has == 0 {
				continue
			}
			m, tier = &w.products[at].match, w.products[at].tier
		} else {
			if m = &w.match; !w.matchText(m, t.terms) {
				continue
			}
		}
		w.found = append(w.found, textFound{tier, m.has, m.phrase, m.whole})
		for has := m.has; has != 0; has &= has - 1 {
			word := bits.TrailingZeros32(has)
			p := wordPlace{tier, fieldWeights[t.field] * float64(m.quality[word])}
			if b := &w.best[word]; p.tier < b.tier || p.tier == b.tier && p.quality > b.quality {
				*b = p
			}
		}
	}
}

// How the words of a query stand in the texts of a listing: most counts that
// they stand together in one text, then that they stand side by side, then that
// they are all of it.
const (
	arrangedTogether = 0.5
	arrangedPhrase   = 0.25
	arrangedWhole    = 0.25
)

// grade tells how well a listing matches within its tier, which it returns too:
// 0 is best.
func (w *work) grade(doc int, upTo tier) (int, tier) {
	w.examine(doc, upTo)
	t, covered, quality := tierName, 0.0, 0.0
	for i, b := range w.best {
		if b.tier != tierNone {
			t = max(t, b.tier)
			covered += w.words[i].rarity
			quality += w.words[i].rarity * b.quality
		}
	}
	if covered == 0 {
		return gradeSteps - 1, tierDescription // a damaged file
	}
	arrangement := 0.0
	for _, x := range w.found {
		if x.tier > t {
			continue
		}
		weight := 0.0
		for has := x.has; has != 0; has &= has - 1 {
			weight += w.words[bits.TrailingZeros32(has)].rarity
		}
		score := arrangedTogether * weight / covered
		if x.phrase {
			score += arrangedPhrase
		}
		if x.whole {
			score += arrangedWhole * weight / covered
		}
		arrangement = max(arrangement, score)
	}
	return gradeOf((arrangement + quality/covered) / 2), t
}

func gradeOf(quality float64) int {
	return gradeSteps - 1 - min(gradeSteps-1, int(quality*gradeSteps))
}

// hintsOf counts the query's hints that a listing holds.
func (w *work) hintsOf(doc int) int {
	if len(w.question.hints) == 0 {
		return 0
	}
	f := factsOf(w.ix.facts, doc)
	n := 0
	for _, h := range w.question.hints {
		if h.holds(&f, &w.ix.facets) {
			n++
		}
	}
	return n
}

// rankKey sorts as the order of relevance does within one tier of full matches
// or one step of partial ones: tier, grade, hints, then stars and slug, by which
// listings are numbered.
func rankKey(t tier, grade, hints, doc int) uint64 {
	return uint64(t)<<56 | uint64(grade)<<48 | uint64(255-min(hints, 255))<<40 | uint64(doc) // #nosec G115 -- small and not negative
}

func rankedDoc(key uint64) (int, tier) { return int(key & (1<<40 - 1)), tier(key >> 56) } // #nosec G115 -- as made

// rank appends the best of a set of listings to the hits, as many as are still
// wanted. upTo is the weakest tier in which they match.
func (w *work) rank(s *set, upTo tier, partial bool, limit int) {
	wanted := limit - len(w.hits)
	if wanted <= 0 {
		return
	}
	best := w.ranked[:0]
	keep := func(key uint64) {
		if len(best) == wanted && key >= best[wanted-1] {
			return
		}
		at, _ := slices.BinarySearch(best, key)
		if len(best) == wanted {
			best = best[:wanted-1]
		}
		best = slices.Insert(best, at, key)
	}
	w.candidates(s, upTo).each(func(doc int) bool {
		grade, t := w.grade(doc, upTo)
		keep(rankKey(t, grade, w.hintsOf(doc), doc))
		return true
	})
	w.ranked = best
	for _, key := range best {
		doc, t := rankedDoc(key)
		if !partial {
			t = upTo
		}
		w.hits = append(w.hits, hit{doc, t, partial})
	}
}

// candidates returns the listings of a set that are worth grading: all, or where
// these are too many, maxGraded of them.
func (w *work) candidates(s *set, upTo tier) *set {
	if s.count() <= w.ix.maxGraded {
		return s
	}
	chosen := w.set()
	room := w.ix.maxGraded
	take := func(from *set) {
		for _, docs := range w.byHints(from, chosen, room) {
			docs = docs[:min(room, len(docs))]
			for _, doc := range docs {
				chosen.add(doc)
			}
			room -= len(docs)
		}
	}
	if len(w.words) == 1 {
		for _, l := range w.layers(upTo) {
			if room == 0 {
				break
			}
			layer := w.set()
			w.addList(layer, &l.list)
			layer.intersect(s)
			take(layer)
		}
	}
	if room > 0 {
		take(s)
	}
	return chosen
}

// byHints returns up to n members of a set that another has not, for each number
// of hints that they hold, most hints first.
func (w *work) byHints(s, but *set, n int) [][]int {
	levels := make([][]int, len(w.question.hints)+1)
	s.each(func(doc int) bool {
		if but.has(doc) {
			return true
		}
		level := len(levels) - 1 - w.hintsOf(doc)
		if len(levels[level]) < n {
			levels[level] = append(levels[level], doc)
		}
		return len(levels[0]) < n
	})
	return levels
}

// layer are listings that match a query of one word alike.
type layer struct {
	grade int
	list  list
}

// layers returns the lists in which listings match a query of one word in a
// tier, best first.
func (w *work) layers(upTo tier) []layer {
	w.layer = w.layer[:0]
	add := func(f field, whole bool, quality float64, l list) {
		arrangement := arrangedTogether + arrangedPhrase
		if whole {
			arrangement += arrangedWhole
		}
		w.layer = append(w.layer, layer{gradeOf((arrangement + fieldWeights[f]*quality) / 2), l})
	}
	for _, c := range w.covers {
		w.ix.postings.each(c.term, func(place class, l list) {
			if place != classExact && place.field() != fieldReplaces && fieldTiers[place.field()] == upTo {
				add(place.field(), place.whole(), c.quality, l)
			}
		})
	}
	for i := range w.products {
		if p := &w.products[i]; p.tier == upTo && p.match.has != 0 {
			add(fieldReplaces, p.match.whole, float64(p.match.quality[0]), p.product.list)
		}
	}
	slices.SortStableFunc(w.layer, func(a, b layer) int { return a.grade - b.grade })
	return w.layer
}

// full returns the listings that have every word, by tier, each in its strongest.
func (w *work) full() (tiers [tierNone]*set) {
	exact := w.set()
	w.addTerm(exact, w.question.exact)
	tiers[tierExactName] = exact
	stronger := w.with(exact)
	for t := tierName; t <= tierDescription; t++ {
		s := w.with(w.words[0].tiers[t])
		for i := range w.words[1:] {
			s.intersect(w.words[i+1].tiers[t])
		}
		s.subtract(stronger)
		stronger.union(s)
		tiers[t] = s
	}
	return tiers
}

// partialScale is what the rarities of a query's words are brought to in sum:
// rounded down, those of any part of them are a number of 8 bits, of which the
// highest 3 are the step.
const partialScale = 1 << 8

// partial returns the listings that have some of the words, by how much of the
// query's weight they have, in steps. Listings in full are left out. The weights
// are added for 64 listings at a time, bit by bit.
func (w *work) partial(full [tierNone]*set) (steps [coveredSteps]*set) {
	if len(w.words) == 1 {
		return steps
	}
	var weights [maxWords]uint8
	for i, word := range w.words {
		weights[i] = uint8(partialScale * word.rarity / w.weight) // there are others, so that it is less than all
	}
	all := w.set()
	for i := range w.words {
		all.union(w.words[i].tiers[tierDescription])
	}
	for _, s := range full {
		all.subtract(s)
	}
	for i := range steps {
		steps[i] = w.set()
	}
	const least = uint8(partialWeight * partialScale)
	eachBlock(all.blocks, func(b int) {
		for i, wanted := range all.block(b) {
			if wanted == 0 {
				continue
			}
			var sum [8]uint64 // bit p of the weight of each of 64 listings
			for word := range w.words {
				if have := w.words[word].tiers[tierDescription].block(b)[i] & wanted; have != 0 {
					addWeight(&sum, weights[word], have)
				}
			}
			for wanted &= atLeast(&sum, least); wanted != 0; {
				step, alike := highestBits(&sum, wanted)
				steps[step].block(b)[i] |= alike
				steps[step].blocks[b/64] |= 1 << (b % 64)
				wanted &^= alike
			}
		}
	})
	return steps
}

// highestBits returns the step of the first of some listings, and those that
// share it.
func highestBits(sum *[8]uint64, listings uint64) (step int, alike uint64) {
	first := bits.TrailingZeros64(listings)
	alike = listings
	for _, p := range []int{7, 6, 5} {
		bit := sum[p] >> first & 1
		step = step<<1 | int(bit)   // #nosec G115 -- 0 or 1
		alike &= sum[p] ^ (bit - 1) // the plane, or its complement for 0
	}
	return step, alike
}

// addWeight adds a weight to the sums of the listings whose bit is set.
func addWeight(sum *[8]uint64, weight uint8, listings uint64) {
	carry := uint64(0)
	for p := range sum {
		add := uint64(0)
		if weight>>p&1 != 0 {
			add = listings
		}
		s := sum[p]
		sum[p] = s ^ add ^ carry
		carry = s&add | carry&(s^add)
	}
}

// atLeast returns the listings whose sum is at least so much.
func atLeast(sum *[8]uint64, least uint8) uint64 {
	equal, greater := ^uint64(0), uint64(0)
	for p := len(sum) - 1; p >= 0; p-- {
		if least>>p&1 == 0 {
			greater |= equal & sum[p]
			equal &^= sum[p]
		} else {
			equal &= sum[p]
		}
	}
	return greater | equal
}

// nameIn returns the words of a name that a query of nothing but function words
// and filler may mean after all: "make" is also a product. It returns nil where
// no listing bears or replaces that name.
func (ix *Index) nameIn(q *question) []string {
	term, ok := ix.terms.find(strings.Join(q.spoken, ""))
	if !ok {
		return nil
	}
	for _, f := range []field{fieldName, fieldAlias, fieldReplaces} {
		if ix.postings.hasClass(term, classOf(f, true)) {
			return q.spoken
		}
	}
	return nil
}
