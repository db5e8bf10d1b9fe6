package hardware

import "math"

// Device is a graphics card or a computer that people name in searches (contract 10): an
// entry of taxonomy/hardware.yml.
type Device struct {
	Name    string   `json:"name"`
	Aliases []string `json:"aliases"` // other names that people type
	Kind    string   `json:"kind"`    // KindCard or KindComputer
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

// The values of Device.Kind.
const (
	KindCard     = "card"
	KindComputer = "computer"
)

// Machine returns the machine with the device and that much of its memory, in gigabytes.
func (h *Device) Machine(gb float64) Machine {
	m := Machine{Arch: h.Arch, GPUVendor: h.Vendor}
	tenth := func(n float64) *float64 {
		n = math.Round(n*10) / 10
		return &n
	}
	switch {
	case h.Kind == KindCard:
		m.VRAMGb = tenth(gb)
	case h.Unified:
		m.RAMGb = tenth(gb)
		if h.Share != nil {
			m.VRAMGb = tenth(gb * *h.Share)
		}
	default:
		m.RAMGb, m.VRAMGb = tenth(gb), tenth(0)
	}
	return m
}
