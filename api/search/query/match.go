package query

import (
	"encoding/binary"
	"math/bits"

	"catalog.example/api"
	"catalog.example/api/search/index"
)

// maxWords is the maximum number of words of a query.
const maxWords = api.MaxQueryWords

// textMatch is the match of a text with the query.
type textMatch struct {
	words       uint32            // bit i: the text has word i of the query
	directWords uint32            // those that it has other than as synonyms
	evidence    [maxWords]float64 // for each word: how likely the text is about it
	arrangement float64           // see workspace.arrangement
	complete    bool              // the query has every word of the text
}

// textScan holds what matchText collects while it reads a text.
type textScan struct {
	quality [maxWords]float64 // of the best match of each word
	end     [maxWords]int     // 1 + the end of its latest match; 0 if there is none
	latest  [maxWords]float64 // the quality of that match
	near    [maxWords]float64 // how near each word is to the one before it in the query
}

// clear forgets what was collected of the first n words.
func (s *textScan) clear(n int) {
	clear(s.quality[:n])
	clear(s.end[:n])
	clear(s.latest[:n])
	clear(s.near[:n])
}

// maxGap is how many words may be between two that count as near.
const maxGap = 3

// add records an expansion at a position of the text.
func (s *textScan) add(e *expansion, position, length int) {
	for word := e.from; word < e.to; word++ {
		s.quality[word] = max(s.quality[word], e.quality)
		if word > e.from {
			s.near[word] = max(s.near[word], e.quality) // one expansion matches both
		}
		// Adjacent words in query order are nearest. Words between them, or the
		// reverse order, make them less near.
		if word > 0 && word == e.from && s.end[word-1] > 0 {
			s.addGap(word, min(e.quality, s.latest[word-1]), position-(s.end[word-1]-1))
		}
		if word+1 < maxWords && word == e.to-1 && s.end[word+1] > 0 {
			s.addGap(word+1, min(e.quality, s.latest[word+1]), position-(s.end[word+1]-1)+1)
		}
	}
	for word := e.from; word < e.to; word++ {
		s.end[word], s.latest[word] = position+length+1, e.quality
	}
}

func (s *textScan) addGap(word int, quality float64, gap int) {
	gap = max(gap, 0) // one word of the text matches both
	if gap <= maxGap {
		s.near[word] = max(s.near[word], quality/float64(1+gap))
	}
}

// matchText matches a text with the query, and reports whether any word matches. If
// none does, m is not changed.
func (w *scratch) matchText(m *textMatch, terms []byte, f index.Field) bool {
	length := len(terms) / 4
	used, literal, found := 0, 0, false
	scan := &w.scan
	begin := func() {
		if !found {
			n := len(w.words) // clearing the rest would take longer than most texts
			m.words, m.directWords = 0, 0
			clear(m.evidence[:n])
			scan.clear(n)
			found = true
		}
	}
	for position := 0; position < length; position++ {
		term := binary.LittleEndian.Uint32(terms[4*position:])
		if !w.table.mayHave(term) {
			continue
		}
		isWord, isLiteral := 0, 0
		for i := w.table.find(term); i >= 0; i = w.table.entries[i].next {
			e := &w.expansions[w.table.entries[i].expansion]
			size := max(1, len(e.phrase))
			switch {
			case e.phrase == nil:
				isWord = 1
				if e.literal {
					isLiteral = 1
				}
			case position+size > length || !w.hasStems(terms[4*position:], e.phrase):
				continue
			default:
				used += size
				if e.literal {
					literal += size
				}
			}
			begin()
			m.add(e, f)
			scan.add(e, position, size)
		}
		used += isWord
		literal += isLiteral
	}
	if !found {
		return false
	}
	m.complete = literal == length
	m.arrangement = w.arrangement(scan, float64(min(used, length))/float64(length))
	return true
}

// add records that a text has an expansion.
func (m *textMatch) add(e *expansion, f index.Field) {
	quality := e.quality
	if e.synonym && fieldTiers[f] == tierName && f != index.FieldReplaces {
		quality *= ranking.nameSynonym
	}
	for word := e.from; word < e.to; word++ {
		m.words |= 1 << word
		if !e.synonym {
			m.directWords |= 1 << word
		}
		m.evidence[word] = probabilityOr(m.evidence[word], quality)
	}
}

// probabilityOr returns the probability that at least one of two independent events happens.
func probabilityOr(a, b float64) float64 { return a + b - a*b }

