package search

import (
	"encoding/binary"
	"math/bits"

	"catalog.example/api"
)

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

// termTable finds the covers of a term. It is a hash table with open addresses,
// small enough for a core's own cache, because it is asked for every word of
// every listing that is graded. Most terms are in no cover: a filter of one bit
// for the terms of like numbers tells nearly all of these.
type termTable struct {
	filter [filterBits / 64]uint64
	slots  []tableSlot // a power of two, most of them free
	next   []int32     // for each cover the next of the same term, or -1
	shift  uint
}

const filterBits = 1 << 10

// mayHave tells whether a term may be in a cover.
func (t *termTable) mayHave(term uint32) bool {
	return t.filter[term/64%(filterBits/64)]>>(term%64)&1 != 0
}

type tableSlot struct {
	term  uint32 // and 1; 0 in a free slot
	first int32  // cover
}

func (t *termTable) fill(covers []cover) {
	size := bits.Len(uint(4 * len(covers))) // three in four slots are free
	if n := 1 << size; cap(t.slots) < n {
		t.slots = make([]tableSlot, n)
	} else {
		t.slots = t.slots[:n]
		clear(t.slots)
	}
	t.shift = uint(32 - size) // fewer covers than terms
	t.next = t.next[:0]
	t.filter = [filterBits / 64]uint64{}
	for i := range covers {
		t.next = append(t.next, -1)
		if covers[i].phrase != nil {
			continue
		}
		term := uint32(covers[i].term) // a term's number
		t.filter[term/64%(filterBits/64)] |= 1 << (term % 64)
		at := t.slot(term)
		if t.slots[at].term != 0 {
			t.next[i] = t.slots[at].first
		}
		t.slots[at] = tableSlot{term + 1, int32(i)} // fewer than terms
	}
}

// slot returns where a term is, or the free slot where it would be.
func (t *termTable) slot(term uint32) uint32 {
	mask := uint32(len(t.slots) - 1) // a power of two that fits
	at := term * 0x9e3779b1 >> t.shift
	for ; t.slots[at].term != 0 && t.slots[at].term != term+1; at = (at + 1) & mask {
	}
	return at
}

// find returns the first cover of a term, or -1.
func (t *termTable) find(term uint32) int32 {
	if s := t.slots[t.slot(term)]; s.term != 0 {
		return s.first
	}
	return -1
}
