package search

import (
	"encoding/binary"
	"fmt"
	"math"
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
		visit(class(bits.TrailingZeros32(mask)), l) // below 32
		rest = after
	}
}

// cutList cuts a list off the bytes that begin with it. head is what stands before
// it: how many listings it has, and bitmapFlag.
func cutList(b []byte, head uint32, docs int) (l list, after []byte, ok bool) {
	size := 4 * uint64(head)
	if head&bitmapFlag != 0 {
		size = uint64(bitmapSize(docs))
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

// eachText visits the texts of a listing.
func eachText(texts []uint32, visit func(head uint32, text []uint32)) {
	for len(texts) > 0 {
		n := texts[0] & textCount
		visit(texts[0], texts[1:1+n])
		texts = texts[1+n:]
	}
}

// eachPlace visits every class in which a listing has a term, some several
// times. Products are left out.
func (d *builtDoc) eachPlace(visit func(term uint32, c class)) {
	for _, p := range d.places {
		visit(p.term, p.class)
	}
	eachText(d.texts, func(head uint32, text []uint32) {
		f := field(head >> textFieldShift)
		if f == fieldReplaces {
			return
		}
		c := classOf(f, len(text) == 1)
		for _, t := range text {
			visit(t, c)
		}
	})
}

// eachPlace visits every class in which a product has a term.
func (p *mergedProducts) eachPlace(visit func(product, term uint32, c class)) {
	for i, words := range p.words {
		last := len(words) - 1
		for _, w := range words[:last] {
			visit(uint32(i), w, classOf(fieldReplaces, last == 1)) // bounded by the words
		}
		visit(uint32(i), words[last], classOf(fieldReplaces, true)) // bounded by the words
	}
}

// inverter turns "this listing has these terms" into "this term is had by these
// listings". Lists are numbered by term and class.
type inverter struct {
	masks  []uint32 // the classes of each term
	first  []uint32 // the number of each term's first list
	counts []uint32 // of each list
	last   []uint32 // what was added to each list last, and one
	starts []uint64 // where each list begins in numbers
	all    []uint32 // of all lists
}

func (v *inverter) list(term uint32, c class) uint32 {
	return v.first[term] + uint32(bits.OnesCount32(v.masks[term]&(1<<c-1))) // at most 32
}

func (v *inverter) count(n, term uint32, c class) {
	if l := v.list(term, c); v.last[l] != n+1 {
		v.last[l] = n + 1
		v.counts[l]++
	}
}

func (v *inverter) put(n, term uint32, c class) {
	if l := v.list(term, c); v.last[l] != n+1 {
		v.last[l] = n + 1
		v.all[v.starts[l]+uint64(v.counts[l])] = n
		v.counts[l]++
	}
}

// invert makes the lists. each is called three times and visits the same.
func invert(terms int, each func(visit func(n, term uint32, c class))) *inverter {
	v := &inverter{masks: make([]uint32, terms), first: make([]uint32, terms+1)}
	each(func(_, term uint32, c class) { v.masks[term] |= 1 << c })
	for t, mask := range v.masks {
		v.first[t+1] = v.first[t] + uint32(bits.OnesCount32(mask)) // fewer than numbers in the postings
	}
	lists := v.first[terms]
	v.counts, v.last, v.starts = make([]uint32, lists), make([]uint32, lists), make([]uint64, lists+1)
	each(v.count)
	for l, n := range v.counts {
		v.starts[l+1] = v.starts[l] + uint64(n)
	}
	v.all = make([]uint32, v.starts[lists])
	clear(v.counts)
	clear(v.last)
	each(v.put)
	return v
}

// numbers returns the numbers of a list.
func (v *inverter) numbers(l uint32) []uint32 { return v.all[v.starts[l]:v.starts[l+1]] }

// postings writes the postings of all terms.
func (b *Builder) postings(terms int, products mergedProducts) (body, at []byte, err error) {
	v := invert(terms, func(visit func(n, term uint32, c class)) {
		for i := range b.docs {
			b.docs[i].eachPlace(func(term uint32, c class) { visit(uint32(i), term, c) }) // at most maxDocuments
		}
		products.eachPlace(visit)
	})
	had := newSet(len(b.docs))
	at = make([]byte, 0, 4*terms)
	body = make([]byte, 0, 4*len(v.all)+12*terms)
	for t := range uint32(terms) {
		if uint64(len(body)/4) > math.MaxUint32 {
			return nil, nil, fmt.Errorf("the postings take more than the format's %d numbers", uint32(math.MaxUint32))
		}
		at = binary.LittleEndian.AppendUint32(at, uint32(len(body)/4))
		body = binary.LittleEndian.AppendUint32(body, v.masks[t])
		body = binary.LittleEndian.AppendUint32(body, b.frequency(had, v, t, products))
		dense := func(l uint32, c class) bool {
			return (c == classExact || c.field() != fieldReplaces) && isDense(len(v.numbers(l)), len(b.docs))
		}
		v.eachList(t, func(l uint32, c class) {
			count := uint32(len(v.numbers(l))) // at most maxDocuments
			if dense(l, c) {
				count |= bitmapFlag
			}
			body = binary.LittleEndian.AppendUint32(body, count)
		})
		v.eachList(t, func(l uint32, c class) { body = appendList(body, v.numbers(l), dense(l, c), len(b.docs)) })
	}
	return body, at, nil
}

// eachList visits the lists of a term.
func (v *inverter) eachList(term uint32, visit func(l uint32, c class)) {
	l := v.first[term]
	for mask := v.masks[term]; mask != 0; l, mask = l+1, mask&(mask-1) {
		visit(l, class(bits.TrailingZeros32(mask))) // below 32
	}
}

// frequency counts the listings that have a term in any class.
func (b *Builder) frequency(had *set, v *inverter, term uint32, p mergedProducts) uint32 {
	if first := v.first[term]; v.first[term+1] == first+1 && v.masks[term] != 1<<classOf(fieldReplaces, true) && v.masks[term] != 1<<classOf(fieldReplaces, false) {
		return uint32(len(v.numbers(first))) // at most maxDocuments
	}
	defer had.clear()
	v.eachList(term, func(l uint32, c class) {
		for _, n := range v.numbers(l) {
			if c == classExact || c.field() != fieldReplaces {
				had.add(int(n))
				continue
			}
			for _, doc := range p.docs[n] {
				had.add(int(doc))
			}
		}
	})
	return uint32(had.count()) // at most maxDocuments
}
