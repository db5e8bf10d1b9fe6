package index

import (
	"encoding/binary"
	"math/bits"
)

// Class is a way in which a listing may have a term: as its whole name or a fact, in a text of a
// field, or as a whole text of a field.
type Class uint8

// ClassExact is the class of whole names and of facts. ClassOf gives the other classes.
const (
	ClassExact Class = 0
	classCount       = 1 + 2*Class(FieldCount)
)

// ClassOf returns the class of a word in a text of a field; whole means that it is the whole text.
func ClassOf(f Field, whole bool) Class {
	c := 1 + 2*Class(f)
	if whole {
		c++
	}
	return c
}

// Field returns the field of a class other than ClassExact.
func (c Class) Field() Field { return Field((c - 1) / 2) }

// isOfProduct reports whether the class is for words in the names of replaced products.
func (c Class) isOfProduct() bool { return c != ClassExact && c.Field() == FieldReplaces }

// Whole reports whether the class is for words that are a whole text.
func (c Class) Whole() bool { return c%2 == 0 }

// In the file, the postings of a term are numbers of 4 bytes:
//
//	1    a bit for each class in which any listing has the term
//	1    how many listings have it in any class
//	k    for each of these k classes, how many listings have it there; the highest
//	     bit is set if the list is a bit map
//	…    for each class, the listings, ascending, or a bit map with a bit for every
//	     listing, rounded up to 64 bits
//
// A list is a bit map if that is smaller, which it is when more than a 32nd of all listings have
// the term. The lists of FieldReplaces have the numbers of products, and are never bit maps.
const bitmapFlag = 1 << 31

// bitmapSize returns the size in bytes of a bit map of docs listings.
func bitmapSize(docs int) int { return (docs + 63) / 64 * 8 }

// List is a list of postings: an array or a bit map. The other one is nil.
type List struct {
	Array  []byte // numbers of 4 bytes, ascending
	bitmap []byte
}

// Postings gives access to the lists of each term.
type Postings struct {
	docs   int
	starts []byte // where each term's postings begin, in numbers of 4 bytes
	body   []byte
}

// number returns the i-th number of the section, or 0 outside of it.
func (p *Postings) number(i int) uint32 {
	if i < 0 || i >= len(p.body)/4 {
		return 0
	}
	return binary.LittleEndian.Uint32(p.body[4*i:])
}

func (p *Postings) startOf(term int) int { return Number(p.starts[4*term:]) }

// Frequency returns how many listings have a term.
func (p *Postings) Frequency(term int) int {
	return int(p.number(p.startOf(term)+1) &^ bitmapFlag)
}

// HasClass reports whether any listing has a term in a class.
func (p *Postings) HasClass(term int, c Class) bool { return p.number(p.startOf(term))&(1<<c) != 0 }

// Each visits the lists of a term, by class.
func (p *Postings) Each(term int, visit func(Class, List)) {
	start := p.startOf(term)
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
		visit(Class(bits.TrailingZeros32(mask)), l) // below 32
		rest = after
	}
}

// cutList splits b into the list at its start and what comes after. head is the length of the list,
// perhaps with bitmapFlag.
func cutList(b []byte, head uint32, docs int) (l List, after []byte, ok bool) {
	size := 4 * uint64(head)
	if head&bitmapFlag != 0 {
		size = uint64(bitmapSize(docs))
	}
	if size > uint64(len(b)) {
		return List{}, nil, false
	}
	if head&bitmapFlag != 0 {
		l.bitmap = b[:size]
	} else {
		l.Array = b[:size]
	}
	return l, b[size:], true
}

// AddTo adds the listings in a list to a set.
func (l *List) AddTo(s *Set, docs int) {
	if l.bitmap != nil {
		s.addBits(l.bitmap, docs)
	} else {
		s.addArray(l.Array, docs)
	}
}

// CountIn returns how many listings in a list are members of a set.
func (l *List) CountIn(s *Set, docs int) int {
	if l.bitmap != nil {
		return s.countBits(l.bitmap)
	}
	return s.countArray(l.Array, docs)
}

// appendList appends ascending numbers as an array or as a bit map.
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

// isDense reports whether a bit map is smaller than an array of count numbers.
func isDense(count, docs int) bool { return 4*count > bitmapSize(docs) }

// appendPlaces appends the places of a listing, without those of the products that it replaces. A
// place may occur several times.
func (d *builtDoc) appendPlaces(list []place) []place {
	list = append(list, d.places...)
	eachText(d.texts, func(head textHead, text []uint32) {
		f := head.field()
		if f == FieldReplaces {
			return
		}
		c := ClassOf(f, len(text) == 1)
		for _, t := range text {
			list = append(list, place{t, c})
		}
	})
	return list
}

// appendPlaces appends the places of a product.
func (p *builtProducts) appendPlaces(list []place, product int) []place {
	words := p.words[product]
	last := len(words) - 1
	for _, w := range words[:last] {
		list = append(list, place{w, ClassOf(FieldReplaces, last == 1)})
	}
	return append(list, place{words[last], ClassOf(FieldReplaces, true)})
}

