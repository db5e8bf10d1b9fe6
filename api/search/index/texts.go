package index

import (
	"encoding/binary"
)

// In the file, the texts of a listing are numbers of 4 bytes, in the order of fields. Each text has
// a head, followed by the numbers of its terms. The bits of the head:
//
//	bits 28 to 31  field
//	bit 27         joined: the text is the words of the previous name, written together
//	bits 0 to 26   how many numbers follow
//
// In FieldReplaces, a single number follows: the product's. Function words are omitted unless a
// text has no others.
const (
	textFieldShift = 28
	textJoined     = 1 << 27
	textCount      = textJoined - 1
)

// textHead is the head of a text.
type textHead uint32

func newTextHead(f Field, joined bool, count int) textHead {
	head := textHead(f)<<textFieldShift | textHead(count)&textCount // the Builder truncates longer texts
	if joined {
		head |= textJoined
	}
	return head
}

// field returns the field. In a damaged file, it may be an invalid one.
func (h textHead) field() Field { return Field(h >> textFieldShift) }

// eachText visits the texts of a listing.
func eachText(texts []uint32, visit func(head textHead, text []uint32)) {
	for len(texts) > 0 {
		head := textHead(texts[0])
		n := head & textCount
		visit(head, texts[1:1+n])
		texts = texts[1+n:]
	}
}

// Text is one text of a listing.
type Text struct {
	Field Field
	Terms []byte // numbers of 4 bytes
}

// Len returns the number of terms.
func (t *Text) Len() int { return len(t.Terms) / 4 }

// Term returns the i-th term.
func (t *Text) Term(i int) int { return Number(t.Terms[4*i:]) }

// Texts gives access to the texts of listings.
type Texts struct {
	starts []byte // n+1 offsets in body for n listings or categories, in units of 4 bytes
	body   []byte
}

// Of returns the texts of a listing or category, for NextText. In a damaged file, there may be
// none.
func (t *Texts) Of(number int) []byte {
	if 4*number+8 > len(t.starts) {
		return nil
	}
	return between(t.starts, t.body, number, 4)
}

// cacheLine is the size in bytes of what a processor loads at a time.
const cacheLine = 64

// Load loads the texts of a listing into the processor's cache. If it is called for several listings
// before any of them is read, the processor waits for many loads at the same time. The result is
// meaningless: it only makes the compiler keep the loads.
func (t *Texts) Load(number int) (sum byte) {
	texts := t.Of(number)
	for i := 0; i < len(texts); i += cacheLine {
		sum += texts[i]
	}
	return sum
}

// NextText splits rest into its first text and what comes after. ok is false if no text is left.
func NextText(rest []byte) (t Text, after []byte, ok bool) {
	if len(rest) < 4 {
		return Text{}, nil, false
	}
	head := textHead(binary.LittleEndian.Uint32(rest))
	size := 4 * int(head&textCount)
	rest = rest[4:]
	if size > len(rest) || head.field() >= FieldCount {
		return Text{}, nil, false // a damaged file
	}
	return Text{head.field(), rest[:size]}, rest[size:], true
}

// encodeTexts returns the texts of listings or categories.
func encodeTexts(docs []*builtDoc) (body []byte) {
	total := 0
	for _, d := range docs {
		total += len(d.texts)
	}
	body = make([]byte, 0, 4*total)
	for _, d := range docs {
		body = appendNumbers(body, d.texts)
	}
	return body
}

// textsAt returns where the texts of each listing or category begin.
func textsAt(docs []*builtDoc) (starts []byte, err error) {
	total := uint64(0)
	starts = make([]byte, 0, 4*len(docs)+4)
	for _, d := range docs {
		starts = binary.LittleEndian.AppendUint32(starts, uint32(total)) // checked below
		total += uint64(len(d.texts))
	}
	return binary.LittleEndian.AppendUint32(starts, uint32(total)), checkCount(total, "words of texts")
}
