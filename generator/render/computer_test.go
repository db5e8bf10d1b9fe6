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
			{Name: "M2", Kind: hardware.KindComputer, Vendor: "apple", MemoryGb: []float64{8, 16}, Unified: true},
			{Name: "MacBook", Kind: hardware.KindSeries, System: "macos"},
			{Name: "i7", Kind: hardware.KindProcessor, Arch: "amd64"},
		},
	})
	got, err := api.JSON(h)
	if err != nil {
		t.Fatal(err)
	}
	// Graphics in a processor are no card, unless all of their maker use the main memory.
	const want = `{"help":"","devices":[` +
		`{"names":["RTX 3060","3060"],"sizes":[{"name":"RTX 3060 (12 GB)","size":"12 GB","filters":{"gpuVendor":"nvidia","vramGb":12}},{"name":"RTX 3060 (8 GB)","size":"8 GB","filters":{"gpuVendor":"nvidia","vramGb":8}}]},` +
		`{"names":["UHD 620"],"integrated":true,"sizes":[{"name":"UHD 620","filters":{"arch":"amd64","vramGb":0}}]},` +
		`{"names":["M1"],"sizes":[{"name":"M1 (8 GB)","size":"8 GB","filters":{"gpuVendor":"apple","ramGb":8,"vramGb":4}}]},` +
		`{"names":["M series"],"sizes":[{"name":"M series","filters":{"gpuVendor":"apple"}}]},` +
		`{"names":["M2"],"open":true,"sizes":[{"name":"M2","filters":{"gpuVendor":"apple"}},{"name":"M2 (8 GB)","size":"8 GB","filters":{"gpuVendor":"apple","ramGb":8}},{"name":"M2 (16 GB)","size":"16 GB","filters":{"gpuVendor":"apple","ramGb":16}}]},` +
		`{"names":["MacBook"],"open":true,"sizes":[{"name":"MacBook","filters":{"system":"macos"}}]},` +
		`{"names":["i7"],"integrated":true,"sizes":[{"name":"i7","filters":{"arch":"amd64"}}]}],` +
		`"variant":["ti"],"cardOf":{"nvidia":["geforce"]}}`
	if string(got) != want {
		t.Errorf("the script gets\n%s, want\n%s", got, want)
	}
}
