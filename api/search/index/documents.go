package index

import (
	"encoding/binary"

	"catalog.example/api"
)

// The index stores each listing as the JSON of an api.ProjectDetail. Lists contain the beginning of
// this JSON, up to the description; hits contain parts of it. The index also stores the offsets of
// these parts, so that answers are copied, not marshalled.

// hitParts lists the runs of keys that a hit copies from a listing, in the order of a hit. A
// listing may lack some keys of a run.
var hitParts = [hitPartCount][]string{
	{"slug", "name"}, {"purpose", "untranslated"}, {"category"}, {"platforms"}, {"license", "osiApproved", "stars"},
	{"archived"}, {"replaces", "fitNotes", "estimate"}, {"pageUrl", "repositoryUrl"}, {"updatedAt"}, {"addedAt"},
	{"upkeep"},
}

// BriefValue is a value in a listing's JSON that brief hits are made of.
type BriefValue int

// The values that brief hits are made of.
const (
	BriefSlug BriefValue = iota
	BriefName
	BriefPurpose
	BriefUntranslated
	BriefLicense
	BriefOSIApproved
	BriefArchived
	BriefUpkeep
	BriefPageURL
	BriefOpenness // this and those that follow are facts
	BriefModelLicense
	BriefGPU
	BriefCaveats
	briefValueCount
)

// BriefValues has the JSON of each value; nil if the listing does not have it, or if it is null.
type BriefValues [briefValueCount][]byte

// briefFields and briefFacts map the keys of fields and of facts to the values.
var (
	briefFields = map[string]BriefValue{
		"slug": BriefSlug, "name": BriefName, "purpose": BriefPurpose, "untranslated": BriefUntranslated,
		"license": BriefLicense, "osiApproved": BriefOSIApproved, "archived": BriefArchived,
		"upkeep": BriefUpkeep, "pageUrl": BriefPageURL,
	}
	briefFacts = map[string]BriefValue{
		api.OpennessKey: BriefOpenness, api.ModelLicenseKey: BriefModelLicense, api.GPUKey: BriefGPU,
		api.CaveatsKey: BriefCaveats,
	}
)

// The bounds of a listing's parts: the end of the part that lists contain, then the start and end
// of each part of a hit and of each BriefValue, 0 and 0 for none. They are offsets from the start of
// the listing's JSON, of 4 bytes each.
const (
	hitPartCount = 11
	briefBounds  = 1 + 2*hitPartCount // index of the first bound of a BriefValue
	boundCount   = briefBounds + 2*int(briefValueCount)
	partsSize    = 4 * boundCount
)

type partBounds [boundCount]uint32

// locateValues finds the values of brief hits in an object of a listing's JSON, document[from:to].
// values maps its keys.
func (b *partBounds) locateValues(document []byte, from, to int, values map[string]BriefValue) error {
	return api.EachMember(document[from:to], func(key []byte, start, end int) {
		start, end = min(from+start+len(key)+len(`"":`), to), from+end
		if string(key) == "fitNotes" && start < end {
			_ = b.locateValues(document, start, end, briefFacts) // fails only if the listing's JSON is damaged
			return
		}
		v, ok := values[string(key)]
		if text := document[start:max(start, end)]; !ok || string(text) == "null" || string(text) == "[]" {
			return
		}
		i := briefBounds + 2*int(v)
		b[i], b[i+1] = uint32(start), uint32(end) // fits: the Builder limits documents
	})
}

// Brief returns the values that the brief hit of a listing is made of. They are parts of the index.
func (d *Documents) Brief(doc int) (values BriefValues) {
	body := d.Body(doc)
	var b partBounds
	for i := briefBounds; i < len(b); i++ {
		b[i] = d.part(doc, i)
	}
	if b[briefBounds+1] == 0 { // a compact index
		_ = b.locateValues(body, 0, len(body), briefFields) // fails only if the listing's JSON is damaged
	}
	for v := range values {
		from, to := b[briefBounds+2*v], b[briefBounds+2*v+1]
		if from < to && uint64(to) <= uint64(len(body)) {
			values[v] = body[from:to]
		}
	}
	return values
}

