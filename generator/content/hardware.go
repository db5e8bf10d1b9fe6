package content

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/generator/rule"
)

// hardwareCheck checks taxonomy/hardware.yml.
type hardwareCheck struct {
	loader   *loader
	doc      source
	taxonomy *api.Taxonomy
	nameOf   map[string]string // device by name
}

// hardware loads the hardware that searches can name.
func (l *loader) hardware(t *api.Taxonomy) {
	k := hardwareCheck{loader: l, doc: l.taxonomyFile(HardwareFile, false, &t.Hardware), taxonomy: t,
		nameOf: map[string]string{}}
	if len(t.Hardware.Devices) > 0 && !t.HasSetups() && !l.taxonomy.incomplete[FactsFile] {
		k.fail(at("devices", 0, "name"),
			"no search uses it, because taxonomy/%s has no fact of the kind %s: define one, or remove this file",
			FactsFile, api.FactSetups)
	}
	k.sizes("ramGb", t.Hardware.Sizes.RAMGb)
	k.sizes("vramGb", t.Hardware.Sizes.VRAMGb)
	k.words(&t.Hardware.Words)
	for i := range t.Hardware.Devices {
		k.device(i, &t.Hardware.Devices[i])
	}
}

// fail reports a wrong value. The last key of the path names it.
func (k *hardwareCheck) fail(path []any, format string, args ...any) {
	k.loader.find(k.doc.at(rule.Value, fmt.Sprintf("%v: ", path[len(path)-1])+fmt.Sprintf(format, args...), path...))
}

func (k *hardwareCheck) sizes(key string, sizes []float64) {
	for i, gb := range sizes {
		if i > 0 && gb <= sizes[i-1] {
			k.fail(at("sizes", key), "%v is not more than the size before it: write each size once, the smallest first",
				gb)
		}
		k.gb(at("sizes", key), gb)
	}
}

func (k *hardwareCheck) gb(path []any, gb float64) {
	if least, most := minGb, float64(hardware.MaxGb); gb < least || gb > most {
		k.fail(path, "%v is out of bounds: %s is allowed", gb, api.NumberBounds(&least, &most))
	}
}

