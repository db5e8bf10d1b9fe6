package search

import (
	"encoding/binary"
	"math"

	"catalog.example/api"
)

// facts are what facets count of a listing. They lie in the file in factsSize
// bytes for each listing, so few that many lie in a line of a core's cache:
//
//	2  number of its category in facetTables
//	2  number of its set of platforms
//	2  number of its set of licences
//	1  flags, from the lowest: two bits each for docker, beginner, selfHosted
//	   and gpu, 0 where unknown
//	1  zero
//
// Where there are more than maxNumbered of one, what is beyond them has the
// number maxNumbered, and facets are counted by the lists of their values alone.
type facts uint64

const (
	factsSize   = 8
	maxNumbered = 1<<16 - 1
)

func newFacts(category, platforms, licenses, flags uint32) facts {
	return facts(min(category, maxNumbered)) | facts(min(platforms, maxNumbered))<<16 | facts(min(licenses, maxNumbered))<<32 | facts(flags)<<48
}

func (f facts) category() int  { return int(f & maxNumbered) }       // #nosec G115 -- 16 bits
func (f facts) platforms() int { return int(f >> 16 & maxNumbered) } // #nosec G115 -- 16 bits
func (f facts) licenses() int  { return int(f >> 32 & maxNumbered) } // #nosec G115 -- 16 bits
func (f facts) flags() int     { return int(f >> 48 & 0xff) }        // #nosec G115 -- 8 bits

// flag returns the value of one flag.
func (f facts) flag(at int) int { return f.flags() >> at & 3 }

// factsOf reads the facts of a listing.
func factsOf(column []byte, doc int) facts {
	return facts(binary.LittleEndian.Uint64(column[doc*factsSize:]))
}

// memoryNeed is what a listing needs of main and of graphics memory, in gigabytes,
// NaN where unknown. It lies in the file as two 32-bit floats.
type memoryNeed struct{ ram, vram float32 }

const memorySize = 8

func (m memoryNeed) encode(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(m.ram))
	return binary.LittleEndian.AppendUint32(dst, math.Float32bits(m.vram))
}

// memoryOf reads the need of a listing.
func memoryOf(column []byte, doc int) memoryNeed {
	b := column[doc*memorySize : doc*memorySize+memorySize]
	return memoryNeed{math.Float32frombits(binary.LittleEndian.Uint32(b)), math.Float32frombits(binary.LittleEndian.Uint32(b[4:]))}
}

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

// facetTables tell what the numbers in facts stand for.
type facetTables struct {
	Categories []string   `json:"categories"`
	Platforms  [][]string `json:"platforms"` // distinct sets
	Licenses   [][]string `json:"licenses"`  // distinct sets of licences that alone suffice
}
