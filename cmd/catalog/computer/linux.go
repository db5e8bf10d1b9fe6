package computer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Where Linux tells of memory and devices.
const (
	memoryFile = "proc/meminfo"
	devices    = "sys/bus/pci/devices"
	// Classes of PCI devices that begin with this are displays.
	displayClass = "0x03"
)

// pciVendors maps the numbers of makers of graphics to their slugs and names. Others make what
// draws the screen of a server or of a virtual machine, which runs nothing; but see wslVendor.
var pciVendors = map[string][2]string{
	"0x10de": {"nvidia", "NVIDIA graphics"},
	"0x1002": {"amd", "AMD Radeon graphics"},
	"0x8086": {"intel", "Intel graphics"},
}

// wslVendor is the maker of all graphics in the Windows Subsystem for Linux, which hides the card behind
// it.
const wslVendor = "0x1414"

func (h *Host) readLinux(ctx context.Context, c *Computer) {
	if text, err := fs.ReadFile(h.Files, memoryFile); err == nil {
		c.RAMGb = memoryTotal(text)
	}
	if c.RAMGb == nil {
		c.Unseen = append(c.Unseen, "the memory: /"+memoryFile+" does not say MemTotal")
	}
	entries, err := fs.ReadDir(h.Files, devices)
	if err != nil || len(entries) == 0 {
		c.Unseen = append(c.Unseen, unseenGraphics+"/"+devices+" lists no device, as in some containers")
		return
	}
	c.Cards = []Card{}
	var names map[string]string
	for _, entry := range entries {
		folder := path.Join(devices, entry.Name())
		vendor := h.line(folder, "vendor")
		maker, known := pciVendors[vendor]
		if !strings.HasPrefix(h.line(folder, "class"), displayClass) {
			continue
		}
		if vendor == wslVendor {
			c.Cards = nil
			c.Unseen = append(c.Unseen, unseenGraphics+"Windows hides them here; run this program in Windows")
			return
		}
		if !known {
			continue
		}
		if names == nil {
			names = h.pciNames(ctx)
		}
		card := Card{Name: maker[1], Vendor: maker[0]}
		if name := names[entry.Name()]; name != "" {
			card.Name = name
		}
		// The driver amdgpu writes this file.
		if bytes, err := strconv.ParseFloat(h.line(folder, "mem_info_vram_total"), 64); err == nil {
			card.VRAMGb = vram(bytes)
		}
		c.Cards = append(c.Cards, card)
	}
}

// line returns the only line of a file, or "".
func (h *Host) line(folder, name string) string {
	text, _ := fs.ReadFile(h.Files, path.Join(folder, name)) // a missing file says nothing
	return strings.TrimSpace(string(text))
}

// memoryTotal returns MemTotal, which is in KiB, or nil.
func memoryTotal(text []byte) *float64 {
	scanner := bufio.NewScanner(bytes.NewReader(text))
	for scanner.Scan() {
		if fields := strings.Fields(scanner.Text()); len(fields) >= 2 && fields[0] == "MemTotal:" {
			if kib, err := strconv.ParseFloat(fields[1], 64); err == nil {
				return gigabytes(kib * 1024)
			}
		}
	}
	return nil
}

// pciNames returns the names of devices by their address, as lspci knows them. Without lspci it
// returns none.
func (h *Host) pciNames(ctx context.Context) map[string]string {
	names := map[string]string{}
	out, err := h.Run(ctx, "lspci", "-D", "-mm")
	if err != nil {
		return names
	}
	// Fields are separated by spaces; those with spaces are quoted.
	r := csv.NewReader(bytes.NewReader(out))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = ' ', -1, true
	for {
		fields, err := r.Read()
		if err != nil {
			return names
		}
		if len(fields) >= 4 {
			names[fields[0]] = cardName(fields[2], fields[3])
		}
	}
}

// cardName joins the maker and the device of lspci. The name that is sold stands in brackets:
// "Navi 32 [Radeon RX 7700 XT / 7800 XT]". Without it, the name is that of a chip, and not known to people:
// cardName returns "".
func cardName(maker, device string) string {
	if _, sold, ok := strings.Cut(device, "["); ok {
		device = strings.TrimSuffix(sold, "]")
	} else if !strings.Contains(device, "Graphics") || strings.Contains(device, "Controller") {
		return ""
	}
	name := map[string]string{"nvidia": "NVIDIA", "amd": "AMD", "intel": "Intel"}[vendorOf(maker)]
	return strings.TrimSpace(name + " " + strings.TrimPrefix(device, name+" "))
}
