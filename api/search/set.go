package search

import (
	"encoding/binary"
	"iter"
	"math/bits"
)

// set is a set of listings, with one bit for each. It records which blocks of blockDocs
// listings were touched. Operations only visit these, so that small sets cost little in a
// large catalogue.
type set struct {
	words  []uint64 // bit d%64 of word d/64; the length is a multiple of blockWords
	blocks []uint64 // bit b: block b may have members
}

const (
	// blockWords words are a cache line of 64 bytes.
	blockWords = 8
	blockDocs  = blockWords * 64
)

func newSet(docs int) *set {
	blocks := (docs + blockDocs - 1) / blockDocs
	return &set{make([]uint64, blocks*blockWords), make([]uint64, (blocks+63)/64)}
}

func (s *set) block(b int) *[blockWords]uint64 {
	return (*[blockWords]uint64)(s.words[b*blockWords:])
}

// eachBlock calls visit for the number of every block whose bit is set.
func eachBlock(blocks []uint64, visit func(b int)) {
	for i, w := range blocks {
		for ; w != 0; w &= w - 1 {
			visit(i*64 + bits.TrailingZeros64(w))
		}
	}
}

// clear removes all members.
func (s *set) clear() {
	eachBlock(s.blocks, func(b int) { *s.block(b) = [blockWords]uint64{} })
	clear(s.blocks)
}

func (s *set) add(doc int) {
	s.words[doc/64] |= 1 << (doc % 64)
	s.blocks[doc/(blockDocs*64)] |= 1 << (doc / blockDocs % 64)
}

func (s *set) has(doc int) bool { return s.words[doc/64]&(1<<(doc%64)) != 0 }

// addAll adds every listing below docs.
func (s *set) addAll(docs int) {
	for d := 0; d < docs; d += 64 {
		s.words[d/64] = ^uint64(0)
		s.blocks[d/(blockDocs*64)] |= 1 << (d / blockDocs % 64)
	}
	if rest := docs % 64; rest != 0 {
		s.words[docs/64] = 1<<rest - 1
	}
}

// addArray adds the listings of an array of little-endian 32-bit numbers. It ignores
// numbers from docs on, which only a damaged file has.
func (s *set) addArray(array []byte, docs int) {
	last := -1
	for ; len(array) >= 4; array = array[4:] {
		d := readNumber(array)
		if d >= docs {
			continue
		}
		s.words[d/64] |= 1 << (d % 64)
		if b := d / blockDocs; b != last { // most are in the same block as the one before
			s.blocks[b/64] |= 1 << (b % 64)
			last = b
		}
	}
}

// addBits adds the listings of a little-endian bit map. It ignores bits from docs on.
func (s *set) addBits(bitmap []byte, docs int) {
	for offset, w := 0, 0; offset+8 <= len(bitmap) && w < len(s.words); offset, w = offset+8, w+1 {
		word := binary.LittleEndian.Uint64(bitmap[offset:])
		if excess := (w+1)*64 - docs; excess > 0 {
			if excess >= 64 {
				return
			}
			word &= ^uint64(0) >> excess
		}
		if word != 0 {
			s.words[w] |= word
			b := w / blockWords
			s.blocks[b/64] |= 1 << (b % 64)
		}
	}
}

// union adds the members of other.
func (s *set) union(other *set) {
	eachBlock(other.blocks, func(b int) {
		to, from := s.block(b), other.block(b)
		for i := range to {
			to[i] |= from[i]
		}
	})
	for i, w := range other.blocks {
		s.blocks[i] |= w
	}
}

// intersect removes the members that other does not have.
func (s *set) intersect(other *set) {
	for i := range s.blocks {
		for gone := s.blocks[i] &^ other.blocks[i]; gone != 0; gone &= gone - 1 {
			*s.block(i*64 + bits.TrailingZeros64(gone)) = [blockWords]uint64{}
		}
		s.blocks[i] &= other.blocks[i]
	}
	eachBlock(s.blocks, func(b int) {
		to, from := s.block(b), other.block(b)
		for i := range to {
			to[i] &= from[i]
		}
	})
}

// subtract removes the members of other.
func (s *set) subtract(other *set) {
	for i := range s.blocks {
		for both := s.blocks[i] & other.blocks[i]; both != 0; both &= both - 1 {
			b := i*64 + bits.TrailingZeros64(both)
			to, from := s.block(b), other.block(b)
			for i := range to {
				to[i] &^= from[i]
			}
		}
	}
}

// copyOf makes s, which must be empty, equal to other.
func (s *set) copyOf(other *set) {
	eachBlock(other.blocks, func(b int) { *s.block(b) = *other.block(b) })
	copy(s.blocks, other.blocks)
}

// count returns the number of members.
func (s *set) count() int {
	n := 0
	eachBlock(s.blocks, func(b int) {
		for _, w := range s.block(b) {
			n += bits.OnesCount64(w)
		}
	})
	return n
}

// each visits the members in ascending order until visit returns false.
func (s *set) each(visit func(doc int) bool) {
	for i, blocks := range s.blocks {
		for ; blocks != 0; blocks &= blocks - 1 {
			first := (i*64 + bits.TrailingZeros64(blocks)) * blockWords
			for w := first; w < first+blockWords; w++ {
				for word := s.words[w]; word != 0; word &= word - 1 {
					if !visit(w*64 + bits.TrailingZeros64(word)) {
						return
					}
				}
			}
		}
	}
}

// countBits returns how many members are in a little-endian bit map.
func (s *set) countBits(bitmap []byte) (n int) {
	eachBlock(s.blocks, func(b int) {
		words := s.block(b)
		from := b * blockDocs / 8
		if len(bitmap)-from >= blockDocs/8 {
			rest := bitmap[from : from+blockDocs/8]
			for i, w := range words {
				n += bits.OnesCount64(w & binary.LittleEndian.Uint64(rest[8*i:]))
			}
			return
		}
		for i, offset := 0, from; offset+8 <= len(bitmap); i, offset = i+1, offset+8 {
			n += bits.OnesCount64(words[i] & binary.LittleEndian.Uint64(bitmap[offset:]))
		}
	})
	return n
}

// countArray returns how many members are in an array of listings.
func (s *set) countArray(array []byte, docs int) (n int) {
	for ; len(array) >= 4; array = array[4:] {
		if d := readNumber(array); d < docs && s.has(d) {
			n++
		}
	}
	return n
}

// batchSize is the number of members in a batch: enough for a core to load the texts of
// several at once, and few enough for these to fit into its cache.
const batchSize = 16

// batches returns the members in ascending order, in batches. A batch is valid until the
// next.
func (s *set) batches() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		var batch [batchSize]int
		n, more := 0, true
		s.each(func(doc int) bool {
			batch[n] = doc
			if n++; n == batchSize {
				n = 0
				more = yield(batch[:])
			}
			return more
		})
		if more && n > 0 {
			yield(batch[:n])
		}
	}
}
