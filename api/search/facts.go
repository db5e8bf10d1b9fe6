package search

import (
	"encoding/binary"
	"math"

	"catalog.example/api"
)

// facts are what filters, facets and hints ask of a listing. They lie in the
// file in factsSize bytes for each listing:
//
//	4  number of its category in facetTables
//	4  number of its set of platforms
//	4  number of its set of licences
//	4  flags, from the lowest: two bits each for docker, beginner, selfHosted
//	   and gpu, 0 where unknown
//	4  least main memory in gigabytes, as a 32-bit float, NaN where unknown
//	4  least graphics memory, likewise
type facts struct {
	category, platforms, licenses uint32
	flags                         uint32
	minRAM, minVRAM               float32
}

const factsSize = 24

// Where flags lie, and the values that they have.
const (
	flagDocker     = 0
	flagBeginner   = 2
	flagSelfHosted = 4
	flagGPU        = 6
	// facetFlags is how many values the flags have.
	facetFlags = 1 << 8

	flagUnknown = 0
	flagNo      = 1
	flagYes     = 2
	// The values of flagGPU are the positions in api.GPUValues and one.
	gpuNone, gpuOptional, gpuRequired = 1, 2, 3
)

// flag returns the value of one flag.
func (f *facts) flag(at int) uint32 { return f.flags >> at & 3 }

func factFlags(n *api.FitNotes) uint32 {
	boolean := func(b *bool) uint32 {
		switch {
		case b == nil:
			return flagUnknown
		case *b:
			return flagYes
		default:
			return flagNo
		}
	}
	flags := boolean(n.Docker)<<flagDocker | boolean(n.Beginner)<<flagBeginner | boolean(n.SelfHosted)<<flagSelfHosted
	for i, v := range api.GPUValues {
		if n.GPU != nil && *n.GPU == v {
			flags |= uint32(i+1) << flagGPU // #nosec G115 -- at most 3
		}
	}
	return flags
}

func memory(gb *float64) float32 {
	if gb == nil {
		return float32(math.NaN())
	}
	return float32(*gb)
}

func (f *facts) encode(dst []byte) []byte {
	for _, n := range []uint32{f.category, f.platforms, f.licenses, f.flags, math.Float32bits(f.minRAM), math.Float32bits(f.minVRAM)} {
		dst = binary.LittleEndian.AppendUint32(dst, n)
	}
	return dst
}

// factsOf reads the facts of a listing.
func factsOf(column []byte, doc int) facts {
	b := column[doc*factsSize : doc*factsSize+factsSize]
	return facts{
		binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:]),
		binary.LittleEndian.Uint32(b[12:]),
		math.Float32frombits(binary.LittleEndian.Uint32(b[16:])), math.Float32frombits(binary.LittleEndian.Uint32(b[20:])),
	}
}

// facetTables tell what the numbers in facts stand for.
type facetTables struct {
	Categories []string   `json:"categories"`
	Platforms  [][]string `json:"platforms"` // distinct sets
	Licenses   [][]string `json:"licenses"`  // distinct sets of licences that alone suffice
}
