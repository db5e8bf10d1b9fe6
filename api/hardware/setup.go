package hardware

import "strings"

// Setup is one use of a tool and the hardware that the use needs. In front matter, setups are a
// list at the top level.
type Setup struct {
	For             string   `json:"for" jsonschema:"The use that the figures are stated for."`
	RAMGb           *float64 `json:"ramGb" jsonschema:"RAM in gigabytes; null if not stated."`
	VRAMGb          *float64 `json:"vramGb" jsonschema:"Graphics memory (VRAM) in gigabytes; null if not stated."`
	DiskGb          *float64 `json:"diskGb" jsonschema:"Disk space in gigabytes; null if not stated."`
	System          []string `json:"system" jsonschema:"The operating systems that the figures hold for; empty for any."`
	GPUVendor       *string  `json:"gpuVendor" jsonschema:"Maker of the graphics card that this use needs; null for any."`
	ModelsElsewhere bool     `json:"modelsElsewhere" jsonschema:"True if the figures do not cover the tool together with its model, which runs in another program or on a service. They decide no fit."`
	// Level is one of Levels.
	Level  string  `json:"level" jsonschema:"minimum: the least with which it does something useful; recommended: what its makers advise; example: what one use took, which rules out no computer."`
	Source *string `json:"source" jsonschema:"URL or citation that the figures were read from; null if sources.setups has it."`
	// Measured is only set for the level LevelExample.
	Measured *Measured `json:"measured" jsonschema:"How the editors of the catalogue measured the figures; null if they did not, so that the figures are what the source states."`
}

// Measured says how the editors of a catalogue measured the figures of a setup.
type Measured struct {
	Version string  `json:"version" jsonschema:"The version that was measured."`
	Date    string  `json:"date" jsonschema:"Day of the measurement."`
	OS      string  `json:"os" jsonschema:"The operating system and the processor that it ran on."`
	How     string  `json:"how" jsonschema:"What was read: memory, disk space and the time until it was ready."`
	Job     *string `json:"job" jsonschema:"The job that it did while it was measured; null if it was only started. Then the figures decide no fit."`
}

// StartedOnly reports whether the figures were measured while the program was only started. What a
// job takes is then unknown, so the setup decides no verdict.
func (s *Setup) StartedOnly() bool { return s.Measured != nil && s.Measured.Job == nil }

// String returns a measurement in words: "measured by our editors: version 1.2, 2026-11-29,
// Debian 12, answers one chat".
func (m *Measured) String() string {
	job := "only started"
	if m.Job != nil {
		job = *m.Job
	}
	return strings.Join([]string{"measured by our editors: version " + m.Version, m.Date, m.OS, job}, ", ")
}

// The levels of a setup.
const (
	LevelMinimum     = "minimum"     // the least that is needed to do something useful; the default
	LevelRecommended = "recommended" // what its makers advise
	LevelExample     = "example"     // what one use took; it never rules a machine out
)

// Levels lists the levels of a setup.
var Levels = []string{LevelMinimum, LevelRecommended, LevelExample}

// Estimate is an editor's judgement of the hardware that the main job of a tool needs. It is not a
// fact, so it is called an estimate wherever it is shown.
type Estimate struct {
	// RAMGb and VRAMGb each hold one of Steps; VRAMGb may also be 0.
	RAMGb   *float64 `json:"ramGb" jsonschema:"RAM in gigabytes; null where its makers state it."`
	VRAMGb  *float64 `json:"vramGb" jsonschema:"Graphics memory (VRAM) in gigabytes; 0: it works well without a graphics card; null where its makers state it."`
	Because string   `json:"because" jsonschema:"The reason, in a few words."`
}

// Unstated returns the estimated RAM and VRAM that no minimum setup states. It leaves out VRAM of 0. The
// estimate may be nil.
func (e *Estimate) Unstated(setups []Setup) (ramGb, vramGb *float64) {
	if e == nil {
		return nil, nil
	}
	if LeastMinimum(setups, DeriveRAM) == nil {
		ramGb = e.RAMGb
	}
	if e.VRAMGb != nil && *e.VRAMGb > 0 && LeastMinimum(setups, DeriveVRAM) == nil {
		vramGb = e.VRAMGb
	}
	return ramGb, vramGb
}

// Steps lists the figures that estimates may give, in gigabytes.
var Steps = []float64{0.5, 1, 2, 4, 6, 8, 10, 12, 16, 24, 32, 48, 64, 80}

