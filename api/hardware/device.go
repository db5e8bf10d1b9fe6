package hardware

import (
	"maps"
	"math"
	"slices"
)

// Table describes the computers that people name (taxonomy/hardware.yml).
type Table struct {
	Sizes   Sizes    `json:"sizes"`
	Words   Words    `json:"words"`
	Devices []Device `json:"devices"`
}

// Device returns the device with a name, or nil.
func (t *Table) Device(name string) *Device {
	for i := range t.Devices {
		if t.Devices[i].Name == name {
			return &t.Devices[i]
		}
	}
	return nil
}

// UnifiedVendors returns the makers whose GPUs all use the main memory. A series tells nothing of its memory.
func (t *Table) UnifiedVendors() []string {
	unified := map[string]bool{}
	for i := range t.Devices {
		d := &t.Devices[i]
		if others, seen := unified[d.Vendor]; d.Vendor != "" && d.Kind != KindSeries {
			unified[d.Vendor] = d.Unified && (others || !seen)
		}
	}
	maps.DeleteFunc(unified, func(_ string, all bool) bool { return !all })
	return slices.Sorted(maps.Keys(unified))
}

// Words holds words and phrases with which people describe a computer. Such a word is not searched
// for if it stands beside the name or the memory of a computer.
type Words struct {
	RAM  []string `json:"ram"`  // memory beside them is RAM
	VRAM []string `json:"vram"` // memory beside them is VRAM
	Disk []string `json:"disk"` // memory beside them is disk space, which is not compared
	// Computer holds words for a computer ("laptop"), and Brand the names of makers ("dell").
	// Memory beside them is RAM. By themselves, they are searched for.
	Computer []string `json:"computer"`
	Brand    []string `json:"brand"`
	// Vague holds words that mean the computer unless another word stands right before them: the
	// "server" in "mcp server" is not a computer.
	Vague []string `json:"vague"`
	// Product holds names of computers that are sold with many sizes of memory ("thinkpad"). They
	// are never searched for.
	Product []string `json:"product"`
	// Card holds words for a graphics card. CardOf maps a maker to words for its cards ("geforce").
	// Memory beside any of them is VRAM.
	Card   []string            `json:"card"`
	CardOf map[string][]string `json:"cardOf"`
	// Printed holds words that devices print beside their name ("laptop gpu", "hbm3").
	Printed []string `json:"printed"`
	// Variant holds words that turn a name into the name of another product ("ti", "ultra"): an
	// "RTX 9999 Ti" is not an RTX 9999.
	Variant []string `json:"variant"`
	// System maps an operating system, a platform, to words for a computer or phone that runs it.
	System map[string][]string `json:"system"`
	// Filter maps a parameter with its value, such as "vramGb=0", to wordings that mean the same.
	Filter map[string][]string `json:"filter"`
	// Elsewhere holds words in setups that say that the model runs elsewhere.
	Elsewhere []string `json:"elsewhere"`
	// Other holds phrases that contain the name of a device but mean something else.
	Other []string `json:"other"`
}

// Lists returns the fields that are plain lists, by their JSON keys.
func (w *Words) Lists() map[string][]string {
	return map[string][]string{
		"ram": w.RAM, "vram": w.VRAM, "disk": w.Disk, "computer": w.Computer, "brand": w.Brand, "vague": w.Vague,
		"product": w.Product,
		"card":    w.Card, "printed": w.Printed, "variant": w.Variant, "elsewhere": w.Elsewhere, "other": w.Other,
	}
}

// Device is a graphics card, a processor, a computer or a phone that people name in searches.
type Device struct {
	Name    string   `json:"name"`
	Aliases []string `json:"aliases"` // other names that people type
	Kind    string   `json:"kind"`    // one of Kinds
	Vendor  string   `json:"vendor"`  // maker of the GPU: an option of the fact gpuVendors; "" for no usable GPU
	Arch    string   `json:"arch"`    // an option of the fact arch; "" for cards
	System  string   `json:"system"`  // its operating system, a platform; "" if several run on it
	// MemoryGb lists the sizes sold, in gigabytes: VRAM for a card, otherwise RAM. See AssumedGb. A
	// processor has none.
	MemoryGb []float64 `json:"memoryGb"`
	// Unified means that processor and GPU share the memory. Shares says how much of it the GPU may
	// use, for ascending sizes of memory; it is empty if that is not known.
	Unified bool    `json:"unified"`
	Shares  []Share `json:"shares"`
	Source  string  `json:"source"` // address of a page that states the memory, or what the device is
}

// Share says how much of unified memory the GPU may use.
type Share struct {
	FromGb float64 `json:"fromGb"` // applies to memory of this size and more
	Share  float64 `json:"share"`  // fraction of the memory: more than 0, at most 1
	Source string  `json:"source"` // address of a page that states the share
}

// The values of Device.Kind.
const (
	KindCard      = "card"
	KindProcessor = "processor" // or the graphics in one; neither tells the size of memory
	KindComputer  = "computer"
	KindPhone     = "phone"  // or tablet
	KindSeries    = "series" // devices of one name with various memory and graphics, of which it tells nothing
)

// Kinds lists the kinds of devices.
var Kinds = []string{KindCard, KindProcessor, KindComputer, KindPhone, KindSeries}

// Machine returns the computer that has, or is, the device. gb is its memory in gigabytes; nil if
// unknown.
func (d *Device) Machine(gb *float64) Machine {
	m := Machine{Arch: d.Arch, GPUVendor: d.Vendor, System: d.System}
	switch {
	case d.Kind == KindCard:
		m.VRAMGb = gb
	case d.Unified && gb != nil:
		m.RAMGb, m.VRAMGb = gb, d.shareOf(*gb)
	case d.IsIntegrated():
		m.RAMGb, m.VRAMGb, m.GPUVendor = gb, new(float64), ""
	default:
		m.RAMGb = gb
		if d.Kind == KindComputer && d.Vendor == "" {
			m.VRAMGb = new(float64) // no graphics card
		}
	}
	return m
}

// IsIntegrated reports whether the device is the graphics of a processor whose memory does not count: a
// computer that has only these has no graphics card.
func (d *Device) IsIntegrated() bool { return d.Kind == KindProcessor && d.Vendor != "" && !d.Unified }

// AssumedGb returns the memory that is assumed if none is stated: the usual size of a card, or the only
// size of another device. It returns nil for none: a computer that is sold with 8 or 16 GB has neither
// until somebody says so.
func (d *Device) AssumedGb() *float64 {
	if len(d.MemoryGb) == 0 || d.Kind != KindCard && len(d.MemoryGb) > 1 {
		return nil
	}
	return &d.MemoryGb[0]
}

// IsOpen reports whether the device is a computer or phone whose memory has to be asked for.
func (d *Device) IsOpen() bool {
	return d.Kind != KindCard && d.Kind != KindProcessor && d.AssumedGb() == nil
}

// shareOf returns how much of the memory the GPU may use, in gigabytes rounded to a tenth; nil if
// unknown.
func (d *Device) shareOf(gb float64) (part *float64) {
	for _, s := range d.Shares {
		if gb >= s.FromGb {
			n := math.Round(gb*s.Share*10) / 10
			part = &n
		}
	}
	return part
}
