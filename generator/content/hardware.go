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

// hardware loads the graphics cards and computers that searches may name (contract 10).
func (l *loader) hardware(t *api.Taxonomy) {
	doc := l.taxonomyFile(HardwareFile, false, &t.Hardware)
	fail := func(i int, key, format string, args ...any) {
		l.find(doc.at(rule.Value, key+": "+fmt.Sprintf(format, args...), i, key))
	}
	if len(t.Hardware) > 0 && !t.HasSetups() {
		fail(0, "name", "no search uses it, because taxonomy/%s has no fact of the kind %s: define one, or remove this file", FactsFile, api.FactSetups)
	}
	nameOf := map[string]string{} // the entry that has a name
	for i := range t.Hardware {
		h := &t.Hardware[i]
		for k, name := range append([]string{h.Name}, h.Aliases...) {
			key := "name"
			if k > 0 {
				key = "aliases"
			}
			if strings.TrimSpace(name) == "" {
				fail(i, key, "is missing, but required")
				continue
			}
			if message := textProblem(name, maxName); message != "" {
				fail(i, key, "%s", message)
			}
			folded := strings.ReplaceAll(Slug(name), "-", "")
			if other, taken := nameOf[folded]; taken {
				fail(i, key, "%s is a name of %s already: remove one of them", quote(name), other)
			}
			nameOf[folded] = h.Name
		}
		if h.Kind != hardware.KindCard && h.Kind != hardware.KindComputer {
			fail(i, "kind", "%s is not allowed: write %s or %s", quote(h.Kind), hardware.KindCard, hardware.KindComputer)
		}
		l.hardwareOption(t, api.GPUVendorsKey, "vendor", h.Vendor, h.Kind == hardware.KindCard || h.Unified, func(format string, args ...any) { fail(i, "vendor", format, args...) })
		l.hardwareOption(t, api.ArchKey, "arch", h.Arch, h.Kind == hardware.KindComputer, func(format string, args ...any) { fail(i, "arch", format, args...) })
		if len(h.MemoryGb) == 0 {
			fail(i, "memoryGb", "is missing: list the sizes sold, in gigabytes, the usual one first")
		}
		for k, gb := range h.MemoryGb {
			least, most := minGb, float64(hardware.MaxGb)
			if gb < least || gb > most {
				fail(i, "memoryGb", "%v is out of bounds: %s is allowed", gb, api.NumberBounds(&least, &most))
			} else if slices.Index(h.MemoryGb, gb) < k {
				fail(i, "memoryGb", "%v is in the list twice: remove one of them", gb)
			}
		}
		switch {
		case h.Unified && h.Share != nil && (*h.Share <= 0 || *h.Share > 1):
			fail(i, "share", "%v is out of bounds: the part of the memory that the GPU may use is more than 0 and at most 1", *h.Share)
		case !h.Unified && (h.Share != nil || h.ShareSource != ""):
			fail(i, "share", "is only for unified memory: remove it, or write unified: true")
		}
		for _, source := range []struct {
			key, address string
			needed       bool
		}{{"source", h.Source, true}, {"shareSource", h.ShareSource, h.Share != nil}} {
			if message := CheckAddress(source.address); message != "" && (source.needed || source.address != "") {
				fail(i, source.key, "%s %s: write the https address of a page that states it", quote(source.address), message)
			}
		}
	}
}

// hardwareOption checks a value that must be an option of a fact.
func (l *loader) hardwareOption(t *api.Taxonomy, factKey, key, value string, needed bool, fail func(format string, args ...any)) {
	fact := t.Fact(factKey)
	switch {
	case value == "" && needed && fact != nil:
		fail("is missing: write one of %s", strings.Join(fact.Options(), ", "))
	case value != "" && fact == nil:
		fail("cannot be given, because taxonomy/%s has no fact %s: remove it, or define that fact", FactsFile, factKey)
	case value != "" && !slices.Contains(fact.Options(), value):
		fail("%s is not allowed: write one of %s", quote(value), strings.Join(fact.Options(), ", "))
	}
}

// machineWords checks the wordings of the user's computer.
func (l *loader) machineWords(doc source, wordings map[string][]string) {
	for _, filter := range slices.Sorted(maps.Keys(wordings)) {
		fail := func(format string, args ...any) {
			l.find(doc.at(rule.Value, "machine: "+fmt.Sprintf(format, args...), "machine", filter))
		}
		parameter, value, hasValue := strings.Cut(filter, "=")
		if !slices.Contains(hardware.Parameters, parameter) {
			fail("%s is not a parameter of the user's computer: write one of %s", quote(parameter), strings.Join(hardware.Parameters, ", "))
			continue
		}
		isNumber := strings.HasSuffix(parameter, "Gb")
		if _, err := strconv.ParseFloat(value, 64); hasValue && isNumber && err != nil {
			fail("%s is not a number", quote(value))
		}
		if !hasValue && !isNumber {
			fail("%s needs a value, such as %s=…", parameter, parameter)
			continue
		}
		for _, text := range wordings[filter] {
			switch n := strings.Count(" "+text+" ", " # "); {
			case strings.Contains(strings.ReplaceAll(" "+text+" ", " # ", " "), "#"):
				fail(`%s: # stands for a number, and needs spaces around it`, quote(text))
			case hasValue && n > 0:
				fail("%s: remove #, because the value is given as %s", quote(text), quote(value))
			case !hasValue && n != 1:
				fail("%s: write # once, where the number is", quote(text))
			}
		}
	}
}
