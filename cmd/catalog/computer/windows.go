package computer

import (
	"context"
	"encoding/json"
)

// asksWindows prints the memory and the cards as JSON. AdapterRAM has 32 bits, so that cards with
// 4 GB and more are read from where drivers register their memory.
const asksWindows = `$class = 'HKLM:\SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}\0*'
@{
  memory = (Get-CimInstance Win32_ComputerSystem).TotalPhysicalMemory
  cards = @(Get-ItemProperty $class -ErrorAction SilentlyContinue | ForEach-Object {
    @{ name = $_.DriverDesc; bytes = $_.'HardwareInformation.qwMemorySize' }
  })
} | ConvertTo-Json -Compress -Depth 3`

// readWindows asks PowerShell.
func (h *Host) readWindows(ctx context.Context, c *Computer) {
	var told struct {
		Memory float64 `json:"memory"`
		Cards  []struct {
			Name  string   `json:"name"`
			Bytes *float64 `json:"bytes"`
		} `json:"cards"`
	}
	out, err := h.Run(ctx, "powershell", "-NoProfile", "-NonInteractive", "-Command", asksWindows)
	if err == nil {
		err = json.Unmarshal(out, &told)
	}
	if err != nil || told.Memory == 0 {
		c.Unseen = append(c.Unseen, "the memory and the graphics: PowerShell did not answer")
		return
	}
	c.RAMGb, c.Cards = gigabytes(told.Memory), []Card{}
	for _, t := range told.Cards {
		card := Card{Name: plainName(t.Name), Vendor: vendorOf(t.Name)}
		if card.Vendor == "" {
			continue // draws a remote screen, or that of a virtual machine
		}
		if t.Bytes != nil {
			card.VRAMGb = vram(*t.Bytes)
		}
		c.Cards = append(c.Cards, card)
	}
}