// MaxGb bounds figures of memory, and MaxDiskGb figures of disk space, in gigabytes.
const (
	MaxGb     = 4096
	MaxDiskGb = 100_000
)

// Derivation says how a fact follows from the setups.
type Derivation struct {
	Of    string `json:"of"`    // DeriveRAM, DeriveVRAM or DeriveFor
	Level string `json:"level"` // the level of the setups; "" for DeriveFor
}

// The values of Derivation.Of.
const (
	DeriveRAM  = "ramGb"  // the least RAM of the setups of a level
	DeriveVRAM = "vramGb" // the least VRAM of the setups of a level
	DeriveFor  = "for"    // the use that the first stated figure is for: minimum first, then recommended
)

// Value returns the value of the derived fact: a float64, a string, or nil if unknown.
func (d *Derivation) Value(setups []Setup) any {
	if d.Of != DeriveFor {
		if least := leastSetup(setups, d.Of, d.Level); least != nil {
			return *least.gb(d.Of)
		}
		return nil
	}
	for _, level := range []string{LevelMinimum, LevelRecommended} {
		for _, of := range []string{DeriveRAM, DeriveVRAM} {
			if least := leastSetup(setups, of, level); least != nil {
				return least.For
			}
		}
	}
	return nil
}

// leastSetup returns the setup that states the least RAM or VRAM of a level, or nil.
func leastSetup(setups []Setup, of, level string) (least *Setup) {
	for i := range setups {
		s := &setups[i]
		if s.Level == level && s.gb(of) != nil && (least == nil || *s.gb(of) < *least.gb(of)) {
			least = s
		}
	}
	return least
}

// LeastMinimum returns the least RAM or VRAM (DeriveRAM, DeriveVRAM) of the minimum setups; nil if
// they state none.
func LeastMinimum(setups []Setup, of string) *float64 {
	if least := LeastMinimumSetup(setups, of); least != nil {
		return least.gb(of)
	}
	return nil
}

// LeastMinimumSetup returns the minimum setup that states the least RAM or VRAM (DeriveRAM,
// DeriveVRAM); nil if none states any.
func LeastMinimumSetup(setups []Setup, of string) *Setup {
	return leastSetup(setups, of, LevelMinimum)
}

func (s *Setup) gb(of string) *float64 {
	if of == DeriveVRAM {
		return s.VRAMGb
	}
	return s.RAMGb
}

// Needs returns the hardware of a setup in words: "8 GB RAM, 6 GB VRAM, NVIDIA". label returns
// the label of a maker of graphics cards or of a system.
func (s *Setup) Needs(label func(slug string) string) string {
	var parts []string
	for _, figure := range []struct {
		gb   *float64
		name string
	}{{s.RAMGb, "RAM"}, {s.VRAMGb, "VRAM"}, {s.DiskGb, "disk"}} {
		if figure.gb != nil {
			parts = append(parts, FormatGb(*figure.gb)+" GB "+figure.name)
		}
	}
	if s.GPUVendor != nil {
		parts = append(parts, label(*s.GPUVendor))
	}
	for _, system := range s.System {
		parts = append(parts, label(system))
	}
	if s.ModelsElsewhere {
		parts = append(parts, "model elsewhere")
	}
	return strings.Join(parts, ", ")
}

// String returns the setup in words: "7B models: 8 GB RAM (example)", or with how it was
// measured in place of the level.
func (s *Setup) String() string {
	text := s.For + ": " + s.Needs(func(slug string) string { return slug })
	switch {
	case s.Measured != nil:
		text += " (" + s.Measured.String() + ")"
	case s.Level != LevelMinimum:
		text += " (" + s.Level + ")"
	}
	return text
}

// Says is like String, for readers to whom quote marks what the listing says in its own words. It always names the
// level, and writes slugs in capitals.
func (s *Setup) Says(quote func(string) string) string {
	how := s.Level
	if s.Measured != nil {
		how = quote(s.Measured.String())
	}
	return quote(s.For) + ": " + s.Needs(strings.ToUpper) + " (" + how + ")"
}

// Text returns setups in words.
func Text(setups []Setup) string {
	texts := make([]string, len(setups))
	for i := range setups {
		texts[i] = setups[i].String()
	}
	return strings.Join(texts, "; ")
}
