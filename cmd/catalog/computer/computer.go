// Package computer reads what this computer has: its memory, its graphics cards, its processor and
// its system. It returns them as words and as parameters that a search understands.
//
//	computer.go  what was seen, as words and as parameters
//	linux.go     /proc and /sys, lspci
//	macos.go     system_profiler
//	windows.go   PowerShell
//
// The memory of NVIDIA cards is read from nvidia-smi on all systems. Nothing is sent anywhere.
package computer

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api/hardware"
)

// Host is where Read looks. Tests replace it.
type Host struct {
	OS, Arch string // as Go names them
	Files    fs.FS  // the root of the file system
	// Run returns what a program prints on standard output.
	Run func(ctx context.Context, name string, args ...string) ([]byte, error)
}

// Computer is what was seen of a computer.
type Computer struct {
	RAMGb  *float64 `json:"ramGb"`  // in gigabytes of 2³⁰ bytes; nil if it was not seen
	Cards  []Card   `json:"cards"`  // the graphics; nil if it is not known whether there are any
	Arch   string   `json:"arch"`   // amd64 or arm64; "" for another
	System string   `json:"system"` // linux, macos, windows or android; "" for another
	// Unseen says what could not be read, and how it can be.
	Unseen []string `json:"unseen"`
}

// Card is a graphics card, or the graphics of a processor.
type Card struct {
	Name   string   `json:"name"`
	Vendor string   `json:"vendor"` // nvidia, amd, intel or apple; "" for another
	VRAMGb *float64 `json:"vramGb"` // nil if it was not seen, or if it is part of the main memory
}

// Read reads this computer. What it cannot read is named in Unseen.
func Read(ctx context.Context, host *Host) *Computer {
	c := &Computer{System: host.OS, Unseen: []string{}}
	if host.Arch == "amd64" || host.Arch == "arm64" {
		c.Arch = host.Arch
	}
	switch host.OS {
	case "linux", "android":
		host.readLinux(ctx, c)
	case "darwin":
		c.System = "macos"
		host.readMac(ctx, c)
	case "windows":
		host.readWindows(ctx, c)
	default:
		c.System = ""
		c.Unseen = append(c.Unseen, "the memory and the graphics: this program cannot read them on "+host.OS)
	}
	host.readNVIDIA(ctx, c)
	return c
}

// unseenGraphics begins what Unseen says if it is not known which graphics there are.
const unseenGraphics = "the graphics: "

const (
	gib = 1 << 30
	// leastVRAMGb is the least memory of a card that is named. The graphics of a processor keeps
	// less than that of the main memory for itself, which says nothing about what it can run.
	leastVRAMGb = 2
)

// gigabytes returns a number of bytes in gigabytes, rounded to a tenth.
func gigabytes(bytes float64) *float64 {
	gb := math.Round(bytes/gib*10) / 10
	return &gb
}

// vram returns the memory of a card in gigabytes, or nil if that says nothing.
func vram(bytes float64) *float64 {
	if gb := gigabytes(bytes); *gb >= leastVRAMGb {
		return gb
	}
	return nil
}

// plainName removes the marks of makers, such as (R), which are no words of a query.
func plainName(name string) string {
	return strings.TrimSpace(strings.NewReplacer("(R)", "", "(TM)", "", "(C)", "").Replace(name))
}

// vendorOf returns the maker that a name of a card begins with or contains, or "".
func vendorOf(name string) string {
	folded := strings.ToLower(name)
	for _, maker := range []struct{ word, vendor string }{
		{"nvidia", "nvidia"}, {"geforce", "nvidia"}, {"apple", "apple"}, {"radeon", "amd"}, {"amd", "amd"},
		{"advanced micro devices", "amd"}, {"intel", "intel"},
	} {
		if strings.Contains(folded, maker.word) {
			return maker.vendor
		}
	}
	return ""
}

