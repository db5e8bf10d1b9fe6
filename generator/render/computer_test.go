package render

import (
	"testing"

	"catalog.example/api"
	"catalog.example/api/hardware"
)

func TestScriptHardware(t *testing.T) {
	h := newScriptHardware(&hardware.Table{
		Words: hardware.Words{Variant: []string{"ti"}, CardOf: map[string][]string{"nvidia": {"geforce"}}},
		Devices: []hardware.Device{
			{Name: "RTX 3060", Aliases: []string{"3060"}, Kind: hardware.KindCard, Vendor: "nvidia", MemoryGb: []float64{12, 8}},
			{Name: "UHD 620", Kind: hardware.KindProcessor, Vendor: "intel", Arch: "amd64"},
			{Name: "M1", Kind: hardware.KindComputer, Vendor: "apple", MemoryGb: []float64{8}, Unified: true, Shares: []hardware.Share{{Share: 0.5}}},
			{Name: "M series", Kind: hardware.KindProcessor, Vendor: "apple", Unified: true},
		},
	})
	got, err := api.JSON(h)
	if err != nil {
		t.Fatal(err)
	}
	// Graphics in a processor are no card, unless all of their maker use the main memory.
	const want = `{"help":"","devices":[` +
		`{"names":["RTX 3060","3060"],"sizes":[{"name":"RTX 3060 (12 GB)","size":"12 GB","filters":{"gpuVendor":"nvidia","vramGb":12}},{"name":"RTX 3060 (8 GB)","size":"8 GB","filters":{"gpuVendor":"nvidia","vramGb":8}}]},` +
		`{"names":["UHD 620"],"integrated":true,"sizes":[{"name":"UHD 620","filters":{"arch":"amd64","gpuVendor":"intel"}}]},` +
		`{"names":["M1"],"sizes":[{"name":"M1 (8 GB)","size":"8 GB","filters":{"gpuVendor":"apple","ramGb":8,"vramGb":4}}]},` +
		`{"names":["M series"],"sizes":[{"name":"M series","filters":{"gpuVendor":"apple"}}]}],` +
		`"variant":["ti"],"cardOf":{"nvidia":["geforce"]}}`
	if string(got) != want {
		t.Errorf("the script gets\n%s, want\n%s", got, want)
	}
}
