package hardware_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"catalog.example/api/hardware"
)

// fitCase is a listing of testdata/fit.json with the verdicts for some machines. The page
// code is held to the same cases.
type fitCase struct {
	Name       string
	GPU        string
	Arch       []string
	GPUVendors []string
	Setups     []hardware.Setup
	Machines   []struct {
		RAMGb, VRAMGb   *float64
		Arch, GPUVendor string
		Verdict         hardware.Verdict
		Setups          []string
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
		needs := hardware.Needs{GPU: c.GPU, Arch: c.Arch, GPUVendors: c.GPUVendors, Setups: c.Setups}
		for _, m := range c.Machines {
			machine := hardware.Machine{RAMGb: m.RAMGb, VRAMGb: m.VRAMGb, Arch: m.Arch, GPUVendor: m.GPUVendor}
			verdict, met := machine.Verdict(&needs, nil)
			setups := needs.Uses(met)
			if verdict != m.Verdict || !slices.Equal(setups, m.Setups) {
				asked, _ := json.Marshal(machine)
				t.Errorf("%s on %s: got %s %q, want %s %q", c.Name, asked, verdict, setups, m.Verdict, m.Setups)
			}
		}
	}
}
