package query

import (
	"encoding/binary"
	"math/bits"

	"catalog.example/api/search/index"
)

// termTable finds the expansions for a term: the term itself, and phrases that begin with a word of
// the same stem. It is a hash table with open addressing, small enough for a core's cache, because
// every word of every graded listing is looked up. Most terms have no expansion. A filter rules out
// nearly all of these: an element is not 0 if any term with that number modulo filterSize may have one.
type termTable struct {
	filter  [filterSize]byte
	slots   []tableSlot // a power of two of slots, most of them free
	entries []tableEntry
	shift   uint
}

const filterSize = 1 << 13

// next returns where in terms, from an offset on, the first term is that may have an expansion, or
// the length of terms. It reads four terms at a time, as long as none of them may have one.
func (t *termTable) next(terms []byte, from int) int {
	rest := terms[from:]
	for len(rest) >= 16 {
		a, b := binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint64(rest[8:])
		if t.filter[a%filterSize]|t.filter[a>>32%filterSize]|t.filter[b%filterSize]|t.filter[b>>32%filterSize] != 0 {
			break
		}
		rest = rest[16:]
	}
	for len(rest) >= 4 && t.filter[binary.LittleEndian.Uint32(rest)%filterSize] == 0 {
		rest = rest[4:]
	}
	return len(terms) - len(rest)
}

// mark makes the filter let a number through.
func (t *termTable) mark(number uint32) { t.filter[number%filterSize] = 1 }

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

// fill puts expansions into the table.
func (t *termTable) fill(ix *index.Index, expansions []expansion) {
	t.entries = t.entries[:0]
	for i := range expansions {
		e := &expansions[i]
		if e.phrase == nil {
			t.entries = append(t.entries, tableEntry{uint32(e.term), int32(i), -1}) // fits in 32 bits
			continue
		}
		for _, term := range ix.TermsWithStem(e.phrase[0]) {
			t.entries = append(t.entries, tableEntry{uint32(term), int32(i), -1}) // fits in 32 bits
		}
	}
	size := bits.Len(uint(4 * len(t.entries))) // at least three in four slots are free
	if n := 1 << size; cap(t.slots) < n {
		t.slots = make([]tableSlot, n)
	} else {
		t.slots = t.slots[:n]
		clear(t.slots)
	}
	t.shift = uint(32 - size) // not negative: there are far fewer than 2^30 entries
	t.filter = [filterSize]byte{}
	for i := range t.entries {
		e := &t.entries[i]
		t.mark(e.term)
		slot := t.slot(e.term)
		if t.slots[slot].term != 0 {
			e.next = t.slots[slot].first
		}
		t.slots[slot] = tableSlot{e.term + 1, int32(i)} // fits in 32 bits
	}
}

// slot returns the slot of a term, or the free slot for it.
func (t *termTable) slot(term uint32) uint32 {
	mask := uint32(len(t.slots) - 1) // the length is a power of two, and fits in 32 bits
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
