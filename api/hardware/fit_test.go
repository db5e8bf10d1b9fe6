package hardware_test

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"catalog.example/api/hardware"
)

// fitCase is a listing of testdata/fit.json with the fit for some machines. The page code is
// held to the same cases.
type fitCase struct {
	Name       string
	GPU        string
	Arch       []string
	GPUVendors []string
	Systems    []string
	Own        []string
	Setups     []hardware.Setup
	Estimate   *hardware.Estimate
	Machines   []struct {
		hardware.Machine
		Fit hardware.Fit
	}
}

func TestVerdicts(t *testing.T) {
	text, err := os.ReadFile("testdata/fit.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []fitCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		needs := hardware.Needs{GPU: c.GPU, Arch: c.Arch, GPUVendors: c.GPUVendors, Systems: c.Systems, Own: c.Own, Setups: c.Setups, Estimate: c.Estimate}
		for _, m := range c.Machines {
			judgement := m.Judge(&needs, nil)
			if got := judgement.Fit(&needs); !reflect.DeepEqual(got, m.Fit) {
				asked, _ := json.Marshal(m.Machine)
				is, _ := json.Marshal(got)
				want, _ := json.Marshal(m.Fit)
				t.Errorf("%s on %s:\n got %s\nwant %s", c.Name, asked, is, want)
			}
		}
	}
}

func TestReadSize(t *testing.T) {
	t.Parallel()
	ram := []float64{0.5, 1, 2, 3, 4, 6, 8, 12, 16, 18, 24, 32, 36, 48, 64, 96, 128}
	vram := []float64{4, 6, 8, 10, 11, 12, 16, 20, 24, 32, 40, 48, 80, 94, 96, 128, 141}
	for _, c := range []struct {
		sizes    []float64
		gb, want float64
	}{
		{ram, 15, 16}, {ram, 15.3, 16}, {ram, 7.6, 8}, {ram, 11, 12}, {ram, 125, 128}, {ram, 16, 16}, {ram, 10, 10}, {ram, 0, 0}, {ram, 1.9, 2}, {ram, 1.6, 1.6}, {ram, 2.5, 2.5}, {ram, 500, 500},
		{vram, 23, 24}, {vram, 14.75, 16}, {vram, 22, 24}, {vram, 44.4, 48}, {vram, 79.2, 80}, {vram, 139.8, 141}, {vram, 11, 11}, {vram, 143771. / 1024, 141}, {vram, 81559. / 1024, 80},
	} {
		if got := hardware.ReadSize(c.gb, c.sizes); got != c.want {
			t.Errorf("%v: got %v, want %v", c.gb, got, c.want)
		}
	}
}
