package query

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/search/index"
)

// verdict is 1 + an index into hardware.Verdicts, or notJudged.
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

// recentMachines holds the verdicts for machines that were named recently. People name their
// computer in many queries, and many people have the same one.
type recentMachines struct {
	machines [16]atomic.Pointer[judgedMachine]
	added    atomic.Uint32 // the oldest is replaced
}

// judgedMachine holds the verdicts for one machine, as far as they are known. Queries share it.
type judgedMachine struct {
	machineKey
	needs []atomic.Uint32 // for each of the index's needs, a verdict, or notJudged
	// listings has, for every 64 listings, a word for each verdict: a bit for each listing that has
	// it. The word for notJudged has the bits of all listings whose verdict is known.
	listings [][verdictCount]atomic.Uint64
}

// machineKey identifies a machine. Its Systems follow from these fields.
type machineKey struct {
	ramGb, vramGb           float64 // -1 for none
	arch, gpuVendor, system string
}

// of returns the verdicts for a machine on the listings of an index.
func (r *recentMachines) of(m *hardware.Machine, ix *index.Index) *judgedMachine {
	key := machineKey{ramGb: -1, vramGb: -1, arch: m.Arch, gpuVendor: m.GPUVendor, system: m.System}
	if m.RAMGb != nil {
		key.ramGb = *m.RAMGb
	}
	if m.VRAMGb != nil {
		key.vramGb = *m.VRAMGb
	}
	for i := range r.machines {
		if known := r.machines[i].Load(); known != nil && known.machineKey == key {
			return known
		}
	}
	// The texts may share memory with a request.
	for _, text := range []*string{&key.arch, &key.gpuVendor, &key.system} {
		*text = strings.Clone(*text)
	}
	added := &judgedMachine{
		machineKey: key, needs: make([]atomic.Uint32, len(ix.Needs.Distinct)),
		listings: make([][verdictCount]atomic.Uint64, index.Blocks(ix.Len())*index.BlockWords),
	}
	r.machines[r.added.Add(1)%uint32(len(r.machines))].Store(added) // fits: a small constant
	return added
}

// machine is the computer of a query, with the verdicts of the listings that match.
type machine struct {
	hardware.Machine      // with figures read as sizes that are sold
	named            bool // the query names a computer
	stated           bool // only verdictFits passes

	s       *scratch
	recent  *judgedMachine           // the verdicts for this computer on the index's needs
	judged  [verdictCount]*index.Set // the judged listings with each verdict
	passing *index.Set               // the judged listings with a verdict that passes
}

// readComputer sets m to the user's computer, from the parameters and the words of a query. The
// warnings say which figures of parameters were read as other sizes.
func (s *scratch) readComputer(q *api.SearchQuery, p *parsed, m *machine) (warnings []api.Warning) {
	given := q.Filters.Machine
	read := given
	if l := s.vocabulary.lexicon; l != nil {
		read = l.sizes.Read(given)
		for _, name := range hardware.Parameters {
			if value := given.Get(name); value != read.Get(name) {
				warnings = append(warnings, api.Warning{Code: api.WarnSizeRead, Parameter: name,
					Message: name + "=" + value + ": " + sizeRead(value, read.Get(name)) + "."})
			}
		}
	}
	if p.hasComputer {
		q.Filters.Machine, read = p.computer.machine, p.computer.read
	}
	*m = machine{Machine: s.taxonomy.WithSystems(read), stated: q.Filters.First("stated") == "1", s: s}
	m.named = s.taxonomy.HasSetups() && m.Named()
	if m.named {
		m.recent = s.recent.of(&m.Machine, s.Index)
		for v := verdictFits; v < verdictCount; v++ {
			m.judged[v] = s.emptySet()
		}
		m.passing = s.emptySet()
	}
	return warnings
}

// verdict returns the verdict of a listing, or verdictFits if no machine is named.
func (m *machine) verdict(doc int) verdict {
	if !m.named {
		return verdictFits
	}
	i := m.s.Needs.Of(doc)
	v := verdict(m.recent.needs[i].Load())
	if v == notJudged {
		judgement := m.Judge(&m.s.Needs.Distinct[i], m.s.met[:0])
		m.s.met = judgement.Met
		v = verdict(1 + slices.Index(hardware.Verdicts, judgement.Verdict))
		m.recent.needs[i].Store(uint32(v))
	}
	return v
}

// warnOfSystem adds a warning about hits that do not run on every system that the user may have.
func (a *answer) warnOfSystem() {
	m := &a.machine
	if !m.named || m.System != "" {
		return
	}
	possible, some := m.s.taxonomy.PossibleSystems(&m.Machine), []string{}
	for i := range a.hits {
		doc := a.hits[i].doc
		systems := m.s.Needs.Distinct[m.s.Needs.Of(doc)].Systems
		isLacking := func(system string) bool { return !slices.Contains(systems, system) }
		if len(systems) == 0 || !slices.ContainsFunc(possible, isLacking) {
			continue
		}
		some = append(some, m.s.plainName(doc))
	}
	if len(some) > 0 {
		a.warn(api.WarnSystemUnasked, "system", "Not every system runs "+strings.Join(some, ", ")+
			": say which it is, such as system="+possible[0]+".")
	}
}

