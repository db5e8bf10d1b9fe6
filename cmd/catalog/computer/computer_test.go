package computer_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"catalog.example/cmd/catalog/computer"
)

// files makes a file system of files with their text.
func files(texts ...string) fs.FS {
	tree := fstest.MapFS{}
	for i := 0; i < len(texts); i += 2 {
		tree[texts[i]] = &fstest.MapFile{Data: []byte(texts[i+1] + "\n")}
	}
	return tree
}

const (
	pci  = "sys/bus/pci/devices/"
	card = "0000:01:00.0"
)

// hosts are computers as their systems describe them. programs maps a program to what it prints; the
// others are missing.
var hosts = map[string]struct {
	os, arch string
	files    fs.FS
	programs map[string]string
	unseen   string
}{
	"gaming": {"linux", "amd64",
		files("proc/meminfo", "MemTotal:       32715652 kB\nMemFree: 1 kB",
			pci+"0000:00:02.0/class", "0x030000", pci+"0000:00:02.0/vendor", "0x8086",
			pci+card+"/class", "0x030000", pci+card+"/vendor", "0x10de"),
		map[string]string{"nvidia-smi": "NVIDIA GeForce RTX 3060, 12288\nNVIDIA T400, 2048\n"}, ""},
	"radeon": {"linux", "amd64",
		files("proc/meminfo", "MemTotal:       16252928 kB",
			pci+card+"/class", "0x030000", pci+card+"/vendor", "0x1002", pci+card+"/mem_info_vram_total", "17163091968",
			// A sound card of the same maker.
			pci+"0000:01:00.1/class", "0x040300", pci+"0000:01:00.1/vendor", "0x1002"),
		map[string]string{"lspci": `0000:00:00.0 "Host bridge" "Intel Corporation" "Device 3e1f" -r0d "" ""
0000:01:00.0 "VGA compatible controller" "Advanced Micro Devices, Inc. [AMD/ATI]" "Navi 32 [Radeon RX 7700 XT / 7800 XT]" -rc8 "Sapphire" "Device e445"
`}, ""},
	"laptop": {"linux", "amd64",
		files("proc/meminfo", "MemTotal:        8005632 kB", pci+"0000:00:02.0/class", "0x030000", pci+"0000:00:02.0/vendor", "0x8086"),
		map[string]string{"lspci": `0000:00:02.0 "VGA compatible controller" "Intel Corporation" "UHD Graphics 620" -r07 "Lenovo" "Device 225e"`}, ""},
	// The name of a chip says nothing.
	"new": {"linux", "arm64",
		files("proc/meminfo", "MemTotal:      125411328 kB", pci+card+"/class", "0x030000", pci+card+"/vendor", "0x10de"),
		map[string]string{"lspci": `0000:01:00.0 "VGA compatible controller" "NVIDIA Corporation" "Device 2c05" -ra1 "" ""`,
			"nvidia-smi": "NVIDIA GB10, [N/A]\n"}, "the memory of NVIDIA GB10: nvidia-smi does not say it"},
	"chip": {"linux", "amd64",
		files("proc/meminfo", "MemTotal:        8005632 kB", pci+"0000:00:02.0/class", "0x030000", pci+"0000:00:02.0/vendor", "0x8086"),
		map[string]string{"lspci": `0000:00:02.0 "VGA compatible controller" "Intel Corporation" "Xeon E3-1200 v3/4th Gen Core Processor Integrated Graphics Controller" -r06`}, ""},
	"arc": {"linux", "amd64",
		files("proc/meminfo", "MemTotal:       32715652 kB", pci+card+"/class", "0x030000", pci+card+"/vendor", "0x8086"),
		map[string]string{"lspci": `0000:01:00.0 "VGA compatible controller" "Intel Corporation" "DG2 [Intel Arc Graphics]" -r05`}, ""},
	"iris": {"windows", "amd64", files(), map[string]string{
		"powershell": `{"memory":16890355712,"cards":[{"name":"Intel(R) Iris(R) Xe Graphics","bytes":134217728}]}`}, ""},
	"wsl": {"linux", "amd64",
		files("proc/meminfo", "MemTotal:       16252928 kB", pci+card+"/class", "0x030200", pci+card+"/vendor", "0x1414"), nil, "the graphics: Windows hides them here"},
	"wsl-nvidia": {"linux", "amd64",
		files("proc/meminfo", "MemTotal:       16252928 kB", pci+card+"/class", "0x030200", pci+card+"/vendor", "0x1414"),
		map[string]string{"nvidia-smi": "NVIDIA GeForce RTX 4060, 8188\n"}, ""},
	// The picture of its console is drawn by a chip of another maker.
	"server": {"linux", "amd64",
		files("proc/meminfo", "MemTotal:       65850500 kB", pci+"0000:00:02.0/class", "0x030000", pci+"0000:00:02.0/vendor", "0x1a03"), nil, ""},
	"container": {"linux", "arm64", files("proc/meminfo", "MemTotal:        8005632 kB"), nil, "the graphics"},
	"mac": {"darwin", "amd64", files(), map[string]string{"system_profiler": `{
  "SPHardwareDataType": [{"chip_type": "Apple M2", "physical_memory": "16 GB", "machine_name": "MacBook Air"}],
  "SPDisplaysDataType": [{"sppci_model": "Apple M2", "spdisplays_vendor": "sppci_vendor_Apple"}]}`}, ""},
	"old-mac": {"darwin", "amd64", files(), map[string]string{"system_profiler": `{
  "SPHardwareDataType": [{"cpu_type": "6-Core Intel Core i7", "physical_memory": "16 GB"}],
  "SPDisplaysDataType": [{"sppci_model": "Intel UHD Graphics 630", "spdisplays_vram_shared": "1536 MB"},
    {"sppci_model": "AMD Radeon Pro 5500M", "spdisplays_vram": "8 GB"}]}`}, ""},
	"windows": {"windows", "amd64", files(), map[string]string{
		"powershell": `{"memory":16890355712,"cards":[{"name":"NVIDIA GeForce RTX 4060 Laptop GPU","bytes":8585740288},{"name":"AMD Radeon(TM) Graphics","bytes":536870912},{"name":"Virtual Display","bytes":null}]}`,
	}, ""},
}

