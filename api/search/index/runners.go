package index

import (
	"encoding/binary"
	"iter"
	"slices"
)

// Runners says which listings run the models of each listing (api.Project.RunsWith). A listing that
// others name runs models itself, and is the first of its own runners.
type Runners struct {
	slugs []string // of the listings that run models, sorted
	docs  []int    // the number of each; -1 if there is no such listing
	// numbers has the runners of each listing, as indexes into slugs: 4 bytes each. at has n+1
	// offsets of 4 bytes into numbers: where those of each listing begin, and the end of the last.
	numbers, at []byte
}

// find looks up the listings of the slugs.
func (r *Runners) find(ix *Index) {
	r.docs = make([]int, len(r.slugs))
	for i, slug := range r.slugs {
		doc, ok := ix.docOf(slug)
		if !ok {
			doc = -1
		}
		r.docs[i] = doc
	}
}

// Of returns the runners of a listing, in order: their slugs and numbers. In a damaged file, there
// may be fewer.
func (r *Runners) Of(doc int) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for rest := between(r.at, r.numbers, doc, 1); len(rest) >= 4; rest = rest[4:] {
			i := binary.LittleEndian.Uint32(rest)
			if uint64(i) >= uint64(len(r.slugs)) || r.docs[i] < 0 {
				continue
			}
			if !yield(r.slugs[i], r.docs[i]) {
				return
			}
		}
	}
}

// runners returns the slugs of the listings that run models, and for each listing the indexes of its
// runners with their offsets.
func (b *Builder) runners() (slugs, numbers, at []byte) {
	var all []string
	for _, d := range b.docs {
		all = append(all, d.runsWith...)
	}
	all = distinct(all)
	for _, d := range b.docs {
		at = binary.LittleEndian.AppendUint32(at, uint32(len(numbers))) // fits: a few numbers for each listing
		runners := d.runsWith
		if _, itself := slices.BinarySearch(all, d.order.slug); itself {
			runners = append([]string{d.order.slug}, runners...)
		}
		for _, slug := range runners {
			i, _ := slices.BinarySearch(all, slug)
			numbers = binary.LittleEndian.AppendUint32(numbers, uint32(i)) // fits: the slugs are in memory
		}
	}
	at = binary.LittleEndian.AppendUint32(at, uint32(len(numbers))) // fits, as above
	return encode(&all), numbers, at
}
