package api

import (
	"slices"
	"strconv"

	"catalog.example/api/hardware"
)

// SetupsKey is the key of setups in front matter and in its sources.
const SetupsKey = "setups"

// EstimateKey is the key of the estimate in front matter.
const EstimateKey = "estimate"

// RunsWithKey is the key of the listings that run a tool's models.
const RunsWithKey = "runsWith"

// The keys of the facts that verdicts read.
const (
	GPUKey        = "gpu"
	ArchKey       = "arch"
	GPUVendorsKey = "gpuVendors"
)

// NeedsOf returns the facts of a listing that verdicts read. A setup that names no system applies
// to the systems on which the listing itself runs. These exclude a phone that only shows the pages
// of a server: it does not need the server's memory, and cannot run the server. A listing for phones
// and the browser is no server: its pages are the program.
func (t *Taxonomy) NeedsOf(p *Project) hardware.Needs {
	n := hardware.Needs{Setups: slices.Clone(p.FitNotes.Setups()), Estimate: p.Estimate}
	all, own := t.SystemsOf(p.Platforms)
	n.Systems = all
	for i := range n.Setups {
		if len(n.Setups[i].System) == 0 {
			n.Setups[i].System = own
		}
	}
	desktops := t.PossibleSystems(&hardware.Machine{})
	if slices.ContainsFunc(own, func(system string) bool { return slices.Contains(desktops, system) }) {
		n.Own = own
	}
	n.GPU, _ = p.FitNotes.Get(GPUKey).(string)
	n.Arch, _ = p.FitNotes.Get(ArchKey).([]string)
	n.GPUVendors, _ = p.FitNotes.Get(GPUVendorsKey).([]string)
	return n
}

// SetSetups stores the setups of a listing in the fact of kind FactSetups, and sets the facts that
// follow from them.
func (v FactValues) SetSetups(facts []Fact, setups []hardware.Setup) {
	for i := range facts {
		switch f := &facts[i]; {
		case f.Kind == FactSetups:
			setups = slices.Clone(setups)
			for i := range setups {
				if setups[i].System == nil {
					setups[i].System = []string{}
				}
			}
			v.Set(f.Key, setups)
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

// AppendEstimate appends an estimate as encoding/json encodes it. because is the JSON of e.Because.
func AppendEstimate(b []byte, e *hardware.Estimate, because []byte) []byte {
	b = appendNumber(append(b, `{"ramGb":`...), e.RAMGb)
	b = appendNumber(append(b, `,"vramGb":`...), e.VRAMGb)
	return append(append(append(b, `,"because":`...), because...), '}')
}

func appendNumber(b []byte, n *float64) []byte {
	if n == nil {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, *n, 'f', -1, 64)
}
