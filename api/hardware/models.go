package hardware

import (
	"cmp"
	"math"
)

// Models says how much memory language models take while they run (taxonomy/models.yml). A gigabyte
// has 2^30 bytes here, because memory is sold in these.
type Models struct {
	ContextTokens int     `json:"contextTokens"` // length of the context that the sizes include
	ProcessGb     float64 `json:"processGb"`     // memory of a program that runs models, before it loads one
	// Measured says how ProcessGb and the measured figures of Sizes were found.
	Measured string      `json:"measured"`
	Keeps    Kept        `json:"keeps"`
	Sizes    []ModelSize `json:"sizes"` // ascending, by parameters and then by bits
	// Computers lists typical computers, each of which has a page.
	Computers []Computer `json:"computers"`
}

// Kept is the memory that a computer keeps for other things than models, in gigabytes.
type Kept struct {
	RAMGb   float64 `json:"ramGb"`   // of the main memory, for the operating system
	VRAMGb  float64 `json:"vramGb"`  // of a graphics card, for the screen
	Because string  `json:"because"` // the reason for both figures
	Source  string  `json:"source"`  // address of a page that states the figure for RAM
}

// ModelSize is a size of language models, with a well-known model of this size.
type ModelSize struct {
	Name       string  `json:"name"`       // such as "8B in 4 bits"
	Parameters float64 `json:"parameters"` // of the model, in billions
	Bits       float64 `json:"bits"`       // of memory for each parameter
	// The cache of the context has a key and a value of HeadSize numbers of 16 bits for each token, in
	// each of Heads key-value heads of each of Layers layers.
	Layers   int `json:"layers"`
	Heads    int `json:"heads"`
	HeadSize int `json:"headSize"`
	// MeasuredGb is the memory that the process with its weights was measured to take, without a
	// context; nil if it is computed.
	MeasuredGb *float64 `json:"measuredGb"`
	Model      string   `json:"model"`  // name of the model
	Source     string   `json:"source"` // address of a page that states its layers and heads
}

// Computer is a typical computer: a device of the table with some memory, or the parameters of a
// search.
type Computer struct {
	Slug      string   `json:"slug"`
	Name      string   `json:"name"`
	Device    string   `json:"device"` // name of a Device, whose shared memory is RAMGb; "" for none
	RAMGb     *float64 `json:"ramGb"`
	VRAMGb    *float64 `json:"vramGb"` // 0 means no graphics card
	GPUVendor string   `json:"gpuVendor"`
	System    string   `json:"system"`
}

// LargestModel is the largest size of language models that a computer runs with a tool.
type LargestModel struct {
	Name     string  `json:"name" jsonschema:"The size, such as 8B in 4 bits: billions of parameters, and the memory of each."`
	MemoryGb float64 `json:"memoryGb" jsonschema:"What a model of this size takes with its context, in gigabytes: measured or computed, rounded up."`
	Runner   string  `json:"runner" jsonschema:"Slug of the listing that runs the model: one of runsWith, or the tool itself."`
}

// Runner is a listing that may run the models of a tool.
type Runner struct {
	Slug   string
	Needs  *Needs
	IsTool bool // it is the tool itself, whose own memory is that of the model
}

const gigabyte = 1 << 30

// MemoryGb returns the memory that a model of a size takes while it runs: the process, the weights
// and the context, in gigabytes rounded up to a tenth.
func (m *Models) MemoryGb(s *ModelSize) float64 {
	const keyAndValue, bytesOfNumber = 2, 2
	context := float64(keyAndValue*bytesOfNumber*s.Layers*s.Heads*s.HeadSize) * float64(m.ContextTokens) / gigabyte
	loaded := m.ProcessGb + s.Parameters*1e9*s.Bits/8/gigabyte
	if s.MeasuredGb != nil {
		loaded = *s.MeasuredGb
	}
	return math.Ceil((loaded+context)*10-1e-6) / 10
}

// LargestOn returns the largest size of model that a machine runs with a tool in one of the runners;
// of several runners, the first. ok is false if nothing is known or no size fits. isUnified says
// that the machine's GPU uses the main memory (SizeReader.IsUnified). The function largest in
// templates/assets/computer.js does the same; testdata/models.json has cases for both.
func (m *Models) LargestOn(on *Machine, isUnified bool, tool *Needs, runners []Runner) (best LargestModel, ok bool) {
	largest := -1
	for i := range runners {
		if size := m.fitting(m.room(on, isUnified, tool, &runners[i])); size > largest {
			s := &m.Sizes[size]
			largest, best = size, LargestModel{s.Name, m.MemoryGb(s), runners[i].Slug}
		}
	}
	return best, largest >= 0
}