func host(name string) *computer.Host {
	h := hosts[name]
	return &computer.Host{OS: h.os, Arch: h.arch, Files: h.files,
		Run: func(_ context.Context, program string, _ ...string) ([]byte, error) {
			if text, ok := h.programs[program]; ok {
				return []byte(text), nil
			}
			return nil, errors.New("not found")
		}}
}

// Each computer is described in words; a test of the shipped site searches for them.
func TestWords(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/words.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 {
			continue
		}
		seen = append(seen, fields[0])
		c := computer.Read(t.Context(), host(fields[0]))
		if got := c.Words(); got != fields[1] {
			t.Errorf("%s: %q, want %q", fields[0], got, fields[1])
		}
		unseen := strings.Join(c.Unseen, "; ")
		if want := hosts[fields[0]].unseen; (want == "") != (unseen == "") || !strings.HasPrefix(unseen, want) {
			t.Errorf("%s: not seen: %q, want %q", fields[0], unseen, want)
		}
	}
	for name := range hosts {
		if !slices.Contains(seen, name) {
			t.Errorf("words.tsv lacks %s", name)
		}
	}
}

func TestParameters(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"gaming":    "ramGb=31.2&vramGb=12&gpuVendor=nvidia&arch=amd64&system=linux",
		"server":    "ramGb=62.8&vramGb=0&arch=amd64&system=linux",
		"container": "ramGb=7.6&arch=arm64&system=linux",
		"mac":       "ramGb=16&gpuVendor=apple&arch=arm64&system=macos",
		"laptop":    "ramGb=7.6&gpuVendor=intel&arch=amd64&system=linux",
		"new":       "ramGb=119.6&gpuVendor=nvidia&arch=arm64&system=linux",
		"wsl":       "ramGb=15.5&arch=amd64&system=linux",
	} {
		if got := computer.Read(t.Context(), host(name)).Parameters(); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// What cannot be read is named, and nothing is said of it.
func TestUnseen(t *testing.T) {
	t.Parallel()
	nothing := func(context.Context, string, ...string) ([]byte, error) { return []byte("?"), errors.New("not found") }
	for system, want := range map[string]string{
		"linux":   "the memory: /proc/meminfo does not say MemTotal; the graphics: /sys/bus/pci/devices lists no device, as in some containers",
		"darwin":  "the memory and the graphics: system_profiler did not answer",
		"windows": "the memory and the graphics: PowerShell did not answer",
		"plan9":   "the memory and the graphics: this program cannot read them on plan9",
	} {
		c := computer.Read(t.Context(), &computer.Host{OS: system, Arch: "amd64", Files: files(), Run: nothing})
		if got := strings.Join(c.Unseen, "; "); got != want || c.RAMGb != nil || c.Cards != nil {
			t.Errorf("%s: %+v, want %s", system, c, want)
		}
		if text := c.String(); !strings.Contains(text, "Not seen:      "+want[:10]) || strings.Contains(text, "no graphics card") {
			t.Errorf("%s: %s", system, text)
		}
	}
	// What the parameters do not know is left out.
	odd := computer.Read(t.Context(), &computer.Host{OS: "freebsd", Arch: "386", Files: files(), Run: nothing})
	if odd.Parameters() != "" || odd.Words() != "" || strings.Contains(odd.String(), "Processor:") {
		t.Errorf("%+v: %s", odd, odd)
	}
	// A card without its driver is named, and that its memory is missing.
	c := computer.Read(t.Context(), &computer.Host{OS: "linux", Arch: "amd64", Run: nothing,
		Files: files("proc/meminfo", "MemTotal: 8005632 kB", pci+card+"/class", "0x030200", pci+card+"/vendor", "0x10de")})
	if got, want := c.Words(), "NVIDIA graphics, 7.6 GB RAM, Linux"; got != want || len(c.Unseen) != 1 {
		t.Errorf("%q, want %q; %v", got, want, c.Unseen)
	}
}
