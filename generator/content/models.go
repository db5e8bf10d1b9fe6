package content

import (
	"slices"

	"catalog.example/api"
	"catalog.example/api/hardware"
)

// modelsCheck checks taxonomy/models.yml.
type modelsCheck struct{ fileCheck }

// The greatest figures of taxonomy/models.yml, far above those of known models.
const (
	maxParameters = 20_000 // billions
	maxBits       = 32
	maxContext    = 10_000_000
	maxDimension  = 2000
)

// models loads the sizes of language models, and the computers that have a page.
func (l *loader) models(t *api.Taxonomy) {
	m := &t.Models
	k := modelsCheck{l.taxonomyFile(ModelsFile, false, m)}
	k.taxonomy = t
	if k.doc == nil {
		return
	}
	if !t.HasSetups() && !k.incomplete[FactsFile] {
		k.fail(at("sizes"), "no listing uses this file, because taxonomy/%s has no fact of the kind %s: define one, "+
			"or remove the file", FactsFile, api.FactSetups)
	}
	if len(m.Sizes) == 0 && !k.incomplete[ModelsFile] {
		k.fail(at("sizes"), "is missing: list the sizes of models, the smallest first, or remove the file")
	}
	k.between(float64(m.ContextTokens), 1, maxContext, "contextTokens")
	k.figure(&m.ProcessGb, hardware.MaxGb, "processGb")
	k.filled(m.Measured, maxSource, "measured")
	k.between(m.Keeps.RAMGb, 0, hardware.MaxGb, "keeps", "ramGb")
	k.between(m.Keeps.VRAMGb, 0, hardware.MaxGb, "keeps", "vramGb")
	k.filled(m.Keeps.Because, maxSource, "keeps", "because")
	k.address(m.Keeps.Source, "write the https address of a page that states the RAM", "keeps", "source")
	for i := range m.Sizes {
		k.size(m, i)
	}
	k.computers(m.Computers)
}

// between checks a number.
func (k *modelsCheck) between(n, least, most float64, path ...any) {
	if n < least || n > most {
		k.fail(path, "%v is out of bounds: %s is allowed", n, api.NumberBounds(&least, &most))
	}
}

// size checks one of the sizes.
func (k *modelsCheck) size(m *hardware.Models, i int) {
	s := &m.Sizes[i]
	path := func(key string) []any { return at("sizes", i, key) }
	k.filled(s.Name, maxName, path("name")...)
	k.filled(s.Model, maxName, path("model")...)
	if slices.ContainsFunc(m.Sizes[:i], func(other hardware.ModelSize) bool { return other.Name == s.Name }) {
		k.fail(path("name"), "%s is in the list twice: remove one of them", quote(s.Name))
	}
	k.between(s.Parameters, 0.001, maxParameters, path("parameters")...)
	k.between(s.Bits, 1, maxBits, path("bits")...)
	for key, n := range map[string]int{"layers": s.Layers, "heads": s.Heads, "headSize": s.HeadSize} {
		k.between(float64(n), 1, maxDimension, path(key)...)
	}
	k.address(s.Source, "write the https address of a page that states its layers and heads", path("source")...)
	if i > 0 && hardware.CompareSizes(&m.Sizes[i-1], s) >= 0 {
		k.fail(path("parameters"), "this size is not larger than the one before it: order sizes by parameters, then "+
			"by bits")
	}
	computed := *s
	computed.MeasuredGb = nil
	if measured := s.MeasuredGb; measured != nil {
		without := hardware.Models{ProcessGb: m.ProcessGb}
		if least := without.MemoryGb(&computed) - 0.2; *measured < least {
			k.fail(path("measuredGb"), "%v is less than its parameters take, which is %.1f GB: correct one of them",
				*measured, least)
		}
		k.figure(measured, hardware.MaxGb, path("measuredGb")...)
	}
}

// computers checks the computers that have a page.
func (k *modelsCheck) computers(list []hardware.Computer) {
	seen := map[string]bool{}
	for i := range list {
		c := &list[i]
		path := func(key string) []any { return at("computers", i, key) }
		if k.filled(c.Slug, api.MaxSlug, path("slug")...) {
			k.failIf(CheckSlug(c.Slug), path("slug")...)
		}
		k.filled(c.Name, maxName, path("name")...)
		for key, text := range map[string]string{"slug": c.Slug, "name": c.Name} {
			if seen[key+text] {
				k.fail(path(key), "%s is in the list twice: give each computer its own", quote(text))
			}
			seen[key+text] = true
		}
		if c.RAMGb == nil && c.VRAMGb == nil {
			k.fail(path("ramGb"), "is missing: say how much memory the computer has")
		}
		for key, gb := range map[string]*float64{"ramGb": c.RAMGb, "vramGb": c.VRAMGb} {
			if gb != nil {
				k.between(*gb, 0, hardware.MaxGb, path(key)...)
			}
		}
		if c.GPUVendor != "" {
			k.option(api.GPUVendorsKey, c.GPUVendor, path("gpuVendor")...)
		}
		if c.System != "" {
			k.system(c.System, path("system")...)
		}
		if c.Device != "" && k.taxonomy.Hardware.Device(c.Device) == nil && !k.incomplete[HardwareFile] {
			k.fail(path("device"), "there is no device %s in taxonomy/%s", quote(c.Device), HardwareFile)
		}
	}
}
