package lint

import (
	"maps"
	"slices"
	"strings"

	"catalog.example/api"
	"catalog.example/api/hardware"
	"catalog.example/api/search/token"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
)

// checkSetups warns of setups whose figures apply only to certain computers, if only the words of
// the setup say so, and not the keys that verdicts use.
func checkSetups(c *catalog, l *content.Listing, found *findings) {
	known := &c.Taxonomy.Hardware.Words
	for i := range l.Setups {
		s := &l.Setups[i]
		if s.RAMGb == nil && s.VRAMGb == nil {
			continue
		}
		text := spaced(s.For)
		names := func(phrase string) bool { return strings.Contains(text, c.spaced[phrase]) }
		warn := func(word, says, key, value string) {
			found.at(&l.Document, rule.SetupWords, at(api.SetupsKey, i, "for"),
				"for: %q %s: add %s: %s to the setup, or change the words", word, says, key, value)
		}
		if word, system := c.systemNamed(names); word != "" && len(s.System) == 0 {
			warn(word, "names a system", "system", "["+system+"]")
		}
		if word, maker := firstOf(known.CardOf, names); word != "" && s.GPUVendor == nil {
			warn(word, "names a maker of graphics cards", "gpuVendor", maker)
		}
		if k := slices.IndexFunc(known.Elsewhere, names); k >= 0 && !s.ModelsElsewhere {
			warn(known.Elsewhere[k], "says that the model runs elsewhere", "modelsElsewhere", "true")
		}
	}
}

// spaced returns the words of a text with a space before and after each of them.
func spaced(text string) string { return " " + strings.Join(token.Of(text), " ") + " " }

// spacedPhrases returns the words of the phrases that checkSetups looks for, by phrase.
func spacedPhrases(t *api.Taxonomy) map[string]string {
	phrases := map[string]string{}
	add := func(list ...string) {
		for _, phrase := range list {
			phrases[phrase] = spaced(phrase)
		}
	}
	for _, p := range t.Platforms {
		add(p.Name)
	}
	add(t.Hardware.Words.Elsewhere...)
	for _, words := range []map[string][]string{t.Hardware.Words.System, t.Hardware.Words.CardOf} {
		for _, list := range words {
			add(list...)
		}
	}
	return phrases
}

// checkUnknownGPU warns of a minimum setup that states RAM alone, if nothing says whether the tool needs a graphics
// card. Such a setup never fits a computer without one.
func checkUnknownGPU(c *catalog, l *content.Listing, found *findings) {
	defined := slices.ContainsFunc(c.Taxonomy.Facts, func(f api.Fact) bool { return f.Key == api.GPUKey })
	estimated := l.Estimate != nil && l.Estimate.VRAMGb != nil
	if !defined || estimated || !l.IsDecoded() || api.Known(l.FitNotes.Get(api.GPUKey)) {
		return
	}
	for i := range l.Setups {
		s := &l.Setups[i]
		isMinimum := s.Level == "" || s.Level == hardware.LevelMinimum
		if isMinimum && s.RAMGb != nil && s.VRAMGb == nil && !s.ModelsElsewhere {
			found.at(&l.Document, rule.UnknownGPU, at("fitNotes", api.GPUKey), "%s: is not known, so the minimum of "+
				"%v GB RAM never fits a computer without a graphics card: write none, optional or required, or a "+
				"vramGb in estimate (0: it works well without a card)", api.GPUKey, *s.RAMGb)
			return
		}
	}
}

// systemNamed returns a word that names a system, and the slug of that system; "" for none.
func (c *catalog) systemNamed(names func(phrase string) bool) (word, system string) {
	for _, p := range c.Taxonomy.Platforms {
		if p.System && names(p.Name) {
			return p.Name, p.Slug
		}
	}
	return firstOf(c.Taxonomy.Hardware.Words.System, names)
}

// firstOf returns the first phrase that satisfies has, and the key that lists it; "" for none.
func firstOf(phrases map[string][]string, has func(string) bool) (phrase, key string) {
	for _, key := range slices.Sorted(maps.Keys(phrases)) {
		if i := slices.IndexFunc(phrases[key], has); i >= 0 {
			return phrases[key][i], key
		}
	}
	return "", ""
}
