package content

import (
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/generator/rule"
)

// withDefaultLevels returns a copy of the setups in which those without a level have the level
// minimum.
func withDefaultLevels(setups []hardware.Setup) []hardware.Setup {
	setups = slices.Clone(setups)
	for i := range setups {
		if setups[i].Level == "" {
			setups[i].Level = hardware.LevelMinimum
		}
	}
	return setups
}

// setups checks the setups of a listing.
func (k *listingCheck) setups() {
	if !k.Has(api.SetupsKey) {
		return
	}
	sourced := slices.ContainsFunc(k.taxonomy.Facts, func(f api.Fact) bool {
		return f.Kind == api.FactSetups && f.Sourced
	})
	seen := map[[2]string]bool{} // pairs of use and level
	levels := withDefaultLevels(k.f.Setups)
	for i := range k.f.Setups {
		s, level := &k.f.Setups[i], levels[i].Level
		path := func(steps ...any) []any { return append(at(api.SetupsKey, i), steps...) }
		switch use := [2]string{s.For, level}; {
		case strings.TrimSpace(s.For) == "":
			k.fail(path("for"), "is missing: say what the figures are for, such as 7B models or the program itself")
		case seen[use]:
			k.fail(path("for"), "%s is in the list twice with the level %s: remove one of them", quote(s.For), level)
		default:
			k.failIf(textProblem(s.For, maxShort), path("for")...)
			seen[use] = true
		}
		k.oneOf(level, hardware.Levels, path("level")...)
		k.figure(s.RAMGb, hardware.MaxGb, path("ramGb")...)
		if s.VRAMGb != nil && *s.VRAMGb == 0 {
			k.fail(path("vramGb"), "0 is not allowed: leave it out of a use that needs no graphics card")
		} else {
			k.figure(s.VRAMGb, hardware.MaxGb, path("vramGb")...)
		}
		k.figure(s.DiskGb, hardware.MaxDiskGb, path("diskGb")...)
		if s.RAMGb == nil && s.VRAMGb == nil && s.DiskGb == nil && !k.undecodedAt(path()...) {
			k.fail(path("for"), "has no figure: add ramGb, vramGb or diskGb")
		}
		if s.GPUVendor != nil {
			k.option(api.GPUVendorsKey, *s.GPUVendor, path("gpuVendor")...)
		}
		for n, system := range s.System {
			if slices.Index(s.System, system) < n {
				k.fail(path("system", n), "%s is in the list twice: remove one of them", quote(system))
			} else {
				k.system(system, path("system", n)...)
			}
		}
		k.sourceText(s.Source, path("source")...)
		k.measured(s.Measured, level, path)
		if sourced && s.Source == nil && s.Measured == nil && k.f.Sources[api.SetupsKey] == "" {
			k.add(rule.NoSource, path("for"), "has no source: add source to the setup, or %s to sources", api.SetupsKey)
		}
		if level != hardware.LevelMinimum && s.Measured == nil {
			k.notBelow(s.RAMGb, hardware.LeastMinimum(levels, hardware.DeriveRAM), path("ramGb"))
			k.notBelow(s.VRAMGb, hardware.LeastMinimum(levels, hardware.DeriveVRAM), path("vramGb"))
		}
	}
}

// measured checks how the figures of a setup were measured. path extends the path of the setup.
func (k *listingCheck) measured(m *hardware.Measured, level string, path func(steps ...any) []any) {
	if m == nil {
		return
	}
	if level != hardware.LevelExample {
		k.fail(path("level"), "is %s, but a measured setup is what one use took: write level: %s", quote(level),
			hardware.LevelExample)
	}
	for _, text := range []struct{ key, value, remedy string }{
		{"version", m.Version, "write the version that was measured, such as v1.2.0"},
		{"date", m.Date, "write the day of the measurement"},
		{"os", m.OS, "write the system and the processor, such as Debian 12, amd64"},
		{"how", m.How, "write what was read, such as PSS of all its processes"},
	} {
		if strings.TrimSpace(text.value) == "" {
			k.fail(path("measured", text.key), "is missing: %s", text.remedy)
		} else {
			k.failIf(textProblem(text.value, maxShort), path("measured", text.key)...)
		}
	}
	if m.Date != "" {
		day := api.Date(m.Date)
		k.date(&day, path("measured", "date")...)
	}
	if m.Job == nil {
		return
	}
	if strings.TrimSpace(*m.Job) == "" {
		k.fail(path("measured", "job"), "is empty: say what it did, or write null if it was only started")
		return
	}
	k.failIf(textProblem(*m.Job, maxShort), path("measured", "job")...)
}

// estimate checks the editor's estimate of what the tool needs.
func (k *listingCheck) estimate() {
	e := k.f.Estimate
	if e == nil || !k.Has(api.EstimateKey) {
		return
	}
	if e.RAMGb == nil && e.VRAMGb == nil && !k.undecodedAt(api.EstimateKey) {
		k.fail(at(api.EstimateKey), "has no figure: add ramGb or vramGb, or remove it")
	}
	if strings.TrimSpace(e.Because) == "" {
		k.fail(at(api.EstimateKey, "because"), "is missing: say in a few words why, such as runs 7B models in 4 bits")
	} else {
		k.failIf(textProblem(e.Because, maxShort), api.EstimateKey, "because")
	}
	// Setups whose models run elsewhere do not decide verdicts, so they do not make an estimate
	// needless.
	setups := slices.DeleteFunc(withDefaultLevels(k.f.Setups), func(s hardware.Setup) bool { return s.ModelsElsewhere })
	k.step(e.RAMGb, hardware.Steps, setups, hardware.DeriveRAM)
	// 0 means that the tool works well without a card.
	k.step(e.VRAMGb, append([]float64{0}, hardware.Steps...), setups, hardware.DeriveVRAM)
}

// step checks a figure of the estimate.
func (k *listingCheck) step(gb *float64, steps []float64, setups []hardware.Setup, key string) {
	path := at(api.EstimateKey, key)
	switch stated := hardware.LeastMinimum(setups, key); {
	case gb == nil:
	case !slices.Contains(steps, *gb):
		k.fail(path, "%v is not allowed in an estimate: write one of %s", *gb, listed(steps))
	case stated != nil:
		k.fail(path, "a minimum setup already states %v: remove the estimate", *stated)
	}
}

// notBelow reports a figure that is below the smallest minimum of the setups.
func (k *listingCheck) notBelow(gb, least *float64, path []any) {
	if gb != nil && least != nil && *gb < *least {
		k.fail(path, "%v is less than the smallest minimum, which is %v: give this setup the level %s, or correct "+
			"the figure", *gb, *least, hardware.LevelMinimum)
	}
}
