package index

import (
	"encoding/binary"
	"math/bits"
)

// Set is a set of listings, with one bit for each listing of the catalogue. It records which blocks
// of blockDocs listings were touched. Operations visit only these, so that small sets cost little
// in a large catalogue.
type Set struct {
	words  []uint64 // bit d%64 of word d/64; the length is a multiple of BlockWords
	blocks []uint64 // bit b: block b may have members
}

const (
	// BlockWords is the number of words in a block, which fills a cache line of 64 bytes.
	BlockWords = 8
	blockDocs  = BlockWords * 64
)

// Blocks returns the number of blocks for docs listings.
func Blocks(docs int) int { return (docs + blockDocs - 1) / blockDocs }

// NewSet returns an empty set for a catalogue of docs listings. Calls are rare, because queries
// reuse sets; inlining them would only make the WebAssembly program larger.
//
//go:noinline
func NewSet(docs int) *Set {
	blocks := Blocks(docs)
	return &Set{make([]uint64, blocks*BlockWords), make([]uint64, (blocks+63)/64)}
}

// Block returns the members in a block, as bits.
func (s *Set) Block(b int) *[BlockWords]uint64 {
	return (*[BlockWords]uint64)(s.words[b*BlockWords:])
}

// eachBlock calls visit for the number of every block whose bit is set.
func eachBlock(blocks []uint64, visit func(b int)) {
	for i, w := range blocks {
		for ; w != 0; w &= w - 1 {
			visit(i*64 + bits.TrailingZeros64(w))
		}
	}
}

// EachBlock calls visit for the number of every block that may have members.
func (s *Set) EachBlock(visit func(b int)) { eachBlock(s.blocks, visit) }

// Clear removes all members.
func (s *Set) Clear() {
	eachBlock(s.blocks, func(b int) { *s.Block(b) = [BlockWords]uint64{} })
	clear(s.blocks)
}

// Numbers of listings and blocks are never negative. Divisions of unsigned numbers take fewer
// instructions, and sets are where much of the time goes.

// touch records that a block may have members.
func (s *Set) touch(b uint) { s.blocks[b/64] |= 1 << (b % 64) }

// Add adds a listing.
func (s *Set) Add(doc int) {
	d := uint(doc)
	s.words[d/64] |= 1 << (d % 64)
	s.touch(d / blockDocs)
}

// AddWord adds some of the 64 listings from 64*word on: those whose bits are set in members.
func (s *Set) AddWord(word int, members uint64) {
	s.words[word] |= members
	s.touch(uint(word) / BlockWords)
}

// Has reports whether a listing is a member.
func (s *Set) Has(doc int) bool {
	d := uint(doc)
	return s.words[d/64]&(1<<(d%64)) != 0
}

// AddAll adds every listing below docs.
func (s *Set) AddAll(docs int) {
	for d := 0; d < docs; d += 64 {
		s.words[d/64] = ^uint64(0)
		s.blocks[d/(blockDocs*64)] |= 1 << (d / blockDocs % 64)
	}
	if rest := docs % 64; rest != 0 {
		s.words[docs/64] = 1<<rest - 1
	}
}

// addArray adds the listings in an array of little-endian 32-bit numbers. It ignores numbers from
// docs on, which occur only in damaged files.
func (s *Set) addArray(array []byte, docs int) {
	last := ^uint32(0)
	for ; len(array) >= 4; array = array[4:] {
		d := binary.LittleEndian.Uint32(array)
		if uint64(d) >= uint64(docs) {
			continue
		}
		s.words[d/64] |= 1 << (d % 64)
		if b := d / blockDocs; b != last { // mostly in the same block as the one before
			s.touch(uint(b))
			last = b
		}
	}
}

// addBits adds the listings in a little-endian bit map. It ignores bits from docs on.
func (s *Set) addBits(bitmap []byte, docs int) {
	for offset, w := 0, 0; offset+8 <= len(bitmap) && w < len(s.words); offset, w = offset+8, w+1 {
		word := binary.LittleEndian.Uint64(bitmap[offset:])
		if excess := (w+1)*64 - docs; excess > 0 {
			if excess >= 64 {
				return
			}
			word &= ^uint64(0) >> excess
		}
		if word != 0 {
			s.AddWord(w, word)
		}
	}
}

// Union adds the members of other.
func (s *Set) Union(other *Set) {
	eachBlock(other.blocks, func(b int) {
		to, from := s.Block(b), other.Block(b)
		for i := range to {
			to[i] |= from[i]
		}
	})
	for i, w := range other.blocks {
		s.blocks[i] |= w
	}
}

// Intersect removes the members that are not in other.
func (s *Set) Intersect(other *Set) {
	eachBlock(s.blocks, func(b int) {
		to, from := s.Block(b), other.Block(b)
		for i := range to {
			to[i] &= from[i]
		}
	})
	for i, w := range other.blocks {
		s.blocks[i] &= w
	}
}

// Subtract removes the members of other.
func (s *Set) Subtract(other *Set) {
	for i := range s.blocks {
		for both := s.blocks[i] & other.blocks[i]; both != 0; both &= both - 1 {
			b := i*64 + bits.TrailingZeros64(both)
			to, from := s.Block(b), other.Block(b)
			for i := range to {
				to[i] &^= from[i]
			}
		}
	}
}

// CopyOf makes s, which must be empty, equal to other.
func (s *Set) CopyOf(other *Set) {
	eachBlock(other.blocks, func(b int) { *s.Block(b) = *other.Block(b) })
	copy(s.blocks, other.blocks)
}

// Words returns how many words the blocks have that may have members.
func (s *Set) Words() (n int) {
	for _, w := range s.blocks {
		n += bits.OnesCount64(w)
	}
	return n * BlockWords
}

// Count returns the number of members.
func (s *Set) Count() int {
	n := 0
	eachBlock(s.blocks, func(b int) {
		for _, w := range s.Block(b) {
			n += bits.OnesCount64(w)
		}
	})
	return n
}

// Each visits the members in ascending order until visit returns false.
func (s *Set) Each(visit func(doc int) bool) {
	for i, blocks := range s.blocks {
		for ; blocks != 0; blocks &= blocks - 1 {
			first := (i*64 + bits.TrailingZeros64(blocks)) * BlockWords
			for w := first; w < first+BlockWords; w++ {
				for word := s.words[w]; word != 0; word &= word - 1 {
					if !visit(w*64 + bits.TrailingZeros64(word)) {
						return
					}
				}
			}
		}
	}
}

// countBits returns how many members are also in a little-endian bit map.
func (s *Set) countBits(bitmap []byte) (n int) {
	const size = blockDocs / 8
	eachBlock(s.blocks, func(b int) {
		words := s.Block(b)
		if from := b * size; len(bitmap)-from >= size {
			other := (*[size]byte)(bitmap[from:]) // its length is known, so that it needs no checks
			for i, w := range words {
				n += bits.OnesCount64(w & binary.LittleEndian.Uint64(other[8*i:]))
			}
			return
		}
		for i, offset := 0, b*size; offset+8 <= len(bitmap); i, offset = i+1, offset+8 {
			n += bits.OnesCount64(words[i] & binary.LittleEndian.Uint64(bitmap[offset:]))
		}
	})
	return n
}

// countArray returns how many numbers in an array of listings are members.
func (s *Set) countArray(array []byte, docs int) (n int) {
	for ; len(array) >= 4; array = array[4:] {
		if d := Number(array); d < docs && s.Has(d) {
			n++
		}
	}
	return n
}
