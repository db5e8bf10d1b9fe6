package search

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"iter"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"catalog.example/api"
	"catalog.example/api/hardware"
)

// needs say what listings take (hardware.Needs). Many listings take the same, so the distinct
// needs are few. A query judges the needs of its matches alone. What is judged is kept for a
// while: see recentMachines.
type needs struct {
	distinct []hardware.Needs // their setups have no For, their estimates no Because
	numbers  []byte           // for each listing, an index into distinct: 4 bytes
	// What the setups of each listing are for, and the reason of its estimate, as JSON strings,
	// each followed by useEnd.
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

// appendUses appends what setups are for, then the reason of the estimate, in the form of the
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

func visitNeedsTable(c *codec, table *[]hardware.Needs) { visitList(c, table, visitNeeds) }

func visitNeeds(c *codec, n *hardware.Needs) {
	c.text(&n.GPU)
	visitTexts(c, &n.Arch)
	visitTexts(c, &n.GPUVendors)
	visitTexts(c, &n.Systems)
	visitList(c, &n.Setups, visitSetup)
	visitOptional(c, &n.Estimate, func(c *codec, e *hardware.Estimate) {
		visitOptional(c, &e.RAMGb, (*codec).number)
		visitOptional(c, &e.VRAMGb, (*codec).number)
	})
}

// visitSetup visits what verdicts read of a setup.
func visitSetup(c *codec, s *hardware.Setup) {
	c.text(&s.Level)
	visitOptional(c, &s.RAMGb, (*codec).number)
	visitOptional(c, &s.VRAMGb, (*codec).number)
	visitTexts(c, &s.System)
	visitOptional(c, &s.GPUVendor, (*codec).text)
	c.boolean(&s.ModelsElsewhere)
}

// verdict is the index of a verdict in hardware.Verdicts, plus one.
type verdict uint8

const (
	notJudged verdict = iota
	verdictFits
	verdictLikely
	verdictUnknown
	verdictUnlikely
	verdictNeedsMore
	verdictCount
)

func (v verdict) name() string { return string(hardware.Verdicts[v-1]) }

// verdictOf returns the number of a verdict. A switch is several times faster than a search.
func verdictOf(v hardware.Verdict) verdict {
	switch v {
	case hardware.Fits:
		return verdictFits
	case hardware.Likely:
		return verdictLikely
	case hardware.Unknown:
		return verdictUnknown
	case hardware.Unlikely:
		return verdictUnlikely
	}
	return verdictNeedsMore
}

// recentMachines holds the verdicts on machines that were named lately. People name their
// computer in many queries, and many people have the same one.
type recentMachines [16]atomic.Pointer[judgedMachine]

// judgedMachine has the verdicts on one machine, which queries share.
type judgedMachine struct {
	machineKey
	verdicts []atomic.Uint32 // for each of the index's needs, a verdict, or notJudged
}

// machineKey tells machines apart. Their systems follow from these.
type machineKey struct {
	ramGb, vramGb           float64 // -1 for none
	arch, gpuVendor, system string
}

var machineSeed = maphash.MakeSeed()

// of returns the verdicts on a machine, as far as they are known. n is the number of needs.
func (r *recentMachines) of(m *hardware.Machine, n int) *judgedMachine {
	key := machineKey{ramGb: -1, vramGb: -1, arch: m.Arch, gpuVendor: m.GPUVendor, system: m.System}
	if m.RAMGb != nil {
		key.ramGb = *m.RAMGb
	}
	if m.VRAMGb != nil {
		key.vramGb = *m.VRAMGb
	}
	slot := &r[maphash.Comparable(machineSeed, key)%uint64(len(r))]
	known := slot.Load()
	if known == nil || known.machineKey != key {
		// The texts may lie in the memory of a request.
		key.arch, key.gpuVendor, key.system = strings.Clone(key.arch), strings.Clone(key.gpuVendor), strings.Clone(key.system)
		known = &judgedMachine{machineKey: key, verdicts: make([]atomic.Uint32, n)}
		slot.Store(known)
	}
	return known
}

// machineFilter is the machine of a query with the verdicts of its matches.
type machineFilter struct {
	hardware.Machine      // as it is compared
	named            bool // the query names a machine
	stated           bool // leave out all but verdictFits

	recent   *judgedMachine     // its verdicts on the index's needs
	judged   [verdictCount]*set // the judged listings with each verdict
	passing  *set               // the judged listings that pass the filter
	verdicts [verdictCount]int  // how many matches have each verdict

	met  []int    // for hardware.Machine.Judge
	uses [][]byte // see needs.uses
}

// setMachine takes the machine of a query, with figures as they are read.
func (w *workspace) setMachine(machine hardware.Machine, stated bool) {
	m := &w.machine
	m.Machine, m.stated = w.ix.taxonomy.WithSystems(machine), stated
	m.named = w.ix.taxonomy.HasSetups() && m.Named()
	if m.named {
		m.recent = w.ix.recent.of(&m.Machine, len(w.ix.needs.distinct))
		for v := verdictFits; v < verdictCount; v++ {
			m.judged[v] = w.emptySet()
		}
		m.passing = w.emptySet()
	}
}

// verdict returns the verdict of a listing; verdictFits if no machine is named.
func (w *workspace) verdict(doc int) verdict {
	m := &w.machine
	if !m.named {
		return verdictFits
	}
	i := w.ix.needs.of(doc)
	v := verdict(m.recent.verdicts[i].Load())
	if v == notJudged {
		judgement := m.Judge(&w.ix.needs.distinct[i], m.met[:0])
		m.met = judgement.Met
		v = verdictOf(judgement.Verdict)
		m.recent.verdicts[i].Store(uint32(v))
	}
	return v
}

// judge judges the members of s if a machine is named. It comes before filters are applied
// to them.
func (w *workspace) judge(s *set) {
	m := &w.machine
	if !m.named {
		return
	}
	s.each(func(doc int) bool {
		m.judged[w.verdict(doc)].add(doc)
		return true
	})
	for v := verdictFits; v < verdictNeedsMore && (v == verdictFits || !m.stated); v++ {
		m.passing.union(m.judged[v])
	}
}

// byVerdict returns copies of the parts of s with each verdict that passes, best first; if no
// machine is named, a copy of s.
func (w *workspace) byVerdict(s *set) (parts []*set) {
	if !w.machine.named {
		return []*set{w.copySet(s)}
	}
	for v := verdictFits; v < verdictNeedsMore; v++ {
		part := w.copySet(s)
		part.intersect(w.machine.judged[v])
		parts = append(parts, part)
	}
	return parts
}

// countVerdicts counts the verdicts of the members of s, which were judged.
func (w *workspace) countVerdicts(s *set) {
	m := &w.machine
	for v := verdictFits; v < verdictCount; v++ {
		part := w.copySet(s)
		part.intersect(m.judged[v])
		m.verdicts[v] = part.count()
	}
}

// appendFit appends the JSON of the hardware.Fit of a listing, or null.
func (w *workspace) appendFit(dst []byte, doc int) []byte {
	m := &w.machine
	if !m.named {
		return append(dst, "null"...)
	}
	needs := &w.ix.needs.distinct[w.ix.needs.of(doc)]
	j := m.Judge(needs, m.met[:0])
	m.met = j.Met
	m.uses = slices.AppendSeq(m.uses[:0], w.ix.needs.uses(doc))
	dst = append(api.AppendString(append(dst, `{"verdict":`...), string(j.Verdict)), `,"setups":[`...)
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
	dst = append(dst, `],"estimate":`...)
	if reason := len(needs.Setups); j.ByEstimate && needs.Estimate != nil && reason < len(m.uses) {
		dst = api.AppendEstimate(dst, needs.Estimate, m.uses[reason])
	} else {
		dst = append(dst, "null"...)
	}
	return append(api.AppendStrings(append(dst, `,"unasked":`...), j.Unasked()), '}')
}

// appendFitFacet appends the JSON of the facet that counts verdicts.
func (w *workspace) appendFitFacet(dst []byte) []byte {
	dst = append(dst, '[')
	if w.machine.named {
		counts := &w.machine.verdicts
		order := []verdict{verdictFits, verdictLikely, verdictUnknown, verdictUnlikely, verdictNeedsMore}
		slices.SortStableFunc(order, func(a, b verdict) int {
			return cmp.Or(counts[b]-counts[a], strings.Compare(a.name(), b.name()))
		})
		for _, v := range order {
			if counts[v] == 0 {
				continue
			}
			if dst[len(dst)-1] != '[' {
				dst = append(dst, ',')
			}
			dst = api.AppendString(append(dst, `{"value":`...), v.name())
			dst = append(appendInt(append(dst, `,"count":`...), counts[v]), '}')
		}
	}
	return append(dst, ']')
}

// readComputer takes the user's computer from the parameters and the words of a query. The
// warnings say how figures of parameters are read.
func (w *workspace) readComputer(q *api.SearchQuery) (warnings []api.Warning) {
	given := q.Filters.Machine
	read := given
	if l := w.ix.vocabulary.lexicon; l != nil {
		read = l.sizes.Read(given)
		for _, name := range hardware.Parameters {
			if value := given.Get(name); value != read.Get(name) {
				warnings = append(warnings, api.Warning{Code: api.WarnSizeRead, Parameter: name, Message: name + "=" + value + ": " + sizeRead(value, read.Get(name)) + "."})
			}
		}
	}
	if w.query.hasComputer {
		q.Filters.Machine, read = w.query.computer.machine, w.query.computer.read
	}
	w.setMachine(read, q.Filters.First("stated") == "1")
	return warnings
}