// hasStems reports whether a text begins with words that have these stems.
func (w *scratch) hasStems(terms []byte, stems []int) bool {
	for i, stem := range stems {
		if w.ix.StemOf(index.Number(terms[4*i:])) != stem {
			return false
		}
	}
	return true
}

// The parts of an arrangement: how many words are in the same text, how near they are
// to each other, and how much of the text they are.
const (
	arrangedTogether = 0.4
	arrangedNear     = 0.3
	arrangedWhole    = 0.3
)

// arrangement returns how well the words of a query are arranged in a text, from 0 to
// 1. They are the given share of its words.
func (w *scratch) arrangement(s *textScan, share float64) float64 {
	together, pairs, near := 0.0, 0.0, 0.0
	for i := range w.words {
		together += w.words[i].rarity * s.quality[i]
		if i > 0 {
			// The weight of a pair is that of its more common word.
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

// termTable finds the expansions of a term: those that are the term, and the phrases that
// begin with it. It is a hash table with open addressing, small enough for a core's cache,
// because every word of every graded listing is looked up. Most terms have no expansion: a
// filter, of one bit for all terms with the same number modulo filterBits, rules out nearly
// all of these.
type termTable struct {
	filter  [filterBits / 64]uint64
	slots   []tableSlot // a power of two; most are free
	entries []tableEntry
	shift   uint
}

const filterBits = 1 << 13

// mayHave reports whether a term may have an expansion.
func (t *termTable) mayHave(term uint32) bool {
	return t.filter[term/64%(filterBits/64)]>>(term%64)&1 != 0
}

type tableSlot struct {
	term  uint32 // plus 1; 0 in a free slot
	first int32  // index of its first entry
}

// tableEntry is an expansion of a term.
type tableEntry struct {
	term      uint32
	expansion int32
	next      int32 // index of the term's next entry, or -1
}

// fillTable puts the expansions of the query into the table.
func (w *scratch) fillTable() {
	t := &w.table
	t.entries = t.entries[:0]
	for i := range w.expansions {
		e := &w.expansions[i]
		if e.phrase == nil {
			t.entries = append(t.entries, tableEntry{uint32(e.term), int32(i), -1}) // fewer than terms
			continue
		}
		for _, term := range w.ix.TermsWithStem(e.phrase[0]) {
			t.entries = append(t.entries, tableEntry{uint32(term), int32(i), -1}) // fewer than terms
		}
	}
	size := bits.Len(uint(4 * len(t.entries))) // three in four slots are free
	if n := 1 << size; cap(t.slots) < n {
		t.slots = make([]tableSlot, n)
	} else {
		t.slots = t.slots[:n]
		clear(t.slots)
	}
	t.shift = uint(32 - size) // fewer expansions than terms
	t.filter = [filterBits / 64]uint64{}
	for i := range t.entries {
		e := &t.entries[i]
		t.filter[e.term/64%(filterBits/64)] |= 1 << (e.term % 64)
		slot := t.slot(e.term)
		if t.slots[slot].term != 0 {
			e.next = t.slots[slot].first
		}
		t.slots[slot] = tableSlot{e.term + 1, int32(i)} // fewer than terms
	}
}

// slot returns the slot of a term, or the free slot for it.
func (t *termTable) slot(term uint32) uint32 {
	mask := uint32(len(t.slots) - 1) // a power of two that fits
	slot := term * 0x9e3779b1 >> t.shift
	for ; t.slots[slot].term != 0 && t.slots[slot].term != term+1; slot = (slot + 1) & mask {
	}
	return slot
}

// find returns the index of the first entry of a term, or -1.
func (t *termTable) find(term uint32) int32 {
	if s := t.slots[t.slot(term)]; s.term != 0 {
		return s.first
	}
	return -1
}

// tier is the group of fields in which a listing matches (contract 4).
type tier uint8

const (
	tierExactName tier = iota
	tierName
	tierPurpose
	tierDescription
	tierNone
)

// fieldTiers are the tiers of fields.
var fieldTiers = [index.FieldCount]tier{
	index.FieldName: tierName, index.FieldAlias: tierName, index.FieldReplaces: tierName,
	index.FieldPurpose: tierPurpose, index.FieldJob: tierPurpose, index.FieldAsk: tierPurpose,
	index.FieldCategory: tierDescription, index.FieldCategoryAsk: tierDescription, index.FieldTopic: tierDescription, index.FieldDescription: tierDescription,
}
