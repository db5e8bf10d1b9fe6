package hardware_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"catalog.example/api/hardware"
)

// modelCases is testdata/models.json: tools and their runners, with the largest size of model on
// some machines. The page code is held to the same cases.
type modelCases struct {
	Models struct {
		hardware.Models
		Sizes []struct {
			hardware.ModelSize
			MemoryGb float64
		}
	}
	Unified []string // makers whose GPUs use the main memory
	Cases   []struct {
		Name string
		caseNeeds
		Runners []struct {
			Slug   string
			IsTool bool
			caseNeeds
		}
		Machines []struct {
			hardware.Machine
			Largest *hardware.LargestModel
		}
	}
}

// caseNeeds has the fields of hardware.Needs by their names in JSON.
type caseNeeds struct {
	GPU        string
	Arch       []string
	GPUVendors []string
	Systems    []string
	Own        []string
	Setups     []hardware.Setup
	Estimate   *hardware.Estimate
}

func TestLargestModel(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/models.json")
	if err != nil {
		t.Fatal(err)
	}
	var file modelCases
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	models := file.Models.Models
	for _, s := range file.Models.Sizes {
		models.Sizes = append(models.Sizes, s.ModelSize)
		if got := models.MemoryGb(&s.ModelSize); got != s.MemoryGb {
			t.Errorf("%s takes %v GB, want %v", s.Name, got, s.MemoryGb)
		}
	}
	for _, c := range file.Cases {
		tool := hardware.Needs(c.caseNeeds)
		var runners []hardware.Runner
		for _, r := range c.Runners {
			needs := hardware.Needs(r.caseNeeds)
			runners = append(runners, hardware.Runner{Slug: r.Slug, Needs: &needs, IsTool: r.IsTool})
		}
		for _, m := range c.Machines {
			isUnified := slices.Contains(file.Unified, m.GPUVendor)
			got, ok := models.LargestOn(&m.Machine, isUnified, &tool, runners)
			if ok != (m.Largest != nil) || ok && got != *m.Largest {
				asked, _ := json.Marshal(m.Machine)
				want, _ := json.Marshal(m.Largest)
				t.Errorf("%s on %s: got %v (%v), want %s", c.Name, asked, got, ok, want)
			}
		}
	}
}

// The arithmetic agrees with what was measured on cards: the process and the weights, without a
// context.
func TestMeasuredMemory(t *testing.T) {
	t.Parallel()
	models := hardware.Models{ProcessGb: 0.6}
	for _, c := range []struct{ parameters, bits, measured float64 }{
		{6.74, 16, 13.2}, {6.74, 8, 6.9}, {6.74, 4.5, 4.1}, {14.77, 16, 28.2}, {14.77, 8, 14.4}, {14.77, 4.5, 8.4},
		{32.8, 16, 61.7}, {32.8, 8, 31.2}, {32.8, 4.5, 17.8},
	} {
		got := models.MemoryGb(&hardware.ModelSize{Parameters: c.parameters, Bits: c.bits})
		if got < c.measured-0.05 || got > c.measured+0.15 {
			t.Errorf("%v billion parameters in %v bits: computed %v GB, measured %v GB", c.parameters, c.bits, got, c.measured)
		}
	}
}
