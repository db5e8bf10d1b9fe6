package content

import (
	"fmt"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/generator/rule"
)

// withDefaultLevels returns the setups, with the level minimum for those without a level.
func withDefaultLevels(setups []hardware.Setup) []hardware.Setup {
	setups = slices.Clone(setups)
	for i := range setups {
		if setups[i].Level == "" {
			setups[i].Level = hardware.LevelMinimum
		}
	}
	return setups
}

// minGb is the least figure of memory or disk space, in gigabytes.
const minGb = 0.01

// setups checks the setups of a listing.
func (k *listingCheck) setups() {
	if !k.Has(api.SetupsKey) {
		return
	}
	sourced := slices.ContainsFunc(k.taxonomy.Facts, func(f api.Fact) bool {
		return f.Kind == api.FactSetups &&
			f.Sourced
	})
	seen := map[string]bool{}
	levels := withDefaultLevels(k.f.Setups)
	for i := range k.f.Setups {
		s := &k.f.Setups[i]
		path := func(key string) []any { return at(api.SetupsKey, i, key) }
		switch {
		case strings.TrimSpace(s.For) == "":
			k.fail(path("for"), "is missing: say what the figures are for, such as 7B models or the program itself")
		case seen[s.For+"\x00"+levels[i].Level]:
			k.fail(path("for"), "%s is in the list twice with the level %s: remove one of them", quote(s.For),
				levels[i].Level)
		default:
			k.line(path("for"), s.For, maxShort)
		}
		seen[s.For+"\x00"+levels[i].Level] = true
		if !slices.Contains(hardware.Levels, levels[i].Level) {
			k.fail(path("level"), "%s is not allowed: write one of %s", quote(s.Level),
				strings.Join(hardware.Levels, ", "))
		}
		k.figure(path("ramGb"), s.RAMGb, hardware.MaxGb)
		k.figure(path("vramGb"), s.VRAMGb, hardware.MaxGb)
		k.figure(path("diskGb"), s.DiskGb, hardware.MaxDiskGb)
		if s.RAMGb == nil && s.VRAMGb == nil && s.DiskGb == nil && !k.undecodedAt(api.SetupsKey, i) {
			k.fail(path("for"), "has no figure: add ramGb, vramGb or diskGb")
		}
		if s.GPUVendor != nil {
			if message := optionProblem(k.taxonomy, api.GPUVendorsKey, *s.GPUVendor); message != "" {
				k.fail(path("gpuVendor"), "%s", message)
			}
		}
		for n, system := range s.System {
			if message := systemProblem(k.taxonomy, system); message != "" && !k.incomplete[PlatformsFile] {
				k.fail(at(api.SetupsKey, i, "system", n), "%s", message)
			} else if slices.Index(s.System, system) < n {
				k.fail(at(api.SetupsKey, i, "system", n), "%s is in the list twice: remove one of them", quote(system))
			}
		}
		k.sourceText(path("source"), s.Source)
		if sourced && s.Source == nil && k.f.Sources[api.SetupsKey] == "" {
			k.add(rule.NoSource, path("for"), "has no source: add source to the setup, or %s to sources", api.SetupsKey)
		}
		if levels[i].Level != hardware.LevelMinimum {
			k.notBelow(path("ramGb"), s.RAMGb, hardware.LeastMinimum(levels, hardware.DeriveRAM))
			k.notBelow(path("vramGb"), s.VRAMGb, hardware.LeastMinimum(levels, hardware.DeriveVRAM))
		}
	}
}

// estimate checks the editor's estimate of what the tool needs.
func (k *listingCheck) estimate() {
	e := k.f.Estimate
	if e == nil || !k.Has(api.EstimateKey) {
		return
	}
	path := func(key string) []any { return at(api.EstimateKey, key) }
	if e.RAMGb == nil && e.VRAMGb == nil && !k.undecodedAt(api.EstimateKey) {
		k.fail(at(api.EstimateKey), "has no figure: add ramGb or vramGb, or leave it out")
	}
	if strings.TrimSpace(e.Because) == "" {
		k.fail(path("because"), "is missing: say in a few words why, such as runs 7B models in 4 bits")
	} else {
		k.line(path("because"), e.Because, maxShort)
	}
	// An estimate is needless only if there are setups that decide verdicts.
	setups := slices.DeleteFunc(withDefaultLevels(k.f.Setups), func(s hardware.Setup) bool { return s.ModelsElsewhere })
	for _, figure := range []struct {
		key string
		gb  *float64
	}{{hardware.DeriveRAM, e.RAMGb}, {hardware.DeriveVRAM, e.VRAMGb}} {
		steps := hardware.Steps
		if figure.key == hardware.DeriveVRAM { // 0 means that it works well without a card
			steps = append([]float64{0}, steps...)
		}
		switch stated := hardware.LeastMinimum(setups, figure.key); {
		case figure.gb == nil:
		case !slices.Contains(steps, *figure.gb):
			k.fail(path(figure.key), "%v is not a step of estimates: write one of %s", *figure.gb,
				strings.Trim(strings.Join(strings.Fields(fmt.Sprint(steps)), ", "), "[]"))
		case stated != nil:
			k.fail(path(figure.key), "a minimum setup states %v already: remove the estimate", *stated)
		}
	}
}

func (k *listingCheck) figure(path []any, gb *float64, most float64) {
	if gb != nil && (*gb < minGb || *gb > most) {
		least := minGb
		k.fail(path, "%v is out of bounds: %s is allowed", *gb, api.NumberBounds(&least, &most))
	}
}

// notBelow reports a figure that is below the lowest minimum.
func (k *listingCheck) notBelow(path []any, gb, least *float64) {
	if gb != nil && least != nil && *gb < *least {
		k.fail(path, "%v is less than the smallest minimum, which is %v: give this setup the level %s, or correct "+
			"the figure", *gb, *least, hardware.LevelMinimum)
	}
}