// inverter turns the terms of each listing into lists of the listings that have each term. Lists
// are numbered by term, then by class.
type inverter struct {
	masks     []uint32 // a bit for each class of each term
	firstList []uint32 // the number of each term's first list
	counts    []uint32 // of each list
	last      []uint32 // 1 + the last number added to each list
}

func (v *inverter) listOf(term uint32, c Class) uint32 {
	return v.firstList[term] + uint32(bits.OnesCount32(v.masks[term]&(1<<c-1))) // at most 32
}

// visitor visits the numbers of listings and products, with the places of each, which it may change
// afterwards.
type visitor func(visit func(n uint32, places []place))

// invert finds and counts the lists. each must visit the same places whenever it is called.
func invert(terms int, each visitor) *inverter {
	v := &inverter{masks: make([]uint32, terms), firstList: make([]uint32, terms+1)}
	each(func(_ uint32, places []place) {
		for _, p := range places {
			v.masks[p.term] |= 1 << p.class
		}
	})
	for t, mask := range v.masks {
		v.firstList[t+1] = v.firstList[t] + uint32(bits.OnesCount32(mask)) // fits: there are fewer lists than postings
	}
	lists := v.firstList[terms]
	v.counts, v.last = make([]uint32, lists), make([]uint32, lists)
	v.eachNumber(each, func(l, _, _ uint32) { v.counts[l]++ })
	return v
}

// eachNumber visits the numbers of all lists, those of each list ascending: the list, how many
// numbers of the list it has visited, and the number.
func (v *inverter) eachNumber(each visitor, visit func(l, nth, n uint32)) {
	clear(v.last)
	added := make([]uint32, len(v.last))
	each(func(n uint32, places []place) {
		for _, p := range places {
			if l := v.listOf(p.term, p.class); v.last[l] != n+1 {
				v.last[l] = n + 1
				visit(l, added[l], n)
				added[l]++
			}
		}
	})
}

// eachPlace is the visitor of all listings and products.
func (c *content) eachPlace(visit func(n uint32, places []place)) {
	var list []place
	for i, d := range c.docs {
		list = c.categoryOf[i].appendPlaces(d.appendPlaces(list[:0]))
		visit(uint32(i), list) // at most maxDocuments
	}
	for i := range c.products.words {
		list = c.products.appendPlaces(list[:0], i)
		visit(uint32(i), list) // fits: products are numbered in 4 bytes
	}
}

// encodePostings returns the postings of all terms, and where those of each term begin. It writes
// each number where it belongs, because the lists of a large catalogue need much memory.
func (c *content) encodePostings() (body, starts []byte, err error) {
	terms, docs := len(c.terms), len(c.docs)
	v := invert(terms, c.eachPlace)
	lists := make([]uint64, len(v.counts)) // where each begins in body
	size := uint64(0)
	starts = make([]byte, 0, 4*terms)
	for t := range uint32(terms) {
		starts = binary.LittleEndian.AppendUint32(starts, uint32(size/4)) // checked below
		size += 8 + 4*uint64(bits.OnesCount32(v.masks[t]))
		v.eachList(t, func(l uint32, class Class) {
			lists[l] = size
			if !class.isOfProduct() && isDense(int(v.counts[l]), docs) {
				v.counts[l] |= bitmapFlag
				size += uint64(bitmapSize(docs))
			} else {
				size += 4 * uint64(v.counts[l])
			}
		})
	}
	if err := checkCount(size/4, "numbers of postings"); err != nil {
		return nil, nil, err
	}
	body = make([]byte, size)
	v.eachNumber(c.eachPlace, func(l, nth, n uint32) {
		if v.counts[l]&bitmapFlag != 0 {
			body[lists[l]+uint64(n/8)] |= 1 << (n % 8)
		} else {
			binary.LittleEndian.PutUint32(body[lists[l]+4*uint64(nth):], n)
		}
	})
	listings := NewSet(docs)
	for t := range uint32(terms) {
		head := body[4*binary.LittleEndian.Uint32(starts[4*t:]):]
		binary.LittleEndian.PutUint32(head, v.masks[t])
		at := 8
		v.eachList(t, func(l uint32, class Class) {
			binary.LittleEndian.PutUint32(head[at:], v.counts[l])
			at += 4
			list, _, _ := cutList(body[lists[l]:], v.counts[l], docs)
			if class.isOfProduct() {
				c.products.addDocs(listings, list.Array)
			} else {
				list.AddTo(listings, docs)
			}
		})
		binary.LittleEndian.PutUint32(head[4:], uint32(listings.Count())) // at most maxDocuments
		listings.Clear()
	}
	return body, starts, nil
}

// eachList visits the lists of a term.
func (v *inverter) eachList(term uint32, visit func(l uint32, c Class)) {
	l := v.firstList[term]
	for mask := v.masks[term]; mask != 0; l, mask = l+1, mask&(mask-1) {
		visit(l, Class(bits.TrailingZeros32(mask))) // below 32
	}
}
