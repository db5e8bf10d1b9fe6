package content

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
)

// hardwareCheck checks taxonomy/hardware.yml.
type hardwareCheck struct {
	fileCheck
	lang   string            // of the catalogue
	nameOf map[string]string // the name of the device that has each name or alias
}

// hardware loads the hardware that searches can name.
func (l *loader) hardware(t *api.Taxonomy) {
	k := hardwareCheck{l.taxonomyFile(HardwareFile, false, &t.Hardware), l.options.Settings.Lang, map[string]string{}}
	k.taxonomy = t
	if len(t.Hardware.Devices) > 0 && !t.HasSetups() && !k.incomplete[FactsFile] {
		k.fail(at("devices", 0, "name"),
			"no search uses this file, because taxonomy/%s has no fact of the kind %s: define one, or remove the file",
			FactsFile, api.FactSetups)
	}
	k.sizes(t.Hardware.Sizes.RAMGb, "ramGb")
	k.sizes(t.Hardware.Sizes.VRAMGb, "vramGb")
	k.words(&t.Hardware.Words)
	for i := range t.Hardware.Devices {
		k.device(i, &t.Hardware.Devices[i])
	}
}

func (k *hardwareCheck) sizes(sizes []float64, key string) {
	for i, gb := range sizes {
		if i > 0 && gb <= sizes[i-1] {
			k.fail(at("sizes", key), "%v is not more than the size before it: write each size once, the smallest first",
				gb)
		}
		k.figure(&gb, hardware.MaxGb, "sizes", key)
	}
}

func (k *hardwareCheck) words(w *hardware.Words) {
	listOf := map[string]string{} // the list that contains each word
	texts := func(list []string, path ...any) {
		name := fmt.Sprint(path[len(path)-1])
		k.texts(list, path...)
		for _, text := range list {
			word := strings.ToLower(text)
			if other := listOf[word]; other != "" && other != name {
				k.fail(path, "%s is also in %s, but can have only one meaning: remove one of the two", quote(text),
					other)
			}
			listOf[word] = name
		}
	}
	lists := w.Lists()
	for _, key := range slices.Sorted(maps.Keys(lists)) {
		texts(lists[key], "words", key)
	}
	for _, group := range []struct {
		key   string
		lists map[string][]string
		check func(value string, path ...any)
	}{
		{"cardOf", w.CardOf, func(maker string, path ...any) { k.option(api.GPUVendorsKey, maker, path...) }},
		{"system", w.System, k.system},
		{"filter", w.Filter, k.filter},
	} {
		for _, value := range slices.Sorted(maps.Keys(group.lists)) {
			group.check(value, "words", group.key, value)
			texts(group.lists[value], "words", group.key, value)
		}
	}
}

// filter checks a search parameter about the user's computer with its value, such as vramGb=0.
func (k *hardwareCheck) filter(text string, path ...any) {
	parameter, value, _ := strings.Cut(text, "=")
	switch _, err := strconv.ParseFloat(value, 64); {
	case !slices.Contains(hardware.Parameters, parameter):
		k.fail(path, "%s is not a parameter of the user's computer: write one of %s", quote(parameter),
			strings.Join(hardware.Parameters, ", "))
	case value == "":
		k.fail(path, "has no value: write one after it, such as %s=0", parameter)
	case strings.HasSuffix(parameter, "Gb") && err != nil:
		k.fail(path, "%s is not a number", quote(value))
	case parameter == "gpuVendor":
		k.option(api.GPUVendorsKey, value, path...)
	case parameter == "arch":
		k.option(api.ArchKey, value, path...)
	case parameter == "system":
		k.system(value, path...)
	}
}

func (k *hardwareCheck) device(i int, d *hardware.Device) {
	path := func(steps ...any) []any { return append(at("devices", i), steps...) }
	k.names(d, i)
	k.oneOf(d.Kind, hardware.Kinds, path("kind")...)
	isComputer := d.Kind == hardware.KindComputer
	k.optionOf(api.GPUVendorsKey, d.Vendor, d.Kind == hardware.KindCard || d.Unified && isComputer, path("vendor"))
	k.optionOf(api.ArchKey, d.Arch, isComputer || d.Kind == hardware.KindPhone, path("arch"))
	if d.System != "" || d.Kind == hardware.KindPhone {
		k.system(d.System, path("system")...)
	}
	if len(d.MemoryGb) == 0 && d.Kind == hardware.KindCard {
		k.fail(path("memoryGb"), "is missing: list the sizes sold, in gigabytes, the usual one first")
	}
	for n, gb := range d.MemoryGb {
		k.figure(&gb, hardware.MaxGb, path("memoryGb")...)
		if slices.Index(d.MemoryGb, gb) < n {
			k.fail(path("memoryGb"), "%v is in the list twice: remove one of them", gb)
		}
	}
	if !d.Unified && len(d.Shares) > 0 {
		k.fail(path("shares"), "is only for unified memory: remove it, or write unified: true")
	}
	const statesIt = "write the https address of a page that states it"
	for n, s := range d.Shares {
		if s.Share <= 0 || s.Share > 1 {
			k.fail(path("shares", n, "share"),
				"%v is out of bounds: the part of the memory that the GPU may use must be more than 0 and at most 1",
				s.Share)
		}
		if n > 0 && s.FromGb <= d.Shares[n-1].FromGb {
			k.fail(path("shares", n, "fromGb"), "%v is not more than the one before it: write the smallest first",
				s.FromGb)
		}
		k.address(s.Source, statesIt, path("shares", n, "source")...)
	}
	k.address(d.Source, statesIt, path("source")...)
}

// names checks the name and the aliases of a device, which no other device may have.
func (k *hardwareCheck) names(d *hardware.Device, i int) {
	for n, name := range append([]string{d.Name}, d.Aliases...) {
		path := at("devices", i, "name")
		if n > 0 {
			path = at("devices", i, "aliases")
		}
		if strings.TrimSpace(name) == "" {
			k.fail(path, "is missing, but required")
			continue
		}
		k.failIf(textProblem(name, maxName), path...)
		folded := strings.ReplaceAll(Slug(name, k.lang), "-", "")
		if other, taken := k.nameOf[folded]; taken {
			k.fail(path, "%s is already a name of %s: remove one of them", quote(name), other)
		}
		k.nameOf[folded] = d.Name
	}
}

// optionOf checks a value of a device that must be an option of a fact. It may be "" unless it is
// needed.
func (k *hardwareCheck) optionOf(factKey, value string, needed bool, path []any) {
	if fact := k.taxonomy.Fact(factKey); value != "" {
		k.option(factKey, value, path...)
	} else if needed && fact != nil && !k.incomplete[FactsFile] {
		k.fail(path, "is missing: write one of %s", strings.Join(fact.Options(), ", "))
	}
}
