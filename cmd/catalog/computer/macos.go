package computer

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
)

// readMac reads system_profiler. Macs with Apple silicon have one memory for processor and graphics.
func (h *Host) readMac(ctx context.Context, c *Computer) {
	var told struct {
		Hardware []struct {
			Chip   string `json:"chip_type"`
			Memory string `json:"physical_memory"`
		} `json:"SPHardwareDataType"`
		Displays []struct {
			Model  string `json:"sppci_model"`
			VRAM   string `json:"spdisplays_vram"`
			Shared string `json:"spdisplays_vram_shared"`
		} `json:"SPDisplaysDataType"`
	}
	out, err := h.Run(ctx, "system_profiler", "-json", "SPHardwareDataType", "SPDisplaysDataType")
	if err == nil {
		err = json.Unmarshal(out, &told)
	}
	if err != nil || len(told.Hardware) == 0 {
		c.Unseen = append(c.Unseen, "the memory and the graphics: system_profiler did not answer")
		return
	}
	machine := told.Hardware[0]
	if c.RAMGb = sizeOf(machine.Memory); c.RAMGb == nil {
		c.Unseen = append(c.Unseen, "the memory: system_profiler does not say it")
	}
	c.Cards = []Card{}
	if vendorOf(machine.Chip) == "apple" {
		c.Arch = "arm64" // a program for Intel also runs there
		c.Cards = append(c.Cards, Card{Name: machine.Chip, Vendor: "apple"})
		return
	}
	for _, display := range told.Displays {
		card := Card{Name: display.Model, Vendor: vendorOf(display.Model)}
		if display.Shared == "" {
			card.VRAMGb = sizeOf(display.VRAM)
		}
		c.Cards = append(c.Cards, card)
	}
}

// sizeOf parses a size such as "16 GB" or "1536 MB", or returns nil.
func sizeOf(text string) *float64 {
	number, unit, _ := strings.Cut(strings.TrimSpace(text), " ")
	n, err := strconv.ParseFloat(number, 64)
	scale, ok := map[string]float64{"MB": 1 << 20, "GB": gib, "TB": gib << 10}[unit]
	if err != nil || !ok {
		return nil
	}
	return gigabytes(n * scale)
}
