package index

import (
	"errors"
	"io"
	"slices"
	"strconv"
)

// Store keeps the JSON of listings while an index is built, so that a catalogue need not fit in
// memory. An *os.File is one.
type Store interface {
	io.Writer
	io.ReaderAt
}

// KeepIn makes a Builder keep the JSON of listings in an empty store. It must be called before Add.
// The store must not change until the index is written; what it then contains is not an index.
func (b *Builder) KeepIn(s Store) { b.store = s }

// storeDocuments moves the JSON of listings to the store.
func (b *Builder) storeDocuments(docs []builtDoc) error {
	for i := range docs {
		d := &docs[i]
		d.stored = b.storedBytes
		d.size = uint32(len(d.document)) // at most maxDocumentBytes
		if _, err := b.store.Write(d.document); err != nil {
			return errors.New("keep the listing " + strconv.Quote(d.order.slug) + ": " + err.Error())
		}
		b.storedBytes += uint64(len(d.document))
		d.document = nil
	}
	return nil
}

// parts is the content of a section in parts, one for each listing. They are made whenever they are
// needed, so that they need not be in memory together.
type parts struct {
	ends       []uint64 // of each part
	appendPart func(dst []byte, i int) ([]byte, error)
}

func newParts(docs []*builtDoc, size func(d *builtDoc) int, appendPart func(dst []byte, d *builtDoc) ([]byte, error),
) *parts {
	p := parts{appendPart: func(dst []byte, i int) ([]byte, error) { return appendPart(dst, docs[i]) }}
	end := uint64(0)
	for _, d := range docs {
		end += uint64(size(d)) // never negative
		p.ends = append(p.ends, end)
	}
	return &p
}

// size returns the length of the section.
func (p *parts) size() uint64 {
	if len(p.ends) == 0 {
		return 0
	}
	return p.ends[len(p.ends)-1]
}

// block returns a block of blockSize bytes, or the rest of the section.
func (p *parts) block(number int) (block []byte, err error) {
	from := uint64(number) * blockSize // never negative
	to := min(from+blockSize, p.size())
	first, _ := slices.BinarySearch(p.ends, from)
	start := uint64(0)
	if first > 0 {
		start = p.ends[first-1]
	}
	for i := first; start+uint64(len(block)) < to; i++ {
		if block, err = p.appendPart(block, i); err != nil {
			return nil, err
		}
	}
	return block[from-start : to-start], nil
}

// storedParts returns the sections that are as large as all listings: their JSON from the store,
// and their texts.
func (b *Builder) storedParts() map[string]*parts {
	return map[string]*parts{
		sectionDocuments: newParts(b.docs, (*builtDoc).documentSize, b.appendDocument),
		sectionTexts: newParts(b.docs, func(d *builtDoc) int { return 4 * len(d.texts) },
			func(dst []byte, d *builtDoc) ([]byte, error) { return appendNumbers(dst, d.texts), nil }),
	}
}

// documentSize returns the length of the JSON of a listing.
func (d *builtDoc) documentSize() int {
	if d.document == nil {
		return int(d.size)
	}
	return len(d.document)
}

// appendDocument appends the JSON of a listing.
func (b *Builder) appendDocument(dst []byte, d *builtDoc) ([]byte, error) {
	if d.document != nil {
		return append(dst, d.document...), nil
	}
	n := len(dst)
	dst = slices.Grow(dst, int(d.size))[:n+int(d.size)]
	if _, err := b.store.ReadAt(dst[n:], int64(d.stored)); err != nil { // written by storeDocuments
		return nil, errors.New("read the listing " + strconv.Quote(d.order.slug) + ": " + err.Error())
	}
	return dst, nil
}
