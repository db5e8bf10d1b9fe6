package search

import "encoding/binary"

// The texts of a listing lie in the file as the numbers of their terms, 4 bytes
// each, in the order of fields, each text after a head:
//
//	bits 28 to 31  field
//	bit 27         joined: the words of the name before, written together
//	bits 0 to 26   how many numbers follow
//
// For the field of replaced products the one number is that of the product.
// Function words are left out, unless a text has no others.
const (
	textFieldShift = 28
	textJoined     = 1 << 27
	textCount      = textJoined - 1
)

func textHead(f field, joined bool, count int) uint32 {
	head := uint32(f)<<textFieldShift | uint32(count)&textCount // #nosec G115 -- the Builder cuts longer texts
	if joined {
		head |= textJoined
	}
	return head
}

// text is one text of a listing.
type text struct {
	field  field
	joined bool
	terms  []byte // numbers of 4 bytes
}

func (t *text) len() int       { return len(t.terms) / 4 }
func (t *text) term(i int) int { return number(t.terms[4*i:]) }

// texts gives access to the texts of listings.
type texts struct {
	at   []byte // where those of each listing begin, in numbers, and one more
	body []byte
}

// of returns the texts of a listing, to be read by nextText.
func (t *texts) of(doc int) []byte {
	from := 4 * uint64(binary.LittleEndian.Uint32(t.at[4*doc:]))
	to := 4 * uint64(binary.LittleEndian.Uint32(t.at[4*doc+4:]))
	if from > to || to > uint64(len(t.body)) {
		return nil // a damaged file
	}
	return t.body[from:to]
}

// cacheLine is how many bytes a processor fetches from memory at a time.
const cacheLine = 64

// fetch reads a byte of each cache line of the texts of some listings, all of
// which lie somewhere else: a core waits for many of them at once here, and for
// one after the other where they are compared. It returns what keeps the
// compiler from leaving that out.
func (t *texts) fetch(docs []int) (sum byte) {
	for _, doc := range docs {
		texts := t.of(doc)
		for i := 0; i < len(texts); i += cacheLine {
			sum += texts[i]
		}
	}
	return sum
}

// nextText cuts the first text off; ok is false after the last.
func nextText(rest []byte) (t text, after []byte, ok bool) {
	if len(rest) < 4 {
		return text{}, nil, false
	}
	head := binary.LittleEndian.Uint32(rest)
	size := 4 * int(head&textCount)
	rest = rest[4:]
	if size > len(rest) || head>>textFieldShift >= uint32(fieldCount) {
		return text{}, nil, false // a damaged file
	}
	return text{field(head >> textFieldShift), head&textJoined != 0, rest[:size]}, rest[size:], true // #nosec G115 -- checked
}

// products gives access to the names of replaced products: each a text that any
// number of listings have.
//
// A product lies in the file as numbers of 4 bytes: how many words its name
// has, these, the name's words joined as one term, and the list of listings as
// a count (with bitmapFlag) and an array or a bit map.
type products struct {
	n    int
	docs int
	at   []byte
	body []byte
}

// product is one of them.
type product struct {
	terms  []byte // numbers of 4 bytes
	joined int
	list   list
}

func (p *product) len() int { return len(p.terms) / 4 }

// get returns a product; in a damaged file, perhaps one without words.
func (p *products) get(i int) (found product) {
	if i >= p.n {
		return product{}
	}
	at := uint64(binary.LittleEndian.Uint32(p.at[4*i:])) * 4
	if at+4 > uint64(len(p.body)) {
		return product{}
	}
	rest := p.body[at:]
	words := uint64(binary.LittleEndian.Uint32(rest))
	if 4*words+12 > uint64(len(rest)) {
		return product{}
	}
	found.terms, rest = rest[4:4+4*words], rest[4+4*words:]
	found.joined = number(rest)
	var ok bool
	if found.list, _, ok = cutList(rest[8:], binary.LittleEndian.Uint32(rest[4:]), p.docs); !ok {
		return product{}
	}
	return found
}
