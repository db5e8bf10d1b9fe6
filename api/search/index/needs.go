package index

import (
	"bytes"
	"encoding/binary"
	"iter"

	"catalog.example/api"
	"catalog.example/api/hardware"
)

// Needs are the hardware needs of all listings (hardware.Needs). Many listings need the same, so
// there are few distinct needs. Package query judges only the needs of a query's matches, and
// caches the verdicts.
type Needs struct {
	Distinct []hardware.Needs // their setups have no For, their estimates no Because
	numbers  []byte           // for each listing, an index into distinct: 4 bytes
	// allUses has the uses of each listing's setups and the reason of its estimate, as JSON
	// strings that each end with useEnd. usesAt has the start and end for each listing: n+1
	// offsets of 4 bytes.
	usesAt, allUses []byte
}

const useEnd = 0 // occurs in no JSON

// Of returns the index of a listing's needs; 0 in a damaged file.
func (n *Needs) Of(doc int) int {
	i := binary.LittleEndian.Uint32(n.numbers[4*doc:])
	if uint64(i) >= uint64(len(n.Distinct)) {
		return 0
	}
	return int(i)
}

// Uses returns the use of each setup of a listing as a JSON string. In a damaged file there may
// be fewer.
func (n *Needs) Uses(doc int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for rest := between(n.usesAt, n.allUses, doc, 1); ; {
			use, after, found := bytes.Cut(rest, []byte{useEnd})
			if !found || !yield(use) {
				return
			}
			rest = after
		}
	}
}

// needs returns the table of the distinct needs and the column of their indexes.
func (b *Builder) needs() (table, column []byte) {
	numbers, texts := numberTexts(b.docs, func(d *builtDoc) string { return d.needs })
	distinct := decodeSets[hardware.Needs](texts)
	for _, d := range b.docs {
		column = binary.LittleEndian.AppendUint32(column, numbers[d.needs])
	}
	return encode(&distinct), column
}

// uses returns the uses of the setups of all listings, and where the uses of each begin.
func (b *Builder) uses() (uses, at []byte, err error) {
	for _, d := range b.docs {
		at = binary.LittleEndian.AppendUint32(at, uint32(len(uses))) // checked below
		uses = append(uses, d.uses...)
	}
	at = binary.LittleEndian.AppendUint32(at, uint32(len(uses)))
	return uses, at, checkCount(uint64(len(uses)), "bytes of uses")
}

// appendUses appends the uses of setups, then the reason of the estimate, in the form of the
// section.
func appendUses(dst []byte, n *hardware.Needs) []byte {
	for i := range n.Setups {
		dst = append(api.AppendString(dst, n.Setups[i].For), useEnd)
	}
	if n.Estimate != nil {
		dst = append(api.AppendString(dst, n.Estimate.Because), useEnd)
	}
	return dst
}
