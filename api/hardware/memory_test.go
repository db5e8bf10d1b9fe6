package hardware_test

import (
	"testing"

	"catalog.example/api/hardware"
)

// The least memory of a listing: stated before measured before estimated, of what is for the machine.
func TestLeast(t *testing.T) {
	t.Parallel()
	gb := func(n float64) *float64 { return &n }
	job := &hardware.Measured{Job: new(string)}
	minimum := func(ram, vram *float64, system ...string) hardware.Setup {
		return hardware.Setup{Level: hardware.LevelMinimum, RAMGb: ram, VRAMGb: vram, System: system}
	}
	measured := hardware.Setup{Level: hardware.LevelExample, RAMGb: gb(3), Measured: job}
	started := hardware.Setup{Level: hardware.LevelExample, RAMGb: gb(1), Measured: &hardware.Measured{}}
	elsewhere := hardware.Setup{Level: hardware.LevelExample, RAMGb: gb(1), Measured: job, ModelsElsewhere: true}
	example := hardware.Setup{Level: hardware.LevelExample, RAMGb: gb(2)}
	advised := hardware.Setup{Level: hardware.LevelRecommended, RAMGb: gb(2)}
	estimate := &hardware.Estimate{RAMGb: gb(6), VRAMGb: gb(0)}
	nvidia := hardware.Setup{Level: hardware.LevelMinimum, VRAMGb: gb(4), GPUVendor: new("nvidia")}
	mac := hardware.Machine{System: "macos", Systems: []string{"macos"}, GPUVendor: "apple"}
	for _, test := range []struct {
		name    string
		machine hardware.Machine
		needs   hardware.Needs
		want    hardware.Memory
		use     int
	}{
		{"nothing", mac, hardware.Needs{}, hardware.Memory{}, -1},
		{"an estimate, without VRAM of 0", mac, hardware.Needs{Estimate: estimate}, hardware.Memory{RAMGb: 6, RAMBasis: "estimated"}, -1},
		{"examples and advice say nothing", mac, hardware.Needs{Setups: []hardware.Setup{example, advised, started, elsewhere}, Estimate: estimate}, hardware.Memory{RAMGb: 6, RAMBasis: "estimated"}, -1},
		{"a measurement", mac, hardware.Needs{Setups: []hardware.Setup{example, measured}, Estimate: estimate}, hardware.Memory{RAMGb: 3, RAMBasis: "measured"}, 1},
		{"stated before measured", mac, hardware.Needs{Setups: []hardware.Setup{measured, minimum(gb(8), nil), measured, minimum(gb(4), gb(2))}}, hardware.Memory{RAMGb: 4, RAMBasis: "stated", VRAMGb: 2, VRAMBasis: "stated"}, 3},
		{"another system", mac, hardware.Needs{Setups: []hardware.Setup{minimum(gb(2), nil, "linux"), minimum(gb(4), nil, "macos")}}, hardware.Memory{RAMGb: 4, RAMBasis: "stated"}, 1},
		{"another maker of cards", mac, hardware.Needs{Setups: []hardware.Setup{nvidia}}, hardware.Memory{}, -1},
		{"no machine", hardware.Machine{}, hardware.Needs{Setups: []hardware.Setup{minimum(gb(4), nil, "macos"), minimum(gb(2), nil, "linux"), nvidia}, Estimate: &hardware.Estimate{VRAMGb: gb(8)}},
			hardware.Memory{RAMGb: 2, RAMBasis: "stated", VRAMGb: 4, VRAMBasis: "stated"}, 1},
		{"RAM is stated, VRAM is estimated", mac, hardware.Needs{Setups: []hardware.Setup{minimum(gb(2), nil)}, Estimate: &hardware.Estimate{VRAMGb: gb(8)}},
			hardware.Memory{RAMGb: 2, RAMBasis: "stated", VRAMGb: 8, VRAMBasis: "estimated"}, 0},
	} {
		if got, use := test.machine.Least(&test.needs); got != test.want || use != test.use {
			t.Errorf("%s: %+v of %d, want %+v of %d", test.name, got, use, test.want, test.use)
		}
	}
}