// readNVIDIA replaces the NVIDIA cards that were found by what nvidia-smi says of them.
func (h *Host) readNVIDIA(ctx context.Context, c *Computer) {
	out, err := h.Run(ctx, "nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits")
	if err != nil {
		for _, card := range c.Cards {
			if card.Vendor == "nvidia" && card.VRAMGb == nil {
				c.Unseen = append(c.Unseen, "the memory of the NVIDIA card: nvidia-smi, a part of NVIDIA's driver,"+
					" did not answer")
				break
			}
		}
		return
	}
	var cards []Card
	for line := range strings.Lines(string(out)) {
		name, memory, ok := strings.Cut(strings.TrimSpace(line), ",")
		if !ok {
			continue
		}
		card := Card{Name: strings.TrimSpace(name), Vendor: "nvidia"}
		if mib, err := strconv.ParseFloat(strings.TrimSpace(memory), 64); err == nil {
			card.VRAMGb = vram(mib * (1 << 20))
		} else { // "[N/A]": processor and graphics share the memory
			c.Unseen = append(c.Unseen, "the memory of "+card.Name+": nvidia-smi does not say it")
		}
		cards = append(cards, card)
	}
	if len(cards) == 0 {
		return
	}
	c.Unseen = slices.DeleteFunc(c.Unseen, func(s string) bool { return strings.HasPrefix(s, unseenGraphics) })
	for _, card := range c.Cards {
		if card.Vendor != "nvidia" {
			cards = append(cards, card)
		}
	}
	c.Cards = cards
}

// best returns the card with the most memory, or the first if no memory was seen; nil if there is
// no card.
func (c *Computer) best() (best *Card) {
	for i := range c.Cards {
		card := &c.Cards[i]
		if best == nil || card.VRAMGb != nil && (best.VRAMGb == nil || *card.VRAMGb > *best.VRAMGb) {
			best = card
		}
	}
	return best
}

// hasNoCard reports whether it is known that there is no graphics card.
func (c *Computer) hasNoCard() bool { return c.Cards != nil && len(c.Cards) == 0 }

// systemNames has the names that people use.
var systemNames = map[string]string{
	"linux": "Linux", "macos": "macOS", "windows": "Windows", "android": "Android",
}

// Words returns the computer as words of a query, such as "32 GB RAM, NVIDIA GeForce RTX 3060 12 GB,
// Linux".
func (c *Computer) Words() string {
	var words []string
	card := c.best()
	if card != nil {
		words = append(words, strings.TrimSpace(card.Name+" "+card.memory()))
	}
	if c.RAMGb != nil {
		words = append(words, hardware.FormatGb(*c.RAMGb)+" GB RAM")
	}
	if c.hasNoCard() {
		words = append(words, "no graphics card")
	}
	if name := systemNames[c.System]; name != "" {
		words = append(words, name)
	}
	return strings.Join(words, ", ")
}

func (c *Card) memory() string {
	if c.VRAMGb == nil {
		return ""
	}
	return hardware.FormatGb(*c.VRAMGb) + " GB VRAM"
}

// Parameters returns the computer as parameters of a search. The graphics memory of a computer
// whose processor and graphics share one memory is missing: only the words say that.
func (c *Computer) Parameters() string {
	m := hardware.Machine{RAMGb: c.RAMGb, Arch: c.Arch, System: c.System}
	if card := c.best(); card != nil {
		m.VRAMGb, m.GPUVendor = card.VRAMGb, card.Vendor
	} else if c.hasNoCard() {
		m.VRAMGb = new(float64)
	}
	var pairs []string
	for _, name := range hardware.Parameters {
		if value := m.Get(name); value != "" {
			pairs = append(pairs, name+"="+url.QueryEscape(value))
		}
	}
	return strings.Join(pairs, "&")
}

// String returns what was seen, a line each, and how to search with it.
func (c *Computer) String() string {
	var b strings.Builder
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-15s%s\n", label+":", text)
		}
	}
	if c.RAMGb != nil {
		line("Memory", hardware.FormatGb(*c.RAMGb)+" GB RAM")
	}
	for _, card := range c.Cards {
		line("Graphics", strings.TrimSuffix(card.Name+", "+card.memory(), ", "))
	}
	if c.hasNoCard() {
		line("Graphics", "no graphics card")
	}
	line("Processor", c.Arch)
	line("System", c.System)
	for _, unseen := range c.Unseen {
		line("Not seen", unseen)
	}
	b.WriteByte('\n')
	line("In a query", c.Words())
	line("As parameters", c.Parameters())
	return b.String()
}
