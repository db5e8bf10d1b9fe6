package search

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"

	"catalog.example/api"
)

// Many listings have the same api.Needs. The index has a table of the distinct ones, and
// the number of each listing's in that table. A query computes the verdict of each of the
// table, and looks up those of listings.

const needsNumberSize = 4

// needs returns the table of the distinct needs and the column of their numbers.
func (b *Builder) needs() (table, column []byte) {
	numbers, texts := numberTexts(b.docs, func(d *builtDoc) string { return d.needs })
	distinct := decodeSets(texts, visitNeeds)
	for _, d := range b.docs {
		column = binary.LittleEndian.AppendUint32(column, numbers[d.needs])
	}
	return encode(&distinct, visitNeedsTable), column
}

func visitNeedsTable(c *codec, table *[]api.Needs) { visitList(c, table, visitNeeds) }

func visitNeeds(c *codec, n *api.Needs) {
	c.text(&n.GPU)
	visitTexts(c, &n.Arch)
	visitTexts(c, &n.GPUVendors)
	visitList(c, &n.Setups, visitSetup)
}

// visitSetup visits what verdicts read of a setup.
func visitSetup(c *codec, s *api.Setup) {
	c.text(&s.For)
	c.text(&s.Level)
	visitOptional(c, &s.RAMGb, (*codec).number)
	visitOptional(c, &s.VRAMGb, (*codec).number)
	visitOptional(c, &s.GPUVendor, (*codec).text)
}

// verdict is the index of a verdict in api.Verdicts.
type verdict uint8

const (
	verdictFits verdict = iota
	verdictUnknown
	verdictNeedsMore
	verdictCount
)

var verdictOf = map[api.Verdict]verdict{
	api.VerdictFits: verdictFits, api.VerdictUnknown: verdictUnknown, api.VerdictNeedsMore: verdictNeedsMore,
}

// machineFilter is the machine of a query with the verdicts of the listings.
type machineFilter struct {
	api.Machine
	named  bool      // the query names a machine
	stated bool      // leave out verdictUnknown
	byNeed []verdict // for each of the index's needs
}

// setMachine computes the verdicts for the machine of a query.
func (w *workspace) setMachine(filters api.Filters) {
	m := &w.machine
	m.Machine, m.stated, m.byNeed = filters.Machine(), filters.First("stated") == "1", m.byNeed[:0]
	m.named = w.ix.taxonomy.HasSetups() && m.Named()
	if !m.named {
		return
	}
	for i := range w.ix.needs {
		v, _ := m.Verdict(&w.ix.needs[i])
		m.byNeed = append(m.byNeed, verdictOf[v])
	}
}

// verdict returns the verdict of a listing; verdictFits if no machine is named.
func (w *workspace) verdict(doc int) verdict {
	if !w.machine.named {
		return verdictFits
	}
	return w.machine.byNeed[w.ix.needOf(doc)]
}

// needOf returns the index of a listing's needs; 0 in a damaged file.
func (ix *Index) needOf(doc int) uint32 {
	n := binary.LittleEndian.Uint32(ix.needNumbers[needsNumberSize*doc:])
	if uint64(n) >= uint64(len(ix.needs)) {
		return 0
	}
	return n
}

// runnable returns the listings that the machine does not rule out.
func (w *workspace) runnable() *set {
	s, worst := w.emptySet(), verdictUnknown
	if w.machine.stated {
		worst = verdictFits
	}
	for doc := range w.ix.n {
		if w.verdict(doc) <= worst {
			s.add(doc)
		}
	}
	return s
}

// byVerdict returns copies of the parts of s by verdict, best first. No member of s is
// verdictNeedsMore.
func (w *workspace) byVerdict(s *set) []*set {
	if !w.machine.named {
		return []*set{w.copySet(s)}
	}
	parts := []*set{w.emptySet(), w.emptySet()}
	s.each(func(doc int) bool {
		parts[w.verdict(doc)].add(doc)
		return true
	})
	return parts
}

// countVerdicts counts the verdicts of the members of s.
func (w *workspace) countVerdicts(s *set) (counts [verdictCount]int) {
	for i, blocks := range s.blocks {
		for ; blocks != 0; blocks &= blocks - 1 {
			first := (i*64 + bits.TrailingZeros64(blocks)) * blockWords
			for at := first; at < first+blockWords; at++ {
				for word := s.words[at]; word != 0; word &= word - 1 {
					counts[w.verdict(at*64+bits.TrailingZeros64(word))]++
				}
			}
		}
	}
	return counts
}

// appendFit appends the JSON of the api.Fit of a listing, or null.
func (w *workspace) appendFit(dst []byte, doc int) []byte {
	if !w.machine.named {
		return append(dst, "null"...)
	}
	needs := &w.ix.needs[w.ix.needOf(doc)]
	v, setups := w.machine.Verdict(needs)
	dst = append(api.AppendString(append(dst, `{"verdict":`...), string(v)), `,"setups":[`...)
	for i, setup := range setups {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = api.AppendString(dst, needs.Setups[setup].For)
	}
	return append(dst, "]}"...)
}

// appendFitFacet appends the JSON of the facet that counts verdicts.
func (w *workspace) appendFitFacet(dst []byte) []byte {
	dst = append(dst, '[')
	if w.machine.named {
		order := []verdict{verdictFits, verdictUnknown, verdictNeedsMore}
		slices.SortStableFunc(order, func(a, b verdict) int {
			return cmp.Or(w.verdicts[b]-w.verdicts[a], strings.Compare(string(api.Verdicts[a]), string(api.Verdicts[b])))
		})
		for _, v := range order {
			if w.verdicts[v] == 0 {
				continue
			}
			if dst[len(dst)-1] != '[' {
				dst = append(dst, ',')
			}
			dst = api.AppendString(append(dst, `{"value":`...), string(api.Verdicts[v]))
			dst = append(appendInt(append(dst, `,"count":`...), w.verdicts[v]), '}')
		}
	}
	return append(dst, ']')
}