// CompareSizes orders sizes by their parameters, then by their bits.
func CompareSizes(a, b *ModelSize) int {
	return cmp.Or(cmp.Compare(a.Parameters, b.Parameters), cmp.Compare(a.Bits, b.Bits))
}

// Machine returns the computer of a page as a search would name it. Its Systems are not set.
func (c *Computer) Machine(t *Table) Machine {
	m := Machine{RAMGb: c.RAMGb, VRAMGb: c.VRAMGb, GPUVendor: c.GPUVendor, System: c.System}
	if d := t.Device(c.Device); d != nil {
		shared := d.Machine(c.RAMGb)
		m.Add(&shared)
	}
	return m
}

// SizesOn returns the sizes of models that a machine runs in one of the runners, ascending. It
// leaves no room for a tool beside the runner.
func (m *Models) SizesOn(on *Machine, isUnified bool, runners []Runner) (sizes []ModelSize) {
	room := 0.0
	for i := range runners {
		alone := runners[i]
		alone.IsTool = true
		room = max(room, m.room(on, isUnified, nil, &alone))
	}
	for i := range m.Sizes {
		if m.MemoryGb(&m.Sizes[i]) <= room {
			sizes = append(sizes, m.Sizes[i])
		}
	}
	return sizes
}

// fitting returns the index of the largest size that takes no more than a room in gigabytes, or -1.
func (m *Models) fitting(roomGb float64) int {
	for i := len(m.Sizes) - 1; i >= 0; i-- {
		if m.MemoryGb(&m.Sizes[i]) <= roomGb {
			return i
		}
	}
	return -1
}

// room returns the memory that a machine has for a model, in gigabytes; 0 if that is not known. It
// is the VRAM, less what the screen keeps, if the runner can use the card. Otherwise it is the RAM,
// less what the operating system keeps. What the tool itself needs of it is taken off, too. Both
// bound the room if the GPU uses the main memory.
func (m *Models) room(on *Machine, isUnified bool, tool *Needs, runner *Runner) float64 {
	n := runner.Needs
	if on.cannotRun(n) || apart(n.Own, on.Systems) || n.GPU == "" {
		return 0
	}
	if runner.IsTool {
		tool = &itself
	}
	inRAM, onCard := 0.0, 0.0
	if own := on.own(tool, DeriveRAM); on.RAMGb != nil && own != nil {
		inRAM = *on.RAMGb - m.Keeps.RAMGb - *own
	}
	usesCard := n.GPU != gpuNone && on.VRAMGb != nil && *on.VRAMGb > 0 && !lacks(n.GPUVendors, on.GPUVendor)
	if own := on.own(tool, DeriveVRAM); usesCard && own != nil {
		onCard = *on.VRAMGb - m.Keeps.VRAMGb - *own
	}
	switch {
	case usesCard && isUnified && on.RAMGb != nil:
		return min(onCard, inRAM)
	case usesCard:
		return onCard
	case n.GPU == GPURequired:
		return 0
	}
	return inRAM
}

// itself stands for the needs of a tool that runs the model itself: the memory of the model covers
// them.
var itself = Needs{GPU: gpuNone, Estimate: &Estimate{RAMGb: new(float64)}}

// own returns the RAM or VRAM (DeriveRAM, DeriveVRAM) that a tool needs without a model, in
// gigabytes: the least of its minimum setups for the machine's systems, or else the estimate; nil
// if neither is known. A tool that can do without a card needs no VRAM unless one of them says so.
func (m *Machine) own(tool *Needs, of string) (least *float64) {
	for i := range tool.Setups {
		s := &tool.Setups[i]
		if gb := s.gb(of); gb != nil && s.Level == LevelMinimum && !apart(s.System, m.Systems) &&
			(least == nil || *gb < *least) {
			least = gb
		}
	}
	if least == nil {
		least = tool.estimate(of)
	}
	if least == nil && of == DeriveVRAM && tool.GPU != GPURequired {
		return &noCard
	}
	return least
}
