package search

import (
	"encoding/binary"

	"catalog.example/api"
)

// A listing lies in the index as the JSON of its api.ProjectDetail. Lists carry
// its beginning, up to the description; hits carry parts of it. Where these lie
// is kept beside it, so that answers are copied and never marshalled.

// hitParts are the runs of keys of a listing that a hit repeats, in its order. Of a run
// the keys that listings do not have are left out.
var hitParts = [hitPartCount][]string{
	{"slug", "name"}, {"purpose"}, {"category"}, {"platforms"}, {"license", "osiApproved", "stars"}, {"archived"},
	{"replaces", "fitNotes"}, {"pageUrl", "repositoryUrl"}, {"updatedAt"}, {"addedAt"},
}

// A listing's line in the section of parts: the end of what lists carry, then
// the bounds of each part of a hit, in bytes from the start of its JSON, 4 bytes
// each.
const (
	hitPartCount = 10
	partsSize    = 4 * (1 + 2*hitPartCount)
)

// partsLine is that line.
type partsLine [1 + 2*hitPartCount]uint32

// hitPartOf tells which of hitParts a key belongs to.
var hitPartOf = func() map[string]int {
	parts := map[string]int{}
	for i, run := range hitParts {
		for _, key := range run {
			parts[key] = i
		}
	}
	return parts
}()

// locateParts finds the parts in the JSON of an api.ProjectDetail, in which the keys of a
// part stand in its order.
func locateParts(document []byte) (line partsLine, err error) {
	err = api.EachMember(document, func(key []byte, from, to int) {
		if string(key) == "description" {
			line[0] = uint32(from - 1) // the Builder bounds documents; 1 for the comma
		}
		i, ok := hitPartOf[string(key)]
		if !ok {
			return
		}
		if line[2+2*i] == 0 {
			line[1+2*i] = uint32(from) // the Builder bounds documents
		}
		line[2+2*i] = uint32(to) // the Builder bounds documents
	})
	return line, err
}

// documents are the listings of an opened index.
type documents struct {
	n                     int
	bodies, bounds, parts []byte
}

// body returns the JSON of a listing; in a damaged file, perhaps nothing.
func (d *documents) body(doc int) []byte {
	from, to := binary.LittleEndian.Uint64(d.bounds[8*doc:]), binary.LittleEndian.Uint64(d.bounds[8*doc+8:])
	if from > to || to > uint64(len(d.bodies)) {
		return nil
	}
	return d.bodies[from:to]
}

func (d *documents) part(doc, i int) uint32 {
	return binary.LittleEndian.Uint32(d.parts[doc*partsSize+4*i:])
}

// appendListItem appends the JSON of the listing as lists carry it.
func (d *documents) appendListItem(dst []byte, doc int) []byte {
	body := d.body(doc)
	return append(append(dst, body[:min(uint64(d.part(doc, 0)), uint64(len(body)))]...), '}')
}

// appendHit appends the JSON of the listing as hits carry it, without what tells
// how it matched, and left open.
func (d *documents) appendHit(dst []byte, doc int) []byte {
	body := d.body(doc)
	for i := range hitPartCount {
		from, to := d.part(doc, 1+2*i), d.part(doc, 2+2*i)
		if from >= to || uint64(to) > uint64(len(body)) {
			continue // not there, or a damaged file
		}
		if i == 0 {
			dst = append(dst, '{')
		} else {
			dst = append(dst, ',')
		}
		dst = append(dst, body[from:to]...)
	}
	return dst
}

func (b *Builder) documents() (pieces [][]byte, bounds, parts []byte) {
	offset := uint64(0)
	for i := range b.docs {
		d := b.docs[i]
		pieces = append(pieces, d.document)
		bounds = binary.LittleEndian.AppendUint64(bounds, offset)
		offset += uint64(len(d.document))
		parts = appendNumbers(parts, d.parts[:])
	}
	return pieces, binary.LittleEndian.AppendUint64(bounds, offset), parts
}
