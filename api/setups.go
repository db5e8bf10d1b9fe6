package api

import (
	"slices"
	"strconv"

	"catalog.example/api/hardware"
)

// SetupsKey is the key of setups in front matter and in its sources.
const SetupsKey = "setups"

// The keys of the facts that verdicts read.
const (
	GPUKey        = "gpu"
	ArchKey       = "arch"
	GPUVendorsKey = "gpuVendors"
)

// NeedsOf returns the facts of a listing that verdicts read.
func NeedsOf(v FactValues) hardware.Needs {
	var n hardware.Needs
	n.GPU, _ = v.Get(GPUKey).(string)
	n.Arch, _ = v.Get(ArchKey).([]string)
	n.GPUVendors, _ = v.Get(GPUVendorsKey).([]string)
	n.Setups = v.Setups()
	return n
}

// SetSetups stores the setups of a listing in the fact of that kind, and the facts that
// follow from them.
func (v FactValues) SetSetups(facts []Fact, setups []hardware.Setup) {
	for i := range facts {
		switch f := &facts[i]; {
		case f.Kind == FactSetups:
			v.Set(f.Key, slices.Clone(setups))
		case f.Derived != nil:
			v.Set(f.Key, f.Derived.Value(setups))
		}
	}
}

// Setups returns the setups of a listing.
func (v FactValues) Setups() []hardware.Setup {
	for i := range v {
		if setups, ok := v[i].Value.([]hardware.Setup); ok {
			return setups
		}
	}
	return nil
}

// appendSetup appends a setup as encoding/json encodes it.
func appendSetup(b []byte, s *hardware.Setup) []byte {
	number := func(key string, n *float64) {
		b = append(AppendString(b, key), ':')
		if n == nil {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendFloat(b, *n, 'f', -1, 64)
		}
		b = append(b, ',')
	}
	text := func(key string, t *string) {
		b = append(AppendString(b, key), ':')
		if t == nil {
			b = append(b, "null"...)
		} else {
			b = AppendString(b, *t)
		}
		b = append(b, ',')
	}
	b = append(b, '{')
	text("for", &s.For)
	number("ramGb", s.RAMGb)
	number("vramGb", s.VRAMGb)
	number("diskGb", s.DiskGb)
	text("gpuVendor", s.GPUVendor)
	text("level", &s.Level)
	text("source", s.Source)
	b[len(b)-1] = '}'
	return b
}