func (k *hardwareCheck) words(w *hardware.Words) {
	listOf := map[string]string{} // list that has the word
	texts := func(list []string, path ...any) {
		name := fmt.Sprint(path[len(path)-1])
		k.loader.texts(k.doc, name, list, path...)
		for _, text := range list {
			word := strings.ToLower(text)
			if other := listOf[word]; other != "" && other != name {
				k.fail(path, "%s stands in %s, too, and can mean one thing only: drop one of the two", quote(text),
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
		key    string
		lists  map[string][]string
		option func(path []any, value string)
	}{
		{"cardOf", w.CardOf, func(path []any, maker string) { k.option(path, api.GPUVendorsKey, maker, false) }},
		{"system", w.System, k.system},
		{"filter", w.Filter, k.filter},
	} {
		for _, value := range slices.Sorted(maps.Keys(group.lists)) {
			path := at("words", group.key, value)
			group.option(path, value)
			texts(group.lists[value], path...)
		}
	}
}

// filter checks a parameter of the user's computer and its value, such as vramGb=0.
func (k *hardwareCheck) filter(path []any, text string) {
	parameter, value, _ := strings.Cut(text, "=")
	switch _, err := strconv.ParseFloat(value, 64); {
	case !slices.Contains(hardware.Parameters, parameter):
		k.fail(path, "%s is not a parameter of the user's computer: write one of %s", quote(parameter),
			strings.Join(hardware.Parameters, ", "))
	case value == "":
		k.fail(path, "has no value: write one behind it, such as %s=0", parameter)
	case strings.HasSuffix(parameter, "Gb") && err != nil:
		k.fail(path, "%s is not a number", quote(value))
	case parameter == "gpuVendor":
		k.option(path, api.GPUVendorsKey, value, false)
	case parameter == "arch":
		k.option(path, api.ArchKey, value, false)
	case parameter == "system":
		k.system(path, value)
	}
}

func (k *hardwareCheck) device(i int, d *hardware.Device) {
	path := func(key string) []any { return at("devices", i, key) }
	k.names(d, path)
	if !slices.Contains(hardware.Kinds, d.Kind) {
		k.fail(path("kind"), "%s is not allowed: write one of %s", quote(d.Kind), strings.Join(hardware.Kinds, ", "))
	}
	k.option(path("vendor"), api.GPUVendorsKey, d.Vendor, d.Kind == hardware.KindCard || d.Unified &&
		d.Kind == hardware.KindComputer)
	k.option(path("arch"), api.ArchKey, d.Arch, d.Kind == hardware.KindComputer || d.Kind == hardware.KindPhone)
	if d.System != "" || d.Kind == hardware.KindPhone {
		k.system(path("system"), d.System)
	}
	if len(d.MemoryGb) == 0 && d.Kind == hardware.KindCard {
		k.fail(path("memoryGb"), "is missing: list the sizes sold, in gigabytes, the usual one first")
	}
	for n, gb := range d.MemoryGb {
		k.gb(path("memoryGb"), gb)
		if slices.Index(d.MemoryGb, gb) < n {
			k.fail(path("memoryGb"), "%v is in the list twice: remove one of them", gb)
		}
	}
	if !d.Unified && len(d.Shares) > 0 {
		k.fail(path("shares"), "is only for unified memory: remove it, or write unified: true")
	}
	for n, s := range d.Shares {
		if s.Share <= 0 || s.Share > 1 {
			k.fail(at("devices", i, "shares", n, "share"),
				"%v is out of bounds: the part of the memory that the GPU may use is more than 0 and at most 1",
				s.Share)
		}
		if n > 0 && s.FromGb <= d.Shares[n-1].FromGb {
			k.fail(at("devices", i, "shares", n, "fromGb"),
				"%v is not more than the one before it: write the smallest first", s.FromGb)
		}
		k.source(at("devices", i, "shares", n, "source"), s.Source)
	}
	k.source(path("source"), d.Source)
}

// names checks that a device has a name that no other device has.
func (k *hardwareCheck) names(d *hardware.Device, path func(key string) []any) {
	for i, name := range append([]string{d.Name}, d.Aliases...) {
		key := "name"
		if i > 0 {
			key = "aliases"
		}
		if strings.TrimSpace(name) == "" {
			k.fail(path(key), "is missing, but required")
			continue
		}
		if message := textProblem(name, maxName); message != "" {
			k.fail(path(key), "%s", message)
		}
		folded := strings.ReplaceAll(Slug(name, k.loader.options.Settings.Lang), "-", "")
		if other, taken := k.nameOf[folded]; taken {
			k.fail(path(key), "%s is a name of %s already: remove one of them", quote(name), other)
		}
		k.nameOf[folded] = d.Name
	}
}

// option checks a value that must be an option of a fact.
func (k *hardwareCheck) option(path []any, factKey, value string, needed bool) {
	if k.loader.taxonomy.incomplete[FactsFile] {
		return
	}
	if fact := k.taxonomy.Fact(factKey); value == "" && needed && fact != nil {
		k.fail(path, "is missing: write one of %s", strings.Join(fact.Options(), ", "))
	} else if value != "" {
		if message := optionProblem(k.taxonomy, factKey, value); message != "" {
			k.fail(path, "%s", message)
		}
	}
}

// optionProblem says what is wrong with a value that must be an option of a fact, or "".
func optionProblem(t *api.Taxonomy, factKey, value string) string {
	switch fact := t.Fact(factKey); {
	case fact == nil:
		return fmt.Sprintf("cannot be given, because taxonomy/%s has no fact %s that lists the values: "+
			"remove it, or define that fact", FactsFile, factKey)
	case !slices.Contains(fact.Options(), value):
		return fmt.Sprintf("%s is not allowed: write one of %s", quote(value), strings.Join(fact.Options(), ", "))
	}
	return ""
}

// system checks a platform that must be a system.
func (k *hardwareCheck) system(path []any, slug string) {
	if message := systemProblem(k.taxonomy, slug); message != "" && !k.loader.taxonomy.incomplete[PlatformsFile] {
		k.fail(path, "%s", message)
	}
}

// systemProblem says what is wrong with a platform that must be a system, or "".
func systemProblem(t *api.Taxonomy, slug string) string {
	var systems []string
	for _, p := range t.Platforms {
		if p.System {
			systems = append(systems, p.Slug)
		}
	}
	switch {
	case slices.Contains(systems, slug):
		return ""
	case len(systems) == 0:
		return fmt.Sprintf("cannot be given, because no platform in taxonomy/%s is a system: "+
			"remove it, or write system: true there", PlatformsFile)
	case slug == "":
		return "is missing: write one of " + strings.Join(systems, ", ")
	}
	return fmt.Sprintf("%s is not allowed: write one of %s", quote(slug), strings.Join(systems, ", "))
}

func (k *hardwareCheck) source(path []any, address string) {
	if message := CheckAddress(address); message != "" {
		k.fail(path, "%s %s: write the https address of a page that states it", quote(address), message)
	}
}
