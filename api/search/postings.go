package search

import (
	"encoding/binary"
	"math/bits"
)

// class is a kind of place where a listing may have a word: as its whole exact
// name, or in a field, there either among other words or as the whole text.
type class uint8

const (
	classExact class = 0
	classCount       = 1 + 2*class(fieldCount)
)

// classOf returns the class of a word in a text of a field.
func classOf(f field, whole bool) class {
	c := 1 + 2*class(f)
	if whole {
		c++
	}
	return c
}

// field returns the field of a class other than classExact.
func (c class) field() field { return field((c - 1) / 2) }

// whole tells whether the word is the whole text.
func (c class) whole() bool { return c%2 == 0 }

// The postings of a term lie in the file as numbers of 4 bytes:
//
//	1    a bit for each class in which any listing has the term
//	1    how many listings have it in any class
//	k    for each of the k classes how many listings have it there, with the
//	     highest bit set where they are listed as a bit map
//	…    for each class the listings, ascending, or the bit map, whose length is
//	     that of all listings, rounded up to 64 bits
//
// A bit map is taken where it is the smaller, from a 32nd of all listings on.
// Where a class is of the field of replaced products, the numbers are those of
// products instead, always listed.
const bitmapFlag = 1 << 31

// bitmapSize returns the bytes of a bit map of so many listings.
func bitmapSize(docs int) int { return (docs + 63) / 64 * 8 }

// list is one list of postings.
type list struct {
	count  int
	array  []byte // numbers, ascending, or nil
	bitmap []byte // or this
}

// postings gives access to the lists of terms.
type postings struct {
	docs int
	at   []byte // where each term's postings begin, in numbers of 4 bytes
	body []byte
}

// number returns the i-th number of the section, 0 outside of it.
func (p *postings) number(i int) uint32 {
	if i < 0 || i >= len(p.body)/4 {
		return 0
	}
	return binary.LittleEndian.Uint32(p.body[4*i:])
}

func (p *postings) start(term int) int { return number(p.at[4*term:]) }

// frequency returns how many listings have a term.
func (p *postings) frequency(term int) int {
	return int(p.number(p.start(term)+1) &^ bitmapFlag)
}

// hasClass tells whether any listing has a term in a class.
func (p *postings) hasClass(term int, c class) bool { return p.number(p.start(term))&(1<<c) != 0 }

// each visits the lists of a term.
func (p *postings) each(term int, visit func(class, list)) {
	start := p.start(term)
	mask := p.number(start) & (1<<classCount - 1)
	if mask == 0 {
		return
	}
	rest := p.body[min(4*(start+2+bits.OnesCount32(mask)), len(p.body)):]
	for i := start + 2; mask != 0; i, mask = i+1, mask&(mask-1) {
		l, after, ok := cutList(rest, p.number(i), p.docs)
		if !ok {
			return // a damaged file
		}
		visit(class(bits.TrailingZeros32(mask)), l) // #nosec G115 -- below 32
		rest = after
	}
}

// cutList cuts a list off the bytes that begin with it. head is what stands before
// it: how many listings it has, and bitmapFlag.
func cutList(b []byte, head uint32, docs int) (l list, after []byte, ok bool) {
	size := 4 * uint64(head)
	if head&bitmapFlag != 0 {
		size = uint64(bitmapSize(docs)) // #nosec G115 -- not negative
	}
	if size > uint64(len(b)) {
		return list{}, nil, false
	}
	l.count = int(head &^ bitmapFlag)
	if head&bitmapFlag != 0 {
		l.bitmap = b[:size]
	} else {
		l.array = b[:size]
	}
	return l, b[size:], true
}

// addTo adds the listings of a list to a set.
func (l *list) addTo(s *set, docs int) {
	if l.bitmap != nil {
		s.addBits(l.bitmap, docs)
	} else {
		s.addArray(l.array, docs)
	}
}

// appendList appends a list that is given as ascending numbers, as an array or
// as a bit map.
func appendList(dst []byte, numbers []uint32, asBitmap bool, docs int) []byte {
	if !asBitmap {
		for _, n := range numbers {
			dst = binary.LittleEndian.AppendUint32(dst, n)
		}
		return dst
	}
	from := len(dst)
	dst = append(dst, make([]byte, bitmapSize(docs))...)
	for _, n := range numbers {
		dst[from+int(n/8)] |= 1 << (n % 8)
	}
	return dst
}

// isDense tells whether a bit map is smaller than so many numbers.
func isDense(count, docs int) bool { return 4*count > bitmapSize(docs) }