// EachFact calls visit with the key and the JSON of each fact of a listing. They are parts of the index.
func (d *Documents) EachFact(doc int, visit func(key, value []byte)) {
	eachOf := func(object []byte, visit func(key, value []byte)) {
		_ = api.EachMember(object, func(key []byte, from, to int) { // fails only if the listing's JSON is damaged
			visit(key, object[min(from+len(key)+len(`"":`), to):to])
		})
	}
	eachOf(d.Body(doc), func(key, value []byte) {
		if string(key) == "fitNotes" {
			eachOf(value, visit)
		}
	})
}

// hitPartOf maps a key to its index in hitParts.
var hitPartOf = func() map[string]int {
	parts := map[string]int{}
	for i, run := range hitParts {
		for _, key := range run {
			parts[key] = i
		}
	}
	return parts
}()

// locateParts finds the parts in the JSON of an api.ProjectDetail, in which the keys of each part
// must be adjacent.
func locateParts(document []byte) (bounds partBounds, err error) {
	if err = bounds.locateValues(document, 0, len(document), briefFields); err != nil {
		return bounds, err
	}
	err = api.EachMember(document, func(key []byte, from, to int) {
		if string(key) == "description" {
			bounds[0] = uint32(from - 1) // without the comma before; fits: the Builder limits documents
		}
		i, ok := hitPartOf[string(key)]
		if !ok {
			return
		}
		if bounds[2+2*i] == 0 {
			bounds[1+2*i] = uint32(from) // fits: the Builder limits documents
		}
		bounds[2+2*i] = uint32(to) // fits: the Builder limits documents
	})
	return bounds, err
}

// Documents gives access to the listings of an opened index.
type Documents struct {
	n                     int
	bodies, bounds, parts []byte
}

// Body returns the JSON of a listing. In a damaged file, it may be empty.
func (d *Documents) Body(doc int) []byte {
	from, to := binary.LittleEndian.Uint64(d.bounds[8*doc:]), binary.LittleEndian.Uint64(d.bounds[8*doc+8:])
	if from > to || to > uint64(len(d.bodies)) {
		return nil
	}
	return d.bodies[from:to]
}

func (d *Documents) part(doc, i int) uint32 {
	return binary.LittleEndian.Uint32(d.parts[doc*partsSize+4*i:])
}

// appendListItem appends the JSON that lists contain for a listing.
func (d *Documents) appendListItem(dst []byte, doc int) []byte {
	body := d.Body(doc)
	return append(append(dst, body[:min(uint64(d.part(doc, 0)), uint64(len(body)))]...), '}')
}

// AppendHit appends the JSON that hits contain for a listing. It does not close the object: the
// caller adds how the listing matches.
func (d *Documents) AppendHit(dst []byte, doc int) []byte {
	body := d.Body(doc)
	for i := range hitPartCount {
		from, to := d.part(doc, 1+2*i), d.part(doc, 2+2*i)
		if from >= to || uint64(to) > uint64(len(body)) {
			continue // the listing lacks this part, or the file is damaged
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

// encodeDocuments returns the JSON of all listings.
func encodeDocuments(docs []*builtDoc) []byte {
	size := 0
	for _, d := range docs {
		size += len(d.document)
	}
	bodies := make([]byte, 0, size)
	for _, d := range docs {
		bodies = append(bodies, d.document...)
	}
	return bodies
}

// documentBounds returns the bounds of the JSON of each listing, and those of its parts.
func documentBounds(docs []*builtDoc) (bounds, parts []byte) {
	end := uint64(0)
	for _, d := range docs {
		bounds = binary.LittleEndian.AppendUint64(bounds, end)
		end += uint64(d.documentSize()) // never negative
		parts = appendNumbers(parts, d.parts[:])
	}
	return binary.LittleEndian.AppendUint64(bounds, end), parts
}
