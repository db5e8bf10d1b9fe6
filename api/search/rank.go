package search

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"

	"catalog.example/api"
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
		binary.LittleEndian.PutUint32(joined[:], uint32(p.product.joined)) // #nosec G115 -- read as 32 bits
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

// maxWords is how many words a query can have.
const maxWords = api.MaxQueryWords

// textMatch is what a text has of the query.
type textMatch struct {
	has      uint32            // bit i: word i of the query
	named    uint32            // those of them that are no synonyms
	evidence [maxWords]float64 // of each word: how likely the text is about it
	arranged float64           // see arranged
	said     bool              // the query says every word of it
}

// textScan is what is noted of a text while it is read.
type textScan struct {
	quality [maxWords]float64 // of the best match of each word
	end     [maxWords]int     // where its latest match ends, and one; 0 where there is none
	latest  [maxWords]float64 // the quality of that match
	near    [maxWords]float64 // how near each word and the one before it stand
}

// nearest is how many words may stand between two for them to be near.
const nearest = 3

// add notes that the words of a cover are at a place.
func (s *textScan) add(c *cover, at, length int) {
	for word := c.from; word < c.to; word++ {
		s.quality[word] = max(s.quality[word], c.quality)
		if word > c.from {
			s.near[word] = max(s.near[word], c.quality) // one cover answers both
		}
		// Side by side in that order is nearest, less with words between them or the
		// other way round.
		if word > 0 && word == c.from && s.end[word-1] > 0 {
			s.meet(word, min(c.quality, s.latest[word-1]), at-(s.end[word-1]-1))
		}
		if word+1 < maxWords && word == c.to-1 && s.end[word+1] > 0 {
			s.meet(word+1, min(c.quality, s.latest[word+1]), at-(s.end[word+1]-1)+1)
		}
	}
	for word := c.from; word < c.to; word++ {
		s.end[word], s.latest[word] = at+length+1, c.quality
	}
}

func (s *textScan) meet(word int, quality float64, gap int) {
	gap = max(gap, 0) // one word of the text answers both
	if gap <= nearest {
		s.near[word] = max(s.near[word], quality/float64(1+gap))
	}
}

// matchText compares a text with the query, and tells whether it has anything
// of it; where it has not, m is not touched.
func (w *work) matchText(m *textMatch, terms []byte, f field) bool {
	length := len(terms) / 4
	used, literal, found := 0, 0, false
	scan := &w.scan
	begin := func() {
		if !found {
			*m, *scan, found = textMatch{}, textScan{}, true
		}
	}
	for at := 0; at < length; at++ {
		term := binary.LittleEndian.Uint32(terms[4*at:])
		if !w.table.mayHave(term) {
			continue
		}
		c := w.table.find(term)
		if c < 0 {
			continue
		}
		begin()
		used++
		said := 0
		for ; c >= 0; c = w.table.next[c] {
			cover := &w.covers[c]
			m.add(cover, f)
			scan.add(cover, at, 1)
			if cover.literal {
				said = 1
			}
		}
		literal += said
	}
	for _, p := range w.phrases {
		cover := &w.covers[p]
		for at := 0; at+len(cover.phrase) <= length; at++ {
			if w.hasStems(terms[4*at:], cover.phrase) {
				begin()
				used = min(length, used+len(cover.phrase))
				m.add(cover, f)
				scan.add(cover, at, len(cover.phrase))
			}
		}
	}
	if !found {
		return false
	}
	m.said = literal == length
	m.arranged = w.arranged(scan, float64(used)/float64(length))
	return true
}

// add notes that a text has the words of a cover.
func (m *textMatch) add(c *cover, f field) {
	quality := c.quality
	if c.synonym && fieldTiers[f] == tierName && f != fieldReplaces {
		quality *= meantName
	}
	for word := c.from; word < c.to; word++ {
		m.has |= 1 << word
		if !c.synonym {
			m.named |= 1 << word
		}
		m.evidence[word] = either(m.evidence[word], quality)
	}
}

// either is the likelihood that one at least of two independent events happens.
func either(a, b float64) float64 { return a + b - a*b }

// hasStems tells whether a text begins with words of these stems.
func (w *work) hasStems(terms []byte, stems []int) bool {
	for i, stem := range stems {
		if w.ix.stemOf(number(terms[4*i:])) != stem {
			return false
		}
	}
	return true
}

// How the words of a query stand in a text: most counts that they stand together
// in it, then that they stand side by side, and that they are all of it.
const (
	arrangedTogether = 0.4
	arrangedNear     = 0.3
	arrangedWhole    = 0.3
)

// arranged tells how well the words of a query stand in a text, of which they
// are a share: 0 to 1.
func (w *work) arranged(s *textScan, share float64) float64 {
	together, pairs, near := 0.0, 0.0, 0.0
	for i := range w.words {
		together += w.words[i].rarity * s.quality[i]
		if i > 0 {
			// Each pair is weighed by the more common word.
			weight := min(w.words[i-1].rarity, w.words[i].rarity)
			pairs += weight
			near += weight * s.near[i]
		}
	}
	together /= w.weight
	if pairs > 0 {
		near /= pairs
	} else {
		near = together // one word has no neighbours
	}
	return arrangedTogether*together + arrangedNear*near + arrangedWhole*together*min(1, share)
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
	return uint64(grade)<<56 | uint64(t)<<48 | uint64(255-min(standing, 255))<<40 | uint64(doc) // #nosec G115 -- small and not negative
}