// plainName returns the name of a listing, or its slug if JSON needs escapes for the name.
func (s *scratch) plainName(doc int) string {
	values := s.Documents.Brief(doc)
	name := values[index.BriefName]
	if bytes.IndexByte(name, '\\') >= 0 {
		name = values[index.BriefSlug]
	}
	return string(bytes.Trim(name, `"`))
}

// passes reports whether a listing may be a hit on this computer.
func (m *machine) passes(doc int) bool {
	return !m.named || m.allows(m.verdict(doc))
}

// allows reports whether listings with a verdict may be hits.
func (m *machine) allows(v verdict) bool {
	return v == verdictFits || !m.stated && v != verdictNeedsMore
}

// judge judges the members of a set if a machine is named. It must be called before the filters are
// applied to the set.
func (m *machine) judge(set *index.Set) {
	if !m.named {
		return
	}
	set.EachBlock(func(b int) {
		for i, members := range set.Block(b) {
			m.judgeWord(b*index.BlockWords+i, members)
		}
	})
	for v := verdictFits; v < verdictCount; v++ {
		if m.allows(v) {
			m.passing.Union(m.judged[v])
		}
	}
}

// judgeWord judges some of the 64 listings from 64*word on: those whose bits are set in members.
func (m *machine) judgeWord(word int, members uint64) {
	known := &m.recent.listings[word]
	for left := members &^ known[notJudged].Load(); left != 0; left &= left - 1 {
		bit := left & -left
		known[m.verdict(word*64+bits.TrailingZeros64(left))].Or(bit)
		known[notJudged].Or(bit) // after the verdict, which another query may now read
	}
	for v := verdictFits; v < verdictCount; v++ {
		if have := known[v].Load() & members; have != 0 {
			m.judged[v].AddWord(word, have)
		}
	}
}

// byVerdict returns the part of a set with each verdict but verdictNeedsMore, best first. If no
// machine is named, it returns the whole set.
func (m *machine) byVerdict(set *index.Set) (parts []*index.Set) {
	if !m.named {
		return []*index.Set{set}
	}
	for v := verdictFits; v < verdictNeedsMore; v++ {
		parts = append(parts, m.with(v, set))
	}
	return parts
}

// with returns the members of a set that have a verdict.
func (m *machine) with(v verdict, set *index.Set) *index.Set {
	part := m.s.copySet(set)
	part.Intersect(m.judged[v])
	return part
}

// count counts the verdicts of the members of a set. They must have been judged.
func (m *machine) count(set *index.Set) (n [verdictCount]int) {
	for v := verdictFits; v < verdictCount; v++ {
		n[v] = m.with(v, set).Count()
	}
	return n
}

// appendFit appends the JSON of the hardware.Fit of a listing, or null if no machine is named.
func (m *machine) appendFit(dst []byte, doc int) []byte {
	if !m.named {
		return append(dst, "null"...)
	}
	s := m.s
	needs := &s.Needs.Distinct[s.Needs.Of(doc)]
	j := m.Judge(needs, s.met[:0])
	s.met = j.Met
	s.uses = slices.AppendSeq(s.uses[:0], s.Needs.Uses(doc))
	dst = append(api.AppendString(append(dst, `{"verdict":`...), string(j.Verdict)), `,"setups":[`...)
	for i, setup := range s.met {
		same := func(other int) bool { return bytes.Equal(s.uses[other], s.uses[setup]) }
		if setup >= len(s.uses) || slices.ContainsFunc(s.met[:i], same) {
			continue // a damaged file, or a use that was already appended
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, s.uses[setup]...)
	}
	dst = append(dst, `],"estimate":`...)
	if reason := len(needs.Setups); j.ByEstimate && needs.Estimate != nil && reason < len(s.uses) {
		dst = api.AppendEstimate(dst, needs.Estimate, s.uses[reason])
	} else {
		dst = append(dst, "null"...)
	}
	dst = api.AppendStrings(append(dst, `,"unasked":`...), j.Unasked())
	if s.taxonomy.HasModels() {
		dst = m.appendLargestModel(append(dst, `,"largestModel":`...), doc, needs)
	}
	return append(dst, '}')
}

// appendLargestModel appends the JSON of the hardware.LargestModel of a listing, or null. needs are
// those of the listing.
func (m *machine) appendLargestModel(dst []byte, doc int, needs *hardware.Needs) []byte {
	s := m.s
	s.runners = s.runners[:0]
	for slug, runner := range s.Runners.Of(doc) {
		s.runners = append(s.runners, hardware.Runner{
			Slug: slug, Needs: &s.Needs.Distinct[s.Needs.Of(runner)], IsTool: runner == doc,
		})
	}
	isUnified := s.vocabulary.lexicon.sizes.IsUnified(&m.Machine)
	largest, ok := s.taxonomy.Models.LargestOn(&m.Machine, isUnified, needs, s.runners)
	if !ok {
		return append(dst, "null"...)
	}
	dst = api.AppendString(append(dst, `{"name":`...), largest.Name)
	dst = strconv.AppendFloat(append(dst, `,"memoryGb":`...), largest.MemoryGb, 'f', -1, 64)
	return append(api.AppendString(append(dst, `,"runner":`...), largest.Runner), '}')
}

// appendFacet appends the JSON of the facet that counts verdicts.
func (m *machine) appendFacet(dst []byte, counts *[verdictCount]int) []byte {
	dst = append(dst, '[')
	if m.named {
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
			dst = appendCount(dst, m.s.verdictHeads[v], counts[v])
		}
	}
	return append(dst, ']')
}
