package query

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"sync/atomic"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/search/index"
)

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

	recent   *judgedMachine           // its verdicts on the index's needs
	judged   [verdictCount]*index.Set // the judged listings with each verdict
	passing  *index.Set               // the judged listings that pass the filter
	verdicts [verdictCount]int        // how many matches have each verdict

	met  []int    // for hardware.Machine.Judge
	uses [][]byte // see needs.uses
}

// setMachine takes the machine of a query, with figures as they are read.
func (w *scratch) setMachine(machine hardware.Machine, stated bool) {
	m := &w.machine
	m.Machine, m.stated = w.ix.taxonomy.WithSystems(machine), stated
	m.named = w.ix.taxonomy.HasSetups() && m.Named()
	if m.named {
		m.recent = w.ix.recent.of(&m.Machine, len(w.ix.Needs.Distinct))
		for v := verdictFits; v < verdictCount; v++ {
			m.judged[v] = w.emptySet()
		}
		m.passing = w.emptySet()
	}
}

// verdict returns the verdict of a listing; verdictFits if no machine is named.
func (w *scratch) verdict(doc int) verdict {
	m := &w.machine
	if !m.named {
		return verdictFits
	}
	i := w.ix.Needs.Of(doc)
	v := verdict(m.recent.verdicts[i].Load())
	if v == notJudged {
		judgement := m.Judge(&w.ix.Needs.Distinct[i], m.met[:0])
		m.met = judgement.Met
		v = verdictOf(judgement.Verdict)
		m.recent.verdicts[i].Store(uint32(v))
	}
	return v
}

// judge judges the members of s if a machine is named. It comes before filters are applied
// to them.
func (w *scratch) judge(s *index.Set) {
	m := &w.machine
	if !m.named {
		return
	}
	s.Each(func(doc int) bool {
		m.judged[w.verdict(doc)].Add(doc)
		return true
	})
	for v := verdictFits; v < verdictNeedsMore && (v == verdictFits || !m.stated); v++ {
		m.passing.Union(m.judged[v])
	}
}

// byVerdict returns copies of the parts of s with each verdict that passes, best first; if no
// machine is named, a copy of s.
func (w *scratch) byVerdict(s *index.Set) (parts []*index.Set) {
	if !w.machine.named {
		return []*index.Set{w.copySet(s)}
	}
	for v := verdictFits; v < verdictNeedsMore; v++ {
		part := w.copySet(s)
		part.Intersect(w.machine.judged[v])
		parts = append(parts, part)
	}
	return parts
}

// countVerdicts counts the verdicts of the members of s, which were judged.
func (w *scratch) countVerdicts(s *index.Set) {
	m := &w.machine
	for v := verdictFits; v < verdictCount; v++ {
		part := w.copySet(s)
		part.Intersect(m.judged[v])
		m.verdicts[v] = part.Count()
	}
}

// appendFit appends the JSON of the hardware.Fit of a listing, or null.
func (w *scratch) appendFit(dst []byte, doc int) []byte {
	m := &w.machine
	if !m.named {
		return append(dst, "null"...)
	}
	needs := &w.ix.Needs.Distinct[w.ix.Needs.Of(doc)]
	j := m.Judge(needs, m.met[:0])
	m.met = j.Met
	m.uses = slices.AppendSeq(m.uses[:0], w.ix.Needs.Uses(doc))
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
func (w *scratch) appendFitFacet(dst []byte) []byte {
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
func (w *scratch) readComputer(q *api.SearchQuery) (warnings []api.Warning) {
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
