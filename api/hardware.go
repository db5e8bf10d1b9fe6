package api

import (
	"math"
	"strconv"
)

// Hardware is a graphics card or a computer that people name in searches (contract 10): an
// entry of taxonomy/hardware.yml.
type Hardware struct {
	Name    string   `json:"name"`
	Aliases []string `json:"aliases"` // other names that people type
	Kind    string   `json:"kind"`    // HardwareCard or HardwareComputer
	Vendor  string   `json:"vendor"`  // maker of the GPU: an option of the fact gpuVendors; "" for no usable GPU
	Arch    string   `json:"arch"`    // of a computer: an option of the fact arch
	// MemoryGb are the sizes sold, in gigabytes: VRAM of a card, RAM of a computer. The first
	// is meant where nobody says which.
	MemoryGb []float64 `json:"memoryGb"`
	// Unified means that processor and GPU share the memory. Share is the part of it, from 0
	// to 1, that the GPU may use; nil if it is not known.
	Unified     bool     `json:"unified"`
	Share       *float64 `json:"share"`
	Source      string   `json:"source"`      // address of a page that states the memory
	ShareSource string   `json:"shareSource"` // address of a page that states the share
}

// The values of Hardware.Kind.
const (
	HardwareCard     = "card"
	HardwareComputer = "computer"
)

// Filters returns the filters of a search for the hardware with that much memory, in
// gigabytes.
func (h *Hardware) Filters(gb float64) Filters {
	f := Filters{}
	set := func(name, value string) {
		if value != "" {
			f[name] = []string{value}
		}
	}
	number := func(name string, n float64) { set(name, strconv.FormatFloat(math.Round(n*10)/10, 'f', -1, 64)) }
	switch {
	case h.Kind == HardwareCard:
		number("vramGb", gb)
	case h.Unified:
		number("ramGb", gb)
		if h.Share != nil {
			number("vramGb", gb**h.Share)
		}
	default:
		number("ramGb", gb)
		number("vramGb", 0)
	}
	set("gpuVendor", h.Vendor)
	set("arch", h.Arch)
	return f
}

// MachineParameters are the parameters that name the user's computer, in the order in which
// warnings and pages name them.
var MachineParameters = []string{"ramGb", "vramGb", "gpuVendor", "arch"}
