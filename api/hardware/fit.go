// Package hardware says whether a tool runs on a computer. It takes what a listing states of
// its uses ([Setup], [Needs]) and what a search names of the user's computer ([Machine]), and
// returns a [Verdict]. It also has the graphics cards and computers that people name
// ([Device]).
//
// The package knows no listings, no requests and no files. The function fit in
// templates/assets/computer.js does the same as [Machine.Verdict]; testdata/fit.json has cases
// for both.
package hardware

import (
	"slices"
	"strconv"
)

// Machine is the computer that a search asks about (contract 10). What is nil or "" is not
// compared.
type Machine struct {
	RAMGb     *float64 // main memory in gigabytes
	VRAMGb    *float64 // graphics memory in gigabytes; 0 means no graphics card
	Arch      string   // processor architecture: an option of the fact arch
	GPUVendor string   // maker of the graphics card: an option of the fact gpuVendors
}

// Named reports whether anything of the machine is named.
func (m *Machine) Named() bool {
	return m.RAMGb != nil || m.VRAMGb != nil || m.Arch != "" || m.GPUVendor != ""
}

// Parameters are the parameters of a search that name the user's computer, in the order in
// which warnings and pages name them.
var Parameters = []string{"ramGb", "vramGb", "gpuVendor", "arch"}

// IsNumber reports whether a parameter of Parameters is a number.
func IsNumber(parameter string) bool { return parameter == "ramGb" || parameter == "vramGb" }

// Get returns the value of a parameter of Parameters as text, or "" if it is not named.
func (m *Machine) Get(parameter string) string {
	number := func(n *float64) string {
		if n == nil {
			return ""
		}
		return strconv.FormatFloat(*n, 'f', -1, 64)
	}
	switch parameter {
	case "ramGb":
		return number(m.RAMGb)
	case "vramGb":
		return number(m.VRAMGb)
	case "gpuVendor":
		return m.GPUVendor
	case "arch":
		return m.Arch
	}
	return ""
}

// Set sets the value of a parameter of Parameters. It does nothing for another name, or for
// a text that is no number where one is wanted.
func (m *Machine) Set(parameter, value string) {
	number := func(into **float64) {
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			*into = &n
		}
	}
	switch parameter {
	case "ramGb":
		number(&m.RAMGb)
	case "vramGb":
		number(&m.VRAMGb)
	case "gpuVendor":
		m.GPUVendor = value
	case "arch":
		m.Arch = value
	}
}

// Verdict says whether a listing runs on a machine.
type Verdict string

// The verdicts (contract 10), best first.
const (
	Fits      Verdict = "fits"
	Unknown   Verdict = "unknown" // its makers do not say
	NeedsMore Verdict = "needs-more"
)

// Verdicts lists the verdicts, best first.
var Verdicts = []Verdict{Fits, Unknown, NeedsMore}

// Fit is a listing's verdict for the machine of a search.
type Fit struct {
	Verdict Verdict  `json:"verdict"`
	Setups  []string `json:"setups"` // the setups that the machine meets, by Setup.For
}

// The values of the fact gpu.
const (
	gpuNone     = "none"
	gpuOptional = "optional"
	gpuRequired = "required"
)

// Needs are the facts of a listing that verdicts read.
type Needs struct {
	GPU        string   // gpuNone, gpuOptional, gpuRequired, or "" if unknown
	Arch       []string // architectures that it runs on; empty if unknown
	GPUVendors []string // makers of cards that it can use; empty if unknown
	Setups     []Setup
}

// comparison is the result of comparing a machine with one requirement.
type comparison int

const (
	enough comparison = iota
	unstated
	missed
)

// Verdict says whether the machine can run the listing. It appends the indexes of the setups
// that it meets to met, none unless the listing fits. The function fit in
// templates/assets/computer.js does the same; testdata/fit.json has cases for both.
//
// A processor can do the work where the GPU is unused or optional. So a graphics card that
// is too small or of another maker rules a listing out only where the GPU is required, or
// where it is unknown whether it is.
func (m *Machine) Verdict(n *Needs, met []int) (Verdict, []int) {
	onProcessor := n.GPU == gpuNone || n.GPU == gpuOptional
	otherVendor := n.GPU != gpuNone && contradicts(n.GPUVendors, m.GPUVendor)
	if contradicts(n.Arch, m.Arch) || otherVendor && !onProcessor ||
		n.GPU == gpuRequired && m.VRAMGb != nil && *m.VRAMGb == 0 {
		return NeedsMore, met
	}
	if m.RAMGb == nil && m.VRAMGb == nil {
		return m.verdictWithoutMemory(n), met
	}
	before, minimums, possible := len(met), 0, 0
	for i := range n.Setups {
		s := &n.Setups[i]
		worst := max(m.compareRAM(s), m.compareVRAM(s, n.GPU, onProcessor, otherVendor))
		if worst == enough {
			met = append(met, i)
		}
		if s.Level == LevelMinimum {
			minimums++
			if worst != missed {
				possible++
			}
		}
	}
	switch {
	case minimums > 0 && possible == 0:
		return NeedsMore, met[:before]
	case len(met) > before, m.RAMGb == nil && len(n.Setups) == 0 && onProcessor:
		return Fits, met
	}
	return Unknown, met
}

// Uses returns what the setups with these indexes are for, each use once.
func (n *Needs) Uses(setups []int) []string {
	uses := []string{}
	for _, i := range setups {
		if use := n.Setups[i].For; !slices.Contains(uses, use) {
			uses = append(uses, use)
		}
	}
	return uses
}

// verdictWithoutMemory is the verdict of a machine of which only the architecture or the
// maker of the graphics card is named, and neither contradicts a fact: the facts decide.
func (m *Machine) verdictWithoutMemory(n *Needs) Verdict {
	if m.Arch != "" && !slices.Contains(n.Arch, m.Arch) ||
		m.GPUVendor != "" && n.GPU != gpuNone && !slices.Contains(n.GPUVendors, m.GPUVendor) {
		return Unknown
	}
	return Fits
}

// contradicts reports whether a known list lacks what is asked for.
func contradicts(known []string, asked string) bool {
	return asked != "" && len(known) > 0 && !slices.Contains(known, asked)
}

func (m *Machine) compareRAM(s *Setup) comparison {
	switch {
	case m.RAMGb == nil:
		return enough
	case s.RAMGb == nil:
		return unstated
	case *s.RAMGb <= *m.RAMGb:
		return enough
	}
	return missed
}

func (m *Machine) compareVRAM(s *Setup, gpu string, onProcessor, otherVendor bool) comparison {
	// The card of the machine is no use to a setup that needs one of another maker.
	unusable := m.GPUVendor != "" && gpu != gpuNone && (otherVendor && s.VRAMGb != nil || s.GPUVendor != nil && *s.GPUVendor != m.GPUVendor)
	switch {
	case unusable && onProcessor:
		return unstated
	case unusable:
		return missed
	case m.VRAMGb == nil:
		return enough
	case s.VRAMGb == nil && (gpu == gpuNone || gpu == gpuOptional && s.GPUVendor == nil):
		return enough
	case s.VRAMGb == nil:
		return unstated
	case *s.VRAMGb <= *m.VRAMGb:
		return enough
	case onProcessor:
		return unstated
	}
	return missed
}
