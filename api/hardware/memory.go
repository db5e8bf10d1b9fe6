package hardware

// The values of Memory.RAMBasis and Memory.VRAMBasis.
const (
	basisStated    = "stated"    // a minimum setup has the figure
	basisMeasured  = "measured"  // the editors of the catalogue measured it in a job
	BasisEstimated = "estimated" // the editors judge it
)

// Bases lists the values of Memory.RAMBasis, best first.
var Bases = []string{basisStated, basisMeasured, BasisEstimated}

// Memory is the least memory that a tool needs on a machine, as far as it is known. What is unknown is
// left out of its JSON, and so is VRAM of 0.
type Memory struct {
	RAMGb     float64 `json:"ramGb,omitempty" jsonschema:"The least RAM in gigabytes."`
	RAMBasis  string  `json:"ramBasis,omitempty" jsonschema:"Where ramGb comes from. stated: its makers; measured: our editors ran a job; estimated: our editors judge it. Call an estimate an estimate."`
	VRAMGb    float64 `json:"vramGb,omitempty" jsonschema:"The least graphics memory (VRAM) in gigabytes."`
	VRAMBasis string  `json:"vramBasis,omitempty" jsonschema:"Where vramGb comes from, as ramBasis."`
	For       string  `json:"for,omitempty" jsonschema:"The use that ramGb, or else vramGb, is stated or was measured for."`
}

// Memory returns the memory that a setup takes. Memory.For is not set.
func (s *Setup) Memory() (m Memory) {
	basis := basisStated
	if s.Measured != nil {
		basis = basisMeasured
	}
	if s.RAMGb != nil {
		m.RAMGb, m.RAMBasis = *s.RAMGb, basis
	}
	if s.VRAMGb != nil && *s.VRAMGb > 0 {
		m.VRAMGb, m.VRAMBasis = *s.VRAMGb, basis
	}
	return m
}

// Least returns the least memory that a tool needs on the machine: of the minimum setups or, for a
// figure that these lack, of the measured setups that decide verdicts, or else of the estimate. Setups
// for other systems or makers of graphics cards do not count. use is the index of the setup that
// Memory.For names, or -1. For is not set, because needs may lack it.
func (m *Machine) Least(n *Needs) (least Memory, use int) {
	var ram, vram int
	least.RAMGb, least.RAMBasis, ram = m.least(n, DeriveRAM)
	least.VRAMGb, least.VRAMBasis, vram = m.least(n, DeriveVRAM)
	if ram < 0 {
		return least, vram
	}
	return least, ram
}

// least returns the least RAM or VRAM (DeriveRAM, DeriveVRAM), its basis, and the index of its setup,
// or -1 if it has none. The basis is "" if the figure is unknown.
func (m *Machine) least(n *Needs, of string) (gb float64, basis string, setup int) {
	setup = -1
	other := m.hasOtherCard(n)
	for i := range n.Setups {
		s := &n.Setups[i]
		found := basisStated
		switch figure := s.gb(of); {
		case figure == nil || apart(s.System, m.Systems) ||
			s.GPUVendor != nil && m.GPUVendor != "" && *s.GPUVendor != m.GPUVendor:
			continue
		case s.Level == LevelMinimum:
		case basis == basisStated || s.Measured == nil || !m.takesPart(s, other):
			continue
		default:
			found = basisMeasured
		}
		if found != basis || *s.gb(of) < gb {
			gb, basis, setup = *s.gb(of), found, i
		}
	}
	if figure := n.estimate(of); basis == "" && figure != nil && *figure > 0 {
		return *figure, BasisEstimated, -1
	}
	return gb, basis, setup
}

// Unmet returns the index of the first example that says something about the machine, or -1. If the
// verdict is Unlikely without an estimate, the machine meets none of them.
func (m *Machine) Unmet(n *Needs) int {
	other := m.hasOtherCard(n)
	for i := range n.Setups {
		if n.Setups[i].Level == LevelExample && m.takesPart(&n.Setups[i], other) {
			return i
		}
	}
	return -1
}

// BriefFit is the short form of a Fit: its verdict and one reason. Empty parts are left out.
type BriefFit struct {
	Verdict  Verdict        `json:"verdict" jsonschema:"Whether it runs on the computer that the search names, as in a full answer."`
	Setups   []string       `json:"setups,omitempty" jsonschema:"One use whose needs that computer meets."`
	Unmet    []string       `json:"unmet,omitempty" jsonschema:"With unlikely: one use whose needs that computer does not meet."`
	Estimate *BriefEstimate `json:"estimate,omitempty" jsonschema:"The estimate that the verdict rests on; memory has its figures. Call it an estimate."`
	Unasked  []string       `json:"unasked,omitempty" jsonschema:"Parameters that the search does not give, and that the uses state on which the verdict rests: ask the user."`
	// LargestModel is left out where the taxonomy has no sizes of models.
	LargestModel *LargestModel `json:"largestModel,omitempty" jsonschema:"The largest size of language model that it has memory for beside the tool, by arithmetic."`
}

// BriefEstimate is the reason of an Estimate.
type BriefEstimate struct {
	Because string `json:"because" jsonschema:"The reason, in a few words."`
}
