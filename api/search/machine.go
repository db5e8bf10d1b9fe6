package search

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
)

// needs say what listings take (hardware.Needs). Many listings take the same, so the distinct
// needs are few. A query judges the needs of its matches alone, each of them once.
type needs struct {
	distinct []hardware.Needs // their setups have no For
	numbers  []byte           // for each listing, an index into distinct: 4 bytes
	// What the setups of each listing are for, as JSON strings, each followed by useEnd.
	// usesAt has their start and end: n+1 offsets of 4 bytes.
	usesAt, allUses []byte
}

const useEnd = 0 // occurs in no JSON

// of returns the index of a listing's needs; 0 in a damaged file.
func (n *needs) of(doc int) int {
	i := binary.LittleEndian.Uint32(n.numbers[4*doc:])
	if uint64(i) >= uint64(len(n.distinct)) {
		return 0
	}
	return int(i)
}

// uses returns what the setups of a listing are for, each as a JSON string. In a damaged
// file there may be fewer.
func (n *needs) uses(doc int) iter.Seq[[]byte] {
	from, to := binary.LittleEndian.Uint32(n.usesAt[4*doc:]), binary.LittleEndian.Uint32(n.usesAt[4*doc+4:])
	if from > to || uint64(to) > uint64(len(n.allUses)) {
		from, to = 0, 0
	}
	return func(yield func([]byte) bool) {
		for rest := n.allUses[from:to]; ; {
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
	distinct := decodeSets(texts, visitNeeds)
	for _, d := range b.docs {
		column = binary.LittleEndian.AppendUint32(column, numbers[d.needs])
	}
	return encode(&distinct, visitNeedsTable), column
}

// uses returns what the setups of all listings are for, and where those of each begin.
func (b *Builder) uses() (uses, at []byte, err error) {
	for _, d := range b.docs {
		at = binary.LittleEndian.AppendUint32(at, uint32(len(uses))) // checked below
		uses = append(uses, d.uses...)
	}
	if uint64(len(uses)) > math.MaxUint32 {
		return nil, nil, fmt.Errorf("what setups are for takes %d bytes, more than the format's %d", len(uses), uint32(math.MaxUint32))
	}
	return uses, binary.LittleEndian.AppendUint32(at, uint32(len(uses))), nil
}

// appendUses appends what setups are for, in the form of the section.
func appendUses(dst []byte, setups []hardware.Setup) []byte {
	for i := range setups {
		dst = append(api.AppendString(dst, setups[i].For), useEnd)
	}
	return dst
}

func visitNeedsTable(c *codec, table *[]hardware.Needs) { visitList(c, table, visitNeeds) }

func visitNeeds(c *codec, n *hardware.Needs) {
	c.text(&n.GPU)
	visitTexts(c, &n.Arch)
	visitTexts(c, &n.GPUVendors)
	visitList(c, &n.Setups, visitSetup)
}

// visitSetup visits what verdicts read of a setup.
func visitSetup(c *codec, s *hardware.Setup) {
	c.text(&s.Level)
	visitOptional(c, &s.RAMGb, (*codec).number)
	visitOptional(c, &s.VRAMGb, (*codec).number)
	visitOptional(c, &s.GPUVendor, (*codec).text)
}

// verdict is the index of a verdict in hardware.Verdicts, plus one.
type verdict uint8

const (
	notJudged verdict = iota
	verdictFits
	verdictUnknown
	verdictNeedsMore
	verdictCount
)

func (v verdict) name() string { return string(hardware.Verdicts[v-1]) }

// machineFilter is the machine of a query with the verdicts of its matches.
type machineFilter struct {
	hardware.Machine
	named  bool // the query names a machine
	stated bool // leave out verdictUnknown

	byNeeds       []verdict // for each of the index's needs
	fits, unknown *set      // the judged listings with these verdicts
	passing       *set      // the judged listings that pass the filter

	met  []int    // for hardware.Machine.Verdict
	uses [][]byte // see needs.uses
}

// setMachine takes the machine of a query.
func (w *workspace) setMachine(filters api.Filters) {
	m := &w.machine
	m.Machine, m.stated = filters.Machine(), filters.First("stated") == "1"
	m.named = w.ix.taxonomy.HasSetups() && m.Named()
	if m.named {
		m.byNeeds = slices.Grow(m.byNeeds[:0], len(w.ix.needs.distinct))[:len(w.ix.needs.distinct)]
		clear(m.byNeeds)
		m.fits, m.unknown, m.passing = w.emptySet(), w.emptySet(), w.emptySet()
	}
}

// verdict returns the verdict of a listing; verdictFits if no machine is named.
func (w *workspace) verdict(doc int) verdict {
	m := &w.machine
	if !m.named {
		return verdictFits
	}
	i := w.ix.needs.of(doc)
	if m.byNeeds[i] == notJudged {
		var v hardware.Verdict
		v, m.met = m.Verdict(&w.ix.needs.distinct[i], m.met[:0])
		m.byNeeds[i] = verdict(1 + slices.Index(hardware.Verdicts, v))
	}
	return m.byNeeds[i]
}

// judge judges the members of s if a machine is named. It comes before filters are applied
// to them.
func (w *workspace) judge(s *set) {
	m := &w.machine
	if !m.named {
		return
	}
	s.each(func(doc int) bool {
		switch w.verdict(doc) {
		case verdictFits:
			m.fits.add(doc)
		case verdictUnknown:
			m.unknown.add(doc)
		}
		return true
	})
	m.passing.union(m.fits)
	if !m.stated {
		m.passing.union(m.unknown)
	}
}

// byVerdict returns copies of the parts of s that are verdictFits and verdictUnknown; if no
// machine is named, a copy of s.
func (w *workspace) byVerdict(s *set) []*set {
	parts := []*set{w.copySet(s)}
	if m := &w.machine; m.named {
		parts = append(parts, w.copySet(s))
		parts[0].intersect(m.fits)
		parts[1].intersect(m.unknown)
	}
	return parts
}

// countVerdicts counts the verdicts of the members of s, which were judged.
func (w *workspace) countVerdicts(s *set) (counts [verdictCount]int) {
	parts := w.byVerdict(s)
	counts[verdictFits], counts[verdictUnknown] = parts[0].count(), parts[1].count()
	counts[verdictNeedsMore] = s.count() - counts[verdictFits] - counts[verdictUnknown]
	return counts
}

// appendFit appends the JSON of the hardware.Fit of a listing, or null.
func (w *workspace) appendFit(dst []byte, doc int) []byte {
	m := &w.machine
	if !m.named {
		return append(dst, "null"...)
	}
	var v hardware.Verdict
	v, m.met = m.Verdict(&w.ix.needs.distinct[w.ix.needs.of(doc)], m.met[:0])
	m.uses = slices.AppendSeq(m.uses[:0], w.ix.needs.uses(doc))
	dst = append(api.AppendString(append(dst, `{"verdict":`...), string(v)), `,"setups":[`...)
	for i, setup := range m.met {
		same := func(other int) bool { return bytes.Equal(m.uses[other], m.uses[setup]) }
		if setup >= len(m.uses) || slices.ContainsFunc(m.met[:i], same) {
			continue // a damaged file, or named before
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, m.uses[setup]...)
	}
	return append(dst, "]}"...)
}

// appendFitFacet appends the JSON of the facet that counts verdicts.
func (w *workspace) appendFitFacet(dst []byte) []byte {
	dst = append(dst, '[')
	if w.machine.named {
		order := []verdict{verdictFits, verdictUnknown, verdictNeedsMore}
		slices.SortStableFunc(order, func(a, b verdict) int {
			return cmp.Or(w.verdicts[b]-w.verdicts[a], strings.Compare(a.name(), b.name()))
		})
		for _, v := range order {
			if w.verdicts[v] == 0 {
				continue
			}
			if dst[len(dst)-1] != '[' {
				dst = append(dst, ',')
			}
			dst = api.AppendString(append(dst, `{"value":`...), v.name())
			dst = append(appendInt(append(dst, `,"count":`...), w.verdicts[v]), '}')
		}
	}
	return append(dst, ']')
}