func rankedDoc(key uint64) (int, tier) { return int(key & (1<<40 - 1)), tier(key >> 48 & 0xff) } // #nosec G115 -- as made

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
		for _, l := range w.layers(upTo) {
			if room == 0 {
				break
			}
			layer := w.set()
			w.addList(layer, &l.list)
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

// withEveryHint returns the listings that have every fact that the query asks
// for, without those that bear the name it says.
func (w *work) withEveryHint(full [tierNone]*set) *set {
	s := w.with(w.hintSets[0])
	for _, h := range w.hintSets[1:] {
		s.intersect(h)
	}
	s.subtract(full[tierExactName])
	s.subtract(full[tierName])
	return s
}

// withSomeHints returns the listings that have some of the facts that the query
// asks for, those that have most first, without the given ones.
func (w *work) withSomeHints(but *set) []*set {
	having := make([]*set, len(w.hintSets)) // at least so many facts and one
	for i := range having {
		having[i] = w.set()
	}
	for _, h := range w.hintSets {
		for i := len(having) - 1; i > 0; i-- {
			more := w.with(having[i-1])
			more.intersect(h)
			having[i].union(more)
		}
		having[0].union(h)
	}
	slices.Reverse(having)
	seen := w.with(but)
	for _, s := range having {
		s.subtract(seen)
		seen.union(s)
	}
	return having
}

// layer are listings that have the one word of a query in one kind of place.
type layer struct {
	weight float64
	list   list
}

// layers returns the lists in which listings have the one word of a query in a
// tier, the place that says most first.
func (w *work) layers(upTo tier) []layer {
	w.layer = w.layer[:0]
	add := func(f field, whole bool, quality float64, l list) {
		share := 0.0
		if whole {
			share = 1
		}
		arranged := arrangedTogether + arrangedNear + arrangedWhole*share
		weight := fieldWeights[f] * quality * (1 - arrangementShare + arrangementShare*arranged)
		at := len(w.layer)
		for at > 0 && w.layer[at-1].weight < weight {
			at--
		}
		w.layer = slices.Insert(w.layer, at, layer{weight, l})
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
	return w.layer
}

// full returns the listings that have every word that is needed, by tier, each in
// its strongest. There is such a word, or nothing would be asked.
func (w *work) full() (tiers [tierNone]*set) {
	exact := w.set()
	w.addTerm(exact, w.question.exact)
	tiers[tierExactName] = exact
	stronger := w.with(exact)
	for t := tierName; t <= tierDescription; t++ {
		var s *set
		for i := range w.words {
			switch {
			case w.words[i].role != roleNeeded:
			case s == nil:
				s = w.with(w.words[i].tiers[t])
			default:
				s.intersect(w.words[i].tiers[t])
			}
		}
		s.subtract(stronger)
		stronger.union(s)
		tiers[t] = s
	}
	return tiers
}

// partialScale is what the weights of a query's words are brought to in sum:
// rounded down, those of any part of them are a number of partialBits, of which
// the highest stepBits are the step.
const (
	partialBits  = 6
	partialScale = 1 << partialBits
	stepBits     = 3
	partialSteps = 1 << stepBits
)

// partial returns the listings that have some of the words, by how much of the
// query's weight they cover, most first, without the given ones. The weights are
// added for 64 listings at a time, bit by bit: for each word what a description
// counts, then what the stronger tiers count more.
func (w *work) partial(but *set) []*set {
	all := w.set()
	type part struct {
		weight uint8
		having *set
	}
	var parts []part
	for i := range w.words {
		word := &w.words[i]
		all.union(word.tiers[tierDescription])
		if word.role == roleHint {
			continue
		}
		scale := (partialScale - 1) * word.rarity / w.asked
		if !word.sure {
			scale *= guessWeight
		}
		description := uint8(scale * descriptionShare)
		parts = append(parts, part{description, word.tiers[tierDescription]}, part{uint8(scale) - description, word.tiers[tierPurpose]})
	}
	all.subtract(but)
	steps := make([]*set, partialSteps)
	for i := range steps {
		steps[i] = w.set()
	}
	share := float64(partialShare)
	least := uint8(share * partialScale)
	blocks := make([]*[blockWords]uint64, len(parts))
	eachBlock(all.blocks, func(b int) {
		for i := range parts {
			blocks[i] = parts[i].having.block(b)
		}
		for i, wanted := range all.block(b) {
			if wanted == 0 {
				continue
			}
			var sum [partialBits]uint64 // bit p of the weight of each of 64 listings
			for k, having := range blocks {
				if have := having[i] & wanted; have != 0 {
					addWeight(&sum, parts[k].weight, have)
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
	slices.Reverse(steps)
	return steps
}

// highestBits returns the step of the first of some listings, and those that
// share it.
func highestBits(sum *[partialBits]uint64, listings uint64) (step int, alike uint64) {
	first := bits.TrailingZeros64(listings)
	alike = listings
	for p := partialBits - 1; p >= partialBits-stepBits; p-- {
		bit := sum[p] >> first & 1
		step = step<<1 | int(bit)   // #nosec G115 -- 0 or 1
		alike &= sum[p] ^ (bit - 1) // the plane, or its complement for 0
	}
	return step, alike
}

// addWeight adds a weight to the sums of the listings whose bit is set.
func addWeight(sum *[partialBits]uint64, weight uint8, listings uint64) {
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
func atLeast(sum *[partialBits]uint64, least uint8) uint64 {
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
