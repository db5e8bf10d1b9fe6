package search

import (
	"encoding/binary"
	"math/bits"

	"catalog.example/api"
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
func (w *workspace) matchText(m *textMatch, terms []byte, f field) bool {
	length := len(terms) / 4
	used, literal, found := 0, 0, false
	scan := &w.scan
	begin := func() {
		if !found {
			*m, *scan, found = textMatch{}, textScan{}, true
		}
	}
	for position := 0; position < length; position++ {
		term := binary.LittleEndian.Uint32(terms[4*position:])
		if !w.table.mayHave(term) {
			continue
		}
		i := w.table.find(term)
		if i < 0 {
			continue
		}
		begin()
		used++
		isLiteral := 0
		for ; i >= 0; i = w.table.next[i] {
			e := &w.expansions[i]
			m.add(e, f)
			scan.add(e, position, 1)
			if e.literal {
				isLiteral = 1
			}
		}
		literal += isLiteral
	}
	for _, p := range w.phraseExpansions {
		e := &w.expansions[p]
		for position := 0; position+len(e.phrase) <= length; position++ {
			if w.hasStems(terms[4*position:], e.phrase) {
				begin()
				used = min(length, used+len(e.phrase))
				m.add(e, f)
				scan.add(e, position, len(e.phrase))
			}
		}
	}
	if !found {
		return false
	}
	m.complete = literal == length
	m.arrangement = w.arrangement(scan, float64(used)/float64(length))
	return true
}

// add records that a text has an expansion.
func (m *textMatch) add(e *expansion, f field) {
	quality := e.quality
	if e.synonym && fieldTiers[f] == tierName && f != fieldReplaces {
		quality *= nameSynonymQuality
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
func (w *workspace) hasStems(terms []byte, stems []int) bool {
	for i, stem := range stems {
		if w.ix.stemOf(readNumber(terms[4*i:])) != stem {
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
func (w *workspace) arrangement(s *textScan, share float64) float64 {
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

// termTable finds the expansions of a term. It is a hash table with open addressing,
// small enough for a core's cache, because every word of every graded listing is looked
// up. Most terms have no expansion: a filter, of one bit for all terms with the same
// number modulo filterBits, rules out nearly all of these.
type termTable struct {
	filter [filterBits / 64]uint64
	slots  []tableSlot // a power of two; most are free
	next   []int32     // for each expansion the next of the same term, or -1
	shift  uint
}

const filterBits = 1 << 10

// mayHave reports whether a term may have an expansion.
func (t *termTable) mayHave(term uint32) bool {
	return t.filter[term/64%(filterBits/64)]>>(term%64)&1 != 0
}

type tableSlot struct {
	term  uint32 // plus 1; 0 in a free slot
	first int32  // index of its first expansion
}

func (t *termTable) fill(expansions []expansion) {
	size := bits.Len(uint(4 * len(expansions))) // three in four slots are free
	if n := 1 << size; cap(t.slots) < n {
		t.slots = make([]tableSlot, n)
	} else {
		t.slots = t.slots[:n]
		clear(t.slots)
	}
	t.shift = uint(32 - size) // fewer expansions than terms
	t.next = t.next[:0]
	t.filter = [filterBits / 64]uint64{}
	for i := range expansions {
		t.next = append(t.next, -1)
		if expansions[i].phrase != nil {
			continue
		}
		term := uint32(expansions[i].term)
		t.filter[term/64%(filterBits/64)] |= 1 << (term % 64)
		slot := t.slot(term)
		if t.slots[slot].term != 0 {
			t.next[i] = t.slots[slot].first
		}
		t.slots[slot] = tableSlot{term + 1, int32(i)} // fewer than terms
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

// find returns the index of the first expansion of a term, or -1.
func (t *termTable) find(term uint32) int32 {
	if s := t.slots[t.slot(term)]; s.term != 0 {
		return s.first
	}
	return -1
}
