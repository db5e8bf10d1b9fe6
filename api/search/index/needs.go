package index

import (
	"bytes"
	"encoding/binary"
	"iter"

	"catalog.example/api"
	"catalog.example/api/hardware"
)

// Needs holds the hardware needs of all listings (hardware.Needs). Many listings need the same, so
// there are few distinct needs. Package query judges only the needs of a query's matches, and
// caches the verdicts.
type Needs struct {
	Distinct []hardware.Needs // without the For of setups and the Because of estimates
	numbers  []byte           // for each listing, an index into Distinct: 4 bytes
	// allUses has what each listing's setups are for and the reason for its estimate, as JSON
	// strings, each followed by useEnd. usesAt has n+1 offsets of 4 bytes: where the strings of
	// each listing start, and the end of the last.
	usesAt, allUses []byte
}

const useEnd = 0 // does not occur in JSON

// Of returns the index of a listing's needs in Distinct. In a damaged file, it may be 0 instead.
func (n *Needs) Of(doc int) int {
	i := binary.LittleEndian.Uint32(n.numbers[4*doc:])
	if uint64(i) >= uint64(len(n.Distinct)) {
		return 0
	}
	return int(i)
}

// Uses returns the use of each setup of a listing, then the reason for its estimate, if it has one,
// as JSON strings. In a damaged file, there may be fewer.
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

// uses returns the uses of all listings, in the form of appendUses, and the offsets for usesAt.
func (b *Builder) uses() (uses, at []byte, err error) {
	for _, d := range b.docs {
		at = binary.LittleEndian.AppendUint32(at, uint32(len(uses))) // checked below
		uses = append(uses, d.uses...)
	}
	at = binary.LittleEndian.AppendUint32(at, uint32(len(uses)))
	return uses, at, checkCount(uint64(len(uses)), "bytes of uses")
}

// appendUses appends the uses of setups, then the reason for the estimate, in the form of allUses.
func appendUses(dst []byte, n *hardware.Needs) []byte {
	for i := range n.Setups {
		dst = append(api.AppendString(dst, n.Setups[i].For), useEnd)
	}
	if n.Estimate != nil {
		dst = append(api.AppendString(dst, n.Estimate.Because), useEnd)
	}
	return dst
}
